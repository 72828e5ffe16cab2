// Transforms of images [..., H, W]: sizes, crops, flips, padding. Random transforms draw from the
// default generator.
#pragma once

#include <array>

#include <taper/data/transform.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::transforms {
namespace detail {
/// Returns a part of an image: height x width pixels, starting at (top, left). The part is a view.
/// If it reaches beyond the image, it is a copy, filled with zeros there.
Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width);
Tensor center_crop(const Tensor& image, int64_t height, int64_t width);
/// Crops at a random position. First adds `padding` zeros on each side of the image. Throws
/// ValueError if the padded image is smaller than the crop.
Tensor random_crop(const Tensor& image, int64_t height, int64_t width, int64_t padding);
/// Draws a part {top, left, height, width} of an image. `scale` holds the limits of the part's
/// share of the image's area. `ratio` holds the limits of the part's width / height. After ten
/// failed tries, returns a part in the middle.
std::array<int64_t, 4> random_part(int64_t height, int64_t width, std::array<double, 2> scale,
                                   std::array<double, 2> ratio);
Tensor random_flip(const Tensor& image, double p, int64_t dim);
/// Adds `value` on the left, top, right and bottom.
Tensor pad_image(const Tensor& image, const std::array<int64_t, 4>& sides, double value);
Tensor resize(const Tensor& image, int64_t height, int64_t width);
Tensor resize_shorter(const Tensor& image, int64_t size);
void check_size(const char* name, int64_t height, int64_t width);
void check_probability(const char* name, double p);
void check_intervals(const char* name, std::array<double, 2> scale, std::array<double, 2> ratio);
}  // namespace detail

/// Resizes an image by linear interpolation, with antialiasing when it shrinks, like BILINEAR in
/// Pillow and torchvision. A single number is the size of the shorter side, and the aspect ratio is
/// kept. Bytes are rounded. They may differ from Pillow's bytes by one.
template <class Target = Tensor>
struct Resize : public TensorTransform<Target> {
  /// Sets the size of the shorter side, or height and width, in pixels. Throws ValueError for a
  /// size below 1.
  ///@{
  explicit Resize(int64_t size) : height(size), width(0) {
    detail::check_size("Resize", size, size);
  }
  Resize(int64_t height, int64_t width) : height(height), width(width) {
    detail::check_size("Resize", height, width);
  }
  ///@}
  /// Returns the image [..., H, W] in the new size. Its dtype must be real and does not change. A
  /// floating image that already has the size is returned unchanged. Throws ValueError for an image
  /// without pixels.
  Tensor operator()(Tensor input) override {
    return width == 0 ? detail::resize_shorter(input, height)
                      : detail::resize(input, height, width);
  }
  /// The size in pixels. If width is 0, height is the size of the shorter side.
  ///@{
  int64_t height, width;
  ///@}
};

/// Crops the middle of an image. If the image is smaller than the result, it is surrounded by
/// zeros.
template <class Target = Tensor>
struct CenterCrop : public TensorTransform<Target> {
  /// Sets the size of a square, or height and width, in pixels. Throws ValueError for a size below
  /// 1.
  ///@{
  explicit CenterCrop(int64_t size) : CenterCrop(size, size) {}
  CenterCrop(int64_t height, int64_t width) : height(height), width(width) {
    detail::check_size("CenterCrop", height, width);
  }
  ///@}
  /// Returns [..., height, width], a view of the image unless zeros are added.
  Tensor operator()(Tensor input) override { return detail::center_crop(input, height, width); }
  /// The size of the result in pixels.
  ///@{
  int64_t height, width;
  ///@}
};

/// Crops an image at a random position, after adding `padding` zeros on every side.
template <class Target = Tensor>
struct RandomCrop : public TensorTransform<Target> {
  /// Sets the size of a square, or height and width, in pixels. Throws ValueError for a size below
  /// 1.
  ///@{
  explicit RandomCrop(int64_t size, int64_t padding = 0) : RandomCrop(size, size, padding) {}
  RandomCrop(int64_t height, int64_t width, int64_t padding)
      : height(height), width(width), padding(padding) {
    detail::check_size("RandomCrop", height, width);
  }
  ///@}
  /// Returns [..., height, width] from a random position, drawn in each call. The result is a view
  /// of the image, unless it reaches into the padding. Throws ValueError if the padded image is
  /// smaller.
  Tensor operator()(Tensor input) override {
    return detail::random_crop(input, height, width, padding);
  }
  /// The size of the result, and the padding on each side, in pixels.
  ///@{
  int64_t height, width, padding;
  ///@}
};

/// Crops a random part of an image and resizes it (see Resize). `scale` holds the limits of the
/// part's share of the image's area. `ratio` holds the limits of the part's width / height. The
/// random numbers equal torchvision's.
template <class Target = Tensor>
struct RandomResizedCrop : public TensorTransform<Target> {
  using Interval = std::array<double, 2>;  ///< {smallest, largest}
  /// Sets the size of the result: a square, or height and width, in pixels. Throws ValueError for a
  /// size below 1, and for an interval that decreases or does not begin above 0.
  ///@{
  explicit RandomResizedCrop(int64_t size, Interval scale = {0.08, 1},
                             Interval ratio = {3.0 / 4, 4.0 / 3})
      : RandomResizedCrop(size, size, scale, ratio) {}
  RandomResizedCrop(int64_t height, int64_t width, Interval scale = {0.08, 1},
                    Interval ratio = {3.0 / 4, 4.0 / 3})
      : height(height), width(width), scale(scale), ratio(ratio) {
    detail::check_size("RandomResizedCrop", height, width);
    detail::check_intervals("RandomResizedCrop", scale, ratio);
  }
  ///@}
  /// Returns [..., height, width], made from a part that each call draws.
  Tensor operator()(Tensor input) override {
    const auto [y, x, h, w] = detail::random_part(input.size(-2), input.size(-1), scale, ratio);
    return detail::resize(detail::crop(input, y, x, h, w), height, width);
  }
  /// The size of the result in pixels.
  ///@{
  int64_t height, width;
  ///@}
  /// The limits of the part's share of the area, and of its width / height.
  ///@{
  Interval scale, ratio;
  ///@}
};

/// Mirrors an image left to right with probability p.
template <class Target = Tensor>
struct RandomHorizontalFlip : public TensorTransform<Target> {
  /// Sets the probability. Throws ValueError unless 0 <= p <= 1.
  explicit RandomHorizontalFlip(double p = 0.5) : p(p) {
    detail::check_probability("RandomHorizontalFlip", p);
  }
  /// Returns the image, or a mirrored copy.
  Tensor operator()(Tensor input) override { return detail::random_flip(input, p, -1); }
  double p;  ///< the probability of mirroring
};
/// Mirrors an image top to bottom with probability p.
template <class Target = Tensor>
struct RandomVerticalFlip : public TensorTransform<Target> {
  /// Sets the probability. Throws ValueError unless 0 <= p <= 1.
  explicit RandomVerticalFlip(double p = 0.5) : p(p) {
    detail::check_probability("RandomVerticalFlip", p);
  }
  /// Returns the image, or a mirrored copy.
  Tensor operator()(Tensor input) override { return detail::random_flip(input, p, -2); }
  double p;  ///< the probability of mirroring
};

/// Adds a border of one value to an image.
template <class Target = Tensor>
struct Pad : public TensorTransform<Target> {
  /// Sets the width of the border in pixels, and its `value`. `padding` is the width on every side.
  /// `sides` holds the widths on the left, top, right and bottom.
  ///@{
  explicit Pad(int64_t padding, double value = 0)
      : Pad(std::array<int64_t, 4>{padding, padding, padding, padding}, value) {}
  explicit Pad(std::array<int64_t, 4> sides, double value = 0) : sides(sides), value(value) {}
  ///@}
  /// Returns a new image with the border. Throws ValueError for negative sides.
  Tensor operator()(Tensor input) override { return detail::pad_image(input, sides, value); }
  std::array<int64_t, 4> sides;  ///< left, top, right, bottom, in pixels
  double value;                  ///< the value of the border
};

}  // namespace torch::taper::data::transforms

#pragma GCC visibility pop
