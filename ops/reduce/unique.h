// The distinct elements of a tensor, or its distinct slices.
//
// Functions return {values, inverse, counts}. inverse (kLong) holds the index of each element's
// value in `values`. counts (kLong) holds the number of elements per value. inverse and counts are
// empty unless return_inverse and return_counts are true. Each NaN is a distinct value. There is no
// gradient.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the distinct elements in ascending order, even without `sorted`. inverse has x's shape.
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& x, bool sorted = true,
                                            bool return_inverse = false,
                                            bool return_counts = false);
/// Returns the values and the inverse of _unique2.
std::tuple<Tensor, Tensor> _unique(const Tensor& x, bool sorted = true,
                                   bool return_inverse = false);
/// Returns the distinct slices along `dim`, in lexicographic order.
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& x, int64_t dim, bool sorted = true,
                                              bool return_inverse = false,
                                              bool return_counts = false);
/// Merges neighbouring equal elements of the flattened x, or neighbouring equal slices along `dim`.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& x, bool return_inverse = false,
                                                      bool return_counts = false,
                                                      optional<int64_t> dim = nullopt);

/// Calls unique_consecutive() on the slices along `dim`.
inline std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& x, int64_t dim,
                                                                 bool return_inverse = false,
                                                                 bool return_counts = false) {
  return unique_consecutive(x, return_inverse, return_counts, dim);
}

}  // namespace torch::taper

#pragma GCC visibility pop
