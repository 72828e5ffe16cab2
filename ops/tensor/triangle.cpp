#include <taper/ops/tensor/triangle.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper {

namespace {

Tensor triangle_of(const char* op, const char* node, const Tensor& x, int64_t diagonal,
                   bool upper) {
  check_defined(op, x, "self");
  TAPER_CHECK(x.dim() >= 2, op, ": input tensor must have at least 2 dimensions");
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const Tensor from = x.detach().contiguous();
  // A diagonal outside the matrix gives the result of the nearest one outside.
  diagonal = std::clamp(diagonal, -x.size(-2), x.size(-1));
  TAPER_ON_DEVICE(x, triangle, y, from, diagonal, upper);
  if (needs_grad(x))
    record(node, y, {x}, [diagonal, upper](const Tensor& gy) {
      return upper ? triu(gy, diagonal) : tril(gy, diagonal);
    });
  return y;
}

}  // namespace

Tensor tril(const Tensor& x, int64_t diagonal) {
  if (auto done = at_door<"tril">(x, diagonal)) return done;
  return triangle_of("tril", "TrilBackward0", x, diagonal, false);
}
Tensor triu(const Tensor& x, int64_t diagonal) {
  if (auto done = at_door<"triu">(x, diagonal)) return done;
  return triangle_of("triu", "TriuBackward0", x, diagonal, true);
}

Tensor diag(const Tensor& x, int64_t diagonal) {
  if (auto done = at_door<"diag">(x, diagonal)) return done;
  check_defined("diag", x, "self");
  TAPER_CHECK(x.dim() == 1 || x.dim() == 2, "diag: matrix or a vector expected");
  Tensor y;
  {
    NoGradGuard no_grad;
    if (x.dim() == 1) {
      const int64_t n = detail::embedded_size("diag", x.numel(), diagonal);
      y = zeros({n, n}, x.options());
      y.diagonal(diagonal).copy_(x);
    } else {
      y = x.detach().diagonal(diagonal).clone();
    }
  }
  if (needs_grad(x))
    record("DiagBackward0", y, {x}, [size = Dims(x.sizes()), diagonal](const Tensor& gy) {
      if (size.size() == 1) return diag(gy, diagonal);
      Tensor gx = zeros(size, gy.options());
      gx.diagonal(diagonal).copy_(gy);
      return gx;
    });
  return y;
}

Tensor trace(const Tensor& x) {
  if (auto done = at_door<"trace">(x)) return done;
  check_defined("trace", x, "self");
  TAPER_CHECK(x.dim() == 2, "trace: expected a matrix, but got tensor with dim ", x.dim());
  Tensor y;
  {
    NoGradGuard no_grad;
    y = x.detach().diagonal().sum();
  }
  if (needs_grad(x))
    record("TraceBackward0", y, {x}, [n = x.size(0), m = x.size(1)](const Tensor& gy) {
      return eye(n, m, gy.options()).mul(gy);
    });
  return y;
}

Tensor Tensor::tril(int64_t diagonal) const { return taper::tril(*this, diagonal); }
Tensor Tensor::triu(int64_t diagonal) const { return taper::triu(*this, diagonal); }
Tensor& Tensor::tril_(int64_t diagonal) const {
  if (at_door<"tril_">(*this, diagonal)) return detail::as_mutable(*this);
  return in_place("tril_", *this, {}, [&](const Tensor& x) { return taper::tril(x, diagonal); });
}
Tensor& Tensor::triu_(int64_t diagonal) const {
  if (at_door<"triu_">(*this, diagonal)) return detail::as_mutable(*this);
  return in_place("triu_", *this, {}, [&](const Tensor& x) { return taper::triu(x, diagonal); });
}
Tensor Tensor::diag(int64_t diagonal) const { return taper::diag(*this, diagonal); }
Tensor Tensor::trace() const { return taper::trace(*this); }

// ---------------------------------------------------------------- out forms
TAPER_OUT(tril, (out, self, diagonal), self.tril(diagonal), (self), const Tensor& self,
          int64_t diagonal)
TAPER_OUT(triu, (out, self, diagonal), self.triu(diagonal), (self), const Tensor& self,
          int64_t diagonal)
TAPER_OUT(diag, (out, self, diagonal), diag(self, diagonal), (self), const Tensor& self,
          int64_t diagonal)

}  // namespace torch::taper
