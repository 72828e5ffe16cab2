#include <taper/framework/check.h>
#include <taper/framework/grad_mode.h>
#include <taper/framework/io/safetensors.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/image_grid.h>

#if TAPER_WITH_PNG
#include <png.h>
#endif

namespace taper::utils {

namespace {

// [H, W, C] of bytes, on the CPU and contiguous.
Tensor pixels_of(const Tensor& image) {
  TAPER_CHECK_VALUE(image.dim() == 3 && image.numel() > 0 &&
                        (image.size(0) == 1 || image.size(0) == 3 || image.size(0) == 4),
                    "encode_png: expected an image [C, H, W] of 1, 3 or 4 channels, got ",
                    image.sizes());
  TAPER_CHECK_VALUE(image.scalar_type() == kByte || image.is_floating_point(),
                    "encode_png: expected bytes or floats in [0, 1], got ", image.scalar_type());
  const NoGradGuard no_grad;
  const Tensor bytes = image.scalar_type() == kByte
                           ? image
                           : image.to(kFloat).mul(255).add(0.5).clamp(0, 255).to(kByte);
  return bytes.permute({1, 2, 0}).to(kCPU).contiguous();
}

}  // namespace

#if TAPER_WITH_PNG

std::string encode_png(const Tensor& image) {
  const Tensor pixels = pixels_of(image);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(pixels.size(0));
  png.width = static_cast<png_uint_32>(pixels.size(1));
  const int64_t channels = pixels.size(2);
  png.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t nbytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(nbytes, '\0');
  const int ok = png_image_write_to_memory(&png, bytes.data(), &nbytes, 0,
                                           pixels.data_ptr<uint8_t>(), 0, nullptr);
  const std::string message = png.message;
  png_image_free(&png);
  TAPER_CHECK(ok, "encode_png: ", message);
  bytes.resize(nbytes);
  return bytes;
}

#else

std::string encode_png(const Tensor& image) {
  pixels_of(image);
  TAPER_CHECK(
      false,
      "encode_png: Taper was built without libpng; install its package (libpng-dev) and build "
      "Taper again");
}

#endif

void save_image(const Tensor& images, const std::string& path, const ImageGridOptions& options) {
  const std::string bytes = encode_png(make_grid(images, options));
  namespace files = serialize::detail;
  files::write_file(path, [&](const files::Sink& sink) { sink(bytes.data(), bytes.size()); });
}

}  // namespace taper::utils
