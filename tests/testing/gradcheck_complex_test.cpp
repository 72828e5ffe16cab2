// gradcheck of functions of complex numbers: right ones, and planted faults.
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

using autograd::gradcheck;
using autograd::gradgradcheck;

const std::vector<GradcheckOptions>& both_modes() {
  static const std::vector<GradcheckOptions> modes = {GradcheckOptions(),
                                                      GradcheckOptions().fast_mode(true)};
  return modes;
}
Tensor leaf(const std::vector<int64_t>& sizes) { return complex_numbers(sizes).requires_grad_(); }
Tensor real_leaf(const std::vector<int64_t>& sizes) {
  return numbers(sizes, kDouble).requires_grad_();
}

TEST(GradcheckComplex, AcceptsRightGradients) {
  const auto mixed = [](const Tensor& z, const Tensor& x) { return z * x.exp() / (z.conj() + 3); };
  const auto parts = [](const Tensor& z) { return std::make_tuple(z.abs(), imag(z * z), z.exp()); };
  const auto rows = [](const Tensor& x) { return fft::rfft(x); };
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck(mixed, {leaf({2, 3}), real_leaf({3})}, o));
    EXPECT_TRUE(gradgradcheck(mixed, {leaf({2, 3}), real_leaf({3})}, o));
    EXPECT_TRUE(gradcheck(parts, {leaf({4})}, o));
    EXPECT_TRUE(gradgradcheck(parts, {leaf({4})}, o));
    EXPECT_TRUE(gradcheck(rows, {real_leaf({2, 5})}, o));
    EXPECT_TRUE(gradgradcheck(rows, {real_leaf({2, 5})}, {}, o, true));
  }
}

TEST(GradcheckComplex, TakesAllShapesLayoutsAndDtypes) {
  const auto f = [](const Tensor& z) { return z.exp() * z; };
  for (GradcheckOptions o : both_modes()) {
    EXPECT_TRUE(gradcheck(f, {leaf({})}, o));
    EXPECT_TRUE(gradcheck(f, {leaf({0, 3})}, o));
    const Tensor turned = complex_numbers({3, 2}).t().requires_grad_();
    const Tensor before = turned.detach().clone();
    EXPECT_TRUE(gradcheck(f, {turned}, o));
    EXPECT_TENSOR_EQUAL(turned.detach(), before);
    const Tensor narrow = complex_numbers({2}, kComplexFloat).requires_grad_();
    EXPECT_TRUE(gradcheck(f, {narrow}, o.eps(1e-2).atol(1e-2).rtol(1e-2)));
  }
}

TEST(GradcheckComplex, RefusesSharedMemory) {
  const Tensor z = complex_numbers({1}).expand({3}).requires_grad_();
  expect_error<Error>("The 0th input has a dimension with stride 0",
                      [&] { gradcheck([](const Tensor& v) { return v * 2; }, {z}); });
  const Tensor all = complex_numbers({4});
  const Tensor a = all.slice(0, 0, 3).detach().requires_grad_();
  const Tensor b = view_as_real(all.detach()).select(1, 1).detach();
  expect_error<Error>("shares memory with another input", [&] {
    gradcheck([](const Tensor& v, const Tensor& w) { return v * w[0]; }, {a, b});
  });
}

// ---------------------------------------------------------------------- what is wrong is found
/// z^2 + 1, with faults of people who are new to complex gradients.
enum class Fault { kNone, kNoConjugate, kConjugate, kRealPart, kPlusOne, kReal };

struct Square : autograd::Function<Square> {
  static Tensor forward(AutogradContext* ctx, Tensor z, int64_t fault) {
    ctx->saved_data["fault"] = fault;
    ctx->save_for_backward({z});
    return z * z + 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {of(static_cast<Fault>(ctx->saved_data["fault"].toInt()), g[0],
               ctx->get_saved_variables()[0]),
            Tensor()};
  }
  static Tensor of(Fault fault, const Tensor& g, const Tensor& z) {
    const Tensor right = g * (z * 2).conj();
    switch (fault) {
      case Fault::kNoConjugate:
        return g * z * 2;
      case Fault::kConjugate:
        return right.conj();
      case Fault::kRealPart:
        return complex(real(right), zeros_like(real(right)));
      case Fault::kPlusOne:
        return right + zeros_like(right).fill_(numbers::complex<double>(0, 0.1));
      case Fault::kReal:
        return real(right);
      default:
        return right;
    }
  }
};

GradcheckReport report_of(Fault fault, const GradcheckOptions& o) {
  const auto f = [fault](const Tensor& z) { return Square::apply(z, static_cast<int64_t>(fault)); };
  return gradcheck_report(f, {leaf({3})}, o);
}
bool says(const GradcheckReport& report, const std::string& words) {
  return report.text().find(words) != std::string::npos;
}

TEST(GradcheckComplex, FindsPlantedFaults) {
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(report_of(Fault::kNone, o).passed()) << report_of(Fault::kNone, o).text();
    EXPECT_TRUE(says(report_of(Fault::kNoConjugate, o), "a conjugate is missing"));
    EXPECT_TRUE(found(report_of(Fault::kConjugate, o), Kind::kJacobian));
    EXPECT_TRUE(found(report_of(Fault::kRealPart, o), Kind::kJacobian));
    EXPECT_FALSE(report_of(Fault::kPlusOne, o).passed());
    EXPECT_FALSE(report_of(Fault::kReal, o).passed());
  }
}

/// |z|^2, whose gradient is 2 z, not its conjugate.
struct SquaredSize : autograd::Function<SquaredSize> {
  static Tensor forward(AutogradContext* ctx, Tensor z) {
    ctx->save_for_backward({z});
    return real(z * z.conj()).clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * (ctx->get_saved_variables()[0] * 2).conj()};
  }
};

TEST(GradcheckComplex, NamesAConjugatedGradientAndTheParts) {
  const auto f = [](const Tensor& z) { return SquaredSize::apply(z); };
  for (const GradcheckOptions& o : both_modes()) {
    const GradcheckReport r = gradcheck_report(f, {leaf({2})}, o);
    EXPECT_TRUE(says(r, "the analytic gradient is the conjugate of what it should be")) << r.text();
    EXPECT_TRUE(says(r, ".imag: analytic ")) << r.text();
    EXPECT_TRUE(says(r, "columns: parts of elements of input 0 [2]")) << r.text();
  }
}

TEST(GradcheckComplex, FindsLostHistory) {
  const auto f = [](const Tensor& z) { return std::make_tuple(z * 2, z.detach() * 3); };
  for (const GradcheckOptions& o : both_modes())
    EXPECT_TRUE(found(gradcheck_report(f, {leaf({2})}, o), Kind::kHistoryLost));
}

}  // namespace
}  // namespace torch::taper::testing
