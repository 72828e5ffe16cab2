// A part of a convolution as primitives of oneDNN, made once for each shape and kept. Not
// installed.
#pragma once

#include <compare>
#include <memory>

#include <oneapi/dnnl/dnnl.hpp>

#include <taper/ops/spatial/conv/conv_onednn.h>

namespace torch::taper::cpu::onednn {

/// What one primitive computes: `shape` counts the images and channels of the part alone. `type` is
/// that of the operands, f32 or bf16; the gradient of the weight is f32.
struct Part {
  ConvShape shape;
  Kind kind;
  dnnl::memory::data_type type;
  bool bias;
  int64_t x_channels, w_channels, y_channels;  ///< of whole images and rows of weights

  auto operator<=>(const Part&) const = default;
};

/// An operand's layout as tensors have it and as the primitive wants it.
struct Operand {
  dnnl::memory::desc plain, inner, scratchpad;
  bool result;  ///< written by the primitive, so that it comes from `inner`
  dnnl::primitive conversion;

  bool same() const { return plain == inner; }
  int64_t inner_bytes() const { return static_cast<int64_t>(inner.get_size()); }
};

struct Plan {
  Kind kind;
  int64_t images;
  dnnl::primitive convolution;
  dnnl::memory::desc bias, scratchpad;
  Operand x, w, y;

  /// The result to its plain layout, another operand to its inner one.
  static void convert(const Operand& operand, const void* from, void* to);
  /// The convolution alone, on operands in their inner layouts: one of x, w and y is written.
  void convolve(const void* x, const void* w, const void* b, const void* y) const;
};

/// Channels that oneDNN's fast layouts keep together; 0 on CPUs for which it has none.
int64_t channel_block();
/// The same for the shape: blocks do not cross groups. 0 when there is none.
int64_t channel_block(const ConvShape& s, Kind kind);

/// Whether oneDNN reads the images of so few channels as they are, as it does for a first layer:
/// blocks of them would be mostly padding.
bool reads_plain_images(const ConvShape& s, Kind kind);

/// The plan for a part; null when oneDNN has no fast kernel for it. A few hundred plans are kept;
/// any thread may ask for one, and several may use it at a time.
std::shared_ptr<const Plan> plan_of(const Part& part);

}  // namespace torch::taper::cpu::onednn
