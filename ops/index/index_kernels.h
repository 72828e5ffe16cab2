// The kernels of index*.cpp. Tensors are contiguous unless said otherwise.
#pragma once

#include <vector>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// How a value meets the one that is there.
/// (kMax and kMin: of scatter_along alone. A NaN wins.)
enum class PutMode : int8_t { kCopy, kAdd, kMultiply, kMax, kMin };

/// A tensor seen as [outer, size, inner] around the dimension that is indexed.
struct RowShape {
  int64_t outer, size, inner;
};

/// Throws unless low <= index[i] < size for all i. `dim` and `op` are for the message.
TAPER_KERNEL(check_index, const char* op, In index, int64_t low, int64_t size, int64_t dim,
             IndexWording wording)
/// rows[i] = the place of (indices[0][i], indices[1][i], ...) in row-major order over `sizes`, with
/// negative indices counted from the end. Throws IndexError as kDimension; `op` and dims[k] are for
/// the message.
TAPER_KERNEL(combine_indices, const char* op, Out rows, std::vector<In> indices, Dims sizes,
             Dims dims)
/// y[o, i, :] = x[o, rows[i], :]. Rows are in range.
TAPER_KERNEL(take_rows, Out y, In x, In rows, RowShape shape)
/// x[o, rows[i], :] = values[o, i, :] for i = 0, 1, ..., or added to it. `values` has that shape or
/// one element. Rows are in range; what comes later wins.
TAPER_KERNEL(put_rows, InOut x, In rows, In values, RowShape shape, PutMode mode)
/// y[i...] = x[i... with index[i...] at dim]. x may have any strides. Throws as kDimensionRt.
TAPER_KERNEL(gather_along, Out y, In x, In index, int64_t dim)
/// x[i... with index[i...] at dim] = src[i...], or combined with it. `src` may have any strides and
/// larger sizes, or one element and no dimensions. Indices are in range. No kMax and kMin of
/// complex numbers.
TAPER_KERNEL(scatter_along, InOut x, In index, In src, int64_t dim, PutMode mode)
/// count[0] = number of elements that are not zero.
TAPER_KERNEL(count_true, Out count, In x)
/// positions = flat indices of those elements, in order.
TAPER_KERNEL(true_positions, Out positions, In x)
/// first[i] (bool) = row i is the first, or other than row i - 1. rows: first.numel rows of real
/// numbers.
TAPER_KERNEL(mark_runs, Out first, In rows)
/// coordinates[i, :] = positions[i] written as an index into `sizes`.
TAPER_KERNEL(unravel_positions, Out coordinates, In positions, Dims sizes)

/// Flat positions (int64, in order) of the elements of `mask` that are not zero. Waits for the
/// device, since the length depends on the data.
Tensor true_positions(const Tensor& mask);

}  // namespace torch::taper
