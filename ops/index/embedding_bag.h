// Sums, means and maxima of rows of a table, by bags of integer indices.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// What `mode` makes of the rows of weight [V, D] that are in each of B bags: 0 their sum, 1 their
/// mean, 2 their maximum; zeros for an empty bag. Bag b holds indices[offsets[b]] up to
/// indices[offsets[b + 1] - 1], and the last bag the rest of `indices` [L]; with
/// `include_last_offset` the last of the B + 1 offsets is its end. Both are int64 or int32; weight
/// is floating. `per_sample_weights` [L], of weight's dtype, multiply the rows of a sum. Indices
/// equal to `padding_idx` (a negative one counts from the end) are in no bag. `scale_grad_by_freq`
/// divides a row's gradient by the number of times the row is named, in sums and means. `sparse` is
/// accepted; gradients are dense.
///
/// Returns the result [B, D]; the bag of each index [L], B for an index behind the last bag; the
/// number of indices in each bag [B]; and for maxima the row that each came from [B, D] (0 in empty
/// bags), else a tensor without elements.
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
/// The checks of embedding_bag that read indices and offsets.
void check_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
