// Walks the registry: every case, each of the ten properties, as a test of its own.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include <taper/framework/kernel/op_lists.h>
#include <taper/framework/runtime/devices.h>

#include "harness/check.h"

namespace torch::taper::testing {
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
TEST_P(OpCases, Forms) { expect_none(check_forms(op())); }
TEST_P(OpCases, Errors) { expect_none(check_errors(op())); }

TEST_P(OpCases, Tangent) { expect_none(check_tangent(op())); }
TEST_P(OpCases, Batched) {
  std::string refused;
  expect_none(check_batched(op(), &refused));
  if (!refused.empty()) std::cout << "refused: " << op().name << ": " << refused << "\n";
}

// Ops that throw in a capture: their shapes depend on values, or they refuse some, a divisor of 0
// or a singular matrix.
const std::set<std::string> kNeedValues = {"div_floor",
                                           "div_trunc",
                                           "floor_divide",
                                           "fmod",
                                           "remainder",
                                           "number_remainder",
                                           "masked_select",
                                           "masked_scatter",
                                           "linalg_cholesky",
                                           "linalg_det",
                                           "linalg_eigh",
                                           "linalg_inv",
                                           "linalg_lu_factor",
                                           "linalg_matrix_exp",
                                           "linalg_pinv",
                                           "linalg_solve",
                                           "linalg_svd",
                                           "combinations",
                                           "linalg_slogdet",
                                           "logdet",
                                           "linalg_eigvalsh",
                                           "linalg_svdvals",
                                           "linalg_matrix_rank",
                                           "linalg_matrix_norm_2",
                                           "linalg_matrix_norm_nuc",
                                           "cholesky_inverse",
                                           "cholesky_solve",
                                           "linalg_tensorinv",
                                           "linalg_tensorsolve",
                                           "ctc_loss",
                                           "bincount",
                                           "_pack_padded_sequence",
                                           "_pad_packed_sequence",
                                           "_unique",
                                           "_unique2",
                                           "unique_dim",
                                           "unique_consecutive",
                                           "unique_dim_consecutive",
                                           "histogramdd_equal_parts",
                                           "linalg_eig",
                                           "linalg_eigvals",
                                           "istft",
                                           "nonzero",
                                           "one_hot",
                                           "symeig",
                                           "svd",
                                           "nuclear_norm"};
// And where it is the CPU that is captured: they read sizes or places that are on the CPU always.
const std::set<std::string> kNeedValuesOfCpu = {"gru",
                                                "linalg_lstsq",
                                                "lstm",
                                                "nanquantile",
                                                "rnn_relu",
                                                "rnn_tanh",
                                                "quantile_higher",
                                                "quantile_linear",
                                                "quantile_lower",
                                                "quantile_midpoint",
                                                "quantile_nearest"};
// And where it is a device: cuSOLVER waits for it in between.
const std::set<std::string> kNeedValuesOfDevices = {"linalg_ldl_solve"};

void expect_captured(const OpCase& c, Device device) {
  std::string refused;
  expect_none(check_capture(c, device, &refused));
  const bool needs_values =
      kNeedValues.count(c.name) ||
      (device.is_cpu() ? kNeedValuesOfCpu : kNeedValuesOfDevices).count(c.name);
  EXPECT_EQ(!refused.empty(), needs_values) << refused;
  if (!refused.empty()) std::cout << "skipped: " << c.name << ": " << refused << "\n";
}
TEST_P(OpCases, Capture) { expect_captured(op(), Device()); }
TEST_P(OpCases, CaptureOnDevice) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_captured(op(), Device(kCUDA, 0));
}

INSTANTIATE_TEST_SUITE_P(Ops, OpCases, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(OpRegistry, HasNoTwoCasesOfOneName) {
  for (const std::string& name : repeated_names()) ADD_FAILURE() << name;
}

enum FormsOf { kPlain = 0, kOut = 1, kInplace = 2, kAllForms = kOut | kInplace };

/// Each listed op must have a case, with the forms that the list gives it.
void expect_cases(const std::vector<std::string>& listed, int forms) {
  for (const std::string& name : listed) {
    if (!has_case(name)) {
      ADD_FAILURE() << name << " has no case";
      continue;
    }
    const OpCase& c = case_of(name);
    if (forms & kInplace) EXPECT_TRUE(c.inplace) << name << " has no in-place form";
    if (forms & kOut) EXPECT_TRUE(c.out) << name << " has no out form";
  }
}

/// The names of a list's ops of one kind, with something before and behind.
struct Listed {
  const char *name, *kind;
};
std::vector<std::string> of_kind(const std::vector<Listed>& ops, const std::string& kind,
                                 const std::string& before = "", const std::string& behind = "") {
  std::vector<std::string> names;
  for (const Listed& op : ops)
    if (op.kind == kind) names.push_back(before + op.name + behind);
  EXPECT_FALSE(names.empty()) << kind;
  return names;
}

#define TAPER_LISTED_OP(name, kind) {#name, #kind},

TEST(OpRegistry, HoldsEveryListedUnaryOp) {
  const std::vector<Listed> ops = {TAPER_UNARY_OPS(TAPER_LISTED_OP)};
  expect_cases(of_kind(ops, "floating"), kAllForms);
  expect_cases(of_kind(ops, "same"), kAllForms);
  expect_cases(of_kind(ops, "test"), kPlain);
}

TEST(OpRegistry, HoldsEveryListedBinaryOp) {
  const std::vector<Listed> ops = {TAPER_BINARY_OPS(TAPER_LISTED_OP)};
  for (const char* kind : {"with_numbers", "number_first", "comparison"}) {
    expect_cases(of_kind(ops, kind), kAllForms);
    expect_cases(of_kind(ops, kind, "", "_number"), kAllForms);
  }
  expect_cases(of_kind(ops, "number_first", "number_"), kOut);
  for (const char* kind : {"tensors", "test_of_tensors"})
    expect_cases(of_kind(ops, kind), kAllForms);
  expect_cases(of_kind(ops, "extremum"), kOut);
}

#undef TAPER_LISTED_OP

}  // namespace
}  // namespace torch::taper::testing
