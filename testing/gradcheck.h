// gradcheck and gradgradcheck: gradients against central differences, in every entry.
//
//   auto x = torch::randn({3, 4}, torch::kDouble).requires_grad_();
//   torch::autograd::gradcheck([](const Tensor& x) { return my_op(x); }, {x});
//
// docs/testing_gradients.md shows how the reports read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/core/arg.h>
#include <taper/framework/core/check.h>
#include <taper/testing/function.h>

namespace torch::taper::autograd {

/// A gradient is wrong. (What cannot be checked at all throws ValueError, TypeError or Error.)
class GradcheckError : public Error {
  using Error::Error;
};

/// The names and defaults down to fast_mode are Python's.
struct GradcheckOptions {
  /// An element x is varied to x + eps and x - eps.
  TAPER_ARG(double, eps) = 1e-6;
  /// Entries are equal when |analytic - numeric| <= atol + rtol * |numeric|. A NaN never is.
  TAPER_ARG(double, atol) = 1e-5;
  /// See atol.
  TAPER_ARG(double, rtol) = 1e-3;
  /// False: gradcheck returns false where it would throw GradcheckError.
  TAPER_ARG(bool, raise_exception) = true;
  /// By how much two calls, or two backward passes, with the same inputs may differ.
  TAPER_ARG(double, nondet_tol) = 0;
  /// Undefined gradients of outputs, one at a time and all, must count as zero.
  TAPER_ARG(bool, check_undefined_grad) = true;
  /// A gradient must have the dtype and the device of its input.
  TAPER_ARG(bool, check_grad_dtypes) = false;
  /// Gradients of several cotangents over one recorded graph must add up: backward is linear.
  /// (Python runs backward under vmap, which is not part of Taper.)
  TAPER_ARG(bool, check_batched_grad) = false;
  /// Compares u^T J v for a few u and v in place of every entry of J: two calls for each v, where
  /// the slow mode needs two for each element. An entry that is wrong among many right ones may
  /// be missed.
  TAPER_ARG(bool, fast_mode) = false;

  // What Python does not check.
  /// `backward` over two calls of fn must add to a gradient that is there, whatever fn did between.
  TAPER_ARG(bool, check_accumulation) = true;
  /// Cotangents that are expanded, or have gaps in memory, must give the same gradients.
  TAPER_ARG(bool, check_layouts) = true;
  /// A floating output without history must not change with the inputs.
  TAPER_ARG(bool, check_detached_outputs) = true;
  /// Whether it is right that no output depends on any input; else it is a failure.
  TAPER_ARG(bool, allow_constant) = false;
  /// Every call of fn sees the same state of the CPU's default generator: for dropout.
  TAPER_ARG(bool, same_random_numbers) = false;
  /// Of the random projections and cotangents.
  TAPER_ARG(uint64_t, seed) = 1;
  /// What reports call the inputs and outputs; "input 0", "output 0" where there is no name.
  TAPER_ARG(std::vector<std::string>, input_names) = {};
  /// See input_names.
  TAPER_ARG(std::vector<std::string>, output_names) = {};
};

/// One thing that is wrong.
struct GradcheckFailure {
  /// What is wrong.
  enum class Kind {
    kJacobian,      ///< analytic and numeric derivatives differ
    kHistoryLost,   ///< an output changes with an input, but has no gradient
    kConstant,      ///< no output depends on any input
    kForward,       ///< fn gives something else the second time, or changes its inputs
    kNotReentrant,  ///< backward gives something else the second time
    kGradient,      ///< of another size, dtype or device than its input
    kCotangent,     ///< not multiplied by it, changed it, or depends on its layout
    kUndefined,     ///< undefined gradients of outputs are not taken as zero
    kAccumulation,  ///< gradients of two calls, or what was there, do not add up
    kBatched,       ///< backward is not linear
  };
  Kind kind;            ///< what is wrong
  std::string message;  ///< the same in words
  // For kJacobian: the worst entry, as positions in row-major order.
  size_t output = 0;           ///< which output
  size_t input = 0;            ///< which input
  int64_t output_element = 0;  ///< where in the output
  int64_t input_element = 0;   ///< where in the input
  double analytic = 0;         ///< what backward gives
  double numeric = 0;          ///< what central differences give
  double tolerance = 0;        ///< by how much they may differ
};

/// What gradcheck found.
struct GradcheckReport {
  bool passed() const { return failures.empty(); }  ///< whether nothing is wrong
  /// All failures and notes, ready to print; empty when passed without notes.
  std::string text() const;

  std::vector<GradcheckFailure> failures;  ///< all that is wrong
  /// What does not fail, but should be known: float inputs, for example.
  std::vector<std::string> notes;
};

/// Compares the gradients of fn at `inputs` (those with requires_grad, which should be kDouble or
/// kComplexDouble) with central differences. Of complex numbers, inputs and outputs, the parts are
/// varied and compared: the gradient of a real L with respect to z = a + ib is dL/da + i dL/db.
/// Returns true, or throws GradcheckError with the report's text. fn must be deterministic. It sees
/// the inputs themselves, whose elements are varied in place and restored; their `grad` stays as it
/// was. Inputs of other dtypes than kDouble are checked after a warning on standard error, and will
/// seldom pass. Throws ValueError when no input requires a gradient, when fn takes another number
/// of tensors, or when eps does not change an element; Error when an input's elements share memory;
/// whatever fn throws.
bool gradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
               const GradcheckOptions& options = {});
/// The same; wrong gradients are in the report, nothing is thrown for them.
GradcheckReport gradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                 const GradcheckOptions& options = {});

/// gradcheck of the gradients of fn, as functions of the inputs and of the gradients of the outputs
/// (random ones where `grad_outputs` is empty; they have gaps in memory with
/// `gen_non_contig_grad_outputs`).
bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const variable_list& grad_outputs = {}, const GradcheckOptions& options = {},
                   bool gen_non_contig_grad_outputs = false);
/// The same with random gradients of the outputs.
bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const GradcheckOptions& options);
/// The same; wrong gradients are in the report, nothing is thrown for them.
GradcheckReport gradgradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                     const variable_list& grad_outputs = {},
                                     const GradcheckOptions& options = {},
                                     bool gen_non_contig_grad_outputs = false);

}  // namespace torch::taper::autograd
