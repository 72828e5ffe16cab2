// Attention with several heads, for modules. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

struct AttentionOptions {
  double scale = 1;
  bool causal = false;
  double dropout = 0;
  /// The weights that are also returned: none, the mean over the heads, or those of each head.
  enum Weights { kNone, kMean, kEach } weights = kNone;
};
struct AttentionOutput {
  Tensor y;        ///< (N, H, L, V), with memory in the query's dimension order
  Tensor weights;  ///< undefined, (N, L, S) or (N, H, L, S)
};

/// Computes attention of q (N, H, L, E), k (N, H, S, E) and v (N, H, S, V), of one floating dtype.
/// The mask is added. It is undefined, or has the same dtype and broadcasts to (N, H, L, S). Does
/// not check its arguments.
AttentionOutput attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                       const AttentionOptions& options);

/// For tests: the names of the ways to compute attention (framework/kernel/ways.h).
/// force_attention_way selects a way for all calls that this way can compute, as
/// TAPER_ATTENTION=name does. Null selects none.
std::vector<std::string> attention_ways();
void force_attention_way(const char* name);

/// Returns a mask to add: 0 if `allowed` is true, else -infinity.
Tensor additive_mask(const Tensor& allowed, ScalarType dtype);

}  // namespace torch::taper

#pragma GCC visibility pop
