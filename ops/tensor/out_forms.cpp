#include <taper/ops/tensor/out_forms.h>

#include <utility>

#include <taper/framework/shape.h>
#include <taper/ops/elementwise/activation.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/combine.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/shape.h>

namespace taper {
namespace {

// `out` with these sizes, to be filled.
Tensor& ready(const char* op, Tensor& out, IntArrayRef size) {
  check_defined(op, out, "out");
  check_out_gradient(op, out, {});
  checked_numel(size);
  plan_out(out, Dims(size), {}).resize();
  return out;
}

TensorOptions options_of(const Tensor& out) {
  check_defined("out", out, "out");
  return out.options().requires_grad(false);
}

}  // namespace

// ---------------------------------------------------------------- factories
Tensor& zeros_out(Tensor& out, IntArrayRef size) { return ready("zeros", out, size).zero_(); }
Tensor& ones_out(Tensor& out, IntArrayRef size) { return ready("ones", out, size).fill_(1); }
Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& value) {
  return ready("full", out, size).fill_(value);
}
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat> format) {
  check_defined("empty", out, "out");
  check_out_gradient("empty", out, {});
  return out.resize_(size, format);
}
Tensor& eye_out(Tensor& out, int64_t n) { return eye_out(out, n, n); }
Tensor& eye_out(Tensor& out, int64_t n, int64_t m) {
  return store_out("eye", out, eye(n, m, options_of(out)), {});
}
Tensor& arange_out(Tensor& out, const Scalar& end) { return arange_out(out, 0, end); }
Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  return store_out("arange", out, arange(start, end, step, options_of(out)), {});
}
Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  return store_out("range", out, range(start, end, step, options_of(out)), {});
}
Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps) {
  return store_out("linspace", out, linspace(start, end, steps, options_of(out)), {});
}
Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps,
                     double base) {
  return store_out("logspace", out, logspace(start, end, steps, base, options_of(out)), {});
}
Tensor& rand_out(Tensor& out, IntArrayRef size, optional<Generator> generator) {
  return ready("rand", out, size).uniform_(0, 1, std::move(generator));
}
Tensor& randn_out(Tensor& out, IntArrayRef size, optional<Generator> generator) {
  return ready("randn", out, size).normal_(0, 1, std::move(generator));
}
Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size) {
  return randint_out(out, 0, high, size);
}
Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size) {
  return ready("randint", out, size).random_(low, high);
}
Tensor& randperm_out(Tensor& out, int64_t n, optional<Generator> generator) {
  return store_out("randperm", out, randperm(n, std::move(generator), options_of(out)), {});
}
TAPER_OUT(bernoulli, bernoulli(self, std::move(generator)), (self), const Tensor& self,
          optional<Generator> generator)
TAPER_OUT(multinomial, multinomial(self, num_samples, replacement, std::move(generator)), (self),
          const Tensor& self, int64_t num_samples, bool replacement, optional<Generator> generator)

// ---------------------------------------------------------------- reductions and orders
Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim,
                 optional<ScalarType> dtype) {
  if (!dtype && out.defined()) dtype = out.scalar_type();
  return store_out("prod", out, prod(self.detach(), dim, keepdim, dtype), {self});
}
TAPER_OUT(var, var(self, dim, unbiased, keepdim), (self), const Tensor& self,
          OptionalIntArrayRef dim, bool unbiased, bool keepdim)
TAPER_OUT(var, var(self, dim, correction, keepdim), (self), const Tensor& self,
          OptionalIntArrayRef dim, const optional<Scalar>& correction, bool keepdim)
TAPER_OUT(std, taper::std(self, dim, unbiased, keepdim), (self), const Tensor& self,
          OptionalIntArrayRef dim, bool unbiased, bool keepdim)
TAPER_OUT(std, taper::std(self, dim, correction, keepdim), (self), const Tensor& self,
          OptionalIntArrayRef dim, const optional<Scalar>& correction, bool keepdim)
TAPER_OUT(norm, norm(self, p, dim, keepdim), (self), const Tensor& self, const optional<Scalar>& p,
          IntArrayRef dim, bool keepdim)
TAPER_OUT(logsumexp, logsumexp(self, dim, keepdim), (self), const Tensor& self, IntArrayRef dim,
          bool keepdim)
TAPER_OUT(nansum, nansum(self, dim, keepdim, dtype), (self), const Tensor& self,
          OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype)
TAPER_OUT(nanmean, nanmean(self, dim, keepdim, dtype), (self), const Tensor& self,
          OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype)
TAPER_OUT(logcumsumexp, logcumsumexp(self, dim), (self), const Tensor& self, int64_t dim)
TAPER_OUT(msort, msort(self), (self), const Tensor& self)
TAPER_OUT_PAIR(max, max, max_indices, self.max(dim, keepdim), const Tensor& self, int64_t dim,
               bool keepdim)
TAPER_OUT_PAIR(min, min, min_indices, self.min(dim, keepdim), const Tensor& self, int64_t dim,
               bool keepdim)
TAPER_OUT(max, self.max(other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT(min, self.min(other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT_PAIR(median, values, indices, self.median(dim, keepdim), const Tensor& self, int64_t dim,
               bool keepdim)
TAPER_OUT_PAIR(nanmedian, values, indices, self.nanmedian(dim, keepdim), const Tensor& self,
               int64_t dim, bool keepdim)
TAPER_OUT_PAIR(mode, values, indices, mode(self, dim, keepdim), const Tensor& self, int64_t dim,
               bool keepdim)
TAPER_OUT_PAIR(kthvalue, values, indices, kthvalue(self, k, dim, keepdim), const Tensor& self,
               int64_t k, int64_t dim, bool keepdim)
TAPER_OUT_PAIR(topk, values, indices, topk(self, k, dim, largest, sorted), const Tensor& self,
               int64_t k, int64_t dim, bool largest, bool sorted)
TAPER_OUT_PAIR(sort, values, indices, sort(self, dim, descending), const Tensor& self, int64_t dim,
               bool descending)
TAPER_OUT_PAIR(sort, values, indices, sort(self, stable, dim, descending), const Tensor& self,
               optional<bool> stable, int64_t dim, bool descending)
TAPER_OUT_PAIR(cummax, values, indices, cummax(self, dim), const Tensor& self, int64_t dim)
TAPER_OUT_PAIR(cummin, values, indices, cummin(self, dim), const Tensor& self, int64_t dim)
TAPER_OUT_PAIR(aminmax, min, max, aminmax(self, dim, keepdim), const Tensor& self,
               optional<int64_t> dim, bool keepdim)

// ---------------------------------------------------------------- indexing and joining
TAPER_OUT(gather, gather(self, dim, index, sparse_grad), (self, index), const Tensor& self,
          int64_t dim, const Tensor& index, bool sparse_grad)
TAPER_OUT(scatter, scatter(self, dim, index, src), (self, index, src), const Tensor& self,
          int64_t dim, const Tensor& index, const Tensor& src)
TAPER_OUT(scatter, scatter(self, dim, index, value), (self, index), const Tensor& self, int64_t dim,
          const Tensor& index, const Scalar& value)
TAPER_OUT(scatter_add, scatter_add(self, dim, index, src), (self, index, src), const Tensor& self,
          int64_t dim, const Tensor& index, const Tensor& src)
TAPER_OUT(index_select, index_select(self, dim, index), (self, index), const Tensor& self,
          int64_t dim, const Tensor& index)
TAPER_OUT(index_add, index_add(self, dim, index, source, alpha), (self, index, source),
          const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
          const Scalar& alpha)
TAPER_OUT(index_copy, index_copy(self, dim, index, source), (self, index, source),
          const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source)
TAPER_OUT(masked_select, masked_select(self, mask), (self, mask), const Tensor& self,
          const Tensor& mask)
TAPER_OUT(take, take(self, index), (self, index), const Tensor& self, const Tensor& index)
TAPER_OUT(take_along_dim, self.take_along_dim(indices, dim), (self, indices), const Tensor& self,
          const Tensor& indices, optional<int64_t> dim)
TAPER_OUT(nonzero, nonzero(self), (self), const Tensor& self)
TAPER_OUT(nonzero_static, nonzero_static(self, size, fill_value), (self), const Tensor& self,
          int64_t size, int64_t fill_value)
TAPER_OUT(where, where(condition, self, other), (condition, self, other), const Tensor& condition,
          const Tensor& self, const Tensor& other)
TAPER_OUT(tril, self.tril(diagonal), (self), const Tensor& self, int64_t diagonal)
TAPER_OUT(triu, self.triu(diagonal), (self), const Tensor& self, int64_t diagonal)
TAPER_OUT(diag, diag(self, diagonal), (self), const Tensor& self, int64_t diagonal)
TAPER_OUT_LIST(hstack, hstack(tensors))
TAPER_OUT_LIST(vstack, vstack(tensors))
TAPER_OUT_LIST(dstack, dstack(tensors))
TAPER_OUT_LIST(column_stack, column_stack(tensors))

// ---------------------------------------------------------------- products
TAPER_OUT(mv, mv(self, vec), (self, vec), const Tensor& self, const Tensor& vec)
TAPER_OUT(dot, dot(self, tensor), (self, tensor), const Tensor& self, const Tensor& tensor)
TAPER_OUT(vdot, vdot(self, other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT(inner, inner(self, other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT(outer, outer(self, vec2), (self, vec2), const Tensor& self, const Tensor& vec2)
TAPER_OUT(ger, ger(self, vec2), (self, vec2), const Tensor& self, const Tensor& vec2)
TAPER_OUT(kron, kron(self, other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT(cross, cross(self, other, dim), (self, other), const Tensor& self, const Tensor& other,
          optional<int64_t> dim)
TAPER_OUT(tensordot, tensordot(self, other, dims_self, dims_other), (self, other),
          const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other)
TAPER_OUT(linear, linear(input, weight, bias), (input, weight, bias), const Tensor& input,
          const Tensor& weight, const Tensor& bias)

// ---------------------------------------------------------------- pointwise
TAPER_OUT(softmax, softmax(self, dim, dtype), (self), const Tensor& self, int64_t dim,
          optional<ScalarType> dtype)
TAPER_OUT(log_softmax, log_softmax(self, dim, dtype), (self), const Tensor& self, int64_t dim,
          optional<ScalarType> dtype)
TAPER_OUT(elu, elu(self, alpha, scale, input_scale), (self), const Tensor& self,
          const Scalar& alpha, const Scalar& scale, const Scalar& input_scale)
TAPER_OUT(gelu, gelu(self, approximate), (self), const Tensor& self, std::string_view approximate)
TAPER_OUT(leaky_relu, leaky_relu(self, negative_slope), (self), const Tensor& self,
          const Scalar& negative_slope)
TAPER_OUT(silu, silu(self), (self), const Tensor& self)
TAPER_OUT(mish, mish(self), (self), const Tensor& self)
TAPER_OUT(softplus, softplus(self, beta, threshold), (self), const Tensor& self, const Scalar& beta,
          const Scalar& threshold)
TAPER_OUT(hardtanh, hardtanh(self, min_val, max_val), (self), const Tensor& self,
          const Scalar& min_val, const Scalar& max_val)
TAPER_OUT(hardsigmoid, hardsigmoid(self), (self), const Tensor& self)
TAPER_OUT(hardswish, hardswish(self), (self), const Tensor& self)
TAPER_OUT(hardshrink, hardshrink(self, lambd), (self), const Tensor& self, const Scalar& lambd)
TAPER_OUT(softshrink, softshrink(self, lambd), (self), const Tensor& self, const Scalar& lambd)
TAPER_OUT(threshold, taper::threshold(self, threshold, value), (self), const Tensor& self,
          const Scalar& threshold, const Scalar& value)
TAPER_OUT(log_sigmoid, log_sigmoid(self), (self), const Tensor& self)
TAPER_OUT(glu, glu(self, dim), (self), const Tensor& self, int64_t dim)
TAPER_OUT(complex, complex(real, imag), (real, imag), const Tensor& real, const Tensor& imag)
TAPER_OUT(polar, polar(abs, angle), (abs, angle), const Tensor& abs, const Tensor& angle)
TAPER_OUT(renorm, renorm(self, p, dim, maxnorm), (self), const Tensor& self, const Scalar& p,
          int64_t dim, const Scalar& maxnorm)
TAPER_OUT(mse_loss, mse_loss(self, target, reduction), (self, target), const Tensor& self,
          const Tensor& target, int64_t reduction)
TAPER_OUT(smooth_l1_loss, smooth_l1_loss(self, target, reduction, beta), (self, target),
          const Tensor& self, const Tensor& target, int64_t reduction, double beta)
TAPER_OUT(huber_loss, huber_loss(self, target, reduction, delta), (self, target),
          const Tensor& self, const Tensor& target, int64_t reduction, double delta)

}  // namespace taper
