#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/spatial/fold_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Columns {
  FoldWindows w;
  T* columns;
  const T* images;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / w.columns(), plane = row / w.kernel_elements(),
                  element = row - plane * w.kernel_elements();
    const int64_t o = i - row * w.columns();
    const int64_t y = w.place(0, o / w.windows[1], element / w.kernel[1]);
    const int64_t x = w.place(1, o % w.windows[1], element % w.kernel[1]);
    const bool inside = y >= 0 && y < w.image[0] && x >= 0 && x < w.image[1];
    columns[i] = inside ? images[(plane * w.image[0] + y) * w.image[1] + x] : static_cast<T>(0.0f);
  }
};

// A pixel gathers from all windows that have it, so no two threads add to one number.
template <class T>
struct Images {
  FoldWindows w;
  T* images;
  const T* columns;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / w.pixels(), pixel = i - plane * w.pixels();
    opmath_t<T> sum = 0;
    for (int64_t a = 0; a < w.kernel[0]; ++a) {
      const int64_t oy = window_of(0, pixel / w.image[1], a);
      for (int64_t b = 0; oy >= 0 && b < w.kernel[1]; ++b) {
        const int64_t ox = window_of(1, pixel % w.image[1], b);
        if (ox < 0) continue;
        const int64_t row = plane * w.kernel_elements() + a * w.kernel[1] + b;
        sum += load(columns[row * w.columns() + oy * w.windows[1] + ox]);
      }
    }
    images[i] = static_cast<T>(sum);
  }
  /// Returns the window whose kernel element k is pixel i along dimension d, or -1 for none.
  TAPER_DEVICE int64_t window_of(int d, int64_t i, int64_t k) const {
    const int64_t start = i + w.padding[d] - k * w.dilation[d];
    if (start < 0 || start % w.stride[d] != 0) return -1;
    return start / w.stride[d] < w.windows[d] ? start / w.stride[d] : -1;
  }
};

}  // namespace

void im2col(Out columns, In images, FoldWindows w) {
  switch_dtype<dtypes::Floating>(columns.dtype, "im2col", [&]<class scalar_t>() {
    for_each(columns.numel, Columns<scalar_t>{w, columns.as<scalar_t>(), images.as<scalar_t>()});
  });
}

void col2im(Out images, In columns, FoldWindows w) {
  switch_dtype<dtypes::Floating>(images.dtype, "col2im", [&]<class scalar_t>() {
    for_each(images.numel, Images<scalar_t>{w, images.as<scalar_t>(), columns.as<scalar_t>()});
  });
}

}  // namespace torch::taper::cuda
