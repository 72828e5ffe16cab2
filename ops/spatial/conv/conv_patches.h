// Convolutions by matrix products. The left operand is the weights. The right operand is packed
// patches, or the image itself. Part of conv_cpu.cpp.
//
// A convolution is the product of the weights with a matrix of patches. Column p of the matrix is
// the patch of output pixel p (conv_shape.h). The matrix is never stored as a whole. Each panel of
// columns is packed into the cache and used for all output channels.
#pragma once

#include <algorithm>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/isa.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_direct.h>
#include <taper/ops/spatial/conv/conv_ways.h>

namespace torch::taper::cpu::patches {

// The largest depth of a packed panel. The panel then stays in L2.
constexpr int64_t kDepth = 512;
// The largest number of output channels for which packing an image costs more than it saves.
constexpr int64_t kInPlaceRows = 24;
// The number of patch elements that InputGradient holds at a time.
constexpr int64_t kPatchElements = 32768;
// The least number of multiply-adds for which a thread is woken.
constexpr int64_t kThreadWork = 1 << 20;

inline int64_t grain_for(int64_t work_of_one) {
  return std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, work_of_one));
}

// ---------------------------------------------------------------------- forward
/// Returns a shape that treats each image as one row, so that panels can cross row ends.
inline ConvShape in_one_row(ConvShape s) {
  s.in[2] = s.out[2] = s.in_pixels();
  s.in[0] = s.in[1] = s.out[0] = s.out[1] = 1;
  return s;
}

template <class T>
struct Forward : ConvForward<T> {
  using ConvForward<T>::s, ConvForward<T>::y, ConvForward<T>::x, ConvForward<T>::w,
      ConvForward<T>::b;
  bool across = false;  ///< true: w is (groups, depth, out channels)

  int64_t panels() const { return (s.out_pixels() + kPatchPanel - 1) / kPatchPanel; }

  // Tests whether parts of the image serve as panels without packing. This needs a kernel of one
  // element. Packing does not pay for up to kInPlaceRows output channels. For more channels,
  // packing pays if vectors are shorter than cache lines. It also pays if the channels of the image
  // are a multiple of 1 KiB apart, because channels then share few cache sets.
  bool reads_in_place() const {
    const bool few = s.out_channels <= kInPlaceRows, whole_lines = best_isa == Isa::kAvx512;
    return s.pointwise() && (few || (whole_lines && s.out_pixels() * sizeof(T) % 1024 != 0));
  }

  // Computes the panel of output pixels that starts at pixel p, for all output channels of one
  // group of one image. `image` is the index of this group among the groups of all images.
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

  // Calls range(i, end) on several threads for ranges of panels. Panels are counted over all
  // images.
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

  void run_copied() const {
    const Padded<T> images(x, s, true);
    Forward{{images.shape(), y, images.get(), w, b}}.run_direct();
  }
};

// ---------------------------------------------------------------------- gradient of the input
template <class T>
struct InputGradient : ConvInputGradient<T> {
  using ConvInputGradient<T>::s, ConvInputGradient<T>::gx, ConvInputGradient<T>::gy,
      ConvInputGradient<T>::w;

  // Returns the number of input channels whose patches are computed together. These patches fit in
  // L2.
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

  // For kernels of one element, computes the gradient as a convolution with the transposed weights.
  void run_across() const {
    ConvShape back = s;
    std::swap(back.in_channels, back.out_channels);
    Forward<T>{{back, gx, gy, w, nullptr}, true}.run_packed();
  }

  void run_packed() const {
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
struct WeightGradient : ConvWeightGradient<T> {
  using ConvWeightGradient<T>::s, ConvWeightGradient<T>::gw, ConvWeightGradient<T>::x,
      ConvWeightGradient<T>::gy;

  // Each of these functions sets `sum` to the gradient from images [begin, end) of the batch. `sum`
  // has the size of the whole gradient.
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

  // Adds to `sum` the gradient from one group of one image, for kernel elements [k, k +
  // kPatchPanel).
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

  void run_direct() const {
    run_parts(direct::takes_row_gradient(s) ? &WeightGradient::images_by_rows
                                            : &WeightGradient::images_direct);
  }
  void run_copied() const {
    const Padded<T> images(x, s, true);
    WeightGradient{{images.shape(), gw, images.get(), gy}}.run_direct();
  }
  void run_packed() const { run_parts(&WeightGradient::images_packed); }

  // Divides the batch between threads. Each thread has a separate sum, so the order of additions
  // depends only on the number of threads.
  using Images = void (WeightGradient::*)(T*, int64_t, int64_t) const;
  void run_parts(Images images) const {
    const int64_t size = s.groups * s.out_channels * s.depth();
    const int64_t work = size * s.out_pixels() * s.batch;
    const int64_t parts =
        std::clamp<int64_t>(std::min<int64_t>(work / kThreadWork, s.batch), 1, usable_threads());
    Scratch<T> others((parts - 1) * size);
    const WeightGradient f = *this;
    T* more = others.get();
    parallel_for(0, parts, 1, [=](int64_t i, int64_t end) {
      for (; i < end; ++i)
        (f.*images)(i == 0 ? f.gw : more + (i - 1) * size, f.s.batch * i / parts,
                    f.s.batch * (i + 1) / parts);
    });
    for (int64_t i = 0; i + 1 < parts; ++i)
      for (int64_t j = 0; j < size; ++j) gw[j] += more[i * size + j];
  }
};

}  // namespace torch::taper::cpu::patches
