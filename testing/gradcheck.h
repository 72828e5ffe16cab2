// gradcheck and gradgradcheck: compare every entry of the Jacobian with central differences.
//
//   auto x = torch::randn({3, 4}, torch::kDouble).requires_grad_();
//   torch::autograd::gradcheck([](const Tensor& x) { return my_op(x); }, {x});
//
// docs/testing_gradients.md explains the reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/core/arg.h>
#include <taper/framework/core/check.h>
#include <taper/testing/function.h>

namespace torch::taper::autograd {

/// Thrown if a gradient is wrong. (For inputs that cannot be checked, gradcheck throws ValueError,
/// TypeError or Error.)
class GradcheckError : public Error {
  using Error::Error;
};

/// Options of gradcheck. The options up to fast_mode have the names and defaults of Python's
/// gradcheck.
struct GradcheckOptions {
  /// Step of the differences: fn is computed at x + eps and x - eps for an element x.
  TAPER_ARG(double, eps) = 1e-6;
  /// Absolute tolerance: entries are close if |analytic - numeric| <= atol + rtol * |numeric|. A
  /// NaN is never close.
  TAPER_ARG(double, atol) = 1e-5;
  /// Relative tolerance, see atol.
  TAPER_ARG(double, rtol) = 1e-3;
  /// With false, gradcheck returns false instead of throwing GradcheckError.
  TAPER_ARG(bool, raise_exception) = true;
  /// Largest allowed difference between two calls, or two backward passes, with equal inputs.
  TAPER_ARG(double, nondet_tol) = 0;
  /// Whether undefined gradients of outputs must act like zeros. One check makes the gradients of
  /// all outputs undefined, and further checks make the gradient of one output undefined.
  TAPER_ARG(bool, check_undefined_grad) = true;
  /// Whether a gradient must have the dtype and the device of its input.
  TAPER_ARG(bool, check_grad_dtypes) = false;
  /// Whether func::vmap of backward over several cotangents must give the gradients of the single
  /// cotangents. It also checks that backward of the sum of two cotangents gives the sum of their
  /// gradients. fn must work in func::vmap.
  TAPER_ARG(bool, check_batched_grad) = false;
  /// Whether func::vmap of func::jvp over several tangents must give the results of the single
  /// tangents. This option needs check_forward_ad.
  TAPER_ARG(bool, check_batched_forward_grad) = false;
  /// Whether J v, computed by func::jvp, must equal central differences. gradgradcheck then checks
  /// forward mode over reverse mode.
  TAPER_ARG(bool, check_forward_ad) = false;
  /// Whether gradients by backward are checked.
  TAPER_ARG(bool, check_backward_ad) = true;
  /// Whether to compare u^T J v for a few vectors u and v instead of every entry of the Jacobian J.
  /// The fast mode calls fn twice for each v. The slow mode calls fn twice for each element. The
  /// fast mode may miss a single wrong entry among many.
  TAPER_ARG(bool, fast_mode) = false;

  // Checks that Python's gradcheck does not have.
  /// Whether one `backward` through two calls of fn must add both gradients to an existing
  /// gradient.
  TAPER_ARG(bool, check_accumulation) = true;
  /// Whether cotangents that are expanded, or have gaps in memory, must give equal gradients.
  TAPER_ARG(bool, check_layouts) = true;
  /// Whether it is a failure if a floating output without history changes with the inputs.
  TAPER_ARG(bool, check_detached_outputs) = true;
  /// Whether all outputs may be constant. If false, constant outputs are a failure.
  TAPER_ARG(bool, allow_constant) = false;
  /// Whether every call of fn starts with the same states of the default generators, for example
  /// for dropout.
  TAPER_ARG(bool, same_random_numbers) = false;
  /// Seed of the random projections and cotangents.
  TAPER_ARG(uint64_t, seed) = 1;
  /// Names of inputs in reports. The default names are "input 0", "input 1", and so on.
  TAPER_ARG(std::vector<std::string>, input_names) = {};
  /// Names of outputs in reports. The default names are "output 0", "output 1", and so on.
  TAPER_ARG(std::vector<std::string>, output_names) = {};
};

/// Describes one failure of a gradcheck.
struct GradcheckFailure {
  /// Kinds of failures.
  enum class Kind {
    kJacobian,        ///< analytic and numeric derivatives differ
    kHistoryLost,     ///< an output changes with an input, but has no gradient
    kConstant,        ///< no output depends on any input
    kForward,         ///< the second call of fn gives another result, or fn changes its inputs
    kNotReentrant,    ///< the second backward pass gives another result
    kGradient,        ///< size, dtype or device of a gradient differs from its input's
    kCotangent,       ///< backward ignores or changes a cotangent, or depends on its layout
    kUndefined,       ///< undefined gradients of outputs do not act like zeros
    kAccumulation,    ///< gradients of two calls, or an existing gradient, do not add up
    kBatched,         ///< backward is not linear, or differs for a batch
    kForwardAD,       ///< J v differs from the difference quotient
    kBatchedForward,  ///< J v differs for a batch
  };
  Kind kind;            ///< kind of failure
  std::string message;  ///< description
  // For kJacobian: the worst entry of the Jacobian. Positions are counted in row-major order.
  size_t output = 0;           ///< index of the output
  size_t input = 0;            ///< index of the input
  int64_t output_element = 0;  ///< position in the output
  int64_t input_element = 0;   ///< position in the input
  double analytic = 0;         ///< derivative by backward
  double numeric = 0;          ///< derivative by central differences
  double tolerance = 0;        ///< allowed difference
};

/// The result of gradcheck.
struct GradcheckReport {
  bool passed() const { return failures.empty(); }  ///< whether there are no failures
  /// Returns all failures and notes, ready to print. The text is empty if there are none.
  std::string text() const;

  std::vector<GradcheckFailure> failures;  ///< all failures
  /// Remarks that are not failures, for example about float inputs.
  std::vector<std::string> notes;
};

/// Compares the gradients of fn at `inputs` with central differences. Inputs with requires_grad are
/// checked, and should be kDouble or kComplexDouble. For complex inputs and outputs, the real and
/// imaginary parts are varied and compared. The gradient of a real L with respect to z = a + ib is
/// dL/da + i dL/db. Returns true, or throws GradcheckError with the report's text. fn must be
/// deterministic. fn gets the inputs themselves. gradcheck changes elements of the inputs in-place,
/// and restores them. The `grad` of the inputs is unchanged at the end. Inputs of other dtypes
/// cause a warning on standard error, and seldom pass. Throws ValueError if no input requires a
/// gradient, if fn takes another number of tensors, or if eps does not change an element. Also
/// throws ValueError for options that contradict each other. Throws Error if elements of an input,
/// or two inputs, share memory. Also throws the errors of fn.
bool gradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
               const GradcheckOptions& options = {});
/// Returns the report of gradcheck. Wrong gradients are in the report and do not throw.
GradcheckReport gradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                 const GradcheckOptions& options = {});

/// Runs gradcheck on the gradients of fn, as functions of the inputs and of the gradients of the
/// outputs. If `grad_outputs` is empty, the gradients of the outputs are random. With
/// `gen_non_contig_grad_outputs`, the random gradients have gaps in memory.
bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const variable_list& grad_outputs = {}, const GradcheckOptions& options = {},
                   bool gen_non_contig_grad_outputs = false);
/// Runs gradgradcheck with random gradients of the outputs.
bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const GradcheckOptions& options);
/// Returns the report of gradgradcheck. Wrong gradients are in the report and do not throw.
GradcheckReport gradgradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                     const variable_list& grad_outputs = {},
                                     const GradcheckOptions& options = {},
                                     bool gen_non_contig_grad_outputs = false);

}  // namespace torch::taper::autograd
