// Walks the registry: every case, each of the five properties, as a test of its own.
#include <gtest/gtest.h>

#include <iostream>

#include <taper/framework/op_lists.h>

#include "harness/check.h"

namespace taper::testing {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const OpCase& c : all_cases()) list.push_back(c.name);
  return list;
}

void expect_none(const Failures& failures) {
  for (const std::string& f : failures) ADD_FAILURE() << f;
}

class OpCases : public ::testing::TestWithParam<std::string> {
 protected:
  const OpCase& op() const { return find_case(GetParam()); }
};

TEST_P(OpCases, Value) { expect_none(check_value(op())); }
TEST_P(OpCases, Device) {
  std::vector<std::string> skipped;
  expect_none(check_device(op(), &skipped));
  for (const std::string& device : skipped) std::cout << "skipped: no device " << device << "\n";
}
TEST_P(OpCases, Gradient) { expect_none(check_gradient(op())); }
TEST_P(OpCases, ViewsAndState) { expect_none(check_views_and_state(op())); }
TEST_P(OpCases, Errors) { expect_none(check_errors(op())); }

INSTANTIATE_TEST_SUITE_P(Ops, OpCases, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(OpRegistry, HasNoTwoCasesOfOneName) {
  for (const std::string& name : repeated_names()) ADD_FAILURE() << name;
}

/// The ops of the lists are a table that cases can be held against: each must be there.
TEST(OpRegistry, HoldsEveryListedOp) {
  const std::vector<std::string> listed = {
#define TAPER_NAME(name) #name,
      TAPER_UNARY_FLOAT_OPS(TAPER_NAME) TAPER_UNARY_SAME_OPS(TAPER_NAME)
          TAPER_UNARY_BOOL_OPS(TAPER_NAME) TAPER_COMPARE_OPS(TAPER_NAME)
#undef TAPER_NAME
  };
  for (const std::string& name : listed) EXPECT_TRUE(has_case(name)) << name << " has no case";
}

}  // namespace
}  // namespace taper::testing
