// Cases of the ops of ops/binary.h.
#include <cmath>

#include <taper/ops/binary.h>

#include "harness/pointwise.h"

namespace taper::testing {
namespace {

#define BINARY(name, first, second, ...)                                  \
  binary_case(                                                            \
      #name, [](const Tensor& x, const Tensor& y) { return name(x, y); }, \
      [](double x, double y) -> double { return __VA_ARGS__; }, first, second)

constexpr Range kAny{-3, 3};
constexpr Range kPositive{0.3, 3};
constexpr Range kWhole{-9, 9};

#define WITH_INPLACE(name, c)                                            \
  [&] {                                                                  \
    OpCase with = c;                                                     \
    with.inplace = [](const Args& a) { return a.t[0].name##_(a.t[1]); }; \
    return with;                                                         \
  }()
#define WITH_OUT(name, c)                                                              \
  [&] {                                                                                \
    OpCase with = c;                                                                   \
    with.out = [](Tensor& z, const Args& a) { return name##_out(z, a.t[0], a.t[1]); }; \
    return with;                                                                       \
  }()

OpCase of_floats(OpCase c) {
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  return c;
}

/// Two operands on grids that never meet: a finite difference must not step over a tie.
OpCase without_ties(OpCase c) {
  c.gradient_samples = [all = c.samples] {
    std::vector<Args> list = all(kDouble);
    for (Args& a : list)
      for (size_t i = 0; i < 2; ++i) {
        Array values = to_array(a.t[i]);
        for (double& v : values.v) v = std::floor(v * 8) / 8 + 0.0625 * static_cast<double>(i);
        a.t[i] = to_tensor(values, kDouble);
      }
    return list;
  };
  return c;
}

TAPER_OP_CASES(binary_arithmetic, {
  OpCase quotient = WITH_OUT(div, WITH_INPLACE(div, BINARY(div, kAny, kPositive, x / y)));
  quotient.result_dtype = float_result;
  OpCase power = of_floats(WITH_INPLACE(pow, BINARY(pow, kPositive, kAny, std::pow(x, y))));
  power.tolerance = 4;
  return std::vector<OpCase>{
      WITH_OUT(add, WITH_INPLACE(add, BINARY(add, kAny, kAny, x + y))),
      WITH_OUT(sub, WITH_INPLACE(sub, BINARY(sub, kAny, kAny, x - y))),
      WITH_OUT(mul, WITH_INPLACE(mul, BINARY(mul, kAny, kAny, x * y))),
      quotient,
      power,
      of_floats(BINARY(atan2, kAny, kPositive, std::atan2(x, y))),
      without_ties(BINARY(maximum, kAny, kAny, std::max(x, y))),
      without_ties(BINARY(minimum, kAny, kAny, std::min(x, y))),
  };
});

/// Remainders jump where x is a multiple of y: whole numbers, so that both sides jump alike.
OpCase of_whole_numbers(OpCase c) {
  c.dtypes = {kLong, kInt, kFloat, kDouble};
  const auto any = c.samples;
  c.samples = [any](ScalarType dtype) {
    std::vector<Args> list = any(kLong);
    for (Args& a : list)
      for (Tensor& t : a.t) t = to_tensor(to_array(t), dtype);
    return list;
  };
  c.gradient_samples = [] {
    Random random(9);
    Array x({7}), y({7});
    for (double& v : x.v) v = static_cast<double>(random.integer(-9, 9)) + 0.4;
    for (double& v : y.v) v = static_cast<double>(random.integer(1, 4)) + 0.03;
    return std::vector<Args>{{{to_tensor(x, kDouble), to_tensor(y, kDouble)}}};
  };
  return c;
}

TAPER_OP_CASES(binary_remainder, {
  return std::vector<OpCase>{
      of_whole_numbers(BINARY(floor_divide, kWhole, (Range{1, 4}), std::floor(x / y))),
      of_whole_numbers(BINARY(remainder, kWhole, (Range{1, 4}), x - y * std::floor(x / y))),
      of_whole_numbers(BINARY(fmod, kWhole, (Range{1, 4}), std::fmod(x, y))),
  };
});

OpCase to_bool(OpCase c) {
  c.result_dtype = bool_result;
  c.differentiable = false;
  return c;
}

/// Small whole numbers, so that equal ones occur.
OpCase with_ties(OpCase c) {
  const auto any = c.samples;
  c.samples = [any](ScalarType dtype) {
    std::vector<Args> list = any(kLong);
    for (Args& a : list)
      for (Tensor& t : a.t) t = to_tensor(to_array(t), dtype);
    return list;
  };
  return to_bool(c);
}

TAPER_OP_CASES(binary_compare, {
  return std::vector<OpCase>{
      with_ties(BINARY(eq, (Range{0, 2}), (Range{0, 2}), x == y)),
      with_ties(BINARY(ne, (Range{0, 2}), (Range{0, 2}), x != y)),
      with_ties(BINARY(lt, (Range{0, 2}), (Range{0, 2}), x < y)),
      with_ties(BINARY(le, (Range{0, 2}), (Range{0, 2}), x <= y)),
      with_ties(BINARY(gt, (Range{0, 2}), (Range{0, 2}), x > y)),
      with_ties(BINARY(ge, (Range{0, 2}), (Range{0, 2}), x >= y)),
      with_ties(BINARY(logical_and, (Range{0, 1}), (Range{0, 1}), x != 0 && y != 0)),
      with_ties(BINARY(logical_or, (Range{0, 1}), (Range{0, 1}), x != 0 || y != 0)),
      with_ties(BINARY(logical_xor, (Range{0, 1}), (Range{0, 1}), (x != 0) != (y != 0))),
  };
});

OpCase of_integers(OpCase c) {
  c.dtypes = {kLong, kInt, kShort, kByte};
  c.differentiable = false;
  return c;
}

TAPER_OP_CASES(binary_bits, {
  return std::vector<OpCase>{
      of_integers(BINARY(bitwise_and, (Range{0, 100}), (Range{0, 100}),
                         static_cast<double>(static_cast<int64_t>(x) & static_cast<int64_t>(y)))),
      of_integers(BINARY(bitwise_or, (Range{0, 100}), (Range{0, 100}),
                         static_cast<double>(static_cast<int64_t>(x) | static_cast<int64_t>(y)))),
      of_integers(BINARY(bitwise_xor, (Range{0, 100}), (Range{0, 100}),
                         static_cast<double>(static_cast<int64_t>(x) ^ static_cast<int64_t>(y)))),
  };
});

/// Three tensors that broadcast, and a number.
OpCase ternary(const char* name, Tensor (*op)(const Args&), double (*f)(double, double, double)) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType dtype) {
    return std::vector<Args>{sample_of({{}, {}, {}}, dtype, kPositive),
                             sample_of({{3}, {2, 3}, {2, 1}}, dtype, kPositive),
                             sample_of({{0}, {1}, {1}}, dtype, kPositive),
                             sample_of({{33}, {33}, {33}}, dtype, kPositive),
                             sample_of({{1025}, {1}, {1025}}, dtype, kPositive)};
  };
  c.call = op;
  c.reference = [f](const ArrayArgs& a) {
    Array z(broadcast(broadcast(a.t[0].sizes, a.t[1].sizes), a.t[2].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      z.at(index) =
          f(a.t[0].broadcast_at(index), a.t[1].broadcast_at(index), a.t[2].broadcast_at(index));
    });
    return z;
  };
  return c;
}

TAPER_OP_CASES(ternary_arithmetic, {
  return std::vector<OpCase>{
      ternary(
          "addcmul", [](const Args& a) { return addcmul(a.t[0], a.t[1], a.t[2], 0.5); },
          [](double x, double y, double z) { return x + 0.5 * y * z; }),
      ternary(
          "addcdiv", [](const Args& a) { return addcdiv(a.t[0], a.t[1], a.t[2], 0.5); },
          [](double x, double y, double z) { return x + 0.5 * y / z; }),
      ternary(
          "lerp", [](const Args& a) { return lerp(a.t[0], a.t[1], a.t[2]); },
          [](double x, double y, double z) { return x + z * (y - x); }),
  };
});

}  // namespace
}  // namespace taper::testing
