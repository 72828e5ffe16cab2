// Makes a grid of images, PNG files of images, and GIF files of animations.
#pragma once

#include <string>
#include <utility>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// Options of torchvision's make_grid, with its defaults.
struct ImageGridOptions {
  /// A least and a greatest value.
  using Range = std::pair<double, double>;
  /// Number of images in each row of the grid.
  TAPER_ARG(int64_t, nrow) = 8;
  /// Number of pixels between images and around the grid.
  TAPER_ARG(int64_t, padding) = 2;
  /// Whether to map `value_range` linearly to [0, 1].
  TAPER_ARG(bool, normalize) = false;
  /// The two values that `normalize` maps to 0 and 1. Values outside this range are clipped. The
  /// default is the least and the greatest value of the images.
  TAPER_ARG(optional<Range>, value_range) = nullopt;
  /// Whether `normalize` scales each image separately, with its least and greatest value.
  TAPER_ARG(bool, scale_each) = false;
  /// The value of the pixels between and around images.
  TAPER_ARG(double, pad_value) = 0;
};

/// Arranges images [N, C, H, W] row by row as one image [C', rows * (H + padding) + padding,
/// columns * (W + padding) + padding], in the dtype of `images`. C' is 3 if C is 1, and C
/// otherwise. [C, H, W] is one image, and [H, W] is one image with one channel. A single image gets
/// no padding. Throws ValueError for other numbers of dimensions, for no images, for `nrow` below
/// 1, for negative padding, and for an empty `value_range`.
Tensor make_grid(const Tensor& images, const ImageGridOptions& options = {});

/// Returns the bytes of a PNG file of an image [C, H, W] with 1 (grey), 3 (RGB) or 4 (RGBA)
/// channels. Its dtype is uint8, or floating. Floating values in [0, 1] are rounded to one of 256
/// levels. Values outside [0, 1] are clipped. Throws ValueError for other sizes and dtypes, and
/// Error in a build without libpng.
std::string encode_png(const Tensor& image);

/// Returns the bytes of a GIF file of T frames [T, C, H, W] with 1 (grey) or 3 (RGB) channels.
/// Dtypes and values are as in encode_png. The animation repeats, with `fps` frames per second. The
/// time of a frame is rounded to hundredths of a second. If a frame has more than 256 colors, they
/// are replaced by 256 similar colors. Throws ValueError for other sizes and dtypes, and unless 0 <
/// `fps` <= 100.
std::string encode_gif(const Tensor& frames, double fps);

/// Writes make_grid(images) to a PNG file. Throws Error if the file cannot be written.
void save_image(const Tensor& images, const std::string& path,
                const ImageGridOptions& options = {});

}  // namespace torch::taper::utils

#pragma GCC visibility pop
