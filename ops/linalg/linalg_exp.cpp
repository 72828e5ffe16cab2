// The exponential of matrices.
#include <taper/ops/linalg/linalg_exp.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace linalg {

using namespace detail;

// Taylor polynomials by few products: Bader, Blanes and Casas, "Computing the matrix exponential
// with an optimized Taylor polynomial approximation", 2019.
namespace {

void add_identities(const Tensor& x, double factor) { x.diagonal(0, -2, -1).add_(factor); }

// Returns the terms up to A^8 / 8! by three products.
Tensor eight_terms(const Tensor& A) {
  const double root = std::sqrt(177.0), third = 2.0 / 3;
  const Tensor A2 = bmm(A, A);
  const double x1 = third * (1 + root) / 88, x2 = third * (1 + root) / 352;
  const Tensor A4 = bmm(A2, (A * x1).add_(A2, x2));
  const double x4 = (29 * root - 271) / (315 * third), x5 = 11 * (root - 1) / (1260 * third);
  const double x6 = 11 * (root - 9) / (5040 * third), x7 = (89 - root) / (5040 * third * third);
  const Tensor right = (A * x5).add_(A2, x6).add_(A4, x7);
  add_identities(right, x4);
  const Tensor first = A.add(A2, (857 - 58 * root) / 630);
  add_identities(first, 1);
  return baddbmm(first, A4.add_(A2, third), right);
}

// Rows are sums of A, A^2, A^3 and A^6, without multiples of the identity.
constexpr double kSums[] = {-0.10036558103014462001,
                            -0.00802924648241156960,
                            -0.00089213849804572995,
                            0,
                            0.39784974949964507614,
                            1.36783778460411719922,
                            0.49828962252538267755,
                            -0.00063789819459472330,
                            1.68015813878906197182,
                            0.05717798464788655127,
                            -0.00698210122488052084,
                            0.00003349750170860705,
                            -0.06764045190713819075,
                            0.06759613017704596460,
                            0.02955525704293155274,
                            -0.00001391802575160607,
                            0,
                            -0.09233646193671185927,
                            -0.01693649390020817171,
                            -0.00001400867981820361};
constexpr double kThirdIdentity = -10.96763960529620625935,
                 kFourthIdentity = -0.09043168323908105619;

// Returns the terms up to A^18 / 18! by five products.
Tensor eighteen_terms(const Tensor& A) {
  const Tensor A2 = bmm(A, A), A3 = bmm(A2, A), powers = stack({A, A2, A3, bmm(A3, A3)});
  const Tensor factors = tensor(ArrayRef<double>(kSums), TensorOptions(kDouble))
                             .view({5, 4})
                             .to(powers.device(), A.scalar_type());
  const Tensor sums = mm(factors, powers.view({4, -1}));
  const auto sum = [&](int64_t i) { return sums.select(0, i).view(A.sizes()); };
  add_identities(sum(2), kThirdIdentity);
  add_identities(sum(3), kFourthIdentity);
  const Tensor A9 = baddbmm(sum(3), sum(0), sum(4));
  return baddbmm(sum(1), sum(2).add(A9), A9);
}

// The norms up to which the polynomials' errors are below the dtype's precision.
struct Reach {
  double eight, eighteen;
};
Reach reach_of(const Tensor& A) {
  return toRealValueType(A.scalar_type()) == kDouble ? Reach{0.0499, 1.09} : Reach{0.58, 3.01};
}

// Computes exp(A / 2^s) squared s times. The largest norm of the batch (N, n, n) determines s.
Tensor exponential(const Tensor& A) {
  const double largest = A.abs().sum({-1}).max().item<double>();
  TAPER_CHECK(std::isfinite(largest) || std::isnan(largest),
              "linalg.matrix_exp: expected finite numbers, got a matrix with infinite ones");
  const Reach reach = reach_of(A);
  if (largest <= reach.eight) return eight_terms(A);
  const int squarings = largest > reach.eighteen
                            ? static_cast<int>(std::ceil(std::log2(largest / reach.eighteen)))
                            : 0;
  Tensor y = eighteen_terms(squarings > 0 ? A * std::ldexp(1.0, -squarings) : A);
  for (int i = 0; i < squarings; ++i) y = bmm(y, y);
  return y;
}

// The derivative of exp at A^H in direction g is a block of the exponential of [[A^H, g], [0, A^H]]
// (Najfeld and Havel, "Derivatives of the matrix exponential and their computation", 1995).
Tensor exponential_gradient(const Tensor& g, const Tensor& A) {
  const int64_t n = A.size(-1);
  const Tensor a = A.mH(), top = cat({a, g}, -1), bottom = cat({zeros_like(g), a}, -1);
  return linalg::matrix_exp(cat({top, bottom}, -2)).narrow(-2, 0, n).narrow(-1, n, n);
}

}  // namespace

Tensor matrix_exp(const Tensor& A) {
  if (auto done = at_door<"linalg_matrix_exp">(A)) return done;
  check_defined("linalg.matrix_exp", A, "A");
  TAPER_CHECK(isFloatingOrComplexType(A.scalar_type()),
              "matrix_exp: Expected a floating point or complex tensor as input. Got ",
              toString(A.scalar_type()));
  check_square("linalg.matrix_exp", A);
  Tensor y;
  {
    const NoGradGuard values_only;
    if (A.numel() == 0)
      y = copy_of(A);
    else
      y = _unsafe_view(exponential(A.detach().reshape({-1, A.size(-1), A.size(-1)})), A.sizes());
  }
  if (needs_grad(A))
    record("LinalgMatrixExpBackward0", y, {A},
           [a = saved(A)](const Tensor& g) { return exponential_gradient(g, a.get()); });
  return y;
}

}  // namespace linalg

Tensor matrix_exp(const Tensor& self) {
  if (auto done = at_door<"matrix_exp">(self)) return done;
  return linalg::matrix_exp(self);
}
Tensor Tensor::matrix_exp() const { return taper::matrix_exp(*this); }

}  // namespace torch::taper
