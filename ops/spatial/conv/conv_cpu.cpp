#include <algorithm>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/spatial/conv/conv_depthwise.h>
#include <taper/ops/spatial/conv/conv_direct.h>
#include <taper/ops/spatial/conv/conv_onednn.h>
#include <taper/ops/spatial/conv/conv_shape.h>
#include <taper/ops/spatial/conv/conv_tiles.h>
#include <taper/ops/spatial/conv/conv_winograd.h>

#define TAPER_ISA_FILE <taper/ops/spatial/conv/conv_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

// A convolution is the product of the weights with the matrix of patches. That matrix is never
// stored whole: a panel of it is packed into the cache, as a matrix product packs its operand
// anyway, and used for all output channels.
namespace torch::taper::cpu {

void pack_patches(float* to, const float* x, const ConvShape& s, PatchRange r) {
  TAPER_BY_ISA(pack<float>, to, x, s, r);
}
void pack_patches(double* to, const double* x, const ConvShape& s, PatchRange r) {
  TAPER_BY_ISA(pack<double>, to, x, s, r);
}
void pack_patches(uint16_t* to, const uint16_t* x, const ConvShape& s, PatchRange r) {
  TAPER_BY_ISA(pack<uint16_t>, to, x, s, r);
}
void pack_patches_transposed(float* to, int64_t ldt, const float* x, const ConvShape& s,
                             PatchRange r) {
  TAPER_BY_ISA(pack_transposed<float>, to, ldt, x, s, r);
}
void pack_patches_transposed(double* to, int64_t ldt, const double* x, const ConvShape& s,
                             PatchRange r) {
  TAPER_BY_ISA(pack_transposed<double>, to, ldt, x, s, r);
}
void sum_channel(float* x, const float* from, int64_t ld, const ConvShape& s) {
  TAPER_BY_ISA(sum_channel<float>, x, from, ld, s);
}
void sum_channel(double* x, const double* from, int64_t ld, const ConvShape& s) {
  TAPER_BY_ISA(sum_channel<double>, x, from, ld, s);
}

namespace winograd {

int64_t row_space(const Plane& plane, int64_t tiles) {
  constexpr int64_t most_lanes = 16;
  const int64_t tile_rows = tiles / plane.tiles_wide + 2;
  return (2 * tile_rows + 2) * (2 * plane.tiles_wide + 4 * most_lanes + 4) +
         16 * ((tile_rows + 1) * plane.tiles_wide + most_lanes) + most_lanes;
}
void input_tiles(float* to, int64_t step, const float* x, const Strip& s, float* rows) {
  TAPER_BY_ISA(input_tiles, to, step, x, s, rows);
}
void gradient_tiles(float* to, int64_t step, const float* gy, const Strip& s, float* rows) {
  TAPER_BY_ISA(gradient_tiles, to, step, gy, s, rows);
}
bool output_tiles(float* y, const float* from, int64_t step, const Strip& s, float bias) {
  TAPER_BY_ISA(output_tiles, y, from, step, s, bias);
}
void kernels_to_places(float* to, int64_t step, const float* from, int64_t from_step, int64_t n) {
  TAPER_BY_ISA(kernels_to_places, to, step, from, from_step, n);
}
bool places_to_kernels(float* to, int64_t to_step, const float* from, int64_t step, int64_t n) {
  TAPER_BY_ISA(places_to_kernels, to, to_step, from, step, n);
}

}  // namespace winograd

namespace {

// Depth of a packed panel: it stays in L2.
constexpr int64_t kDepth = 512;
// Rows of weights that are too few for packing an image to pay.
constexpr int64_t kInPlaceRows = 24;
// Patch elements that the input's gradient holds at a time.
constexpr int64_t kPatchElements = 32768;
// Multiply-adds for which a thread is worth waking.
constexpr int64_t kThreadWork = 1 << 20;
// Pixels of results from which on copies of images are worth making for the weight's gradient.
constexpr int64_t kCopiedPixels = 2048;

int64_t grain_for(int64_t work_of_one) {
  return std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, work_of_one));
}

// ---------------------------------------------------------------------- forward
/// The same with each image as one row, of which panels are cut without ends of rows between.
ConvShape in_one_row(ConvShape s) {
  s.in[2] = s.out[2] = s.in_pixels();
  s.in[0] = s.in[1] = s.out[0] = s.out[1] = 1;
  return s;
}

template <class T>
struct Forward {
  ConvShape s;
  T* y;
  const T *x, *w, *b;
  bool across = false;  ///< w is (groups, depth, out channels)

  int64_t panels() const { return (s.out_pixels() + kPatchPanel - 1) / kPatchPanel; }

  // Images of kernels of one element are panels as they are. Packing pays for many rows of weights,
  // unless vectors are as long as lines of the cache; and where channels are at a round distance
  // from each other, since then they share few of its sets.
  bool reads_in_place() const {
    const bool few = s.out_channels <= kInPlaceRows, whole_lines = best_isa == Isa::kAvx512;
    return s.pointwise() && (few || (whole_lines && s.out_pixels() * sizeof(T) % 1024 != 0));
  }

  // One panel of pixels of one image and group, all its output channels.
  void panel(int64_t image, int64_t p, T* packed) const {
    const int64_t depth = s.depth(), pixels = s.out_pixels(), m = s.out_channels;
    const int64_t group = image % s.groups, width = std::min(kPatchPanel, pixels - p);
    const T* xi = x + image * s.in_channels * s.in_pixels();
    const T* wg = w + group * m * depth;
    T* yi = y + image * m * pixels + p;
    const int64_t w_row = across ? 1 : depth, w_col = across ? m : 1;
    if (reads_in_place()) {
      gemm_panel(GemmPanel<T>{m, width, depth, wg, w_row, w_col, xi + p, pixels, yi, pixels, 1,
                              false, b ? b + group * m : nullptr});
      return;
    }
    const int64_t readable = (s.batch * s.groups - image) * s.in_channels * s.in_pixels();
    for (int64_t k = 0; k < depth; k += kDepth) {
      const int64_t d = std::min(kDepth, depth - k);
      pack_patches(packed, xi, s, {k, d, p, width, readable});
      gemm_panel(GemmPanel<T>{m, width, d, wg + k * w_col, w_row, w_col, packed, kPatchPanel, yi,
                              pixels, 1, k > 0, b && k == 0 ? b + group * m : nullptr});
    }
  }

  // body(image, first pixel) for every panel, a range of them at a time on each thread.
  template <class Range>
  void for_panels(const Range& range) const {
    const int64_t work = s.out_channels * s.depth() * std::min(kPatchPanel, s.out_pixels());
    parallel_for(0, s.batch * s.groups * panels(), grain_for(work), range);
  }

  void run_packed() const {
    Forward f = *this;
    if (s.pointwise()) f.s = in_one_row(s);
    for_panels([f, per_image = panels()](int64_t i, int64_t end) {
      Scratch<T> packed(std::min(kDepth, f.s.depth()) * kPatchPanel + kPatchSlack);
      for (; i < end; ++i) f.panel(i / per_image, i % per_image * kPatchPanel, packed.get());
    });
  }

  void run_direct() const {
    Scratch<float> weights(direct::packed_weights(s));
    direct::pack_weights(weights.get(), w, s);
    Scratch<int32_t> elements(s.depth());
    direct::element_offsets(elements.get(), s);
    const Forward f = *this;
    for_panels([f, weights = weights.get(), elements = elements.get()](int64_t i, int64_t end) {
      const ConvShape& s = f.s;
      const int64_t per_image = f.panels(), m = s.out_channels;
      for (; i < end; ++i) {
        const int64_t image = i / per_image, p = i % per_image * kPatchPanel;
        const int64_t group = image % s.groups;
        direct::forward_panel(f.y + image * m * s.out_pixels(),
                              f.x + image * s.in_channels * s.in_pixels(),
                              weights + group * m * s.depth(), f.b ? f.b + group * m : nullptr,
                              elements, s, p, std::min(kPatchPanel, s.out_pixels() - p));
      }
    });
  }

  // Copies of the images are cheaper than patches.
  void run_copied() const {
    const Padded<T> images(x, s, true);
    Forward{images.shape(), y, images.get(), w, b}.run_direct();
  }

  void run() const {
    if (depthwise::takes(s)) return depthwise::forward(y, x, w, b, s);
    if constexpr (std::is_same_v<T, float>) {
      if (winograd::takes_forward(s) && winograd::forward(y, x, w, b, s)) return;
      if (onednn::prefers(s, onednn::Kind::kForward) && onednn::forward(y, x, w, b, s)) return;
      if (direct::takes_forward(s)) return run_direct();
      if (direct::takes_copies(with_margins(s))) return run_copied();
    }
    run_packed();
  }
};

// ---------------------------------------------------------------------- gradient of the input
template <class T>
struct InputGradient {
  ConvShape s;
  T* gx;
  const T *gy, *w;

  // Channels whose patches are computed together: as many as L2 holds.
  int64_t channel_block() const {
    return std::clamp<int64_t>(kPatchElements / (s.kernel_elements() * s.out_pixels()), 1,
                               s.in_channels);
  }
  int64_t blocks() const { return (s.in_channels + channel_block() - 1) / channel_block(); }

  void block(int64_t image, int64_t channel, T* patches) const {
    const int64_t depth = s.depth(), pixels = s.out_pixels(), elements = s.kernel_elements();
    const int64_t channels = std::min(channel_block(), s.in_channels - channel);
    const T* wg = w + image % s.groups * s.out_channels * depth + channel * elements;
    T* gxi = gx + (image * s.in_channels + channel) * s.in_pixels();
    gemm_panel(GemmPanel<T>{channels * elements, pixels, s.out_channels, wg, 1, depth,
                            gy + image * s.out_channels * pixels, pixels, patches, pixels, 1,
                            false});
    for (int64_t c = 0; c < channels; ++c)
      sum_channel(gxi + c * s.in_pixels(), patches + c * elements * pixels, pixels, s);
  }

  // Of kernels of one element it is the convolution with the transposed weights.
  void run_across() const {
    ConvShape back = s;
    std::swap(back.in_channels, back.out_channels);
    Forward<T>{back, gx, gy, w, nullptr, true}.run_packed();
  }

  void run() const {
    if (depthwise::takes(s)) return depthwise::input_gradient(gx, gy, w, s);
    if constexpr (std::is_same_v<T, float>) {
      if (winograd::takes_input_gradient(s) && winograd::input_gradient(gx, gy, w, s)) return;
      if (onednn::prefers(s, onednn::Kind::kInputGradient) && onednn::input_gradient(gx, gy, w, s))
        return;
    }
    if (s.pointwise()) return run_across();
    const int64_t per_image = blocks(), images = s.batch * s.groups;
    const int64_t size = channel_block() * s.kernel_elements() * s.out_pixels();
    const InputGradient f = *this;
    parallel_for(0, images * per_image, grain_for(size * s.out_channels),
                 [f, per_image, size](int64_t i, int64_t end) {
                   Scratch<T> patches(size);
                   for (; i < end; ++i)
                     f.block(i / per_image, i % per_image * f.channel_block(), patches.get());
                 });
  }
};

// ---------------------------------------------------------------------- gradient of the weight
template <class T>
struct WeightGradient {
  ConvShape s;
  T* gw;
  const T *x, *gy;

  // The sum over images [begin, end) of the batch, a whole gradient.
  void images(T* sum, int64_t begin, int64_t end) const {
    if constexpr (std::is_same_v<T, float>) {
      if (direct::takes_row_gradient(s)) return images_by_rows(sum, begin, end);
      if (direct::takes_weight_gradient(s)) return images_direct(sum, begin, end);
    }
    images_packed(sum, begin, end);
  }

  void images_by_rows(float* sum, int64_t begin, int64_t end) const {
    constexpr int64_t lanes = 16;
    const int64_t depth = s.depth(), pixels = s.out_pixels(), m = s.out_channels;
    Scratch<int32_t> elements(depth);
    direct::element_offsets(elements.get(), s);
    Scratch<float> parts(m * depth * lanes);
    for (int64_t g = 0; g < s.groups; ++g, sum += m * depth) {
      std::fill_n(parts.get(), m * depth * lanes, 0.0f);
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = n * s.groups + g;
        direct::row_gradient(parts.get(), x + image * s.in_channels * s.in_pixels(),
                             gy + image * m * pixels, elements.get(), s);
      }
      for (int64_t i = 0; i < m * depth; ++i) {
        const float* const part = parts.get() + i * lanes;
        sum[i] = 0;
        for (int64_t l = 0; l < lanes; ++l) sum[i] += part[l];
      }
    }
  }

  void images_direct(float* sum, int64_t begin, int64_t end) const {
    const int64_t depth = s.depth(), pixels = s.out_pixels(), m = s.out_channels;
    const int64_t ld = direct::padded_channels(s);
    Scratch<int32_t> elements(depth);
    direct::element_offsets(elements.get(), s);
    Scratch<float> across(depth * ld), columns(pixels * ld);
    for (int64_t g = 0; g < s.groups; ++g) {
      std::fill_n(across.get(), depth * ld, 0.0f);
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = n * s.groups + g;
        transpose_panel(columns.get(), ld, gy + image * m * pixels, pixels, m, pixels);
        direct::weight_gradient(across.get(), x + image * s.in_channels * s.in_pixels(),
                                columns.get(), elements.get(), s);
      }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t k = 0; k < depth; ++k) sum[(g * m + i) * depth + k] = across[k * ld + i];
    }
  }

  void images_packed(T* sum, int64_t begin, int64_t end) const {
    const int64_t depth = s.depth(), pixels = s.out_pixels(), m = s.out_channels;
    std::fill_n(sum, s.groups * m * depth, T(0));
    Scratch<T> packed(std::min(kPatchRows, pixels) * kPatchPanel + kPatchSlack);
    for (int64_t g = 0; g < s.groups; ++g)
      for (int64_t k = 0; k < depth; k += kPatchPanel)
        for (int64_t n = begin; n < end; ++n)
          columns(sum + g * m * depth, n * s.groups + g, k, packed.get());
  }

  // One image's part of columns [k, k + kPatchPanel) of a group's gradient.
  void columns(T* sum, int64_t image, int64_t k, T* packed) const {
    const int64_t depth = s.depth(), pixels = s.out_pixels(), m = s.out_channels;
    const int64_t width = std::min(kPatchPanel, depth - k);
    const T* xi = x + image * s.in_channels * s.in_pixels();
    const T* gyi = gy + image * m * pixels;
    const int64_t ld = (width + 15) / 16 * 16;
    const int64_t readable = (s.batch * s.groups - image) * s.in_channels * s.in_pixels();
    for (int64_t p = 0; p < pixels; p += kPatchRows) {
      const int64_t rows = std::min(kPatchRows, pixels - p);
      pack_patches_transposed(packed, ld, xi, s, {k, width, p, rows, readable});
      gemm_panel(
          GemmPanel<T>{m, width, rows, gyi + p, pixels, 1, packed, ld, sum + k, depth, 1, true});
    }
  }

  // The batch is split over threads, each with its own sum: the result depends on the number of
  // threads only.
  void run() const {
    if (depthwise::takes(s)) return depthwise::weight_gradient(gw, x, gy, s);
    if constexpr (std::is_same_v<T, float>) {
      if (winograd::takes_weight_gradient(s) && winograd::weight_gradient(gw, x, gy, s)) return;
      if (onednn::prefers(s, onednn::Kind::kWeightGradient) &&
          onednn::weight_gradient(gw, x, gy, s))
        return;
      if (copies_pay() && direct::takes_weight_gradient(with_margins(s))) return run_copied();
    }
    run_parts();
  }

  // Copies of the images are cheaper than patches, where they are not few pixels.
  bool copies_pay() const {
    return best_isa == Isa::kAvx512 && !s.inside() && s.batch * s.out_pixels() >= kCopiedPixels;
  }
  void run_copied() const {
    const Padded<T> images(x, s, true);
    WeightGradient{images.shape(), gw, images.get(), gy}.run_parts();
  }

  void run_parts() const {
    const int64_t size = s.groups * s.out_channels * s.depth();
    const int64_t work = size * s.out_pixels() * s.batch;
    const int64_t parts = in_parallel_region()
                              ? 1
                              : std::clamp<int64_t>(std::min<int64_t>(work / kThreadWork, s.batch),
                                                    1, get_num_threads());
    Scratch<T> others((parts - 1) * size);
    const WeightGradient f = *this;
    T* more = others.get();
    parallel_for(0, parts, 1, [=](int64_t i, int64_t end) {
      for (; i < end; ++i)
        f.images(i == 0 ? f.gw : more + (i - 1) * size, f.s.batch * i / parts,
                 f.s.batch * (i + 1) / parts);
    });
    for (int64_t i = 0; i + 1 < parts; ++i)
      for (int64_t j = 0; j < size; ++j) gw[j] += more[i * size + j];
  }
};

// ---------------------------------------------------------------------- dtypes
// The 16-bit types are computed in float, between copies, where oneDNN does not multiply bf16.
template <class T>
using Wide = opmath_t<T>;

constexpr int64_t kCopyGrain = 1 << 15;

template <class T>
class Widened {
 public:
  explicit Widened(const In& x) : copy_(std::is_same_v<T, Wide<T>> ? 0 : x.numel) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      data_ = x.as<T>();
    } else {
      parallel_for(0, x.numel, kCopyGrain,
                   [to = copy_.get(), from = x.as<T>()](int64_t i, int64_t end) {
                     widen(to + i, from + i, end - i);
                   });
      data_ = x.defined() ? copy_.get() : nullptr;
    }
  }
  const Wide<T>* get() const { return data_; }

 private:
  Scratch<Wide<T>> copy_;
  const Wide<T>* data_;
};

template <class T>
class WidenedOut {
 public:
  explicit WidenedOut(const Out& y) : y_(y), copy_(std::is_same_v<T, Wide<T>> ? 0 : y.numel) {}
  ~WidenedOut() {
    if constexpr (!std::is_same_v<T, Wide<T>>)
      parallel_for(0, y_.numel, kCopyGrain,
                   [to = y_.as<T>(), from = copy_.get()](int64_t i, int64_t end) {
                     narrow(to + i, from + i, end - i);
                   });
  }
  Wide<T>* get() const {
    if constexpr (std::is_same_v<T, Wide<T>>)
      return y_.as<T>();
    else
      return copy_.get();
  }

 private:
  Out y_;
  Scratch<Wide<T>> copy_;
};

template <class T>
const T* bias_of(const In& b) {
  return b.defined() ? b.as<T>() : nullptr;
}

}  // namespace

void conv_forward(Out y, In x, In w, In b, ConvSteps steps) {
  const ConvShape s = conv_shape(x.sizes, w.sizes, y.sizes, steps);
  switch_dtype<dtypes::Floating>(y.dtype, "conv", [&]<class scalar_t>() {
    if constexpr (std::is_same_v<scalar_t, BFloat16>) {
      if (tiles::takes_forward(s))
        return tiles::forward(y.as<scalar_t>(), x.as<scalar_t>(), w.as<scalar_t>(),
                              bias_of<scalar_t>(b), s);
      if (onednn::prefers_bf16(s, onednn::Kind::kForward) &&
          onednn::forward(y.as<scalar_t>(), x.as<scalar_t>(), w.as<scalar_t>(),
                          bias_of<scalar_t>(b), s))
        return;
    }
    const Widened<scalar_t> wx(x), ww(w), wb(b);
    const WidenedOut<scalar_t> wy(y);
    Forward<Wide<scalar_t>>{s, wy.get(), wx.get(), ww.get(), wb.get()}.run();
  });
}

void conv_input_gradient(Out gx, In gy, In w, ConvSteps steps) {
  const ConvShape s = conv_shape(gx.sizes, w.sizes, gy.sizes, steps);
  switch_dtype<dtypes::Floating>(gx.dtype, "conv", [&]<class scalar_t>() {
    if constexpr (std::is_same_v<scalar_t, BFloat16>) {
      if (tiles::takes_input_gradient(s))
        return tiles::input_gradient(gx.as<scalar_t>(), gy.as<scalar_t>(), w.as<scalar_t>(), s);
      if (onednn::prefers_bf16(s, onednn::Kind::kInputGradient) &&
          onednn::input_gradient(gx.as<scalar_t>(), gy.as<scalar_t>(), w.as<scalar_t>(), s))
        return;
    }
    const Widened<scalar_t> wg(gy), ww(w);
    const WidenedOut<scalar_t> wx(gx);
    InputGradient<Wide<scalar_t>>{s, wx.get(), wg.get(), ww.get()}.run();
  });
}

void conv_weight_gradient(Out gw, In x, In gy, ConvSteps steps) {
  const ConvShape s = conv_shape(x.sizes, gw.sizes, gy.sizes, steps);
  switch_dtype<dtypes::Floating>(gw.dtype, "conv", [&]<class scalar_t>() {
    if constexpr (std::is_same_v<scalar_t, BFloat16>) {
      if (tiles::takes_weight_gradient(s))
        return tiles::weight_gradient(gw.as<scalar_t>(), x.as<scalar_t>(), gy.as<scalar_t>(), s);
      if (onednn::prefers_bf16(s, onednn::Kind::kWeightGradient) &&
          onednn::weight_gradient(gw.as<scalar_t>(), x.as<scalar_t>(), gy.as<scalar_t>(), s))
        return;
    }
    const Widened<scalar_t> wx(x), wg(gy);
    const WidenedOut<scalar_t> ww(gw);
    WeightGradient<Wide<scalar_t>>{s, ww.get(), wx.get(), wg.get()}.run();
  });
}

}  // namespace torch::taper::cpu
