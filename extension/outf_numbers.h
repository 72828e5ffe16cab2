// The `out` forms of functions of numbers,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/out_forms_numbers.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& argsort_outf(const Tensor& self, bool stable, int64_t dim, bool descending,
                            Tensor& out) {
  return argsort_out(out, self, stable, dim, descending);
}
inline Tensor& bincount_outf(const Tensor& self, const optional<Tensor>& weights, int64_t minlength,
                             Tensor& out) {
  return bincount_out(out, self, weights, minlength);
}
inline Tensor& bucketize_outf(const Tensor& self, const Tensor& boundaries, bool out_int32,
                              bool right, Tensor& out) {
  return bucketize_out(out, self, boundaries, out_int32, right);
}
inline Tensor& bucketize_outf(const Scalar& self, const Tensor& boundaries, bool out_int32,
                              bool right, Tensor& out) {
  return bucketize_out(out, self, boundaries, out_int32, right);
}
inline Tensor& chain_matmul_outf(TensorList matrices, Tensor& out) {
  return chain_matmul_out(out, matrices);
}
inline Tensor& concat_outf(TensorList tensors, int64_t dim, Tensor& out) {
  return concat_out(out, tensors, dim);
}
inline Tensor& count_nonzero_outf(const Tensor& self, IntArrayRef dim, Tensor& out) {
  return count_nonzero_out(out, self, dim);
}
inline Tensor& count_nonzero_outf(const Tensor& self, optional<int64_t> dim, Tensor& out) {
  return count_nonzero_out(out, self, dim);
}
inline Tensor& diff_outf(const Tensor& self, int64_t n, int64_t dim,
                         const optional<Tensor>& prepend, const optional<Tensor>& append,
                         Tensor& out) {
  return diff_out(out, self, n, dim, prepend, append);
}
inline Tensor& dist_outf(const Tensor& self, const Tensor& other, const Scalar& p, Tensor& out) {
  return dist_out(out, self, other, p);
}
inline Tensor& frobenius_norm_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
  return frobenius_norm_out(out, self, dim, keepdim);
}
inline std::tuple<Tensor&, Tensor&> geqrf_outf(const Tensor& self, Tensor& a, Tensor& tau) {
  return geqrf_out(a, tau, self);
}
inline Tensor& histc_outf(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max,
                          Tensor& out) {
  return histc_out(out, self, bins, min, max);
}
inline std::tuple<Tensor&, Tensor&> histogram_outf(const Tensor& self, const Tensor& bins,
                                                   const optional<Tensor>& weight, bool density,
                                                   Tensor& hist, Tensor& bin_edges) {
  return histogram_out(hist, bin_edges, self, bins, weight, density);
}
inline std::tuple<Tensor&, Tensor&> histogram_outf(const Tensor& self, int64_t bins,
                                                   optional<ArrayRef<double>> range,
                                                   const optional<Tensor>& weight, bool density,
                                                   Tensor& hist, Tensor& bin_edges) {
  return histogram_out(hist, bin_edges, self, bins, range, weight, density);
}
inline Tensor& isin_outf(const Tensor& elements, const Tensor& test_elements, bool assume_unique,
                         bool invert, Tensor& out) {
  return isin_out(out, elements, test_elements, assume_unique, invert);
}
inline Tensor& isin_outf(const Tensor& elements, const Scalar& test_element, bool assume_unique,
                         bool invert, Tensor& out) {
  return isin_out(out, elements, test_element, assume_unique, invert);
}
inline Tensor& isin_outf(const Scalar& element, const Tensor& test_elements, bool assume_unique,
                         bool invert, Tensor& out) {
  return isin_out(out, element, test_elements, assume_unique, invert);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_outf(const Tensor& self,
                                                                       bool hermitian,
                                                                       bool check_errors,
                                                                       Tensor& LD, Tensor& pivots,
                                                                       Tensor& info) {
  return linalg_ldl_factor_ex_out(LD, pivots, info, self, hermitian, check_errors);
}
inline std::tuple<Tensor&, Tensor&> linalg_ldl_factor_outf(const Tensor& self, bool hermitian,
                                                           Tensor& LD, Tensor& pivots) {
  return linalg_ldl_factor_out(LD, pivots, self, hermitian);
}
inline Tensor& linalg_ldl_solve_outf(const Tensor& LD, const Tensor& pivots, const Tensor& B,
                                     bool hermitian, Tensor& out) {
  return linalg_ldl_solve_out(out, LD, pivots, B, hermitian);
}
inline std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> linalg_lstsq_outf(const Tensor& self,
                                                                        const Tensor& b,
                                                                        optional<double> rcond,
                                                                        optional<std::string_view> driver,
                                                                        Tensor& solution,
                                                                        Tensor& residuals,
                                                                        Tensor& rank,
                                                                        Tensor& singular_values) {
  return linalg_lstsq_out(solution, residuals, rank, singular_values, self, b, rcond, driver);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_outf(const Tensor& A, bool pivot,
                                                                      bool check_errors, Tensor& LU,
                                                                      Tensor& pivots,
                                                                      Tensor& info) {
  return linalg_lu_factor_ex_out(LU, pivots, info, A, pivot, check_errors);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_outf(const Tensor& A, bool pivot, Tensor& P,
                                                            Tensor& L, Tensor& U) {
  return linalg_lu_out(P, L, U, A, pivot);
}
inline Tensor& linalg_matrix_exp_outf(const Tensor& self, Tensor& out) {
  return linalg_matrix_exp_out(out, self);
}
inline std::tuple<Tensor&, Tensor&> linalg_solve_ex_outf(const Tensor& A, const Tensor& B,
                                                         bool left, bool check_errors,
                                                         Tensor& result, Tensor& info) {
  return linalg_solve_ex_out(result, info, A, B, left, check_errors);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_outf(const Tensor& A, bool full_matrices,
                                                             optional<std::string_view> driver,
                                                             Tensor& U, Tensor& S, Tensor& Vh) {
  return linalg_svd_out(U, S, Vh, A, full_matrices, driver);
}
inline Tensor& lu_solve_outf(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots,
                             Tensor& out) {
  return lu_solve_out(out, self, LU_data, LU_pivots);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_outf(const Tensor& LU_data,
                                                            const Tensor& LU_pivots,
                                                            bool unpack_data, bool unpack_pivots,
                                                            Tensor& P, Tensor& L, Tensor& U) {
  return lu_unpack_out(P, L, U, LU_data, LU_pivots, unpack_data, unpack_pivots);
}
inline Tensor& matrix_power_outf(const Tensor& self, int64_t n, Tensor& out) {
  return matrix_power_out(out, self, n);
}
inline Tensor& nanquantile_outf(const Tensor& self, const Tensor& q, optional<int64_t> dim,
                                bool keepdim, std::string_view interpolation, Tensor& out) {
  return nanquantile_out(out, self, q, dim, keepdim, interpolation);
}
inline Tensor& nanquantile_outf(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                                std::string_view interpolation, Tensor& out) {
  return nanquantile_out(out, self, q, dim, keepdim, interpolation);
}
inline Tensor& nuclear_norm_outf(const Tensor& self, bool keepdim, Tensor& out) {
  return nuclear_norm_out(out, self, keepdim);
}
inline Tensor& nuclear_norm_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
  return nuclear_norm_out(out, self, dim, keepdim);
}
inline Tensor& orgqr_outf(const Tensor& self, const Tensor& input2, Tensor& out) {
  return orgqr_out(out, self, input2);
}
inline Tensor& ormqr_outf(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left,
                          bool transpose, Tensor& out) {
  return ormqr_out(out, self, input2, input3, left, transpose);
}
inline Tensor& quantile_outf(const Tensor& self, const Tensor& q, optional<int64_t> dim,
                             bool keepdim, std::string_view interpolation, Tensor& out) {
  return quantile_out(out, self, q, dim, keepdim, interpolation);
}
inline Tensor& quantile_outf(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                             std::string_view interpolation, Tensor& out) {
  return quantile_out(out, self, q, dim, keepdim, interpolation);
}
inline Tensor& searchsorted_outf(const Tensor& sorted_sequence, const Tensor& self, bool out_int32,
                                 bool right, optional<std::string_view> side,
                                 const optional<Tensor>& sorter, Tensor& out) {
  return searchsorted_out(out, sorted_sequence, self, out_int32, right, side, sorter);
}
inline Tensor& searchsorted_outf(const Tensor& sorted_sequence, const Scalar& self, bool out_int32,
                                 bool right, optional<std::string_view> side,
                                 const optional<Tensor>& sorter, Tensor& out) {
  return searchsorted_out(out, sorted_sequence, self, out_int32, right, side, sorter);
}
inline Tensor& segment_reduce_outf(const Tensor& data, std::string_view reduce,
                                   const optional<Tensor>& lengths, const optional<Tensor>& indices,
                                   const optional<Tensor>& offsets, int64_t axis, bool unsafe,
                                   const optional<Scalar>& initial, Tensor& out) {
  return segment_reduce_out(out, data, reduce, lengths, indices, offsets, axis, unsafe, initial);
}
inline std::tuple<Tensor&, Tensor&> slogdet_outf(const Tensor& self, Tensor& sign,
                                                 Tensor& logabsdet) {
  return slogdet_out(sign, logabsdet, self);
}
inline std::tuple<Tensor&, Tensor&> std_mean_outf(const Tensor& self, OptionalIntArrayRef dim,
                                                  const optional<Scalar>& correction, bool keepdim,
                                                  Tensor& out0, Tensor& out1) {
  return std_mean_out(out0, out1, self, dim, correction, keepdim);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> svd_outf(const Tensor& self, bool some,
                                                      bool compute_uv, Tensor& U, Tensor& S,
                                                      Tensor& V) {
  return svd_out(U, S, V, self, some, compute_uv);
}
inline std::tuple<Tensor&, Tensor&> triangular_solve_outf(const Tensor& self, const Tensor& A,
                                                          bool upper, bool transpose,
                                                          bool unitriangular, Tensor& X,
                                                          Tensor& M) {
  return triangular_solve_out(X, M, self, A, upper, transpose, unitriangular);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_consecutive_outf(const Tensor& self,
                                                                     bool return_inverse,
                                                                     bool return_counts,
                                                                     optional<int64_t> dim,
                                                                     Tensor& out0, Tensor& out1,
                                                                     Tensor& out2) {
  return unique_consecutive_out(out0, out1, out2, self, return_inverse, return_counts, dim);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_consecutive_outf(const Tensor& self,
                                                                         int64_t dim,
                                                                         bool return_inverse,
                                                                         bool return_counts,
                                                                         Tensor& out0, Tensor& out1,
                                                                         Tensor& out2) {
  return unique_dim_consecutive_out(out0, out1, out2, self, dim, return_inverse, return_counts);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_outf(const Tensor& self, int64_t dim,
                                                             bool sorted, bool return_inverse,
                                                             bool return_counts, Tensor& out0,
                                                             Tensor& out1, Tensor& out2) {
  return unique_dim_out(out0, out1, out2, self, dim, sorted, return_inverse, return_counts);
}
inline std::tuple<Tensor&, Tensor&> var_mean_outf(const Tensor& self, OptionalIntArrayRef dim,
                                                  const optional<Scalar>& correction, bool keepdim,
                                                  Tensor& out0, Tensor& out1) {
  return var_mean_out(out0, out1, self, dim, correction, keepdim);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
