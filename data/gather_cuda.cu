#include <taper/data/gather_kernels.h>
#include <taper/framework/cuda/grid.h>

namespace torch::taper::cuda {
namespace {

/// Holds row numbers that are passed with the launch, because they are in host memory.
struct RowNumbers {
  static constexpr int64_t kMost = 256;
  int64_t row[kMost];
};

struct GatherImages {
  float* y;
  const uint8_t* images;
  int64_t size;
  data::ImageNumbers n;
  RowNumbers rows;
  TAPER_DEVICE void operator()(int64_t, int64_t b, int64_t k) const {
    float v = static_cast<float>(images[rows.row[b] * size + k]) / 255.0f;
    if (n.normalize) v = (v - n.mean) / n.stddev;
    y[b * size + k] = v;
  }
};

struct ImagesToFloat {
  float* y;
  const uint8_t* images;
  TAPER_DEVICE void operator()(int64_t i) const { y[i] = static_cast<float>(images[i]) / 255.0f; }
};

}  // namespace

void gather_images(Out y, In images, const size_t* rows, data::ImageNumbers n) {
  const int64_t count = y.sizes[0], size = images.numel / images.sizes[0];
  for (int64_t done = 0; done < count; done += RowNumbers::kMost) {
    const int64_t now = std::min(RowNumbers::kMost, count - done);
    GatherImages f{y.as<float>() + done * size, images.as<uint8_t>(), size, n, {}};
    for (int64_t b = 0; b < now; ++b) f.rows.row[b] = static_cast<int64_t>(rows[done + b]);
    for_each_in_box(1, now, size, f);
  }
}

void images_to_float(Out y, In images) {
  for_each(y.numel, ImagesToFloat{y.as<float>(), images.as<uint8_t>()});
}

}  // namespace torch::taper::cuda
