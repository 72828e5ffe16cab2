#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/check.h>
#include <taper/framework/io/safetensors.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/image_grid.h>

#if TAPER_WITH_PNG
#include <png.h>
#endif

namespace torch::taper::utils {

namespace {

// Converts an image to bytes on the CPU: values of [0, 1] become 256 steps.
Tensor bytes_of(const char* op, const Tensor& image) {
  TAPER_CHECK_VALUE(image.scalar_type() == kByte || image.is_floating_point(), op,
                    ": expected bytes or floats in [0, 1], got ", image.scalar_type());
  const NoGradGuard no_grad;
  const Tensor bytes = image.scalar_type() == kByte
                           ? image
                           : image.to(kFloat).mul(255).add(0.5).clamp(0, 255).to(kByte);
  return bytes.to(kCPU);
}

// Returns the image as contiguous bytes [H, W, C] on the CPU.
Tensor pixels_of(const Tensor& image) {
  TAPER_CHECK_VALUE(image.dim() == 3 && image.numel() > 0 &&
                        (image.size(0) == 1 || image.size(0) == 3 || image.size(0) == 4),
                    "encode_png: expected an image [C, H, W] of 1, 3 or 4 channels, got ",
                    image.sizes());
  return bytes_of("encode_png", image).permute({1, 2, 0}).contiguous();
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

// ---------------------------------------------------------------------- GIF
namespace {

using Color = std::array<uint8_t, 3>;

// Holds the colors of a frame, their counts, and the index (of at most 256) that stands for each.
struct Palette {
  std::vector<Color> colors;
  std::map<Color, uint8_t> index_of;
};
using Counted = std::pair<Color, int64_t>;

// Returns the channel in which colors differ most, and the difference.
std::pair<int, int> widest(const Counted* begin, const Counted* end) {
  std::pair<int, int> best{0, -1};
  for (int c = 0; c < 3; ++c) {
    const auto less = [c](auto& a, auto& b) { return a.first[size_t(c)] < b.first[size_t(c)]; };
    const auto [low, high] = std::minmax_element(begin, end, less);
    const int range = high->first[size_t(c)] - low->first[size_t(c)];
    if (range > best.second) best = {c, range};
  }
  return best;
}

Color mean_of(const Counted* begin, const Counted* end) {
  double sum[3] = {}, count = 0;
  for (const Counted* c = begin; c != end; ++c) {
    for (size_t i = 0; i < 3; ++i) sum[i] += double(c->first[i]) * double(c->second);
    count += double(c->second);
  }
  return {uint8_t(std::lround(sum[0] / count)), uint8_t(std::lround(sum[1] / count)),
          uint8_t(std::lround(sum[2] / count))};
}

// Keeps up to 256 colors unchanged. More colors are split into boxes. The widest box, weighted by
// its pixels, is split at the median of its widest channel (Heckbert, SIGGRAPH 1982).
Palette palette_of(const uint8_t* rgb, int64_t pixels) {
  std::map<Color, int64_t> counts;
  for (int64_t i = 0; i < pixels; ++i) ++counts[{rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]}];
  std::vector<Counted> all(counts.begin(), counts.end());
  struct Box {
    Counted *begin, *end;
    int64_t pixels;
    int channel, range;
  };
  const auto box_of = [](Counted* begin, Counted* end) {
    int64_t n = 0;
    for (const Counted* c = begin; c != end; ++c) n += c->second;
    const auto [channel, range] = widest(begin, end);
    return Box{begin, end, n, channel, range};
  };
  std::vector<Box> boxes = {box_of(all.data(), all.data() + all.size())};
  const auto weight = [](const Box& b) { return double(b.range) * std::sqrt(double(b.pixels)); };
  while (boxes.size() < 256) {
    const auto box = std::max_element(boxes.begin(), boxes.end(),
                                      [&](auto& a, auto& b) { return weight(a) < weight(b); });
    if (box->range == 0) break;
    const Box whole = *box;
    const auto c = size_t(whole.channel);
    std::sort(whole.begin, whole.end, [c](auto& a, auto& b) { return a.first[c] < b.first[c]; });
    Counted* middle = whole.begin;
    for (int64_t n = 0; middle + 1 < whole.end && n < whole.pixels / 2; ++middle)
      n += middle->second;
    *box = box_of(whole.begin, std::max(middle, whole.begin + 1));
    boxes.push_back(box_of(box->end, whole.end));
  }
  Palette palette;
  for (const Box& b : boxes) {
    for (const Counted* c = b.begin; c != b.end; ++c)
      palette.index_of[c->first] = uint8_t(palette.colors.size());
    palette.colors.push_back(mean_of(b.begin, b.end));
  }
  return palette;
}

void append_u16(std::string& to, int64_t n) {
  to += char(n & 255);
  to += char(n >> 8 & 255);
}

// Writes codes of growing width, lowest bit first, in blocks of at most 255 bytes.
class CodeWriter {
 public:
  explicit CodeWriter(std::string& out) : out_(out) {}
  void add(uint32_t code, int width) {
    bits_ |= code << count_;
    for (count_ += width; count_ >= 8; count_ -= 8, bits_ >>= 8) put(char(bits_ & 255));
  }
  void finish() {
    if (count_ > 0) put(char(bits_ & 255));
    flush();
    out_ += '\0';
  }

 private:
  void put(char byte) {
    block_ += byte;
    if (block_.size() == 255) flush();
  }
  void flush() {
    if (block_.empty()) return;
    out_ += char(block_.size());
    out_ += block_;
    block_.clear();
  }
  std::string& out_;
  std::string block_;
  uint32_t bits_ = 0;
  int count_ = 0;
};

// Appends 8-bit values in Lempel, Ziv and Welch's compression, as in appendix F of the GIF89a
// specification.
void append_compressed(std::string& out, const std::vector<uint8_t>& values) {
  constexpr uint32_t kClear = 256, kEnd = 257, kFirst = 258, kMost = 4096;
  constexpr uint16_t kNone = 0;  // no string of two values has the code 0
  std::vector<uint16_t> longer(size_t(kMost) * 256, kNone);  // [code of a string, the next value]
  CodeWriter codes(out);
  out += char(8);
  codes.add(kClear, 9);
  uint32_t next = kFirst, string = values[0];
  int width = 9;
  for (size_t i = 1; i < values.size(); ++i) {
    uint16_t& known = longer[string * 256 + values[i]];
    if (known != kNone) {
      string = known;
      continue;
    }
    codes.add(string, width);
    if (next < kMost) {
      if (next == uint32_t{1} << width) ++width;
      known = uint16_t(next++);
    } else {
      codes.add(kClear, width);
      std::fill(longer.begin(), longer.end(), kNone);
      next = kFirst;
      width = 9;
    }
    string = values[i];
  }
  codes.add(string, width);
  if (next == uint32_t{1} << width && width < 12) ++width;
  codes.add(kEnd, width);
  codes.finish();
}

void append_frame(std::string& gif, const uint8_t* rgb, int64_t width, int64_t height,
                  int64_t hundredths) {
  const Palette palette = palette_of(rgb, width * height);
  gif += std::string("\x21\xf9\x04\x04", 4);  // graphic control: the frame stays where it is
  append_u16(gif, hundredths);
  gif += std::string("\0\0\x2c\0\0\0\0", 7);  // image descriptor at (0, 0)
  append_u16(gif, width);
  append_u16(gif, height);
  gif += char(0x87);  // with 256 colors of its own
  for (size_t i = 0; i < 256; ++i)
    for (size_t c = 0; c < 3; ++c)
      gif += i < palette.colors.size() ? char(palette.colors[i][c]) : '\0';
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < width * height; ++i)
    values.push_back(palette.index_of.at({rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]}));
  append_compressed(gif, values);
}

}  // namespace

std::string encode_gif(const Tensor& frames, double fps) {
  TAPER_CHECK_VALUE(frames.defined() && frames.dim() == 4 && frames.numel() > 0 &&
                        (frames.size(1) == 1 || frames.size(1) == 3),
                    "encode_gif: expected frames [T, C, H, W] of 1 or 3 channels, got ",
                    frames.defined() ? frames.sizes() : IntArrayRef());
  TAPER_CHECK_VALUE(frames.size(2) < 65536 && frames.size(3) < 65536,
                    "encode_gif: expected at most 65535 rows and columns, got ", frames.sizes());
  TAPER_CHECK_VALUE(fps > 0 && fps <= 100, "encode_gif: expected fps above 0 and at most 100, got ",
                    fps);
  const int64_t T = frames.size(0), height = frames.size(2), width = frames.size(3);
  const Tensor pixels = bytes_of("encode_gif", frames)
                            .expand({T, 3, height, width})
                            .permute({0, 2, 3, 1})
                            .contiguous();
  std::string gif = "GIF89a";
  append_u16(gif, width);
  append_u16(gif, height);
  gif += std::string("\x70\0\0", 3);                                // no global colors
  gif += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);  // repeats forever
  const auto hundredths = std::min<int64_t>(std::lround(100 / fps), 65535);
  for (int64_t t = 0; t < T; ++t)
    append_frame(gif, pixels.data_ptr<uint8_t>() + t * height * width * 3, width, height,
                 hundredths);
  gif += '\x3b';
  return gif;
}

void save_image(const Tensor& images, const std::string& path, const ImageGridOptions& options) {
  const std::string bytes = encode_png(make_grid(images, options));
  namespace files = serialize::detail;
  files::write_file(path, [&](const files::Sink& sink) { sink(bytes.data(), bytes.size()); });
}

}  // namespace torch::taper::utils
