// Cases of the ops of ops/elementwise/binary.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include <taper/framework/kernel/op_lists.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/shared/element_moves.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

constexpr Range kAny{-3, 3};
constexpr Range kPositive{0.3, 3};
constexpr Range kWhole{-9, 9};

/// Of two tensors: x.name(y) and name_out(z, x, y).
#define TENSORS(name, first, second, ...)                                           \
  [&] {                                                                             \
    OpCase c = binary_case(                                                         \
        #name, [](const Tensor& x, const Tensor& y) { return name(x, y); },         \
        [](double x, double y) -> double { return __VA_ARGS__; }, first, second);   \
    c.out = [](Tensor& z, const Args& a) { return name##_out(z, a.t[0], a.t[1]); }; \
    return c;                                                                       \
  }()
/// With the in-place form x.name_(y) too.
#define TENSORS_INPLACE(name, ...)                                    \
  [&] {                                                               \
    OpCase c = TENSORS(name, __VA_ARGS__);                            \
    c.inplace = [](const Args& a) { return a.t[0].name##_(a.t[1]); }; \
    return c;                                                         \
  }()

/// The number of a call: an integer where it is whole.
Scalar number_of(const Args& a) {
  const double v = a.d[0];
  return v == std::floor(v) ? Scalar(static_cast<int64_t>(v)) : Scalar(v);
}

/// A tensor and each of some numbers; fractions only beside floating tensors.
OpCase with_numbers(std::string name, Range range, std::vector<double> numbers, Binary f) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt};
  c.samples = [=](ScalarType dtype) {
    std::vector<Args> list;
    for (double v : numbers)
      for (const std::vector<int64_t>& sizes :
           std::vector<std::vector<int64_t>>{{}, {0, 3}, {5}, {33}, {2, 3, 4}, {1025}})
        if (isFloatingType(dtype) || v == std::floor(v))
          list.push_back(sample_of({sizes}, dtype, range, {}, {v}));
    return list;
  };
  c.reference = [f](const ArrayArgs& a) {
    Array y = a.t[0];
    for (double& v : y.v) v = f(v, a.d[0]);
    return y;
  };
  return c;
}

using Numbers = std::vector<double>;

/// x.name(2), x.name_(2), name_out(z, x, 2).
#define NUMBER(name, range, numbers, ...)                                                 \
  [&] {                                                                                   \
    OpCase c = with_numbers(#name "_number", range, numbers,                              \
                            [](double x, double y) -> double { return __VA_ARGS__; });    \
    c.call = [](const Args& a) { return name(a.t[0], number_of(a)); };                    \
    c.inplace = [](const Args& a) { return a.t[0].name##_(number_of(a)); };               \
    c.out = [](Tensor& z, const Args& a) { return name##_out(z, a.t[0], number_of(a)); }; \
    return c;                                                                             \
  }()
/// name(2, y), name_out(z, 2, y): x is the number, y the tensor.
#define NUMBER_FIRST(name, range, numbers, ...)                                           \
  [&] {                                                                                   \
    OpCase c = with_numbers("number_" #name, range, numbers,                              \
                            [](double y, double x) -> double { return __VA_ARGS__; });    \
    c.call = [](const Args& a) { return name(number_of(a), a.t[0]); };                    \
    c.out = [](Tensor& z, const Args& a) { return name##_out(z, number_of(a), a.t[0]); }; \
    return c;                                                                             \
  }()
/// An operator with a number first.
#define OPERATOR(name, symbol, range)                                       \
  [&] {                                                                     \
    OpCase c = with_numbers(name, range, Numbers{2, -1.25},                 \
                            [](double y, double x) { return x symbol y; }); \
    c.call = [](const Args& a) { return number_of(a) symbol a.t[0]; };      \
    return c;                                                               \
  }()

OpCase of_floats(OpCase c) {
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  return c;
}
OpCase to_float(OpCase c) {
  c.result_dtype = float_result;
  return c;
}
OpCase tolerant(OpCase c, double factor) {
  c.tolerance = factor;
  return c;
}

/// Two operands on grids that never meet: a finite difference must not step over a tie.
OpCase without_ties(OpCase c) {
  c.gradient_samples = [all = c.samples] {
    std::vector<Args> list = all(kDouble);
    for (Args& a : list)
      for (size_t i = 0; i < a.t.size(); ++i) {
        Array values = to_array(a.t[i]);
        for (double& v : values.v) v = std::floor(v * 8) / 8 + 0.0625 * static_cast<double>(i);
        a.t[i] = to_tensor(values, kDouble);
      }
    return list;
  };
  return c;
}

TAPER_OP_CASES(binary_arithmetic, {
  return std::vector<OpCase>{
      TENSORS_INPLACE(add, kAny, kAny, x + y),
      TENSORS_INPLACE(sub, kAny, kAny, x - y),
      TENSORS_INPLACE(mul, kAny, kAny, x * y),
      to_float(TENSORS_INPLACE(div, kAny, kPositive, x / y)),
      TENSORS(rsub, kAny, kAny, y - x),
      tolerant(of_floats(TENSORS_INPLACE(pow, kPositive, kAny, std::pow(x, y))), 4),
      to_float(TENSORS_INPLACE(atan2, kAny, kPositive, std::atan2(x, y))),
      to_float(TENSORS_INPLACE(copysign, kAny, kAny, std::copysign(x, y))),
      without_ties(TENSORS(maximum, kAny, kAny, std::max(x, y))),
      without_ties(TENSORS(minimum, kAny, kAny, std::min(x, y))),
  };
});

TAPER_OP_CASES(binary_arithmetic_with_numbers, {
  const Numbers any{2, -3, 0.75}, exponents{2, 0, 1, 3, 0.5, -0.5, -1, -2, 1.75};
  OpCase rsub_number =
      with_numbers("rsub_number", kAny, any, [](double x, double y) { return y - x; });
  rsub_number.call = [](const Args& a) { return rsub(a.t[0], number_of(a)); };
  rsub_number.out = [](Tensor& z, const Args& a) { return rsub_out(z, a.t[0], number_of(a)); };
  return std::vector<OpCase>{
      NUMBER(add, kAny, any, x + y),
      NUMBER(sub, kAny, any, x - y),
      NUMBER(mul, kAny, any, x * y),
      to_float(NUMBER(div, kAny, any, x / y)),
      rsub_number,
      tolerant(of_floats(NUMBER(pow, kPositive, exponents, std::pow(x, y))), 4),
      tolerant(of_floats(NUMBER_FIRST(pow, kAny, (Numbers{2, 0.75}), std::pow(x, y))), 4),
      to_float(NUMBER(copysign, kAny, any, std::copysign(x, y))),
      OPERATOR("number_minus", -, kAny),
      of_floats(OPERATOR("number_over", /, kPositive)),
  };
});

/// Rows of whole packs of 16 bytes, for which CUDA has kernels: operands that repeat along rows, or
/// from row to row.
OpCase of_rows(OpCase c) {
  c.name += "_rows";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType dtype) {
    const std::vector<std::vector<std::vector<int64_t>>> all = {{{3, 8}, {8}},
                                                                {{2, 3, 16}, {3, 1}},
                                                                {{4, 1}, {4, 24}},
                                                                {{2, 1, 8}, {2, 3, 8}},
                                                                {{5, 1}, {8}}};
    std::vector<Args> list;
    for (const auto& sizes : all) list.push_back(sample_of(sizes, dtype, kPositive));
    return list;
  };
  return c;
}

TAPER_OP_CASES(binary_rows, {
  return std::vector<OpCase>{
      of_rows(TENSORS_INPLACE(add, kAny, kAny, x + y)),
      of_rows(TENSORS_INPLACE(sub, kAny, kAny, x - y)),
      of_rows(TENSORS_INPLACE(mul, kAny, kAny, x * y)),
      of_rows(TENSORS_INPLACE(div, kAny, kAny, x / y)),
      of_rows(without_ties(TENSORS(maximum, kAny, kAny, std::max(x, y)))),
      of_rows(TENSORS_INPLACE(atan2, kAny, kAny, std::atan2(x, y))),
      of_rows(tolerant(TENSORS_INPLACE(pow, kPositive, kAny, std::pow(x, y)), 4))};
});

/// f32 beside 16-bit floats, which the operand of this index has. (Gradients are checked in f64.)
OpCase beside_narrow(OpCase c, std::string name, size_t operand, ScalarType narrow) {
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble};
  c.samples = [any = c.samples, operand, narrow](ScalarType dtype) {
    std::vector<Args> list;
    for (Args& a : any(dtype)) {
      // (A tensor of no dimensions beside others does not decide the dtype.)
      if (a.t[0].dim() == 0 || a.t[1].dim() == 0) continue;
      if (dtype == kFloat) a.t[operand] = to_tensor(to_array(a.t[operand]), narrow);
      list.push_back(a);
    }
    return list;
  };
  if (operand == 0) c.inplace = {};
  return c;
}

TAPER_OP_CASES(binary_narrow, {
  const OpCase sum = TENSORS_INPLACE(add, kAny, kAny, x + y);
  return std::vector<OpCase>{beside_narrow(sum, "add_bf16_to_f32", 1, kBFloat16),
                             beside_narrow(sum, "add_f32_to_f16", 0, kHalf)};
});

/// alpha and rounding_mode: further arguments of arithmetic.
OpCase with_alpha(const char* name, Tensor (*op)(const Tensor&, const Tensor&, const Scalar&),
                  Tensor& (Tensor::*inplace)(const Tensor&, const Scalar&) const,
                  Tensor& (*out)(Tensor&, const Tensor&, const Tensor&, const Scalar&), Binary f) {
  OpCase c = binary_case(
      name, [op](const Tensor& x, const Tensor& y) { return op(x, y, 3); }, f, kAny, kAny);
  if (inplace) c.inplace = [inplace](const Args& a) { return (a.t[0].*inplace)(a.t[1], 3); };
  c.out = [out](Tensor& z, const Args& a) { return out(z, a.t[0], a.t[1], 3); };
  return c;
}

TAPER_OP_CASES(binary_alpha, {
  return std::vector<OpCase>{
      with_alpha("add_alpha", &add, &Tensor::add_, &add_out,
                 [](double x, double y) { return x + 3 * y; }),
      with_alpha("sub_alpha", &sub, &Tensor::sub_, &sub_out,
                 [](double x, double y) { return x - 3 * y; }),
      with_alpha("rsub_alpha", &rsub, nullptr, &rsub_out,
                 [](double x, double y) { return y - 3 * x; }),
  };
});

/// Quotients and remainders jump where x is a multiple of y: whole numbers, so that both sides jump
/// alike, and gradients away from the jumps.
OpCase of_whole_numbers(OpCase c) {
  c.dtypes = {kLong, kInt, kFloat, kDouble};
  const auto any = c.samples;
  c.samples = [any](ScalarType dtype) {
    std::vector<Args> list = any(kLong);
    for (Args& a : list)
      for (Tensor& t : a.t) t = to_tensor(to_array(t), dtype);
    return list;
  };
  c.gradient_samples = [numbers = any(kLong)[0].d] {
    Random random(9);
    Array x({7}), y({7});
    for (double& v : x.v) v = static_cast<double>(random.integer(-9, 9)) + 0.4;
    for (double& v : y.v) v = static_cast<double>(random.integer(1, 4)) + 0.03;
    if (!numbers.empty()) return std::vector<Args>{{{to_tensor(x, kDouble)}, {}, numbers}};
    return std::vector<Args>{{{to_tensor(x, kDouble), to_tensor(y, kDouble)}}};
  };
  return c;
}

/// The forms of div and of divide with a rounding mode, of two tensors.
OpCase rounded(std::string name, const char* mode, Binary f) {
  OpCase c = binary_case(
      std::move(name), [mode](const Tensor& x, const Tensor& y) { return div(x, y, mode); }, f,
      kWhole, Range{1, 4});
  c.inplace = [mode](const Args& a) { return a.t[0].div_(a.t[1], mode); };
  c.out = [mode](Tensor& z, const Args& a) { return div_out(z, a.t[0], a.t[1], mode); };
  return of_whole_numbers(c);
}
OpCase rounded_by_number(std::string name, const char* mode, Binary f) {
  OpCase c = with_numbers(std::move(name), kWhole, {4, -3}, f);
  c.call = [mode](const Args& a) { return div(a.t[0], number_of(a), mode); };
  c.inplace = [mode](const Args& a) { return a.t[0].div_(number_of(a), mode); };
  c.out = [mode](Tensor& z, const Args& a) { return div_out(z, a.t[0], number_of(a), mode); };
  return of_whole_numbers(c);
}

OpCase refusing(OpCase c) {
  c.differentiable = false;
  c.refuses_gradient = true;
  return c;
}

double floored(double x, double y) { return x - y * std::floor(x / y); }

TAPER_OP_CASES(binary_division, {
  const Range divisor{1, 4};
  const Numbers numbers{4, -3};
  return std::vector<OpCase>{
      rounded("div_floor", "floor", [](double x, double y) { return std::floor(x / y); }),
      rounded("div_trunc", "trunc", [](double x, double y) { return std::trunc(x / y); }),
      rounded_by_number("div_floor_number", "floor",
                        [](double x, double y) { return std::floor(x / y); }),
      rounded_by_number("div_trunc_number", "trunc",
                        [](double x, double y) { return std::trunc(x / y); }),
      refusing(of_whole_numbers(TENSORS_INPLACE(floor_divide, kWhole, divisor, std::floor(x / y)))),
      refusing(of_whole_numbers(NUMBER(floor_divide, kWhole, numbers, std::floor(x / y)))),
      of_whole_numbers(TENSORS_INPLACE(remainder, kWhole, divisor, floored(x, y))),
      of_whole_numbers(NUMBER(remainder, kWhole, numbers, floored(x, y))),
      of_whole_numbers(NUMBER_FIRST(remainder, divisor, numbers, floored(x, y))),
      of_whole_numbers(TENSORS_INPLACE(fmod, kWhole, divisor, std::fmod(x, y))),
      of_whole_numbers(NUMBER(fmod, kWhole, numbers, std::fmod(x, y))),
  };
});

/// Bool results from small whole numbers, so that equal ones occur.
OpCase test_of(OpCase c) {
  c.result_dtype = bool_result;
  c.differentiable = false;
  c.dtypes.push_back(kBool);
  const auto any = c.samples;
  c.samples = [any](ScalarType dtype) {
    std::vector<Args> list = any(dtype == kBool ? kBool : kLong);
    for (Args& a : list)
      for (Tensor& t : a.t) t = to_tensor(to_array(t), dtype);
    return list;
  };
  return c;
}

TAPER_OP_CASES(binary_compare, {
  const Range few{0, 2}, truth{0, 1};
  const Numbers one{1};
  return std::vector<OpCase>{
      test_of(TENSORS_INPLACE(eq, few, few, x == y)),
      test_of(TENSORS_INPLACE(ne, few, few, x != y)),
      test_of(TENSORS_INPLACE(lt, few, few, x < y)),
      test_of(TENSORS_INPLACE(le, few, few, x <= y)),
      test_of(TENSORS_INPLACE(gt, few, few, x > y)),
      test_of(TENSORS_INPLACE(ge, few, few, x >= y)),
      of_rows(test_of(TENSORS_INPLACE(lt, few, few, x < y))),
      test_of(NUMBER(eq, few, one, x == y)),
      test_of(NUMBER(ne, few, one, x != y)),
      test_of(NUMBER(lt, few, one, x < y)),
      test_of(NUMBER(le, few, one, x <= y)),
      test_of(NUMBER(gt, few, one, x > y)),
      test_of(NUMBER(ge, few, one, x >= y)),
      test_of(TENSORS_INPLACE(logical_and, truth, truth, x != 0 && y != 0)),
      test_of(TENSORS_INPLACE(logical_or, truth, truth, x != 0 || y != 0)),
      test_of(TENSORS_INPLACE(logical_xor, truth, truth, (x != 0) != (y != 0))),
  };
});

OpCase of_integers(OpCase c) {
  c.dtypes = {kLong, kInt, kShort, kByte};
  c.differentiable = false;
  return c;
}

#define BITS(symbol) static_cast<double>(static_cast<int64_t>(x) symbol static_cast<int64_t>(y))

TAPER_OP_CASES(binary_bits, {
  const Range byte{0, 100};
  const Numbers numbers{5, 96};
  return std::vector<OpCase>{
      of_integers(TENSORS_INPLACE(bitwise_and, byte, byte, BITS(&))),
      of_integers(TENSORS_INPLACE(bitwise_or, byte, byte, BITS(|))),
      of_integers(TENSORS_INPLACE(bitwise_xor, byte, byte, BITS(^))),
      of_integers(NUMBER(bitwise_and, byte, numbers, BITS(&))),
      of_integers(NUMBER(bitwise_or, byte, numbers, BITS(|))),
      of_integers(NUMBER(bitwise_xor, byte, numbers, BITS(^))),
      of_integers(NUMBER_FIRST(bitwise_and, byte, numbers, BITS(&))),
      of_integers(NUMBER_FIRST(bitwise_or, byte, numbers, BITS(|))),
      of_integers(NUMBER_FIRST(bitwise_xor, byte, numbers, BITS(^))),
  };
});

// ---------------------------------------------------------------------- second names
const Tensor& sample(int which) {
  static const std::vector<Tensor> list = [] {
    Random random(4);
    const Tensor x = random_tensor({2, 3}, kDouble, kPositive, random);
    return std::vector<Tensor>{x, random_tensor({3}, kDouble, kPositive, random)};
  }();
  return list[static_cast<size_t>(which)];
}

#define EXPECT_SAME(alias, name, ...)                                               \
  {                                                                                 \
    const Tensor &x = sample(0), y = sample(1);                                     \
    Tensor own = x.clone(), z = x.clone(), want = name(__VA_ARGS__).to(kDouble);    \
    EXPECT_EQ(to_array(alias(__VA_ARGS__)).v, to_array(want).v) << #alias;          \
    EXPECT_EQ(to_array(alias##_out(z, __VA_ARGS__)).v, to_array(want).v) << #alias; \
    EXPECT_TRUE(y.defined() && own.defined());                                      \
  }
#define EXPECT_SAME_METHOD(alias, name, ...)                                      \
  {                                                                               \
    const Tensor &x = sample(0), &y = sample(1);                                  \
    const std::vector<double> want = to_array(x.name(__VA_ARGS__).to(kDouble)).v; \
    EXPECT_EQ(to_array(x.alias(__VA_ARGS__)).v, want) << #alias;                  \
    EXPECT_EQ(to_array(x.clone().alias##_(__VA_ARGS__)).v, want) << #alias "_";   \
    EXPECT_TRUE(y.defined());                                                     \
  }
#define EXPECT_ALIAS(alias, name)    \
  EXPECT_SAME(alias, name, x, y)     \
  EXPECT_SAME(alias, name, x, 2)     \
  EXPECT_SAME_METHOD(alias, name, y) \
  EXPECT_SAME_METHOD(alias, name, 2)

TEST(BinaryForms, SecondNamesAreTheSameFunctions){
    TAPER_BINARY_ALIASES(EXPECT_ALIAS) EXPECT_ALIAS(subtract, sub) EXPECT_SAME(arctan2, atan2, x, y)
        EXPECT_SAME_METHOD(arctan2, atan2, y) EXPECT_SAME(subtract, sub, x, y, 3)
            EXPECT_SAME_METHOD(subtract, sub, 2, 3) EXPECT_SAME(divide, div, x, y, "floor")
                EXPECT_SAME(divide, div, x, 2, "trunc") EXPECT_SAME_METHOD(divide, div, y, "trunc")
                    EXPECT_SAME_METHOD(divide, div, 2, "floor")}

TEST(BinaryForms, NothingMayBeDividedByZero) {
  const Tensor nothing = empty({0}, kInt), zero = zeros({1}, kInt);
  for (const Tensor& y : {floor_divide(nothing, zero), remainder(nothing, zero),
                          fmod(nothing, zero), floor_divide(nothing, Scalar(0))})
    expect_values(y, {0}, {});
}

TEST(BinaryForms, OperatorsTakeNumbersOnEitherSide) {
  Tensor x = to_tensor(Array({2}, 6), kLong);
  EXPECT_EQ(to_array(x & 3).v[0], 2);
  EXPECT_EQ(to_array(8 | x).v[0], 14);
  EXPECT_EQ(to_array(x ^ 5).v[0], 3);
  EXPECT_EQ(to_array(x.__and__(3)).v[0], 2);
  EXPECT_EQ(to_array(x.__lshift__(1)).v[0], 2 * to_array(x).v[0]);
  EXPECT_EQ(to_array(x.__lshift__(x.eq(x).to(x.scalar_type())).__rshift__(1)).v, to_array(x).v);
  EXPECT_EQ(to_array(x.__ior__(1)).v[0], 7);
  x &= to_tensor(Array({2}, 5), kLong);
  EXPECT_EQ(to_array(x).v[0], 5);
  EXPECT_EQ(to_array(7 % x).v[0], 2);
  EXPECT_EQ(to_array(7 - x).v[0], 2);
  EXPECT_EQ((2 / x).scalar_type(), kFloat);
}

// Rows longer than any vector, with a rest: bools are computed as bytes, int64 by instructions that
// the oldest set lacks.
TEST(BinaryLoops, LongRowsOfBoolsAndIntegers) {
  const Tensor n = counting({1037}, kLong, -500), m = n.mul(7919).remainder(61).sub(30);
  const Tensor a = n.remainder(3).eq(0), b = n.remainder(2).eq(0);
  for (int64_t i = 0; i < n.numel(); ++i) {
    const int64_t x = i - 500, y = m[i].item<int64_t>();
    const bool p = (x + 600) % 3 == 0, q = (x + 600) % 2 == 0;
    EXPECT_EQ(a[i].item<bool>(), p);
    EXPECT_EQ((a & b)[i].item<bool>(), p && q);
    EXPECT_EQ((a | b)[i].item<bool>(), p || q);
    EXPECT_EQ((a ^ b)[i].item<bool>(), p != q);
    EXPECT_EQ((~a)[i].item<bool>(), !p);
    EXPECT_EQ(a.logical_not()[i].item<bool>(), !p);
    EXPECT_EQ(maximum(a, b)[i].item<bool>(), p || q);
    EXPECT_EQ(a.to(kFloat)[i].item<float>(), p ? 1.0f : 0.0f);
    EXPECT_EQ(a.to(kLong)[i].item<int64_t>(), p ? 1 : 0);
    EXPECT_EQ((n * m)[i].item<int64_t>(), x * y);
    EXPECT_EQ(minimum(n, m)[i].item<int64_t>(), std::min(x, y));
    EXPECT_EQ(n.abs()[i].item<int64_t>(), std::abs(x));
    EXPECT_EQ(n.pow(2)[i].item<int64_t>(), x * x);
    EXPECT_EQ(n.clamp(-7, 11)[i].item<int64_t>(), std::clamp<int64_t>(x, -7, 11));
  }
}

TEST(BinaryLoops, ExtremesOfInt64) {
  const int64_t low = std::numeric_limits<int64_t>::min();
  const Tensor x = full({19}, low, kLong);
  EXPECT_TRUE(equal(x.abs(), x));  // as in C++: it has no positive counterpart
  EXPECT_TRUE(equal(x.pow(2), zeros({19}, kLong)));
  EXPECT_TRUE(equal(maximum(x, x.add(1)), x.add(1)));
}

// 0.9 as bf16 is 0.8984.
TEST(BinaryNumber, KeepsItsPrecisionBeside16Bits) {
  const Scalar number = 0.9;
  const Tensor of_floats = tensor(0.9f), of_doubles = tensor(0.9);
  for (const Device device : {Device(kCPU), Device(kCUDA, 0)})
    for (const ScalarType t : {kBFloat16, kHalf})
      for (const bool strided : {false, true}) {
        Tensor x = counting({6, 37}, kFloat, 1).mul(77).to(t).to(device);
        if (strided) x = x.t();
        const Tensor wide = x.to(kFloat);
        const Tensor product = wide.mul(number).to(t), quotient = wide.div(number).to(t);
        EXPECT_FALSE(equal(product, x.mul(full({}, number, t).to(device))));
        EXPECT_TRUE(equal(x.mul(number), product)) << toString(t);
        EXPECT_TRUE(equal(number * x, product));
        EXPECT_TRUE(equal(x.div(number), quotient));
        EXPECT_TRUE(equal(x.div(number, "trunc"), wide.div(number, "trunc").to(t)));
        Tensor in_place = x.clone(), out = empty_like(x);
        EXPECT_TRUE(
            equal(in_place.mul_(number).div_(number), product.to(kFloat).div(number).to(t)));
        if (!device.is_cpu()) continue;
        EXPECT_TRUE(equal(x.mul(of_floats), product));
        EXPECT_TRUE(equal(x.mul(of_doubles), product));
        EXPECT_TRUE(equal(div_out(out, x, of_doubles), quotient));
      }
}

TEST(BinaryNumber, GradientsKeepItToo) {
  const Tensor x = counting({37}, kFloat, 1).to(kBFloat16).set_requires_grad(true);
  const Tensor g = counting({37}, kFloat, 5).to(kBFloat16);
  (x * 0.9).backward(g);
  EXPECT_TRUE(equal(x.grad(), g.to(kFloat).mul(0.9).to(kBFloat16)));
}

TAPER_OP_CASES(derivatives_from_outputs, {
  struct Derivative {
    const char* name;
    Tensor (*op)(const Tensor&, const Tensor&);
    double (*f)(double, double);
  };
  const Derivative derivatives[] = {
      {"relu_backward", &relu_backward, [](double g, double y) { return y > 0 ? g : 0; }},
      {"tanh_backward", &tanh_backward, [](double g, double y) { return g * (1 - y * y); }},
      {"sigmoid_backward", &sigmoid_backward, [](double g, double y) { return g * y * (1 - y); }}};
  std::vector<OpCase> list;
  for (const Derivative& d : derivatives) {
    OpCase c;
    c.name = d.name;
    c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
    c.samples = [](ScalarType t) {
      std::vector<Args> samples;
      for (const Sizes& sizes : shapes_of_one(t)) samples.push_back(sample_of({sizes, sizes}, t));
      return samples;
    };
    c.call = [d](const Args& a) { return d.op(a.t[0], a.t[1]); };
    c.reference = [d](const ArrayArgs& a) { return map(a.t[0], a.t[1], d.f); };
    c.tolerance = 4;
    list.push_back(c);
  }
  return list;
});

// Both operands and both kinds of operand.
TEST(BinaryForms, GradientsAtKinksAndPoles) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  expect_pointwise_kinks({
      {OF_X(maximum(x, ones_like(x))), {0, 1, 2}, {0, 0.5, 1}},
      {OF_X(maximum(ones_like(x), x)), {0, 1, 2}, {0, 0.5, 1}},
      {OF_X(minimum(x, ones_like(x))), {0, 1, 2}, {1, 0.5, 0}},
      {OF_X(minimum(ones_like(x), x)), {0, 1, 2}, {1, 0.5, 0}},
      {OF_X(fmax(x, ones_like(x))), {0, 1, 2, NAN}, {0, 1, 1, 0}},
      {OF_X(fmax(ones_like(x), x)), {0, 1, 2, NAN}, {0, 0, 1, 0}},
      {OF_X(fmin(x, ones_like(x))), {0, 1, 2, NAN}, {1, 1, 0, 0}},
      {OF_X(fmin(ones_like(x), x)), {0, 1, 2, NAN}, {1, 0, 0, 0}},
      {OF_X(copysign(x, -1)), {-2, 0, 2}, {1, 0, -1}},
      {OF_X(copysign(x, x.detach())), {-2, 0, 2}, {1, 0, 1}},
      {OF_X(copysign(ones_like(x), x)), {-2, 0, 2}, {0, 0, 0}},
      {OF_X(pow(x, 2)), {0, 3}, {0, 6}},
      {OF_X(pow(x, 1)), {0, 3}, {1, 1}},
      {OF_X(pow(x, 0)), {0, 3}, {0, 0}},
      {OF_X(pow(x, 0.5)), {0, 4}, {kInf, 0.25}},
      {OF_X(x.clone().pow_(2)), {0, 3}, {0, 6}},
      {OF_X(pow(x, zeros_like(x))), {0, 3}, {0, 0}},
      {OF_X(pow(x, full_like(x, 3))), {0, 1}, {0, 3}},
      {OF_X(pow(zeros_like(x), x)), {0, 2}, {0, 0}},
      {OF_X(pow(0, x)), {0, 2}, {0, 0}},
      {OF_X(remainder(x, 2)), {-4, 4}, {1, 1}},
      {OF_X(remainder(full_like(x, 4), x)), {-2, 2}, {2, -2}},
      {OF_X(remainder(4, x)), {-2, 2}, {2, -2}},
      {OF_X(fmod(full_like(x, 4), x)), {-2, 2}, {2, -2}},
      {OF_X(div(x, 2, "floor") + floor_divide(x.detach(), 2)), {-2, 0, 2}, {0, 0, 0}},
      {OF_X(hypot(x, zeros_like(x))), {-1, 0, 1}, {-1, NAN, 1}},
      {OF_X(xlogy(x, zeros_like(x))), {0}, {0}},
      {OF_X(xlogy(zeros_like(x), x)), {0, 2}, {NAN, 0}},
      {OF_X(special::xlog1py(x, zeros_like(x).sub(1))), {0}, {0}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
