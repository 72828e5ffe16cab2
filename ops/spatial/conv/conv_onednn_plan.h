// A part of a convolution as oneDNN primitives, created once per shape and kept. Not installed.
#pragma once

#include <compare>
#include <memory>

#include <oneapi/dnnl/dnnl.hpp>

#include <taper/ops/spatial/conv/conv_onednn.h>

namespace torch::taper::cpu::onednn {

/// The problem of one primitive. `shape` counts only the part's images and channels. `type` is the
/// type of the operands, f32 or bf16. The gradient of the weight is f32.
struct Part {
  ConvShape shape;
  ConvPass kind;
  dnnl::memory::data_type type;
  bool bias;
  int64_t x_channels, w_channels, y_channels;  ///< of whole images and of rows of weights

  auto operator<=>(const Part&) const = default;
};

/// The layouts of an operand: the tensor's and the primitive's.
struct Operand {
  dnnl::memory::desc plain, inner, scratchpad;
  bool result;  ///< written by the primitive, so it is converted from `inner`
  dnnl::primitive conversion;

  bool same() const { return plain == inner; }
  int64_t inner_bytes() const { return static_cast<int64_t>(inner.get_size()); }
};

struct Plan {
  ConvPass kind;
  int64_t images;
  dnnl::primitive convolution;
  dnnl::memory::desc bias, scratchpad;
  Operand x, w, y;

  /// Converts a result to its plain layout, or another operand to its inner one.
  static void convert(const Operand& operand, const void* from, void* to);
  /// Runs only the convolution, on operands in their inner layouts. One of x, w and y is written.
  void convolve(const void* x, const void* w, const void* b, const void* y) const;
};

/// Returns how many channels oneDNN's fast layouts group together, or 0 if the CPU has none.
int64_t channel_block();
/// Returns the block for the shape, because blocks do not cross groups. 0 means none.
int64_t channel_block(const ConvShape& s, ConvPass kind);

/// Tests whether oneDNN reads images of few channels in the plain layout, as for a first layer.
/// Blocks of them would be mostly padding.
bool reads_plain_images(const ConvShape& s, ConvPass kind);

/// Returns the plan for a part, or null if oneDNN has no fast kernel. A few hundred plans are kept.
/// Several threads may use one plan at a time.
std::shared_ptr<const Plan> plan_of(const Part& part);

}  // namespace torch::taper::cpu::onednn
