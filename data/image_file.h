// Image files: PNG and JPEG.
#pragma once

#include <string>
#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// The pixels of a PNG or JPEG file, recognised by its first bytes: uint8 [3, H, W], red, green,
/// blue, as Pillow's `convert("RGB")` gives them (transparency is dropped, grey repeated; 16 bits
/// become 8). Throws Error, with `name` or the path, for a file that is cut, damaged, of more than
/// 178,956,970 pixels or of another format, and where Taper was built without libpng or libjpeg.
Tensor decode_image(std::string_view bytes, const std::string& name = "image");
/// The same for a file, read as a whole. Throws Error, which names the path, also where the file is
/// missing or no regular file.
Tensor read_image(const std::string& path);

namespace detail {

constexpr int64_t kMaxPixels = 178956970;  // Pillow's limit

/// What a decoder gives: rows of pixels, red, green, blue.
struct DecodedImage {
  int64_t height, width;
  Tensor pixels;  // uint8 [H, W, 3]
};
DecodedImage decode_png(std::string_view bytes, const std::string& name);
DecodedImage decode_jpeg(std::string_view bytes, const std::string& name);
/// Memory for an image of that size. Throws for one that is too large.
DecodedImage image_of(int64_t height, int64_t width, const std::string& name);

}  // namespace detail
}  // namespace torch::taper::data

#pragma GCC visibility pop
