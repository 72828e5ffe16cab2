// Sums, means and maxima of rows of a table, over bags of integer indices.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Reduces the rows of weight [V, D] in each of B bags. `mode` selects the reduction: 0 sum, 1
/// mean, 2 maximum. An empty bag gives zeros. Bag b holds the elements offsets[b] to offsets[b + 1]
/// - 1 of `indices` [L]. The last bag holds all remaining indices. With `include_last_offset` there
/// are B + 1 offsets, and the last offset is the end of the last bag. Indices and offsets are int64
/// or int32. weight is floating. `per_sample_weights` [L] has weight's dtype. Row indices[i] of a
/// sum is multiplied by per_sample_weights[i]. Indices equal to `padding_idx` are ignored. A
/// negative `padding_idx` counts from the end. For sums and means, `scale_grad_by_freq` divides a
/// row's gradient by the number of its uses. `sparse` is accepted, but gradients are dense.
///
/// Returns four tensors. The first is the result [B, D]. The second [L] holds the bag of each
/// index, or B for an index after the last bag. The third [B] holds the number of indices in each
/// bag. For maxima, the fourth [B, D] holds the row of each maximum, or 0 in empty bags. For other
/// modes, the fourth is empty.
///
/// Errors: "offsets[0] has to be 0, ...", "offsets[-1] can not be greater than input's length 3 but
/// got offsets[-1] of 4", "embedding_bag: per_sample_weights only supported with mode='sum'",
/// IndexError "index out of range in self".
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const optional<Tensor>& per_sample_weights, bool include_last_offset,
    optional<int64_t> padding_idx);
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    bool scale_grad_by_freq = false, int64_t mode = 0, bool sparse = false,
    const optional<Tensor>& per_sample_weights = {}, bool include_last_offset = false);

namespace detail {
/// Throws if a value in `indices` or `offsets` is not valid for embedding_bag.
void check_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
