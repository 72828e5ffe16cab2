#include <taper/ops/reduce/reduce_norm.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/warning.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/reduce/reduce_dims.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

Tensor new_result(const Tensor& x, DimMask dims, bool keepdim) {
  return detail::make_tensor(reduced_sizes(x.sizes(), dims, keepdim), x.scalar_type(), x.device());
}

// ---------------------------------------------------------------- variance

Tensor var_backward(const Tensor& gy, const Tensor& x, DimMask dims, double correction) {
  const double freedom = static_cast<double>(reduced_numel(x, dims)) - correction;
  const Tensor mean = x.mean(OptionalIntArrayRef(listed(dims, x.dim()).ref()), true);
  return keep_dims(gy, x.sizes(), dims).mul(2 / freedom).mul(x.sub(mean));
}

// A constant row has deviation 0. Its gradient is defined as 0.
Tensor std_backward(const Tensor& gy, const Tensor& y, const Tensor& x, DimMask dims,
                    double correction) {
  const Tensor g = gy.div(y.mul(2)).masked_fill(y.eq(0), 0);
  return var_backward(g, x, dims, correction);
}

struct VarianceRequest {
  const char* node;
  DimMask dims;
  double correction;
  bool keepdim;
  bool square_root;
};

void check_variance(const char* op, const Tensor& x) {
  TAPER_CHECK(isFloatingOrComplexType(x.scalar_type()), op,
              " only support floating point and complex dtypes");
}

void warn_of_freedom(const char* op, const Tensor& x, const VarianceRequest& r) {
  if (static_cast<double>(reduced_numel(x, r.dims)) > r.correction) return;
  detail::warn_user(detail::concat(op,
                                   "(): degrees of freedom is <= 0. Correction should be strictly "
                                   "less than the reduction factor (input numel divided by output "
                                   "numel)."));
}

Tensor variance(const Tensor& x, const VarianceRequest& r);

// The variances of the real and the imaginary parts add up.
Tensor complex_variance(const Tensor& x, VarianceRequest r) {
  const bool square_root = r.square_root;
  r.square_root = false;
  const Tensor y = variance(real(x), r).add(variance(imag(x), r));
  if (!square_root) return y;
  const Tensor none = y.eq(0);  // the gradient is 0 there, as for real numbers
  return y.masked_fill(none, 1).sqrt().masked_fill(none, 0);
}

Tensor variance(const Tensor& x, const VarianceRequest& r) {
  check_variance(r.square_root ? "std: std and var" : "var: std and var", x);
  if (x.is_complex()) return complex_variance(x, r);
  warn_of_freedom(r.square_root ? "std" : "var", x, r);
  Tensor y = new_result(x, r.dims, r.keepdim);
  TAPER_ON_DEVICE(x, moments, y, Tensor(), x, r.dims, r.correction, r.square_root);
  if (!needs_grad(x)) return y;
  if (r.square_root)
    record(r.node, y, {x}, [x = saved(x), y = saved_output(y), r](const Tensor& gy) {
      return std_backward(gy, y.get(), x.get(), r.dims, r.correction);
    });
  else
    record(r.node, y, {x}, [x = saved(x), r](const Tensor& gy) {
      return var_backward(gy, x.get(), r.dims, r.correction);
    });
  return y;
}

std::tuple<Tensor, Tensor> variance_and_mean(const Tensor& x, const VarianceRequest& r) {
  check_variance(r.square_root ? "std_mean" : "var_mean", x);
  if (x.is_complex())
    return {complex_variance(x, r),
            x.mean(OptionalIntArrayRef(listed(r.dims, x.dim()).ref()), r.keepdim)};
  warn_of_freedom(r.square_root ? "std_mean" : "var_mean", x, r);
  Tensor y = new_result(x, r.dims, r.keepdim), mean = new_result(x, r.dims, r.keepdim);
  TAPER_ON_DEVICE(x, moments, y, mean, x, r.dims, r.correction, r.square_root);
  if (needs_grad(x))
    record(r.node, {y, mean}, {x}, [x = saved(x), y = saved_output(y), r](Grads& g) {
      const Tensor in = x.get();
      Tensor gx;
      if (g[0].defined())
        gx = r.square_root ? std_backward(g[0], y.get(), in, r.dims, r.correction)
                           : var_backward(g[0], in, r.dims, r.correction);
      if (!g[1].defined()) return gx;
      const double count = static_cast<double>(reduced_numel(in, r.dims));
      const Tensor gm = keep_dims(g[1], in.sizes(), r.dims).div(count).expand(in.sizes());
      return gx.defined() ? gx.add(gm) : gm;
    });
  return {y, mean};
}

double number_of(const optional<Scalar>& correction) {
  return correction ? correction->toDouble() : 1;
}

VarianceRequest variance_request(const char* op, const char* node, const Tensor& x,
                                 const OptionalIntArrayRef& dim, double correction, bool keepdim,
                                 bool square_root) {
  return {node, dim_mask(op, dim, x.dim()), correction, keepdim, square_root};
}

// ---------------------------------------------------------------- norms

// The gradient is 0 if the norm is 0. x is complex only if p is 2.
Tensor norm_backward(const Tensor& gy_in, const Tensor& x, const Tensor& y_in, double p,
                     DimMask dims) {
  const Tensor gy = keep_dims(gy_in, x.sizes(), dims), y = keep_dims(y_in, x.sizes(), dims);
  if (p == 0) return x.new_zeros(x.sizes());
  if (p == 1) return x.sign().mul(gy);
  const Tensor none = y.eq(0);  // where a division's derivative would be NaN too
  if (p == 2) return x.mul(gy.div(y.masked_fill(none, 1)).masked_fill(none, 0));
  if (std::isinf(p)) {
    return x.sign().mul(share_evenly(gy, x.abs(), y, dims));
  }
  const Tensor scale = gy.div(y.masked_fill(none, 1).pow(p - 1)).masked_fill(none, 0);
  if (p < 1) return x.sign().mul(x.abs().pow(p - 1).masked_fill(x.eq(0), 0)).mul(scale);
  return x.sign().mul(x.abs().pow(p - 1)).mul(scale);
}

// The extremes of no elements are undefined, and so are norms of negative order.
void check_not_of_nothing(const Tensor& x, double p, DimMask dims) {
  if (!(p < 0 || std::isinf(p)) || reduced_numel(x, dims) > 0) return;
  const Dims list = listed(dims, x.dim());
  TAPER_CHECK(list.size() < x.dim(), "linalg.vector_norm cannot compute the ", p,
              " norm on an empty tensor because the operation does not have an identity");
  for (int64_t d : list)
    TAPER_CHECK(x.size(d) != 0, "linalg.vector_norm cannot compute the ", p,
                " norm on the dimension ", d,
                " because this dimension is empty and the operation does not have an identity");
}

// Returns magnitudes without history.
Tensor magnitudes(const Tensor& x) {
  const NoGradGuard no_grad;
  return x.is_complex() ? x.abs() : x;
}

// The norm of complex numbers is the norm of their magnitudes. Magnitudes have no derivative at 0.
// The norm of order 2 is handled directly, because by way of magnitudes it would lose its second
// derivative.
Tensor any_norm(const char* node, const Tensor& x, double p, DimMask dims, bool keepdim) {
  if (x.is_complex() && p != 2) return any_norm(node, x.abs(), p, dims, keepdim);
  TAPER_CHECK(isFloatingType(x.scalar_type()) || x.is_complex(),
              "norm(): input dtype should be either floating point or complex. Got ",
              x.scalar_type(), " instead.");
  check_not_of_nothing(x, p, dims);
  Tensor y;
  if (p == 0 || p == 1 || p == 2 || std::isinf(p)) {
    const Tensor m = magnitudes(x);
    y = new_result(m, dims, keepdim);
    TAPER_ON_DEVICE(m, vector_norm, y, m, dims, p);
  } else {
    const NoGradGuard no_grad;
    const Dims list = listed(dims, x.dim());
    y = x.abs().pow(p).sum(OptionalIntArrayRef(list.ref()), keepdim).pow(1 / p);
  }
  if (needs_grad(x))
    record(node, y, {x}, [x = saved(x), y = saved_output(y), p, dims](const Tensor& gy) {
      return norm_backward(gy, x.get(), y.get(), p, dims);
    });
  return y;
}

double order(const optional<Scalar>& p) { return p ? p->toDouble() : 2; }

// ---------------------------------------------------------------- logsumexp

// Returns the largest element (or real part) along dims. An infinite one becomes 0, because
// subtracting it would give NaN.
Tensor finite_shift(const Tensor& x, IntArrayRef dims) {
  const Tensor largest = (x.is_complex() ? real(x) : x).amax(dims, true);
  return largest.masked_fill(largest.abs().eq(INFINITY), 0);
}

}  // namespace

Tensor var(const Tensor& self, bool unbiased) {
  if (auto done = at_door<"var">(self, unbiased)) return done;
  return variance(self,
                  variance_request("var", "VarBackward0", self, nullopt, unbiased, false, false));
}
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  if (auto done = at_door<"var">(self, dim, unbiased, keepdim)) return done;
  return variance(self,
                  variance_request("var", "VarBackward0", self, dim, unbiased, keepdim, false));
}
Tensor var(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim) {
  if (auto done = at_door<"var">(self, dim, correction, keepdim)) return done;
  return variance(self, variance_request("var", "VarBackward0", self, dim, number_of(correction),
                                         keepdim, false));
}
Tensor std(const Tensor& self, bool unbiased) {
  if (auto done = at_door<"std">(self, unbiased)) return done;
  return variance(self,
                  variance_request("std", "StdBackward0", self, nullopt, unbiased, false, true));
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  if (auto done = at_door<"std">(self, dim, unbiased, keepdim)) return done;
  return variance(self,
                  variance_request("std", "StdBackward0", self, dim, unbiased, keepdim, true));
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim) {
  if (auto done = at_door<"std">(self, dim, correction, keepdim)) return done;
  return variance(self, variance_request("std", "StdBackward0", self, dim, number_of(correction),
                                         keepdim, true));
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  if (auto done = at_door<"var_mean">(self, unbiased)) return done;
  return var_mean(self, nullopt, unbiased);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, int dim) {
  return var_mean(self, OptionalIntArrayRef(dim));
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  if (auto done = at_door<"var_mean">(self, dim, unbiased, keepdim)) return done;
  return variance_and_mean(
      self, variance_request("var_mean", "VarMeanBackward0", self, dim, unbiased, keepdim, false));
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim) {
  if (auto done = at_door<"var_mean">(self, dim, correction, keepdim)) return done;
  return variance_and_mean(self, variance_request("var_mean", "VarMeanBackward0", self, dim,
                                                  number_of(correction), keepdim, false));
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  if (auto done = at_door<"std_mean">(self, unbiased)) return done;
  return std_mean(self, nullopt, unbiased);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, int dim) {
  return std_mean(self, OptionalIntArrayRef(dim));
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  if (auto done = at_door<"std_mean">(self, dim, unbiased, keepdim)) return done;
  return variance_and_mean(
      self, variance_request("std_mean", "StdMeanBackward0", self, dim, unbiased, keepdim, true));
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim) {
  if (auto done = at_door<"std_mean">(self, dim, correction, keepdim)) return done;
  return variance_and_mean(self, variance_request("std_mean", "StdMeanBackward0", self, dim,
                                                  number_of(correction), keepdim, true));
}

Tensor norm(const Tensor& self, const Scalar& p) {
  if (auto done = at_door<"norm">(self, p)) return done;
  return any_norm("NormBackward0", self, p.toDouble(), all_dims(self.dim()), false);
}
Tensor norm(const Tensor& self, const optional<Scalar>& p, ScalarType dtype) {
  if (auto done = at_door<"norm">(self, p, dtype)) return done;
  return any_norm("NormBackward2", self.to(dtype), order(p), all_dims(self.dim()), false);
}
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"norm">(self, p, dim, keepdim)) return done;
  return any_norm("NormBackward1", self, order(p), dim_mask("norm", dim, self.dim()), keepdim);
}
Tensor norm(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype) {
  if (auto done = at_door<"norm">(self, p, dim, keepdim, dtype)) return done;
  return any_norm("NormBackward3", self.to(dtype), order(p), dim_mask("norm", dim, self.dim()),
                  keepdim);
}
Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                          bool keepdim, optional<ScalarType> dtype) {
  if (auto done = at_door<"linalg_vector_norm">(self, ord, dim, keepdim, dtype)) return done;
  return any_norm("LinalgVectorNormBackward0", dtype ? self.to(*dtype) : self, ord.toDouble(),
                  dim_mask("linalg.vector_norm", dim, self.dim()), keepdim);
}
Tensor linalg_norm(const Tensor& self, const optional<Scalar>& ord, OptionalIntArrayRef dim,
                   bool keepdim, optional<ScalarType> dtype) {
  if (auto done = at_door<"linalg_norm">(self, ord, dim, keepdim, dtype)) return done;
  const size_t reduced = dim ? dim->size() : static_cast<size_t>(self.dim());
  if (ord && reduced != 1) return linalg::norm(self, ord, dim, keepdim, dtype);
  return linalg_vector_norm(self, ord.value_or(2), dim, keepdim, dtype);
}

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"logsumexp">(self, dim, keepdim)) return done;
  check_defined("logsumexp", self, "self");
  if (!isFloatingOrComplexType(self.scalar_type()))
    return logsumexp(self.to(default_dtype()), dim, keepdim);
  const DimMask dims = dim_mask("logsumexp", dim, self.dim());
  Tensor y;
  if (reduced_numel(self, dims) == 0) {
    y = self.detach().exp().sum(dim, keepdim).log();
  } else {
    const NoGradGuard no_grad;
    const Tensor shift = finite_shift(self, dim);
    y = self.sub(shift).exp_().sum(dim, true).log_().add_(shift);
    if (!keepdim) y = _unsafe_view(y, reduced_sizes(self.sizes(), dims, false));
  }
  if (needs_grad(self))
    record("LogsumexpBackward0", y, {self},
           [x = saved(self), y = saved_output(y), dims](const Tensor& gy) {
             const Tensor in = x.get();
             return in.sub(keep_dims(y.get(), in.sizes(), dims))
                 .exp()
                 .conj()
                 .mul(keep_dims(gy, in.sizes(), dims));
           });
  return y;
}

Tensor Tensor::var(bool unbiased) const { return taper::var(*this, unbiased); }
Tensor Tensor::var(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const {
  return taper::var(*this, dim, unbiased, keepdim);
}
Tensor Tensor::var(OptionalIntArrayRef dim, const optional<Scalar>& correction,
                   bool keepdim) const {
  return taper::var(*this, dim, correction, keepdim);
}
Tensor Tensor::std(bool unbiased) const { return taper::std(*this, unbiased); }
Tensor Tensor::std(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const {
  return taper::std(*this, dim, unbiased, keepdim);
}
Tensor Tensor::std(OptionalIntArrayRef dim, const optional<Scalar>& correction,
                   bool keepdim) const {
  return taper::std(*this, dim, correction, keepdim);
}
Tensor Tensor::norm(const Scalar& p) const { return taper::norm(*this, p); }
Tensor Tensor::norm(const optional<Scalar>& p, ScalarType dtype) const {
  return taper::norm(*this, p, dtype);
}
Tensor Tensor::norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
                    ScalarType dtype) const {
  return taper::norm(*this, p, dim, keepdim, dtype);
}
Tensor Tensor::norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim) const {
  return taper::norm(*this, p, dim, keepdim);
}
Tensor Tensor::logsumexp(IntArrayRef dim, bool keepdim) const {
  return taper::logsumexp(*this, dim, keepdim);
}

Tensor& Tensor::renorm_(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
  if (at_door<"renorm_">(*this, p, dim, maxnorm)) return detail::as_mutable(*this);
  return in_place("renorm_", *this, {},
                  [&](const Tensor& x) { return taper::renorm(x, p, dim, maxnorm); });
}

Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  if (auto done = at_door<"dist">(self, other, p)) return done;
  check_defined("dist", self, "self");
  check_defined("dist", other, "other");
  return (self - other).norm(p);
}

Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  if (auto done = at_door<"renorm">(self, p, dim, maxnorm)) return done;
  check_defined("renorm", self, "self");
  TAPER_CHECK(self.dim() >= 2, "renorm: input needs at least 2 dimensions, got ", self.dim(),
              " dimensions");
  TAPER_CHECK(p.to<double>() > 0, "renorm: non-positive-norm not supported");
  TAPER_CHECK(maxnorm.to<double>() >= 0, "renorm: expected maxnorm to be >= 0 but got ",
              maxnorm.to<double>());
  const int64_t kept = wrap_dim("renorm", dim, self.dim());
  std::vector<int64_t> others;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (d != kept) others.push_back(d);
  const Tensor norm = self.norm(p, others, true);
  const Tensor large = norm.detach().gt(maxnorm);
  const Tensor shrink = maxnorm.to<double>() / (norm + 1e-7);
  return self * where(large, shrink, Scalar(1)).to(self.scalar_type());
}

Tensor Tensor::dist(const Tensor& other, const Scalar& p) const {
  return taper::dist(*this, other, p);
}
Tensor Tensor::renorm(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
  return taper::renorm(*this, p, dim, maxnorm);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(var, (out, self, dim, unbiased, keepdim), var(self, dim, unbiased, keepdim), (self),
          const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim)
TAPER_OUT(var, (out, self, dim, correction, keepdim), var(self, dim, correction, keepdim), (self),
          const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
          bool keepdim)
TAPER_OUT(std, (out, self, dim, unbiased, keepdim), taper::std(self, dim, unbiased, keepdim),
          (self), const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim)
TAPER_OUT(std, (out, self, dim, correction, keepdim), taper::std(self, dim, correction, keepdim),
          (self), const Tensor& self, OptionalIntArrayRef dim, const optional<Scalar>& correction,
          bool keepdim)
TAPER_OUT(norm, (out, self, p, dim, keepdim), norm(self, p, dim, keepdim), (self),
          const Tensor& self, const optional<Scalar>& p, IntArrayRef dim, bool keepdim)
TAPER_OUT(logsumexp, (out, self, dim, keepdim), logsumexp(self, dim, keepdim), (self),
          const Tensor& self, IntArrayRef dim, bool keepdim)
TAPER_OUT(renorm, (out, self, p, dim, maxnorm), renorm(self, p, dim, maxnorm), (self),
          const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm)

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_vector_norm, (out, self, ord, dim, keepdim, dtype),
          linalg_vector_norm(self, ord, dim, keepdim, dtype), (self), const Tensor& self,
          const Scalar& ord, OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype)
TAPER_OUT(linalg_norm, (out, A, ord, dim, keepdim, dtype), linalg_norm(A, ord, dim, keepdim, dtype),
          (A), const Tensor& A, const optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim,
          optional<ScalarType> dtype)

}  // namespace torch::taper
