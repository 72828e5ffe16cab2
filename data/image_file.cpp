// Image files, read by libpng and libjpeg.
#include <taper/data/image_file.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include <taper/data/byte_images.h>
#include <taper/framework/io/bytes.h>

namespace torch::taper::data {

// ---------------------------------------------------------------------- image_file
namespace {

bool starts_with(std::string_view bytes, std::string_view start) {
  return bytes.substr(0, start.size()) == start;
}

}  // namespace

namespace detail {

DecodedImage image_of(int64_t height, int64_t width, const std::string& name) {
  TAPER_CHECK(height > 0 && width > 0 && height <= kMaxPixels / width, name,
              ": expected an image of 1 to ", kMaxPixels, " pixels, got ", height, " x ", width);
  return {height, width, taper::detail::make_tensor({height, width, 3}, kByte, Device(kCPU))};
}

}  // namespace detail

Tensor decode_image(std::string_view bytes, const std::string& name) {
  const bool png = starts_with(bytes, "\x89PNG\r\n\x1a\n"), jpeg = starts_with(bytes, "\xff\xd8");
  TAPER_CHECK(png || jpeg, name, ": expected a PNG or JPEG image, got something else");
  const detail::DecodedImage image =
      png ? detail::decode_png(bytes, name) : detail::decode_jpeg(bytes, name);
  return image.pixels.permute({2, 0, 1}).contiguous();
}

Tensor read_image(const std::string& path) {
  const char* const why = serialize::detail::why_not_regular(path);
  TAPER_CHECK(!why, path, ": cannot be opened: ", why);
  std::ifstream in(path, std::ios::binary);
  TAPER_CHECK(in, path, ": cannot be opened: ", std::strerror(errno));
  in.seekg(0, std::ios::end);
  const int64_t size = in.tellg();
  TAPER_CHECK(size >= 0, path, ": cannot be read");
  std::string bytes(static_cast<size_t>(size), '\0');
  in.seekg(0);
  TAPER_CHECK(in.read(bytes.data(), size), path, ": cannot be read");
  return decode_image(bytes, path);
}

// ---------------------------------------------------------------------- byte_images
Example<> ByteImages::gather(const char* name, ArrayRef<size_t> indices,
                             ImageNumbers numbers) const {
  taper::detail::check_not_capturing(name, Device());
  const auto count = static_cast<size_t>(images.size(0));
  for (size_t i : indices)
    TAPER_CHECK_INDEX(i < count, name, ": expected an index below ", count, ", got ", i);
  Dims sizes = images.sizes();
  sizes[0] = static_cast<int64_t>(indices.size());
  Tensor data = taper::detail::make_tensor(sizes, kFloat, Device(kCPU));
  Tensor target = taper::detail::make_tensor({sizes[0]}, kLong, Device(kCPU));
  TAPER_ON_DEVICE(data, gather_images, data, images, indices.data(), numbers);
  const int64_t* from = targets.data_ptr<int64_t>();
  int64_t* to = target.data_ptr<int64_t>();
  for (size_t i = 0; i < indices.size(); ++i) to[i] = from[indices[i]];
  return {std::move(data), std::move(target)};
}

}  // namespace torch::taper::data

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

#if TAPER_WITH_JPEG
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>
#endif

namespace torch::taper::data::detail {

#if TAPER_WITH_JPEG

namespace {

/// Decodes a file with libjpeg. libjpeg reports an error by a call that must not return, so that
/// call jumps back to `start`. No object with a destructor may live between the two.
struct Decoder {
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  std::jmp_buf start;
  char message[JMSG_LENGTH_MAX];

  static Decoder& of(j_common_ptr jpeg) { return *static_cast<Decoder*>(jpeg->client_data); }
  static void fail(j_common_ptr jpeg) {
    Decoder& d = of(jpeg);
    jpeg->err->format_message(jpeg, d.message);
    std::longjmp(d.start, 1);
  }
  /// Fails for a file that ends too soon, which is only a warning to libjpeg.
  static void warn(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) fail(jpeg);
  }

  Decoder() : jpeg(), errors(), message() {
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = &fail;
    errors.emit_message = &warn;
    jpeg.client_data = this;
  }
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
  Decoder(const Decoder&) = delete;

  bool read_header(const unsigned char* bytes, size_t nbytes) {
    if (setjmp(start)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg.client_data = this;
    jpeg_mem_src(&jpeg, const_cast<unsigned char*>(bytes), static_cast<unsigned long>(nbytes));
    jpeg_read_header(&jpeg, TRUE);
    // libjpeg converts all color spaces except CMYK.
    const bool four = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
    jpeg.out_color_space = four ? JCS_CMYK : JCS_RGB;
    jpeg_calc_output_dimensions(&jpeg);
    return true;
  }
  bool read_rows(unsigned char* pixels) {
    if (setjmp(start)) return false;
    jpeg_start_decompress(&jpeg);
    const size_t step =
        static_cast<size_t>(jpeg.output_width) * static_cast<size_t>(jpeg.output_components);
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = pixels + jpeg.output_scanline * step;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
  }
};

/// Converts CMYK to RGB, in-place in the first three of four bytes. Adobe's programs store the
/// complement.
void cmyk_to_rgb(unsigned char* pixels, int64_t count, bool complement) {
  for (int64_t i = 0; i < count; ++i) {
    unsigned char* p = pixels + 4 * i;
    const auto light = [&](unsigned char v) { return complement ? v : 255 - v; };
    const int k = light(p[3]);
    for (int c = 0; c < 3; ++c) p[c] = static_cast<unsigned char>((light(p[c]) * k + 127) / 255);
  }
}

}  // namespace

DecodedImage decode_jpeg(std::string_view bytes, const std::string& name) {
  Decoder d;
  const auto check = [&](bool ok) {
    TAPER_CHECK(ok, name, ": cannot be decoded as JPEG: ", static_cast<const char*>(d.message));
  };
  check(d.read_header(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  DecodedImage image = image_of(d.jpeg.output_height, d.jpeg.output_width, name);
  if (d.jpeg.out_color_space == JCS_RGB) {
    check(d.read_rows(image.pixels.data_ptr<uint8_t>()));
    return image;
  }
  const Tensor whole =
      taper::detail::make_tensor({image.height, image.width, 4}, kByte, Device(kCPU));
  check(d.read_rows(whole.data_ptr<uint8_t>()));
  cmyk_to_rgb(whole.data_ptr<uint8_t>(), image.height * image.width, d.jpeg.saw_Adobe_marker);
  image.pixels = whole.narrow(2, 0, 3);
  return image;
}

#else

DecodedImage decode_jpeg(std::string_view, const std::string& name) {
  TAPER_CHECK(false, name,
              ": a JPEG image, but Taper was built without libjpeg; install its package ",
              "(libjpeg-dev or libjpeg-turbo) and build Taper again");
}

#endif

}  // namespace torch::taper::data::detail
