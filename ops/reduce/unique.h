// The different elements of a tensor, or its different slices.
//
// Results are {values, inverse, counts}: inverse (kLong) says for each element which value it has,
// counts (kLong) how often each value occurs; each is empty unless asked for. NaNs all differ. No
// gradient.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Ascending, whatever `sorted` says; inverse has x's shape.
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& x, bool sorted = true,
                                            bool return_inverse = false,
                                            bool return_counts = false);
/// The same without counts.
std::tuple<Tensor, Tensor> _unique(const Tensor& x, bool sorted = true,
                                   bool return_inverse = false);
/// Slices along `dim`, in lexicographic order.
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& x, int64_t dim, bool sorted = true,
                                              bool return_inverse = false,
                                              bool return_counts = false);
/// One for each run of equal elements of the flattened x, or of equal slices along `dim`.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& x, bool return_inverse = false,
                                                      bool return_counts = false,
                                                      optional<int64_t> dim = nullopt);

/// unique_consecutive() of the slices along `dim`.
inline std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& x, int64_t dim,
                                                                 bool return_inverse = false,
                                                                 bool return_counts = false) {
  return unique_consecutive(x, return_inverse, return_counts, dim);
}

}  // namespace torch::taper

#pragma GCC visibility pop
