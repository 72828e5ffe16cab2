// Functions that split tensors into views. Negative dims count from the end. A dim out of range
// throws IndexError.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Splits along `dim` into `sections` views of about equal size, or at the given indices. If the
/// size is not divisible by `sections`, the first views have one element more along `dim`.
std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim = 0);
/// Takes the indices (a vector) or the number of sections (0-dim) from an i64 tensor.
/// Errors: "tensor_split expected tensor_indices_or_sections to have dtype of long, but got Float".
std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& indices_or_sections,
                                 int64_t dim = 0);
/// Call tensor_split along dimension 1 (hsplit), 0 (vsplit) or 2 (dsplit). hsplit splits vectors
/// along dimension 0. Throw Error if the size is not divisible by `sections`.
std::vector<Tensor> hsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices);

/// Splits along dim into views of split_size. The last view may be smaller.
std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim = 0);
/// Splits along dim into views of the given sizes, which add up to the size of dim.
std::vector<Tensor> split(const Tensor& x, IntArrayRef split_sizes, int64_t dim = 0);
std::vector<Tensor> split_with_sizes(const Tensor& x, IntArrayRef split_sizes, int64_t dim = 0);
/// Splits along dim into at most `chunks` views of equal size. The last view may be smaller.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);

/// Call split() or chunk(). In LibTorch, autograd does not treat results of the unsafe functions as
/// views.
inline std::vector<Tensor> unsafe_split(const Tensor& x, int64_t split_size, int64_t dim = 0) {
  return split(x, split_size, dim);
}
inline std::vector<Tensor> unsafe_split_with_sizes(const Tensor& x, IntArrayRef split_sizes,
                                                   int64_t dim = 0) {
  return split_with_sizes(x, split_sizes, dim);
}
inline std::vector<Tensor> unsafe_chunk(const Tensor& x, int64_t chunks, int64_t dim = 0) {
  return chunk(x, chunks, dim);
}
/// Returns views of all slices along dim.
std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0);

/// Iterates over the views x[0], x[1], ... of a tensor. All views are made by one unbind(), so that
/// one node collects their gradients.
class RowIterator {
 public:
  /// Points to position `at` in `rows`. `rows` is null for the end.
  RowIterator(std::shared_ptr<const std::vector<Tensor>> rows, size_t at)
      : rows_(std::move(rows)), at_(at) {}
  Tensor operator*() const { return (*rows_)[at_]; }  ///< Returns the view.
  RowIterator& operator++() {                         ///< Moves to the next view.
    ++at_;
    return *this;
  }
  /// Compare the positions.
  ///@{
  bool operator==(const RowIterator& o) const { return at_ == o.at_; }
  bool operator!=(const RowIterator& o) const { return at_ != o.at_; }
  ///@}

 private:
  std::shared_ptr<const std::vector<Tensor>> rows_;  ///< null past the last view
  size_t at_;
};
/// Return iterators over the first dimension, for `for (Tensor row : x)`. Throw TypeError for a
/// tensor without dimensions.
///@{
RowIterator begin(const Tensor& x);
RowIterator end(const Tensor& x);
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
