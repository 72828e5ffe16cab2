#include <taper/ops/elementwise/special_bessel_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/linalg/cross.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/taper.h>

#include "harness/check.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Tensors = std::vector<Tensor>;

/// An op of the tensors `t`, whose values its own case has checked, and its form with `out`.
struct Form {
  const char* name;
  Tensors inputs;
  std::function<Tensor(const Tensors& t)> call;
  std::function<Tensor(Tensor& out, const Tensors& t)> out;
};

OpCase case_from(const Form& form) {
  OpCase c;
  c.name = form.name;
  c.dtypes = {kDouble};
  c.samples = [=](ScalarType) { return std::vector<Args>{{form.inputs}}; };
  c.call = [=](const Args& a) { return form.call(a.t); };
  c.out = [=](Tensor& out, const Args& a) { return form.out(out, a.t); };
  return c;
}

void expect_forms(const std::vector<Form>& forms) {
  for (const Form& form : forms)
    for (const std::string& failure : check_forms(case_from(form)))
      ADD_FAILURE() << form.name << ": " << failure;
}

// f(t[0], ...) and f_out(out, t[0], ...); what follows the inputs are the arguments.
#define TAPER_FORM(f, inputs, ...)                                                                   \
  Form {                                                                                             \
#f, Tensors inputs,                                                                              \
        [](const Tensors& t)                                                                         \
             -> Tensor { return f(__VA_ARGS__); },                                                   \
                                                [](Tensor & out, const Tensors& t)                   \
                                                     -> Tensor { return f##_out(out, __VA_ARGS__); } \
  }
// The same of two results, of which result k is looked at.
#define TAPER_FORM_PAIR(f, k, inputs, ...)                                                \
  Form {                                                                                  \
#f, Tensors inputs,                                                                     \
       [](const Tensors& t) -> Tensor { return std::get<k>(f(__VA_ARGS__)); },                 \
       [](Tensor& out, const Tensors& t) -> Tensor {                                           \
         Tensor other;                                                                         \
         return k == 0 ? std::get<0>(f##_out(out, other, __VA_ARGS__))                         \
                       : std::get<1>(f##_out(other, out, __VA_ARGS__));                        \
       } \
  }

Tensor matrix() { return numbers({3, 4}, kDouble); }
Tensor square() { return numbers({3, 3}, kDouble).add(eye(3, kDouble).mul(5)); }
Tensor symmetric() { return square().add(square().t()); }
Tensor places() { return tensor_of({3, 2}, {0, 3, 1, 1, 2, 0}, kLong); }
Tensor rows() { return values({2, 0}, kLong); }

TEST(OutForms, OfReductions) {
  expect_forms({TAPER_FORM(prod, {matrix()}, t[0], 1), TAPER_FORM(var, {matrix()}, t[0], 1),
                TAPER_FORM(var, {matrix()}, t[0], 1, optional<Scalar>(0.5), true),
                TAPER_FORM(taper::std, {matrix()}, t[0], {0, 1}),
                TAPER_FORM(taper::std, {matrix()}, t[0], 0, optional<Scalar>(0)),
                TAPER_FORM(norm, {matrix()}, t[0], 3, {1}),
                TAPER_FORM(logsumexp, {matrix()}, t[0], {0}, true),
                TAPER_FORM(taper::max, ({matrix(), symmetric().sum()}), t[0], t[1]),
                TAPER_FORM(taper::min, ({matrix(), matrix().neg()}), t[0], t[1]),
                TAPER_FORM(nansum, {matrix()}, t[0], 1), TAPER_FORM(nanmean, {matrix()}, t[0], 0),
                TAPER_FORM(logcumsumexp, {matrix()}, t[0], 1),
                TAPER_FORM(msort, {matrix()}, t[0])});
}

TEST(OutForms, OfOrders) {
  expect_forms({TAPER_FORM_PAIR(taper::max, 0, {matrix()}, t[0], 1),
                TAPER_FORM_PAIR(taper::max, 1, {matrix()}, t[0], 1),
                TAPER_FORM_PAIR(taper::min, 0, {matrix()}, t[0], 1, true),
                TAPER_FORM_PAIR(median, 0, {matrix()}, t[0], 1),
                TAPER_FORM_PAIR(nanmedian, 1, {matrix()}, t[0], 1),
                TAPER_FORM_PAIR(mode, 0, {matrix()}, t[0]),
                TAPER_FORM_PAIR(kthvalue, 0, {matrix()}, t[0], 2),
                TAPER_FORM_PAIR(topk, 0, {matrix()}, t[0], 2),
                TAPER_FORM_PAIR(topk, 1, {matrix()}, t[0], 2, 0, false),
                TAPER_FORM_PAIR(taper::sort, 0, {matrix()}, t[0], 0, true),
                TAPER_FORM_PAIR(taper::sort, 1, {matrix()}, t[0], optional<bool>(true), 1),
                TAPER_FORM_PAIR(cummax, 0, {matrix()}, t[0], 1),
                TAPER_FORM_PAIR(cummin, 1, {matrix()}, t[0], 0),
                TAPER_FORM_PAIR(aminmax, 0, {matrix()}, t[0]),
                TAPER_FORM_PAIR(aminmax, 1, {matrix()}, t[0], 1, true)});
}

TEST(OutForms, OfIndexing) {
  const Tensor two = numbers({2, 4}, kDouble), small = numbers({3, 2}, kDouble);
  const Tensor chosen = matrix().gt(0);
  expect_forms({TAPER_FORM(gather, ({matrix(), places()}), t[0], 1, t[1]),
                TAPER_FORM(scatter, ({matrix(), places(), small}), t[0], 1, t[1], t[2]),
                TAPER_FORM(scatter, ({matrix(), places()}), t[0], 1, t[1], 7),
                TAPER_FORM(scatter_add, ({matrix(), places(), small}), t[0], 1, t[1], t[2]),
                TAPER_FORM(index_select, ({matrix(), rows()}), t[0], 0, t[1]),
                TAPER_FORM(index_add, ({matrix(), rows(), two}), t[0], 0, t[1], t[2], 2),
                TAPER_FORM(index_copy, ({matrix(), rows(), two}), t[0], 0, t[1], t[2]),
                TAPER_FORM(masked_select, ({matrix(), chosen}), t[0], t[1]),
                TAPER_FORM(take, ({matrix(), places()}), t[0], t[1]),
                TAPER_FORM(take_along_dim, ({matrix(), places()}), t[0], t[1], 1),
                TAPER_FORM(nonzero, ({chosen}), t[0]),
                TAPER_FORM(nonzero_static, ({chosen}), t[0], 20, 3),
                TAPER_FORM(where, ({chosen, matrix(), matrix().mul(2)}), t[0], t[1], t[2]),
                TAPER_FORM(tril, ({matrix()}), t[0], 1), TAPER_FORM(triu, ({matrix()}), t[0]),
                TAPER_FORM(diag, ({matrix()}), t[0], 1), TAPER_FORM(diag, ({rows()}), t[0])});
}

TEST(OutForms, OfLists) {
  expect_forms({TAPER_FORM(hstack, ({matrix(), matrix()}), t),
                TAPER_FORM(vstack, ({matrix(), matrix()}), t),
                TAPER_FORM(dstack, ({matrix(), matrix()}), t),
                TAPER_FORM(column_stack, ({matrix(), matrix()}), t),
                TAPER_FORM(linalg_multi_dot, ({square(), matrix()}), t)});
}

TEST(OutForms, OfProducts) {
  const Tensor v = numbers({4}, kDouble), w = numbers({3}, kDouble);
  expect_forms({TAPER_FORM(mv, ({matrix(), v}), t[0], t[1]), TAPER_FORM(dot, ({v, v}), t[0], t[1]),
                TAPER_FORM(vdot, ({v, v}), t[0], t[1]),
                TAPER_FORM(inner, ({matrix(), v}), t[0], t[1]),
                TAPER_FORM(outer, ({v, w}), t[0], t[1]), TAPER_FORM(ger, ({w, v}), t[0], t[1]),
                TAPER_FORM(kron, ({square(), w}), t[0], t[1]),
                TAPER_FORM(cross, ({square(), symmetric()}), t[0], t[1], 1),
                TAPER_FORM(tensordot, ({matrix(), square()}), t[0], t[1], {0}, {1}),
                TAPER_FORM(taper::linear, ({matrix(), numbers({2, 4}, kDouble)}), t[0], t[1])});
}

TEST(OutForms, OfActivationsAndLosses) {
  expect_forms(
      {TAPER_FORM(softmax, {matrix()}, t[0], 1),
       TAPER_FORM(log_softmax, {matrix()}, t[0], 0),
       TAPER_FORM(elu, {matrix()}, t[0], 2),
       TAPER_FORM(gelu, {matrix()}, t[0], "tanh"),
       TAPER_FORM(leaky_relu, {matrix()}, t[0], 0.2),
       TAPER_FORM(silu, {matrix()}, t[0]),
       TAPER_FORM(mish, {matrix()}, t[0]),
       TAPER_FORM(softplus, {matrix()}, t[0], 2),
       TAPER_FORM(hardtanh, {matrix()}, t[0], -2, 1),
       TAPER_FORM(hardsigmoid, {matrix()}, t[0]),
       TAPER_FORM(hardswish, {matrix()}, t[0]),
       TAPER_FORM(hardshrink, {matrix()}, t[0]),
       TAPER_FORM(softshrink, {matrix()}, t[0]),
       TAPER_FORM(taper::threshold, {matrix()}, t[0], 1, 5),
       TAPER_FORM(log_sigmoid, {matrix()}, t[0]),
       TAPER_FORM(glu, {matrix()}, t[0]),
       TAPER_FORM(complex, ({matrix(), matrix()}), t[0], t[1]),
       TAPER_FORM(polar, ({matrix().abs(), matrix()}), t[0], t[1]),
       TAPER_FORM(renorm, {matrix()}, t[0], 2, 0, 1),
       TAPER_FORM(mse_loss, ({matrix(), matrix().mul(2)}), t[0], t[1]),
       TAPER_FORM(smooth_l1_loss, ({matrix(), matrix().mul(2)}), t[0], t[1], Reduction::None, 0.5),
       TAPER_FORM(huber_loss, ({matrix(), matrix().mul(2)}), t[0], t[1], Reduction::Sum)});
}

TEST(OutForms, OfLinearAlgebra) {
  expect_forms({TAPER_FORM(inverse, {square()}, t[0]), TAPER_FORM(linalg_inv, {square()}, t[0]),
                TAPER_FORM(linalg_det, {square()}, t[0]),
                TAPER_FORM(linalg_solve, ({square(), matrix()}), t[0], t[1]),
                TAPER_FORM(linalg_cholesky, {symmetric()}, t[0], true),
                TAPER_FORM(linalg_eigvals, {symmetric()}, t[0]),
                TAPER_FORM(linalg_eigvalsh, {symmetric()}, t[0]),
                TAPER_FORM(linalg_svdvals, {matrix()}, t[0]),
                TAPER_FORM(linalg_matrix_power, {square()}, t[0], 3),
                TAPER_FORM(linalg_vector_norm, {matrix()}, t[0], 3, 1),
                TAPER_FORM(linalg_cross, ({square(), symmetric()}), t[0], t[1]),
                TAPER_FORM(linalg_vecdot, ({matrix(), matrix()}), t[0], t[1]),
                TAPER_FORM_PAIR(linalg_eig, 0, {symmetric()}, t[0]),
                TAPER_FORM_PAIR(linalg_eigh, 1, {symmetric()}, t[0], "U"),
                TAPER_FORM_PAIR(linalg_qr, 0, {square()}, t[0]),
                TAPER_FORM_PAIR(linalg_slogdet, 1, {square()}, t[0])});
}

TEST(OutForms, OfSystemsAndNorms) {
  const Tensor lower = square().tril(), b = numbers({3, 2}, kDouble);
  const auto [lu, pivots] = linalg::lu_factor(square());
  const auto [a, tau] = geqrf(square());
  const Tensor box = numbers({4, 4}, kDouble).add(eye(4, kDouble).mul(5)).view({4, 2, 2});
  expect_forms(
      {TAPER_FORM(linalg_solve_triangular, ({lower, b}), t[0], t[1], false),
       TAPER_FORM(linalg_pinv, {matrix()}, t[0], 1e-15),
       TAPER_FORM(linalg_pinv, {matrix()}, t[0], optional<double>(), optional<double>(1e-9)),
       TAPER_FORM(linalg_matrix_rank, {matrix()}, t[0], 1e-9),
       TAPER_FORM(linalg_matrix_rank, {matrix()}, t[0], optional<double>(), optional<double>()),
       TAPER_FORM(linalg_norm, {matrix()}, t[0]),
       TAPER_FORM(linalg_norm, {matrix()}, t[0], optional<Scalar>(1), IntArrayRef({0, 1})),
       TAPER_FORM(linalg_matrix_norm, {matrix()}, t[0], Scalar(2)),
       TAPER_FORM(linalg_cond, {square()}, t[0]),
       TAPER_FORM(linalg_matmul, ({matrix().t(), b}), t[0], t[1]),
       TAPER_FORM(linalg_householder_product, ({a, tau}), t[0], t[1]),
       TAPER_FORM(linalg_tensorinv, {box}, t[0], 1),
       TAPER_FORM(linalg_tensorsolve, ({square(), numbers({3}, kDouble)}), t[0], t[1]),
       TAPER_FORM(linalg_lu_solve, ({lu, pivots, b}), t[0], t[1], t[2]),
       TAPER_FORM_PAIR(linalg_lu_factor, 0, {square()}, t[0]),
       TAPER_FORM_PAIR(linalg_inv_ex, 0, {square()}, t[0]),
       TAPER_FORM_PAIR(linalg_cholesky_ex, 0, {symmetric()}, t[0]),
       TAPER_FORM(cholesky_inverse, {lower}, t[0]),
       TAPER_FORM(cholesky_solve, ({b, lower}), t[0], t[1])});
}

TEST(OutForms, OfTransforms) {
  const Tensor z = complex(matrix(), matrix().mul(2));
#define TAPER_FFT_FORMS(name, x)                                                            \
  TAPER_FORM(fft_##name, {x}, t[0]), TAPER_FORM(fft_##name##2, {x}, t[0], nullopt, {0, 1}), \
      TAPER_FORM(fft_##name##n, {x}, t[0], nullopt, nullopt, "ortho")
  expect_forms({TAPER_FFT_FORMS(fft, matrix()), TAPER_FFT_FORMS(ifft, z),
                TAPER_FFT_FORMS(rfft, matrix()), TAPER_FFT_FORMS(irfft, z),
                TAPER_FFT_FORMS(hfft, z), TAPER_FFT_FORMS(ihfft, matrix()),
                TAPER_FORM(fft_fft, {matrix()}, t[0], 7, 0, "forward")});
#undef TAPER_FFT_FORMS
}

TEST(OutForms, OfSpecialFunctions) {
  const Tensor x = matrix().sigmoid();
#define TAPER_ONE(name) TAPER_FORM(special::name, {x}, t[0]), TAPER_FORM(special_##name, {x}, t[0]),
#define TAPER_TWO(name)                                   \
  TAPER_FORM(special::name, ({x, x.add(1)}), t[0], t[1]), \
      TAPER_FORM(special_##name, ({x, x.add(1)}), t[0], t[1]),
#define TAPER_LONG(name) TAPER_FORM(special_##name, {x}, t[0]),
  std::vector<Form> forms = {
      TAPER_ONE(gammaln) TAPER_ONE(digamma) TAPER_ONE(psi) TAPER_ONE(erf) TAPER_ONE(erfc) TAPER_ONE(
          erfinv) TAPER_ONE(exp2) TAPER_ONE(expm1) TAPER_ONE(log1p) TAPER_ONE(expit) TAPER_ONE(sinc)
          TAPER_ONE(i0) TAPER_ONE(i1) TAPER_ONE(entr) TAPER_ONE(ndtr) TAPER_TWO(xlogy)
              TAPER_TWO(xlog1py) TAPER_TWO(gammainc) TAPER_TWO(gammaincc) TAPER_LONG(erfcx)
                  TAPER_LONG(log_ndtr) TAPER_LONG(ndtri) TAPER_LONG(i0e) TAPER_LONG(i1e) TAPER_LONG(
                      bessel_j0) TAPER_LONG(bessel_j1) TAPER_LONG(bessel_y0) TAPER_LONG(bessel_y1)
                      TAPER_LONG(modified_bessel_i0) TAPER_LONG(modified_bessel_i1)
                          TAPER_LONG(modified_bessel_k0) TAPER_LONG(modified_bessel_k1)
                              TAPER_LONG(scaled_modified_bessel_k0)
                                  TAPER_LONG(scaled_modified_bessel_k1)
                                      TAPER_LONG(spherical_bessel_j0) TAPER_LONG(airy_ai)
                                          TAPER_FORM(special_zeta, ({x.add(2), x}), t[0], t[1]),
      TAPER_FORM(special_round, {x}, t[0], int64_t{1}),
      TAPER_FORM(special::logit, {x}, t[0], 0.2),
      TAPER_FORM(special_logit, {x}, t[0]),
      TAPER_FORM(logit, {x}, t[0]),
      TAPER_FORM(special_multigammaln, {x.add(3)}, t[0], int64_t{2}),
      TAPER_FORM(mvlgamma, {x.add(3)}, t[0], 2),
      TAPER_FORM(special::polygamma, {x}, 1, t[0]),
      TAPER_FORM(polygamma, {x}, 2, t[0]),
      TAPER_FORM(special::logsumexp, {x}, t[0], {1}),
      TAPER_FORM(special_logsumexp, {x}, t[0], {1})};
#undef TAPER_ONE
#undef TAPER_TWO
#undef TAPER_LONG
  expect_forms(forms);
  // Polynomials have no derivative by x, so that only values are compared.
#define TAPER_SAME_VALUES(name)                                                                    \
  {                                                                                                \
    Tensor y = empty({0}, kDouble);                                                                \
    EXPECT_TRUE(special_##name##_out(y, x, x.mul(4)).equal(special_##name(x, x.mul(4)))) << #name; \
  }
  TAPER_SAME_VALUES(chebyshev_polynomial_t)
  TAPER_SAME_VALUES(chebyshev_polynomial_u)
  TAPER_SAME_VALUES(chebyshev_polynomial_v)
  TAPER_SAME_VALUES(chebyshev_polynomial_w)
  TAPER_SAME_VALUES(shifted_chebyshev_polynomial_t)
  TAPER_SAME_VALUES(shifted_chebyshev_polynomial_u)
  TAPER_SAME_VALUES(shifted_chebyshev_polynomial_v)
  TAPER_SAME_VALUES(shifted_chebyshev_polynomial_w)
  TAPER_SAME_VALUES(hermite_polynomial_h)
  TAPER_SAME_VALUES(hermite_polynomial_he)
  TAPER_SAME_VALUES(laguerre_polynomial_l)
  TAPER_SAME_VALUES(legendre_polynomial_p)
#undef TAPER_SAME_VALUES
}

TEST(OutForms, OfTwoNeitherMayRequireAGradient) {
  Tensor values = zeros({2}), indices = zeros({2}).requires_grad_();
  expect_error("don't support automatic differentiation",
               [&] { topk_out(values, indices, counting({3}), 2); });
  expect_values(values, {2}, {0, 0});
}

TEST(OutForms, KernelsThatWriteOutThemselvesTakeItsDtype) {
  const Tensor x = counting({3}, kDouble), at = values({0}, kLong);
  Tensor out = zeros({0});
  const std::vector<std::function<void()>> refused = {[&] { index_select_out(out, x, 0, at); },
                                                      [&] { gather_out(out, x, 0, at); },
                                                      [&] { take_out(out, x, at); },
                                                      [&] { masked_select_out(out, x, x.gt(0)); },
                                                      [&] { nonzero_out(out, x); },
                                                      [&] {
                                                        tril_out(out, x.view({3, 1}));
                                                      },
                                                      [&] { norm_out(out, x, 2, {0}); },
                                                      [&] { where_out(out, x.gt(0), x, x); },
                                                      [&] { scatter_out(out, x, 0, at, x); },
                                                      [&] { cross_out(out, x, x); },
                                                      [&] { softmax_out(out, x, 0); },
                                                      [&] { matmul_out(out, x, x); }};
  for (const auto& body : refused) expect_error("Expected out tensor to have dtype", body);
  EXPECT_EQ(out.numel(), 0);
  expect_values(logsumexp_out(out, zeros({1}, kDouble), {0}), {}, {0});  // others convert
}

TEST(OutForms, NeitherOfTwoIsWrittenAfterAnError) {
  Tensor values = zeros({2}), indices = zeros({1}, kBool);
  expect_error("topk: Expected out tensor to have dtype long int, but got bool instead",
               [&] { topk_out(values, indices, counting({3}), 2); });
  expect_values(values, {2}, {0, 0});
}

TEST(OutForms, WarnWhereATensorWithElementsIsResized) {
  const Tensor x = ones({3});
  expect_warning(
      "An output with one or more elements was resized since it had shape [2], which does not "
      "match "
      "the required output shape [3].",
      [&] {
        Tensor out = zeros({2});
        add_out(out, x, x);
      });
  EXPECT_TRUE(warnings_of([&] {
                Tensor empty = zeros({0}), fits = zeros({3});
                add_out(empty, x, x);
                add_out(fits, x, x);
              }).empty());
}

}  // namespace
}  // namespace torch::taper::testing
