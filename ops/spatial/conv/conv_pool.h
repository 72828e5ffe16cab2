// Computes max_pool2d(relu(conv2d(x)), 2) of few channels in one pass. Its gradients are in
// conv_pool_gradient.h. Part of conv_direct_cpu.cpp. Not installed.
//
// Separate ops would make three passes over the convolution's result. Each pass would take about as
// long as the few products. Here the four results of a window are compared in registers. Only the
// largest result is written. A byte holds its position, or kNoGradient if the relu passes no
// gradient. Three of four elements of the gradient of the convolution's result are zero. They are
// never computed. The gradient of the weight sums one patch per window. The gradient of the input
// sums one kernel per window.
//
// Milliseconds of a LeNet step of 128 images, with one thread of a Zen 4:
//
//           PyTorch 2.15   three ops   this code
//   f32             12.4         5.5        2.15
//   bf16            13.5         5.7        1.47
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/isa.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_direct.h>
#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cpu::pooled {

/// The code of a window without a gradient. Other codes are positions in the window, as in
/// max_pool2d.
constexpr uint8_t kNoGradient = 4;
/// kLaneChannels is the largest number of channels that windows_in_lanes computes together.
/// kLaneWindows is the largest number of windows that channels_in_lanes computes together.
constexpr int64_t kLaneChannels = 6, kLaneWindows = 5;
/// The most vectors in a row of a patch. A row holds all channels.
constexpr int64_t kMostVectors = 5;
/// The most vectors in a patch of PairPatches. Its rows of words (bf16) are adjacent.
constexpr int64_t kMostPatchVectors = 12;
/// The number of elements that may be read or written after an image, or after a list of windows.
constexpr int64_t kSlack = 16 * kMostVectors;
/// The number of bytes of images that share a list of windows. These images stay in L1.
constexpr int64_t kImageBytes = 24 << 10;
/// The number of patches that are added together. Lists of patches are filled up to a multiple of
/// kPatchStep.
constexpr int64_t kPatchStep = 8;
/// The least number of multiply-adds for which a thread is woken.
constexpr int64_t kThreadWork = 1 << 19;

// ---------------------------------------------------------------------- loops
/// The operands of windows_in_lanes: up to 16 windows of a row. Elements of the image are floats,
/// or words of bf16. Adjacent words are multiplied by pairs of weights.
template <class X, class W>
struct WindowTile {
  const X* x;
  const W* weights;
  const float* bias;
  int64_t channels, plane, row;  ///< channels, and elements of a plane and of a row of the image
  int64_t odd;                   ///< offset of a row's odd columns, for floats
  float* y;
  uint8_t* codes;
  int64_t windows;  ///< number of windows of a plane of results
  int width;        ///< number of windows of this tile
};
/// The operands of channels_in_lanes: up to kLaneWindows windows of a row, for 16 channels. A step
/// is one kernel element, or one pair of them. Elements are floats, or pairs of bf16.
template <class X, class W>
struct ChannelTile {
  const X* x;
  const W* weights;
  const float* bias;
  const int32_t* elements;  ///< offset of the element of each step in a patch
  int64_t steps, row;
  float* y;
};
/// The operands of add_column: what a column of results adds to the gradient of a channels-last
/// image.
template <class X>
struct GradientColumn {
  float* x;  ///< the first pixel of the column's first patch
  int64_t row, elements;
  const X* weights;          ///< one kernel per channel, in rows of whole vectors
  const uint32_t* channels;  ///< one bit per channel: has a gradient in the upper row of a window
  int64_t below;             ///< offset of the bits for the lower row
  const X* g;
  int64_t windows, wide, high, out_channels;
};
/// A permutation of the words of a row. Vector v of the result takes words from several source
/// vectors. Source s starts at offsets[s]. It provides the words whose bits are set in lanes[s].
/// `places` holds the position of each word in its source vector.
struct WordOrder {
  int64_t vectors;
  const uint16_t* places;
  const int32_t* sources;  ///< vector v uses sources[v] to sources[v + 1]
  const uint32_t* lanes;
  const int32_t* offsets;
};
/// The operands of spread_rows, which copies the rows of all patches of a channels-last image. A
/// row of a patch has `elements` words, and its copies are `pitch` words apart. Patches start in
/// `columns` columns. The image has `rows` rows of `row` words.
struct PatchRows {
  const uint16_t* x;
  int64_t channels, row, rows;
  int64_t elements, columns, pitch;
};

}  // namespace torch::taper::cpu::pooled

#if TAPER_ISA_VARIANTS()
TAPER_BEGIN_TARGET(TAPER_AVX512_FEATURES)
#define TAPER_ISA avx512
#include <taper/ops/spatial/conv/conv_pool_isa.inc>
#undef TAPER_ISA
TAPER_END_TARGET

TAPER_BEGIN_TARGET(TAPER_AVX512BF16_FEATURES)
#include <taper/ops/spatial/conv/conv_pool_pairs.inc>
TAPER_END_TARGET

namespace torch::taper::cpu::pooled {

// ---------------------------------------------------------------------- shapes
inline int64_t filled(int64_t n) { return (n + 15) / 16 * 16; }
/// Returns the fraction of lanes that compute results, for n results.
inline double used_lanes(int64_t n) {
  return static_cast<double>(n) / static_cast<double>(filled(n));
}

/// A convolution's shape, with the sizes of padded images and of its windows.
struct Shape {
  ConvShape s, p;  ///< s as given, p with zeros around the images

  explicit Shape(const ConvShape& shape) : s(shape), p(with_margins(shape)) {}
  int64_t kernel() const { return s.kernel[1]; }
  int64_t high() const { return s.out[1] / 2; }
  int64_t wide() const { return s.out[2] / 2; }
  int64_t windows() const { return high() * wide(); }
  int64_t row_elements() const { return s.kernel[2] * s.in_channels; }
  int64_t row_vectors() const { return filled(row_elements()) / 16; }
  int64_t x_numel() const { return s.in_channels * s.in_pixels(); }
  int64_t y_numel() const { return s.out_channels * windows(); }
  /// Returns the offset of a pixel in a channels-last image.
  int64_t pixel(int64_t h, int64_t w) const { return (h * p.in[2] + w) * s.in_channels; }
  int64_t first_pixel() const { return pixel(s.steps.padding[1], s.steps.padding[2]); }
  int64_t padded_numel() const { return s.in_channels * p.in_pixels(); }
  int64_t work() const { return s.out_channels * s.depth() * s.out_pixels(); }
  int64_t grain() const { return std::max<int64_t>(1, kThreadWork / work()); }
  bool has_windows_in_lanes() const { return used_lanes(wide()) >= used_lanes(s.out_channels); }
};

inline bool is_flat(const ConvShape& s) {
  return s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.steps.padding[0] == 0;
}
/// Tests whether this code computes s: kernels of 3 x 3 or 5 x 5 with stride 1 over few channels.
inline bool takes(const ConvShape& s) {
  const ConvSteps& c = s.steps;
  const int64_t k = s.kernel[1];
  if (best_isa != Isa::kAvx512 || !is_flat(s) || s.groups != 1) return false;
  if ((k != 3 && k != 5) || s.kernel[2] != k || s.in_channels >= 16 || s.out_channels > 256)
    return false;
  for (int d = 1; d < 3; ++d)
    if (c.stride[d] != 1 || c.dilation[d] != 1 || s.out[d] % 2 != 0) return false;
  const Shape shape(s);
  return shape.row_vectors() <= kMostVectors && shape.padded_numel() < INT32_MAX / 64 &&
         std::max(used_lanes(s.out_channels), used_lanes(shape.wide())) > 0.6;
}

// ---------------------------------------------------------------------- images
/// Returns `n` numbers as floats: the numbers themselves, or a copy at `to`.
template <class T>
const float* as_floats(float* to, const T* from, int64_t n) {
  if constexpr (std::is_same_v<T, float>) return from;
  if constexpr (!std::is_same_v<T, float>) widen(to, from, n);
  return to;
}
/// Copies n floats to a tensor and rounds them to its dtype. May read up to 31 floats after the
/// last one of `from`.
inline void deliver(float* to, const float* from, int64_t n) {
  std::memcpy(to, from, sizeof(float) * n);
}
inline void deliver(BFloat16* to, const float* from, int64_t n) {
  if (multiplies_pairs)
    avx512bf16::round_words(reinterpret_cast<uint16_t*>(to), from, n);
  else
    narrow(to, from, n);
}

/// A buffer for an image that is surrounded by zeros.
template <class T>
class Padded {
 public:
  explicit Padded(const Shape& f) : f_(f), image_(f.padded_numel() + kSlack) {
    std::memset(image_.get(), 0, sizeof(T) * (f.padded_numel() + kSlack));
  }
  T* get() const { return image_.get(); }
  const T* copy(const T* x) const {
    constexpr int64_t size = sizeof(T);
    const int64_t row = size * f_.s.in[2];
    T* to = image_.get() + f_.s.steps.padding[1] * f_.p.in[2] + f_.s.steps.padding[2];
    for (int64_t c = 0; c < f_.s.in_channels; ++c, to += f_.p.in_pixels(), x += f_.s.in_pixels())
      avx512::copy_rows(to, size * f_.p.in[2], x, row, row, f_.s.in[1]);
    return image_.get();
  }

 private:
  Shape f_;
  Scratch<T> image_;
};

/// Copies the rows of a padded image. In each copied row, the even columns are first, and the odd
/// columns start at `half`.
inline void part_columns(float* to, int64_t half, const float* padded, const Shape& f) {
  const int64_t rows = f.s.in_channels * f.p.in[1], width = f.p.in[2];
  for (int64_t r = 0; r < rows; ++r, to += 2 * half, padded += width) {
    for (int64_t i = 0; 2 * i < width; ++i) to[i] = padded[2 * i];
    for (int64_t i = 0; 2 * i + 1 < width; ++i) to[half + i] = padded[2 * i + 1];
  }
}

// ---------------------------------------------------------------------- forward
/// The number of adjacent channels and columns of a kernel that one instruction multiplies.
struct Neighbours {
  int64_t channels = 1, columns = 1;
};

/// The arithmetic of a convolution. X is an element of an image. W is the element of the packed
/// weights that is multiplied by it.
struct ByFloats {
  using X = float;
  using W = float;
  static Neighbours neighbours(const Shape&) { return {}; }
  static W join(const float* w, int64_t) { return *w; }
  static const W* join_image(W*, const float* padded, const Shape&) { return padded; }
  static void windows(int64_t kernel, int64_t channels, const WindowTile<X, W>& t) {
    avx512::windows_in_lanes(kernel, channels, t);
  }
  static void channels(int64_t windows, const ChannelTile<W, W>& t) {
    avx512::channels_in_lanes(windows, t);
  }
};
struct ByPairs {
  using X = uint16_t;
  using W = uint32_t;
  /// Returns the pairing that needs fewer steps. With windows in lanes, pairs are columns, because
  /// columns are adjacent in memory.
  static Neighbours neighbours(const Shape& f) {
    const int64_t c = f.s.in_channels, k = f.kernel();
    const bool channels = !f.has_windows_in_lanes() && (c + 1) / 2 * k <= c * ((k + 1) / 2);
    return channels ? Neighbours{2, 1} : Neighbours{1, 2};
  }
  /// Packs the weight at w and the weight `second` elements after it into one word. If `second` is
  /// 0, packs only the weight at w.
  static W join(const uint16_t* w, int64_t second) {
    return w[0] | (second ? static_cast<W>(w[second]) << 16 : 0);
  }
  static const W* join_image(W* to, const uint16_t* padded, const Shape& f) {
    const Neighbours pair = neighbours(f);
    const int64_t channels = f.s.in_channels, pixels = f.p.in_pixels();
    const auto* const x = reinterpret_cast<const BFloat16*>(padded);
    for (int64_t c = 0; c < channels; c += pair.channels) {
      const BFloat16 *const first = x + c * pixels, *const below = first + pixels;
      const BFloat16* const second = pair.columns == 2  ? first + 1
                                     : c + 1 < channels ? below
                                                        : nullptr;
      join_pairs(to + c / pair.channels * pixels, first, second, pixels);
    }
    return to;
  }
  static void windows(int64_t kernel, int64_t channels, const WindowTile<X, W>& t) {
    avx512bf16::windows_in_lanes(kernel, channels, t);
  }
  static void channels(int64_t windows, const ChannelTile<W, W>& t) {
    avx512bf16::channels_in_lanes(windows, t);
  }
};

/// T is the type of the tensors. x and w have type By::X.
template <class T, class By>
class Forward {
  using X = typename By::X;
  using W = typename By::W;

 public:
  Forward(T* y, uint8_t* codes, const X* x, const X* w, const T* b, const Shape& f)
      : f_(f),
        pair_(By::neighbours(f)),
        y_(y),
        codes_(codes),
        x_(x),
        wide_(filled(f.s.out_channels)),
        weights_(wide_ * steps()),
        bias_(wide_),
        elements_(steps()) {
    f.has_windows_in_lanes() ? pack_groups(w) : pack_lanes(w);
    std::fill_n(bias_.get(), wide_, 0.0f);
    for (int64_t m = 0; b && m < f.s.out_channels; ++m) bias_[m] = static_cast<float>(b[m]);
    int32_t* to = elements_.get();
    for (int64_t c = 0; c < planes(); ++c)
      for (int64_t r = 0; r < f.kernel(); ++r)
        for (int64_t i = 0; i < f.kernel(); i += pair_.columns)
          *to++ = static_cast<int32_t>((c * f.p.in[1] + r) * f.p.in[2] + i);
  }

  void run() const {
    parallel_for(0, f_.s.batch, f_.grain(), [this](int64_t i, int64_t end) { images(i, end); });
  }

 private:
  static constexpr bool kFloats = std::is_same_v<T, float>, kByFloats = std::is_same_v<X, float>;

  int64_t half() const { return f_.p.in[2] / 2 + 1; }
  int64_t planes() const { return (f_.s.in_channels + pair_.channels - 1) / pair_.channels; }
  int64_t steps_of_row() const { return (f_.kernel() + pair_.columns - 1) / pair_.columns; }
  int64_t steps() const { return planes() * f_.kernel() * steps_of_row(); }
  /// Returns the size of the channel group that starts at m. Groups are nearly equal.
  int64_t group(int64_t m) const {
    const int64_t n = f_.s.out_channels, groups = (n + kLaneChannels - 1) / kLaneChannels;
    const int64_t least = n / groups, more = n % groups;
    return m < more * (least + 1) ? least + 1 : least;
  }
  /// Returns the weight, or the pair of weights, of output channel m at a step.
  W weight(const X* w, int64_t m, int64_t step) const {
    if (m >= f_.s.out_channels) return 0;
    const int64_t k = f_.kernel(), row = step / steps_of_row();
    const int64_t column = step % steps_of_row() * pair_.columns;
    const int64_t channel = row / k * pair_.channels;
    int64_t second = 0;
    if (pair_.columns == 2 && column + 1 < k) second = 1;
    if (pair_.channels == 2 && channel + 1 < f_.s.in_channels) second = k * k;
    return By::join(w + m * f_.s.depth() + (channel * k + row % k) * k + column, second);
  }
  void pack_groups(const X* w) {
    W* to = weights_.get();
    for (int64_t m = 0; m < f_.s.out_channels; m += group(m))
      for (int64_t k = 0; k < steps(); ++k)
        for (int64_t i = 0; i < group(m); ++i) *to++ = weight(w, m + i, k);
  }
  void pack_lanes(const X* w) {
    W* to = weights_.get();
    for (int64_t m = 0; m < wide_; m += 16)
      for (int64_t k = 0; k < steps(); ++k)
        for (int64_t i = m; i < m + 16; ++i) *to++ = weight(w, i, k);
  }

  void images(int64_t i, int64_t end) const {
    const bool lanes = f_.has_windows_in_lanes();
    const int64_t rows = f_.s.in_channels * f_.p.in[1];
    const Padded<X> images(f_);
    const Scratch<float> parted(lanes && kByFloats ? rows * 2 * half() + kSlack : 0);
    const Scratch<W> joined(lanes || kByFloats ? 0 : planes() * f_.p.in_pixels());
    const Scratch<float> pairs(lanes ? 0 : f_.windows() * 32);
    const Scratch<float> turned(lanes ? 0 : 32 * filled(f_.windows()) + kSlack);
    const Scratch<float> results(lanes && !kFloats ? f_.y_numel() + kSlack : 0);
    for (; i < end; ++i) {
      const X* const x = images.copy(x_ + i * f_.x_numel());
      T* const y = y_ + i * f_.y_numel();
      uint8_t* const codes = codes_ + i * f_.y_numel();
      if (!lanes) {
        by_channels(y, codes, By::join_image(joined.get(), x, f_), pairs.get(), turned.get());
        continue;
      }
      float* to = results.get();
      if constexpr (kFloats) to = y;
      if constexpr (kByFloats) {
        part_columns(parted.get(), half(), x, f_);
        by_windows(to, codes, parted.get(), 2 * half(), 1);
      } else {
        by_windows(to, codes, x, f_.p.in[2], 2);
      }
      if constexpr (!kFloats) deliver(y, to, f_.y_numel());
    }
  }

  /// Computes results from the image x, whose rows have `row` elements. Windows of a row are `step`
  /// elements apart.
  void by_windows(float* y, uint8_t* codes, const X* x, int64_t row, int64_t step) const {
    const int64_t windows = f_.windows();
    for (int64_t m = 0; m < f_.s.out_channels; m += group(m))
      for (int64_t h = 0; h < f_.high(); ++h)
        for (int64_t w = 0; w < f_.wide(); w += 16) {
          const int64_t to = m * windows + h * f_.wide() + w;
          const int width = static_cast<int>(std::min<int64_t>(16, f_.wide() - w));
          By::windows(f_.kernel(), group(m),
                      {x + 2 * h * row + step * w, weights_.get() + m * steps(), bias_.get() + m,
                       f_.s.in_channels, f_.p.in[1] * row, row, half(), y + to, codes + to, windows,
                       width});
        }
  }

  void by_channels(T* y, uint8_t* codes, const W* x, float* pairs, float* turned) const {
    const int64_t windows = f_.windows(), ld = filled(windows), width = f_.p.in[2];
    for (int64_t m = 0; m < f_.s.out_channels; m += 16) {
      for (int64_t h = 0; h < f_.high(); ++h)
        for (int64_t w = 0; w < f_.wide(); w += kLaneWindows)
          By::channels(std::min(kLaneWindows, f_.wide() - w),
                       {x + 2 * h * width + 2 * w, weights_.get() + m * steps(), bias_.get() + m,
                        elements_.get(), steps(), width, pairs + (h * f_.wide() + w) * 32});
      transpose_panel(turned, ld, pairs, 32, windows, 32);
      for (int64_t i = 0; i < std::min<int64_t>(16, f_.s.out_channels - m); ++i) {
        deliver(y + (m + i) * windows, turned + i * ld, windows);
        avx512::to_bytes(codes + (m + i) * windows, turned + (16 + i) * ld, windows);
      }
    }
  }

  Shape f_;
  Neighbours pair_;
  T* y_;
  uint8_t* codes_;
  const X* x_;
  int64_t wide_;
  Scratch<W> weights_;
  Scratch<float> bias_;
  Scratch<int32_t> elements_;
};

inline void forward(float* y, uint8_t* codes, const float* x, const float* w, const float* b,
                    const Shape& f) {
  Forward<float, ByFloats>(y, codes, x, w, b, f).run();
}
/// Multiplies pairs of channels, or pairs of columns if all numbers are finite. The last column of
/// a kernel is paired with a zero. If an image element were infinite, its product with this zero
/// would be NaN. Without pairs, computes in floats.
inline void forward(BFloat16* y, uint8_t* codes, const BFloat16* x, const BFloat16* w,
                    const BFloat16* b, const Shape& f) {
  const int64_t numel = f.s.batch * f.x_numel(), weights = f.s.out_channels * f.s.depth();
  if (multiplies_pairs &&
      (ByPairs::neighbours(f).channels == 2 ||
       (avx512::finite_words(words_of(x), numel) && avx512::finite_words(words_of(w), weights))))
    return Forward<BFloat16, ByPairs>(y, codes, words_of(x), words_of(w), b, f).run();
  const Scratch<float> wide(numel + weights);
  widen(wide.get(), x, numel);
  widen(wide.get() + numel, w, weights);
  Forward<BFloat16, ByFloats>(y, codes, wide.get(), wide.get() + numel, b, f).run();
}

}  // namespace torch::taper::cpu::pooled

#else
namespace torch::taper::cpu::pooled {
inline bool takes(const ConvShape&) { return false; }
}  // namespace torch::taper::cpu::pooled
#endif
