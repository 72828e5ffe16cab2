// Sorting along a dimension, and the largest elements of it.
//
// NaN is the largest value; -0 equals 0. Negative dims count from the end; a 0-dim tensor counts as
// a vector of one element. Indices are kLong and have no gradient; the values' gradient goes back
// to where they came from.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// {values, indices} in ascending (descending) order. Equal elements stay in their order, whatever
/// `stable` says.
std::tuple<Tensor, Tensor> sort(const Tensor& x, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> sort(const Tensor& x, optional<bool> stable, int64_t dim = -1,
                                bool descending = false);
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t dim = -1, bool descending = false);
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      optional<bool> stable, int64_t dim = -1,
                                      bool descending = false);
/// The indices of sort.
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false);
/// `stable` is a truth value only: a whole number is a dimension.
template <class Bool, std::enable_if_t<std::is_same<Bool, bool>::value, int> = 0>
Tensor argsort(const Tensor& x, Bool /*stable*/, int64_t dim = -1, bool descending = false) {
  return argsort(x, dim, descending);
}
/// The values of sort along the first dimension.
Tensor msort(const Tensor& x);
Tensor& msort_out(Tensor& out, const Tensor& self);
/// {values, indices} of the k largest (smallest) elements, in descending (ascending) order; of
/// equal ones those with the lower index. Without `sorted` the order may be any. Throws unless 0 <=
/// k <= size; bool is not supported.
std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true,
                                bool sorted = true);
std::tuple<Tensor&, Tensor&> topk_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t k, int64_t dim = -1, bool largest = true,
                                      bool sorted = true);
/// {value, index} of the k-th smallest element, k from 1.
std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1,
                                    bool keepdim = false);
std::tuple<Tensor&, Tensor&> kthvalue_out(Tensor& values, Tensor& indices, const Tensor& self,
                                          int64_t k, int64_t dim = -1, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
