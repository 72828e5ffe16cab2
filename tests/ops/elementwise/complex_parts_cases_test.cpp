// Complex tensors from parts and back, and the functions that only they need, in the harness.
#include <taper/ops/elementwise/complex.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <taper/ops/tensor/factory.h>

#include "complex_util.h"
#include "harness/pointwise.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Z = std::complex<double>;

ScalarType real_part(ScalarType t) { return toRealValueType(t); }
ScalarType complex_of(ScalarType t) { return toComplexType(t); }

/// f of each element; a real number where `is_real`.
Array each(const Array& x, const std::function<Z(Z)>& f, bool is_real = false) {
  Array y(x.sizes);
  for (int64_t i = 0; i < y.numel(); ++i) y.set_z(i, f(x.z(i)));
  if (is_real) y.im.clear();
  return y;
}

std::vector<Args> complex_samples(ScalarType t) { return samples_of_one(t, {-2, 2}); }

OpCase complex_input_case(std::string name, std::function<Results(const Args&)> call,
                          std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kComplexFloat, kComplexDouble};
  c.samples = &complex_samples;
  c.call = std::move(call);
  c.reference = std::move(reference);
  return c;
}

// ---------------------------------------------------------------- from parts
Array of_two(const ArrayArgs& a, Z (*f)(double, double)) {
  Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
  for_each_index(y.sizes, [&](const std::vector<int64_t>& index) {
    y.set_z(y.position(index), f(a.t[0].broadcast_at(index), a.t[1].broadcast_at(index)));
  });
  return y;
}

OpCase parts_case(std::string name, Tensor (*op)(const Tensor&, const Tensor&),
                  Z (*f)(double, double)) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [](ScalarType t) { return samples_of_two(t, {0.2, 2}, {-3, 3}); };
  c.call = [op](const Args& a) { return op(a.t[0], a.t[1]); };
  c.reference = [f](const ArrayArgs& a) { return of_two(a, f); };
  c.result_dtype = &complex_of;
  c.errors = {
      error<Error>("Expected object of scalar type Float but got scalar type Double for second "
                   "argument",
                   [op] { op(numbers({2}), numbers({2}, kDouble)); }),
      error<Error>(
          "Expected both inputs to be Half, Float or Double tensors but got Long and Float",
          [op] { op(numbers({2}, kLong), numbers({2})); }),
      error<NotImplementedError>("\"complex\" not implemented for 'Half'",
                                 [op] { op(numbers({2}, kHalf), numbers({2}, kHalf)); }),
      error<Error>("The size of tensor a (2) must match the size of tensor b (3)",
                   [op] { op(numbers({2}), numbers({3})); })};
  return c;
}

TAPER_OP_CASES(from_parts, {
  return std::vector<OpCase>{
      parts_case("complex", &complex, [](double re, double im) { return Z(re, im); }),
      parts_case("polar", &polar, [](double size, double angle) {
        return Z(size * std::cos(angle), size * std::sin(angle));
      })};
});

// ---------------------------------------------------------------- views of parts
/// The parts of each element in a last dimension of 2.
Array in_pairs(const Array& x) {
  std::vector<int64_t> sizes = x.sizes;
  sizes.push_back(2);
  Array y(sizes);
  for (size_t i = 0; i < x.v.size(); ++i) {
    y.v[2 * i] = x.v[i];
    y.v[2 * i + 1] = x.im[i];
  }
  return y;
}

TAPER_OP_CASES(views_of_parts, {
  OpCase pairs = complex_input_case(
      "view_as_real", [](const Args& a) { return view_as_real(a.t[0]); },
      [](const ArrayArgs& a) { return in_pairs(a.t[0]); });
  pairs.errors = {error<Error>("view_as_real is only supported for complex tensors",
                               [] { view_as_real(numbers({2})); })};
  OpCase re = complex_input_case(
      "real", [](const Args& a) { return real(a.t[0]); },
      [](const ArrayArgs& a) {
        return each(
            a.t[0], [](Z z) { return z.real(); }, true);
      });
  OpCase im = complex_input_case(
      "imag", [](const Args& a) { return imag(a.t[0]); },
      [](const ArrayArgs& a) {
        return each(
            a.t[0], [](Z z) { return z.imag(); }, true);
      });
  im.errors = {error<Error>("imag is not implemented for tensors with non-complex dtypes.",
                            [] { imag(numbers({2})); })};
  std::vector<OpCase> list = {pairs, re, im};
  for (OpCase& c : list) {
    c.is_view = true;
    c.result_dtype = &real_part;
  }
  return list;
});

// The layouts of the harness put other memory between the parts, so it is made row-major first.
TAPER_OP_CASES(pairs_as_complex, {
  OpCase c;
  c.name = "view_as_complex";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2}}, t), sample_of({{3, 2}}, t), sample_of({{2, 3, 2}}, t),
                             sample_of({{0, 2}}, t)};
  };
  c.call = [](const Args& a) { return view_as_complex(a.t[0].clone(MemoryFormat::Contiguous)); };
  c.reference = [](const ArrayArgs& a) {
    std::vector<int64_t> sizes = a.t[0].sizes;
    sizes.pop_back();
    Array y(sizes);
    for (size_t i = 0; i < y.v.size(); ++i)
      y.set_z(static_cast<int64_t>(i), Z(a.t[0].v[2 * i], a.t[0].v[2 * i + 1]));
    return y;
  };
  c.result_dtype = &complex_of;
  c.is_view = true;
  const auto refused = [](const char* words, const Tensor& x) {
    return error<Error>(words, [x] { view_as_complex(x); });
  };
  c.errors = {
      refused("Input tensor must have one or more dimensions", numbers({})),
      refused("Tensor must have a last dimension of size 2", numbers({2, 3})),
      refused("Tensor must have a last dimension with stride 1", numbers({2, 3}).t()),
      refused("Tensor must have a stride divisible by 2 for all but last dimension",
              numbers({8}).as_strided({2, 2}, {3, 1})),
      refused("Tensor must have a storage_offset divisible by 2",
              numbers({8}).as_strided({2, 2}, {2, 1}, 1)),
      refused("is only supported for half, float and double tensors, but got a tensor of scalar "
              "type: Long",
              numbers({2}, kLong))};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- functions
TAPER_OP_CASES(functions_of_complex, {
  OpCase argument = complex_input_case(
      "angle_complex", [](const Args& a) { return angle(a.t[0]); },
      [](const ArrayArgs& a) {
        return each(
            a.t[0], [](Z z) { return std::arg(z); }, true);
      });
  argument.result_dtype = &real_part;
  argument.out = [](Tensor& y, const Args& a) { return angle_out(y, a.t[0]); };
  OpCase unit = complex_input_case(
      "sgn_complex", [](const Args& a) { return sgn(a.t[0]); },
      [](const ArrayArgs& a) { return each(a.t[0], [](Z z) { return z / std::abs(z); }); });
  unit.inplace = [](const Args& a) { return a.t[0].sgn_(); };
  unit.out = [](Tensor& y, const Args& a) { return sgn_out(y, a.t[0]); };
  OpCase conjugate = complex_input_case(
      "conj_physical", [](const Args& a) { return conj_physical(a.t[0]); },
      [](const ArrayArgs& a) { return each(a.t[0], [](Z z) { return std::conj(z); }); });
  conjugate.inplace = [](const Args& a) { return a.t[0].conj_physical_(); };
  // Half of the numbers are real.
  OpCase is_real = complex_input_case(
      "isreal", [](const Args& a) { return isreal(a.t[0]); },
      [](const ArrayArgs& a) {
        return each(
            a.t[0], [](Z z) { return double(z.imag() == 0); }, true);
      });
  is_real.samples = [](ScalarType t) {
    std::vector<Args> list = complex_samples(t);
    for (const Args& a : list)
      for (int64_t i = 0; i < a.t[0].numel(); i += 2) set_element(a.t[0], i, 0, 1);
    return list;
  };
  is_real.result_dtype = &bool_result;
  is_real.differentiable = false;
  return std::vector<OpCase>{argument, unit, conjugate, is_real};
});

TAPER_OP_CASES(conjugate_transposes, {
  OpCase c = complex_input_case(
      "adjoint", [](const Args& a) { return adjoint(a.t[0]); },
      [](const ArrayArgs& a) {
        const Array& x = a.t[0];
        std::vector<int64_t> sizes = x.sizes;
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
        Array y(sizes);
        for_each_index(sizes, [&](std::vector<int64_t> index) {
          const int64_t to = y.position(index);
          std::swap(index[sizes.size() - 1], index[sizes.size() - 2]);
          y.set_z(to, std::conj(x.z(x.position(index))));
        });
        return y;
      });
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t), sample_of({{2, 3, 4}}, t),
                             sample_of({{0, 2}}, t)};
  };
  c.errors = {
      error<Error>("tensor.adjoint() is only supported on matrices or batches of matrices. "
                   "Got 1-D tensor.",
                   [] { adjoint(numbers({2})); })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- of real numbers
TAPER_OP_CASES(real_numbers_too, {
  OpCase argument = unary_case(
      "angle", [](const Tensor& x) { return angle(x); },
      [](double x) { return x < 0 ? M_PI : 0.0; }, Range{-3, 3});
  argument.result_dtype = &float_result;
  OpCase sign = unary_case(
      "sgn", [](const Tensor& x) { return sgn(x); },
      [](double x) { return double(x > 0) - double(x < 0); }, Range{-3, 3});
  std::vector<OpCase> list = {argument, sign};
  struct Infinity {
    const char* name;
    Tensor (*op)(const Tensor&);
    double value;
  };
  for (const Infinity& i :
       {Infinity{"isposinf", &isposinf, INFINITY}, Infinity{"isneginf", &isneginf, -INFINITY}}) {
    OpCase c;
    c.name = i.name;
    c.dtypes = {kFloat, kDouble, kHalf, kLong};
    c.samples = [](ScalarType t) {
      std::vector<Args> samples = samples_of_one(t, {-3, 3});
      const double special[] = {INFINITY, -INFINITY, std::numeric_limits<double>::quiet_NaN()};
      if (isFloatingType(t))
        for (const Args& a : samples)
          for (int64_t k = 0; k < std::min<int64_t>(3, a.t[0].numel()); ++k)
            set_element(a.t[0], k, special[k]);
      return samples;
    };
    c.call = [i](const Args& a) { return i.op(a.t[0]); };
    c.reference = [i](const ArrayArgs& a) {
      return each(
          a.t[0], [i](Z z) { return double(z.real() == i.value); }, true);
    };
    c.result_dtype = &bool_result;
    c.differentiable = false;
    c.errors = {error<Error>(std::string(i.name) + " does not support complex inputs.",
                             [i] { i.op(complex_numbers({2})); })};
    list.push_back(c);
  }
  return list;
});

TEST(Real, TensorsAreTheirOwnConjugates) {
  const Tensor x = tensor_of({1, 2}, {-INFINITY, INFINITY});
  EXPECT_TRUE(real(x).is_same(x) && conj(x).is_same(x) && x.positive().is_same(x));
  expect_values(x.mH(), {2, 1}, {-INFINITY, INFINITY});
  expect_values(isposinf(x), {1, 2}, {0, 1});
  expect_values(isneginf(x), {1, 2}, {1, 0});
  expect_values(isposinf(values({1}, kLong)), {1}, {0});
  expect_values(isreal(x), {1, 2}, {1, 1});
  expect_values(x.sgn(), {1, 2}, {-1, 1});
  EXPECT_EQ(message_of([&] { imag(x); }),
            "imag is not implemented for tensors with non-complex dtypes.");
  EXPECT_EQ(message_of([] { zeros({1}, kBool).positive(); }),
            "positive: The `+` operator, on a bool tensor is not supported.");
  EXPECT_THROW(adjoint(zeros({3})), Error);
}

Tensor complexes() { return taper::complex(values({3, -0.0}), values({4, -2})); }

TEST(OutForms, OfAnglesAndSigns) {
  Tensor real = values({}), as_complex = taper::complex(values({}), values({}));
  expect_values(angle_out(real, values({-1, 0, 2})), {3}, {float(M_PI), 0, 0});
  EXPECT_FLOAT_EQ(angle_out(real, complexes())[0].item<float>(), std::atan2(4.f, 3.f));
  Tensor sign = sgn_out(as_complex, complexes());
  EXPECT_FLOAT_EQ(taper::real(sign)[0].item<float>(), 0.6f);
  expect_values(sgn_out(real, values({-3, 0})), {2}, {-1, 0});
  expect_error("Found dtype Float but expected ComplexFloat", [&] { sgn_out(real, complexes()); });
}

}  // namespace
}  // namespace torch::taper::testing
