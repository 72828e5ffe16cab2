// fuzz: right ops pass, planted faults are found, shrunk, and can be run again.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include <taper/framework/runtime/devices.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/fuzz_case.h>
#include <taper/testing/gtest.h>

#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

/// Expects parts of a report.
void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\nin: " << text;
}

TEST(Fuzz, AcceptsRightFunctions) {
  EXPECT_FUZZ("softmax", [](const Tensor& x) { return x.softmax(-1); },
              {FuzzInput("... D").sizes(0, 9)});
  EXPECT_FUZZ(
      "product", [](const Tensor& a, const Tensor& b) { return a.mm(b); }, {"N K", "K M"},
      FuzzOptions().second_gradients(true).runs(40));
  EXPECT_FUZZ(
      "sum", [](const Tensor& a, const Tensor& b) { return a + b; },
      {"... A B", FuzzInput("... A B").broadcasts()},
      FuzzOptions().dtypes({kFloat, kDouble, kBFloat16, kLong}));
  EXPECT_FUZZ("embedding", [](const Tensor& w, const Tensor& i) { return w.index_select(0, i); },
              {FuzzInput("V D").sizes(3, 5), FuzzInput("N").dtype(kLong).range(0, 3)});
  EXPECT_FUZZ(
      "fixed", [](const Tensor& a) { return a.sum(); }, {"2 3"}, FuzzOptions().runs(5));
}

TEST(Fuzz, FindsAWrongGradientAndShrinksIt) {
  const auto f = [](const Tensor& x) {
    // Right for fewer than four elements.
    return FaultySine::apply(
        x, static_cast<int64_t>(x.numel() < 4 ? Planted::kNone : Planted::kLastMissed));
  };
  const Verdict v = fuzz("sine", f, {"... D"});
  ASSERT_FALSE(v.passed());
  expect_parts(v.text(), {"fuzz 'sine': run ", " with seed 1 fails; the smallest case after ",
                          "input 0 Double [4]\n", "run it again: TAPER_FUZZ='sine: dtype=Double",
                          "gradient: Jacobian mismatch", "the last element"});
}

TEST(Fuzz, FindsBlindnessToLayouts) {
  const auto f = [](const Tensor& x) {
    const Tensor y = zeros(x.sizes(), x.options());
    const auto step = static_cast<int64_t>(x.itemsize());
    for (int64_t i = 0; i < x.numel(); ++i)  // as if x were contiguous, within its memory
      if ((x.storage_offset() + i + 1) * step <= static_cast<int64_t>(x.storage().nbytes()))
        std::memcpy(static_cast<char*>(y.data_ptr()) + i * step,
                    static_cast<char*>(x.data_ptr()) + i * step, static_cast<size_t>(step));
    return y.nan_to_num(7.0, 7.0, 7.0);
  };
  const Verdict v = fuzz("copy", f, {"A B"}, FuzzOptions().gradients(false));
  ASSERT_FALSE(v.passed());
  expect_parts(v.text(), {"layout: output 0"});
  EXPECT_TRUE(fuzz("copy", f, {"A B"}, FuzzOptions().gradients(false).layouts(false)).passed());
}

TEST(Fuzz, FindsErrorsNaNsDtypesAndReferences) {
  const auto threw = [](const Tensor& x) {
    if (x.dim() == 3) throw Error("three dimensions");
    return x * 1;
  };
  expect_parts(fuzz("threw", threw, {"..."}).text(),
               {"input 0 Double [0, 0, 0]", "call: threw: three dimensions"});
  const auto divides = [](const Tensor& x) { return x / x.size(0); };
  expect_parts(fuzz("nan", [](const Tensor& x) { return x.mean(0); }, {"N D"}).text(),
               {"input 0 Double [0, 1]", "finite: output 0: 1 of 1 elements are not finite"});
  EXPECT_TRUE(fuzz("mean", divides, {FuzzInput("N D").sizes(1, 4)}).passed());
  const auto rounds = [](const Tensor& x) {
    return x.scalar_type() == kDouble ? x * 1 : x.to(kBFloat16).to(x.scalar_type());
  };
  expect_parts(fuzz("rounds", rounds, {"N"}, FuzzOptions().gradients(false)).text(),
               {"input 0 Float [1]", "dtype: output 0: 1 of 1 elements differ"});
  const auto plain = [](const Tensor& x) { return x.exp() * 1.0001; };
  expect_parts(fuzz(
                   "exp", [](const Tensor& x) { return x.exp(); }, {"N"},
                   FuzzOptions().reference({TensorFunction(plain)}))
                   .text(),
               {"reference: output 0"});
}

TEST(Fuzz, FindsDevicesThatDiffer) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const auto f = [](const Tensor& x) { return x.is_cuda() && x.dim() > 1 ? x * 2 : x * 1; };
  FuzzOptions o;
  o.devices({Device(kCUDA, 0)}).runs(30);
  expect_parts(fuzz("two", f, {FuzzInput("...").sizes(1, 3)}, o).text(),
               {"device: output 0 on cuda:0"});
  EXPECT_FUZZ(
      "one", [](const Tensor& x) { return x * 2; }, {"..."}, o);
}

TEST(Fuzz, TheSameSeedGivesTheSameCases) {
  std::vector<std::vector<int64_t>> seen[2];
  for (auto& list : seen) {
    const auto f = [&](const Tensor& x) {
      list.push_back(x.sizes().vec());
      return x * 1;
    };
    EXPECT_FUZZ("seen", f, {"... D"}, FuzzOptions().runs(20).gradients(false).seed(5));
  }
  EXPECT_EQ(seen[0], seen[1]);
  std::set<std::vector<int64_t>> different(seen[0].begin(), seen[0].end());
  EXPECT_GT(different.size(), 10u);
}

TEST(Fuzz, ACaseOfTheEnvironmentRunsAlone) {
  int calls = 0;
  std::vector<int64_t> last;
  const auto f = [&](const Tensor& x) {
    ++calls;
    last = x.sizes().vec();
    if (x.size(-1) == 3) throw Error("planted");
    return x * 1;
  };
  const std::string text = fuzz("op", f, {"... D"}).text();
  const size_t begin = text.find("TAPER_FUZZ='") + 12, end = text.find('\'', begin);
  ::setenv("TAPER_FUZZ", text.substr(begin, end - begin).c_str(), 1);
  calls = 0;
  const Verdict again = fuzz("op", f, {"... D"});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(last, (std::vector<int64_t>{3}));
  expect_parts(again.text(), {"call: threw: planted", "only the case of TAPER_FUZZ was run"});
  EXPECT_TRUE(fuzz("other", [](const Tensor& x) { return x * 1; }, {"D"}).notes.empty());
  for (const char* bad : {"op: D", "op: dtype=Double layouts=p", "op: layouts=pp D=3",
                          "op: layouts=p D=x", "op: layouts=p D=2 E=3"}) {
    ::setenv("TAPER_FUZZ", bad, 1);
    expect_error<ValueError>("to be a case of these inputs", [&] { fuzz("op", f, {"... D"}); });
  }
  ::unsetenv("TAPER_FUZZ");
}

TEST(Fuzz, CasesAreTheirTexts) {
  const std::vector<FuzzInput> inputs = {"... A B", FuzzInput("... A B").broadcasts(),
                                         FuzzInput("A").dtype(kLong)};
  impl::Dice dice(3);
  FuzzOptions o;
  for (int i = 0; i < 200; ++i) {
    const impl::FuzzCase c = impl::random_case(inputs, o, dice);
    const impl::FuzzCase back = impl::parse_case(impl::case_text(c), inputs);
    EXPECT_EQ(impl::case_text(back), impl::case_text(c));
    for (size_t k = 0; k < inputs.size(); ++k)
      EXPECT_EQ(impl::sizes_of(back, inputs[k], k), impl::sizes_of(c, inputs[k], k));
    const auto a = impl::tensors_of(c, inputs),
               b = impl::laid_out(c, impl::tensors_of(back, inputs));
    for (size_t k = 0; k < inputs.size(); ++k) EXPECT_TENSOR_EQUAL(b[k], a[k]);
  }
}

TEST(Fuzz, RefusesBadUse) {
  const auto f = [](const Tensor& x) { return x; };
  expect_error<ValueError>("got 'N,'", [&] { fuzz("a", f, {"N, D"}); });
  expect_error<ValueError>("'...' once", [&] { fuzz("a", f, {"... D ..."}); });
  expect_error<ValueError>("at least one input", [&] { fuzz("a", f, {}); });
  expect_error<ValueError>("at least one dtype",
                           [&] { fuzz("a", f, {"N"}, FuzzOptions().dtypes({})); });
  expect_error<ValueError>("sizes from 0 up", [&] { FuzzInput("N").sizes(3, 2); });
  expect_error<ValueError>("range of values", [&] { FuzzInput("N").range(1, 1); });
  ::setenv("TAPER_FUZZ_RUNS", "many", 1);
  expect_error<ValueError>("TAPER_FUZZ_RUNS to be a number", [&] { fuzz("a", f, {"N"}); });
  ::unsetenv("TAPER_FUZZ_RUNS");
  static const auto wrong = [](const Tensor& x) { return x.detach() * x; };
  EXPECT_NONFATAL_FAILURE(EXPECT_FUZZ("wrong", wrong, {"N"}), "0.5 times the numeric one");
  EXPECT_FATAL_FAILURE(ASSERT_FUZZ("wrong", wrong, {"N"}), "input 0 Double [1]");
}

}  // namespace
}  // namespace torch::taper::testing
