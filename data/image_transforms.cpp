#include <taper/data/image_transforms.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::data::transforms::detail {
namespace {

void check_image(const char* name, const Tensor& image) {
  TAPER_CHECK(image.dim() >= 2, name, ": expected an image [..., H, W], got sizes ", image.sizes());
}

/// Returns the weights of resizing along an axis. Row i weighs the old positions for the new
/// position i. The weights form a triangle, as wide as two positions of the coarser grid.
Tensor resize_weights(int64_t from, int64_t to, const Tensor& like) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  Tensor weights = zeros({to, from}, kDouble);
  for (int64_t i = 0; i < to; ++i) {
    double* row = weights.data_ptr<double>() + i * from;
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(center - reach + 0.5));
    const auto last = std::min<int64_t>(from, static_cast<int64_t>(center + reach + 0.5));
    double sum = 0;
    for (int64_t j = first; j < last; ++j)
      sum += row[j] = std::max(0.0, 1 - std::abs((static_cast<double>(j) - center + 0.5) / reach));
    for (int64_t j = first; j < last; ++j) row[j] /= sum;
  }
  return weights.to(like.options());
}

}  // namespace

Tensor resize(const Tensor& image, int64_t height, int64_t width) {
  check_image("Resize", image);
  TAPER_CHECK_VALUE(image.size(-2) > 0 && image.size(-1) > 0,
                    "Resize: expected an image that is not empty, got sizes ", image.sizes());
  const bool whole = !image.is_floating_point();
  Tensor y = whole ? image.to(kFloat) : image;
  if (width != y.size(-1)) y = matmul(y, resize_weights(y.size(-1), width, y).t());
  if (height != y.size(-2)) y = matmul(resize_weights(y.size(-2), height, y), y);
  return whole ? y.round().to(image.scalar_type()) : y;
}

Tensor resize_shorter(const Tensor& image, int64_t size) {
  check_image("Resize", image);
  const int64_t h = image.size(-2), w = image.size(-1);
  TAPER_CHECK_VALUE(h > 0 && w > 0, "Resize: expected an image that is not empty, got sizes ",
                    image.sizes());
  return h <= w ? resize(image, size, size * w / h) : resize(image, size * h / w, size);
}

void check_size(const char* name, int64_t height, int64_t width) {
  TAPER_CHECK_VALUE(height > 0 && width > 0, name, ": expected a size of at least 1, got ", height,
                    " x ", width);
}

void check_probability(const char* name, double p) {
  TAPER_CHECK_VALUE(p >= 0 && p <= 1, name, ": expected a probability from 0 to 1, got ", p);
}

void check_intervals(const char* name, std::array<double, 2> scale, std::array<double, 2> ratio) {
  TAPER_CHECK_VALUE(scale[0] > 0 && scale[0] <= scale[1] && ratio[0] > 0 && ratio[0] <= ratio[1],
                    name, ": expected scale and ratio above 0, each from low to high");
}

Tensor pad_image(const Tensor& image, const std::array<int64_t, 4>& sides, double value) {
  check_image("Pad", image);
  const auto [left, top, right, bottom] = sides;
  Dims sizes = image.sizes();
  int64_t &height = sizes[sizes.size() - 2], &width = sizes.back();
  const int64_t old_height = height, old_width = width;
  height += top + bottom;
  width += left + right;
  TAPER_CHECK_VALUE(left >= 0 && top >= 0 && right >= 0 && bottom >= 0,
                    "Pad: expected a padding of at least 0");
  const Tensor padded = full(sizes, value, image.options());
  padded.narrow(-2, top, old_height).narrow(-1, left, old_width).copy_(image);
  return padded;
}

Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width) {
  const auto beyond = [](int64_t n) { return std::max<int64_t>(n, 0); };
  const int64_t right = left + width - image.size(-1), bottom = top + height - image.size(-2);
  Tensor whole = image;
  if (left < 0 || top < 0 || right > 0 || bottom > 0)
    whole = pad_image(image, {beyond(-left), beyond(-top), beyond(right), beyond(bottom)}, 0);
  return whole.narrow(-2, beyond(top), height).narrow(-1, beyond(left), width);
}

// Returns torchvision's offset: half of the room, rounded to the even number, or towards the middle
// of the image if zeros are added.
static int64_t middle(int64_t room) {
  const int64_t half = room / 2;
  return room > 0 && room % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

Tensor center_crop(const Tensor& image, int64_t height, int64_t width) {
  check_image("CenterCrop", image);
  return crop(image, middle(image.size(-2) - height), middle(image.size(-1) - width), height,
              width);
}

Tensor random_crop(const Tensor& image, int64_t height, int64_t width, int64_t padding) {
  check_image("RandomCrop", image);
  const int64_t room_y = image.size(-2) + 2 * padding - height;
  const int64_t room_x = image.size(-1) + 2 * padding - width;
  TAPER_CHECK_VALUE(padding >= 0 && room_y >= 0 && room_x >= 0, "Required crop size (", height,
                    ", ", width, ") is larger than input image size (",
                    image.size(-2) + 2 * padding, ", ", image.size(-1) + 2 * padding, ")");
  if (room_y == 0 && room_x == 0) return crop(image, -padding, -padding, height, width);
  const int64_t y = randint(room_y + 1, {1}).item<int64_t>();
  const int64_t x = randint(room_x + 1, {1}).item<int64_t>();
  return crop(image, y - padding, x - padding, height, width);
}

namespace {

/// Draws a number as torchvision does, as a float.
double drawn(double low, double high) { return empty({1}).uniform_(low, high).item<float>(); }

}  // namespace

std::array<int64_t, 4> random_part(int64_t height, int64_t width, std::array<double, 2> scale,
                                   std::array<double, 2> ratio) {
  const double area = static_cast<double>(height * width);
  const double low = std::log(static_cast<float>(ratio[0]));
  const double high = std::log(static_cast<float>(ratio[1]));
  for (int i = 0; i < 10; ++i) {
    const double part = area * drawn(scale[0], scale[1]);
    const double aspect = std::exp(static_cast<float>(drawn(low, high)));
    const auto w = static_cast<int64_t>(std::nearbyint(std::sqrt(part * aspect)));
    const auto h = static_cast<int64_t>(std::nearbyint(std::sqrt(part / aspect)));
    if (w <= 0 || h <= 0 || w > width || h > height) continue;
    const int64_t y = randint(height - h + 1, {1}).item<int64_t>();
    const int64_t x = randint(width - w + 1, {1}).item<int64_t>();
    return {y, x, h, w};
  }
  int64_t h = height, w = width;
  const double whole = static_cast<double>(width) / static_cast<double>(height);
  if (whole < ratio[0])
    h = static_cast<int64_t>(std::nearbyint(static_cast<double>(width) / ratio[0]));
  else if (whole > ratio[1])
    w = static_cast<int64_t>(std::nearbyint(static_cast<double>(height) * ratio[1]));
  return {(height - h) / 2, (width - w) / 2, h, w};
}

Tensor random_flip(const Tensor& image, double p, int64_t dim) {
  check_image("RandomFlip", image);
  return rand({1}).item<float>() < p ? image.flip({dim}) : image;
}

}  // namespace torch::taper::data::transforms::detail
