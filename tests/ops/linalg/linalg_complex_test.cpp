// Linear algebra of complex matrices: what defines each result, and gradients.
#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/linalg_eig.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
#include "harness/devices.h"

namespace torch::taper::testing {
namespace {

const std::vector<std::vector<int64_t>>& squares() {
  static const std::vector<std::vector<int64_t>> sizes = {{3, 3}, {2, 4, 4}, {1, 1}};
  return sizes;
}
const std::vector<std::vector<int64_t>>& rectangles() {
  static const std::vector<std::vector<int64_t>> sizes = {{3, 3}, {5, 3}, {3, 5}, {2, 4, 2}};
  return sizes;
}
/// Well-conditioned: no two rows are alike.
Tensor matrix(const std::vector<int64_t>& sizes, ScalarType dtype = kComplexDouble) {
  const Tensor A = complex_numbers(sizes, dtype);
  return A + eye(A.size(-2), A.size(-1), A.options()) * 2;
}
Tensor hermitian(const Tensor& A) { return matmul(A, A.mH()) + eye(A.size(-1), A.options()); }
/// diag(s) of singular values or eigenvalues.
Tensor diagonal_of(const Tensor& s, const Tensor& like) {
  return s.to(like.scalar_type()).diag_embed();
}
void expect_unitary(const Tensor& Q) {
  EXPECT_TENSOR_CLOSE(matmul(Q.mH(), Q),
                      eye(Q.size(-1), Q.options()).expand(matmul(Q.mH(), Q).sizes()));
}

TEST(ComplexLinalg, InverseAndDeterminant) {
  for (const auto& sizes : squares()) {
    const Tensor A = matrix(sizes);
    EXPECT_TENSOR_CLOSE(matmul(A, linalg::inv(A)), eye(A.size(-1), A.options()).expand(A.sizes()));
    EXPECT_TENSOR_CLOSE(linalg::det(A), linalg::eigvals(A).prod(-1));
    const auto [sign, logarithm] = linalg::slogdet(A);
    EXPECT_EQ(logarithm.scalar_type(), kDouble);
    EXPECT_TENSOR_CLOSE(sign * logarithm.exp(), linalg::det(A));
    EXPECT_TENSOR_CLOSE(logdet(A).exp(), linalg::det(A));
    check_gradient_at([](const Tensor& x) { return linalg::inv(x); }, A);
    check_gradient_at([](const Tensor& x) { return linalg::det(x); }, A);
    check_gradient_at([](const Tensor& x) { return std::get<0>(linalg::slogdet(x)); }, A);
    check_gradient_at([](const Tensor& x) { return std::get<1>(linalg::slogdet(x)); }, A);
  }
  // 2 x 2, by the formula; the second matrix has no inverse.
  expect_close(linalg::det(complex_values({1, 1, 2, 0, 0, 3, 1, -1}).view({2, 2})), {2, -6});
  const Tensor singular = complex_values({1, 1, 2, 0, 2, 2, 4, 0}).view({2, 2});
  check_gradient_at([](const Tensor& x) { return linalg::det(x); }, singular, false);
  expect_error<LinAlgError>("The diagonal element 2 is zero", [] {
    linalg::inv(complex_values({1, 0, 0, 1, 0, 1, -1, 0}).view({2, 2}));
  });
}

TEST(ComplexLinalg, Equations) {
  for (const auto& sizes : squares()) {
    const Tensor A = matrix(sizes), B = complex_numbers(sizes).narrow(-1, 0, 1);
    EXPECT_TENSOR_CLOSE(matmul(A, linalg::solve(A, B)), B);
    EXPECT_TENSOR_CLOSE(matmul(linalg::solve(A, B.mT(), false), A), B.mT());
    const auto [LU, pivots] = linalg::lu_factor(A);
    EXPECT_TENSOR_CLOSE(linalg::lu_solve(LU, pivots, B), linalg::solve(A, B));
    EXPECT_TENSOR_CLOSE(matmul(A.mH(), linalg::lu_solve(LU, pivots, B, true, true)), B);
    EXPECT_TENSOR_CLOSE(matmul(linalg::lu_solve(LU, pivots, B.mT(), false), A), B.mT());
    const auto [P, L, U] = linalg::lu(A);
    EXPECT_TENSOR_CLOSE(matmul(P, matmul(L, U)), A);
    check_gradient_at([&](const Tensor& x) { return linalg::solve(x, B); }, A);
    check_gradient_at([&](const Tensor& x) { return linalg::solve(A, x); }, B);
    check_gradient_at([](const Tensor& x) { return std::get<0>(linalg::lu_factor(x)); }, A);
    for (bool upper : {false, true}) {
      const Tensor T = upper ? A.triu() : A.tril();
      EXPECT_TENSOR_CLOSE(matmul(T, linalg::solve_triangular(A, B, upper)), B);
      EXPECT_TENSOR_CLOSE(matmul(linalg::solve_triangular(A, B.mT(), upper, false), T), B.mT());
      check_gradient_at([&](const Tensor& x) { return linalg::solve_triangular(x, B, upper); }, A);
    }
  }
}

// From some size on the gradient uses the factors of the forward pass.
TEST(ComplexLinalg, GradientsOfLargeEquations) {
  const int64_t n = 50;
  const Tensor A = (complex_numbers({n, n}) + 20 * eye(n, kDouble)).set_requires_grad(true);
  const Tensor B = complex_numbers({n, 2}).set_requires_grad(true), g = complex_numbers({n, 2});
  const Tensor X = linalg::solve(A, B);
  EXPECT_TENSOR_CLOSE(matmul(A, X).detach(), B.detach());
  const auto once = autograd::grad({X}, {A, B}, {g}, true);
  const Tensor gb = matmul(linalg::inv(A.detach()).mH(), g);
  EXPECT_TENSOR_CLOSE(once[1], gb);
  EXPECT_TENSOR_CLOSE(once[0], -matmul(gb, X.detach().mH()));
  const auto again = autograd::grad({X}, {A, B}, {g}, true, true);
  EXPECT_TENSOR_CLOSE(again[0].detach(), once[0]);
}

TEST(ComplexLinalg, Cholesky) {
  for (const auto& sizes : squares()) {
    const Tensor A = matrix(sizes), H = hermitian(A), B = complex_numbers(sizes);
    const Tensor L = linalg::cholesky(H), U = linalg::cholesky(H, true);
    EXPECT_TENSOR_CLOSE(matmul(L, L.mH()), H);
    EXPECT_TENSOR_EQUAL(L, L.tril());
    EXPECT_TENSOR_CLOSE(U, L.mH());
    EXPECT_TENSOR_CLOSE(H.cholesky(true), U);
    EXPECT_TENSOR_CLOSE(matmul(H, cholesky_solve(B, L)), B);
    EXPECT_TENSOR_CLOSE(matmul(H, cholesky_solve(B, U, true)), B);
    EXPECT_TENSOR_CLOSE(cholesky_inverse(L), linalg::inv(H));
    check_gradient_at([](const Tensor& x) { return linalg::cholesky(hermitian(x)); }, A);
    check_gradient_at([](const Tensor& x) { return linalg::cholesky(hermitian(x), true); }, A);
  }
}

TEST(ComplexLinalg, QR) {
  for (const auto& sizes : rectangles()) {
    const Tensor A = matrix(sizes);
    const auto [Q, R] = linalg::qr(A);
    EXPECT_TENSOR_CLOSE(matmul(Q, R), A);
    expect_unitary(Q);
    EXPECT_TENSOR_CLOSE(R, R.triu());
    const auto [whole, long_r] = linalg::qr(A, "complete");
    EXPECT_TENSOR_CLOSE(matmul(whole, long_r), A);
    expect_unitary(whole);
    const Tensor leaf = A.clone().requires_grad_();
    const auto f = [](const Tensor& x) { return linalg::qr(x); };
    EXPECT_TRUE(autograd::gradcheck(f, {leaf}));
    EXPECT_TRUE(autograd::gradgradcheck(f, {leaf}));
    const auto [a, tau] = geqrf(A);
    if (A.size(-2) >= A.size(-1)) EXPECT_TENSOR_CLOSE(orgqr(a, tau), Q);
  }
}

// The vectors of a pair may be turned by any number of size 1: only what does not see that is
// defined.
TEST(ComplexLinalg, SVD) {
  for (const auto& sizes : rectangles()) {
    const Tensor A = matrix(sizes);
    const auto [U, S, Vh] = linalg::svd(A, false);
    EXPECT_EQ(S.scalar_type(), kDouble);
    EXPECT_TENSOR_CLOSE(matmul(U, matmul(diagonal_of(S, A), Vh)), A);
    expect_unitary(U);
    expect_unitary(Vh.mH());
    EXPECT_TENSOR_CLOSE(linalg::svdvals(A), S);
    EXPECT_TENSOR_CLOSE(linalg::matrix_norm(A, "nuc"), S.sum(-1));
    const auto full = linalg::svd(A, true);
    expect_unitary(std::get<0>(full));
    expect_unitary(std::get<2>(full));
    const auto [u, s, v] = A.svd();
    EXPECT_TENSOR_CLOSE(matmul(u, matmul(diagonal_of(s, A), v.mH())), A);
    check_gradient_at([](const Tensor& x) { return linalg::svdvals(x); }, A);
    const auto sizes_of_vectors = [](const Tensor& x) {
      const auto [U, S, Vh] = linalg::svd(x, false);
      return std::make_tuple(U.abs(), Vh.abs(), matmul(U, Vh));
    };
    EXPECT_TRUE(autograd::gradcheck(sizes_of_vectors, {A.clone().requires_grad_()}));
    check_gradient_at([](const Tensor& x) { return linalg::pinv(x); }, A);
    EXPECT_TENSOR_CLOSE(matmul(A, matmul(linalg::pinv(A), A)), A);
    EXPECT_EQ(linalg::matrix_rank(A).min().item<int64_t>(), std::min(A.size(-1), A.size(-2)));
  }
}

TEST(ComplexLinalg, Eigenvalues) {
  for (const auto& sizes : squares()) {
    const Tensor A = matrix(sizes), H = hermitian(A);
    for (const char* triangle : {"L", "U"}) {
      const Tensor half = triangle[0] == 'L' ? H.tril() : H.triu();
      const auto [w, V] = linalg::eigh(half, triangle);
      EXPECT_EQ(w.scalar_type(), kDouble);
      EXPECT_TENSOR_CLOSE(matmul(H, V), matmul(V, diagonal_of(w, V)));
      expect_unitary(V);
      EXPECT_TENSOR_CLOSE(linalg::eigvalsh(half, triangle), w);
    }
    const auto [w, V] = linalg::eig(A);
    EXPECT_TENSOR_CLOSE(matmul(A, V), matmul(V, w.diag_embed()));
    check_gradient_at([](const Tensor& x) { return linalg::eigvals(x); }, A);
    check_gradient_at([](const Tensor& x) { return linalg::eigvalsh(x + x.mH()); }, A);
    if (A.size(-1) == 1) continue;  // the vector is 1
    check_gradient_at([](const Tensor& x) { return std::get<1>(linalg::eigh(x + x.mH())).abs(); },
                      A, false);
    check_gradient_at([](const Tensor& x) { return std::get<1>(linalg::eig(x)).abs(); }, A, false);
  }
}

TEST(ComplexLinalg, FunctionsOfMatrices) {
  const Tensor A = matrix({3, 3}) * 0.5, tall = matrix({5, 3}), b = complex_numbers({5, 2});
  EXPECT_TENSOR_CLOSE(linalg::matrix_power(A, 3), matmul(A, matmul(A, A)));
  EXPECT_TENSOR_CLOSE(linalg::matrix_power(A, -2), linalg::inv(matmul(A, A)));
  const auto [w, V] = linalg::eig(A);
  EXPECT_TENSOR_CLOSE(matrix_exp(A), matmul(V, matmul(w.exp().diag_embed(), linalg::inv(V))));
  check_gradient_at([](const Tensor& x) { return matrix_exp(x); }, A);
  check_gradient_at([](const Tensor& x) { return linalg::matrix_power(x, -2); }, A);
  const Tensor x = std::get<0>(linalg::lstsq(tall, b));
  EXPECT_TENSOR_CLOSE(x, matmul(linalg::pinv(tall), b));
  EXPECT_TENSOR_CLOSE(std::get<0>(linalg::lstsq(tall, b, nullopt, "gels")), x);
  EXPECT_EQ(std::get<1>(linalg::lstsq(tall, b, nullopt, "gels")).scalar_type(), kDouble);
  EXPECT_TENSOR_CLOSE(linalg::norm(A, "fro"), A.abs().square().sum().sqrt());
}

TEST(ComplexLinalg, OfSinglePrecision) {
  const Tensor A = matrix({4, 4}, kComplexFloat), wide = A.to(kComplexDouble);
  const Tolerance near{1e-4, 1e-5};
  const auto close = [&](const Tensor& got, const Tensor& want) {
    EXPECT_EQ(toComplexType(got.scalar_type()), kComplexFloat);
    EXPECT_TENSOR_CLOSE(got, want, near);
  };
  close(linalg::inv(A), linalg::inv(wide));
  close(linalg::solve(A, A.mT()), linalg::solve(wide, wide.mT()));
  close(linalg::svdvals(A), linalg::svdvals(wide));
  close(linalg::eigvalsh(hermitian(A)), linalg::eigvalsh(hermitian(wide)));
  close(linalg::cholesky(hermitian(A)), linalg::cholesky(hermitian(wide)));
  close(std::get<1>(linalg::qr(A)).abs(), std::get<1>(linalg::qr(wide)).abs());
  close(linalg::eigvals(A).prod(), linalg::det(wide));
}

TEST(ComplexLinalg, SymmetricFactors) {
  for (const auto& sizes : squares()) {
    const Tensor x = matrix(sizes), B = complex_numbers(sizes).narrow(-1, 0, 1);
    for (bool hermitian : {false, true}) {
      const Tensor A = hermitian ? x + x.mH() : x + x.mT();
      const auto [LD, pivots] = linalg::ldl_factor(A.tril(), hermitian);
      EXPECT_TENSOR_EQUAL(LD, LD.tril());
      EXPECT_TENSOR_CLOSE(matmul(A, linalg::ldl_solve(LD, pivots, B, hermitian)), B);
    }
  }
  const Tensor leaf = hermitian(matrix({3, 3})).set_requires_grad(true);
  expect_error("derivative for aten::linalg_ldl_factor_ex is not implemented",
               [&] { std::get<0>(linalg::ldl_factor(leaf, true)).abs().sum().backward(); });
}

// A zero diagonal takes blocks of two: L is a unit matrix, D is A.
TEST(ComplexLinalg, SymmetricFactorsOfBlocks) {
  const Tensor A = complex_values({0, 0, 1, -2, 1, 2, 0, 0}).view({2, 2});
  const Tensor b = complex_values({1, 0, 0, 1}).view({2, 1});
  const auto [LD, pivots, info] = linalg::ldl_factor_ex(A, true);
  EXPECT_EQ(values_of(pivots), (std::vector<double>{-2, -2}));
  expect_close(LD.flatten(), {0, 0, 0, 0, 1, 2, 0, 0});
  expect_close(linalg::ldl_solve(LD, pivots, b, true), {0.4, 0.2, 0.2, 0.4});
  // As a symmetric matrix the lower element is the upper one too.
  const auto [LD2, pivots2, info2] = linalg::ldl_factor_ex(A);
  expect_close(linalg::ldl_solve(LD2, pivots2, b), {0.4, 0.2, 0.2, -0.4});
}

// ---------------------------------------------------------------------- devices
using Function = std::function<std::vector<Tensor>(const Tensor&)>;

/// What does not see by which numbers of size 1 vectors are turned.
std::vector<Tensor> whole_svd(const Tensor& A, bool full) {
  const auto [U, S, Vh] = linalg::svd(A, full);
  const int64_t k = S.size(-1);
  return {U.narrow(-1, 0, k).abs(), S, matmul(U.narrow(-1, 0, k), Vh.narrow(-2, 0, k))};
}

std::vector<std::pair<std::string, Function>> functions_of_squares() {
  using V = std::vector<Tensor>;
  return {
      {"inv", [](const Tensor& x) { return V{linalg::inv(x)}; }},
      {"det", [](const Tensor& x) { return V{linalg::det(x)}; }},
      {"slogdet",
       [](const Tensor& x) {
         const auto [sign, logarithm] = linalg::slogdet(x);
         return V{sign, logarithm};
       }},
      {"solve",
       [](const Tensor& x) {
         return V{linalg::solve(x, x.mT()), linalg::solve(x, x.narrow(-2, 0, 1), false)};
       }},
      {"triangular",
       [](const Tensor& x) {
         return V{linalg::solve_triangular(x, x.mT(), true),
                  linalg::solve_triangular(x, x.narrow(-2, 0, 1), false, false)};
       }},
      {"cholesky",
       [](const Tensor& x) {
         const Tensor L = linalg::cholesky(hermitian(x));
         return V{L, cholesky_inverse(L), cholesky_solve(x, L)};
       }},
      {"lu",
       [](const Tensor& x) {
         // Not the factors: LAPACK takes pivots by |re| + |im|, cuSOLVER by the absolute value.
         const auto [P, L, U] = linalg::lu(x);
         const auto [LU, pivots] = linalg::lu_factor(x);
         return V{matmul(matmul(P, L), U), linalg::lu_solve(LU, pivots, x.mT(), true, true)};
       }},
      {"eigh",
       [](const Tensor& x) {
         const auto [w, v] = linalg::eigh(x + x.mH());
         return V{w, v.abs(), matmul(v * w.unsqueeze(-2), v.mH()), linalg::eigvalsh(x + x.mH())};
       }},
      {"eig",
       [](const Tensor& x) {
         const auto [w, v] = linalg::eig(x);
         return V{w.abs().sum(-1), matmul(v * w.unsqueeze(-2), linalg::inv(v))};
       }},
      {"matrix_exp", [](const Tensor& x) { return V{matrix_exp(x * 0.3)}; }},
  };
}

std::vector<std::pair<std::string, Function>> functions_of_rectangles() {
  using V = std::vector<Tensor>;
  return {
      {"qr",
       [](const Tensor& x) {
         const auto [Q, R] = linalg::qr(x);
         return V{Q, R};
       }},
      {"svd", [](const Tensor& x) { return whole_svd(x, false); }},
      {"full svd", [](const Tensor& x) { return whole_svd(x.detach(), true); }},
      {"svdvals", [](const Tensor& x) { return V{linalg::svdvals(x)}; }},
      {"pinv", [](const Tensor& x) { return V{linalg::pinv(x)}; }},
      {"lstsq",
       [](const Tensor& x) {
         return V{std::get<0>(linalg::lstsq(x, x.narrow(-1, 0, 1), nullopt, "gels"))};
       }},
  };
}

/// f(x), and its gradient for fixed cotangents where it has one.
std::vector<Tensor> with_gradient(const Function& f, const Tensor& x) {
  const Tensor leaf = x.clone().set_requires_grad(true);
  std::vector<Tensor> all = f(leaf), outputs, cotangents;
  for (const Tensor& y : all) {
    if (!y.requires_grad()) continue;
    outputs.push_back(y);
    cotangents.push_back(
        (y.is_complex() ? complex_numbers(y.sizes().vec()) : numbers(y.sizes().vec(), kDouble))
            .to(x.device()));
  }
  if (!outputs.empty()) all.push_back(autograd::grad(outputs, {leaf}, cotangents)[0]);
  return all;
}

void expect_alike_on_device(const std::string& name, const Function& f, const Tensor& x) {
  const auto want = with_gradient(f, x), got = with_gradient(f, x.to(device_at(0)));
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i].is_cuda());
    EXPECT_TENSOR_CLOSE(got[i].detach().to(kCPU), want[i].detach())
        << name << " of " << x.sizes() << ", result " << i;
  }
}

TEST(ComplexLinalg, OnDevices) {
  TAPER_NEEDS_DEVICES(1);
  // One matrix, a batch for one call of a library, one of matrices too large for that.
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{3, 3}, {2, 4, 4}, {2, 35, 35}})
    for (const auto& [name, f] : functions_of_squares())
      expect_alike_on_device(
          name, f, matrix(sizes) + eye(sizes.back(), kComplexDouble) * 2 * std::sqrt(sizes.back()));
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{5, 3}, {3, 5}, {2, 4, 2}})
    for (const auto& [name, f] : functions_of_rectangles())
      expect_alike_on_device(name, f, matrix(sizes));
}

TEST(ComplexLinalg, HouseholderAndSymmetricFactorsOnDevices) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor A = matrix({2, 4, 3}), S = matrix({2, 3, 3}) + matrix({2, 3, 3}).mT();
  const Tensor on_device = A.to(device_at(0)), b = complex_numbers({2, 3, 1});
  const auto [a, tau] = geqrf(on_device);
  EXPECT_TENSOR_CLOSE(matmul(orgqr(a, tau), a.narrow(-2, 0, 3).triu()).to(kCPU), A);
  EXPECT_TENSOR_CLOSE(ormqr(a, tau, on_device, true, true).narrow(-2, 0, 3).to(kCPU),
                      a.narrow(-2, 0, 3).triu().to(kCPU));
  const auto [LD, pivots] = linalg::ldl_factor(S.to(device_at(0)));
  const Tensor x = linalg::ldl_solve(LD, pivots, b.to(device_at(0)));
  EXPECT_TENSOR_CLOSE(matmul(S, x.to(kCPU)), b);
  expect_error("complex tensors with hermitian=True flag are not supported on CUDA",
               [&] { linalg::ldl_factor(S.to(device_at(0)), true); });
  expect_error<LinAlgError>("input matrix contained non-finite values",
                            [&] { linalg::svdvals(S.to(device_at(0)) / 0); });
}

TEST(ComplexLinalg, OfSinglePrecisionOnDevices) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor A = matrix({2, 4, 4}, kComplexFloat), wide = A.to(kComplexDouble);
  const Tolerance near{1e-4, 1e-5};
  for (const auto& [name, f] : functions_of_squares()) {
    const auto got = f(A.to(device_at(0))), want = f(wide);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(toComplexType(got[i].scalar_type()), kComplexFloat) << name;
      EXPECT_TENSOR_CLOSE(got[i].to(kCPU).to(want[i].scalar_type()), want[i], near) << name;
    }
  }
}

}  // namespace
}  // namespace torch::taper::testing
