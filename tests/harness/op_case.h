// OpCase: all that the harness must know about one op. A case is registered once, and its
// properties are checked (see docs/contributing/testing.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/array.h"

namespace torch::taper::testing {

/// The arguments of one call: tensors, and the numbers that the op takes beside them.
struct Args {
  std::vector<Tensor> t;
  std::vector<int64_t> i = {};
  std::vector<double> d = {};
};
/// The same for the reference.
struct ArrayArgs {
  std::vector<Array> t;
  std::vector<int64_t> i;
  std::vector<double> d;
};

/// The results of an op; one tensor converts.
struct Results : std::vector<Tensor> {
  using std::vector<Tensor>::vector;
  Results(Tensor t) { push_back(std::move(t)); }
  Results(std::vector<Tensor> list) : std::vector<Tensor>(std::move(list)) {}
};
struct Arrays : std::vector<Array> {
  using std::vector<Array>::vector;
  Arrays(Array a) { push_back(std::move(a)); }
};

/// A call that must throw.
struct ErrorCase {
  std::string what;  ///< a part of the message
  std::function<void()> run;
  bool (*is_type)(const std::exception&);  ///< is it exactly the expected type?
  std::string type;
};
/// An ErrorCase for exceptions of type E (not of a class derived from it).
template <class E>
ErrorCase error(std::string what, std::function<void()> run) {
  return {std::move(what), std::move(run),
          [](const std::exception& e) { return typeid(e) == typeid(E); }, typeid(E).name()};
}

struct OpCase {
  // Compiled once, in registry.cpp, and not in every test file.
  OpCase();
  OpCase(const OpCase&);
  OpCase(OpCase&&) noexcept;
  OpCase& operator=(const OpCase&);
  OpCase& operator=(OpCase&&) noexcept;
  ~OpCase();

  std::string name;
  /// Dtypes of the inputs of the value check. Each is passed to `samples`.
  std::vector<ScalarType> dtypes = {kFloat, kDouble};
  std::function<std::vector<Args>(ScalarType)> samples;
  std::function<Results(const Args&)> call;
  /// Written naively, in double precision, without the library.
  std::function<Arrays(const ArrayArgs&)> reference;

  /// Whether there are gradients, with respect to all floating inputs but those listed.
  bool differentiable = true;
  std::vector<size_t> inputs_without_gradient = {};
  /// Inputs of the gradient checks, in float64 or complex128; where empty `samples(kDouble)`, or
  /// `samples(kComplexDouble)` where `dtypes` has that and no kDouble. Samples with more than 300
  /// values in all are skipped there.
  std::function<std::vector<Args>()> gradient_samples = {};
  /// Whether the derivative can be differentiated again.
  bool twice_differentiable = true;
  /// Not differentiable, but recorded: backward throws (as LibTorch does where it has no formula).
  bool refuses_gradient = false;

  /// The in-place form: changes args.t[0] and returns it. May be empty.
  std::function<Tensor(const Args&)> inplace = {};
  /// Whether that writes one number, to all or some elements, and so takes overlapping memory.
  bool fills = false;
  /// The form that writes into the given tensor. May be empty.
  std::function<Tensor(Tensor& out, const Args&)> out = {};
  /// Dtype of the first result for inputs of a dtype; the input's own where empty.
  std::function<ScalarType(ScalarType)> result_dtype = {};

  std::vector<ErrorCase> errors = {};
  /// True for results that share memory with the input (views).
  bool is_view = false;
  /// Factor on the default tolerances, for references that are themselves less exact.
  double tolerance = 1;
  /// Further functions that this case stands for.
  std::vector<std::string> covers = {};
};

/// Adds a case. Of two with one name the second is left out, and its name goes to repeated_names().
bool register_case(OpCase c);
void register_cases(std::vector<OpCase> list);
std::vector<std::string>& repeated_names();
/// All cases by name.
const std::vector<OpCase>& all_cases();
/// The case of that name in a list that is being written; throws when there is none.
OpCase& case_in(std::vector<OpCase>& list, const std::string& name);
/// The case of that name; throws when there is none.
const OpCase& find_case(const std::string& name);
/// The case that has that name or covers it; throws when there is none.
const OpCase& case_of(const std::string& name);
bool has_case(const std::string& name);

/// Registers the list of cases that the block returns, at start.
#define TAPER_OP_CASES(identifier, ...)                        \
  static const bool identifier##_registered [[maybe_unused]] = \
      (::taper::testing::register_cases([] __VA_ARGS__()), true)

}  // namespace torch::taper::testing
