// Attention with several heads, for modules. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

struct AttentionOptions {
  double scale = 1;
  bool causal = false;
  double dropout = 0;
  /// The softmax weights that are also returned: none, their mean over the heads, or the weights of
  /// each head.
  enum Weights { kNone, kMean, kEach } weights = kNone;
};
struct AttentionOutput {
  Tensor y;        ///< (N, H, L, V), with the query's order of dimensions in memory
  Tensor weights;  ///< undefined, (N, L, S) or (N, H, L, S)
};

/// Computes attention of q (N, H, L, E), k (N, H, S, E) and v (N, H, S, V), of one floating dtype.
/// `mask` is added to the scores q k^T * scale. It is undefined, or has q's dtype and broadcasts to
/// (N, H, L, S). attend() does not check its arguments.
AttentionOutput attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                       const AttentionOptions& options);

/// For tests. attention_ways() returns the names of the ways to compute attention
/// (framework/kernel/ways.h). force_attention_way() makes all calls that the way `name` can compute
/// use this way, as TAPER_ATTENTION=name does. If `name` is null, each call uses the fastest way.
std::vector<std::string> attention_ways();
void force_attention_way(const char* name);

/// Returns a mask that is added to scores: 0 for elements of `allowed` that are true, -infinity for
/// the others.
Tensor additive_mask(const Tensor& allowed, ScalarType dtype);

}  // namespace torch::taper

#pragma GCC visibility pop
