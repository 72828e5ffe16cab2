#include <taper/data/image_file.h>

#if TAPER_WITH_PNG
#include <png.h>

#include <memory>
#endif

namespace torch::taper::data::detail {

#if TAPER_WITH_PNG

namespace {

// Deflate expands one byte to at most 1032 bytes.
constexpr int64_t kMaxRatio = 1032;

uint32_t number_at(std::string_view bytes, size_t at) {
  uint32_t v = 0;
  for (size_t i = at; i < at + 4; ++i) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}

/// Throws Error if a chunk is longer than the rest of the file, because libpng would allocate its
/// memory before it checks. A chunk is its length, a name, the bytes and a checksum. Length, name
/// and checksum have four bytes each.
void check_chunks(std::string_view bytes, const std::string& name) {
  constexpr size_t kSignature = 8, kHead = 8, kFrame = 12;
  for (size_t at = kSignature; at + kHead <= bytes.size();) {
    const size_t length = number_at(bytes, at), left = bytes.size() - at - kHead;
    TAPER_CHECK(length <= left, name, ": cannot be decoded as PNG: a chunk of ", length,
                " bytes where ", left, " are left: the file is cut or damaged");
    if (bytes.substr(at + 4, 4) == "IEND") return;
    at += kFrame + length;
  }
}

/// Returns the largest number of rows that the file can hold. libpng has read the first chunk.
/// Bytes 24 and 25 of the file give the bits of a channel and the channels of a pixel.
int64_t most_rows(std::string_view bytes, int64_t width) {
  const int64_t depth = bytes[24], color = bytes[25];
  const int64_t channels = (color == 2 || color == 6 ? 3 : 1) + (color == 4 || color == 6 ? 1 : 0);
  const int64_t nbytes_of_row = 1 + (width * channels * depth + 7) / 8;
  return kMaxRatio * static_cast<int64_t>(bytes.size()) / nbytes_of_row;
}

}  // namespace

DecodedImage decode_png(std::string_view bytes, const std::string& name) {
  check_chunks(bytes, name);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> freed(&png, &png_image_free);
  const auto check = [&](int ok) {
    TAPER_CHECK(ok, name, ": cannot be decoded as PNG: ", static_cast<const char*>(png.message));
  };
  check(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()));
  // Check before allocating memory that the file cannot fill.
  TAPER_CHECK(png.height <= most_rows(bytes, png.width), name, ": expected ", png.height, " x ",
              png.width, " pixels, got a PNG file of ", bytes.size(),
              " bytes, which cannot hold them: it is cut or damaged");
  DecodedImage image = image_of(png.height, png.width, name);
  // Read with transparency and drop it. Without it, libpng would blend with a background.
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

}  // namespace torch::taper::data::detail
