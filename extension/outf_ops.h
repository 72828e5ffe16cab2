// The `out` forms of the other families of ops/,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/linalg/cross.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_eig.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& mm_outf(const Tensor& self, const Tensor& mat2, ScalarType out_dtype, Tensor& out) {
  return mm_out(out, self, mat2, out_dtype);
}
inline Tensor& bmm_outf(const Tensor& self, const Tensor& mat2, ScalarType out_dtype, Tensor& out) {
  return bmm_out(out, self, mat2, out_dtype);
}
inline Tensor& addmm_outf(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                          ScalarType out_dtype, const Scalar& beta, const Scalar& alpha,
                          Tensor& out) {
  return addmm_out(out, self, mat1, mat2, out_dtype, beta, alpha);
}
inline Tensor& baddbmm_outf(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                            ScalarType out_dtype, const Scalar& beta, const Scalar& alpha,
                            Tensor& out) {
  return baddbmm_out(out, self, batch1, batch2, out_dtype, beta, alpha);
}
inline Tensor& fft_fft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                            Tensor& out) {
  return fft_fft_out(out, self, n, dim, norm);
}
inline Tensor& fft_fft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                             fft::Norm norm, Tensor& out) {
  return fft_fft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_fftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                             fft::Norm norm, Tensor& out) {
  return fft_fftn_out(out, self, s, dim, norm);
}
inline Tensor& fft_ifft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                             Tensor& out) {
  return fft_ifft_out(out, self, n, dim, norm);
}
inline Tensor& fft_ifft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_ifft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_ifftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_ifftn_out(out, self, s, dim, norm);
}
inline Tensor& fft_rfft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                             Tensor& out) {
  return fft_rfft_out(out, self, n, dim, norm);
}
inline Tensor& fft_rfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_rfft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_rfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_rfftn_out(out, self, s, dim, norm);
}
inline Tensor& fft_irfft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                              Tensor& out) {
  return fft_irfft_out(out, self, n, dim, norm);
}
inline Tensor& fft_irfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                               fft::Norm norm, Tensor& out) {
  return fft_irfft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_irfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                               fft::Norm norm, Tensor& out) {
  return fft_irfftn_out(out, self, s, dim, norm);
}
inline Tensor& fft_hfft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                             Tensor& out) {
  return fft_hfft_out(out, self, n, dim, norm);
}
inline Tensor& fft_hfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_hfft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_hfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                              fft::Norm norm, Tensor& out) {
  return fft_hfftn_out(out, self, s, dim, norm);
}
inline Tensor& fft_ihfft_outf(const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm,
                              Tensor& out) {
  return fft_ihfft_out(out, self, n, dim, norm);
}
inline Tensor& fft_ihfft2_outf(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim,
                               fft::Norm norm, Tensor& out) {
  return fft_ihfft2_out(out, self, s, dim, norm);
}
inline Tensor& fft_ihfftn_outf(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                               fft::Norm norm, Tensor& out) {
  return fft_ihfftn_out(out, self, s, dim, norm);
}
inline Tensor& take_outf(const Tensor& self, const Tensor& index, Tensor& out) {
  return take_out(out, self, index);
}
inline Tensor& index_select_outf(const Tensor& self, int64_t dim, const Tensor& index,
                                 Tensor& out) {
  return index_select_out(out, self, dim, index);
}
inline Tensor& index_add_outf(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& source, const Scalar& alpha, Tensor& out) {
  return index_add_out(out, self, dim, index, source, alpha);
}
inline Tensor& index_copy_outf(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& source, Tensor& out) {
  return index_copy_out(out, self, dim, index, source);
}
inline Tensor& nonzero_outf(const Tensor& self, Tensor& out) { return nonzero_out(out, self); }
inline Tensor& nonzero_static_outf(const Tensor& self, int64_t size, int64_t fill_value,
                                   Tensor& out) {
  return nonzero_static_out(out, self, size, fill_value);
}
inline Tensor& gather_outf(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad,
                           Tensor& out) {
  return gather_out(out, self, dim, index, sparse_grad);
}
inline Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            Tensor& out) {
  return scatter_out(out, self, dim, index, src);
}
inline Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index,
                            const Scalar& value, Tensor& out) {
  return scatter_out(out, self, dim, index, value);
}
inline Tensor& scatter_add_outf(const Tensor& self, int64_t dim, const Tensor& index,
                                const Tensor& src, Tensor& out) {
  return scatter_add_out(out, self, dim, index, src);
}
inline Tensor& take_along_dim_outf(const Tensor& self, const Tensor& indices, optional<int64_t> dim,
                                   Tensor& out) {
  return take_along_dim_out(out, self, indices, dim);
}
inline Tensor& cross_outf(const Tensor& self, const Tensor& other, optional<int64_t> dim,
                          Tensor& out) {
  return cross_out(out, self, other, dim);
}
inline Tensor& linalg_cross_outf(const Tensor& self, const Tensor& other, int64_t dim,
                                 Tensor& out) {
  return linalg_cross_out(out, self, other, dim);
}
inline Tensor& tensordot_outf(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                              IntArrayRef dims_other, Tensor& out) {
  return tensordot_out(out, self, other, dims_self, dims_other);
}
inline Tensor& kron_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return kron_out(out, self, other);
}
inline Tensor& linalg_eigvals_outf(const Tensor& A, Tensor& out) {
  return linalg_eigvals_out(out, A);
}
inline std::tuple<Tensor&, Tensor&> linalg_eig_outf(const Tensor& A, Tensor& eigenvalues,
                                                    Tensor& eigenvectors) {
  return linalg_eig_out(eigenvalues, eigenvectors, A);
}
inline Tensor& linalg_cholesky_outf(const Tensor& A, bool upper, Tensor& out) {
  return linalg_cholesky_out(out, A, upper);
}
inline Tensor& cholesky_inverse_outf(const Tensor& self, bool upper, Tensor& out) {
  return cholesky_inverse_out(out, self, upper);
}
inline Tensor& cholesky_solve_outf(const Tensor& self, const Tensor& input2, bool upper,
                                   Tensor& out) {
  return cholesky_solve_out(out, self, input2, upper);
}
inline std::tuple<Tensor&, Tensor&> linalg_qr_outf(const Tensor& A, std::string_view mode,
                                                   Tensor& Q, Tensor& R) {
  return linalg_qr_out(Q, R, A, mode);
}
inline Tensor& linalg_eigvalsh_outf(const Tensor& A, std::string_view UPLO, Tensor& out) {
  return linalg_eigvalsh_out(out, A, UPLO);
}
inline Tensor& linalg_svdvals_outf(const Tensor& A, optional<std::string_view> driver,
                                   Tensor& out) {
  return linalg_svdvals_out(out, A, driver);
}
inline std::tuple<Tensor&, Tensor&> linalg_eigh_outf(const Tensor& A, std::string_view UPLO,
                                                     Tensor& eigenvalues, Tensor& eigenvectors) {
  return linalg_eigh_out(eigenvalues, eigenvectors, A, UPLO);
}
inline std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_outf(const Tensor& A, bool upper,
                                                            bool check_errors, Tensor& L,
                                                            Tensor& info) {
  return linalg_cholesky_ex_out(L, info, A, upper, check_errors);
}
inline Tensor& linalg_householder_product_outf(const Tensor& input, const Tensor& tau,
                                               Tensor& out) {
  return linalg_householder_product_out(out, input, tau);
}
inline Tensor& linalg_lu_solve_outf(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                                    bool left, bool adjoint, Tensor& out) {
  return linalg_lu_solve_out(out, LU, pivots, B, left, adjoint);
}
inline std::tuple<Tensor&, Tensor&> linalg_lu_factor_outf(const Tensor& A, bool pivot, Tensor& LU,
                                                          Tensor& pivots) {
  return linalg_lu_factor_out(LU, pivots, A, pivot);
}
inline Tensor& linalg_matrix_power_outf(const Tensor& A, int64_t n, Tensor& out) {
  return linalg_matrix_power_out(out, A, n);
}
inline Tensor& linalg_multi_dot_outf(TensorList tensors, Tensor& out) {
  return linalg_multi_dot_out(out, tensors);
}
inline Tensor& linalg_pinv_outf(const Tensor& A, double rcond, bool hermitian, Tensor& out) {
  return linalg_pinv_out(out, A, rcond, hermitian);
}
inline Tensor& linalg_pinv_outf(const Tensor& A, optional<double> atol, optional<double> rtol,
                                bool hermitian, Tensor& out) {
  return linalg_pinv_out(out, A, atol, rtol, hermitian);
}
inline Tensor& linalg_matrix_rank_outf(const Tensor& A, double tol, bool hermitian, Tensor& out) {
  return linalg_matrix_rank_out(out, A, tol, hermitian);
}
inline Tensor& linalg_matrix_rank_outf(const Tensor& A, optional<double> atol,
                                       optional<double> rtol, bool hermitian, Tensor& out) {
  return linalg_matrix_rank_out(out, A, atol, rtol, hermitian);
}
inline Tensor& linalg_matrix_norm_outf(const Tensor& A, const Scalar& ord, IntArrayRef dim,
                                       bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  return linalg_matrix_norm_out(out, A, ord, dim, keepdim, dtype);
}
inline Tensor& inverse_outf(const Tensor& self, Tensor& out) { return inverse_out(out, self); }
inline Tensor& linalg_det_outf(const Tensor& A, Tensor& out) { return linalg_det_out(out, A); }
inline std::tuple<Tensor&, Tensor&> linalg_slogdet_outf(const Tensor& A, Tensor& sign,
                                                        Tensor& logabsdet) {
  return linalg_slogdet_out(sign, logabsdet, A);
}
inline Tensor& linalg_inv_outf(const Tensor& A, Tensor& out) { return linalg_inv_out(out, A); }
inline Tensor& linalg_solve_outf(const Tensor& A, const Tensor& B, bool left, Tensor& out) {
  return linalg_solve_out(out, A, B, left);
}
inline Tensor& linalg_solve_triangular_outf(const Tensor& A, const Tensor& B, bool upper, bool left,
                                            bool unitriangular, Tensor& out) {
  return linalg_solve_triangular_out(out, A, B, upper, left, unitriangular);
}
inline std::tuple<Tensor&, Tensor&> linalg_inv_ex_outf(const Tensor& A, bool check_errors,
                                                       Tensor& inverse, Tensor& info) {
  return linalg_inv_ex_out(inverse, info, A, check_errors);
}
inline Tensor& linalg_vecdot_outf(const Tensor& x, const Tensor& y, int64_t dim, Tensor& out) {
  return linalg_vecdot_out(out, x, y, dim);
}
inline Tensor& linalg_cond_outf(const Tensor& A, const optional<Scalar>& p, Tensor& out) {
  return linalg_cond_out(out, A, p);
}
inline Tensor& linalg_tensorinv_outf(const Tensor& A, int64_t ind, Tensor& out) {
  return linalg_tensorinv_out(out, A, ind);
}
inline Tensor& linalg_tensorsolve_outf(const Tensor& A, const Tensor& other,
                                       OptionalIntArrayRef dims, Tensor& out) {
  return linalg_tensorsolve_out(out, A, other, dims);
}
inline Tensor& mv_outf(const Tensor& self, const Tensor& vec, Tensor& out) {
  return mv_out(out, self, vec);
}
inline Tensor& dot_outf(const Tensor& self, const Tensor& tensor, Tensor& out) {
  return dot_out(out, self, tensor);
}
inline Tensor& vdot_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return vdot_out(out, self, other);
}
inline Tensor& inner_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return inner_out(out, self, other);
}
inline Tensor& outer_outf(const Tensor& self, const Tensor& vec2, Tensor& out) {
  return outer_out(out, self, vec2);
}
inline Tensor& ger_outf(const Tensor& self, const Tensor& vec2, Tensor& out) {
  return ger_out(out, self, vec2);
}
inline Tensor& mm_outf(const Tensor& self, const Tensor& mat2, Tensor& out) {
  return mm_out(out, self, mat2);
}
inline Tensor& bmm_outf(const Tensor& self, const Tensor& mat2, Tensor& out) {
  return bmm_out(out, self, mat2);
}
inline Tensor& matmul_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return matmul_out(out, self, other);
}
inline Tensor& linalg_matmul_outf(const Tensor& A, const Tensor& other, Tensor& out) {
  return linalg_matmul_out(out, A, other);
}
inline Tensor& addmm_outf(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                          const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return addmm_out(out, self, mat1, mat2, beta, alpha);
}
inline Tensor& addmv_outf(const Tensor& self, const Tensor& mat, const Tensor& vec,
                          const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return addmv_out(out, self, mat, vec, beta, alpha);
}
inline Tensor& baddbmm_outf(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                            const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return baddbmm_out(out, self, batch1, batch2, beta, alpha);
}
inline Tensor& addbmm_outf(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                           const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return addbmm_out(out, self, batch1, batch2, beta, alpha);
}
inline Tensor& addr_outf(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                         const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return addr_out(out, self, vec1, vec2, beta, alpha);
}
inline Tensor& leaky_relu_outf(const Tensor& self, const Scalar& negative_slope, Tensor& out) {
  return leaky_relu_out(out, self, negative_slope);
}
inline Tensor& elu_outf(const Tensor& self, const Scalar& alpha, const Scalar& scale,
                        const Scalar& input_scale, Tensor& out) {
  return elu_out(out, self, alpha, scale, input_scale);
}
inline Tensor& gelu_outf(const Tensor& self, std::string_view approximate, Tensor& out) {
  return gelu_out(out, self, approximate);
}
inline Tensor& silu_outf(const Tensor& self, Tensor& out) { return silu_out(out, self); }
inline Tensor& mish_outf(const Tensor& self, Tensor& out) { return mish_out(out, self); }
inline Tensor& softplus_outf(const Tensor& self, const Scalar& beta, const Scalar& threshold,
                             Tensor& out) {
  return softplus_out(out, self, beta, threshold);
}
inline Tensor& hardtanh_outf(const Tensor& self, const Scalar& min_val, const Scalar& max_val,
                             Tensor& out) {
  return hardtanh_out(out, self, min_val, max_val);
}
inline Tensor& hardsigmoid_outf(const Tensor& self, Tensor& out) {
  return hardsigmoid_out(out, self);
}
inline Tensor& hardswish_outf(const Tensor& self, Tensor& out) { return hardswish_out(out, self); }
inline Tensor& hardshrink_outf(const Tensor& self, const Scalar& lambd, Tensor& out) {
  return hardshrink_out(out, self, lambd);
}
inline Tensor& softshrink_outf(const Tensor& self, const Scalar& lambd, Tensor& out) {
  return softshrink_out(out, self, lambd);
}
inline Tensor& threshold_outf(const Tensor& self, const Scalar& threshold, const Scalar& value,
                              Tensor& out) {
  return threshold_out(out, self, threshold, value);
}
inline Tensor& log_sigmoid_outf(const Tensor& self, Tensor& out) {
  return log_sigmoid_out(out, self);
}
inline Tensor& logit_outf(const Tensor& self, optional<double> eps, Tensor& out) {
  return logit_out(out, self, eps);
}
inline Tensor& glu_outf(const Tensor& self, int64_t dim, Tensor& out) {
  return glu_out(out, self, dim);
}
inline Tensor& linear_outf(const Tensor& input, const Tensor& weight, const Tensor& bias,
                           Tensor& out) {
  return linear_out(out, input, weight, bias);
}
inline Tensor& mse_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction,
                             Tensor& out) {
  return mse_loss_out(out, self, target, reduction);
}
inline Tensor& smooth_l1_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction,
                                   double beta, Tensor& out) {
  return smooth_l1_loss_out(out, self, target, reduction, beta);
}
inline Tensor& huber_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction,
                               double delta, Tensor& out) {
  return huber_loss_out(out, self, target, reduction, delta);
}
inline Tensor& softmax_outf(const Tensor& self, int64_t dim, optional<ScalarType> dtype,
                            Tensor& out) {
  return softmax_out(out, self, dim, dtype);
}
inline Tensor& log_softmax_outf(const Tensor& self, int64_t dim, optional<ScalarType> dtype,
                                Tensor& out) {
  return log_softmax_out(out, self, dim, dtype);
}
inline Tensor& rand_outf(IntArrayRef size, optional<Generator> generator, Tensor& out) {
  return rand_out(out, size, generator);
}
inline Tensor& rand_outf(IntArrayRef size, Tensor& out) { return rand_out(out, size); }
inline Tensor& randn_outf(IntArrayRef size, optional<Generator> generator, Tensor& out) {
  return randn_out(out, size, generator);
}
inline Tensor& randn_outf(IntArrayRef size, Tensor& out) { return randn_out(out, size); }
inline Tensor& randint_outf(int64_t high, IntArrayRef size, Tensor& out) {
  return randint_out(out, high, size);
}
inline Tensor& randint_outf(int64_t low, int64_t high, IntArrayRef size, Tensor& out) {
  return randint_out(out, low, high, size);
}
inline Tensor& randperm_outf(int64_t n, optional<Generator> generator, Tensor& out) {
  return randperm_out(out, n, generator);
}
inline Tensor& randperm_outf(int64_t n, Tensor& out) { return randperm_out(out, n); }
inline Tensor& bernoulli_outf(const Tensor& self, optional<Generator> generator, Tensor& out) {
  return bernoulli_out(out, self, generator);
}
inline Tensor& multinomial_outf(const Tensor& self, int64_t num_samples, bool replacement,
                                optional<Generator> generator, Tensor& out) {
  return multinomial_out(out, self, num_samples, replacement, generator);
}
inline std::tuple<Tensor&, Tensor&> median_outf(const Tensor& self, int64_t dim, bool keepdim,
                                                Tensor& values, Tensor& indices) {
  return median_out(values, indices, self, dim, keepdim);
}
inline std::tuple<Tensor&, Tensor&> nanmedian_outf(const Tensor& self, int64_t dim, bool keepdim,
                                                   Tensor& values, Tensor& indices) {
  return nanmedian_out(values, indices, self, dim, keepdim);
}
inline Tensor& max_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return max_out(out, self, other);
}
inline std::tuple<Tensor&, Tensor&> max_outf(const Tensor& self, int64_t dim, bool keepdim,
                                             Tensor& max, Tensor& max_indices) {
  return max_out(max, max_indices, self, dim, keepdim);
}
inline Tensor& min_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return min_out(out, self, other);
}
inline std::tuple<Tensor&, Tensor&> min_outf(const Tensor& self, int64_t dim, bool keepdim,
                                             Tensor& min, Tensor& min_indices) {
  return min_out(min, min_indices, self, dim, keepdim);
}
inline Tensor& amax_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
  return amax_out(out, self, dim, keepdim);
}
inline Tensor& amin_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
  return amin_out(out, self, dim, keepdim);
}
inline Tensor& argmax_outf(const Tensor& self, optional<int64_t> dim, bool keepdim, Tensor& out) {
  return argmax_out(out, self, dim, keepdim);
}
inline Tensor& argmin_outf(const Tensor& self, optional<int64_t> dim, bool keepdim, Tensor& out) {
  return argmin_out(out, self, dim, keepdim);
}
inline std::tuple<Tensor&, Tensor&> aminmax_outf(const Tensor& self, optional<int64_t> dim,
                                                 bool keepdim, Tensor& min, Tensor& max) {
  return aminmax_out(min, max, self, dim, keepdim);
}
inline Tensor& var_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim,
                        Tensor& out) {
  return var_out(out, self, dim, unbiased, keepdim);
}
inline Tensor& var_outf(const Tensor& self, OptionalIntArrayRef dim,
                        const optional<Scalar>& correction, bool keepdim, Tensor& out) {
  return var_out(out, self, dim, correction, keepdim);
}
inline Tensor& std_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim,
                        Tensor& out) {
  return std_out(out, self, dim, unbiased, keepdim);
}
inline Tensor& std_outf(const Tensor& self, OptionalIntArrayRef dim,
                        const optional<Scalar>& correction, bool keepdim, Tensor& out) {
  return std_out(out, self, dim, correction, keepdim);
}
inline Tensor& norm_outf(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                         bool keepdim, Tensor& out) {
  return norm_out(out, self, p, dim, keepdim);
}
inline Tensor& linalg_vector_norm_outf(const Tensor& self, const Scalar& ord,
                                       OptionalIntArrayRef dim, bool keepdim,
                                       optional<ScalarType> dtype, Tensor& out) {
  return linalg_vector_norm_out(out, self, ord, dim, keepdim, dtype);
}
inline Tensor& linalg_norm_outf(const Tensor& A, const optional<Scalar>& ord,
                                OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype,
                                Tensor& out) {
  return linalg_norm_out(out, A, ord, dim, keepdim, dtype);
}
inline Tensor& logsumexp_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
  return logsumexp_out(out, self, dim, keepdim);
}
inline Tensor& renorm_outf(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm,
                           Tensor& out) {
  return renorm_out(out, self, p, dim, maxnorm);
}
inline Tensor& sum_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                        optional<ScalarType> dtype, Tensor& out) {
  return sum_out(out, self, dim, keepdim, dtype);
}
inline Tensor& mean_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                         optional<ScalarType> dtype, Tensor& out) {
  return mean_out(out, self, dim, keepdim, dtype);
}
inline Tensor& nansum_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                           optional<ScalarType> dtype, Tensor& out) {
  return nansum_out(out, self, dim, keepdim, dtype);
}
inline Tensor& prod_outf(const Tensor& self, int64_t dim, bool keepdim, optional<ScalarType> dtype,
                         Tensor& out) {
  return prod_out(out, self, dim, keepdim, dtype);
}
inline Tensor& any_outf(const Tensor& self, Tensor& out) { return any_out(out, self); }
inline Tensor& any_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
  return any_out(out, self, dim, keepdim);
}
inline Tensor& all_outf(const Tensor& self, Tensor& out) { return all_out(out, self); }
inline Tensor& all_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
  return all_out(out, self, dim, keepdim);
}
inline Tensor& nanmean_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                            optional<ScalarType> dtype, Tensor& out) {
  return nanmean_out(out, self, dim, keepdim, dtype);
}
inline Tensor& cumsum_outf(const Tensor& x, int64_t dim, optional<ScalarType> dtype, Tensor& out) {
  return cumsum_out(out, x, dim, dtype);
}
inline Tensor& cumprod_outf(const Tensor& x, int64_t dim, optional<ScalarType> dtype, Tensor& out) {
  return cumprod_out(out, x, dim, dtype);
}
inline Tensor& logcumsumexp_outf(const Tensor& self, int64_t dim, Tensor& out) {
  return logcumsumexp_out(out, self, dim);
}
inline std::tuple<Tensor&, Tensor&> cummax_outf(const Tensor& self, int64_t dim, Tensor& values,
                                                Tensor& indices) {
  return cummax_out(values, indices, self, dim);
}
inline std::tuple<Tensor&, Tensor&> cummin_outf(const Tensor& self, int64_t dim, Tensor& values,
                                                Tensor& indices) {
  return cummin_out(values, indices, self, dim);
}
inline std::tuple<Tensor&, Tensor&> sort_outf(const Tensor& self, int64_t dim, bool descending,
                                              Tensor& values, Tensor& indices) {
  return sort_out(values, indices, self, dim, descending);
}
inline std::tuple<Tensor&, Tensor&> sort_outf(const Tensor& self, optional<bool> stable,
                                              int64_t dim, bool descending, Tensor& values,
                                              Tensor& indices) {
  return sort_out(values, indices, self, stable, dim, descending);
}
inline Tensor& msort_outf(const Tensor& self, Tensor& out) { return msort_out(out, self); }
inline std::tuple<Tensor&, Tensor&> topk_outf(const Tensor& self, int64_t k, int64_t dim,
                                              bool largest, bool sorted, Tensor& values,
                                              Tensor& indices) {
  return topk_out(values, indices, self, k, dim, largest, sorted);
}
inline std::tuple<Tensor&, Tensor&> kthvalue_outf(const Tensor& self, int64_t k, int64_t dim,
                                                  bool keepdim, Tensor& values, Tensor& indices) {
  return kthvalue_out(values, indices, self, k, dim, keepdim);
}
inline std::tuple<Tensor&, Tensor&> mode_outf(const Tensor& self, int64_t dim, bool keepdim,
                                              Tensor& values, Tensor& indices) {
  return mode_out(values, indices, self, dim, keepdim);
}
inline Tensor& cat_outf(TensorList tensors, int64_t dim, Tensor& out) {
  return cat_out(out, tensors, dim);
}
inline Tensor& stack_outf(TensorList tensors, int64_t dim, Tensor& out) {
  return stack_out(out, tensors, dim);
}
inline Tensor& hstack_outf(TensorList tensors, Tensor& out) { return hstack_out(out, tensors); }
inline Tensor& vstack_outf(TensorList tensors, Tensor& out) { return vstack_out(out, tensors); }
inline Tensor& dstack_outf(TensorList tensors, Tensor& out) { return dstack_out(out, tensors); }
inline Tensor& column_stack_outf(TensorList tensors, Tensor& out) {
  return column_stack_out(out, tensors);
}
inline Tensor& empty_outf(IntArrayRef size, optional<MemoryFormat> format, Tensor& out) {
  return empty_out(out, size, format);
}
inline Tensor& zeros_outf(IntArrayRef size, Tensor& out) { return zeros_out(out, size); }
inline Tensor& ones_outf(IntArrayRef size, Tensor& out) { return ones_out(out, size); }
inline Tensor& full_outf(IntArrayRef size, const Scalar& value, Tensor& out) {
  return full_out(out, size, value);
}
inline Tensor& eye_outf(int64_t n, Tensor& out) { return eye_out(out, n); }
inline Tensor& eye_outf(int64_t n, int64_t m, Tensor& out) { return eye_out(out, n, m); }
inline Tensor& arange_outf(const Scalar& end, Tensor& out) { return arange_out(out, end); }
inline Tensor& arange_outf(const Scalar& start, const Scalar& end, const Scalar& step,
                           Tensor& out) {
  return arange_out(out, start, end, step);
}
inline Tensor& range_outf(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  return range_out(out, start, end, step);
}
inline Tensor& range_outf(const Scalar& start, const Scalar& end, Tensor& out) {
  return range_out(out, start, end);
}
inline Tensor& linspace_outf(const Scalar& start, const Scalar& end, int64_t steps, Tensor& out) {
  return linspace_out(out, start, end, steps);
}
inline Tensor& logspace_outf(const Scalar& start, const Scalar& end, int64_t steps, double base,
                             Tensor& out) {
  return logspace_out(out, start, end, steps, base);
}
inline Tensor& tril_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
  return tril_out(out, self, diagonal);
}
inline Tensor& triu_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
  return triu_out(out, self, diagonal);
}
inline Tensor& diag_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
  return diag_out(out, self, diagonal);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
