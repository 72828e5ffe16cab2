// Golden files: recorded once, compared later, and what is refused.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/testing/gtest.h>

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

}  // namespace
}  // namespace torch::taper::testing
