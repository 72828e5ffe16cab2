// Factors of matrices. See linalg_solve.cpp for equations.
#include <taper/ops/linalg/linalg_factor.h>

#include <taper/framework/autograd/door.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace linalg {

using namespace detail;

// ---------------------------------------------------------------------- Cholesky
namespace {

// Murray, "Differentiation of the Cholesky decomposition", 2016.
Tensor cholesky_gradient(const Tensor& g, const Tensor& L) {
  const Tensor product = matmul(L.mH(), g);
  const Tensor half = (tril(product) + tril(product, -1)) / 2;
  const Tensor left = solve_triangular(L.mH(), half, true);
  const Tensor both = solve_triangular(L, left, false, false);
  return (both + both.mH()) / 2;
}

std::tuple<Tensor, Tensor> cholesky_of(const char* op, const char* node, const Tensor& A,
                                       bool upper, bool check_errors = true) {
  check_square(op, A);
  Tensor y = copy_of(A);
  const Tensor info = make_info(A);
  TAPER_ON_DEVICE(y, linalg_cholesky, y, info);
  if (check_errors)
    check_info(op, info, [](const std::string& prefix, int i) {
      throw LinAlgError(prefix +
                        "The factorization could not be completed because the input is not "
                        "positive-definite (the leading minor of order " +
                        std::to_string(i) + " is not positive-definite).");
    });
  if (needs_grad(A))
    record(node, y, {A},
           [y = saved_output(y)](const Tensor& g) { return cholesky_gradient(g, y.get()); });
  return {upper ? y.mH() : y, info};
}

}  // namespace

Tensor cholesky(const Tensor& A, bool upper) {
  if (auto done = at_door<"linalg_cholesky">(A, upper)) return done;
  return std::get<0>(cholesky_of("linalg.cholesky", "LinalgCholeskyExBackward0", A, upper));
}
std::tuple<Tensor, Tensor> cholesky_ex(const Tensor& A, bool upper, bool check_errors) {
  if (auto done = at_door<"linalg_cholesky_ex">(A, upper, check_errors)) return done;
  return cholesky_of("linalg.cholesky_ex", "LinalgCholeskyExBackward0", A, upper, check_errors);
}
Tensor& cholesky_out(Tensor& result, const Tensor& A) {
  if (at_door<"linalg_cholesky_out">(result, A)) return result;
  return store_out("linalg_cholesky", result, linalg::cholesky(A.detach()), {A});
}

// ---------------------------------------------------------------------- QR
namespace {

struct QR {
  Tensor Q, R;
};

QR compute_qr(const Tensor& A, bool complete, bool with_q) {
  const NoGradGuard values_only;
  const int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n), columns = complete ? m : k;
  const Tensor a = copy_of(A.detach().mT()), tau = make(A, batch_with(A, {k}));
  if (A.numel() > 0) TAPER_ON_DEVICE(a, linalg_geqrf, a, tau);
  const Tensor r = triu(a.mT().narrow(-2, 0, complete && with_q ? m : k));
  if (!with_q) return {make(A, {0}), r};
  if (A.numel() == 0)
    return {identity_like(A, m).narrow(1, 0, columns).expand(batch_with(A, {m, columns})).clone(),
            r};
  const Tensor q = make(A, batch_with(A, {columns, m}));
  const int64_t filled = std::min(n, columns);
  q.narrow(-2, 0, filled).copy_(a.narrow(-2, 0, filled));
  TAPER_ON_DEVICE(q, linalg_orgqr, q, tau);
  return {copy_of(q.mT()), r};
}

// For tall or square A: Walter and Lehmann, "Algorithmic differentiation of linear algebra
// functions", 2012.
Tensor tall_gradient(const Tensor& gq, const Tensor& gr, const Tensor& Q, const Tensor& R) {
  Tensor m;
  if (gr.defined()) m = matmul(R, gr.mH());
  if (gq.defined()) m = m.defined() ? m - matmul(gq.mH(), Q) : -matmul(gq.mH(), Q);
  const Tensor half = (tril(m) + tril(m, -1)) / 2, symmetric = half + half.mH();
  const Tensor right = gq.defined() ? gq + matmul(Q, symmetric) : matmul(Q, symmetric);
  return solve_triangular(R.mH(), right, false, false);
}

// A wide A is [X, Y]. X has the factors Q and U, and R is [U, V].
Tensor wide_gradient(const Tensor& gq, const Tensor& gr, const Tensor& A, const Tensor& Q,
                     const Tensor& R) {
  const int64_t m = A.size(-2), rest = A.size(-1) - m;
  const Tensor gu = gr.defined() ? gr.narrow(-1, 0, m) : Tensor();
  Tensor full_gq = gq, gy = zeros_like(A.narrow(-1, m, rest));
  if (gr.defined()) {
    const Tensor gv = gr.narrow(-1, m, rest), part = matmul(A.narrow(-1, m, rest), gv.mH());
    full_gq = gq.defined() ? gq + part : part;
    gy = matmul(Q, gv);
  }
  return cat({tall_gradient(full_gq, gu, Q, R.narrow(-1, 0, m)), gy}, -1);
}

}  // namespace

std::tuple<Tensor, Tensor> qr(const Tensor& A, std::string_view mode) {
  if (auto done = at_door<"linalg_qr">(A, mode)) return done;
  TAPER_CHECK(mode == "reduced" || mode == "complete" || mode == "r",
              "linalg.qr: qr received unrecognized mode '", std::string(mode),
              "' but expected one of 'reduced' (default), 'r', or 'complete'");
  check_matrices("linalg.qr", A);
  const bool complete = mode == "complete", with_q = mode != "r";
  const QR f = compute_qr(A, complete, with_q);
  if (!needs_grad(A)) return {f.Q, f.R};
  TAPER_CHECK(with_q,
              "qr: The derivative of linalg.qr depends on Q, which is not computed when "
              "mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to differentiate "
              "through linalg.qr.");
  TAPER_CHECK(
      !complete || A.size(-2) <= A.size(-1),
      "qr: The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  record("LinalgQrBackward0", {f.Q, f.R}, {A},
         [a = saved(A), q = saved_output(f.Q, 0), r = saved_output(f.R, 1)](Grads& g) {
           const Tensor A = a.get();
           return std::array<Tensor, 1>{A.size(-2) >= A.size(-1)
                                            ? tall_gradient(g[0], g[1], q.get(), r.get())
                                            : wide_gradient(g[0], g[1], A, q.get(), r.get())};
         });
  return {f.Q, f.R};
}

// ---------------------------------------------------------------------- SVD
namespace {

struct SVD {
  Tensor U, S, Vh;
};

[[noreturn]] void fail_to_converge(const std::string& prefix, int info, const char* why) {
  if (info < 0)
    throw LinAlgError(prefix +
                      "The algorithm failed to converge because the input matrix contained "
                      "non-finite values.");
  throw LinAlgError(prefix +
                    "The algorithm failed to converge because the input matrix is "
                    "ill-conditioned or has too many repeated " +
                    why + " (error code: " + std::to_string(info) + ").");
}

SVD compute_svd(const Tensor& A, bool full, bool with_vectors) {
  const NoGradGuard values_only;
  const int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n);
  SVD f{{}, make_real(A, batch_with(A, {k})), {}};
  if (with_vectors) {
    f.U = make(A, batch_with(A, {m, full ? m : k}));
    f.Vh = make(A, batch_with(A, {full ? n : k, n}));
  }
  if (A.numel() == 0) {
    if (with_vectors && full) {
      f.U.copy_(identity_like(A, m));
      f.Vh.copy_(identity_like(A, n));
    }
    return f;
  }
  check_may_wait("linalg.svd", A);
  const Tensor a = copy_of(A), info = make_info(A);
  TAPER_ON_DEVICE(a, linalg_svd, a, f.U, f.S, f.Vh, full, info);
  check_info("linalg.svd", info, [](const std::string& prefix, int i) {
    fail_to_converge(prefix, i, "singular values");
  });
  return f;
}

/// Returns x with its skew part divided by the differences of the squares of S.
Tensor skew_over_gaps(const Tensor& x, const Tensor& S) {
  const Tensor squares = S.square();
  const Tensor gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1);
  return (x - x.mH()) / (gaps + identity_like(S, S.size(-1)));
}

// Townsend, "Differentiating the singular value decomposition", 2016.
Tensor svd_gradient(const Tensor& gu, const Tensor& gs, const Tensor& gvh, const SVD& f) {
  const Tensor row = f.S.unsqueeze(-2), column = f.S.unsqueeze(-1);
  if (!gu.defined() && !gvh.defined()) return matmul(f.U * gs.unsqueeze(-2), f.Vh);
  const int64_t k = f.S.size(-1);
  Tensor inner = gs.defined() ? gs.unsqueeze(-1) * identity_like(f.S, k)
                              : zeros({}, f.S.options().requires_grad(false));
  const Tensor u_part = gu.defined() ? matmul(f.U.mH(), gu) : Tensor();
  const Tensor v_part = gvh.defined() ? matmul(gvh, f.Vh.mH()) : Tensor();
  if (gu.defined()) inner = inner + skew_over_gaps(u_part, f.S) * row;
  if (gvh.defined()) inner = inner + column * skew_over_gaps(v_part.mH(), f.S);
  // The part that rotates both vectors of a pair together.
  if (gu.defined() && gvh.defined() && f.U.is_complex())
    inner = inner + (u_part - u_part.mH()) / (2 * row) * identity_like(f.S, k);
  Tensor ga = matmul(f.U, matmul(inner, f.Vh));
  if (gu.defined() && f.U.size(-2) > k) ga = ga + matmul((gu - matmul(f.U, u_part)) / row, f.Vh);
  if (gvh.defined() && f.Vh.size(-1) > k) ga = ga + matmul(f.U / row, gvh - matmul(v_part, f.Vh));
  return ga;
}

Tensor first(const Tensor& g, int64_t dim, int64_t k) {
  return g.defined() ? g.narrow(dim, 0, k) : g;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices) {
  if (auto done = at_door<"linalg_svd">(A, full_matrices)) return done;
  check_matrices("linalg.svd", A);
  const SVD f = compute_svd(A, full_matrices, true);
  if (needs_grad(A))
    record(
        "LinalgSvdBackward0", {f.U, f.S, f.Vh}, {A},
        [u = saved_output(f.U, 0), s = saved_output(f.S, 1), vh = saved_output(f.Vh, 2)](Grads& g) {
          const Tensor S = s.get();
          const int64_t k = S.size(-1);
          const SVD part{first(u.get(), -1, k), S, first(vh.get(), -2, k)};
          return std::array<Tensor, 1>{
              svd_gradient(first(g[0], -1, k), g[1], first(g[2], -2, k), part)};
        });
  return {f.U, f.S, f.Vh};
}

namespace {

void check_driver(const Tensor& A, const optional<std::string_view>& driver) {
  if (!driver) return;
  TAPER_CHECK(A.is_cuda(),
              "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
              "cuSOLVER backend.");
  TAPER_CHECK(*driver == "gesvd" || *driver == "gesvdj" || *driver == "gesvda",
              "torch.linalg.svd: unknown svd driver ", *driver,
              ", please choose one of: gesvd, gesvdj, gesvda");
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices,
                                       optional<std::string_view> driver) {
  if (auto done = at_door<"linalg_svd">(A, full_matrices, driver)) return done;
  check_driver(A, driver);
  return linalg::svd(A, full_matrices);
}

Tensor svdvals(const Tensor& A, optional<std::string_view> driver) {
  if (auto done = at_door<"linalg_svdvals">(A, driver)) return done;
  check_driver(A, driver);
  return linalg::svdvals(A);
}

Tensor svdvals(const Tensor& A) {
  if (auto done = at_door<"linalg_svdvals">(A)) return done;
  check_matrices("linalg.svd", A);
  if (needs_grad(A)) return std::get<1>(linalg::svd(A, false));
  return compute_svd(A, false, false).S;
}

// ---------------------------------------------------------------------- eigenvalues
namespace {

// Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation", 2008, section 3.1.
Tensor eigh_gradient(const Tensor& gl, const Tensor& gv, const Tensor& L, const Tensor& V) {
  const int64_t n = L.size(-1);
  const Tensor unit = identity_like(L, n);
  if (!gv.defined()) return matmul(V * gl.unsqueeze(-2), V.mH());
  const Tensor gaps = L.unsqueeze(-2) - L.unsqueeze(-1) + unit;
  Tensor inner = (matmul(V.mH(), gv) / gaps).masked_fill(diagonal_mask(L, n), 0);
  if (gl.defined()) inner = inner + gl.unsqueeze(-1) * unit;
  return matmul(V, matmul(inner, V.mH()));
}

struct Eigen {
  Tensor values, vectors;
};
Eigen compute_eigh(const Tensor& A, std::string_view uplo, bool with_vectors) {
  check_square("linalg.eigh", A);
  TAPER_CHECK(uplo == "L" || uplo == "U" || uplo == "l" || uplo == "u",
              "linalg.eigh: Expected UPLO argument to be 'L' or 'U', but got ", std::string(uplo));
  check_may_wait("linalg.eigh", A);
  const NoGradGuard values_only;
  const Tensor a = copy_of(A), info = make_info(A);
  const Tensor values = make_real(A, batch_with(A, {A.size(-1)}));
  const bool upper = uplo == "U" || uplo == "u";
  TAPER_ON_DEVICE(a, linalg_eigh, a, values, upper, with_vectors, info);
  check_info("linalg.eigh", info,
             [](const std::string& prefix, int i) { fail_to_converge(prefix, i, "eigenvalues"); });
  return {values, with_vectors ? copy_of(a.mT()) : Tensor()};
}

}  // namespace

std::tuple<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO) {
  if (auto done = at_door<"linalg_eigh">(A, UPLO)) return done;
  const Eigen e = compute_eigh(A, UPLO, true);
  if (needs_grad(A))
    record("LinalgEighBackward0", {e.values, e.vectors}, {A},
           [l = saved_output(e.values, 0), v = saved_output(e.vectors, 1)](Grads& g) {
             return std::array<Tensor, 1>{eigh_gradient(g[0], g[1], l.get(), v.get())};
           });
  return {e.values, e.vectors};
}

Tensor eigvalsh(const Tensor& A, std::string_view UPLO) {
  if (auto done = at_door<"linalg_eigvalsh">(A, UPLO)) return done;
  if (needs_grad(A)) return std::get<0>(eigh(A, UPLO));
  return compute_eigh(A, UPLO, false).values;
}

}  // namespace linalg

// ---------------------------------------------------------------------- older names
Tensor cholesky(const Tensor& self, bool upper) {
  if (auto done = at_door<"cholesky">(self, upper)) return done;
  return std::get<0>(
      linalg::cholesky_of("cholesky", "CholeskyBackward0", upper ? self.mH() : self, upper));
}

Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper) {
  if (auto done = at_door<"cholesky_solve">(self, input2, upper)) return done;
  linalg::detail::check_square("cholesky_solve", input2);
  TAPER_CHECK(self.dim() >= 2, "cholesky_solve: b should have at least 2 dimensions, but has ",
              self.dim(), " dimensions instead");
  TAPER_CHECK(self.size(-2) == input2.size(-1),
              "cholesky_solve: Incompatible matrix sizes for cholesky_solve: each A matrix is ",
              input2.size(-1), " by ", input2.size(-1), " but each b matrix is ", self.size(-2),
              " by ", self.size(-1));
  const Tensor L = upper ? input2.mH() : input2;
  return linalg::solve_triangular(L.mH(), linalg::solve_triangular(L, self, false), true);
}

namespace {

// Throws for a factor with a zero on its diagonal. The message names the first one.
void check_diagonal(const char* op, const Tensor& L) {
  if (L.numel() == 0) return;
  const Tensor zero = L.detach().diagonal(0, -2, -1).eq(0).to(kInt);
  const Tensor first = zero.argmax(-1).add(1).mul(zero.amax({-1})).to(kInt);
  linalg::detail::check_info(op, first, [](const std::string& prefix, int i) {
    throw LinAlgError(prefix + "The diagonal element " + std::to_string(i) +
                      " is zero, the inversion could not be completed because the input matrix is "
                      "singular.");
  });
}

}  // namespace

Tensor cholesky_inverse(const Tensor& self, bool upper) {
  if (auto done = at_door<"cholesky_inverse">(self, upper)) return done;
  linalg::detail::check_square("cholesky_inverse", self);
  check_diagonal("cholesky_inverse", self);
  return cholesky_solve(linalg::detail::identity_like(self, self.size(-1)), self, upper);
}

std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some) {
  if (auto done = at_door<"qr">(self, some)) return done;
  return linalg::qr(self, some ? "reduced" : "complete");
}

std::tuple<Tensor, Tensor> symeig(const Tensor& self, bool eigenvectors, bool upper) {
  if (auto done = at_door<"symeig">(self, eigenvectors, upper)) return done;
  const char* const triangle = upper ? "U" : "L";
  if (eigenvectors) return linalg::eigh(self, triangle);
  return {linalg::eigvalsh(self, triangle), linalg::detail::make(self, {0})};
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
  if (auto done = at_door<"svd">(self, some, compute_uv)) return done;
  if (!compute_uv) {
    const int64_t m = self.size(-2), n = self.size(-1);
    const Tensor s = linalg::svdvals(self);
    const TensorOptions options = self.options().requires_grad(false);
    return {zeros(linalg::detail::batch_with(self, {m, m}), options), s,
            zeros(linalg::detail::batch_with(self, {n, n}), options)};
  }
  const auto [u, s, vh] = linalg::svd(self, !some);
  return {u, s, vh.mH()};
}

Tensor Tensor::cholesky(bool upper) const { return taper::cholesky(*this, upper); }
Tensor Tensor::cholesky_inverse(bool upper) const { return taper::cholesky_inverse(*this, upper); }
Tensor Tensor::cholesky_solve(const Tensor& input2, bool upper) const {
  return taper::cholesky_solve(*this, input2, upper);
}
std::tuple<Tensor, Tensor> Tensor::qr(bool some) const { return taper::qr(*this, some); }
std::tuple<Tensor, Tensor, Tensor> Tensor::svd(bool some, bool compute_uv) const {
  return taper::svd(*this, some, compute_uv);
}
std::tuple<Tensor, Tensor> Tensor::symeig(bool eigenvectors, bool upper) const {
  return taper::symeig(*this, eigenvectors, upper);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_cholesky, (out, A, upper), linalg::cholesky(A, upper), (A), const Tensor& A,
          bool upper)
TAPER_OUT(linalg_eigvalsh, (out, A, UPLO), linalg::eigvalsh(A, UPLO), (A), const Tensor& A,
          std::string_view UPLO)
TAPER_OUT(linalg_svdvals, (out, A, driver), linalg::svdvals(A, driver), (A), const Tensor& A,
          optional<std::string_view> driver)
TAPER_OUT_PAIR(linalg_eigh, (eigenvalues, eigenvectors, self, UPLO), eigenvalues, eigenvectors,
               linalg::eigh(self, UPLO), const Tensor& self, std::string_view UPLO)
TAPER_OUT_PAIR(linalg_qr, (Q, R, self, mode), Q, R, linalg::qr(self, mode), const Tensor& self,
               std::string_view mode)
TAPER_OUT_PAIR(linalg_cholesky_ex, (L, info, self, upper, check_errors), L, info,
               linalg::cholesky_ex(self, upper, check_errors), const Tensor& self, bool upper,
               bool check_errors)
TAPER_OUT(cholesky_inverse, (out, self, upper), cholesky_inverse(self, upper), (self),
          const Tensor& self, bool upper)
TAPER_OUT(cholesky_solve, (out, self, input2, upper), cholesky_solve(self, input2, upper),
          (self, input2), const Tensor& self, const Tensor& input2, bool upper)

}  // namespace torch::taper
