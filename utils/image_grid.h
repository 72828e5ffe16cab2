// Many images as one, images as PNG files, and moving ones as GIF files.
#pragma once

#include <string>
#include <utility>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// What torchvision's make_grid takes, with its defaults.
struct ImageGridOptions {
  /// The least and the greatest value.
  using Range = std::pair<double, double>;
  /// Images in a row.
  TAPER_ARG(int64_t, nrow) = 8;
  /// Pixels between images and around them.
  TAPER_ARG(int64_t, padding) = 2;
  /// Scale values to [0, 1]: `value_range`, or else the least and the greatest value.
  TAPER_ARG(bool, normalize) = false;
  /// What normalize() takes for 0 and 1; values outside are cut off. None: the least and greatest.
  TAPER_ARG(optional<Range>, value_range) = nullopt;
  /// Scale each image by itself.
  TAPER_ARG(bool, scale_each) = false;
  /// The value of the padding.
  TAPER_ARG(double, pad_value) = 0;
};

/// Images [N, C, H, W] as one [C', rows * (H + padding) + padding, columns * (W + padding) +
/// padding], in the dtype of `images`, row by row; C' is 3 where C is 1. [C, H, W] is one image,
/// [H, W] one of one channel; a single image gets no padding. Throws ValueError for other
/// dimensions, no image, `nrow` below 1, negative padding, an empty range.
Tensor make_grid(const Tensor& images, const ImageGridOptions& options = {});

/// A PNG file's bytes of an image [C, H, W] with 1 (grey), 3 (RGB) or 4 (RGBA) channels: uint8, or
/// floating with values in [0, 1], which are rounded to the nearest of 256 steps and cut off
/// outside. Throws ValueError for other sizes and dtypes; Error in a build without libpng.
std::string encode_png(const Tensor& image);

/// A GIF file's bytes of frames [T, C, H, W] with 1 (grey) or 3 (RGB) channels, uint8 or floating
/// as for encode_png, `fps` of them a second (a frame lasts whole hundredths), again and again. A
/// frame keeps up to 256 colors as they are; more are cut down to 256 that are near them. Throws
/// ValueError for other sizes and dtypes, and unless 0 < `fps` <= 100.
std::string encode_gif(const Tensor& frames, double fps);

/// Writes make_grid(images) to a PNG file. Throws Error where it cannot be written.
void save_image(const Tensor& images, const std::string& path,
                const ImageGridOptions& options = {});

}  // namespace torch::taper::utils

#pragma GCC visibility pop
