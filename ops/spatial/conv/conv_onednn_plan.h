// oneDNN primitives for parts of convolutions. A primitive is created once per shape and kept. Not
// installed.
#pragma once

#include <compare>
#include <memory>

#include <oneapi/dnnl/dnnl.hpp>

#include <taper/ops/spatial/conv/conv_onednn.h>

namespace torch::taper::cpu::onednn {

/// The part of a convolution that one primitive computes. `shape` has the number of images and
/// channels of the part. `type` is the type of the operands, f32 or bf16. The gradient of the
/// weight is always f32.
struct Part {
  ConvShape shape;
  ConvPass kind;
  dnnl::memory::data_type type;
  bool bias;
  int64_t x_channels, w_channels, y_channels;  ///< of the whole tensors, not of the part

  auto operator<=>(const Part&) const = default;
};

/// The layouts of an operand: `plain` is the tensor's, `inner` the primitive's.
struct Operand {
  dnnl::memory::desc plain, inner, scratchpad;
  bool result;  ///< true if the primitive writes it, in layout `inner`
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

  /// Converts a result to its plain layout, and any other operand to its inner layout.
  static void convert(const Operand& operand, const void* from, void* to);
  /// Runs only the convolution, on operands in their inner layouts. It writes y, x or w, depending
  /// on `kind`.
  void convolve(const void* x, const void* w, const void* b, const void* y) const;
};

/// Returns how many channels form a block in oneDNN's fast layouts, or 0 if there is no fast layout
/// for this CPU.
int64_t channel_block();
/// Returns the number of channels in a block for this shape, or 0 if no block fits. Blocks do not
/// cross groups.
int64_t channel_block(const ConvShape& s, ConvPass kind);

/// Tests whether oneDNN reads the images in the plain layout. It does so for few channels, as in a
/// first layer, because blocks would be mostly padding.
bool reads_plain_images(const ConvShape& s, ConvPass kind);

/// Returns the plan for a part, or null if oneDNN has no fast kernel. The 256 plans that were used
/// last are kept. Several threads may use one plan at the same time.
std::shared_ptr<const Plan> plan_of(const Part& part);

}  // namespace torch::taper::cpu::onednn
