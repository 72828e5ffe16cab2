// Computes the gradients of the op in conv_pool.h. For each window with a gradient, the gradient of
// the weight adds one patch of the image. The gradient of the input adds one kernel. Part of
// conv_direct_cpu.cpp. Not installed.
#pragma once

#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_pool.h>

#if TAPER_ISA_VARIANTS()
namespace torch::taper::cpu::pooled {

// ---------------------------------------------------------------------- images of pixels
/// Copies an image to channels-last order. The zeros around the copy do not change.
inline void channels_last(float* to, const float* x, const Shape& f) {
  const int64_t channels = f.s.in_channels, width = f.s.in[2], row = sizeof(float) * width;
  to += f.first_pixel();
  if (channels == 1)
    return avx512::copy_rows(to, sizeof(float) * f.p.in[2], x, row, row, f.s.in[1]);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t h = 0; h < f.s.in[1]; ++h)
      for (int64_t w = 0; w < width; ++w) to[f.pixel(h, w) + c] = *x++;
}
/// Copies a channels-last image back, without the zeros around it.
inline void channels_first(float* x, const float* from, const Shape& f) {
  from += f.first_pixel();
  for (int64_t c = 0; c < f.s.in_channels; ++c)
    for (int64_t h = 0; h < f.s.in[1]; ++h)
      for (int64_t w = 0; w < f.s.in[2]; ++w) *x++ = from[f.pixel(h, w) + c];
}

/// Converts words between two layouts, by permutations of vectors. One layout is the channels-last
/// image. In the other layout, each row of the image holds the row of channel 0, then the row of
/// channel 1, and so on. If `last` is true, converts to channels-last.
class WordRows {
 public:
  WordRows(const Shape& f, bool last)
      : f_(f),
        last_(last),
        places_(32 * vectors()),
        sources_(vectors() + 1),
        lanes_(vectors() * 32),
        offsets_(vectors() * 32),
        rows_(f.x_numel() + kSlack) {
    sources_[0] = 0;
    for (int64_t v = 0; v < vectors(); ++v) {
      sources_[v + 1] = sources_[v];
      for (int64_t i = 32 * v; i < std::min(32 * v + 32, f.s.in[2] * f.s.in_channels); ++i) {
        places_[i] = static_cast<uint16_t>(source(i) % 32);
        lanes_[source_at(v, source(i) / 32 * 32)] |= 1u << (i % 32);
      }
    }
  }
  void to_last(uint16_t* to, const uint16_t* x) const {
    const int64_t size = sizeof(uint16_t), width = f_.s.in[2], row = f_.s.in_channels * width;
    for (int64_t c = 0; c < f_.s.in_channels; ++c)
      avx512::copy_rows(rows_.get() + c * width, size * row, x + c * f_.s.in_pixels(), size * width,
                        size * width, f_.s.in[1]);
    avx512::order_words(to + f_.first_pixel(), f_.pixel(1, 0), rows_.get(), row, f_.s.in[1],
                        order());
  }
  void to_first(uint16_t* x, const uint16_t* from) const {
    const int64_t size = sizeof(uint16_t), width = f_.s.in[2], row = f_.s.in_channels * width;
    avx512::order_words(rows_.get(), row, from + f_.first_pixel(), f_.pixel(1, 0), f_.s.in[1],
                        order());
    for (int64_t c = 0; c < f_.s.in_channels; ++c)
      avx512::copy_rows(x + c * f_.s.in_pixels(), size * width, rows_.get() + c * width, size * row,
                        size * width, f_.s.in[1]);
  }

 private:
  int64_t vectors() const { return (f_.s.in[2] * f_.s.in_channels + 31) / 32; }
  WordOrder order() const {
    return {vectors(), places_.get(), sources_.get(), lanes_.get(), offsets_.get()};
  }
  /// Returns the position in the source row of word i of a converted row.
  int64_t source(int64_t i) const {
    const int64_t channels = f_.s.in_channels, width = f_.s.in[2];
    return last_ ? i % channels * width + i / channels : i % width * channels + i / width;
  }
  /// Returns the index of the source at `offset` for vector v. Adds this source if vector v does
  /// not have it.
  int32_t source_at(int64_t v, int64_t offset) const {
    int32_t s = sources_[v];
    while (s < sources_[v + 1] && offsets_[s] != offset) ++s;
    if (s == sources_[v + 1]) {
      sources_[v + 1] = s + 1;
      lanes_[s] = 0;
      offsets_[s] = static_cast<int32_t>(offset);
    }
    return s;
  }

  Shape f_;
  bool last_;
  Scratch<uint16_t> places_;
  Scratch<int32_t> sources_;
  Scratch<uint32_t> lanes_;
  Scratch<int32_t> offsets_;
  Scratch<uint16_t> rows_;
};

/// Copies the gradient of an image from channels-last order to the gradient tensor.
template <class T>
class ImageDelivery {
 public:
  explicit ImageDelivery(const Shape& f)
      : f_(f), rows_(f, false), words_(f.padded_numel() + kSlack) {}
  void operator()(T* gx, const float* pixels) const {
    deliver(words_.get(), pixels, f_.padded_numel());
    rows_.to_first(reinterpret_cast<uint16_t*>(gx), words_of(words_.get()));
  }

 private:
  Shape f_;
  WordRows rows_;
  Scratch<T> words_;
};
template <>
class ImageDelivery<float> {
 public:
  explicit ImageDelivery(const Shape& f) : f_(f) {}
  void operator()(float* gx, const float* pixels) const { channels_first(gx, pixels, f_); }

 private:
  Shape f_;
};

// ---------------------------------------------------------------------- gradient of the weight
/// Patches that are read directly from images of floats.
template <class T>
struct FloatPatches {
  using X = float;
  Shape f;

  int64_t image_numel() const { return f.padded_numel(); }
  int64_t right() const { return f.s.in_channels; }
  int64_t below() const { return f.p.in[2] * f.s.in_channels; }
  // A sum has a row of vectors for each row of the kernel.
  int64_t row_floats() const { return f.row_elements() <= 8 ? 8 : 16 * f.row_vectors(); }
  int64_t sum_numel() const { return f.kernel() * row_floats(); }
  int64_t place(int64_t c, int64_t row, int64_t i) const {
    return row * row_floats() + i * f.s.in_channels + c;
  }
  void add(float* sum, const float* x, const int32_t* places, const float* g, int64_t n) const {
    avx512::add_patches(f.kernel(), f.row_elements(), sum, x, below(), places, g, n);
  }

  /// Several images, and the gradients of the results of these images.
  class Images {
   public:
    Images(const FloatPatches& p, int64_t most)
        : f_(p.f),
          wide_(kCopies ? f_.x_numel() : 0),
          x_(most * f_.padded_numel() + kSlack),
          wide_gy_(kCopies ? most * f_.y_numel() : 0) {
      std::memset(x_.get(), 0, sizeof(float) * (most * f_.padded_numel() + kSlack));
    }
    void read(const T* x, const T* gy, int64_t n) {
      for (int64_t j = 0; j < n; ++j)
        channels_last(x_.get() + j * f_.padded_numel(),
                      as_floats(wide_.get(), x + j * f_.x_numel(), f_.x_numel()), f_);
      gy_ = as_floats(wide_gy_.get(), gy, n * f_.y_numel());
    }
    const float* x() const { return x_.get(); }
    const float* gy() const { return gy_; }
    void finish(int32_t*, float*) const {}

   private:
    static constexpr bool kCopies = !std::is_same_v<T, float>;

    Shape f_;
    Scratch<float> wide_, x_, wide_gy_;
    const float* gy_ = nullptr;
  };
};

/// Patches of words (bf16) whose rows are adjacent. A patch uses the fewest vectors. Its rows are
/// aligned to cache lines if that takes no more vectors. Rows are copied once, and overlapping
/// patches share them.
struct PairPatches {
  using X = uint16_t;
  Shape f;

  static int64_t vectors_of(int64_t n) { return (n + 31) / 32; }
  int64_t vectors() const { return vectors_of(f.kernel() * f.row_elements()); }
  /// Returns the step between rows of a patch, in words.
  int64_t pitch() const {
    const int64_t of_row = vectors_of(f.row_elements());
    return f.kernel() * of_row == vectors() ? 32 * of_row : f.row_elements();
  }
  int64_t image_numel() const { return f.s.out[2] * right(); }
  int64_t right() const { return f.p.in[1] * pitch(); }
  int64_t below() const { return pitch(); }
  int64_t sum_numel() const { return 32 * vectors(); }
  // The first four of each eight words are in one vector of sums, the other four in the next
  // vector.
  int64_t place(int64_t c, int64_t row, int64_t i) const {
    const int64_t e = row * pitch() + i * f.s.in_channels + c;
    return e / 32 * 32 + e % 8 / 4 * 16 + e % 32 / 8 * 4 + e % 4;
  }
  void add(float* sum, const uint16_t* x, const int32_t* places, const uint16_t* g,
           int64_t n) const {
    avx512bf16::add_patches(vectors(), sum, x, places, g, n);
  }

  class Images {
   public:
    Images(const PairPatches& p, int64_t most)
        : p_(p),
          rows_(p.f, true),
          image_(p.f),
          none_(most * p.image_numel() + 32),
          x_(none_ + 32 * p.vectors()) {
      std::memset(x_.get() + none_, 0, sizeof(uint16_t) * 32 * p.vectors());
    }
    void read(const BFloat16* x, const BFloat16* gy, int64_t n) {
      const Shape& f = p_.f;
      for (int64_t j = 0; j < n; ++j) {
        rows_.to_last(image_.get(), words_of(x + j * f.x_numel()));
        avx512::spread_rows(x_.get() + j * p_.image_numel(),
                            {image_.get(), f.s.in_channels, f.pixel(1, 0), f.p.in[1],
                             f.row_elements(), f.s.out[2], p_.pitch()});
      }
      gy_ = words_of(gy);
    }
    const uint16_t* x() const { return x_.get(); }
    const uint16_t* gy() const { return gy_; }
    /// Appends patches of zeros with gradient zero after the last patch.
    void finish(int32_t* places, uint16_t* g) const {
      std::fill_n(places, kPatchStep, static_cast<int32_t>(none_));
      std::fill_n(g, kPatchStep, uint16_t{0});
    }

   private:
    const PairPatches& p_;
    WordRows rows_;
    Padded<uint16_t> image_;
    int64_t none_;
    Scratch<uint16_t> x_;
    const uint16_t* gy_ = nullptr;
  };
};

/// Computes the gradients of the weight and the bias. Threads divide the batch. Each thread has
/// separate sums, so the order of additions depends only on the number of threads.
template <class T, class Patches>
class WeightGradient {
  using X = typename Patches::X;

 public:
  WeightGradient(const T* x, const T* gy, const uint8_t* codes, const Shape& f)
      : f_(f), patches_{f}, x_(x), gy_(gy), codes_(codes), windows_(f.windows() + kSlack) {
    const int64_t right = patches_.right(), below = patches_.below();
    for (int64_t h = 0; h < f.high(); ++h)
      for (int64_t w = 0; w < f.wide(); ++w)
        windows_[h * f.wide() + w] = static_cast<int32_t>(2 * h * below + 2 * w * right);
    of_code_[1] = static_cast<int32_t>(right);
    of_code_[2] = static_cast<int32_t>(below);
    of_code_[3] = static_cast<int32_t>(below + right);
  }

  /// Computes gw and gb. gb may be null.
  void run(T* gw, T* gb) const {
    const int64_t threads = usable_threads();
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
  // For each output channel, `sums` holds the sum of patches, then 16 partial sums of the gradient
  // of the bias.
  int64_t channel_floats() const { return patches_.sum_numel() + 16; }
  int64_t sum_numel() const { return f_.s.out_channels * channel_floats(); }

  void images(float* sums, int64_t i, int64_t end) const {
    const int64_t fit = kImageBytes / static_cast<int64_t>(sizeof(X)) / patches_.image_numel();
    const int64_t together = std::clamp<int64_t>(fit, 1, end - i);
    typename Patches::Images some(patches_, together);
    const Scratch<int32_t> places(together * f_.windows() + kSlack);
    const Scratch<X> g(together * f_.windows() + kSlack);
    std::fill_n(sums, sum_numel(), 0.0f);
    for (; i < end; i += together) {
      const int64_t n = std::min(together, end - i);
      some.read(x_ + i * f_.x_numel(), gy_ + i * f_.y_numel(), n);
      for (int64_t m = 0; m < f_.s.out_channels; ++m)
        channel(sums + m * channel_floats(), some, codes_ + i * f_.y_numel(), m, n, places.get(),
                g.get());
    }
  }

  void channel(float* sum, const typename Patches::Images& some, const uint8_t* codes, int64_t m,
               int64_t images, int32_t* places, X* g) const {
    const int64_t windows = f_.windows();
    float* const bias = sum + patches_.sum_numel();
    int64_t n = 0;
    int32_t of_code[16];
    for (int64_t j = 0; j < images; ++j) {
      const int32_t image = static_cast<int32_t>(j * patches_.image_numel());
      for (int c = 0; c < 4; ++c) of_code[c] = of_code_[c] + image;
      const int64_t from = j * f_.y_numel() + m * windows;
      n += avx512::find_gradients(places + n, g + n, bias, windows_.get(), codes + from,
                                  some.gy() + from, windows, of_code);
    }
    some.finish(places + n, g + n);
    patches_.add(sum, some.x(), places, g, n);
  }

  void deliver_sums(T* gw, T* gb, const float* sums) const {
    const int64_t channels = f_.s.in_channels, k = f_.kernel();
    for (int64_t m = 0; m < f_.s.out_channels; ++m, sums += channel_floats()) {
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t r = 0; r < k; ++r)
          for (int64_t i = 0; i < k; ++i) *gw++ = static_cast<T>(sums[patches_.place(c, r, i)]);
      const float* const bias = sums + patches_.sum_numel();
      float sum = 0;
      for (int l = 0; l < 16; ++l) sum += bias[l];
      if (gb) gb[m] = static_cast<T>(sum);
    }
  }

  Shape f_;
  Patches patches_;
  const T *x_, *gy_;
  const uint8_t* codes_;
  Scratch<int32_t> windows_;
  int32_t of_code_[4] = {};
};

inline void weight_gradient(float* gw, float* gb, const float* x, const float* gy,
                            const uint8_t* codes, const Shape& f) {
  WeightGradient<float, FloatPatches<float>>(x, gy, codes, f).run(gw, gb);
}
inline void weight_gradient(BFloat16* gw, BFloat16* gb, const BFloat16* x, const BFloat16* gy,
                            const uint8_t* codes, const Shape& f) {
  if (multiplies_pairs)
    WeightGradient<BFloat16, PairPatches>(x, gy, codes, f).run(gw, gb);
  else
    WeightGradient<BFloat16, FloatPatches<BFloat16>>(x, gy, codes, f).run(gw, gb);
}

// ---------------------------------------------------------------------- gradient of the input
/// The layout of kernels of floats, in rows of vectors, and access to the gradients of results.
template <class T>
struct FloatKernels {
  using X = float;
  static constexpr bool kCopies = !std::is_same_v<T, float>;

  static int64_t kernel(int64_t m) { return m; }
  static int64_t row_numel(const Shape& f) { return 16 * f.row_vectors(); }
  static int64_t place(int64_t element) { return element; }
  static X weight(T w) { return static_cast<float>(w); }
  static const X* gradients(X* copy, const T* gy, int64_t n) { return as_floats(copy, gy, n); }
  static void add_column(int64_t kernel, const GradientColumn<X>& t) {
    avx512::add_column(kernel, t);
  }
};
/// The layout of kernels of words (bf16). add_column interleaves the words of two channels, four
/// words of each eight at a time. So in each 32 words, elements 0 to 15 are at the first four of
/// each eight places. Elements 16 to 31 are at the last four.
struct PairKernels {
  using X = uint16_t;
  static constexpr bool kCopies = false;

  /// Returns the index of channel m's kernel. A kernel of zeros follows every 32 kernels.
  static int64_t kernel(int64_t m) { return m + m / 32; }
  static int64_t row_numel(const Shape& f) { return (f.row_elements() + 31) / 32 * 32; }
  static int64_t place(int64_t element) {
    const int64_t e = element % 32;
    return element - e + e % 16 / 4 * 8 + e / 16 * 4 + e % 4;
  }
  static X weight(BFloat16 w) { return *words_of(&w); }
  static const X* gradients(X*, const BFloat16* gy, int64_t) { return words_of(gy); }
  static void add_column(int64_t kernel, const GradientColumn<X>& t) {
    avx512bf16::add_column(kernel, t);
  }
};

template <class T, class Kernels>
class InputGradient {
  using X = typename Kernels::X;

 public:
  InputGradient(T* gx, const T* gy, const uint8_t* codes, const T* w, const Shape& f)
      : f_(f), gx_(gx), gy_(gy), codes_(codes), weights_(weights_numel()) {
    const int64_t channels = f.s.in_channels, k = f.kernel();
    std::memset(weights_.get(), 0, sizeof(X) * weights_numel());
    for (int64_t m = 0; m < f.s.out_channels; ++m)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t r = 0; r < k; ++r)
          for (int64_t i = 0; i < k; ++i)
            weights_[(Kernels::kernel(m) * k + r) * Kernels::row_numel(f) +
                     Kernels::place(i * channels + c)] = Kernels::weight(*w++);
  }

  void run() const {
    parallel_for(0, f_.s.batch, f_.grain(), [this](int64_t i, int64_t end) { images(i, end); });
  }

 private:
  int64_t weights_numel() const {
    return Kernels::kernel((f_.s.out_channels + 31) / 32 * 32) * f_.kernel() *
           Kernels::row_numel(f_);
  }
  /// Returns the number of 32-bit words with the bits of one code. For each window, a word holds
  /// the bits of 32 channels.
  int64_t bit_words() const { return (f_.s.out_channels + 31) / 32 * f_.windows(); }

  void images(int64_t i, int64_t end) const {
    const int64_t padded = f_.padded_numel() + kSlack, n = f_.y_numel();
    const Scratch<float> sums(padded);
    const Scratch<X> copy(Kernels::kCopies ? n : 0);
    const ImageDelivery<T> deliver_image(f_);
    const Scratch<uint32_t> channels(kNoGradient * bit_words());
    for (; i < end; ++i) {
      std::memset(sums.get(), 0, sizeof(float) * padded);
      avx512::find_channels(channels.get(), codes_ + i * n, f_.windows(), f_.s.out_channels);
      image(sums.get(), Kernels::gradients(copy.get(), gy_ + i * n, n), channels.get());
      deliver_image(gx_ + i * f_.x_numel(), sums.get());
    }
  }

  void image(float* x, const X* gy, const uint32_t* channels) const {
    for (int64_t column = 0; column < f_.s.out[2]; ++column) {
      const int64_t w = column / 2, right = column % 2;
      Kernels::add_column(
          f_.kernel(), {x + f_.pixel(0, column), f_.pixel(1, 0), f_.row_elements(), weights_.get(),
                        channels + right * bit_words() + w, 2 * bit_words(), gy + w, f_.windows(),
                        f_.wide(), f_.high(), f_.s.out_channels});
    }
  }

  Shape f_;
  T* gx_;
  const T* gy_;
  const uint8_t* codes_;
  Scratch<X> weights_;
};

inline void input_gradient(float* gx, const float* gy, const uint8_t* codes, const float* w,
                           const Shape& f) {
  InputGradient<float, FloatKernels<float>>(gx, gy, codes, w, f).run();
}
inline void input_gradient(BFloat16* gx, const BFloat16* gy, const uint8_t* codes,
                           const BFloat16* w, const Shape& f) {
  if (multiplies_pairs)
    InputGradient<BFloat16, PairKernels>(gx, gy, codes, w, f).run();
  else
    InputGradient<BFloat16, FloatKernels<BFloat16>>(gx, gy, codes, w, f).run();
}

}  // namespace torch::taper::cpu::pooled
#endif
