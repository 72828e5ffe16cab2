// Attention of several heads, as modules need it. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

struct AttentionOptions {
  double scale = 1;
  bool causal = false;
  double dropout = 0;
  /// Which weights are wanted beside the result: none, their mean over the heads, or each head's.
  enum Weights { kNone, kMean, kEach } weights = kNone;
};
struct AttentionOutput {
  Tensor y;        ///< (N, H, L, V), in memory in the order of the query
  Tensor weights;  ///< undefined, (N, L, S) or (N, H, L, S)
};

/// q (N, H, L, E), k (N, H, S, E), v (N, H, S, V) of one floating dtype; mask undefined, or of that
/// dtype and broadcast to (N, H, L, S): added. Checks nothing.
AttentionOutput attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                       const AttentionOptions& options);

/// For the tests: the names of the ways to compute attention (framework/kernel/ways.h), and the way
/// that computes all that it can, as TAPER_ATTENTION=name asks for (null: none).
std::vector<std::string> attention_ways();
void force_attention_way(const char* name);

/// A mask to add: 0 where `allowed` is true, else -infinity.
Tensor additive_mask(const Tensor& allowed, ScalarType dtype);

}  // namespace torch::taper

#pragma GCC visibility pop
