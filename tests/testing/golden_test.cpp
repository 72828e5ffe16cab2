// Golden files: recorded once, compared later, and what is refused.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include <gtest/gtest-spi.h>

#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Sets a variable of the environment for a scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    if (before) before_ = before;
    had_ = before != nullptr;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Environment() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_;
};

class Golden : public ::testing::Test {
 protected:
  GoldenOptions options() const { return GoldenOptions().folder(folder_.path()); }
  std::string file(const std::string& name) const { return folder_.path(name + ".safetensors"); }
  static NamedTensors step() { return {{"loss", values({0.5})}, {"y", counting({2, 3})}}; }
  void record(const std::string& name) {
    const Environment update("TAPER_GOLDEN", "update");
    golden_report(name, step(), options());
  }
  TemporaryFolder folder_;
  Environment plain_{"TAPER_GOLDEN", nullptr};
  Environment no_folder_{"TAPER_GOLDEN_DIR", nullptr};
};

TEST_F(Golden, RecordsFirstAndComparesLater) {
  Verdict v = golden_report("step", step(), options());
  EXPECT_TRUE(v.passed());
  EXPECT_NE(v.text().find("note: wrote 2 tensors to "), std::string::npos) << v.text();
  v = golden_report("step", step(), options());
  EXPECT_TRUE(v.passed());
  EXPECT_EQ(v.text(), "");
  NamedTensors other = step();
  other[1].second[1][0].fill_(3.1);
  v = golden_report("step", other, options());
  EXPECT_FALSE(v.passed());
  for (const char* part : {"'step': 1 of 2 tensors are not what", "TAPER_GOLDEN=update",
                           "'y': 1 of 6 elements differ", "worst at [1, 0]: got 3.0999999"})
    EXPECT_NE(v.text().find(part), std::string::npos) << part << "\n" << v.text();
  expect_error<GoldenError>("golden failed", [&] { golden("step", other, options()); });
  golden("step", step(), options());
}

TEST_F(Golden, RequireFailsWhereTheFileIsMissing) {
  for (const char* mode : {"require", "compare"}) {
    const Environment require("TAPER_GOLDEN", mode);
    const Verdict v = golden_report("missing", step(), options());
    EXPECT_NE(v.text().find("there is no "), std::string::npos) << v.text();
    EXPECT_FALSE(v.passed());
  }
  EXPECT_EQ(folder_.size(), 0u);
  record("step");
  const Environment require("TAPER_GOLDEN", "require");
  EXPECT_GOLDEN("step", step(), options());
  static GoldenOptions folder;
  folder = options();
  EXPECT_NONFATAL_FAILURE(EXPECT_GOLDEN("missing", step(), folder), "there is no ");
  EXPECT_FATAL_FAILURE(ASSERT_GOLDEN("missing", step(), folder), "TAPER_GOLDEN=require");
}

TEST_F(Golden, UpdateWritesAgainAndTellsWhatChanges) {
  record("step");
  NamedTensors other = {{"loss", values({0.75})}, {"more", values({1})}};
  {
    const Environment update("TAPER_GOLDEN", "update");
    const std::string text = golden_report("step", other, options()).text();
    for (const char* part : {"changed: 'loss'", "changed: 'y': is in the file", "changed: 'more'"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_GOLDEN("step", other, options());
}

TEST_F(Golden, ComparesNamesDtypesAndSizes) {
  record("step");
  const auto failure = [&](const NamedTensors& t) {
    return golden_report("step", t, options()).text();
  };
  NamedTensors t = step();
  t.pop_back();
  EXPECT_NE(failure(t).find("'y': is in the file, but was not given"), std::string::npos);
  t = step();
  t.emplace_back("z", values({1}));
  EXPECT_NE(failure(t).find("'z': is new"), std::string::npos);
  t = step();
  t[0].second = t[0].second.to(kDouble);
  EXPECT_NE(failure(t).find("'loss': expected dtype Float, got Double"), std::string::npos);
  t = step();
  t[1].second = t[1].second.t();
  EXPECT_NE(failure(t).find("'y': expected sizes [2, 3], got [3, 2]"), std::string::npos);
}

TEST_F(Golden, TolerancesAreByNameOrPrefix) {
  record("step");
  NamedTensors t = step();
  t[0].second = values({0.51});
  EXPECT_FALSE(golden_report("step", t, options()).passed());
  EXPECT_TRUE(golden_report("step", t, options().tolerances({{"loss", {0, 0.1}}})).passed());
  EXPECT_TRUE(golden_report("step", t, options().tolerances({{"lo*", {0, 0.1}}})).passed());
  EXPECT_FALSE(golden_report("step", t, options().tolerances({{"lo", {0, 0.1}}})).passed());
  EXPECT_FALSE(golden_report("step", t, options().tolerances({{"y*", {0, 0.1}}})).passed());
}

TEST_F(Golden, ANaNIsNeitherWrittenNorPassed) {
  const NamedTensors strange = {{"loss", values({NAN})}, {"y", counting({2, 3})}};
  expect_error<ValueError>("golden: 'loss' is not written",
                           [&] { golden_report("step", strange, options()); });
  EXPECT_EQ(folder_.size(), 0u);
  record("step");
  EXPECT_FALSE(golden_report("step", strange, options().tolerances({{"*", {1e9, 1e9}}})).passed());
}

TEST_F(Golden, RecordsTheGradientsOfAStep) {
  const auto run = [&](double scale) {
    manual_seed(1);
    nn::Linear net(3, 2);
    const Tensor x = numbers({4, 3}).requires_grad_();
    const Tensor loss = (net->forward(x) * scale).sum();
    loss.backward();
    NamedTensors step = {{"loss", loss}};
    append_gradients(step, *net);
    append_gradients(step, NamedTensors{{"x", x}});
    return golden_report("linear", step, options());
  };
  EXPECT_TRUE(run(1).passed());
  EXPECT_TRUE(run(1).passed());
  const std::string text = run(1.001).text();
  for (const char* part : {"'loss'", "'weight.grad'", "'bias.grad'", "'x.grad'"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  NamedTensors none;
  expect_error<ValueError>("expected a gradient of 'weight'",
                           [&] { append_gradients(none, *nn::Linear(2, 2)); });
}

TEST_F(Golden, TheFolderIsTheCallersTheEnvironmentsOrBesideTheSource) {
  const std::string beside = folder_.path("some_test.cpp");
  golden_report("a", step(), {}, beside.c_str());
  EXPECT_TRUE(std::filesystem::exists(folder_.path("golden/a.safetensors")));
  expect_error<ValueError>("leads nowhere from",
                           [&] { golden_report("a", step(), {}, "no/such/test.cpp"); });
  const Environment folder("TAPER_GOLDEN_DIR", folder_.path("set").c_str());
  golden_report("part/a", step(), {}, beside.c_str());
  EXPECT_TRUE(std::filesystem::exists(folder_.path("set/part/a.safetensors")));
}

// ---------------------------------------------------------------------- bad use
TEST_F(Golden, RefusesFilesOfOthers) {
  save(values({1, 2}), file("theirs"));
  expect_error("is another program's", [&] { golden_report("theirs", step(), options()); });
  record("step");
  std::filesystem::copy(file("step"), file("copy"));
  expect_error("was written for 'step', not for 'copy'",
               [&] { golden_report("copy", step(), options()); });
}

TEST_F(Golden, RefusesCutFiles) {
  record("step");
  const auto whole = std::filesystem::file_size(file("step"));
  for (const auto nbytes : {whole - 1, whole / 2, decltype(whole)(5), decltype(whole)(0)}) {
    std::filesystem::resize_file(file("step"), nbytes);
    expect_error("golden: cannot use", [&] { golden_report("step", step(), options()); });
    expect_error("TAPER_GOLDEN=update", [&] { golden_report("step", step(), options()); });
  }
  const Environment update("TAPER_GOLDEN", "update");
  EXPECT_NE(golden_report("step", step(), options()).text().find("replaced: golden: cannot use"),
            std::string::npos);
}

TEST_F(Golden, RefusesChangedFiles) {
  record("step");
  std::fstream f(file("step"), std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(-3, std::ios::end);
  f.put('x');
  f.close();
  expect_error("golden: cannot use", [&] { golden_report("step", step(), options()); });
}

TEST_F(Golden, RefusesBadNamesAndModes) {
  for (const char* name : {"", "/abs", "../up", "a b", "a*"})
    expect_error<ValueError>("expected a name", [&] { golden_report(name, step(), options()); });
  expect_error<ValueError>("at least one tensor", [&] { golden_report("a", {}, options()); });
  expect_error<ValueError>("got an undefined one", [&] {
    golden_report("a", NamedTensors{{"x", Tensor()}}, options());
  });
  expect_error<ValueError>("got 'x' twice", [&] {
    golden_report("a", NamedTensors{{"x", values({1})}, {"x", values({1})}}, options());
  });
  const Environment mode("TAPER_GOLDEN", "maybe");
  expect_error<ValueError>("update, require or compare, got 'maybe'",
                           [&] { golden_report("a", step(), options()); });
}

// The matchers: what they accept, and what their failures say.

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(TensorMatchers, AcceptWhatIsClose) {
  const Tensor x = values({1, 2, 3});
  EXPECT_TENSOR_CLOSE(x, x + 1e-6);
  EXPECT_TENSOR_CLOSE(x, x.to(kDouble));
  EXPECT_TENSOR_CLOSE(x, x + 0.5, 0, 0.6);
  EXPECT_TENSOR_CLOSE(x, x + 0.5, Tolerance{0.5, 0}) << "more";
  EXPECT_TENSOR_CLOSE(values({kInf, -kInf}), values({kInf, -kInf}));
  EXPECT_TENSOR_CLOSE(Tensor(), Tensor());
  EXPECT_TENSOR_CLOSE(tensor_of({0, 3}, {}), tensor_of({0, 3}, {}));
  EXPECT_TENSOR_EQUAL(x, x.clone());
  EXPECT_TENSOR_EQUAL(values({NAN, 0}), values({NAN, -0.0}));
  EXPECT_TENSOR_EQUAL(counting({2, 3}).t(), counting({2, 3}).t().contiguous());
  EXPECT_TENSOR_FINITE(x);
  ASSERT_TENSOR_CLOSE(x, x);
  ASSERT_TENSOR_EQUAL(x, x);
  ASSERT_TENSOR_FINITE(x);
}

TEST(TensorMatchers, RejectWhatIsNot) {
  const Tensor x = values({1, 2, 3});
  EXPECT_NE(difference(x, x + 1e-3), "");
  EXPECT_NE(difference(x, values({1, 2})), "");
  EXPECT_NE(difference(x, Tensor()), "");
  EXPECT_NE(difference(Tensor(), x), "");
  EXPECT_NE(inequality(x, x + 1e-6), "");
  EXPECT_NE(inequality(x, x.to(kDouble)), "");
  EXPECT_NE(difference(counting({3}, kLong), counting({3}, kLong, 1)), "");
}

TEST(TensorMatchers, TellWholeNumbersApartThatDoublesDoNot) {
  const Tensor x = full({2, 2}, int64_t{1} << 53, kLong), y = x.clone();
  y[1][0] += 1;
  EXPECT_NE(inequality(y, x).find("1 of 4 elements differ"), std::string::npos) << inequality(y, x);
  EXPECT_NE(difference(y, x).find("9007199254740993, want 9007199254740992 at [1, 0]"),
            std::string::npos)
      << difference(y, x);
  EXPECT_EQ(difference(y, x, {0, 1}), "");
  const Tensor high = full({2}, Scalar(UINT64_MAX), kUInt64);
  EXPECT_NE(inequality(high, full({2}, Scalar(UINT64_MAX - 1), kUInt64)), "");
  EXPECT_TENSOR_EQUAL(high, high.clone());
  EXPECT_TENSOR_CLOSE(y, y.clone());
}

TEST(TensorMatchers, CompareStoredDtypes) {
  for (const ScalarType t : {kUInt16, kUInt32, kUInt64, kFloat8_e5m2, kFloat8_e4m3fn,
                             kFloat8_e5m2fnuz, kFloat8_e4m3fnuz, kFloat8_e8m0fnu}) {
    const Tensor x = values({1, 2, 4}).to(t), other = values({1, 2, 8}).to(t);
    EXPECT_TENSOR_EQUAL(x, x.clone()) << t;
    EXPECT_TENSOR_CLOSE(x, values({1, 2, 4})) << t;
    EXPECT_TENSOR_FINITE(x) << t;
    EXPECT_NE(inequality(x, other), "") << t;
    EXPECT_NE(difference(x, other), "") << t;
  }
}

TEST(TensorMatchers, ANaNIsNeverCloseNorInfinityToANumber) {
  for (const double strange : {double(NAN), kInf, -kInf}) {
    EXPECT_NE(difference(values({strange}), values({1}), {1e9, 1e9}), "");
    EXPECT_NE(difference(values({1}), values({strange}), {1e9, 1e9}), "");
    EXPECT_NE(not_finite(values({1, strange})), "");
  }
  EXPECT_NE(difference(values({NAN}), values({NAN}), {1e9, 1e9}), "");
  EXPECT_NE(difference(values({kInf}), values({-kInf}), {1e9, 1e9}), "");
}

TEST(TensorMatchers, CompareComplexNumbersByTheirDistance) {
  const Tensor z = complex_values({3, 4, 0, 1});
  EXPECT_TENSOR_CLOSE(z, z + 1e-8);
  EXPECT_TENSOR_EQUAL(z, z.clone());
  // 0.1 beside a number of size 5, whose imaginary part alone would allow less.
  EXPECT_EQ(difference(z, complex_values({3, 4, 0, 1.1}), {0, 0.11}), "");
  EXPECT_EQ(difference(complex_values({3.4, 4}), complex_values({3, 4}), {0.1, 0}), "");
  EXPECT_NE(difference(complex_values({3.6, 4}), complex_values({3, 4}), {0.1, 0}), "");
  EXPECT_NE(difference(z, z.conj()), "");
  EXPECT_NE(difference(complex_values({1, NAN}), complex_values({1, 2}), {1e9, 1e9}), "");
  EXPECT_NE(not_finite(complex_values({1, 2, 3, kInf})).find("1 of 2 elements are not finite"),
            std::string::npos);
  EXPECT_NE(difference(z, view_as_real(z).select(1, 0)).find("expected dtype Double"),
            std::string::npos);
  EXPECT_NE(difference(z, complex_values({3, 4, 0, 2})).find("got 0+1j, want 0+2j: difference 1"),
            std::string::npos);
}

TEST(TensorMatchers, SayWhereAndByHowMuch) {
  const Tensor want = counting({2, 3}), got = want.clone();
  got[1][0].fill_(3.5);
  got[1][2].fill_(4);
  const std::string text = difference(got, want);
  for (const char* part :
       {"2 of 6 elements differ (Float [2, 3], rtol 1.3e-06, atol 1e-05)",
        "worst at [1, 2]: got 4, want 5: difference 1, tolerance 1.65e-05", "[1, 0]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(not_finite(values({1, NAN})).find("the first is nan at [1]"), std::string::npos);
  EXPECT_NE(difference(values({1}), want).find("expected sizes [2, 3], got [1]"),
            std::string::npos);
}

TEST(TensorMatchers, FailAsGoogleTestDoes) {
  static const Tensor x = values({1, 2}), y = values({1, 2.5});
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_CLOSE(x, y), "TENSOR_CLOSE(x, y): 1 of 2 elements differ");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_CLOSE(x, y), "worst at [1]: got 2, want 2.5");
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_EQUAL(x, y), "TENSOR_EQUAL(x, y)");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_EQUAL(x, y), "TENSOR_EQUAL(x, y)");
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_FINITE(x / 0), "not finite");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_FINITE(x / 0), "not finite");
}

TEST(TensorMatchers, GradcheckFormsFailWithTheReport) {
  static const Tensor x = numbers({2, 3}, kDouble).requires_grad_();
  static const auto cut = [](const Tensor& a) { return a.detach() * a; };
  static const auto right = [](const Tensor& a) { return a * a; };
  EXPECT_GRADCHECK(right, {x});
  ASSERT_GRADCHECK(right, {x}, autograd::GradcheckOptions().fast_mode(true));
  EXPECT_GRADGRADCHECK(right, {x});
  ASSERT_GRADGRADCHECK(right, {x});
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(cut, {x}), "Jacobian mismatch");
  EXPECT_FATAL_FAILURE(ASSERT_GRADCHECK(cut, {x}), "is 0.5 times the numeric one");
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADGRADCHECK(cut, {x}), "Jacobian mismatch");
  EXPECT_FATAL_FAILURE(ASSERT_GRADGRADCHECK(cut, {x}), "Jacobian mismatch");
}

}  // namespace
}  // namespace torch::taper::testing
