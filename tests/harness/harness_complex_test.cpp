// The harness on an op of complex numbers: the sound one passes, planted faults are rejected.
#include <gtest/gtest.h>

#include <cstring>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/tensor/factory.h>

#include "harness/check.h"
#include "harness/samples.h"

namespace torch::taper::testing {
namespace {

enum class Fault {
  kNone,
  kLastImaginary,   // the imaginary part of the last value is missed
  kConjugated,      // a value of the right size, but conjugated
  kNaN,             // in one imaginary part
  kNoConjugate,     // the gradient without the conjugate
  kRealGradient,    // the gradient without its imaginary part
  kStrides,         // reads the input as if it were contiguous
  kGradientStrides  // and the cotangent
};

/// The elements that would be there if the memory had no gaps.
Tensor as_contiguous(const Tensor& x) {
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), Device());
  y.zero_();
  const size_t there =
      x.storage().nbytes() - static_cast<size_t>(x.storage_offset()) * x.itemsize();
  if (y.numel() > 0) std::memcpy(y.data_ptr(), x.data_ptr(), std::min(there, y.nbytes()));
  return y;
}

Tensor values_with(Fault fault, const Tensor& x) {
  const NoGradGuard no_grad;
  const Tensor from = fault == Fault::kStrides ? as_contiguous(x) : x.detach();
  Tensor y = from * from;
  const int64_t n = y.numel();
  if (n > 0 && fault == Fault::kLastImaginary) set_element(y, n - 1, 0, 1);
  if (n > 0 && fault == Fault::kNaN) set_element(y, n / 2, NAN, 1);
  return fault == Fault::kConjugated ? y.conj() : y;
}

Tensor square(Fault fault, const Tensor& x) {
  Tensor y = values_with(fault, x);
  if (autograd::needs_grad(x))
    autograd::record(
        "SquareBackward", y, {x}, [x = autograd::saved(x), fault](const Tensor& given) {
          const Tensor g = fault == Fault::kGradientStrides ? as_contiguous(given) : given;
          const Tensor twice = x.get() * 2;
          const Tensor gx = g * (fault == Fault::kNoConjugate ? twice : twice.conj());
          if (fault != Fault::kRealGradient) return gx;
          return complex(real(gx), zeros_like(real(gx)));
        });
  return y;
}

OpCase square_case(Fault fault) {
  OpCase c;
  c.name = "complex_square_with_fault";
  c.dtypes = {kComplexFloat, kComplexDouble};
  c.samples = [](ScalarType t) { return samples_of_one(t, {-2, 2}); };
  c.call = [fault](const Args& a) { return square(fault, a.t[0]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for (int64_t i = 0; i < y.numel(); ++i) y.set_z(i, a.t[0].z(i) * a.t[0].z(i));
    return y;
  };
  return c;
}

TEST(HarnessComplex, AcceptsASoundOp) {
  const OpCase c = square_case(Fault::kNone);
  for (const Failures& f : {check_value(c), check_gradient(c), check_views_and_state(c)})
    EXPECT_TRUE(f.empty()) << f.front();
}

TEST(HarnessComplex, RejectsPlantedFaults) {
  for (Fault f : {Fault::kLastImaginary, Fault::kConjugated, Fault::kNaN})
    EXPECT_FALSE(check_value(square_case(f)).empty()) << static_cast<int>(f);
  for (Fault f : {Fault::kNoConjugate, Fault::kRealGradient, Fault::kGradientStrides})
    EXPECT_FALSE(check_gradient(square_case(f)).empty()) << static_cast<int>(f);
  for (Fault f : {Fault::kStrides, Fault::kGradientStrides})
    EXPECT_FALSE(check_views_and_state(square_case(f)).empty()) << static_cast<int>(f);
}

TEST(HarnessComplex, ArraysKeepBothParts) {
  Array a({2});
  a.set_z(1, {3, -4});
  const Tensor t = to_tensor(a, kComplexFloat);
  EXPECT_EQ(get_element(t, 1), 3);
  EXPECT_EQ(get_element(t, 1, 1), -4);
  EXPECT_EQ(to_array(t).z(1), a.z(1));
  Array b = a;
  b.set_z(1, {3, -4.5});
  EXPECT_NE(difference(b, a, 1e-3, 0), "");
  EXPECT_EQ(difference(b, a, 0.11, 0), "");
  b.set_z(1, {3, NAN});
  EXPECT_NE(difference(b, a, 1e9, 1e9), "");
}

}  // namespace
}  // namespace torch::taper::testing
