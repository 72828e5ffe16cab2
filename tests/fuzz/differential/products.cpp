// Products of vectors and matrices, decompositions, Fourier transforms.
#include "program.h"

namespace fuzz {
namespace {

int product_bits(const Item& a, const Item& b) { return add_bits(add_bits(a.bits, b.bits), 5); }

// A tensor of the sizes in the dtype of `like`, mostly.
Item fitting(Program& p, const Item& like, Sizes sizes) {
  return p.fresh(std::move(sizes),
                 like.t.numel() > 0 && p.maybe(30) ? p.dtype() : like.t.scalar_type());
}

void of_matrices(Program& p) {
  const Item a = p.pick_of_rank(2, 2, number);
  const int64_t n = a.t.size(0), k = a.t.size(1), m = p.size();
  const Item b = fitting(p, a, {k + (p.maybe(30) ? 1 : 0), m}), v = fitting(p, a, {k}),
             c = fitting(p, a, p.maybe(2) ? Sizes{n, m} : Sizes{m});
  const at::Scalar beta = p.scalar(a), alpha = p.scalar(a);
  switch (p.random().below(8)) {
    case 0:
      return p.made("mm", product_bits(a, b), [&] { return a.t.mm(b.t); });
    case 1:
      return p.made("mv", product_bits(a, v), [&] { return a.t.mv(v.t); });
    case 2:
      return p.made("addmm", kInexact, [&] { return at::addmm(c.t, a.t, b.t, beta, alpha); });
    case 3:
      return p.made("matmul", product_bits(a, b), [&] { return a.t.matmul(b.t); });
    case 4:
      return p.made("linear", product_bits(a, b), [&] {
        return at::linear(a.t, b.t.t(), p.maybe(2) ? fitting(p, a, {m}).t : Tensor{});
      });
    case 5:
      return p.made("mm transposed", product_bits(a, a), [&] { return a.t.t().mm(a.t); });
    case 6:
      return p.made("addmv", kInexact,
                    [&] { return at::addmv(fitting(p, a, {n}).t, a.t, v.t, beta, alpha); });
    default:
      return p.made("chain_matmul", kInexact, [&] {
        return at::linalg_multi_dot({a.t, b.t, fitting(p, a, {m, 2}).t});
      });
  }
}

void of_batches(Program& p) {
  const Item a = p.pick_of_rank(3, 3, number);
  const int64_t batch = a.t.size(0), k = a.t.size(2), m = p.size();
  const Item b = fitting(p, a, {batch, k, m}), w = fitting(p, a, {k, m});
  switch (p.random().below(5)) {
    case 0:
      return p.made("bmm", product_bits(a, b), [&] { return a.t.bmm(b.t); });
    case 1:
      return p.made("matmul batches", product_bits(a, b), [&] { return a.t.matmul(b.t); });
    case 2:
      return p.made("matmul batch and matrix", product_bits(a, w), [&] { return a.t.matmul(w.t); });
    case 3:
      return p.made("baddbmm", kInexact,
                    [&] { return at::baddbmm(fitting(p, a, {m}).t, a.t, b.t, 2, 0.5); });
    default:
      return p.made("matmul with 4 dims", product_bits(a, b),
                    [&] { return a.t.unsqueeze(0).matmul(b.t); });
  }
}

void of_any(Program& p) {
  const Item a = p.pick_of_rank(0, 4, any), b = p.partner(a);
  p.made("matmul any", product_bits(a, b), [&] { return at::matmul(a.t, b.t); });
}

void of_vectors(Program& p) {
  const Item a = p.pick_of_rank(1, 1, number), b = fitting(p, a, a.t.sizes().vec()),
             c = p.fresh({2, 3}, at::kDouble), d = p.fresh({2, 3}, at::kDouble);
  switch (p.random().below(6)) {
    case 0:
      return p.made("dot", product_bits(a, b), [&] { return a.t.dot(b.t); });
    case 1:
      return p.made("vdot", product_bits(a, b), [&] { return a.t.vdot(b.t); });
    case 2:
      return p.made("inner", product_bits(a, b), [&] { return at::inner(a.t, b.t); });
    case 3:
      return p.made("kron", add_bits(a.bits, b.bits), [&] { return at::kron(a.t, b.t); });
    case 4:
      return p.made("cross", kInexact, [&] { return at::cross(c.t, d.t, 1); });
    default:
      return p.made("addr", kInexact, [&] {
        return at::addr(at::zeros({}, a.t.options().requires_grad(false)), a.t, b.t);
      });
  }
}

void contracted(Program& p) {
  const Item a = p.pick_of_rank(2, 2), b = fitting(p, a, {a.t.size(1), a.t.size(0)}),
             c = fitting(p, a, {a.t.size(0), a.t.size(1)});
  static const std::vector<std::string> formulas{"ij,jk->ik", "ij,ji->", "ij,ji->j", "ij,kl->ijkl",
                                                 "ij,jk->ki", "ij,jk",   "ij,jk->k"};
  switch (p.random().below(5)) {
    case 0:
      return p.made("einsum", kInexact, [&] {
        return at::einsum(p.random().of(formulas), {a.t, b.t});
      });
    case 1:
      return p.made("tensordot", kInexact, [&] { return at::tensordot(a.t, b.t, {0, 1}, {1, 0}); });
    case 2:
      return p.made("einsum one", kInexact,
                    [&] { return at::einsum(p.maybe(2) ? "ij->ji" : "ij->i", {a.t}); });
    case 3:
      return p.made("cdist", kInexact,
                    [&] { return at::cdist(a.t, c.t.add(10), p.maybe(2) ? 1.0 : 2.0); });
    default:
      return p.made("bilinear", kInexact, [&] {
        return at::bilinear(a.t, c.t, fitting(p, a, {2, a.t.size(1), a.t.size(1)}).t, {});
      });
  }
}

// Positive definite, far from singular.
Tensor well_posed(const Tensor& a) {
  const Tensor diagonal = at::arange(a.size(-2), a.options().requires_grad(false)) * 0.5 + 4;
  return a.matmul(a.mH()) * 0.1 + at::diag_embed(diagonal);  // no eigenvalue twice
}

// A copy, in both libraries: neither promises an order of memory, and what is changed in place
// afterwards would be the result itself in the one and a copy in the other.
Tensor in_rows(const Tensor& t) { return t.clone(at::MemoryFormat::Contiguous); }

void decomposed(Program& p) {
  const Item a = p.pick_of_rank(2, 3, [](const Item& i) {
    return differentiable(i) && i.t.scalar_type() != at::kHalf &&
           i.t.scalar_type() != at::kBFloat16;
  });
  if (a.t.numel() == 0) return;
  const Tensor m = well_posed(a.t);
  Sizes sizes = m.sizes().vec();
  sizes.back() = 2;
  const Item b = p.fresh(sizes, a.t.scalar_type());
  switch (p.random().below(11)) {
    case 0:
      return p.made("det", kInexact, [&] { return at::linalg_det(m); });
    case 1:
      return p.made("inv", kInexact, [&] { return in_rows(at::linalg_inv(m)); });
    case 2:
      return p.made("solve", kInexact, [&] { return in_rows(at::linalg_solve(m, b.t)); });
    case 3:
      return p.made("cholesky", kInexact, [&] { return in_rows(at::linalg_cholesky(m)); });
    case 4:
      return p.made("slogdet", kInexact, [&] {
        const auto [sign, value] = at::linalg_slogdet(m);
        return Tensors{sign, value};
      });
    case 5:
      return p.made("logdet", kInexact, [&] { return at::logdet(m); });
    case 6:
      return p.made("pinv", kInexact, [&] { return in_rows(at::linalg_pinv(m)); });
    case 7:
      return p.made("matrix_power", kInexact,
                    [&] { return at::linalg_matrix_power(m * 0.2, p.random().between(-2, 3)); });
    case 8:
      return p.made("matrix_exp", kInexact,
                    [&] { return in_rows(at::linalg_matrix_exp(m * 0.1)); });
    case 9:
      return p.made("solve_triangular", kInexact,
                    [&] { return in_rows(at::linalg_solve_triangular(m.tril(), b.t, false)); });
    default:
      return p.made("eigvalsh", kInexact, [&] { return at::linalg_eigvalsh(m); });
  }
}

void transformed(Program& p) {
  const Item x = p.pick_of_rank(1, 3, differentiable);
  if (x.t.scalar_type() == at::kHalf || x.t.scalar_type() == at::kBFloat16) return;
  const int64_t d = p.dim(x.t);
  const c10::optional<int64_t> n =
      p.maybe(2) ? c10::nullopt : c10::optional<int64_t>(p.random().between(1, 6));
  static const std::vector<c10::optional<c10::string_view>> norms{c10::nullopt, "ortho", "forward",
                                                                  "backward"};
  const auto norm = p.random().of(norms);
  switch (p.random().below(5)) {
    case 0:
      return p.made("fft", kInexact, [&] { return at::fft_fft(x.t, n, d, norm); });
    case 1:
      return p.made("ifft", kInexact, [&] { return at::fft_ifft(x.t, n, d, norm); });
    case 2:
      return p.made("rfft", kInexact, [&] { return at::fft_rfft(x.t, n, d, norm); });
    case 3:
      return p.made("irfft", kInexact, [&] { return at::fft_irfft(x.t, n, d, norm); });
    default:
      return p.made("fft2", kInexact, [&] { return at::fft_fft2(x.t); });
  }
}

}  // namespace

void add_products(Steps& steps) {
  steps.add(4, of_matrices);
  steps.add(3, of_batches);
  steps.add(2, of_any);
  steps.add(2, of_vectors);
  steps.add(2, contracted);
  steps.add(2, decomposed);
  steps.add(1, transformed);
}

}  // namespace fuzz
