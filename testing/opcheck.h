// opcheck: checks a registered operator against its schema.
//
//   TORCH_LIBRARY(my, m) { m.def("scale(Tensor x, float by=2.) -> Tensor", scale); }
//   torch::testing::opcheck("my::scale", {x, 3.0});
//
// The name and the results are those of Python's torch.library.opcheck.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <taper/extension/dispatcher.h>
#include <taper/framework/core/arg.h>

namespace torch::taper::testing {

/// An operator breaks its schema, or its derivative is wrong.
class OpCheckError : public Error {
  using Error::Error;
};

/// Options of opcheck.
struct OpcheckOptions {
  /// Names of the checks to run.
  /// - "test_schema": the operator changes only arguments with `!` in the schema. Results share
  ///   memory only as the schema says, and there are as many as it says.
  /// - "test_autograd_registration": floating results have a history if an argument requires a
  ///   gradient.
  /// - "test_gradients": gradcheck with the arguments of dtype double that require gradients.
  /// - "test_vmap": func::vmap over two examples gives the results of two calls.
  TAPER_ARG(std::vector<std::string>, test_utils) = {"test_schema", "test_autograd_registration",
                                                     "test_gradients", "test_vmap"};
  /// With false, opcheck returns the errors instead of throwing OpCheckError.
  TAPER_ARG(bool, raise_exception) = true;
  /// Absolute tolerance of gradients and of vmap.
  TAPER_ARG(double, atol) = 1e-5;
  /// Relative tolerance of gradients and of vmap.
  TAPER_ARG(double, rtol) = 1e-3;
};

/// Calls an operator and checks that it keeps to its schema. Missing arguments get their defaults.
/// The operator gets copies of the tensors. Returns for each check "SUCCESS", "SKIPPED: " with a
/// reason, or the error. Throws OpCheckError for the first error, and Error for an unknown
/// operator, check or argument.
std::map<std::string, std::string> opcheck(const OperatorHandle& op,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options = {});
/// Does so for "ns::name" or "ns::name.overload".
std::map<std::string, std::string> opcheck(const std::string& name,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options = {});

}  // namespace torch::taper::testing
