// max_pool2d(relu(conv2d(x)), 2) of few channels in one pass, with its gradients. Part of
// conv_direct_cpu.cpp. Not installed.
//
// Apart, each of the three passes over what the convolution gives costs about as much as the few
// products behind it. Here a window's four results are compared in registers: only the greatest is
// written, with a byte that says where it was, or that the relu lets no gradient through. Three of
// four gradients of the convolution's results are zero, and are never made: gradients of weights
// are sums of one patch for each window, those of inputs sums of one kernel for each.
//
// LeNet's step of 128 images, f32, one thread of a Zen 4 (PyTorch 2.15 12.4 ms): 5.5 ms by three
// ops each, 2.44 ms so, of which 1.7 ms are here: forwards 0.83 ms, the gradients of weights 0.52
// ms, of the input 0.42 ms. In bf16 5.7, 1.94 ms; products of pairs took 0.45 ms of the forwards.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/isa.h>
#include <taper/framework/cpu/narrow_rows.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/vec.h>
#include <taper/ops/spatial/conv_direct.h>
#include <taper/ops/spatial/conv_shape.h>

namespace taper::cpu::pooled {

/// Code of a window without a gradient; others are places in the window, as max_pool2d's.
constexpr uint8_t kNoGradient = 4;
/// Channels that windows_in_lanes computes together, windows that channels_in_lanes does.
constexpr int64_t kLaneChannels = 6, kLaneWindows = 5;
/// Vectors of a row of a patch, whose elements are those of all channels.
constexpr int64_t kMostVectors = 5;
/// Floats behind an image that may be read or written, and entries behind a list.
constexpr int64_t kSlack = 16 * kMostVectors;
/// Images whose windows are in one list: they stay in L1.
constexpr int64_t kImageFloats = 6144;
/// Multiply-adds for which a thread is worth waking.
constexpr int64_t kThreadWork = 1 << 19;

// ---------------------------------------------------------------------- loops
/// For up to 16 windows of a row. Elements of the image are floats, or words of bf16 that are
/// multiplied by pairs of weights.
template <class X, class W>
struct WindowTile {
  const X* x;
  const W* weights;
  const float* bias;
  int64_t channels, plane, row;  ///< of the image
  int64_t odd;                   ///< where a row's odd columns begin, of floats
  float* y;
  uint8_t* codes;
  int64_t windows;  ///< of a plane of results
  int width;        ///< windows of this tile
};
/// For up to kLaneWindows windows of a row, 16 channels.
template <class X, class W>
struct ChannelTile {
  const X* x;
  const W* weights;
  const float* bias;
  const int32_t* elements;  ///< where the steps' elements are in a patch
  int64_t steps, row;
  float* y;
};

}  // namespace taper::cpu::pooled

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,prefer-vector-width=512")
#define TAPER_ISA avx512
#include <taper/ops/spatial/conv_pool_isa.inc>
#undef TAPER_ISA
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512bf16,prefer-vector-width=512")
#include <taper/ops/spatial/conv_pool_pairs.inc>
#pragma GCC pop_options

namespace taper::cpu::pooled {

// ---------------------------------------------------------------------- shapes
inline int64_t filled(int64_t n) { return (n + 15) / 16 * 16; }
/// The share of lanes that compute results.
inline double used_lanes(int64_t n) {
  return static_cast<double>(n) / static_cast<double>(filled(n));
}

/// A convolution's shape with the sizes of images with margins, and of what its windows are.
struct Shape {
  ConvShape s, p;  ///< as given; with zeros around the images

  explicit Shape(const ConvShape& shape) : s(shape), p(with_margins(shape)) {}
  int64_t kernel() const { return s.kernel[1]; }
  int64_t high() const { return s.out[1] / 2; }
  int64_t wide() const { return s.out[2] / 2; }
  int64_t windows() const { return high() * wide(); }
  int64_t row_elements() const { return s.kernel[2] * s.in_channels; }
  int64_t row_vectors() const { return filled(row_elements()) / 16; }
  int64_t x_numel() const { return s.in_channels * s.in_pixels(); }
  int64_t y_numel() const { return s.out_channels * windows(); }
  int64_t padded_numel() const { return s.in_channels * p.in_pixels(); }
  int64_t work() const { return s.out_channels * s.depth() * s.out_pixels(); }
  int64_t grain() const { return std::max<int64_t>(1, kThreadWork / work()); }
  bool has_windows_in_lanes() const { return used_lanes(wide()) >= used_lanes(s.out_channels); }
};

inline bool is_flat(const ConvShape& s) {
  return s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.steps.padding[0] == 0;
}
/// Square kernels of 3 or 5 that go one by one over few channels.
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
/// `n` numbers as floats: themselves, or a copy at `to`.
template <class T>
const float* as_floats(float* to, const T* from, int64_t n) {
  if constexpr (std::is_same_v<T, float>) return from;
  if constexpr (!std::is_same_v<T, float>) widen(to, from, n);
  return to;
}
/// The same of floats that are written: where they are to be, and what brings them there.
template <class T>
float* floats_for(T* to, float* copy) {
  if constexpr (std::is_same_v<T, float>)
    return to;
  else
    return copy;
}
template <class T>
void deliver(T* to, const float* from, int64_t n) {
  if constexpr (!std::is_same_v<T, float>) narrow(to, from, n);
}

/// One image with zeros around it.
template <class T>
void pad(T* to, const T* x, const Shape& f) {
  const int64_t above = f.s.steps.padding[1], left = f.s.steps.padding[2], width = f.s.in[2];
  std::memset(to, 0, sizeof(T) * (f.padded_numel() + kSlack));
  for (int64_t c = 0; c < f.s.in_channels; ++c, to += f.p.in_pixels())
    for (int64_t h = 0; h < f.s.in[1]; ++h, x += width)
      std::memcpy(to + (h + above) * f.p.in[2] + left, x, sizeof(T) * width);
}

/// Its rows with their even columns first.
inline void part_columns(float* to, int64_t half, const float* padded, const Shape& f) {
  const int64_t rows = f.s.in_channels * f.p.in[1], width = f.p.in[2];
  for (int64_t r = 0; r < rows; ++r, to += 2 * half, padded += width) {
    for (int64_t i = 0; 2 * i < width; ++i) to[i] = padded[2 * i];
    for (int64_t i = 0; 2 * i + 1 < width; ++i) to[half + i] = padded[2 * i + 1];
  }
}

/// Its pixels one after another, each with its channels.
inline void channels_last(float* to, const float* x, const Shape& f) {
  const int64_t channels = f.s.in_channels;
  if (channels == 1) return pad(to, x, f);
  const int64_t above = f.s.steps.padding[1], left = f.s.steps.padding[2];
  std::memset(to, 0, sizeof(float) * (f.padded_numel() + kSlack));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t h = 0; h < f.s.in[1]; ++h) {
      float* row = to + ((h + above) * f.p.in[2] + left) * channels + c;
      for (int64_t w = 0; w < f.s.in[2]; ++w) row[w * channels] = *x++;
    }
}
/// The reverse, without what is around.
inline void channels_first(float* x, const float* from, const Shape& f) {
  const int64_t channels = f.s.in_channels;
  const int64_t above = f.s.steps.padding[1], left = f.s.steps.padding[2];
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t h = 0; h < f.s.in[1]; ++h) {
      const float* row = from + ((h + above) * f.p.in[2] + left) * channels + c;
      for (int64_t w = 0; w < f.s.in[2]; ++w) *x++ = row[w * channels];
    }
}

// ---------------------------------------------------------------------- forward
/// How operands are multiplied: X are elements of images, W what meets them at a time.
struct ByFloats {
  using X = float;
  using W = float;
  static constexpr int64_t kColumns = 1;  ///< of a kernel that a W holds
  static W join(const float* w, int64_t) { return *w; }
  static void windows(int64_t kernel, int64_t channels, const WindowTile<X, W>& t) {
    avx512::windows_in_lanes(kernel, channels, t);
  }
  static void channels(int64_t windows, const ChannelTile<X, W>& t) {
    avx512::channels_in_lanes(windows, t);
  }
};
struct ByPairs {
  using X = uint16_t;
  using W = uint32_t;
  static constexpr int64_t kColumns = 2;
  static W join(const uint16_t* w, int64_t columns) {
    return w[0] | (columns > 1 ? static_cast<W>(w[1]) << 16 : 0);
  }
  static void windows(int64_t kernel, int64_t channels, const WindowTile<X, W>& t) {
    avx512bf16::windows_in_lanes(kernel, channels, t);
  }
  static void channels(int64_t windows, const ChannelTile<X, W>& t) {
    avx512bf16::channels_in_lanes(windows, t);
  }
};

/// T: of the tensors. x and w are of By::X.
template <class T, class By>
class Forward {
  using X = typename By::X;
  using W = typename By::W;

 public:
  Forward(T* y, uint8_t* codes, const X* x, const X* w, const T* b, const Shape& f)
      : f_(f),
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
    for (int64_t c = 0; c < f.s.in_channels; ++c)
      for (int64_t r = 0; r < f.kernel(); ++r)
        for (int64_t i = 0; i < f.kernel(); i += By::kColumns)
          *to++ = static_cast<int32_t>((c * f.p.in[1] + r) * f.p.in[2] + i);
  }

  void run() const {
    parallel_for(0, f_.s.batch, f_.grain(), [this](int64_t i, int64_t end) { images(i, end); });
  }

 private:
  static constexpr bool kByFloats = std::is_same_v<X, float>;

  int64_t half() const { return f_.p.in[2] / 2 + 1; }
  int64_t steps_of_row() const { return (f_.kernel() + By::kColumns - 1) / By::kColumns; }
  int64_t steps() const { return f_.s.in_channels * f_.kernel() * steps_of_row(); }
  /// Channels [m, m + group(m)) are computed together: nearly equal numbers of them.
  int64_t group(int64_t m) const {
    const int64_t n = f_.s.out_channels, groups = (n + kLaneChannels - 1) / kLaneChannels;
    const int64_t least = n / groups, more = n % groups;
    return m < more * (least + 1) ? least + 1 : least;
  }
  /// What channel m's kernel has at a step.
  W weight(const X* w, int64_t m, int64_t step) const {
    if (m >= f_.s.out_channels) return 0;
    const int64_t row = step / steps_of_row(), column = step % steps_of_row() * By::kColumns;
    return By::join(w + m * f_.s.depth() + row * f_.kernel() + column, f_.kernel() - column);
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
    const bool lanes = f_.has_windows_in_lanes(), floats = std::is_same_v<T, float>;
    const int64_t rows = f_.s.in_channels * f_.p.in[1];
    const Scratch<X> padded(f_.padded_numel() + kSlack);
    const Scratch<float> parted(lanes && kByFloats ? rows * 2 * half() + kSlack : 0);
    const Scratch<float> pairs(lanes ? 0 : f_.windows() * 32);
    const Scratch<float> turned(lanes ? 0 : 32 * filled(f_.windows()));
    const Scratch<float> results(floats ? 0 : f_.y_numel());
    for (; i < end; ++i) {
      pad(padded.get(), x_ + i * f_.x_numel(), f_);
      float* const y = floats_for(y_ + i * f_.y_numel(), results.get());
      uint8_t* const codes = codes_ + i * f_.y_numel();
      if (!lanes) {
        by_channels(y, codes, padded.get(), pairs.get(), turned.get());
      } else if constexpr (kByFloats) {
        part_columns(parted.get(), half(), padded.get(), f_);
        by_windows(y, codes, parted.get(), 2 * half(), 1);
      } else {
        by_windows(y, codes, padded.get(), f_.p.in[2], 2);
      }
      deliver(y_ + i * f_.y_numel(), y, f_.y_numel());
    }
  }

  /// Rows of `row` elements, `step` of them from window to window.
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

  void by_channels(float* y, uint8_t* codes, const X* x, float* pairs, float* turned) const {
    const int64_t windows = f_.windows(), ld = filled(windows), width = f_.p.in[2];
    for (int64_t m = 0; m < f_.s.out_channels; m += 16) {
      for (int64_t h = 0; h < f_.high(); ++h)
        for (int64_t w = 0; w < f_.wide(); w += kLaneWindows)
          By::channels(std::min(kLaneWindows, f_.wide() - w),
                       {x + 2 * h * width + 2 * w, weights_.get() + m * steps(), bias_.get() + m,
                        elements_.get(), steps(), width, pairs + (h * f_.wide() + w) * 32});
      transpose_panel(turned, ld, pairs, 32, windows, 32);
      for (int64_t i = 0; i < std::min<int64_t>(16, f_.s.out_channels - m); ++i) {
        std::memcpy(y + (m + i) * windows, turned + i * ld, sizeof(float) * windows);
        avx512::to_bytes(codes + (m + i) * windows, turned + (16 + i) * ld, windows);
      }
    }
  }

  Shape f_;
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
/// By pairs unless a number is not finite: a neighbour would meet the zero behind a weight.
inline void forward(BFloat16* y, uint8_t* codes, const BFloat16* x, const BFloat16* w,
                    const BFloat16* b, const Shape& f) {
  const int64_t numel = f.s.batch * f.x_numel(), weights = f.s.out_channels * f.s.depth();
  if (multiplies_pairs && avx512::finite_words(words_of(x), numel) &&
      avx512::finite_words(words_of(w), weights))
    return Forward<BFloat16, ByPairs>(y, codes, words_of(x), words_of(w), b, f).run();
  const Scratch<float> wide(numel + weights);
  widen(wide.get(), x, numel);
  widen(wide.get() + numel, w, weights);
  Forward<BFloat16, ByFloats>(y, codes, wide.get(), wide.get() + numel, b, f).run();
}

// ---------------------------------------------------------------------- gradient of the weight
/// The batch is split over threads, each with its own sums: the result depends on the number of
/// threads only.
template <class T>
class WeightGradient {
 public:
  WeightGradient(const T* x, const T* gy, const uint8_t* codes, const Shape& f)
      : f_(f), x_(x), gy_(gy), codes_(codes), windows_(f.windows() + kSlack) {
    const int64_t channels = f.s.in_channels, row = f.p.in[2] * channels;
    for (int64_t h = 0; h < f.high(); ++h)
      for (int64_t w = 0; w < f.wide(); ++w)
        windows_[h * f.wide() + w] = static_cast<int32_t>(2 * h * row + 2 * w * channels);
    const int32_t right = static_cast<int32_t>(channels), below = static_cast<int32_t>(row);
    of_code_[1] = right;
    of_code_[2] = below;
    of_code_[3] = below + right;
  }

  /// gb may be null.
  void run(T* gw, T* gb) const {
    const int64_t threads = in_parallel_region() ? 1 : get_num_threads();
    const int64_t parts = std::clamp<int64_t>(f_.s.batch / f_.grain(), 1, threads);
    const Scratch<float> sums(parts * sum_numel());
    parallel_for(0, parts, 1, [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        images(sums.get() + i * sum_numel(), f_.s.batch * i / parts, f_.s.batch * (i + 1) / parts);
    });
    for (int64_t i = 1; i < parts; ++i)
      for (int64_t j = 0; j < sum_numel(); ++j) sums[j] += sums[i * sum_numel() + j];
    deliver_sums(gw, gb, sums.get());
  }

 private:
  // Sums are of each channel K rows of vectors, then the gradients of the bias by lanes.
  int64_t row_floats() const { return f_.row_elements() <= 8 ? 8 : 16 * f_.row_vectors(); }
  int64_t channel_floats() const { return f_.kernel() * row_floats() + 16; }
  int64_t sum_numel() const { return f_.s.out_channels * channel_floats(); }

  void images(float* sums, int64_t i, int64_t end) const {
    const bool floats = std::is_same_v<T, float>;
    const int64_t padded = f_.padded_numel();
    const int64_t together = std::clamp<int64_t>(kImageFloats / padded, 1, end - i);
    const Scratch<float> wide(floats ? 0 : f_.x_numel()), x(together * padded + kSlack);
    const Scratch<float> gradients(floats ? 0 : together * f_.y_numel());
    const int64_t most = together * f_.windows() + kSlack;
    const Scratch<int32_t> places(most);
    const Scratch<float> g(most);
    std::fill_n(sums, sum_numel(), 0.0f);
    for (; i < end; i += together) {
      const int64_t n = std::min(together, end - i);
      for (int64_t j = 0; j < n; ++j)
        channels_last(x.get() + j * padded,
                      as_floats(wide.get(), x_ + (i + j) * f_.x_numel(), f_.x_numel()), f_);
      const float* const gy = as_floats(gradients.get(), gy_ + i * f_.y_numel(), n * f_.y_numel());
      for (int64_t m = 0; m < f_.s.out_channels; ++m)
        channel(sums + m * channel_floats(), x.get(), gy, codes_ + i * f_.y_numel(), m, n,
                places.get(), g.get());
    }
  }

  void channel(float* sum, const float* x, const float* gy, const uint8_t* codes, int64_t m,
               int64_t images, int32_t* places, float* g) const {
    const int64_t windows = f_.windows(), padded = f_.padded_numel();
    float* const bias = sum + f_.kernel() * row_floats();
    int64_t n = 0;
    int32_t of_code[16];
    for (int64_t j = 0; j < images; ++j) {
      for (int c = 0; c < 4; ++c) of_code[c] = of_code_[c] + static_cast<int32_t>(j * padded);
      const int64_t from = j * f_.y_numel() + m * windows;
      n += avx512::find_gradients(places + n, g + n, bias, windows_.get(), codes + from, gy + from,
                                  windows, of_code);
    }
    avx512::add_patches(f_.kernel(), f_.row_elements(), sum, x, f_.p.in[2] * f_.s.in_channels,
                        places, g, n);
  }

  void deliver_sums(T* gw, T* gb, const float* sums) const {
    const int64_t channels = f_.s.in_channels, k = f_.kernel();
    for (int64_t m = 0; m < f_.s.out_channels; ++m, sums += channel_floats()) {
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t r = 0; r < k; ++r)
          for (int64_t i = 0; i < k; ++i)
            *gw++ = static_cast<T>(sums[r * row_floats() + i * channels + c]);
      const float* const bias = sums + k * row_floats();
      float sum = 0;
      for (int l = 0; l < 16; ++l) sum += bias[l];
      if (gb) gb[m] = static_cast<T>(sum);
    }
  }

  Shape f_;
  const T *x_, *gy_;
  const uint8_t* codes_;
  Scratch<int32_t> windows_;
  int32_t of_code_[4] = {};
};

// ---------------------------------------------------------------------- gradient of the input
template <class T>
class InputGradient {
 public:
  InputGradient(T* gx, const T* gy, const uint8_t* codes, const T* w, const Shape& f)
      : f_(f), gx_(gx), gy_(gy), codes_(codes), weights_(f.s.out_channels * kernel_floats()) {
    const int64_t channels = f.s.in_channels, k = f.kernel();
    std::fill_n(weights_.get(), f.s.out_channels * kernel_floats(), 0.0f);
    for (int64_t m = 0; m < f.s.out_channels; ++m)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t r = 0; r < k; ++r)
          for (int64_t i = 0; i < k; ++i)
            weights_[m * kernel_floats() + r * 16 * f.row_vectors() + i * channels + c] =
                static_cast<float>(*w++);
  }

  void run() const {
    parallel_for(0, f_.s.batch, f_.grain(), [this](int64_t i, int64_t end) { images(i, end); });
  }

 private:
  int64_t kernel_floats() const { return f_.kernel() * 16 * f_.row_vectors(); }

  void images(int64_t i, int64_t end) const {
    const bool floats = std::is_same_v<T, float>;
    const int64_t padded = f_.padded_numel() + kSlack;
    const Scratch<float> sums(padded), gradients(floats ? 0 : f_.y_numel());
    const Scratch<float> results(floats ? 0 : f_.x_numel());
    for (; i < end; ++i) {
      std::memset(sums.get(), 0, sizeof(float) * padded);
      image(sums.get(), as_floats(gradients.get(), gy_ + i * f_.y_numel(), f_.y_numel()),
            codes_ + i * f_.y_numel());
      float* const gx = floats_for(gx_ + i * f_.x_numel(), results.get());
      channels_first(gx, sums.get(), f_);
      deliver(gx_ + i * f_.x_numel(), gx, f_.x_numel());
    }
  }

  void image(float* x, const float* gy, const uint8_t* codes) const {
    const int64_t channels = f_.s.in_channels, row = f_.p.in[2] * channels;
    const int64_t windows = f_.windows();
    uint16_t with[kNoGradient + 1][256];
    for (int64_t h = 0, i = 0; h < f_.high(); ++h)
      for (int64_t w = 0; w < f_.wide(); ++w, ++i) {
        int64_t n[kNoGradient + 1] = {};
        for (int64_t m = 0; m < f_.s.out_channels; ++m) {
          const uint8_t code = codes[m * windows + i];
          with[code][n[code]++] = static_cast<uint16_t>(m);
        }
        for (int64_t code = 0; code < kNoGradient; ++code)
          if (n[code] > 0)
            avx512::add_kernels(f_.kernel(), f_.row_elements(),
                                x + (2 * h + code / 2) * row + (2 * w + code % 2) * channels, row,
                                weights_.get(), with[code], gy + i, windows, n[code]);
      }
  }

  Shape f_;
  T* gx_;
  const T* gy_;
  const uint8_t* codes_;
  Scratch<float> weights_;
};

}  // namespace taper::cpu::pooled

#else
namespace taper::cpu::pooled {
inline bool takes(const ConvShape&) { return false; }
}  // namespace taper::cpu::pooled
#endif
