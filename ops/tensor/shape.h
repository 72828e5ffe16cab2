// Joining, repeating and rearranging whole tensors. Each result is new memory unless it says
// "view".
//
// Negative dims count from the end; a wrong one throws IndexError.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

// ---------------------------------------------------------------- joining
/// The tensors one after the other along `dim`; all other sizes must agree. Dtypes promote. An
/// empty vector among them counts as nothing.
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor concat(TensorList tensors, int64_t dim = 0);
Tensor concatenate(TensorList tensors, int64_t dim = 0);
/// Tensors of one shape along a new dimension `dim`.
Tensor stack(TensorList tensors, int64_t dim = 0);
/// Into `out`, which shares no memory with the tensors.
/// Errors: "torch.cat(): input types can't be cast to the desired output type Long".
Tensor& cat_out(Tensor& out, TensorList tensors, int64_t dim = 0);
Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim = 0);
/// Along dimension 1 (0 for vectors); 0-dim tensors count as vectors.
Tensor hstack(TensorList tensors);
/// Along dimension 0; vectors count as rows.
Tensor vstack(TensorList tensors);
/// Along dimension 2; vectors and matrices get the dimensions they lack.
Tensor dstack(TensorList tensors);
/// The tensor with at least 1, 2, 3 dimensions: views.
Tensor atleast_1d(const Tensor& x);
Tensor atleast_2d(const Tensor& x);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_1d(TensorList tensors);
std::vector<Tensor> atleast_2d(TensorList tensors);
std::vector<Tensor> atleast_3d(TensorList tensors);

// ---------------------------------------------------------------- repeating
/// x repeated repeats[d] times along each dimension; leading dimensions are added as needed.
Tensor repeat(const Tensor& x, IntArrayRef repeats);
/// The same with ones before `dims` where it is shorter than x.dim().
Tensor tile(const Tensor& x, IntArrayRef dims);
/// Each element (along dim; of the flattened x without it) `repeats` times in a row.
Tensor repeat_interleave(const Tensor& x, int64_t repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Element i repeats[i] times. `repeats` holds integers, one or as many as x has along dim.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Index i repeats[i] times: {2, 0, 1} gives {0, 0, 2}.
Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size = nullopt);
/// Coordinate tensors of the grid that the vectors span: views. `indexing` is "ij" or "xy" (the
/// first two dimensions swapped).
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing = "ij");

// ---------------------------------------------------------------- rearranging
/// The order of elements reversed along each of dims.
Tensor flip(const Tensor& x, IntArrayRef dims);
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
/// Elements moved by shifts[i] places along dims[i]; those beyond the end come in at the front.
/// Without dims the flattened tensor is rolled.
Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims = {});
/// k quarter turns in the plane of the two dims, from the first towards the second.
Tensor rot90(const Tensor& x, int64_t k = 1, IntArrayRef dims = {0, 1});

// ---------------------------------------------------------------- triangles and diagonals
/// The matrices in the last two dimensions with zeros above (below) the diagonal; diagonal k is k
/// places right of the main one.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);
/// The matrix with vector x on its diagonal, or the diagonal of matrix x.
Tensor diag(const Tensor& x, int64_t diagonal = 0);
/// The sum of a matrix's diagonal.
Tensor trace(const Tensor& x);

// ---------------------------------------------------------------- padding, classes
/// Adds pad[0] elements before and pad[1] after along the last dimension, pad[2] and pad[3] along
/// the one before it, ...; negative numbers remove. `mode` is "constant" (of `value`, 0 without),
/// "reflect" (without the edge; pads smaller than the size), "replicate" or "circular" (pads up to
/// the size).
Tensor pad(const Tensor& x, IntArrayRef pad, std::string_view mode = "constant",
           optional<double> value = nullopt);
Tensor constant_pad_nd(const Tensor& x, IntArrayRef pad, const Scalar& value = 0);
Tensor reflection_pad1d(const Tensor& x, IntArrayRef padding);
Tensor reflection_pad2d(const Tensor& x, IntArrayRef padding);
Tensor reflection_pad3d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad1d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad2d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad3d(const Tensor& x, IntArrayRef padding);
/// kLong tensor with a new last dimension of num_classes (the largest class + 1 for -1): 1 at the
/// class that x (kLong, from 0 to num_classes - 1) holds, else 0.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);

}  // namespace taper

#pragma GCC visibility pop
