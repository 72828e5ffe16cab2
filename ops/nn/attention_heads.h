// Attention with several heads, for modules. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

struct AttentionOptions {
  double scale = 1;
  bool causal = false;
  double dropout = 0;
  /// The weights returned beside the result: none, their mean over the heads, or each head's.
  enum Weights { kNone, kMean, kEach } weights = kNone;
};
struct AttentionOutput {
  Tensor y;        ///< (N, H, L, V), with memory in the query's dimension order
  Tensor weights;  ///< undefined, (N, L, S) or (N, H, L, S)
};

/// Computes attention of q (N, H, L, E), k (N, H, S, E) and v (N, H, S, V), of one floating dtype.
/// The mask is undefined, or has that dtype, broadcasts to (N, H, L, S), and is added. Checks
/// nothing.
AttentionOutput attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                       const AttentionOptions& options);

/// For tests: the names of the ways to compute attention (framework/kernel/ways.h).
/// force_attention_way selects a way for all that it can compute, as TAPER_ATTENTION=name does
/// (null: none).
std::vector<std::string> attention_ways();
void force_attention_way(const char* name);

/// Returns a mask to add: 0 if `allowed` is true, else -infinity.
Tensor additive_mask(const Tensor& allowed, ScalarType dtype);

}  // namespace torch::taper

#pragma GCC visibility pop
