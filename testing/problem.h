// Code shared by the source files of gradcheck: the function with its inputs, its recorded outputs,
// and the derivatives. Not installed.
#pragma once

#include <taper/framework/random/generator_states.h>
#include <taper/testing/gradcheck.h>
#include <taper/testing/memory.h>

namespace torch::taper::testing::impl {

using autograd::GradcheckFailure;
using autograd::GradcheckOptions;
using autograd::GradcheckReport;
using autograd::variable_list;
using Kind = GradcheckFailure::Kind;
using taper::detail::concat;

/// A Jacobian. Rows are elements of an output, and columns are elements of an input. A complex
/// element has two rows or columns, one for each part. The gradient of a complex z = a + ib is
/// dL/da + i dL/db. Therefore, backward from the cotangent 1 gives the row of the real part, and
/// backward from i gives that of the imaginary part.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> v;
  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), v(static_cast<size_t>(r * c), 0) {}
  double& at(int64_t r, int64_t c) { return v[static_cast<size_t>(r * columns + c)]; }
  double at(int64_t r, int64_t c) const { return v[static_cast<size_t>(r * columns + c)]; }
};

/// fn with its inputs and its first result. The checks run fn again and compare with this result.
class Problem {
 public:
  /// Calls fn once. Throws for invalid arguments.
  Problem(const TensorFunction& fn, const variable_list& inputs, const GradcheckOptions& options,
          GradcheckReport& report);

  /// Calls fn with these inputs.
  variable_list call(const variable_list& inputs) const;
  /// Calls fn with the inputs and returns the values of all floating and complex outputs,
  /// consecutively. Throws Error if the outputs differ in kind from the first call's.
  void values(std::vector<double>& to) const;

  std::string input_name(size_t wanted) const;
  std::string output_name(size_t output) const;
  /// Returns "output 0[1, 2]".
  std::string output_place(size_t output, int64_t element) const;
  std::string input_place(size_t wanted, int64_t element) const;
  void fail(Kind kind, std::string message) const;

  /// Returns the gradients of the wanted inputs. Undefined gradients stay undefined. The graph is
  /// retained.
  variable_list gradients(const variable_list& outputs, const variable_list& cotangents) const;

  const GradcheckOptions& options;
  GradcheckReport& report;
  const variable_list& inputs;
  /// The inputs that require gradients, and their positions among the inputs.
  variable_list wanted;
  std::vector<size_t> wanted_at;
  /// The outputs of the first call.
  variable_list outputs;
  /// The outputs that have history, those that are floating or complex, and their offsets in
  /// values().
  std::vector<size_t> recorded;
  std::vector<size_t> floating;
  std::vector<int64_t> offset;
  int64_t num_values = 0;

 private:
  void check_inputs();
  void check_input(size_t i);
  void record();

  const TensorFunction& fn_;
  optional<taper::detail::GeneratorStates> random_states_;
};

/// Returns the outputs of a list that are floating or complex and have history.
variable_list recorded_of(const variable_list& outputs);
/// Returns random cotangents for `outputs`. Equal seeds give equal cotangents.
variable_list cotangents_for(const variable_list& outputs, uint64_t seed);
/// Computes central differences of all floating outputs with respect to each element of one wanted
/// input.
Matrix numeric_jacobian(const Problem& p, size_t wanted);
/// Returns some rows of a matrix.
Matrix rows_of(const Matrix& j, int64_t begin, int64_t count);
/// Computes one matrix for each wanted input, with a row for each element of the output. If
/// `checked`, it also checks sizes and dtypes, and compares a second pass with the first.
std::vector<Matrix> analytic_jacobian(const Problem& p, size_t output, bool checked);

/// Checks the gradient's sizes and whether it is complex as its input is. If requested, also checks
/// dtype and device. Reports a failure and returns false if a check fails.
bool check_attributes(const Problem& p, size_t output, size_t wanted, const Tensor& gradient);

/// Checks every entry of the Jacobians.
void check_slowly(const Problem& p);
/// Checks random projections of the Jacobians.
void check_fast(const Problem& p);
/// Adds a failure to the report if the two matrices differ.
void compare_jacobians(const Problem& p, size_t output, size_t wanted, const Matrix& analytic,
                       const Matrix& numeric, const std::string& preface);
/// Fails if all derivatives were zero.
void check_not_constant(const Problem& p, bool found_nonzero);
/// Checks that fn is deterministic and does not change its inputs.
void check_forward(const Problem& p);
/// Checks the conditions that a gradient may violate although the Jacobian is correct.
void check_conditions(const Problem& p);
/// Compares J v by func::jvp with differences.
void check_forward_ad(const Problem& p);
/// Compare gradients, or J v, of a batch of vectors with those of one vector at a time.
void check_batched_grad(const Problem& p);
void check_batched_forward_grad(const Problem& p);

/// Describes the pattern common to all wrong entries. Returns an empty text if there is no such
/// pattern.
std::string pattern_of(const Matrix& analytic, const Matrix& numeric, double atol, double rtol);
/// Describes the pattern if rows or columns are parts of complex numbers.
std::string complex_pattern_of(const Matrix& analytic, const Matrix& numeric, bool complex_rows,
                               bool complex_columns, double atol, double rtol);
/// Returns the two matrices side by side, around the entries that differ.
std::string side_by_side(const Matrix& analytic, const Matrix& numeric, const Tensor& output,
                         const Tensor& input, double atol, double rtol);
/// Returns whether `got` is close to `want`. NaN and infinity never are.
bool is_close(double got, double want, double atol, double rtol);

}  // namespace torch::taper::testing::impl
