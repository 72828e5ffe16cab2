#include <taper/data/image_file.h>

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
