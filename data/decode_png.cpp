#include <taper/data/image_file.h>

#if TAPER_WITH_PNG
#include <png.h>

#include <memory>
#endif

namespace taper::data::detail {

#if TAPER_WITH_PNG

namespace {

// Deflate makes at most 1032 bytes of one.
constexpr int64_t kMaxRatio = 1032;

/// The most rows that the file can hold. libpng has read the file's first chunk, which says at
/// these places how many bits a channel has, and which channels a pixel.
int64_t most_rows(std::string_view bytes, int64_t width) {
  const int64_t depth = bytes[24], color = bytes[25];
  const int64_t channels = (color == 2 || color == 6 ? 3 : 1) + (color == 4 || color == 6 ? 1 : 0);
  const int64_t nbytes_of_row = 1 + (width * channels * depth + 7) / 8;
  return kMaxRatio * static_cast<int64_t>(bytes.size()) / nbytes_of_row;
}

}  // namespace

DecodedImage decode_png(std::string_view bytes, const std::string& name) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> freed(&png, &png_image_free);
  const auto check = [&](int ok) {
    TAPER_CHECK(ok, name, ": cannot be decoded as PNG: ", static_cast<const char*>(png.message));
  };
  check(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()));
  // Before memory is asked for that the file cannot fill.
  TAPER_CHECK(png.height <= most_rows(bytes, png.width), name, ": expected ", png.height, " x ",
              png.width, " pixels, got a PNG file of ", bytes.size(),
              " bytes, which cannot hold them: it is cut or damaged");
  DecodedImage image = image_of(png.height, png.width, name);
  // Read with transparency, which is then dropped: libpng alone would mix in a background.
  png.format = PNG_FORMAT_RGBA;
  const Tensor whole =
      taper::detail::make_tensor({image.height, image.width, 4}, kByte, Device(kCPU));
  check(png_image_finish_read(&png, nullptr, whole.data_ptr<uint8_t>(), 0, nullptr));
  image.pixels = whole.narrow(2, 0, 3);
  return image;
}

#else

DecodedImage decode_png(std::string_view, const std::string& name) {
  TAPER_CHECK(false, name,
              ": a PNG image, but Taper was built without libpng; install its package ",
              "(libpng-dev) and build Taper again");
}

#endif

}  // namespace taper::data::detail
