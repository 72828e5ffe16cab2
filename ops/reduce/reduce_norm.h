// Variance, standard deviation, norms and logsumexp. The common rules of reductions are in
// reduce_sum.h.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Variance: the sum of squared deviations from the mean over (n - 1), or over n unless `unbiased`,
/// or over n - correction (1 where none is given). NaN where that is not positive. Computed in
/// double by blocks: no cancellation. Errors: "std and var only support floating point and complex
/// dtypes".
Tensor var(const Tensor& self, bool unbiased = true);
/// A whole number is a dimension, not a truth value.
inline Tensor var(const Tensor& self, int dim) { return self.var(dim); }
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true, bool keepdim = false);
Tensor var(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim = false);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
/// Standard deviation: the square root of var.
Tensor std(const Tensor& self, bool unbiased = true);
/// A whole number is a dimension, not a truth value.
inline Tensor std(const Tensor& self, int dim) { return self.std(dim); }
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true, bool keepdim = false);
Tensor std(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
/// (variance, mean) and (standard deviation, mean) from one pass.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased = true);
/// As with var: one dimension, which would else convert to `unbiased`.
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

/// The p-norm (sum |x|^p)^(1/p) of the elements as one vector; infinity gives the largest, minus
/// infinity the smallest magnitude, 0 the number of elements other than 0; 0 for no elements.
/// p defaults to 2.
/// Errors: "norm(): input dtype should be either floating point or complex. Got Long instead."
Tensor norm(const Tensor& self, const Scalar& p = 2);
Tensor norm(const Tensor& self, const optional<Scalar>& p, ScalarType dtype);
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim = false);
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype);
Tensor& norm_out(Tensor& out, const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                 bool keepdim = false);
/// The same under the names of torch.linalg. linalg_norm is the vector norm, too, but where `ord`
/// is given for two dimensions: then linalg::matrix_norm. No `ord` is the 2-norm of all elements.
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

/// log(sum(exp(x))), without overflow: the largest element is taken out first. Integers become the
/// default dtype.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false);

/// The p-norm of self - other.
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p = 2);
/// self with each slice along `dim` whose p-norm is larger than maxnorm scaled down to that norm.
/// Throws Error for fewer than 2 dimensions, for p <= 0 and for maxnorm < 0.
Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm);
Tensor& renorm_out(Tensor& out, const Tensor& self, const Scalar& p, int64_t dim,
                   const Scalar& maxnorm);

}  // namespace torch::taper

#pragma GCC visibility pop
