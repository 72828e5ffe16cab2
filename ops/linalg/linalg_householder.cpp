#include <taper/ops/linalg/linalg_householder.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/recompute.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace linalg {

using namespace detail;

namespace {

// Checks the reflections. `op` starts each message.
void check_reflections(const std::string& op, const Tensor& input, const Tensor& tau) {
  check_defined(op.c_str(), input, "input");
  check_defined(op.c_str(), tau, "tau");
  TAPER_CHECK(input.dim() >= 2, op, ": input must have at least 2 dimensions.");
  check_matrices(op.c_str(), input, "input");
  TAPER_CHECK(input.size(-1) >= tau.size(-1), op,
              ": input.shape[-1] must be greater than or equal to tau.shape[-1]");
  TAPER_CHECK(input.dim() - tau.dim() == 1, op,
              ": Expected tau to have one dimension less than input, but got tau.ndim equal to ",
              tau.dim(), " and input.ndim is equal to ", input.dim());
  TAPER_CHECK(
      tau.sizes().slice(0, static_cast<size_t>(tau.dim() - 1)) == batch_with(input, {}).ref(), op,
      ": Expected batch dimensions of tau to be equal to input.shape[:-2], but got ", tau.sizes());
  TAPER_CHECK(input.scalar_type() == tau.scalar_type(), op,
              ": Expected input and tau to have the same dtype, but found input of type ",
              toString(input.scalar_type()), " and tau of type ", toString(tau.scalar_type()),
              " instead");
  check_same_device(op.c_str(), input, tau);
}

/// Returns the first n columns of the product, reflection by reflection.
Tensor product_by_reflections(const Tensor& input, const Tensor& tau) {
  const int64_t m = input.size(-2), n = input.size(-1);
  const TensorOptions options = input.options().requires_grad(false);
  const Tensor vectors = tril(input, -1) + eye(m, n, options);
  Tensor y = eye(m, n, options).expand(batch_with(input, {m, n}));
  for (int64_t i = tau.size(-1) - 1; i >= 0; --i) {
    const Tensor v = vectors.narrow(-1, i, 1), t = tau.narrow(-1, i, 1).unsqueeze(-1);
    y = y - matmul(v * t, matmul(v.mH(), y));
  }
  return y;
}

}  // namespace

Tensor householder_product(const Tensor& input, const Tensor& tau) {
  if (auto done = at_door<"linalg_householder_product">(input, tau)) return done;
  check_reflections("torch.linalg.householder_product", input, tau);
  TAPER_CHECK(input.size(-2) >= input.size(-1),
              "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
              "input.shape[-1]");
  const Tensor q = copy_of(input.detach().mT()), factors = tau.detach().contiguous();
  TAPER_ON_DEVICE(q, linalg_orgqr, q, factors);
  Tensor y = copy_of(q.mT());
  if (needs_grad(input, tau))
    record("LinalgHouseholderProductBackward0", y, {input, tau},
           [inputs = autograd::saved_all({input, tau})](Grads& g) {
             return autograd::gradients_through(
                 [](const std::vector<Tensor>& t) {
                   return std::vector<Tensor>{product_by_reflections(t[0], t[1])};
                 },
                 inputs, g);
           });
  return y;
}

}  // namespace linalg

namespace {

[[noreturn]] void throw_no_derivative(const char* op) {
  throw NotImplementedError(
      taper::detail::concat(op, ": the derivative for '", op, "' is not implemented."));
}

}  // namespace

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  if (auto done = at_door<"geqrf">(self)) return done;
  linalg::detail::check_matrices("torch.geqrf", self, "input");
  const int64_t k = std::min(self.size(-2), self.size(-1));
  Tensor a, tau = linalg::detail::make(self, linalg::detail::batch_with(self, {k}));
  {
    const NoGradGuard values_only;
    const Tensor columns = linalg::detail::copy_of(self.detach().mT());
    if (self.numel() > 0) TAPER_ON_DEVICE(columns, linalg_geqrf, columns, tau);
    a = linalg::detail::copy_of(columns.mT());
  }
  if (needs_grad(self))
    record("GeqrfBackward0", {a, tau}, {self},
           [](Grads&) -> std::array<Tensor, 1> { throw_no_derivative("geqrf"); });
  return {a, tau};
}

Tensor orgqr(const Tensor& self, const Tensor& input2) {
  if (auto done = at_door<"orgqr">(self, input2)) return done;
  return linalg::householder_product(self, input2);
}

Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left,
             bool transpose) {
  if (auto done = at_door<"ormqr">(self, input2, input3, left, transpose)) return done;
  linalg::check_reflections("torch.ormqr", self, input2);
  linalg::detail::check_matrices("torch.ormqr", input3, "other");
  const int64_t m = self.size(-2), k = input2.size(-1);
  TAPER_CHECK(input3.size(left ? -2 : -1) >= k, "torch.ormqr: other.shape[", left ? -2 : -1,
              "] must be greater than or equal to tau.shape[-1]");
  TAPER_CHECK(input3.size(left ? -2 : -1) == m, "torch.ormqr: other.shape[", left ? -2 : -1,
              "] must be equal to input.shape[-2]");
  // Columns without a reflection may hold anything.
  const Tensor square = cat(
      {self.narrow(-1, 0, k),
       zeros(linalg::detail::batch_with(self, {m, m - k}), self.options().requires_grad(false))},
      -1);
  const Tensor q = linalg::householder_product(square, input2), factor = transpose ? q.mH() : q;
  return left ? matmul(factor, input3) : matmul(input3, factor);
}

std::tuple<Tensor, Tensor> Tensor::geqrf() const { return taper::geqrf(*this); }
Tensor Tensor::orgqr(const Tensor& input2) const { return taper::orgqr(*this, input2); }
Tensor Tensor::ormqr(const Tensor& input2, const Tensor& input3, bool left, bool transpose) const {
  return taper::ormqr(*this, input2, input3, left, transpose);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_householder_product, (out, input, tau), linalg::householder_product(input, tau),
          (input, tau), const Tensor& input, const Tensor& tau)

}  // namespace torch::taper
