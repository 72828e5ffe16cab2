#include <taper/ops/nn/softmax.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/nn/softmax_kernels.h>
#include <taper/ops/shared/out_define.h>

namespace torch::taper {

namespace {

void check_floating(const char* op, const Tensor& x) {
  if (!x.is_floating_point())
    detail::unsupported_dtype(detail::concat(op, "_kernel_impl").c_str(), x.scalar_type());
}

// Checks the preconditions of the backward kernels.
void check_backward(const char* op, const Tensor& gy, const Tensor& y) {
  check_defined(op, gy, "gy");
  check_defined(op, y, "y");
  check_floating(op, y);
  TAPER_CHECK(gy.sizes() == y.sizes() && gy.scalar_type() == y.scalar_type(), op,
              ": expected a gradient like the output, ", y.scalar_type(), y.sizes(), ", got ",
              gy.scalar_type(), gy.sizes());
  check_same_device(op, gy, y);
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  if (auto done = at_door<"softmax">(self, dim, dtype)) return done;
  if (dtype && *dtype != self.scalar_type()) return softmax(self.to(*dtype), dim);
  // check
  check_floating("softmax", self);
  dim = wrap_dim("softmax", dim, self.dim());
  // shape
  const Tensor x = self.contiguous();
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  // compute
  TAPER_ON_DEVICE(x, softmax, y, x, dim);
  // record
  if (needs_grad(self))
    record("SoftmaxBackward0", y, {self}, [y = saved_output(y), dim](const Tensor& gy) {
      return softmax_backward(gy, y.get(), dim);
    });
  return y;
}

Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  if (auto done = at_door<"log_softmax">(self, dim, dtype)) return done;
  if (dtype && *dtype != self.scalar_type()) return log_softmax(self.to(*dtype), dim);
  check_floating("log_softmax", self);
  dim = wrap_dim("log_softmax", dim, self.dim());
  const Tensor x = self.contiguous();
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, log_softmax, y, x, dim);
  if (needs_grad(self))
    record("LogSoftmaxBackward0", y, {self}, [y = saved_output(y), dim](const Tensor& gy) {
      return log_softmax_backward(gy, y.get(), dim);
    });
  return y;
}

// A fused backward is an op, too. With v the gradient of gx: d/dgy = y (v - sum(v y)), which is
// this op again, and d/dy = v (gy - sum(gy y)) - gy sum(v y).
Tensor softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim) {
  if (auto done = at_door<"softmax_backward">(gy, y, dim)) return done;
  check_backward("softmax_backward", gy, y);
  dim = wrap_dim("softmax_backward", dim, y.dim());
  const Tensor g = gy.contiguous(), out = y.contiguous();
  Tensor gx = detail::make_tensor(y.sizes(), y.scalar_type(), y.device());
  TAPER_ON_DEVICE(y, softmax_backward, gx, g, out, dim);
  if (needs_grad(gy, y))
    record("SoftmaxBackwardDataBackward0", gx, {gy, y},
           [gy = saved(gy), y = saved(y), dim](const Tensor& v) {
             const Tensor g = gy.get(), out = y.get();
             const Tensor inner = g.sub(g.mul(out).sum(dim, true));
             return std::array<Tensor, 2>{softmax_backward(v, out, dim),
                                          v.mul(inner).sub(g.mul(v.mul(out).sum(dim, true)))};
           });
  return gx;
}

// d/dgy = v - sum(v exp(y)), and d/dy = -v exp(y) sum(gy).
Tensor log_softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim) {
  if (auto done = at_door<"log_softmax_backward">(gy, y, dim)) return done;
  check_backward("log_softmax_backward", gy, y);
  dim = wrap_dim("log_softmax_backward", dim, y.dim());
  const Tensor g = gy.contiguous(), out = y.contiguous();
  Tensor gx = detail::make_tensor(y.sizes(), y.scalar_type(), y.device());
  TAPER_ON_DEVICE(y, log_softmax_backward, gx, g, out, dim);
  if (needs_grad(gy, y))
    record("LogSoftmaxBackwardDataBackward0", gx, {gy, y},
           [gy = saved(gy), y = saved(y), dim](const Tensor& v) {
             const Tensor weighted = v.mul(y.get().exp());
             return std::array<Tensor, 2>{v.sub(weighted.sum(dim, true)),
                                          weighted.mul(gy.get().sum(dim, true)).neg()};
           });
  return gx;
}

Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  if (auto done = at_door<"_softmax">(self, dim, half_to_float)) return done;
  return softmax(self, dim, half_to_float ? optional<ScalarType>(kFloat) : nullopt);
}
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  if (auto done = at_door<"_log_softmax">(self, dim, half_to_float)) return done;
  return log_softmax(self, dim, half_to_float ? optional<ScalarType>(kFloat) : nullopt);
}
Tensor Tensor::softmax(int64_t dim, optional<ScalarType> dtype) const {
  return taper::softmax(*this, dim, dtype);
}
Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> dtype) const {
  return taper::log_softmax(*this, dim, dtype);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(softmax, (out, self, dim, dtype), softmax(self, dim, dtype), (self), const Tensor& self,
          int64_t dim, optional<ScalarType> dtype)
TAPER_OUT(log_softmax, (out, self, dim, dtype), log_softmax(self, dim, dtype), (self),
          const Tensor& self, int64_t dim, optional<ScalarType> dtype)

}  // namespace torch::taper
