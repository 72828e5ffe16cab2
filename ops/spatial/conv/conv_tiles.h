// Convolutions of bf16 by tile registers (AMX). Part of conv_cpu.cpp. Panels of the matrix of
// patches are packed in pairs just before use. The weights may exceed L2, so several panels share
// one read of each part of the weights.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_direct.h>
#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cpu::tiles {

/// kLeastWork is the least number of multiply-adds for which tiles pay. kPanelsNumel is the number
/// of elements of the panels that are packed together. kRowsNumel is the number of weights that are
/// multiplied by these panels at a time. kTerms is the number of pixels over which one product sums
/// the gradient of the weight.
constexpr int64_t kLeastWork = 1 << 17, kPanelsNumel = 1 << 17, kRowsNumel = 1 << 18;
constexpr int64_t kTerms = 4096;

inline bool takes(const ConvShape& s) {
  const int64_t image = s.out_channels * s.depth() * s.out_pixels();
  return multiplies_tiles && s.out_channels >= 8 && s.depth() >= 16 &&
         s.batch * s.groups * image >= kLeastWork;
}
inline bool takes_forward(const ConvShape& s) { return takes(s); }
inline bool takes_weight_gradient(const ConvShape& s) { return takes(s) && s.out_pixels() >= 16; }

/// Packs elements [k, k + depth) of the patches of pixels [p, p + width) of an image x. Rows of
/// `to` have kPatchPanel elements. `images` images may be read, starting at x.
inline void patches(BFloat16* to, const BFloat16* x, const ConvShape& s, int64_t images, int64_t k,
                    int64_t depth, int64_t p, int64_t width) {
  const int64_t readable = images * s.in_channels * s.in_pixels();
  pack_patches(reinterpret_cast<uint16_t*>(to), words_of(x), s, {k, depth, p, width, readable});
}

struct Forward {
  ConvShape s;
  BFloat16* y;
  const BFloat16 *x, *w, *b;

  int64_t panels() const { return (s.out_pixels() + kPatchPanel - 1) / kPatchPanel; }
  int64_t at_once() const {
    return std::max<int64_t>(1, kPanelsNumel / tile_panel_numel(s.depth()));
  }
  int64_t width_of(int64_t p) const { return std::min(kPatchPanel, s.out_pixels() - p); }

  void pack(uint32_t* panel, BFloat16* rows, int64_t image, int64_t p) const {
    const BFloat16* const from = x + image * s.in_channels * s.in_pixels();
    if (s.pointwise())
      return pack_tile_panel(panel, from + p, s.in_pixels(), s.depth(), width_of(p));
    patches(rows, from, s, s.batch * s.groups - image, 0, s.depth(), p, width_of(p));
    pack_tile_panel(panel, rows, kPatchPanel, s.depth(), width_of(p));
  }
  // Computes output channels [row, row + count) of the pixels of a panel. The bias is written
  // first, and the product is added to the bias.
  void multiply(const TileRows& weights, const uint32_t* panel, int64_t image, int64_t p,
                int64_t row, int64_t count) const {
    const int64_t pixels = s.out_pixels(), m = s.out_channels;
    BFloat16* const to = y + (image * m + row) * pixels + p;
    for (int64_t r = 0; b && r < count; ++r)
      std::fill_n(to + r * pixels, width_of(p), b[image % s.groups * m + row + r]);
    weights.multiply(row, count, panel, width_of(p), b != nullptr, to, pixels);
  }
  // Computes the results of panels [i, end) of a group.
  void range(const TileRows& weights, int64_t group, int64_t i, int64_t end) const {
    const int64_t most = std::min(at_once(), end - i), numel = tile_panel_numel(s.depth());
    const int64_t rows = std::max<int64_t>(32, kRowsNumel / s.depth() / 32 * 32);
    const Scratch<uint32_t> packed(most * numel);
    const Scratch<BFloat16> copies(s.pointwise() ? 0 : s.depth() * kPatchPanel + kPatchSlack);
    const auto image = [&](int64_t q) { return q / panels() * s.groups + group; };
    const auto pixel = [&](int64_t q) { return q % panels() * kPatchPanel; };
    for (; i < end; i += most) {
      const int64_t count = std::min(most, end - i);
      for (int64_t q = 0; q < count; ++q)
        pack(packed.get() + q * numel, copies.get(), image(i + q), pixel(i + q));
      for (int64_t row = 0; row < s.out_channels; row += rows)
        for (int64_t q = 0; q < count; ++q)
          multiply(weights, packed.get() + q * numel, image(i + q), pixel(i + q), row,
                   std::min(rows, s.out_channels - row));
    }
  }
  void run() const {
    const int64_t m = s.out_channels, depth = s.depth();
    const int64_t grain = 1 + (int64_t{1} << 22) / (m * depth * kPatchPanel);
    for (int64_t g = 0; g < s.groups; ++g) {
      const TileRows weights(m, depth);
      weights.pack(0, {w + g * m * depth, depth, 1}, depth);
      parallel_for(0, s.batch * panels(), grain, [f = *this, &weights, g](int64_t i, int64_t end) {
        f.range(weights, g, i, end);
      });
    }
  }
};

inline void forward(BFloat16* y, const BFloat16* x, const BFloat16* w, const BFloat16* b,
                    const ConvShape& s) {
  const Padded<BFloat16> images(x, s, s.steps.stride[2] == 1 && !s.inside());
  Forward{images.shape(), y, images.get(), w, b}.run();
}

/// Returns the convolution that computes the gradient of the input. Returns nothing if a stride is
/// not 1, or if a padding exceeds dilation * (kernel - 1).
inline std::optional<ConvShape> backwards(const ConvShape& s) {
  ConvShape back = s;
  std::swap(back.in_channels, back.out_channels);
  for (int d = 0; d < 3; ++d) {
    back.steps.padding[d] = s.steps.dilation[d] * (s.kernel[d] - 1) - s.steps.padding[d];
    if (s.steps.stride[d] != 1 || back.steps.padding[d] < 0) return {};
    std::swap(back.in[d], back.out[d]);
  }
  return back;
}
inline bool takes_input_gradient(const ConvShape& s) {
  const std::optional<ConvShape> back = backwards(s);
  return back && takes(*back);
}
inline void input_gradient(BFloat16* gx, const BFloat16* gy, const BFloat16* w,
                           const ConvShape& s) {
  const int64_t m = s.out_channels, c = s.in_channels, elements = s.kernel_elements();
  const Scratch<BFloat16> turned(s.groups * m * c * elements);
  for (int64_t g = 0; g < s.groups; ++g)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < c; ++j) {
        const BFloat16* const from = w + ((g * m + i) * c + j) * elements;
        BFloat16* const to = turned.get() + ((g * c + j) * m + i) * elements;
        std::reverse_copy(from, from + elements, to);
      }
  forward(gx, gy, turned.get(), nullptr, *backwards(s));
}

/// Computes the gradient of the weight as sums over pixels. Several images are summed together. The
/// pixels of each image are padded to whole tiles.
struct WeightGradient {
  ConvShape s;
  float* sums;  // (groups, out channels, depth)
  const BFloat16 *x, *gy;

  int64_t image_terms() const {
    return (s.out_pixels() + kTileTerms - 1) / kTileTerms * kTileTerms;
  }

  // Adds the gradient from images [n, n + count) of group g to columns [j, j + kPatchPanel) of
  // `sums`. If n is 0, overwrites these columns.
  void columns(const TileRows& rows, uint32_t* panel, int64_t g, int64_t n, int64_t count,
               int64_t j) const {
    const int64_t depth = s.depth(), width = std::min(kPatchPanel, depth - j);
    alignas(64) BFloat16 some[kPatchPanel * kPatchPanel + kPatchSlack];
    for (int64_t i = 0; i < count; ++i)
      for (int64_t p = 0; p < s.out_pixels(); p += kPatchPanel) {
        const int64_t image = (n + i) * s.groups + g, left = s.batch * s.groups - image;
        const int64_t pixels = std::min(kPatchPanel, s.out_pixels() - p);
        patches(some, x + image * s.in_channels * s.in_pixels(), s, left, j, width, p, pixels);
        pack_tile_columns(panel, i * image_terms() + p, some, kPatchPanel, pixels, width);
      }
    rows.multiply(0, s.out_channels, panel, width, n > 0, sums + g * s.out_channels * depth + j,
                  depth);
  }
  void group(int64_t g, int64_t n, int64_t count) const {
    const int64_t pixels = s.out_pixels(), m = s.out_channels, terms = image_terms();
    const TileRows rows(m, count * terms);
    for (int64_t i = 0; i < count; ++i)
      rows.pack(i * terms, {gy + ((n + i) * s.groups + g) * m * pixels, pixels, 1}, pixels);
    const auto range = [&, f = *this](int64_t i, int64_t end) {
      const Scratch<uint32_t> panel(tile_panel_numel(count * terms));
      for (; i < end; ++i) f.columns(rows, panel.get(), g, n, count, i * kPatchPanel);
    };
    parallel_for(0, (s.depth() + kPatchPanel - 1) / kPatchPanel, 1, range);
  }
  void run() const {
    const int64_t at_once = std::max<int64_t>(1, kTerms / image_terms());
    for (int64_t g = 0; g < s.groups; ++g)
      for (int64_t n = 0; n < s.batch; n += at_once) group(g, n, std::min(at_once, s.batch - n));
  }
};

inline void weight_gradient(BFloat16* gw, const BFloat16* x, const BFloat16* gy,
                            const ConvShape& s) {
  const int64_t numel = s.groups * s.out_channels * s.depth();
  const Scratch<float> sums(numel);
  const Padded<BFloat16> images(x, s, s.steps.stride[2] == 1 && !s.inside());
  WeightGradient{images.shape(), sums.get(), images.get(), gy}.run();
  narrow(gw, sums.get(), numel);
}

}  // namespace torch::taper::cpu::tiles
