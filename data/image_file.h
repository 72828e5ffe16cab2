// Reading of image files: PNG and JPEG.
#pragma once

#include <string>
#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Decodes a PNG or JPEG file to uint8 [3, H, W], in the order red, green, blue. The first bytes of
/// the file determine the format. As in Pillow's `convert("RGB")`, transparency is dropped, grey is
/// repeated, and 16 bits become 8. Throws Error, which contains `name`, for a truncated or damaged
/// file, for more than 178,956,970 pixels, and for other formats. Also throws Error for a PNG if
/// Taper was built without libpng, and for a JPEG without libjpeg.
Tensor decode_image(std::string_view bytes, const std::string& name = "image");
/// Reads and decodes an image file. Throws Error, which contains the path, in the same cases, and
/// if the file is missing or not a regular file.
Tensor read_image(const std::string& path);

namespace detail {

constexpr int64_t kMaxPixels = 178956970;  // Pillow's limit

/// Holds the output of a decoder: rows of pixels, red, green, blue.
struct DecodedImage {
  int64_t height, width;
  Tensor pixels;  // uint8 [H, W, 3]
};
DecodedImage decode_png(std::string_view bytes, const std::string& name);
DecodedImage decode_jpeg(std::string_view bytes, const std::string& name);
/// Returns memory for an image of that size. Throws Error if it is too large.
DecodedImage image_of(int64_t height, int64_t width, const std::string& name);

}  // namespace detail
}  // namespace torch::taper::data

#pragma GCC visibility pop
