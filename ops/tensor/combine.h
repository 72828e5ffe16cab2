// Tensors made of the elements of others: differences, powers, products of sets, splits. Made of
// other ops, whose derivatives they have.
#pragma once

#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// The same values in new memory.
inline Tensor clone(const Tensor& self, optional<MemoryFormat> format = nullopt) {
  return self.clone(format);
}
/// The number of elements.
inline int64_t numel(const Tensor& self) { return self.numel(); }

/// The n-th differences of neighbours along `dim`, of prepend, self and append joined. Bools give
/// whether they differ.
Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1,
            const optional<Tensor>& prepend = {}, const optional<Tensor>& append = {});
/// The powers of a vector as columns: N (nullopt: as many as x has) from the highest down to 0, or
/// from 0 on when `increasing`.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt, bool increasing = false);
/// The matrix with the tensors (of 0 to 2 dimensions) along its diagonal.
Tensor block_diag(TensorList tensors);
/// All tuples with one element of each vector, as rows: the last one changes fastest.
Tensor cartesian_prod(TensorList tensors);
/// All subsets of r elements of a vector as rows, in order; with_replacement an element may repeat.
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

/// Views of nearly equal parts along `dim` (the first ones are larger by one), or of the parts
/// between the given indices.
std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim = 0);
/// The same with the indices (a vector) or the number of sections (no dimensions) in an i64 tensor.
/// Errors: "tensor_split expected tensor_indices_or_sections to have dtype of long, but got Float".
std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& indices_or_sections,
                                 int64_t dim = 0);
/// tensor_split along dimension 1 (0 for vectors), 0, 2. Throws Error when sections do not divide
/// the size.
std::vector<Tensor> hsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices);
/// Vectors as columns of a matrix, beside matrices.
Tensor column_stack(TensorList tensors);
/// vstack.
Tensor row_stack(TensorList tensors);

/// self with element index[i] of the flattened tensor replaced by source[i], or added to it. Throws
/// for sizes and dtypes that differ.
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);
/// gather along `dim` with the other dimensions broadcast; nullopt: of the flattened tensor.
Tensor take_along_dim(const Tensor& self, const Tensor& indices, optional<int64_t> dim = nullopt);
/// nonzero.
Tensor argwhere(const Tensor& self);
/// Which elements are among test_elements (with `invert`: which are not); bool, of elements' sizes.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
/// The same with a number on either side; for a number as the element the result has no dimensions.
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace taper

#pragma GCC visibility pop
