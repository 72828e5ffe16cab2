// Linear algebra: factors, equations, their gradients and errors.
#include <parity.h>

using namespace parity;
using torch::Tensor;

static Tensor symmetric(int64_t n, int seed) {
  const Tensor x = numbers({n, n}, seed);
  return x + x.mT();
}

static void lu() {
  for (const auto& sizes : {std::vector<int64_t>{3, 3}, {2, 4, 2}, {2, 5}}) {
    const Tensor A = numbers(sizes, 1).requires_grad_();
    const auto [LU, pivots] = torch::linalg_lu_factor(A);
    show("lu.factor", LU);
    show("lu.pivots", pivots);
    const auto [P, L, U] = torch::lu_unpack(LU, pivots);
    show("lu.P", P);
    show("lu.L", L);
    show("lu.U", U);
    show("lu.gradient", torch::autograd::grad({(LU * numbers(sizes, 2)).sum()}, {A})[0]);
  }
  const Tensor A = numbers({3, 3}, 3), B = numbers({3, 2}, 4);
  const auto [LU, pivots, info] = torch::linalg_lu_factor_ex(A);
  show("lu.info", info);
  for (const bool adjoint : {false, true}) {
    show("lu.solve", torch::linalg_lu_solve(LU, pivots, B, true, adjoint));
    show("lu.solve_right", torch::linalg_lu_solve(LU, pivots, B.mT(), false, adjoint));
  }
  error("lu.singular", [] { torch::linalg_lu_factor(torch::zeros({2, 2, 2})); });
  error("lu.pivots_dtype", [&] { torch::linalg_lu_solve(A, pivots.to(torch::kLong), B); });
  error("lu.sizes", [&] { torch::linalg_lu_solve(LU, pivots, numbers({2, 2}, 1)); });
}

static void ldl() {
  const Tensor A = symmetric(4, 5), B = numbers({4, 2}, 6);
  const auto [LD, pivots, info] = torch::linalg_ldl_factor_ex(A);
  show("ldl.factor", LD);
  show("ldl.pivots", pivots);
  show("ldl.info", info);
  show("ldl.solve", torch::linalg_ldl_solve(LD, pivots, B));
  error("ldl.sizes", [&, &f = LD, &p = pivots] {
    torch::linalg_ldl_solve(f, p, numbers({3, 1}, 1));
  });
}

static void reflections() {
  const Tensor A = numbers({4, 3}, 7);
  const auto [a, tau] = torch::geqrf(A);
  show("geqrf.a", a);
  show("geqrf.tau", tau);
  const Tensor v = a.clone().requires_grad_(), t = tau.clone().requires_grad_();
  const Tensor q = torch::linalg_householder_product(v, t);
  show("householder.q", q);
  show("householder.gradients", torch::autograd::grad({(q * numbers({4, 3}, 8)).sum()}, {v, t}));
  show("ormqr", torch::ormqr(a, tau, numbers({4, 2}, 9), true, true));
  error("householder.wide", [] {
    torch::linalg_householder_product(numbers({2, 3}, 1), numbers({2}, 1));
  });
}

static void tensors() {
  const Tensor A = numbers({2, 3, 6}, 10);
  show("tensorinv", torch::linalg_tensorinv(A));
  show("tensorsolve", torch::linalg_tensorsolve(A, numbers({2, 3}, 11)));
  show("vander", torch::linalg_vander(numbers({2, 3}, 12), 4));
  show("vecdot", torch::linalg_vecdot(numbers({2, 3}, 13), numbers({2, 3}, 14)));
  const Tensor B = numbers({2, 3, 3}, 15);
  show("cond", torch::linalg_cond(B));
  show("cond.1", torch::linalg_cond(B, torch::Scalar(1)));
  show("cond.-2", torch::linalg_cond(B, torch::Scalar(-2)));
  show("cond.nuc", torch::linalg_cond(B, std::string("nuc")));
  show("cond.singular", torch::linalg_cond(torch::zeros({2, 2}), std::string("fro")));
  error("cond.order", [&] { torch::linalg_cond(B, torch::Scalar(3)); });
  error("tensorinv.sizes", [] { torch::linalg_tensorinv(numbers({2, 3}, 1)); });
  show("einsum.path",
       torch::einsum("ij,jk,kl->il", {numbers({2, 3}, 1), numbers({3, 4}, 2), numbers({4, 2}, 3)},
                     at::IntArrayRef({1, 2, 0, 1})));
}

static void least_squares() {
  const Tensor A = numbers({4, 2}, 16).requires_grad_(), B = numbers({4, 3}, 17);
  for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
    const auto [x, residuals, rank, s] = torch::linalg_lstsq(A, B, c10::nullopt, driver);
    const std::string name = std::string("lstsq.") + driver;
    show(name + ".x", x);
    show(name + ".residuals", residuals);
    show(name + ".rank", rank);
    show(name + ".s", s);
    show(name + ".gradient", torch::autograd::grad({(x * numbers({2, 3}, 18)).sum()}, {A})[0]);
  }
  show("rank", torch::linalg_matrix_rank(numbers({3, 3}, 19)));
  show("rank.tol", torch::linalg_matrix_rank(numbers({3, 3}, 19), 1.0));
  show("pinv", torch::linalg_pinv(numbers({3, 2}, 20)));
  show("pinv.atol",
       torch::linalg_pinv(numbers({3, 2}, 20), c10::optional<double>(1.0), c10::nullopt));
  error("lstsq.driver", [&] { torch::linalg_lstsq(A, B, c10::nullopt, "x"); });
}

static void unchecked() {
  const Tensor singular = torch::stack({torch::eye(2), torch::zeros({2, 2})});
  show("inv_ex.info", std::get<1>(torch::linalg_inv_ex(singular)));
  show("solve_ex.info", std::get<1>(torch::linalg_solve_ex(singular, numbers({2, 2, 1}, 21))));
  show("cholesky_ex.info", std::get<1>(torch::linalg_cholesky_ex(singular)));
  error("solve_ex.checked", [&] {
    torch::linalg_solve_ex(singular, numbers({2, 2, 1}, 21), true, true);
  });
}

int main() {
  lu();
  ldl();
  reflections();
  tensors();
  least_squares();
  unchecked();
}
