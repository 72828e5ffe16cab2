// Transforms of images [..., H, W]: sizes, crops, flips, padding. They draw from the default
// generator.
#pragma once

#include <array>

#include <taper/data/transform.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::transforms {
namespace detail {
/// The part of an image at (top, left); a view. Where it reaches beyond the image there are zeros.
Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width);
Tensor center_crop(const Tensor& image, int64_t height, int64_t width);
/// Throws ValueError when the image, with `padding` zeros on each side, is smaller.
Tensor random_crop(const Tensor& image, int64_t height, int64_t width, int64_t padding);
/// The place {top, left, height, width} of a part with a share of the image's area in `scale` and a
/// ratio of width to height in `ratio`, or a part in the middle after ten vain tries.
std::array<int64_t, 4> random_part(int64_t height, int64_t width, std::array<double, 2> scale,
                                   std::array<double, 2> ratio);
Tensor random_flip(const Tensor& image, double p, int64_t dim);
/// Adds left, top, right, bottom.
Tensor pad_image(const Tensor& image, const std::array<int64_t, 4>& sides, double value);
Tensor resize(const Tensor& image, int64_t height, int64_t width);
Tensor resize_shorter(const Tensor& image, int64_t size);
void check_size(const char* name, int64_t height, int64_t width);
void check_probability(const char* name, double p);
void check_intervals(const char* name, std::array<double, 2> scale, std::array<double, 2> ratio);
}  // namespace detail

/// The image in another size, by linear interpolation, and where it shrinks by weighted means over
/// all pixels (antialiased): Pillow's and torchvision's BILINEAR. One number is the shorter side's
/// size; the other keeps the ratio. Bytes are rounded, and may differ from Pillow's by one.
template <class Target = Tensor>
struct Resize : public TensorTransform<Target> {
  /// One number is the size of the shorter side, two are height and width, in pixels. Throws
  /// ValueError for less than 1.
  ///@{
  explicit Resize(int64_t size) : height(size), width(0) {
    detail::check_size("Resize", size, size);
  }
  Resize(int64_t height, int64_t width) : height(height), width(width) {
    detail::check_size("Resize", height, width);
  }
  ///@}
  /// [..., H, W] of a real dtype in the new size, of the same dtype; floating images that have that
  /// size already come as they are. Throws ValueError for an image without pixels.
  Tensor operator()(Tensor input) override {
    return width == 0 ? detail::resize_shorter(input, height)
                      : detail::resize(input, height, width);
  }
  /// In pixels. A width of 0 says that height is the shorter side's size.
  ///@{
  int64_t height, width;
  ///@}
};

/// The middle of the image; zeros around a smaller one.
template <class Target = Tensor>
struct CenterCrop : public TensorTransform<Target> {
  /// A square of that size, or height and width, in pixels. Throws ValueError for less than 1.
  ///@{
  explicit CenterCrop(int64_t size) : CenterCrop(size, size) {}
  CenterCrop(int64_t height, int64_t width) : height(height), width(width) {
    detail::check_size("CenterCrop", height, width);
  }
  ///@}
  /// [..., height, width]: a view of the image, unless zeros are added.
  Tensor operator()(Tensor input) override { return detail::center_crop(input, height, width); }
  /// Of the result, in pixels.
  ///@{
  int64_t height, width;
  ///@}
};

/// A part of the image at a random place, behind `padding` zeros on every side.
template <class Target = Tensor>
struct RandomCrop : public TensorTransform<Target> {
  /// A square of that size, or height and width, in pixels. Throws ValueError for less than 1.
  ///@{
  explicit RandomCrop(int64_t size, int64_t padding = 0) : RandomCrop(size, size, padding) {}
  RandomCrop(int64_t height, int64_t width, int64_t padding)
      : height(height), width(width), padding(padding) {
    detail::check_size("RandomCrop", height, width);
  }
  ///@}
  /// [..., height, width] from a place that each call draws: a view of the image, unless it reaches
  /// into the padding. Throws ValueError when the padded image is smaller.
  Tensor operator()(Tensor input) override {
    return detail::random_crop(input, height, width, padding);
  }
  /// In pixels; the padding is on each side.
  ///@{
  int64_t height, width, padding;
  ///@}
};

/// A random part of the image, of a share of its area in `scale` and a ratio of width to height in
/// `ratio`, in the given size (see Resize): torchvision's, with its random numbers.
template <class Target = Tensor>
struct RandomResizedCrop : public TensorTransform<Target> {
  using Interval = std::array<double, 2>;  ///< {the least, the most}
  /// The size of the result: a square, or height and width, in pixels. Throws ValueError for less
  /// than 1, and for intervals that do not rise or do not begin above 0.
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
  /// [..., height, width], made of a part that each call draws.
  Tensor operator()(Tensor input) override {
    const auto [y, x, h, w] = detail::random_part(input.size(-2), input.size(-1), scale, ratio);
    return detail::resize(detail::crop(input, y, x, h, w), height, width);
  }
  /// Of the result, in pixels.
  ///@{
  int64_t height, width;
  ///@}
  /// Of the part: its share of the image's area; width over height.
  ///@{
  Interval scale, ratio;
  ///@}
};

/// The image mirrored left to right (or top to bottom) with probability p.
template <class Target = Tensor>
struct RandomHorizontalFlip : public TensorTransform<Target> {
  /// Throws ValueError unless 0 <= p <= 1.
  explicit RandomHorizontalFlip(double p = 0.5) : p(p) {
    detail::check_probability("RandomHorizontalFlip", p);
  }
  /// The image itself, or a mirrored copy.
  Tensor operator()(Tensor input) override { return detail::random_flip(input, p, -1); }
  double p;  ///< the probability that it is mirrored
};
/// The image mirrored top to bottom with probability p.
template <class Target = Tensor>
struct RandomVerticalFlip : public TensorTransform<Target> {
  /// Throws ValueError unless 0 <= p <= 1.
  explicit RandomVerticalFlip(double p = 0.5) : p(p) {
    detail::check_probability("RandomVerticalFlip", p);
  }
  /// The image itself, or a mirrored copy.
  Tensor operator()(Tensor input) override { return detail::random_flip(input, p, -2); }
  double p;  ///< the probability that it is mirrored
};

/// The image with a border of one value: as wide on every side, or left, top, right, bottom.
template <class Target = Tensor>
struct Pad : public TensorTransform<Target> {
  /// As many pixels of `value` on every side, or on the left, the top, the right and the bottom.
  ///@{
  explicit Pad(int64_t padding, double value = 0)
      : Pad(std::array<int64_t, 4>{padding, padding, padding, padding}, value) {}
  explicit Pad(std::array<int64_t, 4> sides, double value = 0) : sides(sides), value(value) {}
  ///@}
  /// A new image, larger by the sides. Throws ValueError for negative ones.
  Tensor operator()(Tensor input) override { return detail::pad_image(input, sides, value); }
  std::array<int64_t, 4> sides;  ///< left, top, right, bottom, in pixels
  double value;                  ///< what the border holds
};

}  // namespace torch::taper::data::transforms

#pragma GCC visibility pop
