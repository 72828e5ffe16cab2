// Code that the source files of gradcheck share: the function `fn` with its inputs, its outputs,
// and its derivatives. Not installed.
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
/// backward from the cotangent i gives the row of the imaginary part.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> v;
  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), v(static_cast<size_t>(r * c), 0) {}
  double& at(int64_t r, int64_t c) { return v[static_cast<size_t>(r * columns + c)]; }
  double at(int64_t r, int64_t c) const { return v[static_cast<size_t>(r * columns + c)]; }
};

/// Holds the function `fn` that gradcheck checks, its inputs and its first outputs. The checks call
/// fn again and compare with these outputs.
class Problem {
 public:
  /// Calls fn once. Throws ValueError or Error for invalid arguments.
  Problem(const TensorFunction& fn, const variable_list& inputs, const GradcheckOptions& options,
          GradcheckReport& report);

  /// Calls fn with these inputs.
  variable_list call(const variable_list& inputs) const;
  /// Calls fn with the inputs. Sets `to` to the values of all floating and complex outputs, one
  /// output after the other. Throws Error if the number of outputs, their sizes, or whether they
  /// are complex, differ from the first call.
  void values(std::vector<double>& to) const;

  std::string input_name(size_t wanted) const;
  std::string output_name(size_t output) const;
  /// Returns "output 0[1, 2]".
  std::string output_place(size_t output, int64_t element) const;
  std::string input_place(size_t wanted, int64_t element) const;
  void fail(Kind kind, std::string message) const;

  /// Returns the gradients of the inputs in `wanted`. If no output depends on an input, its
  /// gradient is undefined. The graph is retained.
  variable_list gradients(const variable_list& outputs, const variable_list& cotangents) const;

  const GradcheckOptions& options;
  GradcheckReport& report;
  const variable_list& inputs;
  /// The inputs that require gradients. wanted[k] is inputs[wanted_at[k]].
  variable_list wanted;
  std::vector<size_t> wanted_at;
  /// The outputs of the first call.
  variable_list outputs;
  /// `recorded`: the indices of the outputs that have history. `floating`: the indices of the
  /// outputs that are floating or complex. offset[k]: the offset of output k in the list that
  /// values() fills.
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
/// Returns the central differences of all floating outputs with respect to each element of
/// p.wanted[wanted].
Matrix numeric_jacobian(const Problem& p, size_t wanted);
/// Returns the rows [begin, begin + count) of a matrix.
Matrix rows_of(const Matrix& j, int64_t begin, int64_t count);
/// Computes the Jacobian of output `output` by backward: one matrix for each input in p.wanted,
/// with a row for each element of the output. If `checked`, also checks sizes and dtypes of
/// gradients, and compares a second backward pass with the first.
std::vector<Matrix> analytic_jacobian(const Problem& p, size_t output, bool checked);

/// Checks that `gradient` has the sizes of input p.wanted[wanted], and is complex only if the input
/// is complex. With check_grad_dtypes, also checks dtype and device. If a check fails, adds a
/// failure to the report and returns false.
bool check_attributes(const Problem& p, size_t output, size_t wanted, const Tensor& gradient);

/// Checks every entry of the Jacobians.
void check_slowly(const Problem& p);
/// Checks random projections of the Jacobians.
void check_fast(const Problem& p);
/// Adds a failure to the report if the two matrices differ.
void compare_jacobians(const Problem& p, size_t output, size_t wanted, const Matrix& analytic,
                       const Matrix& numeric, const std::string& preface);
/// Adds a failure to the report if all derivatives were zero, unless allow_constant is set.
void check_not_constant(const Problem& p, bool found_nonzero);
/// Checks that fn is deterministic and does not change its inputs.
void check_forward(const Problem& p);
/// Checks conditions that a backward pass may violate although the Jacobian is correct.
void check_conditions(const Problem& p);
/// Compares J v, computed by func::jvp, with central differences.
void check_forward_ad(const Problem& p);
/// Compare the gradients, or J v, of a batch of vectors under func::vmap with the results for
/// single vectors.
void check_batched_grad(const Problem& p);
void check_batched_forward_grad(const Problem& p);

/// Describes the pattern common to all wrong entries. Returns an empty text if there is no such
/// pattern.
std::string pattern_of(const Matrix& analytic, const Matrix& numeric, double atol, double rtol);
/// Describes the pattern of wrong entries if rows or columns are parts of complex numbers.
std::string complex_pattern_of(const Matrix& analytic, const Matrix& numeric, bool complex_rows,
                               bool complex_columns, double atol, double rtol);
/// Returns a text with the two matrices side by side. It shows the region around the entries that
/// differ.
std::string side_by_side(const Matrix& analytic, const Matrix& numeric, const Tensor& output,
                         const Tensor& input, double atol, double rtol);
/// Returns whether |got - want| <= atol + rtol * |want|. NaN and infinity are never close.
bool is_close(double got, double want, double atol, double rtol);

}  // namespace torch::taper::testing::impl
