// The kernels of index*.cpp. Tensors are contiguous unless a comment says otherwise.
#pragma once

#include <vector>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// How a new value is combined with the old value. Only scatter_along takes kMax and kMin. kMax and
/// kMin give NaN if one of the values is NaN.
enum class PutMode : int8_t { kCopy, kAdd, kMultiply, kMax, kMin };

/// The shape of a tensor as [outer, size, inner]. The middle dimension is indexed.
struct RowShape {
  int64_t outer, size, inner;
};

/// Throws unless low <= index[i] < size for all i. `wording` selects the message, which names `op`
/// and `dim`.
TAPER_KERNEL(check_index, const char* op, In index, int64_t low, int64_t size, int64_t dim,
             IndexWording wording)
/// Sets rows[i] to the row-major offset of (indices[0][i], indices[1][i], ...) in `sizes`. Negative
/// indices count from the end. Throws IndexError with the wording kDimension. The message names
/// `op` and, for indices[k], the dimension dims[k].
TAPER_KERNEL(combine_indices, const char* op, Out rows, std::vector<In> indices, Dims sizes,
             Dims dims)
/// Computes y[o, i, :] = x[o, rows[i], :]. Rows are in range.
TAPER_KERNEL(take_rows, Out y, In x, In rows, RowShape shape)
/// Sets x[o, rows[i], :] to values[o, i, :] for i = 0, 1, ..., or combines both as `mode` says.
/// `values` may also have one element. Rows are in range. For repeated rows, later values replace
/// earlier values.
TAPER_KERNEL(put_rows, InOut x, In rows, In values, RowShape shape, PutMode mode)
/// Sets y[i] to x[i with coordinate `dim` replaced by index[i]], for coordinates i. x may have any
/// strides. Throws IndexError with the wording kDimensionRt.
TAPER_KERNEL(gather_along, Out y, In x, In index, int64_t dim)
/// Sets x[i with coordinate `dim` replaced by index[i]] to src[i], for coordinates i, or combines
/// both as `mode` says. `src` may have any strides and larger sizes, or be 0-dim. Indices are in
/// range. Complex tensors do not take kMax and kMin.
TAPER_KERNEL(scatter_along, InOut x, In index, In src, int64_t dim, PutMode mode)
/// Sets count[0] to the number of nonzero elements.
TAPER_KERNEL(count_true, Out count, In x)
/// Writes the flat indices of the nonzero elements, ascending.
TAPER_KERNEL(true_positions, Out positions, In x)
/// Sets first[i] (bool) to true if i is 0 or row i differs from row i - 1, else to false. There are
/// first.numel rows of real numbers.
TAPER_KERNEL(mark_runs, Out first, In rows)
/// Converts the flat index positions[i] to coordinates in a tensor of `sizes`, and writes them to
/// coordinates[i, :].
TAPER_KERNEL(unravel_positions, Out coordinates, In positions, Dims sizes)

/// Returns the flat indices (int64, ascending) of the nonzero elements of `mask`. Synchronizes with
/// the device, because the size of the result depends on the elements.
Tensor true_positions(const Tensor& mask);

}  // namespace torch::taper
