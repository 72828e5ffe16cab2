// Variance, standard deviation, norms and logsumexp. reduce_sum.h has the common rules of
// reductions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the variance: the sum of squared deviations from the mean, divided by n - `correction`.
/// The default correction is 1. If `unbiased` is false, the correction is 0. The result is NaN if
/// the divisor is not positive. It is computed in double, in blocks, without cancellation.
/// Errors: "std and var only support floating point and complex dtypes".
Tensor var(const Tensor& self, bool unbiased = true);
/// Takes an int as a dimension. Without this overload, it would convert to a bool.
inline Tensor var(const Tensor& self, int dim) { return self.var(dim); }
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true, bool keepdim = false);
Tensor var(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim = false);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
/// Returns the standard deviation, the square root of var.
Tensor std(const Tensor& self, bool unbiased = true);
/// Takes an int as a dimension. Without this overload, it would convert to a bool.
inline Tensor std(const Tensor& self, int dim) { return self.std(dim); }
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true, bool keepdim = false);
Tensor std(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
/// Returns (variance, mean) or (standard deviation, mean) from one pass.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased = true);
/// Takes an int as a dimension. Without this overload, it would convert to `unbiased`.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, int dim);
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    bool unbiased = true, bool keepdim = false);
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased = true);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, int dim);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    bool unbiased = true, bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim = false);

/// Returns the p-norm (sum |x|^p)^(1/p) of all elements x of self, or of the elements along `dim`.
/// p defaults to 2. p = infinity gives the largest magnitude, minus infinity the smallest. p = 0
/// gives the number of nonzero elements. The norm of no elements is 0. Errors: "norm(): input dtype
/// should be either floating point or complex. Got Long instead."
Tensor norm(const Tensor& self, const Scalar& p = 2);
Tensor norm(const Tensor& self, const optional<Scalar>& p, ScalarType dtype);
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim = false);
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype);
Tensor& norm_out(Tensor& out, const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                 bool keepdim = false);
/// Compute the functions of torch.linalg of these names. With `ord` and two dimensions, linalg_norm
/// is linalg::matrix_norm. Otherwise it is linalg_vector_norm. Without `ord`, it is the 2-norm of
/// all elements.
Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord = 2,
                          OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                          optional<ScalarType> dtype = nullopt);
Tensor& linalg_vector_norm_out(Tensor& out, const Tensor& self, const Scalar& ord = 2,
                               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                               optional<ScalarType> dtype = nullopt);
Tensor linalg_norm(const Tensor& self, const optional<Scalar>& ord = nullopt,
                   OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                   optional<ScalarType> dtype = nullopt);
Tensor& linalg_norm_out(Tensor& out, const Tensor& A, const optional<Scalar>& ord = nullopt,
                        OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                        optional<ScalarType> dtype = nullopt);

/// Returns log(sum(exp(x))). It does not overflow, because the largest element is subtracted first.
/// Integers become the default dtype.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false);

/// Returns the p-norm of self - other.
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p = 2);
/// Scales each slice along `dim` whose p-norm exceeds maxnorm, so that its norm becomes maxnorm.
/// Throws Error for fewer than 2 dimensions, for p <= 0 and for maxnorm < 0.
Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm);
Tensor& renorm_out(Tensor& out, const Tensor& self, const Scalar& p, int64_t dim,
                   const Scalar& maxnorm);

}  // namespace torch::taper

#pragma GCC visibility pop
