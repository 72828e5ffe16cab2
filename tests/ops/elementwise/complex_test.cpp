// Complex dtypes and the ops that take them. Values in literals are PyTorch's.
#include <taper/framework/core/scalar.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include <complex>
#include <sstream>

#include "complex_util.h"
#include "harness/devices.h"

namespace torch::taper::testing {
namespace {

using C = numbers::complex<double>;
using CF = numbers::complex<float>;

Tensor a4() { return complex_values({1, 2, -0.5, 0.25, 0, -1.5, 2, 0}); }
Tensor b4() { return complex_values({0.5, -1, 2, 1, -1, 0.5, 1, 1}); }

// ---------------------------------------------------------------- numbers and dtypes
TEST(ComplexNumber, Arithmetic) {
  const C a(1, 2), b(0.5, -1);
  EXPECT_EQ(a + b, C(1.5, 1));
  EXPECT_EQ(a - b, C(0.5, 3));
  EXPECT_EQ(a * b, C(2.5, 0));
  EXPECT_NEAR((a / b).real(), -1.2, 1e-15);
  EXPECT_NEAR((a / b).imag(), 1.6, 1e-15);
  EXPECT_EQ(C(1e300, 0) / C(0, 1e300), C(0, -1));
  EXPECT_EQ(std::complex<double>(a), std::complex<double>(1, 2));
  EXPECT_EQ(C(std::complex<float>(3, 4)), C(3, 4));
  std::ostringstream text;
  text << a;
  EXPECT_EQ(text.str(), "(1,2)");
}

TEST(ComplexDtype, NamesSizesAndPromotion) {
  EXPECT_STREQ(toString(kComplexFloat), "ComplexFloat");
  EXPECT_EQ(elementSize(kComplexFloat), 8u);
  EXPECT_EQ(elementSize(kComplexDouble), 16u);
  EXPECT_TRUE(isComplexType(kComplexDouble));
  EXPECT_EQ(promoteTypes(kDouble, kComplexFloat), kComplexDouble);
  EXPECT_EQ(promoteTypes(kLong, kComplexFloat), kComplexFloat);
  EXPECT_EQ(promoteTypes(kComplexDouble, kBool), kComplexDouble);
  EXPECT_FALSE(canCast(kComplexFloat, kDouble));
  EXPECT_EQ(ones({2}).add(C(0, 1)).scalar_type(), kComplexFloat);
  EXPECT_EQ(ones({2}, kDouble).mul(C(0, 1)).scalar_type(), kComplexDouble);
  EXPECT_EQ(ones({2}, kLong).mul(C(0, 1)).scalar_type(), kComplexFloat);
  EXPECT_EQ((ones({2}, kComplexFloat) * ones({}, kComplexDouble)).scalar_type(), kComplexFloat);
  EXPECT_FALSE(ones({2}, kComplexFloat).is_floating_point());
  expect_error("complex128, got ComplexHalf", [] { zeros({1}, kComplexHalf); });
}

TEST(ComplexDtype, LeavesATensorOfFloatsItsPrecision) {
  const Tensor z = zeros({}, kComplexDouble);
  EXPECT_EQ((ones({2}, kFloat) + z).scalar_type(), kComplexFloat);
  EXPECT_EQ((z * ones({2}, kBFloat16)).scalar_type(), kComplexFloat);
  EXPECT_EQ((ones({2}, kDouble) + zeros({}, kComplexFloat)).scalar_type(), kComplexDouble);
  EXPECT_EQ((ones({2}, kInt) + z).scalar_type(), kComplexDouble);
  EXPECT_EQ((ones({}, kFloat) + z).scalar_type(), kComplexDouble);
}

TEST(ComplexScalar, ItemAndConversions) {
  const Tensor z = tensor(CF(1, -2));
  EXPECT_EQ(z.scalar_type(), kComplexFloat);
  EXPECT_EQ(z.item<CF>(), CF(1, -2));
  EXPECT_TRUE(z.item().isComplex());
  EXPECT_EQ(z.item().conj().toComplexDouble(), C(1, 2));
  EXPECT_EQ((-z.item()).toComplexDouble(), C(-1, 2));
  EXPECT_EQ(Scalar(3).to<C>(), C(3, 0));
  EXPECT_EQ(Scalar(C(3, 0)).toDouble(), 3);
  EXPECT_TRUE(Scalar(C(3, 0)).equal(3));
  EXPECT_FALSE(Scalar(C(3, 1)).equal(3));
  expect_error("without overflow", [] { Scalar(C(3, 1)).toDouble(); });
  expect_error("without overflow", [] { Scalar(C(3, 1)).toInt(); });
  EXPECT_EQ(full({2}, C(1, 2)).scalar_type(), kComplexFloat);
}

// ---------------------------------------------------------------- making, copying, printing
TEST(Complex, Factories) {
  expect_close(zeros({1}, kComplexDouble), {0, 0});
  expect_close(ones({1}, kComplexDouble), {1, 0});
  expect_close(full({2}, C(1, 2), kComplexDouble), {1, 2, 1, 2});
  expect_close(tensor({CF(1, 2), CF(3, 4)}), {1, 2, 3, 4});
  expect_close(tensor(std::vector<C>{C(1, 2)}), {1, 2});
  C memory[2] = {C(1, 2), C(3, -4)};
  expect_close(from_blob(memory, {2}, kComplexDouble), {1, 2, 3, -4});
  const Tensor a = a4();
  EXPECT_EQ((a.accessor<C, 1>()[1]), C(-0.5, 0.25));
  expect_error("expected scalar type", [] { a4().data_ptr<double>(); });
  manual_seed(0);
  expect_close(
      randn({3}, kComplexFloat),
      {1.089648843, -0.2074855715, -1.540636778, 0.4019415975, -0.7668731213, -0.9889562726}, 1e-6);
  expect_close(rand({2}, kComplexFloat), {0.02232575417, 0.1688589454, 0.2938884497, 0.5185217857},
               1e-6);
}

TEST(Complex, Casts) {
  expect_close(a4().to(kComplexFloat), values_of(view_as_real(a4())));
  expect_close(a4().to(kDouble), {1, -0.5, 0, 2});
  expect_close(a4().to(kLong), {1, 0, 0, 2});
  expect_close(values({1, -2}, kLong).to(kComplexDouble), {1, 0, -2, 0});
  expect_close(complex_values({0, 1, 0, 0}).to(kBool), {1, 0});
  Tensor x = zeros({4}, kBool);
  x.copy_(a4());
  expect_close(x, {1, 1, 1, 1});
  Tensor z = zeros({2, 2}, kComplexFloat);
  z.t().copy_(values({1, 2}));
  expect_close(z, {1, 0, 1, 0, 2, 0, 2, 0});
  z.fill_(C(1, 1));
  expect_close(z, {1, 1, 1, 1, 1, 1, 1, 1});
}

TEST(Complex, MovesElementsOfAnySize) {
  for (const ScalarType t : {kComplexFloat, kComplexDouble}) {
    const Tensor x = complex_numbers({5, 7}, t);
    EXPECT_TRUE(x.t().contiguous().t().equal(x));
    EXPECT_TRUE(cat({x, x}).slice(0, 5).equal(x));
    EXPECT_TRUE(stack({x, x})[1].equal(x));
    EXPECT_TRUE(x.flip({0, 1}).flip({1, 0}).equal(x));
    EXPECT_TRUE(x.index_select(0, values({4, 0}, kLong))[0].equal(x[4]));
    EXPECT_TRUE(x.gather(1, zeros({5, 1}, kLong)).squeeze(1).equal(x.select(1, 0)));
    EXPECT_TRUE(where(ones({5, 7}, kBool), x, C(0, 0)).equal(x));
    EXPECT_TRUE(where(zeros({5, 7}, kBool), C(0, 0), x.t().contiguous().t()).equal(x));
    EXPECT_TRUE((x.triu() + x.tril(-1)).equal(x));
    EXPECT_TRUE(roll(x, {2, 3}, {0, 1}).roll({-2, -3}, {0, 1}).equal(x));
    const Tensor sum = zeros({5, 7}, t).index_add(0, values({1, 1}, kLong), x.slice(0, 0, 2));
    EXPECT_TRUE(sum[1].allclose(x[0] + x[1]));
    Tensor y = x.clone();
    y[2] = C(1, 2);
    EXPECT_EQ(y[2][6].item<C>(), C(1, 2));
  }
}

TEST(Complex, Text) {
  EXPECT_EQ(repr(tensor({CF(1, 2), CF(-3, -4.5)})), "tensor([ 1.+2.0000j, -3.-4.5000j])");
  EXPECT_EQ(repr(tensor({CF(1, 2), CF(3, 4)})), "tensor([1.+2.j, 3.+4.j])");
  EXPECT_EQ(repr(tensor(C(1, 2))), "tensor(1.+2.j, dtype=torch.complex128)");
  EXPECT_EQ(repr(zeros({0}, kComplexFloat)), "tensor([], dtype=torch.complex64)");
  EXPECT_EQ(a4().toString(), "CPUComplexDoubleType");
  std::ostringstream text;
  text << tensor({CF(1, 2), CF(3, 4)});
  EXPECT_EQ(text.str(), " 1  2\n 3  4\n[ CPUComplexFloatType{2} ]");
}

// ---------------------------------------------------------------- parts
TEST(Complex, Parts) {
  const Tensor z = a4();
  expect_close(real(z), {1, -0.5, 0, 2});
  expect_close(imag(z), {2, 0.25, -1.5, 0});
  real(z).mul_(2);  // views
  view_as_real(z).select(1, 1).zero_();
  expect_close(z, {2, 0, -1, 0, 0, 0, 4, 0});
  EXPECT_TRUE(real(values({1, 2})).equal(values({1, 2})));
  expect_close(complex(values({1, 2}), values({3})), {1, 3, 2, 3});
  expect_close(polar(values({1, 2}), values({0.5, -2})),
               {0.87758255, 0.4794255495, -0.8322936893, -1.818594813}, 1e-6);
  expect_close(isreal(a4()), {0, 0, 0, 1});
  const Tensor strided = view_as_complex(numbers({4, 6, 2})).t().slice(0, 1, 6, 2);
  EXPECT_EQ(view_as_complex(view_as_real(strided)).strides(), strided.strides());
  EXPECT_EQ(view_as_real(strided).storage_offset(), 2 * strided.storage_offset());
}

TEST(Complex, PartsRefuse) {
  expect_error("view_as_real is only supported for complex tensors",
               [] { view_as_real(ones({2})); });
  expect_error("Input tensor must have one or more dimensions", [] { view_as_complex(ones({})); });
  expect_error("Tensor must have a last dimension of size 2", [] { view_as_complex(ones({3})); });
  expect_error("Tensor must have a last dimension with stride 1", [] {
    view_as_complex(ones({2, 2}).t());
  });
  expect_error("Tensor must have a storage_offset divisible by 2", [] {
    view_as_complex(ones({3, 4}).slice(1, 1, 3));
  });
  expect_error("Tensor must have a stride divisible by 2 for all but last dimension", [] {
    view_as_complex(ones({3, 3}).slice(1, 0, 2));
  });
  expect_error("but got a tensor of scalar type: Long", [] { view_as_complex(ones({2}, kLong)); });
  expect_error(
      "Expected object of scalar type Float but got scalar type Double for second argument",
      [] { complex(ones({2}), ones({2}, kDouble)); });
  expect_error("Expected both inputs to be Half, Float or Double tensors but got Long and Double",
               [] { complex(ones({2}, kLong), ones({2}, kDouble)); });
  expect_error("for second argument", [] { polar(ones({2}), ones({2}, kDouble)); });
  expect_error("imag is not implemented for tensors with non-complex dtypes",
               [] { imag(ones({2})); });
}

TEST(Complex, PartsWithHistoryMayNotBeWritten) {
  const Tensor z = a4().set_requires_grad(true) * 1;
  Tensor parts = view_as_real(z);
  expect_error("modified inplace where history is recorded", [&] { parts.mul_(2); });
  Tensor w = a4();
  Tensor re = real(w);
  expect_error("modified inplace where history is recorded",
               [&] { re.mul_(ones({4}, kDouble).set_requires_grad(true)); });
}

// ---------------------------------------------------------------- arithmetic
TEST(Complex, Unary) {
  using F = Tensor (*)(const Tensor&);
  const std::vector<std::pair<F, std::vector<double>>> cases = {
      {exp,
       {-1.131204384, 2.471726672, 0.5876750903, 0.1500580866, 0.07073720167, -0.9974949866,
        7.389056099, 0}},
      {log,
       {0.8047189562, 1.107148718, -0.5815754049, 2.677945045, 0.4054651081, -1.570796327,
        0.6931471806, 0}},
      {sqrt,
       {1.27201965, 0.7861513778, 0.1717803749, 0.7276733451, 0.8660254038, -0.8660254038,
        1.414213562, 0}},
      {reciprocal, {0.2, -0.4, -1.6, -0.8, 0, 0.6666666667, 0.5, 0}},
      {sin,
       {3.165778513, 1.959601041, -0.4944857809, 0.2216881641, 0, -2.129279455, 0.9092974268, 0}},
      {cos,
       {2.032723007, -3.051897799, 0.9051501506, 0.121108796, 2.352409615, 0, -0.4161468365, 0}},
      {tan,
       {0.03381282608, 1.014793616, -0.5045007027, 0.3124206925, 0, -0.9051482536, -2.185039863,
        0}},
      {sinh,
       {-0.489056259, 1.403119251, -0.5048957144, 0.2789791284, 0, -0.9974949866, 3.626860408, 0}},
      {cosh,
       {-0.6421481247, 1.068607421, 1.092570805, -0.1289210417, 0.07073720167, 0, 3.762195691, 0}},
      {tanh,
       {1.166736257, -0.2434582012, -0.485487281, 0.19805545, 0, -14.10141995, 0.9640275801, 0}},
      {asinh,
       {1.469351744, 1.063440024, -0.4926756834, 0.2243284526, 0.9624236501, -1.570796327,
        1.443635475, 0}},
      {log2,
       {1.160964047, 1.597277965, -0.8390359526, 3.863458036, 0.5849625007, -2.266180071, 1, 0}},
      {log10,
       {0.3494850022, 0.4808285788, -0.2525749892, 1.163016756, 0.1760912591, -0.6821881769,
        0.3010299957, 0}},
      {rsqrt,
       {0.568864481, -0.3515775843, 0.3072900763, -1.301701652, 0.5773502692, 0.5773502692,
        0.7071067812, 0}},
      {sigmoid,
       {1.021415364, 0.4034387061, 0.3757248356, 0.05900296431, 0.5, -0.46579823, 0.880797078, 0}},
      {square, {-3, 4, 0.1875, -0.25, -2.25, 0, 4, 0}},
      {neg, {-1, -2, 0.5, -0.25, 0, 1.5, -2, 0}},
      {sgn, {0.4472135955, 0.894427191, -0.894427191, 0.4472135955, 0, -1, 1, 0}},
      {conj, {1, -2, -0.5, -0.25, 0, 1.5, 2, 0}},
      {abs, {2.236067977, 0.5590169944, 1.5, 2}},
      {angle, {1.107148718, 2.677945045, -1.570796327, 0}}};
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(cases[i].first(a4()), cases[i].second);
    const Tensor strided = a4().repeat({2}).slice(0, 0, 8, 2);
    EXPECT_TRUE(cases[i].first(strided).allclose(cases[i].first(strided.contiguous())));
    expect_close(cases[i].first(a4().to(kComplexFloat)), cases[i].second, 1e-5);
    check_gradient_at(cases[i].first, a4().slice(0, 0, 2));
  }
  expect_close(asin(a4()).slice(0, 0, 2), {0.4270785864, 1.528570919, -0.5016088533, 0.2813960562});
  expect_close(acosh(a4()).slice(0, 0, 2), {1.528570919, 1.14371774, 0.2813960562, 2.07240518});
  expect_close(atan(a4()).slice(0, 0, 2), {1.338972522, 0.4023594781, -0.4842544903, 0.2005866181});
  expect_close(angle(values({-1, 2, 0})), {M_PI, 0, 0}, 1e-6);
}

TEST(Complex, Binary) {
  const Tensor a = a4(), b = b4();
  expect_close(a + b, {1.5, 1, 1.5, 1.25, -1, -1, 3, 1});
  expect_close(a - b, {0.5, 3, -2.5, -0.75, 1, -2, 1, -1});
  expect_close(a * b, {2.5, 0, -1.25, 0, 0.75, 1.5, 2, 2});
  expect_close(a / b, {-1.2, 1.6, -0.15, 0.2, -0.6, 1.2, 1, -1});
  expect_close(pow(a, b), {4.38256506, -1.124397477, 0.001328699008, -0.02142890693, -0.294406424,
                           1.432241182, 1.538477803, 1.277922553});
  expect_close(a.pow(3), {-11, -2, -0.03125, 0.171875, 0, 3.375, 8, 0});
  expect_close(a.pow(C(0.5, 1)), {0.1042330549, 0.4830959393, 0.03732562793, 0.03529173424,
                                  5.471473816, -2.184951539, 1.087868087, 0.9036277028});
  expect_close(pow(Scalar(2), a), {0.3669139495, 1.966055481, 0.6965167092, 0.1219199484,
                                   0.5064610459, -0.8622628422, 4, 0});
  expect_close(a.add(b, C(2, 1)), {3, 0.5, 2.5, 4.25, -2.5, -1.5, 3, 3});
  expect_close(1 - a, {0, -2, 1.5, -0.25, 1, 1.5, -1, 0});
  expect_close(a.eq(complex_values({1, 2, 0, 0, 0, 1.5, 2, 0})), {1, 0, 0, 1});
  expect_close(a.ne(C(1, 2)), {0, 1, 1, 1});
  expect_close(a.unsqueeze(1) * values({1, 2}, kDouble),
               values_of(view_as_real(stack({a, a + a}, 1))));
  Tensor x = a4();
  x.mul_(b).add_(1).div_(2).sub_(C(0, 1));
  expect_close(x, {1.75, -1, -0.125, -1, 0.875, -0.25, 1.5, 0});
  EXPECT_TRUE(a.allclose(a + 1e-12));
  EXPECT_FALSE(a.allclose(a + C(0, 1)));
  expect_close(a.isclose(a + complex_values({0, 0, 1, 0, 0, 1, 0, 0})), {1, 0, 0, 1});
}

TEST(Complex, NanAsADivisorIsInTheQuotient) {
  const double nan = std::nan("");
  for (const C& divisor : {C(nan, 0), C(0, nan), C(nan, 5), C(5, nan), C(nan, nan)})
    for (const Tensor& x : {full({40}, C(1, 2), kComplexDouble), full({40}, C(1, 2)),
                            full({40, 2}, C(1, 2)).select(1, 0)}) {
      const Tensor parts = view_as_real(x / full({40}, divisor, x.options()));
      EXPECT_TRUE(parts.isnan().all().item<bool>());
    }
  const Tensor by_zero = view_as_real(full({40}, C(1, 2)) / full({40}, C(0, 0)));
  EXPECT_TRUE(by_zero.isinf().all().item<bool>());
}

TEST(Complex, WhatHasNoMeaningIsRefused) {
  const Tensor z = a4().to(kComplexFloat);
  expect_error<NotImplementedError>("\"lt_cpu\" not implemented for 'ComplexFloat'",
                                    [&] { z.lt(z); });
  expect_error("floor is not supported for complex inputs", [&] { floor(z); });
  expect_error("use torch.sgn()", [&] { sign(z); });
  expect_error<NotImplementedError>("not implemented for 'ComplexFloat'", [&] { relu(z); });
  expect_error<NotImplementedError>("not implemented for 'ComplexFloat'", [&] { z.max(); });
  expect_error<NotImplementedError>("not implemented for 'ComplexFloat'", [&] { z.erf(); });
  expect_error("result type ComplexFloat can't be cast to the desired output type Float",
               [&] { ones({4}).add_(z); });
  expect_error("In-place abs is not supported for complex tensors", [&] { z.abs_(); });
  expect_error("must not be a complex number", [&] { ones({4}).add(ones({4}), C(0, 1)); });
}

TEST(Complex, Reductions) {
  const Tensor a = a4();
  expect_close(a.sum(), {2.5, 0.75});
  expect_close(a.mean(), {0.625, 0.1875});
  expect_close(a.view({2, 2}).sum(0), {1, 0.5, 1.5, 0.25});
  expect_close(a.view({2, 2}).sum(OptionalIntArrayRef(-1), true), {0.5, 2.25, 2, -1.5});
  expect_close(values({1, 2}).sum(kComplexDouble), {3, 0});
  expect_close(a.norm(), {std::sqrt(5 + 0.3125 + 2.25 + 4)});
  expect_close(complex_values({0, 0, 0, 1}).any(), {1});
  expect_close(isfinite(complex_values({0, INFINITY, 1, 1})), {0, 1});
  expect_close(isnan(complex_values({NAN, 0, 1, 1})), {1, 0});
}

TEST(Complex, Products) {
  const Tensor m = complex_values({1, 1, 2, -1, 0, 0.5, -1, 0}).view({2, 2});
  const Tensor q = complex_values({0.5, 0, 0, 1, 1, -1, 2, 2}).view({2, 2});
  expect_close(mm(m, q), {1.5, -2.5, 5, 3, -1, 1.25, -2.5, -2});
  expect_close(bmm(m.unsqueeze(0), q.unsqueeze(0)), {1.5, -2.5, 5, 3, -1, 1.25, -2.5, -2});
  expect_close(addmm(q, m, q, C(0, 1), 2), {3, -4.5, 9, 6, -1, 3.5, -7, -2});
  expect_close(mv(m, q.select(1, 0)), {1.5, -2.5, -1, 1.25});
  expect_close(dot(m[0], q[0]), {1.5, 2.5});
  expect_close(vdot(m[0], q[0]), {-0.5, 1.5});
  const Tensor a = complex_numbers({3, 2, 4}), b = complex_numbers({4, 5}).conj();
  const Tensor direct = (a.unsqueeze(-1) * b).sum(OptionalIntArrayRef(-2));
  EXPECT_TRUE(matmul(a, b).allclose(direct));
  expect_close(m.adjoint(), {1, -1, 0, -0.5, 2, 1, -1, 0});
}

// ---------------------------------------------------------------- gradients
TEST(ComplexGradient, Convention) {
  const Tensor x = complex_values({1, 2, 3, -1}).set_requires_grad(true);
  real(x * x.conj()).sum().backward();
  expect_close(x.grad(), {2, 4, 6, -2});
  const Tensor r = values({1, 2}, kDouble).set_requires_grad(true);
  (r * C(1, 2)).abs().sum().backward();
  EXPECT_EQ(r.grad().scalar_type(), kDouble);
  expect_close(r.grad(), {std::sqrt(5.0), std::sqrt(5.0)});
}

TEST(ComplexGradient, OfOps) {
  const Tensor x = complex_numbers({2, 3}), y = complex_numbers({3, 2}).conj() + C(0.5, 1);
  using F = std::function<Tensor(const Tensor&)>;
  const std::vector<F> functions = {
      [&](const Tensor& v) { return v + y.t() * v; },
      [&](const Tensor& v) { return v.sub(y[0][0], C(1, 2)); },
      [&](const Tensor& v) { return y.t() / (v + C(2, 2)); },
      [&](const Tensor& v) { return v / y.t() * C(1, -2); },
      [&](const Tensor& v) { return C(1, 1) / (v + C(2, 2)); },
      [&](const Tensor& v) { return (v + C(2, 2)).pow(3); },
      [&](const Tensor& v) { return (v + C(2, 2)).pow(C(0.5, 1)); },
      [&](const Tensor& v) { return pow(v + C(2, 2), y.t()); },
      [&](const Tensor& v) { return pow(y.t(), v); },
      [&](const Tensor& v) { return pow(Scalar(C(1, 2)), v); },
      [&](const Tensor& v) { return mm(v, y); },
      [&](const Tensor& v) { return matmul(y, v); },
      [&](const Tensor& v) { return addmm(v[0], y, v, C(1, 2), C(0, 1)); },
      [&](const Tensor& v) { return bmm(v.unsqueeze(0), y.unsqueeze(0)); },
      [&](const Tensor& v) { return mv(v, y.select(1, 0)); },
      [&](const Tensor& v) { return vdot(v[0], v[1]); },
      [&](const Tensor& v) { return v.sum(0) * v.mean(); },
      [&](const Tensor& v) { return real(v) * imag(v); },
      [&](const Tensor& v) { return complex(real(v), abs(v)); },
      [&](const Tensor& v) { return polar(abs(v), angle(v) * 2); },
      [&](const Tensor& v) {
        return cat({v, v.conj()}).index_select(0, values({1, 1, 3}, kLong));
      },
      [&](const Tensor& v) { return where(real(v).gt(0), v, y.t()); },
      [&](const Tensor& v) { return (v * v[0][0]).triu().flip({1}); },
      [&](const Tensor& v) { return v.to(kDouble).to(kComplexDouble) * v; },
      [&](const Tensor& v) {
        Tensor w = v * 1;
        w.mul_(y.t()).add_(v);
        w[0] = v[1];
        return w.exp_();
      }};
  for (size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    check_gradient_at(functions[i], x);
  }
  const Tensor r = numbers({2, 3}, kDouble);
  check_gradient_at([&](const Tensor& v) { return v * x + x / (v + 4) + pow(x, v); }, r);
  check_gradient_at([&](const Tensor& v) { return complex(v, v[0]).exp(); }, r);
}

TEST(ComplexGradient, ZeroHasFiniteOnes) {
  const Tensor z = zeros({2}, kComplexDouble).set_requires_grad(true);
  (z.abs() + z.angle()).sum().backward();
  expect_close(z.grad(), {0, 0, 0, 0});
}

// ---------------------------------------------------------------- files
TEST(Complex, Files) {
  const Tensor z = complex_numbers({2, 3}), w = z.to(kComplexFloat).set_requires_grad(true);
  EXPECT_TRUE(pickle_load(pickle_save(z)).toTensor().equal(z));
  EXPECT_TRUE(pickle_load(pickle_save(w)).toTensor().requires_grad());
  std::stringstream file;
  save(w, file);
  Tensor back;
  load(back, file);
  EXPECT_TRUE(back.equal(w));
  EXPECT_EQ(back.scalar_type(), kComplexFloat);
  const TemporaryFolder folder;
  expect_error<TypeError>("a dtype that safetensors has, got ComplexDouble", [&] {
    save_safetensors(folder.path("z.safetensors"), {{"z", z}});
  });
}

TEST(Complex, ArchivesKeepWhatSafetensorsHasNot) {
  const Tensor z = complex_numbers({2, 3}).set_requires_grad(true), one = complex_numbers({});
  std::stringstream file;
  save(std::vector<Tensor>{z, one, ones({2, 2}, kDouble), complex_numbers({0, 3}).t()}, file);
  std::vector<Tensor> back;
  load(back, file);
  ASSERT_EQ(back.size(), 4u);
  EXPECT_TENSOR_EQUAL(back[0].detach(), z.detach());
  EXPECT_TENSOR_EQUAL(back[1], one);
  EXPECT_EQ(back[2].scalar_type(), kDouble);
  EXPECT_EQ(back[3].sizes().vec(), (std::vector<int64_t>{3, 0}));
  std::stringstream single;
  save(z, single);
  Tensor w;
  load(w, single);
  EXPECT_TRUE(w.requires_grad());
  EXPECT_TENSOR_EQUAL(w.detach(), z.detach());
}

// ---------------------------------------------------------------- devices
TEST(Complex, OnDevices) {
  TAPER_NEEDS_DEVICES(1);
  const Device d = device_at(0);
  const Tensor a = a4(), b = b4(), x = a.to(d), y = b.to(d);
  EXPECT_TRUE((x * y + x / y).cpu().allclose(a * b + a / b));
  EXPECT_TRUE(x.exp().cpu().allclose(a.exp()));
  EXPECT_TRUE(x.abs().cpu().allclose(a.abs()));
  EXPECT_TRUE(x.to(kComplexFloat).cpu().equal(a.to(kComplexFloat)));
  EXPECT_TRUE(x.to(kDouble).cpu().equal(a.to(kDouble)));
  EXPECT_TRUE(real(x).to(kComplexDouble).cpu().equal(real(a).to(kComplexDouble)));
  EXPECT_TRUE(x.eq(y).cpu().equal(a.eq(b)));
  EXPECT_TRUE(
      mm(x.view({2, 2}), y.view({2, 2})).cpu().allclose(mm(a.view({2, 2}), b.view({2, 2}))));
  EXPECT_TRUE(x.view({2, 2}).t().contiguous().sum(0).cpu().allclose(a.view({2, 2}).sum(1)));
  EXPECT_TRUE(full({3}, C(1, 2), x.options()).cpu().equal(full({3}, C(1, 2), a.options())));
  const Tensor index = values({1, 1, 0}, kLong);
  const Tensor into = zeros({2}, kComplexDouble), from = complex_numbers({3});
  EXPECT_TRUE(into.to(d)
                  .index_add(0, index.to(d), from.to(d))
                  .cpu()
                  .allclose(into.index_add(0, index, from)));
}

// ---------------------------------------------------------------- rows longer than a vector
// Values of std::complex, which has other ways to compute them.
void expect_as_std(const Tensor& y, const Tensor& x, double tolerance,
                   std::complex<double> (*f)(std::complex<double>)) {
  const std::vector<double> got = values_of(view_as_real(y)), of = values_of(view_as_real(x));
  for (size_t i = 0; i < of.size(); i += 2) {
    const std::complex<double> want = f({of[i], of[i + 1]});
    const double error = std::abs(std::complex<double>(got[i], got[i + 1]) - want);
    ASSERT_TRUE(error <= tolerance * (std::abs(want) + 1e-3)) << i / 2 << ": " << want;
  }
}

TEST(ComplexRows, FunctionsOfLongAndStridedRows) {
  using Z = std::complex<double>;
  for (const ScalarType dtype : {kComplexFloat, kComplexDouble}) {
    const double e = dtype == kComplexFloat ? 1e-5 : 1e-13;
    for (const Tensor& x :
         {complex_numbers({1000}, dtype) * 3, complex_numbers({301, 3}, dtype).select(1, 1)}) {
      expect_as_std(x.exp(), x, e, [](Z z) { return std::exp(z); });
      expect_as_std(x.sigmoid(), x, e, [](Z z) { return 1.0 / (1.0 + std::exp(-z)); });
      expect_as_std(x.reciprocal(), x, e, [](Z z) { return 1.0 / z; });
      expect_as_std(x.square(), x, e, [](Z z) { return z * z; });
      expect_as_std(x.pow(2), x, e, [](Z z) { return z * z; });
      expect_as_std(x.sgn(), x, e, [](Z z) { return z / std::abs(z); });
      expect_as_std(conj(x) + -x, x, e, [](Z z) { return std::conj(z) - z; });
      expect_as_std((x * x - x) / x, x, 3 * e, [](Z z) { return z - 1.0; });
      expect_as_std(2 / x, x, e, [](Z z) { return 2.0 / z; });
      Tensor y = x.clone();
      y.mul_(y).div_(x);
      EXPECT_TRUE(y.allclose(x, 1e-5, 1e-6));
      EXPECT_TRUE(x.abs().square().allclose(real(x * conj(x)), 1e-5, 1e-6));
      EXPECT_TRUE(x.sum().allclose(complex(real(x).sum(), imag(x).sum()), 1e-4, 1e-4));
    }
  }
}

TEST(ComplexRows, NothingOverflowsOnTheWay) {
  const Tensor big = complex_values({1e30, 1e30, 0, -1e30, 1e-30, 0, 0, 0}, kComplexFloat);
  expect_close(big.div(big).slice(0, 0, 3), {1, 0, 1, 0, 1, 0}, 1e-6);
  expect_close(big.abs().div(1e30), {1.41421356, 1, 0, 0}, 1e-6);
  expect_close(complex_values({-200, 1, 200, 1}, kComplexFloat).sigmoid(), {0, 0, 1, 0}, 1e-6);
  const std::vector<double> zeroth = values_of(view_as_real(big[0] / big[3]));
  EXPECT_TRUE(std::isinf(zeroth[0]) && std::isinf(zeroth[1]));
  const Tensor real_line = complex_values({800, 0, 1, 0}).exp();
  EXPECT_EQ(values_of(imag(real_line)), (std::vector<double>{0, 0}));
}

// ---------------------------------------------------------------- long rows
// Vectors and a rest, into new memory and into an operand.
template <class T>
void expect_long_rows(ScalarType t, double tolerance) {
  const int64_t n = 397;
  const Tensor x = view_as_complex(sample_of({{n, 2}}, toRealValueType(t)).t[0].clone());
  const Tensor y = x.flip(0) + 0.5;
  const auto near = [&](const Tensor& z, auto f) {
    for (int64_t i = 0; i < n; ++i) {
      const auto at = [i](const Tensor& v) {
        const T* p = static_cast<const T*>(v.data_ptr()) + 2 * i;
        return std::complex<double>(p[0], p[1]);
      };
      const std::complex<double> expected = f(at(x), at(y));
      ASSERT_LE(std::abs(at(z) - expected), tolerance * (1 + std::abs(expected))) << i;
    }
  };
  const auto product = [](auto a, auto b) { return a * b; };
  near(x * y, product);
  near(x.clone().mul_(y), product);
  near(y.clone().mul_(x), product);
  near(x / y, [](auto a, auto b) { return a / b; });
  near(x.clone().div_(y), [](auto a, auto b) { return a / b; });
  near(y.clone().sub_(x), [](auto a, auto b) { return b - a; });
  near(reciprocal(x), [](auto a, auto) { return 1.0 / a; });
  near(sgn(x), [](auto a, auto) { return a / std::abs(a); });
  near(x.clone().sgn_(), [](auto a, auto) { return a / std::abs(a); });
  near(square(x), [](auto a, auto) { return a * a; });
  near(exp(x), [](auto a, auto) { return std::exp(a); });
  near(complex(real(x), imag(y)),
       [](auto a, auto b) { return std::complex<double>(a.real(), b.imag()); });
  near(complex(real(x).contiguous(), full({1}, 2, toRealValueType(t))),
       [](auto a, auto) { return std::complex<double>(a.real(), 2); });
}

TEST(ComplexLoops, LongRows) {
  expect_long_rows<float>(kComplexFloat, 1e-6);
  expect_long_rows<double>(kComplexDouble, 1e-14);
}

TEST(ComplexLoops, PartsBroadcast) {
  const Tensor re = counting({3, 1}), im = counting({1, 70});
  const Tensor z = complex(re, im);
  EXPECT_TRUE(equal(real(z).contiguous(), re.expand({3, 70}).contiguous()));
  EXPECT_TRUE(equal(imag(z).contiguous(), im.expand({3, 70}).contiguous()));
}

}  // namespace
}  // namespace torch::taper::testing
