// What gradcheck's parts share: the function with its inputs, its recorded outputs, the
// derivatives. Not installed.
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

/// Rows are elements of an output, columns are elements of an input; a complex element is two of
/// them, its parts. Since the gradient of a complex z = a + ib is dL/da + i dL/db, backward from
/// the cotangents 1 and i gives the rows of the real and the imaginary part.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> v;
  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), v(static_cast<size_t>(r * c), 0) {}
  double& at(int64_t r, int64_t c) { return v[static_cast<size_t>(r * columns + c)]; }
  double at(int64_t r, int64_t c) const { return v[static_cast<size_t>(r * columns + c)]; }
};

/// fn at its inputs. Made once; the checks run it again and compare with what it gave first.
class Problem {
 public:
  /// Throws for bad use; calls fn once.
  Problem(const TensorFunction& fn, const variable_list& inputs, const GradcheckOptions& options,
          GradcheckReport& report);

  /// Calls fn with these inputs.
  variable_list call(const variable_list& inputs) const;
  /// Calls fn with the inputs and returns the values of all floating and complex outputs, one
  /// behind the other. Throws Error when there are others than at first.
  void values(std::vector<double>& to) const;

  std::string input_name(size_t wanted) const;
  std::string output_name(size_t output) const;
  /// "output 0[1, 2]".
  std::string output_place(size_t output, int64_t element) const;
  std::string input_place(size_t wanted, int64_t element) const;
  void fail(Kind kind, std::string message) const;

  /// Gradients of the wanted inputs; undefined ones stay so. The graph is retained.
  variable_list gradients(const variable_list& outputs, const variable_list& cotangents) const;

  const GradcheckOptions& options;
  GradcheckReport& report;
  const variable_list& inputs;
  /// The inputs that require gradients, and where each stands among the inputs.
  variable_list wanted;
  std::vector<size_t> wanted_at;
  /// What fn returned.
  variable_list outputs;
  /// Which of the outputs have history; which are floating or complex, and where each begins in
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

/// The outputs of a list that have history, floating or complex.
variable_list recorded_of(const variable_list& outputs);
/// Random cotangents for them, the same for the same seed.
variable_list cotangents_for(const variable_list& outputs, uint64_t seed);
/// Central differences of all floating outputs by the elements of one wanted input.
Matrix numeric_jacobian(const Problem& p, size_t wanted);
/// One matrix for each wanted input, a row for each element of the output. Compares sizes, dtypes,
/// and a second pass with the first where `checked`.
std::vector<Matrix> analytic_jacobian(const Problem& p, size_t output, bool checked);

/// Sizes and whether it is complex always, dtype and device where asked for. A failure when one is
/// wrong; then false.
bool check_attributes(const Problem& p, size_t output, size_t wanted, const Tensor& gradient);

/// Every entry of the Jacobians.
void check_slowly(const Problem& p);
/// Random projections of the Jacobians.
void check_fast(const Problem& p);
/// The report's entry when the two differ; nothing when they are close.
void compare_jacobians(const Problem& p, size_t output, size_t wanted, const Matrix& analytic,
                       const Matrix& numeric, const std::string& preface);
/// Fails when no derivative was found to be other than zero.
void check_not_constant(const Problem& p, bool found_nonzero);
/// fn is deterministic and leaves its inputs alone.
void check_forward(const Problem& p);
/// All that a right Jacobian does not show.
void check_conditions(const Problem& p);

/// Names what all wrong entries have in common; empty when nothing is found.
std::string pattern_of(const Matrix& analytic, const Matrix& numeric, double atol, double rtol);
/// The same where rows or columns are parts of complex numbers.
std::string complex_pattern_of(const Matrix& analytic, const Matrix& numeric, bool complex_rows,
                               bool complex_columns, double atol, double rtol);
/// The two matrices side by side, around the entries that differ.
std::string side_by_side(const Matrix& analytic, const Matrix& numeric, const Tensor& output,
                         const Tensor& input, double atol, double rtol);
/// Whether a value counts as right. A NaN, or anything infinite, never does.
bool is_close(double got, double want, double atol, double rtol);

}  // namespace torch::taper::testing::impl
