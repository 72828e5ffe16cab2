#include <taper/ops/linalg/linalg_solve.h>

#include <taper/framework/autograd/door.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace linalg {

using namespace detail;

Tensor detail::identity_like(const Tensor& A, int64_t n) {
  return eye(n, A.options().requires_grad(false));
}
Tensor detail::diagonal_mask(const Tensor& A, int64_t n) {
  return eye(n, A.options().dtype(kBool).requires_grad(false));
}

void detail::check_equation(const char* op, const Tensor& A, const Tensor& B, bool left) {
  check_square(op, A);
  TAPER_CHECK(A.scalar_type() == B.scalar_type(), op,
              ": Expected A and B to have the same dtype, but found A of type ",
              toString(A.scalar_type()), " and B of type ", toString(B.scalar_type()), " instead");
  TAPER_CHECK(B.dim() >= 2 && A.size(-2) == B.size(left ? -2 : -1), op,
              ": Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B",
              " (", A.size(-2), "x", A.size(-1), " and ", B.dim() < 2 ? 1 : B.size(-2), "x",
              B.size(-1), ")");
  check_same_device(op, A, B);
}

// ---------------------------------------------------------------------- inverse
std::tuple<Tensor, Tensor> inv_ex(const Tensor& A, bool check_errors) {
  if (auto done = at_door<"linalg_inv_ex">(A, check_errors)) return done;
  check_square("linalg.inv", A);
  Tensor y = copy_of(A);
  const Tensor info = make_info(A);
  TAPER_ON_DEVICE(y, linalg_inverse, y, info);
  if (check_errors)
    check_info("linalg.inv", info, [](const std::string& prefix, int i) {
      throw LinAlgError(prefix + "The diagonal element " + std::to_string(i) +
                        " is zero, the inversion could not be completed because the input matrix "
                        "is singular.");
    });
  if (needs_grad(A))
    record("LinalgInvExBackward0", y, {A}, [y = saved_output(y)](const Tensor& g) {
      const Tensor adjoint = y.get().mH();
      return -matmul(adjoint, matmul(g, adjoint));
    });
  return {y, info};
}

Tensor inv(const Tensor& A) {
  if (auto done = at_door<"linalg_inv">(A)) return done;
  return std::get<0>(inv_ex(A, true));
}

// ---------------------------------------------------------------------- determinant
namespace {

/// The diagonal of U and the sign of the row swaps of P L U = A.
struct Pivoted {
  Tensor diagonal, sign;
};
Pivoted pivoted(const char* op, const Tensor& A) {
  check_square(op, A);
  const NoGradGuard values_only;
  const int64_t n = A.size(-1);
  const Tensor lu = copy_of(A), info = make_info(A);  // of A^T: det is equal
  const Tensor pivots = taper::detail::make_tensor(batch_with(A, {n}), kInt, A.device());
  if (A.numel() > 0) TAPER_ON_DEVICE(lu, linalg_lu, lu, pivots, info);
  const Tensor places = arange(1, n + 1, pivots.options());
  const Tensor swaps = pivots.ne(places).sum({-1});
  return {lu.diagonal(0, -2, -1), (1 - swaps.remainder(2) * 2).to(A.scalar_type())};
}

Tensor as_matrices(const Tensor& x) { return x.unsqueeze(-1).unsqueeze(-1); }

// Returns the conjugated, transposed adjugate of matrices that may be singular. Each product leaves
// out one singular value.
Tensor cofactors(const Tensor& A) {
  const auto [u, s, vh] = linalg::svd(A);
  const int64_t n = A.size(-1);
  Dims square = s.sizes();
  square.push_back(n);
  const Tensor others = s.unsqueeze(-2).expand(square).masked_fill(diagonal_mask(A, n), 1).prod(-1);
  return as_matrices((linalg::det(u) * linalg::det(vh)).conj()) *
         matmul(u * others.unsqueeze(-2), vh);
}

}  // namespace

Tensor det(const Tensor& A) {
  if (auto done = at_door<"linalg_det">(A)) return done;
  const Pivoted p = pivoted("linalg.det", A);
  Tensor y;
  {
    const NoGradGuard values_only;
    y = p.diagonal.prod(-1) * p.sign;
  }
  if (needs_grad(A))
    record("LinalgDetBackward0", y, {A}, [a = saved(A), y = saved_output(y)](const Tensor& g) {
      const Tensor A = a.get(), d = y.get();
      if (d.detach().eq(0).any().item<bool>()) return as_matrices(g) * cofactors(A);
      return as_matrices(g * d.conj()) * inv(A).mH();
    });
  return y;
}

namespace {

// The sign rotates with the imaginary part of d log det = trace(A^-1 dA). The logarithm grows with
// the real part.
Tensor complex_slogdet_gradient(const Tensor& gs, const Tensor& gl, const Tensor& A,
                                const Tensor& sign) {
  Tensor g = gl;
  if (gs.defined()) {
    const Tensor turn = imag(gs.conj() * sign);
    g = complex(gl.defined() ? gl : zeros_like(turn), -turn);
  }
  return as_matrices(g) * inv(A).mH();
}

}  // namespace

std::tuple<Tensor, Tensor> slogdet(const Tensor& A) {
  if (auto done = at_door<"linalg_slogdet">(A)) return done;
  const Pivoted p = pivoted("linalg.slogdet", A);
  Tensor sign, y;
  {
    const NoGradGuard values_only;
    sign = p.diagonal.sgn().prod(-1) * p.sign;
    y = p.diagonal.abs().log().sum({-1});
  }
  if (!needs_grad(A)) return {sign, y};
  if (!A.is_complex())  // the sign has no gradient
    record("LinalgSlogdetBackward0", {sign, y}, {A}, [a = saved(A)](Grads& g) {
      return g[1].defined() ? as_matrices(g[1]) * inv(a.get()).mT() : Tensor();
    });
  else
    record(
        "LinalgSlogdetBackward0", {sign, y}, {A},
        [a = saved(A), sign = saved_output(sign, 0)](Grads& g) {
          return std::array<Tensor, 1>{complex_slogdet_gradient(g[0], g[1], a.get(), sign.get())};
        });
  return {sign, y};
}

// ---------------------------------------------------------------------- equations
namespace {

struct Solution {
  Tensor x, info;
};

void check_solved(const char* op, const Tensor& info) {
  if (!op) return;
  check_info(op, info, [](const std::string& prefix, int) {
    throw LinAlgError(prefix + "The solver failed because the input matrix is singular.");
  });
}

Solution solved(const Tensor& A, const Tensor& B, const char* op);

// Solves by factors that the gradient reuses.
Solution solved_by_factors(const Tensor& A, const Tensor& B, const char* op) {
  Tensor LU, pivots, info, x;
  {
    const NoGradGuard values_only;
    std::tie(LU, pivots, info) = lu_factor_ex(A.detach());
    check_solved(op, info);
    x = linalg::lu_solve(LU, pivots, B.detach(), true);
  }
  record("LinalgSolveExBackward0", x, {A, B},
         [a = saved(A), x = saved_output(x), LU = saved(LU), pivots = saved(pivots)](Grads& g) {
           const Tensor gb = needs_grad(a.get(), g[0])
                                 ? solved(a.get().mH(), g[0], nullptr).x
                                 : lu_solve(LU.get(), pivots.get(), g[0], true, true);
           std::array<Tensor, 2> out;
           if (g.needs(0)) out[0] = -matmul(gb, x.get().mH());
           if (g.needs(1)) out[1] = gb;
           return out;
         });
  return {x, info};
}

// From this size on, a second factorisation takes longer than solving with the first one.
constexpr int64_t kLeastFactored = 48;

// Solves for A and B of one batch. Throws for singular matrices if `op` is given.
Solution solved(const Tensor& A, const Tensor& B, const char* op) {
  if (needs_grad(A, B) && A.size(-1) >= kLeastFactored && B.numel() > 0)
    return solved_by_factors(A, B, op);
  const Tensor a = copy_of(A.detach().mT()), b = copy_of(B.detach().mT()), info = make_info(A);
  TAPER_ON_DEVICE(a, linalg_solve, a, b, info);
  check_solved(op, info);
  Tensor x = copy_of(b.mT());
  if (needs_grad(A, B))
    record("LinalgSolveExBackward0", x, {A, B}, [a = saved(A), x = saved_output(x)](Grads& g) {
      // It is known by now whether A is singular. Another test would synchronize.
      const Tensor gb = solved(a.get().mH(), g[0], nullptr).x;
      std::array<Tensor, 2> out;
      if (g.needs(0)) out[0] = -matmul(gb, x.get().mH());
      if (g.needs(1)) out[1] = gb;
      return out;
    });
  return {x, info};
}

struct Triangle {
  bool upper, unit;
  Tensor of(const Tensor& x) const {
    return upper ? triu(x, unit ? 1 : 0) : tril(x, unit ? -1 : 0);
  }
};

Tensor solved(const Tensor& A, const Tensor& B, const Triangle& t) {
  Tensor x = copy_of(B);
  const Tensor a = A.detach().contiguous();
  TAPER_ON_DEVICE(x, linalg_triangular, a, x, t.upper, t.unit);
  if (needs_grad(A, B))
    record("LinalgSolveTriangularBackward0", x, {A, B},
           [a = saved(A), x = saved_output(x), t](Grads& g) {
             const Tensor gb = solved(a.get().mH(), g[0], {!t.upper, t.unit});
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = t.of(-matmul(gb, x.get().mH()));
             if (g.needs(1)) out[1] = gb;
             return out;
           });
  return x;
}

bool holds_vectors(const Tensor& A, const Tensor& B) {
  return B.dim() == 1 || (A.dim() - 1 == B.dim() && B.sizes() == batch_with(A, {A.size(-1)}).ref());
}

}  // namespace

namespace {

Solution solve_by(const char* op, const Tensor& A, const Tensor& B, bool left) {
  check_defined("linalg.solve", B, "B");
  check_square("linalg.solve", A);
  const bool vectors = holds_vectors(A, B);
  TAPER_CHECK(left || !vectors,
              "linalg.solve: Vector broadcasting of the left hand side is not supported for "
              "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  const Tensor b = vectors ? B.unsqueeze(-1) : B;
  check_equation("linalg.solve", A, b, left);
  const Pair p =
      left ? with_one_batch("linalg.solve", A, b) : with_one_batch("linalg.solve", A.mT(), b.mT());
  const Solution s = solved(p.A, p.B, op);
  return {!left ? s.x.mT() : vectors ? s.x.squeeze(-1) : s.x, s.info};
}

}  // namespace

Tensor solve(const Tensor& A, const Tensor& B, bool left) {
  if (auto done = at_door<"linalg_solve">(A, B, left)) return done;
  return solve_by("torch.linalg.solve", A, B, left).x;
}

std::tuple<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left,
                                    bool check_errors) {
  if (auto done = at_door<"linalg_solve_ex">(A, B, left, check_errors)) return done;
  const Solution s = solve_by(check_errors ? "torch.linalg.solve_ex" : nullptr, A, B, left);
  return {s.x, s.info};
}

Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left,
                        bool unitriangular) {
  if (auto done = at_door<"linalg_solve_triangular">(A, B, upper, left, unitriangular)) return done;
  check_defined("linalg.solve_triangular", B, "B");
  check_equation("linalg.solve_triangular", A, B, left);
  if (!left) return solve_triangular(A.mT(), B.mT(), !upper, true, unitriangular).mT();
  const Pair p = with_one_batch("linalg.solve_triangular", A, B);
  return solved(p.A, p.B, {upper, unitriangular});
}

}  // namespace linalg

// ---------------------------------------------------------------------- older names
Tensor inverse(const Tensor& self) {
  if (auto done = at_door<"inverse">(self)) return done;
  return linalg::inv(self);
}
Tensor det(const Tensor& self) {
  if (auto done = at_door<"det">(self)) return done;
  return linalg::det(self);
}
std::tuple<Tensor, Tensor> slogdet(const Tensor& self) {
  if (auto done = at_door<"slogdet">(self)) return done;
  return linalg::slogdet(self);
}

Tensor logdet(const Tensor& self) {
  if (auto done = at_door<"logdet">(self)) return done;
  const auto [sign, logarithm] = linalg::slogdet(self);
  if (self.is_complex()) return sign.log() + logarithm;
  return where(sign.eq(-1), Scalar(std::numeric_limits<double>::quiet_NaN()), logarithm);
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper,
                                            bool transpose, bool unitriangular) {
  if (auto done = at_door<"triangular_solve">(self, A, upper, transpose, unitriangular))
    return done;
  check_defined("triangular_solve", self, "b");
  check_defined("triangular_solve", A, "A");
  TAPER_CHECK(self.dim() >= 2,
              "torch.triangular_solve: Expected b to have at least 2 dimensions, "
              "but it has ",
              self.dim(), " dimensions instead");
  TAPER_CHECK(A.dim() >= 2,
              "torch.triangular_solve: Expected A to have at least 2 dimensions, but "
              "it has ",
              A.dim(), " dimensions instead");
  const Tensor a = transpose ? A.mT() : A;
  return {linalg::solve_triangular(a, self, upper != transpose, true, unitriangular), A.clone()};
}

Tensor Tensor::inverse() const { return taper::inverse(*this); }
Tensor Tensor::det() const { return taper::det(*this); }
std::tuple<Tensor, Tensor> Tensor::slogdet() const { return taper::slogdet(*this); }
Tensor Tensor::logdet() const { return taper::logdet(*this); }

std::tuple<Tensor, Tensor> Tensor::triangular_solve(const Tensor& A, bool upper, bool transpose,
                                                    bool unitriangular) const {
  return taper::triangular_solve(*this, A, upper, transpose, unitriangular);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(inverse, (out, self), self.inverse(), (self), const Tensor& self)
TAPER_OUT(linalg_inv, (out, A), linalg::inv(A), (A), const Tensor& A)
TAPER_OUT(linalg_det, (out, A), linalg::det(A), (A), const Tensor& A)
TAPER_OUT(linalg_solve, (out, A, B, left), linalg::solve(A, B, left), (A, B), const Tensor& A,
          const Tensor& B, bool left)
TAPER_OUT_PAIR(linalg_slogdet, (sign, logabsdet, self), sign, logabsdet, linalg::slogdet(self),
               const Tensor& self)
TAPER_OUT(linalg_solve_triangular, (out, A, B, upper, left, unitriangular),
          linalg::solve_triangular(A, B, upper, left, unitriangular), (A, B), const Tensor& A,
          const Tensor& B, bool upper, bool left, bool unitriangular)
TAPER_OUT_PAIR(linalg_inv_ex, (inverse, info, self, check_errors), inverse, info,
               linalg::inv_ex(self, check_errors), const Tensor& self, bool check_errors)

}  // namespace torch::taper
