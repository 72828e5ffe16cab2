// The harness itself: a sound op passes, and every planted fault is rejected by the property that
// it breaks. The op under test is a square, written here with its own loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/record.h>

#include "harness/check.h"
#include "harness/devices.h"
#include "harness/pointwise.h"

namespace torch::taper::testing {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::saved;

enum class Fault {
  kNone,
  kValueNaN,
  kValueLastMissed,
  kValueOverwritten,  // reads an input as if it were contiguous
  kGradientZero,
  kGradientTwice,
  kGradientSign,
  kGradientNaN,
  kGradientLastMissed,
  kGradientReplaced,  // overwrites the gradient that was there
  kGradientDetached,  // right, but cannot be differentiated
  kGradientLayout,    // reads the cotangent as if it were contiguous
  kInputChanged,
  kHistoryLost,
  kHistoryUnderNoGrad,
  kFormUnchecked,       // in place on anything, out of anything
  kFormCheckedTooLate,  // after the values have been written
  kFormOfOtherNode,     // in place, by copying the result
  kFormBesideElements,  // writes strided memory as if it were contiguous
  kFormForgetsBase,     // in place on a view, the base keeps its history
  kFormNotResized,      // out keeps its shape
  kFormOfAnyKind,       // out rounds to integers
  kFormOfOneArgument,   // in place, only the first argument leaves a history
  kValueBehind,         // looks at the byte behind an input
  kValueBefore,         // and before
  kGradientBehind,      // looks at the byte behind a cotangent
  kFormBehind,          // writes the byte behind
};

double* elements(const Tensor& t) { return static_cast<double*>(t.data_ptr()); }

/// Touches a byte that is not the tensor's, which changes no number.
void touch(const Tensor& t, bool behind) {
  volatile char* const bytes = static_cast<char*>(t.data_ptr());
  if (t.numel() == 0 || !t.is_contiguous()) return;
  volatile char& other = behind ? bytes[t.nbytes()] : bytes[-1];
  other = other;
}

void break_gradient(Fault fault, const Tensor& g) {
  const int64_t last = g.numel() - 1;
  for (int64_t i = 0; i <= last; ++i) {
    const double v = get_element(g, i);
    if (fault == Fault::kGradientZero) set_element(g, i, 0);
    if (fault == Fault::kGradientTwice) set_element(g, i, 2 * v);
    if (fault == Fault::kGradientSign) set_element(g, i, -v);
  }
  if (last < 0) return;
  if (fault == Fault::kGradientNaN) set_element(g, last / 2, std::nan(""));
  if (fault == Fault::kGradientLastMissed) set_element(g, last, 0);
}

/// x * y elementwise for equal shapes, in plain loops; differentiable as often as wanted.
Tensor product(const Tensor& x, const Tensor& y) {
  Tensor z = detail::make_tensor(x.sizes(), x.scalar_type(), Device());
  for (int64_t i = 0; i < x.numel(); ++i) set_element(z, i, get_element(x, i) * get_element(y, i));
  if (needs_grad(x, y))
    record("ProductBackward", z, {x, y}, [x = saved(x), y = saved(y)](const Tensor& gz) {
      return std::array<Tensor, 2>{product(gz, y.get()), product(gz, x.get())};
    });
  return z;
}

Tensor square_gradient(Fault fault, const Tensor& gy, const Tensor& x) {
  Tensor g = gy;
  if (fault == Fault::kGradientBehind) touch(gy, true);
  if (fault == Fault::kGradientLayout && gy.numel() > 1) {
    g = detail::make_tensor(gy.sizes(), kDouble, Device());
    for (int64_t i = 0; i < g.numel(); ++i)
      elements(g)[i] = i < static_cast<int64_t>(gy.storage().nbytes() / 8)
                           ? static_cast<double*>(gy.storage().data())[i]
                           : 0;
  }
  Tensor doubled = product(x, g);
  Tensor two = to_tensor(Array(x.sizes().vec(), 2), x.scalar_type());
  doubled = product(doubled, two);
  break_gradient(fault, doubled);
  return fault == Fault::kGradientDetached ? doubled.detach() : doubled;
}

void square_values(Fault fault, const Tensor& x, const Tensor& y) {
  const int64_t n = x.numel();
  for (int64_t i = 0; i < n; ++i) {
    const double v = get_element(x, i);
    set_element(y, i, v * v);
  }
  if (n == 0) return;
  if (fault == Fault::kValueBehind || fault == Fault::kValueBefore)
    touch(x, fault == Fault::kValueBehind);
  if (fault == Fault::kValueNaN) set_element(y, n / 2, std::numeric_limits<double>::quiet_NaN());
  if (fault == Fault::kValueLastMissed) set_element(y, n - 1, 77);
  if (fault == Fault::kInputChanged) set_element(x, n - 1, 77);
  // Windows that overlap have less memory than elements.
  const auto held =
      static_cast<int64_t>(x.storage().nbytes() / sizeof(double)) - x.storage_offset();
  if (fault == Fault::kValueOverwritten && x.scalar_type() == kDouble)
    for (int64_t i = 0; i < std::min(n, held); ++i)
      elements(y)[i] = elements(x)[i] * elements(x)[i];
}

Tensor square(Fault fault, const Tensor& x) {
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), Device());
  square_values(fault, x, y);
  if (fault == Fault::kHistoryLost) return y;
  if (!needs_grad(x) && !(fault == Fault::kHistoryUnderNoGrad && x.requires_grad())) return y;
  if (fault == Fault::kGradientReplaced)
    record("SquareBackward", y, {x}, [x = saved(x)](const Tensor& gy) {
      x.raw().mutable_grad() = Tensor();
      return square_gradient(Fault::kNone, gy, x.get());
    });
  else
    record("SquareBackward", y, {x},
           [x = saved(x), fault](const Tensor& gy) { return square_gradient(fault, gy, x.get()); });
  return y;
}

OpCase square_case(Fault fault) {
  OpCase c = unary_case(
      "square_with_fault", [fault](const Tensor& x) { return square(fault, x); },
      [](double x) { return x * x; }, {});
  c.dtypes = {kFloat, kDouble};
  return c;
}

/// Writes x * x of `from` into `to`.
void write_squares(Fault fault, const Tensor& from, const Tensor& to) {
  for (int64_t i = 0; i < from.numel(); ++i) {
    const double v = get_element(from, i) * get_element(from, i);
    if (fault == Fault::kFormBesideElements && to.scalar_type() == kDouble)
      elements(to)[i] = v;
    else
      set_element(to, i, v);
  }
  if (fault == Fault::kFormBehind) touch(to, true);
  autograd::mark_changed(to);
}

Tensor square_inplace(Fault fault, const Tensor& x) {
  if (fault != Fault::kFormUnchecked && fault != Fault::kFormCheckedTooLate)
    autograd::check_inplace("square", x);
  const Tensor before = x.clone();
  if (fault == Fault::kFormOfOtherNode) return x.copy_(square(Fault::kNone, before));
  write_squares(fault, before, x);
  if (fault == Fault::kFormCheckedTooLate) autograd::check_inplace("square", x);
  // A leaf with a history of its own would be a cycle, and leak.
  if (!needs_grad(x) || fault == Fault::kFormUnchecked) return x;
  const auto gradient = [b = saved(before)](const Tensor& gy) {
    return square_gradient(Fault::kNone, gy, b.get());
  };
  if (fault == Fault::kFormForgetsBase)
    record("SquareBackward", x, {x}, gradient);
  else
    autograd::record_inplace("SquareBackward", x, {x}, gradient);
  return x;
}

Tensor square_out(Fault fault, Tensor& out, const Tensor& x) {
  if (fault != Fault::kFormUnchecked) {
    if (needs_grad(x, out))
      throw Error(
          "square(): functions with out=... arguments don't support automatic differentiation, but "
          "one of the arguments requires grad.");
    autograd::check_no_internal_overlap("square", out);
    if (out.device() != x.device()) throw Error("square: expected out on the device of x");
    if (fault != Fault::kFormOfAnyKind && !isFloatingType(out.scalar_type()))
      throw Error("square: expected out of a floating dtype");
  }
  if (fault != Fault::kFormNotResized && out.sizes() != x.sizes()) out.resize_(x.sizes());
  if (out.numel() == x.numel()) write_squares(fault, x, out);
  return out;
}

OpCase forms_case(Fault in_place, Fault out) {
  OpCase c = square_case(Fault::kNone);
  c.inplace = [in_place](const Args& a) { return square_inplace(in_place, a.t[0]); };
  c.out = [out](Tensor& y, const Args& a) { return square_out(out, y, a.t[0]); };
  return c;
}

TEST(Harness, AcceptsSoundForms) {
  const OpCase c = forms_case(Fault::kNone, Fault::kNone);
  for (const auto& check : {check_value, check_gradient, check_forms})
    for (const std::string& f : check(c)) ADD_FAILURE() << f;
}

TEST(Harness, RejectsFormsThatBreakTheRules) {
  TAPER_NEEDS_SIMULATION("the planted op writes to the memory of a device from the host");
  for (Fault fault : {Fault::kFormUnchecked, Fault::kFormCheckedTooLate, Fault::kFormOfOtherNode,
                      Fault::kFormBesideElements, Fault::kFormForgetsBase})
    EXPECT_FALSE(check_forms(forms_case(fault, Fault::kNone)).empty()) << static_cast<int>(fault);
  for (Fault fault : {Fault::kFormUnchecked, Fault::kFormBesideElements, Fault::kFormNotResized,
                      Fault::kFormOfAnyKind})
    EXPECT_FALSE(check_forms(forms_case(Fault::kNone, fault)).empty()) << static_cast<int>(fault);
}

/// x * y with the in-place form, of which a fault forgets the history that y alone leaves.
OpCase product_case(Fault fault) {
  OpCase c = binary_case("product_with_fault", product, [](double x, double y) { return x * y; });
  c.dtypes = {kDouble};
  c.samples = [](ScalarType t) { return std::vector<Args>{sample_of({{3}, {3}}, t)}; };
  c.inplace = [fault](const Args& a) {
    const Tensor &x = a.t[0], &y = a.t[1];
    autograd::check_inplace("product", x, {y});
    const Tensor before = x.clone();
    for (int64_t i = 0; i < x.numel(); ++i)
      set_element(x, i, get_element(x, i) * get_element(y, i));
    autograd::mark_changed(x);
    if (!(fault == Fault::kFormOfOneArgument ? needs_grad(before) : needs_grad(before, y)))
      return x;
    autograd::record_inplace(
        "ProductBackward", x, {x, y}, [b = saved(before), y = saved(y)](const Tensor& g) {
          return std::array<Tensor, 2>{product(g, y.get()), product(g, b.get())};
        });
    return x;
  };
  return c;
}

TEST(Harness, RejectsAnInPlaceFormThatForgetsAnArgument) {
  for (const std::string& f : check_forms(product_case(Fault::kNone))) ADD_FAILURE() << f;
  EXPECT_FALSE(check_forms(product_case(Fault::kFormOfOneArgument)).empty());
}

TEST(Harness, AcceptsASoundOp) {
  const OpCase c = square_case(Fault::kNone);
  for (const auto& check : {check_value, check_gradient, check_views_and_state, check_errors})
    for (const std::string& f : check(c)) ADD_FAILURE() << f;
}

TEST(Harness, RejectsWrongValues) {
  EXPECT_FALSE(check_value(square_case(Fault::kValueNaN)).empty());
  EXPECT_FALSE(check_value(square_case(Fault::kValueLastMissed)).empty());
}

TEST(Harness, EndsForWhatTouchesOthersMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* const message = "square_with_fault: reads or writes beyond|AddressSanitizer";
  for (Fault fault : {Fault::kValueBehind, Fault::kValueBefore, Fault::kGradientBehind})
    EXPECT_DEATH(check_value(square_case(fault)), message) << static_cast<int>(fault);
  EXPECT_DEATH(check_value(forms_case(Fault::kFormBehind, Fault::kNone)), message);
  EXPECT_DEATH(check_value(forms_case(Fault::kNone, Fault::kFormBehind)), message);
}

TEST(Harness, RejectsWrongGradients) {
  for (Fault fault : {Fault::kGradientZero, Fault::kGradientTwice, Fault::kGradientSign,
                      Fault::kGradientNaN, Fault::kGradientLastMissed, Fault::kGradientReplaced,
                      Fault::kGradientDetached, Fault::kHistoryLost})
    EXPECT_FALSE(check_gradient(square_case(fault)).empty()) << static_cast<int>(fault);
}

TEST(Harness, RejectsBlindnessToStridesAndState) {
  for (Fault fault : {Fault::kValueOverwritten, Fault::kGradientLayout, Fault::kInputChanged,
                      Fault::kHistoryLost, Fault::kHistoryUnderNoGrad})
    EXPECT_FALSE(check_views_and_state(square_case(fault)).empty()) << static_cast<int>(fault);
}

/// A reduction's gradient that writes where it should add: right for one use, wrong for two.
TEST(Harness, RejectsOverwrittenInPlaceOfAccumulated) {
  OpCase c = square_case(Fault::kNone);
  c.call = [](const Args& a) {
    const Tensor y = square(Fault::kNone, a.t[0]);
    return Results{square(Fault::kGradientReplaced, a.t[0]), y};
  };
  c.reference = [](const ArrayArgs& a) {
    const Array y = map(a.t[0], [](double x) { return x * x; })[0];
    return Arrays{y, y};
  };
  EXPECT_FALSE(check_gradient(c).empty());
}

TEST(Harness, RejectsWrongErrors) {
  OpCase c = square_case(Fault::kNone);
  c.errors = {error<Error>("expected", [] { throw Error("op: expected this, got that"); })};
  EXPECT_TRUE(check_errors(c).empty());
  c.errors = {error<IndexError>("expected", [] { throw Error("op: expected this, got that"); })};
  EXPECT_EQ(check_errors(c).size(), 1u);
  c.errors = {error<Error>("range", [] { throw Error("op: expected this, got that"); })};
  EXPECT_EQ(check_errors(c).size(), 1u);
  c.errors = {error<Error>("expected", [] {})};
  EXPECT_EQ(check_errors(c).size(), 1u);
}

TEST(Harness, RejectsErrorsThatDoNotBeginWithTheOp) {
  OpCase c = square_case(Fault::kNone);
  c.name = "index_fill";
  const auto failures_of = [&](const std::string& message) {
    c.errors = {error<Error>("range", [=] { throw Error(message); })};
    return check_errors(c).size();
  };
  for (const char* named : {"op: out of range", "torch.op(): out of range", "op(n=1) has no range",
                            "index_fill_ has a range", "torch.index_fill range"})
    EXPECT_EQ(failures_of(named), 0u) << named;
  for (const char* unnamed : {"index out of range", "index_fil range", "(op): range",
                              "fill range: 3", "torch. range", "\"op_cpu\": range"})
    EXPECT_EQ(failures_of(unnamed), 1u) << unnamed;
}

TEST(Harness, RejectsWrongDtypeSizesAndForms) {
  OpCase c = square_case(Fault::kNone);
  c.result_dtype = float_result;
  EXPECT_TRUE(check_value(c).empty());
  c.result_dtype = bool_result;
  EXPECT_FALSE(check_value(c).empty());
  c = square_case(Fault::kNone);
  c.reference = [](const ArrayArgs& a) { return Array({a.t[0].numel() + 1}); };
  EXPECT_FALSE(check_value(c).empty());
  c = square_case(Fault::kNone);
  c.inplace = [](const Args& a) { return a.t[0]; };
  EXPECT_FALSE(check_value(c).empty());
  c = square_case(Fault::kNone);
  c.out = [](Tensor&, const Args& a) { return square(Fault::kNone, a.t[0]); };
  EXPECT_FALSE(check_value(c).empty());
}

TEST(Harness, ACaseIsFoundByItsName) {
  std::vector<OpCase> list = {square_case(Fault::kNone)};
  EXPECT_EQ(&case_in(list, list[0].name), &list[0]);
  EXPECT_THROW(case_in(list, "no such op"), Error);
}

TEST(Harness, ANaNIsNeverClose) {
  Array want({2}, 1), got = want;
  EXPECT_EQ(difference(got, want, 0, 0), "");
  got.v[1] = std::nan("");
  EXPECT_NE(difference(got, want, 1e9, 1e9), "");
  want.v[1] = std::nan("");
  EXPECT_EQ(difference(got, want, 0, 0), "");
  got.v[1] = 1;
  EXPECT_NE(difference(got, want, 1e9, 1e9), "");
}

TEST(Harness, InfinityIsNotCloseToLargeNumbers) {
  Array want({1}, std::numeric_limits<double>::infinity()), got({1}, 1e300);
  EXPECT_NE(difference(got, want, 1e-3, 0), "");
  got.v[0] = -want.v[0];
  EXPECT_NE(difference(got, want, 1e-3, 0), "");
  got.v[0] = want.v[0];
  EXPECT_EQ(difference(got, want, 0, 0), "");
}

TEST(Harness, ReadsAndWritesStridedTensors) {
  Array a({2, 3});
  for (size_t i = 0; i < 6; ++i) a.v[i] = static_cast<double>(i);
  for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
    const Tensor t = to_tensor(a, dtype);
    EXPECT_EQ(to_array(t).v, a.v);
    const Tensor column = t.as_strided({2}, {3}, 1);
    EXPECT_EQ(to_array(column).v, (std::vector<double>{1, 4}));
  }
}

}  // namespace
}  // namespace torch::taper::testing
