// Ops of complex tensors in the harness: values against complex128 by the definition, devices,
// gradients, layouts.
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/index/scatter_reduce.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/reduce/covariance.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
#include "harness/samples.h"

namespace torch::taper::testing {
namespace {

using Z = std::complex<double>;

/// A case of complex numbers with the name of the op and "_complex".
OpCase complex_case(const std::string& op, std::function<std::vector<Args>(ScalarType)> samples,
                    std::function<Results(const Args&)> call,
                    std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = op + "_complex";
  c.dtypes = {kComplexFloat, kComplexDouble};
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  return c;
}

// ---------------------------------------------------------------------- pointwise
using ZUnary = Z (*)(Z);
using ZBinary = Z (*)(Z, Z);

OpCase unary(const std::string& name, Tensor (*op)(const Tensor&), ZUnary f) {
  return complex_case(
      name,
      [](ScalarType t) {
        return samples_of_one(t, {-1.3, 1.3});
      },
      [op](const Args& a) { return op(a.t[0]); },
      [f](const ArrayArgs& a) {
        Array y(a.t[0].sizes);
        for (int64_t i = 0; i < y.numel(); ++i) y.set_z(i, f(a.t[0].z(i)));
        return y;
      });
}

Z broadcast_z(const Array& a, const std::vector<int64_t>& index) {
  std::vector<int64_t> own(a.sizes.size());
  const size_t extra = index.size() - own.size();
  for (size_t d = 0; d < own.size(); ++d) own[d] = a.sizes[d] == 1 ? 0 : index[d + extra];
  return a.z(a.position(own));
}

OpCase binary(const std::string& name, Tensor (*op)(const Tensor&, const Tensor&), ZBinary f) {
  return complex_case(
      name,
      [](ScalarType t) {
        return samples_of_two(t, {-2, 2}, {0.3, 2});
      },
      [op](const Args& a) { return op(a.t[0], a.t[1]); },
      [f](const ArrayArgs& a) {
        Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
        for_each_index(y.sizes, [&](const std::vector<int64_t>& index) {
          y.set_z(y.position(index), f(broadcast_z(a.t[0], index), broadcast_z(a.t[1], index)));
        });
        return y;
      });
}

#define UNARY(f) \
  unary(         \
      #f, [](const Tensor& x) { return x.f(); }, [](Z z) { return std::f(z); })
#define BINARY(f, o) \
  binary(            \
      #f, [](const Tensor& x, const Tensor& y) { return x o y; }, [](Z x, Z y) { return x o y; })
TAPER_OP_CASES(complex_pointwise, {
  std::vector<OpCase> list = {UNARY(exp),     UNARY(sin),     UNARY(cos),    UNARY(sinh),
                              UNARY(cosh),    UNARY(tanh),    UNARY(conj),   BINARY(add, +),
                              BINARY(sub, -), BINARY(mul, *), BINARY(div, /)};
  OpCase& product = case_in(list, "mul_complex");
  product.inplace = [](const Args& a) { return a.t[0].mul_(a.t[1]); };
  product.out = [](Tensor& y, const Args& a) { return mul_out(y, a.t[0], a.t[1]); };
  case_in(list, "exp_complex").inplace = [](const Args& a) { return a.t[0].exp_(); };
  return list;
});
#undef UNARY
#undef BINARY

Z log_of_sum(Z x, Z y) {
  const Z low = x.real() < y.real() ? x : y, high = x.real() < y.real() ? y : x;
  return high + std::log(Z(1) + std::exp(low - high));
}

TAPER_OP_CASES(complex_near_one, {
  OpCase sum = binary(
      "logaddexp", [](const Tensor& x, const Tensor& y) { return logaddexp(x, y); }, &log_of_sum);
  sum.out = [](Tensor& y, const Args& a) { return logaddexp_out(y, a.t[0], a.t[1]); };
  OpCase power = unary(
      "exp2", [](const Tensor& x) { return x.exp2(); }, [](Z z) { return std::pow(Z(2), z); });
  power.inplace = [](const Args& a) { return a.t[0].exp2_(); };
  power.out = [](Tensor& y, const Args& a) { return exp2_out(y, a.t[0]); };
  return std::vector<OpCase>{power,
                             unary(
                                 "expm1", [](const Tensor& x) { return x.expm1(); },
                                 [](Z z) { return std::exp(z) - Z(1); }),
                             unary(
                                 "log1p", [](const Tensor& x) { return x.log1p(); },
                                 [](Z z) { return std::log(Z(1) + z); }),
                             sum};
});

TEST(ComplexOps, KeepWhatIsNearZeroOrInfinite) {
  const auto number = [](double re, double im) { return complex_values({re, im}); };
  const auto expect = [](const Tensor& z, double re, double im) {
    const auto got = values_of(view_as_real(z));
    EXPECT_DOUBLE_EQ(got[0], re);
    EXPECT_DOUBLE_EQ(got[1], im);
  };
  expect(number(1e-20, 1e-20).expm1(), 1e-20, 1e-20);
  expect(number(1e-20, 1e-20).log1p(), 1e-20, 1e-20);
  expect(number(1e300, 0).log1p(), std::log(1e300), 0);
  expect(logaddexp(number(1000, 1), number(1, 1)), 1000, 1);
  expect(logaddexp(number(-INFINITY, 0), number(-INFINITY, 0)), -INFINITY, 0);
  expect(logaddexp(number(-INFINITY, 0), number(INFINITY, 0)), INFINITY, 0);
  expect(logsumexp(complex_values({-INFINITY, 0, -INFINITY, 0}), {0}).view({1}), -INFINITY, 0);
  EXPECT_TRUE(logaddexp(number(NAN, 0), number(1, 0)).isnan().all().item<bool>());
}

Z addcmul_of(Z x, Z a, Z b) { return x + Z(0.5, -2) * a * b; }
Z addcdiv_of(Z x, Z a, Z b) { return x + Z(0.5, -2) * a / b; }

OpCase of_three(const std::string& name,
                Tensor (*op)(const Tensor&, const Tensor&, const Tensor&, const Scalar&),
                Z (*f)(Z, Z, Z)) {
  return complex_case(
      name,
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{2, 3}, {2, 3}, {2, 3}}, t, {0.3, 2}),
                                 sample_of({{2, 3}, {3}, {2, 1}}, t, {0.3, 2})};
      },
      [op](const Args& a) {
        return op(a.t[0], a.t[1], a.t[2], Scalar(numbers::complex<double>(0.5, -2)));
      },
      [f](const ArrayArgs& a) {
        Array y(a.t[0].sizes);
        for_each_index(y.sizes, [&](const std::vector<int64_t>& index) {
          y.set_z(y.position(index), f(broadcast_z(a.t[0], index), broadcast_z(a.t[1], index),
                                       broadcast_z(a.t[2], index)));
        });
        return y;
      });
}

TAPER_OP_CASES(complex_of_three, {
  OpCase product = of_three("addcmul", &addcmul, addcmul_of);
  product.inplace = [](const Args& a) {
    return a.t[0].addcmul_(a.t[1], a.t[2], Scalar(numbers::complex<double>(0.5, -2)));
  };
  OpCase quotient = of_three("addcdiv", &addcdiv, addcdiv_of);
  quotient.inplace = [](const Args& a) {
    return a.t[0].addcdiv_(a.t[1], a.t[2], Scalar(numbers::complex<double>(0.5, -2)));
  };
  return std::vector<OpCase>{product, quotient};
});

// ---------------------------------------------------------------------- products and sums
Arrays naive_matmul(const ArrayArgs& a) {
  const Array &x = a.t[0], &y = a.t[1];
  const int64_t rows = x.sizes[0], inner = x.sizes[1], columns = y.sizes[1];
  Array z({rows, columns});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      Z sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += x.z(r * inner + k) * y.z(k * columns + c);
      z.set_z(r * columns + c, sum);
    }
  return z;
}

Arrays naive_fft(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = x.size(-1);
  Array y(x.sizes);
  for (int64_t i = 0; i < y.numel(); ++i) {
    Z sum = 0;
    for (int64_t k = 0; k < n; ++k)
      sum +=
          x.z(i / n * n + k) * std::polar(1.0, -2 * M_PI * double(i % n) * double(k) / double(n));
    y.set_z(i, sum);
  }
  return y;
}

Arrays naive_sum(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = x.size(-1);
  Array y({x.sizes[0]});
  for (int64_t i = 0; i < x.numel(); ++i) y.set_z(i / n, y.z(i / n) + x.z(i));
  return y;
}

TAPER_OP_CASES(complex_sums, {
  const auto pairs = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{2, 3}, {3, 4}}, t, {-2, 2}), sample_of({{1, 1}, {1, 1}}, t, {-2, 2}),
        sample_of({{0, 3}, {3, 2}}, t, {-2, 2}), sample_of({{7, 33}, {33, 5}}, t, {-2, 2})};
  };
  const auto rows = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t, {-2, 2}), sample_of({{3, 1}}, t, {-2, 2}),
                             sample_of({{2, 33}}, t, {-2, 2})};
  };
  OpCase product = complex_case(
      "mm", pairs, [](const Args& a) { return a.t[0].mm(a.t[1]); }, naive_matmul);
  OpCase transform = complex_case(
      "fft", rows, [](const Args& a) { return fft::fft(a.t[0]); }, naive_fft);
  OpCase sum = complex_case(
      "sum", rows, [](const Args& a) { return a.t[0].sum(-1); }, naive_sum);
  product.tolerance = transform.tolerance = 10;
  return std::vector<OpCase>{product, transform, sum};
});

// ---------------------------------------------------------------------- scans and products
/// y[i] = f(y[i - 1], x[i]) along the last dimension, from `start`; only the last of them, or all.
Array running(const Array& x, Z start, Z (*f)(Z, Z), bool all) {
  const int64_t n = x.size(-1);
  Array y = x;
  for (int64_t i = 0; i < x.numel(); ++i) y.set_z(i, f(i % n ? y.z(i - 1) : start, x.z(i)));
  if (all) return y;
  Array last({x.sizes[0]});
  for (int64_t r = 0; r < last.numel(); ++r) last.set_z(r, n ? y.z(r * n + n - 1) : start);
  return last;
}
Z plus(Z a, Z b) { return a + b; }
Z times(Z a, Z b) { return a * b; }

TAPER_OP_CASES(complex_scans, {
  const auto rows = [](ScalarType t) {
    std::vector<Args> list = {sample_of({{2, 3}}, t, {-2, 2}), sample_of({{3, 1}}, t, {-2, 2}),
                              sample_of({{2, 7}}, t, {-1, 1})};
    Args with_zeros = sample_of({{3, 4}}, t, {-2, 2});
    for (int64_t i : {1, 4, 6})
      for (int part : {0, 1}) set_element(with_zeros.t[0], i, 0, part);
    list.push_back(with_zeros);
    return list;
  };
  const auto reference = [](Z start, Z (*f)(Z, Z), bool all) {
    return [=](const ArrayArgs& a) -> Arrays { return running(a.t[0], start, f, all); };
  };
  return std::vector<OpCase>{
      complex_case(
          "cumsum", rows, [](const Args& a) { return a.t[0].cumsum(1); }, reference(0, plus, true)),
      complex_case(
          "cumprod", rows, [](const Args& a) { return a.t[0].cumprod(1); },
          reference(1, times, true)),
      complex_case(
          "logcumsumexp",
          [](ScalarType t) {  // apart from where the logarithm jumps
            return std::vector<Args>{sample_of({{2, 7}}, t, {-0.3, 0.3})};
          },
          [](const Args& a) { return a.t[0].logcumsumexp(1); },
          reference(-INFINITY, log_of_sum, true)),
      complex_case(
          "logsumexp", rows, [](const Args& a) { return a.t[0].logsumexp({1}); },
          [](const ArrayArgs& a) -> Arrays {
            Array e = a.t[0];
            for (int64_t i = 0; i < e.numel(); ++i) e.set_z(i, std::exp(e.z(i)));
            Array y = running(e, 0, plus, false);
            for (int64_t i = 0; i < y.numel(); ++i) y.set_z(i, std::log(y.z(i)));
            return y;
          }),
      complex_case(
          "prod", rows, [](const Args& a) { return a.t[0].prod(1); }, reference(1, times, false))};
});

// ---------------------------------------------------------------------- indices
/// A (3 x 4), B of the same sizes, and the columns that B's go to.
std::vector<Args> placed(ScalarType t, const std::vector<double>& columns) {
  Args a = sample_of({{3, 4}, {3, 4}}, t, {-2, 2});
  a.t.push_back(tensor_of({3, 4}, columns, kLong));
  return {a};
}
std::vector<Args> places(ScalarType t) {
  return placed(t, {0, 2, 2, 1, 3, 3, 3, 0, 1, 0, 2, 3});  // some twice
}
/// No place twice: PyTorch leaves open which one wins.
std::vector<Args> own_places(ScalarType t) {
  return placed(t, {0, 2, 1, 3, 3, 1, 2, 0, 1, 0, 2, 3});
}
int64_t place_of(const ArrayArgs& a, int64_t i) {
  return i / 4 * 4 + static_cast<int64_t>(a.t[2].v[i]);
}
Arrays put(const ArrayArgs& a, bool add) {
  Array y = a.t[0];
  for (int64_t i = 0; i < 12; ++i)
    y.set_z(place_of(a, i), (add ? y.z(place_of(a, i)) : Z(0)) + a.t[1].z(i));
  return y;
}
Arrays multiplied(const ArrayArgs& a) {
  Array y = a.t[0];
  for (int64_t i = 0; i < 12; ++i) y.set_z(place_of(a, i), y.z(place_of(a, i)) * a.t[1].z(i));
  return y;
}
/// None of the factors of one place is 0, one is, two are.
std::vector<Args> places_with_zeros() {
  std::vector<Args> list;
  for (int64_t zeros = 0; zeros < 3; ++zeros) {
    Args a = places(kComplexDouble)[0];
    for (int64_t k = 0; k < zeros; ++k) a.t[1][1][k].zero_();  // the second row's go to column 3
    list.push_back(a);
  }
  return list;
}

TAPER_OP_CASES(complex_indices, {
  OpCase add = complex_case(
      "scatter_add", places, [](const Args& a) { return a.t[0].scatter_add(1, a.t[2], a.t[1]); },
      [](const ArrayArgs& a) { return put(a, true); });
  add.inplace = [](const Args& a) { return a.t[0].scatter_add_(1, a.t[2], a.t[1]); };
  OpCase copy = complex_case(
      "scatter", own_places, [](const Args& a) { return a.t[0].scatter(1, a.t[2], a.t[1]); },
      [](const ArrayArgs& a) { return put(a, false); });
  OpCase multiply = complex_case(
      "scatter_multiply", places,
      [](const Args& a) { return a.t[0].scatter(1, a.t[2], a.t[1], "multiply"); }, multiplied);
  multiply.inplace = [](const Args& a) { return a.t[0].scatter_(1, a.t[2], a.t[1], "multiply"); };
  multiply.gradient_samples = places_with_zeros;
  OpCase product = complex_case(
      "scatter_reduce_prod", places,
      [](const Args& a) { return scatter_reduce(a.t[0], 1, a.t[2], a.t[1], "prod"); }, multiplied);
  OpCase multiply_value = complex_case(
      "scatter_multiply_value", places,
      [](const Args& a) {
        return a.t[0].scatter(1, a.t[2], Scalar(numbers::complex<double>(1, 2)), "multiply");
      },
      [](ArrayArgs a) {
        for (int64_t i = 0; i < 12; ++i) a.t[1].set_z(i, {1, 2});
        return multiplied(a);
      });
  multiply_value.inputs_without_gradient = {1};
  OpCase gathered = complex_case(
      "gather", places, [](const Args& a) { return a.t[0].gather(1, a.t[2]); },
      [](const ArrayArgs& a) {
        Array y({3, 4});
        for (int64_t i = 0; i < 12; ++i) y.set_z(i, a.t[0].z(place_of(a, i)));
        return Arrays(y);
      });
  gathered.inputs_without_gradient = {1};
  return std::vector<OpCase>{add, copy, multiply, product, multiply_value, gathered};
});

// ---------------------------------------------------------------------- variance
Arrays naive_variance(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = x.size(-1);
  Array y({x.sizes[0]});
  for (int64_t r = 0; r < y.numel(); ++r) {
    Z mean = 0;
    for (int64_t k = 0; k < n; ++k) mean += x.z(r * n + k) / double(n);
    for (int64_t k = 0; k < n; ++k) y.v[r] += std::norm(x.z(r * n + k) - mean) / double(n - 1);
  }
  return y;
}

TAPER_OP_CASES(complex_statistics, {
  OpCase c = complex_case(
      "var",
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{2, 5}}, t, {-2, 2})};
      },
      [](const Args& a) { return a.t[0].var(1); }, naive_variance);
  c.result_dtype = [](ScalarType t) { return toRealValueType(t); };
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------------- what else takes them
TEST(ComplexOps, TakeThemAsPyTorchDoes) {
  const Tensor z = complex_values({1, 2, 3, -1, -1, -0.5, 0, 0}), w = z.flip(0);
  expect_close(z.cumprod(0), {1, 2, 5, 5, -2.5, -7.5, 0, 0});
  expect_close(z.slice(0, 0, 3).prod(), {-2.5, -7.5});
  expect_close(complex_values({}).prod(), {1, 0});
  expect_close(z.nonzero().to(kDouble), {0, 1, 2});
  expect_close(z.logical_and(w).to(kDouble), {0, 1, 1, 0});
  expect_close(z.logical_or(w).to(kDouble), {1, 1, 1, 1});
  expect_close(z.std() * z.std(), {4.645833333333333});
  expect_close(std::get<1>(var_mean(z, true)), {0.75, 0.125});
  expect_close(lerp(z, z * 2, 0.5), {1.5, 3, 4.5, -1.5, -1.5, -0.75, 0, 0});
  expect_close(float_power(z, 2), {-3, 4, 8, -6, 0.75, 1, 0, 0});
  expect_close(addcdiv(z, z, z + 3, 2).slice(0, 0, 1), {1.8, 2.6});
  const Tensor x = complex_values({1, 1, 2, 0, 0, 3, 1, -1}).view({2, 2});
  const Tensor c = cov(x);
  EXPECT_TENSOR_CLOSE(c, c.mH());
  expect_close(c, {1, 0, 2.5, 1.5, 2.5, -1.5, 8.5, 0});
  expect_close(corrcoef(x)[0], {1, 0, 0.8574929257125442, 0.5144957554275266});
  const Tensor index = tensor_of({2}, {1, 1}, kLong);
  expect_close(zeros({2}, kComplexDouble).scatter(0, index, Scalar(numbers::complex<double>(1, 2))),
               {0, 0, 1, 2});
  expect_close(z[0].scatter_add(0, tensor_of({}, {0}, kLong), z[1]), {4, 1});
  expect_close(z[0].cumsum(0), {1, 2});
  expect_close(linear(z.view({2, 2}), x, w.slice(0, 2, 4)), {8, 0, -3, 1, 2.5, -2.5, 2.5, -1});
}

// Expected values are PyTorch 1.13's.
TEST(ComplexOps, RarerOnesTakeThem) {
  const Tensor z = complex_values({1, 2, 0, 0, 3, -1, 0.5, 0.5}), w = z.flip(0);
  expect_close(sinc(z.slice(0, 0, 2)), {-34.09033869939482, -17.045169349697414, 1, 0});
  expect_close(lerp(z, w, w * 0.25).slice(0, 0, 2), {1.125, 1.75, 2, -1.5});
  expect_close(lerp(z, w, Scalar(numbers::complex<double>(0.5, 1))).slice(0, 0, 2),
               {2.25, 0.75, 2.5, 2.5});
  expect_close(gradient(z)[0], {-1, -2, 1, -1.5, 0.25, 0.25, -2.5, 1.5});
  expect_close(silu(z).slice(0, 0, 1), {0.21453795200909556, 2.4462694344259037});
  const Tensor square = z.view({2, 2});
  const Tensor condition = linalg::cond(square, Scalar(1));
  EXPECT_EQ(condition.scalar_type(), kDouble);
  expect_close(condition, {13.21090483770944});
  const Tensor image = z.view({1, 2, 2});
  expect_close(im2col(image, {1, 2}, {1, 1}, {0, 0}, {1, 1}).flatten(),
               {1, 2, 3, -1, 0, 0, 0.5, 0.5});
  expect_close(
      col2im(im2col(image, {2, 1}, {1, 1}, {1, 0}, {1, 1}), {2, 2}, {2, 1}, {1, 1}, {1, 0}, {1, 1})
          .flatten(),
      {2, 4, 0, 0, 6, -2, 1, 1});
  expect_close(adaptive_avg_pool1d(image, 1).flatten(), {0.5, 1, 1.75, -0.25});
}

TEST(ComplexOps, GradientsOfRarerOnes) {
  const Tensor z = complex_numbers({2, 3}), w = complex_numbers({2, 3}).flip({0, 1});
  check_gradient_at([](const Tensor& x) { return sinc(x); }, z);
  check_gradient_at([](const Tensor& x) { return silu(x); }, z);
  check_gradient_at([&](const Tensor& x) { return lerp(x, w, w); }, z);
  check_gradient_at([&](const Tensor& x) { return lerp(w, x, w); }, z);
  check_gradient_at([&](const Tensor& x) { return lerp(z, w, x); }, z);
  check_gradient_at([](const Tensor& x) { return gradient(x)[0]; }, z);
  check_gradient_at(
      [](const Tensor& x) {
        Tensor y = x.clone();
        return silu_(y);
      },
      z);
  check_gradient_at(
      [](const Tensor& x) {
        return im2col(x.unsqueeze(0), {1, 2}, {1, 1}, {0, 0}, {1, 1});
      },
      z);
}

// PyTorch 1.13's numbers: the mean is that of each part.
TEST(ComplexOps, NormalNumbersHaveTheMeanInBothParts) {
  manual_seed(0);
  expect_close(zeros({2}, kComplexDouble).normal_(1, 2), {3.1793, 0.5850, -2.0813, 1.8039}, 1e-4);
}

TEST(ComplexOps, FunctionsOfRealNumbersRefuseThem) {
  const Tensor z = complex_values({1, 2});
  expect_error<NotImplementedError>("\"lgamma\" not implemented for 'ComplexDouble'",
                                    [&] { lgamma(z); });
  expect_error<NotImplementedError>("\"digamma\" not implemented for 'ComplexDouble'",
                                    [&] { digamma(z); });
  expect_error<NotImplementedError>("\"special_entr\" not implemented for 'ComplexDouble'",
                                    [&] { special::entr(z); });
  expect_error("deg2rad is not supported for complex tensors.", [&] { deg2rad(z); });
}

TEST(ComplexOps, Linspace) {
  const Tensor y = linspace(Scalar(numbers::complex<double>(1, 2)), 2, 3);
  EXPECT_EQ(y.scalar_type(), kComplexFloat);
  expect_close(y, {1, 2, 1.5, 1, 2, 0});
  expect_close(linspace(0, 1, 3, kComplexDouble), {0, 0, 0.5, 0, 1, 0});
  expect_error<Error>("can't be safely cast to passed dtype",
                      [] { linspace(Scalar(numbers::complex<double>(1, 2)), 2, 3, kFloat); });
}

// The convolution with a kernel of one element is a product, a longer one is a sum of shifted ones.
TEST(ComplexOps, Convolutions) {
  const Tensor x = complex_numbers({2, 3, 6}), w = complex_numbers({4, 3, 2}),
               b = complex_numbers({4});
  Tensor want = b.view({4, 1}).expand({2, 4, 5});
  for (int64_t k = 0; k < 2; ++k) want = want + matmul(w.select(2, k), x.slice(2, k, k + 5));
  EXPECT_TENSOR_CLOSE(conv1d(x, w, b), want);
  const Tensor g = complex_numbers({2, 4, 5});
  // The transposed one is the adjoint of the one with the conjugated kernel.
  const Tensor turned = conv_transpose1d(g, w.conj());
  EXPECT_TENSOR_CLOSE((turned.conj() * x).sum(), (g.conj() * conv1d(x, w)).sum());
  const Tensor image = complex_numbers({1, 2, 4, 4}), kernel = complex_numbers({2, 1, 3, 3});
  check_gradient_at([&](const Tensor& t) { return conv2d(t, kernel, {}, 1, 1, 1, 2); }, image);
  check_gradient_at([&](const Tensor& t) { return conv2d(image, t, {}, 1, 1, 1, 2); }, kernel);
  check_gradient_at([&](const Tensor& t) { return conv1d(x, w, t, 2); }, b);
  check_gradient_at([&](const Tensor& t) { return conv_transpose1d(t, w, {}, 2); }, g);
}

TEST(ComplexOps, RefuseWhatHasNoOrder) {
  const Tensor z = complex_values({1, 2, 3, -1});
  expect_error<Error>("maximum not implemented for complex tensors.", [&] { maximum(z, z); });
  expect_error<Error>("nansum does not support complex inputs", [&] { nansum(z); });
  expect_error<NotImplementedError>("\"lt_cpu\" not implemented for 'ComplexDouble'",
                                    [&] { z.lt(z); });
  expect_error<NotImplementedError>("not implemented for 'ComplexDouble'", [&] { z.sort(); });
  expect_error<Error>("clamp is not supported for complex types", [&] { z.clamp(0, 1); });
  expect_error<Error>("max(): does not support complex input", [&] { z.max(0); });
}

}  // namespace
}  // namespace torch::taper::testing
