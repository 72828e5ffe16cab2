// `out` forms of reductions and linear algebra whose own headers have none: see out_forms.h.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/shared/shared.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// argsort into `out`.
inline Tensor& argsort_out(Tensor& out, const Tensor& self, bool stable, int64_t dim = -1,
                           bool descending = false) {
  const detail::OutScope scope("argsort", {out}, {self});
  return store_out("argsort", out, argsort(self, stable, dim, descending), {self});
}
/// bincount into `out`.
inline Tensor& bincount_out(Tensor& out, const Tensor& self, const optional<Tensor>& weights = {},
                            int64_t minlength = 0) {
  const detail::OutScope scope("bincount", {out}, {self});
  return store_out("bincount", out, bincount(self, weights, minlength), {self});
}
/// bucketize into `out`.
inline Tensor& bucketize_out(Tensor& out, const Tensor& self, const Tensor& boundaries,
                             bool out_int32 = false, bool right = false) {
  const detail::OutScope scope("bucketize", {out}, {self, boundaries});
  return store_out("bucketize", out, bucketize(self, boundaries, out_int32, right),
                   {self, boundaries});
}
/// bucketize into `out`.
inline Tensor& bucketize_out(Tensor& out, const Scalar& self, const Tensor& boundaries,
                             bool out_int32 = false, bool right = false) {
  const detail::OutScope scope("bucketize", {out}, {boundaries});
  return store_out("bucketize", out, bucketize(self, boundaries, out_int32, right), {boundaries});
}
/// chain_matmul into `out`.
inline Tensor& chain_matmul_out(Tensor& out, TensorList matrices) {
  const detail::OutScope scope("chain_matmul", {out}, {});
  return store_out("chain_matmul", out, chain_matmul(matrices), {});
}
/// concat into `out`.
inline Tensor& concat_out(Tensor& out, TensorList tensors, int64_t dim = 0) {
  const detail::OutScope scope("concat", {out}, {});
  return store_out("concat", out, concat(tensors, dim), {});
}
/// count_nonzero into `out`.
inline Tensor& count_nonzero_out(Tensor& out, const Tensor& self, IntArrayRef dim) {
  const detail::OutScope scope("count_nonzero", {out}, {self});
  return store_out("count_nonzero", out, count_nonzero(self, dim), {self});
}
/// count_nonzero into `out`.
inline Tensor& count_nonzero_out(Tensor& out, const Tensor& self, optional<int64_t> dim = nullopt) {
  const detail::OutScope scope("count_nonzero", {out}, {self});
  return store_out("count_nonzero", out, count_nonzero(self, dim), {self});
}
/// diff into `out`.
inline Tensor& diff_out(Tensor& out, const Tensor& self, int64_t n = 1, int64_t dim = -1,
                        const optional<Tensor>& prepend = {}, const optional<Tensor>& append = {}) {
  const detail::OutScope scope("diff", {out}, {self});
  return store_out("diff", out, diff(self, n, dim, prepend, append), {self});
}
/// dist into `out`.
inline Tensor& dist_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& p = 2) {
  const detail::OutScope scope("dist", {out}, {self, other});
  return store_out("dist", out, dist(self, other, p), {self, other});
}
/// frobenius_norm into `out`.
inline Tensor& frobenius_norm_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                  bool keepdim = false) {
  const detail::OutScope scope("frobenius_norm", {out}, {self});
  return store_out("frobenius_norm", out, frobenius_norm(self, dim, keepdim), {self});
}
/// geqrf into the first arguments.
inline std::tuple<Tensor&, Tensor&> geqrf_out(Tensor& a, Tensor& tau, const Tensor& self) {
  const detail::OutScope scope("geqrf", {a, tau}, {self});
  return detail::store_results("geqrf", std::tie(a, tau), geqrf(self), {self});
}
/// histc into `out`.
inline Tensor& histc_out(Tensor& out, const Tensor& self, int64_t bins = 100, const Scalar& min = 0,
                         const Scalar& max = 0) {
  const detail::OutScope scope("histc", {out}, {self});
  return store_out("histc", out, histc(self, bins, min, max), {self});
}
/// histogram into the first arguments.
inline std::tuple<Tensor&, Tensor&> histogram_out(Tensor& hist, Tensor& bin_edges,
                                                  const Tensor& self, const Tensor& bins,
                                                  const optional<Tensor>& weight = {},
                                                  bool density = false) {
  const detail::OutScope scope("histogram", {hist, bin_edges}, {self, bins});
  return detail::store_results("histogram", std::tie(hist, bin_edges),
                               histogram(self, bins, weight, density), {self, bins});
}
/// histogram into the first arguments.
inline std::tuple<Tensor&, Tensor&> histogram_out(Tensor& hist, Tensor& bin_edges,
                                                  const Tensor& self, int64_t bins = 100,
                                                  optional<ArrayRef<double>> range = nullopt,
                                                  const optional<Tensor>& weight = {},
                                                  bool density = false) {
  const detail::OutScope scope("histogram", {hist, bin_edges}, {self});
  return detail::store_results("histogram", std::tie(hist, bin_edges),
                               histogram(self, bins, range, weight, density), {self});
}
/// isin into `out`.
inline Tensor& isin_out(Tensor& out, const Tensor& elements, const Tensor& test_elements,
                        bool assume_unique = false, bool invert = false) {
  const detail::OutScope scope("isin", {out}, {elements, test_elements});
  return store_out("isin", out, isin(elements, test_elements, assume_unique, invert),
                   {elements, test_elements});
}
/// isin into `out`.
inline Tensor& isin_out(Tensor& out, const Tensor& elements, const Scalar& test_element,
                        bool assume_unique = false, bool invert = false) {
  const detail::OutScope scope("isin", {out}, {elements});
  return store_out("isin", out, isin(elements, test_element, assume_unique, invert), {elements});
}
/// isin into `out`.
inline Tensor& isin_out(Tensor& out, const Scalar& element, const Tensor& test_elements,
                        bool assume_unique = false, bool invert = false) {
  const detail::OutScope scope("isin", {out}, {test_elements});
  return store_out("isin", out, isin(element, test_elements, assume_unique, invert),
                   {test_elements});
}
/// linalg_ldl_factor_ex into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_out(Tensor& LD, Tensor& pivots,
                                                                      Tensor& info,
                                                                      const Tensor& self,
                                                                      bool hermitian = false,
                                                                      bool check_errors = false) {
  const detail::OutScope scope("linalg_ldl_factor_ex", {LD, pivots, info}, {self});
  return detail::store_results("linalg_ldl_factor_ex", std::tie(LD, pivots, info),
                               linalg_ldl_factor_ex(self, hermitian, check_errors), {self});
}
/// linalg_ldl_factor into the first arguments.
inline std::tuple<Tensor&, Tensor&> linalg_ldl_factor_out(Tensor& LD, Tensor& pivots,
                                                          const Tensor& self,
                                                          bool hermitian = false) {
  const detail::OutScope scope("linalg_ldl_factor", {LD, pivots}, {self});
  return detail::store_results("linalg_ldl_factor", std::tie(LD, pivots),
                               linalg_ldl_factor(self, hermitian), {self});
}
/// linalg_ldl_solve into `out`.
inline Tensor& linalg_ldl_solve_out(Tensor& out, const Tensor& LD, const Tensor& pivots,
                                    const Tensor& B, bool hermitian = false) {
  const detail::OutScope scope("linalg_ldl_solve", {out}, {LD, pivots, B});
  return store_out("linalg_ldl_solve", out, linalg_ldl_solve(LD, pivots, B, hermitian),
                   {LD, pivots, B});
}
/// linalg_lstsq into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> linalg_lstsq_out(
    Tensor& solution, Tensor& residuals, Tensor& rank, Tensor& singular_values, const Tensor& self,
    const Tensor& b, optional<double> rcond = nullopt,
    optional<std::string_view> driver = nullopt) {
  const detail::OutScope scope("linalg_lstsq", {solution, residuals, rank, singular_values},
                               {self, b});
  return detail::store_results("linalg_lstsq", std::tie(solution, residuals, rank, singular_values),
                               linalg_lstsq(self, b, rcond, driver), {self, b});
}
/// linalg_lu_factor_ex into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_out(Tensor& LU, Tensor& pivots,
                                                                     Tensor& info, const Tensor& A,
                                                                     bool pivot = true,
                                                                     bool check_errors = false) {
  const detail::OutScope scope("linalg_lu_factor_ex", {LU, pivots, info}, {A});
  return detail::store_results("linalg_lu_factor_ex", std::tie(LU, pivots, info),
                               linalg_lu_factor_ex(A, pivot, check_errors), {A});
}
/// linalg_lu into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_out(Tensor& P, Tensor& L, Tensor& U,
                                                           const Tensor& A, bool pivot = true) {
  const detail::OutScope scope("linalg_lu", {P, L, U}, {A});
  return detail::store_results("linalg_lu", std::tie(P, L, U), linalg_lu(A, pivot), {A});
}
/// linalg_matrix_exp into `out`.
inline Tensor& linalg_matrix_exp_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("linalg_matrix_exp", {out}, {self});
  return store_out("linalg_matrix_exp", out, linalg_matrix_exp(self), {self});
}
/// linalg_solve_ex into the first arguments.
inline std::tuple<Tensor&, Tensor&> linalg_solve_ex_out(Tensor& result, Tensor& info,
                                                        const Tensor& A, const Tensor& B,
                                                        bool left = true,
                                                        bool check_errors = false) {
  const detail::OutScope scope("linalg_solve_ex", {result, info}, {A, B});
  return detail::store_results("linalg_solve_ex", std::tie(result, info),
                               linalg_solve_ex(A, B, left, check_errors), {A, B});
}
/// linalg_svd into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(
    Tensor& U, Tensor& S, Tensor& Vh, const Tensor& A, bool full_matrices = true,
    optional<std::string_view> driver = nullopt) {
  const detail::OutScope scope("linalg_svd", {U, S, Vh}, {A});
  return detail::store_results("linalg_svd", std::tie(U, S, Vh),
                               linalg_svd(A, full_matrices, driver), {A});
}
/// lu_solve into `out`.
inline Tensor& lu_solve_out(Tensor& out, const Tensor& self, const Tensor& LU_data,
                            const Tensor& LU_pivots) {
  const detail::OutScope scope("lu_solve", {out}, {self, LU_data, LU_pivots});
  return store_out("lu_solve", out, lu_solve(self, LU_data, LU_pivots), {self, LU_data, LU_pivots});
}
/// lu_unpack into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_out(Tensor& P, Tensor& L, Tensor& U,
                                                           const Tensor& LU_data,
                                                           const Tensor& LU_pivots,
                                                           bool unpack_data = true,
                                                           bool unpack_pivots = true) {
  const detail::OutScope scope("lu_unpack", {P, L, U}, {LU_data, LU_pivots});
  return detail::store_results("lu_unpack", std::tie(P, L, U),
                               lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots),
                               {LU_data, LU_pivots});
}
/// matrix_power into `out`.
inline Tensor& matrix_power_out(Tensor& out, const Tensor& self, int64_t n) {
  const detail::OutScope scope("matrix_power", {out}, {self});
  return store_out("matrix_power", out, matrix_power(self, n), {self});
}
/// nanquantile into `out`.
inline Tensor& nanquantile_out(Tensor& out, const Tensor& self, const Tensor& q,
                               optional<int64_t> dim = nullopt, bool keepdim = false,
                               std::string_view interpolation = "linear") {
  const detail::OutScope scope("nanquantile", {out}, {self, q});
  return store_out("nanquantile", out, nanquantile(self, q, dim, keepdim, interpolation),
                   {self, q});
}
/// nanquantile into `out`.
inline Tensor& nanquantile_out(Tensor& out, const Tensor& self, double q,
                               optional<int64_t> dim = nullopt, bool keepdim = false,
                               std::string_view interpolation = "linear") {
  const detail::OutScope scope("nanquantile", {out}, {self});
  return store_out("nanquantile", out, nanquantile(self, q, dim, keepdim, interpolation), {self});
}
/// nuclear_norm into `out`.
inline Tensor& nuclear_norm_out(Tensor& out, const Tensor& self, bool keepdim = false) {
  const detail::OutScope scope("nuclear_norm", {out}, {self});
  return store_out("nuclear_norm", out, nuclear_norm(self, keepdim), {self});
}
/// nuclear_norm into `out`.
inline Tensor& nuclear_norm_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                bool keepdim = false) {
  const detail::OutScope scope("nuclear_norm", {out}, {self});
  return store_out("nuclear_norm", out, nuclear_norm(self, dim, keepdim), {self});
}
/// orgqr into `out`.
inline Tensor& orgqr_out(Tensor& out, const Tensor& self, const Tensor& input2) {
  const detail::OutScope scope("orgqr", {out}, {self, input2});
  return store_out("orgqr", out, orgqr(self, input2), {self, input2});
}
/// ormqr into `out`.
inline Tensor& ormqr_out(Tensor& out, const Tensor& self, const Tensor& input2,
                         const Tensor& input3, bool left = true, bool transpose = false) {
  const detail::OutScope scope("ormqr", {out}, {self, input2, input3});
  return store_out("ormqr", out, ormqr(self, input2, input3, left, transpose),
                   {self, input2, input3});
}
/// quantile into `out`.
inline Tensor& quantile_out(Tensor& out, const Tensor& self, const Tensor& q,
                            optional<int64_t> dim = nullopt, bool keepdim = false,
                            std::string_view interpolation = "linear") {
  const detail::OutScope scope("quantile", {out}, {self, q});
  return store_out("quantile", out, quantile(self, q, dim, keepdim, interpolation), {self, q});
}
/// quantile into `out`.
inline Tensor& quantile_out(Tensor& out, const Tensor& self, double q,
                            optional<int64_t> dim = nullopt, bool keepdim = false,
                            std::string_view interpolation = "linear") {
  const detail::OutScope scope("quantile", {out}, {self});
  return store_out("quantile", out, quantile(self, q, dim, keepdim, interpolation), {self});
}
/// searchsorted into `out`.
inline Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Tensor& self,
                                bool out_int32 = false, bool right = false,
                                optional<std::string_view> side = nullopt,
                                const optional<Tensor>& sorter = {}) {
  const detail::OutScope scope("searchsorted", {out}, {sorted_sequence, self});
  return store_out("searchsorted", out,
                   searchsorted(sorted_sequence, self, out_int32, right, side, sorter),
                   {sorted_sequence, self});
}
/// searchsorted into `out`.
inline Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Scalar& self,
                                bool out_int32 = false, bool right = false,
                                optional<std::string_view> side = nullopt,
                                const optional<Tensor>& sorter = {}) {
  const detail::OutScope scope("searchsorted", {out}, {sorted_sequence});
  return store_out("searchsorted", out,
                   searchsorted(sorted_sequence, self, out_int32, right, side, sorter),
                   {sorted_sequence});
}
/// segment_reduce into `out`.
inline Tensor& segment_reduce_out(Tensor& out, const Tensor& data, std::string_view reduce,
                                  const optional<Tensor>& lengths = {},
                                  const optional<Tensor>& indices = {},
                                  const optional<Tensor>& offsets = {}, int64_t axis = 0,
                                  bool unsafe = false, const optional<Scalar>& initial = nullopt) {
  const detail::OutScope scope("segment_reduce", {out}, {data});
  return store_out("segment_reduce", out,
                   segment_reduce(data, reduce, lengths, indices, offsets, axis, unsafe, initial),
                   {data});
}
/// slogdet into the first arguments.
inline std::tuple<Tensor&, Tensor&> slogdet_out(Tensor& sign, Tensor& logabsdet,
                                                const Tensor& self) {
  const detail::OutScope scope("slogdet", {sign, logabsdet}, {self});
  return detail::store_results("slogdet", std::tie(sign, logabsdet), slogdet(self), {self});
}
/// std_mean into the first arguments.
inline std::tuple<Tensor&, Tensor&> std_mean_out(Tensor& out0, Tensor& out1, const Tensor& self,
                                                 OptionalIntArrayRef dim = nullopt,
                                                 const optional<Scalar>& correction = nullopt,
                                                 bool keepdim = false) {
  const detail::OutScope scope("std_mean", {out0, out1}, {self});
  return detail::store_results("std_mean", std::tie(out0, out1),
                               std_mean(self, dim, correction, keepdim), {self});
}
/// svd into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> svd_out(Tensor& U, Tensor& S, Tensor& V,
                                                     const Tensor& self, bool some = true,
                                                     bool compute_uv = true) {
  const detail::OutScope scope("svd", {U, S, V}, {self});
  return detail::store_results("svd", std::tie(U, S, V), svd(self, some, compute_uv), {self});
}
/// triangular_solve into the first arguments.
inline std::tuple<Tensor&, Tensor&> triangular_solve_out(Tensor& X, Tensor& M, const Tensor& self,
                                                         const Tensor& A, bool upper = true,
                                                         bool transpose = false,
                                                         bool unitriangular = false) {
  const detail::OutScope scope("triangular_solve", {X, M}, {self, A});
  return detail::store_results("triangular_solve", std::tie(X, M),
                               triangular_solve(self, A, upper, transpose, unitriangular),
                               {self, A});
}
/// unique_consecutive into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_consecutive_out(
    Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, bool return_inverse = false,
    bool return_counts = false, optional<int64_t> dim = nullopt) {
  const detail::OutScope scope("unique_consecutive", {out0, out1, out2}, {self});
  return detail::store_results("unique_consecutive", std::tie(out0, out1, out2),
                               unique_consecutive(self, return_inverse, return_counts, dim),
                               {self});
}
/// unique_dim_consecutive into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_consecutive_out(
    Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, int64_t dim,
    bool return_inverse = false, bool return_counts = false) {
  const detail::OutScope scope("unique_dim_consecutive", {out0, out1, out2}, {self});
  return detail::store_results("unique_dim_consecutive", std::tie(out0, out1, out2),
                               unique_dim_consecutive(self, dim, return_inverse, return_counts),
                               {self});
}
/// unique_dim into the first arguments.
inline std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_out(Tensor& out0, Tensor& out1,
                                                            Tensor& out2, const Tensor& self,
                                                            int64_t dim, bool sorted = true,
                                                            bool return_inverse = false,
                                                            bool return_counts = false) {
  const detail::OutScope scope("unique_dim", {out0, out1, out2}, {self});
  return detail::store_results("unique_dim", std::tie(out0, out1, out2),
                               unique_dim(self, dim, sorted, return_inverse, return_counts),
                               {self});
}
/// var_mean into the first arguments.
inline std::tuple<Tensor&, Tensor&> var_mean_out(Tensor& out0, Tensor& out1, const Tensor& self,
                                                 OptionalIntArrayRef dim = nullopt,
                                                 const optional<Scalar>& correction = nullopt,
                                                 bool keepdim = false) {
  const detail::OutScope scope("var_mean", {out0, out1}, {self});
  return detail::store_results("var_mean", std::tie(out0, out1),
                               var_mean(self, dim, correction, keepdim), {self});
}

}  // namespace torch::taper

#pragma GCC visibility pop
