// Sorting along a dimension, and selection of the largest elements.
//
// NaN is the largest value. -0 equals 0. Negative dims count from the end. A 0-dim tensor is
// treated as a vector of one element. Indices are kLong and have no gradient. The gradient of a
// value goes to the element of x at its index.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sorts in ascending order, or in descending order with `descending`. Returns {values, indices}.
/// Equal elements keep their order, even without `stable`.
std::tuple<Tensor, Tensor> sort(const Tensor& x, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> sort(const Tensor& x, optional<bool> stable, int64_t dim = -1,
                                bool descending = false);
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t dim = -1, bool descending = false);
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      optional<bool> stable, int64_t dim = -1,
                                      bool descending = false);
/// Returns the indices that sort returns.
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false);
/// Calls argsort without `stable`. `stable` must have type bool, so that an int means a dimension.
template <class Bool, std::enable_if_t<std::is_same<Bool, bool>::value, int> = 0>
Tensor argsort(const Tensor& x, Bool /*stable*/, int64_t dim = -1, bool descending = false) {
  return argsort(x, dim, descending);
}
/// Returns x sorted along the first dimension.
Tensor msort(const Tensor& x);
Tensor& msort_out(Tensor& out, const Tensor& self);
/// Returns {values, indices} of the k largest elements in descending order. If `largest` is false,
/// returns the k smallest elements in ascending order. Of equal elements, the element with the
/// lower index comes first. Without `sorted`, the order is unspecified. Throws unless 0 <= k <=
/// size. Throws for bool tensors.
std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true,
                                bool sorted = true);
std::tuple<Tensor&, Tensor&> topk_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t k, int64_t dim = -1, bool largest = true,
                                      bool sorted = true);
/// Returns {value, index} of the k-th smallest element. k counts from 1.
std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1,
                                    bool keepdim = false);
std::tuple<Tensor&, Tensor&> kthvalue_out(Tensor& values, Tensor& indices, const Tensor& self,
                                          int64_t k, int64_t dim = -1, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
