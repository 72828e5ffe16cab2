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

/// Thrown if an operator breaks its schema, or if its derivative is wrong.
class OpCheckError : public Error {
  using Error::Error;
};

/// Options of opcheck.
struct OpcheckOptions {
  /// Names of the checks to run.
  /// - "test_schema": the operator changes only arguments with `!` in the schema. It returns as
  ///   many results as the schema declares. Results share memory with arguments only if the schema
  ///   declares an alias.
  /// - "test_autograd_registration": floating results have a history if an argument requires a
  ///   gradient.
  /// - "test_gradients": gradcheck passes. The check is skipped if an argument that requires a
  ///   gradient is not of dtype double.
  /// - "test_vmap": func::vmap over two examples gives the results of two calls.
  TAPER_ARG(std::vector<std::string>, test_utils) = {"test_schema", "test_autograd_registration",
                                                     "test_gradients", "test_vmap"};
  /// With false, opcheck returns the messages of errors instead of throwing OpCheckError.
  TAPER_ARG(bool, raise_exception) = true;
  /// Absolute tolerance of gradients and of vmap.
  TAPER_ARG(double, atol) = 1e-5;
  /// Relative tolerance of gradients and of vmap.
  TAPER_ARG(double, rtol) = 1e-3;
};

/// Calls the operator `op` and runs the checks of options.test_utils. Missing arguments get the
/// defaults of the schema. Checks that could change `arguments` call `op` with copies of the
/// tensors. Returns a map from the name of each check to "SUCCESS", "SKIPPED: " with a reason, or
/// the error. If a check fails, throws OpCheckError, unless raise_exception is false. Throws Error
/// for an unknown check, and for missing or too many arguments.
std::map<std::string, std::string> opcheck(const OperatorHandle& op,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options = {});
/// Checks the operator with this name, "ns::name" or "ns::name.overload". Throws Error for an
/// unknown operator.
std::map<std::string, std::string> opcheck(const std::string& name,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options = {});

}  // namespace torch::taper::testing
