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
