// What the checks of the properties share.
#pragma once

#include <taper/framework/core/check.h>
#include <taper/testing/compare.h>

#include "harness/check.h"
#include "harness/devices.h"

namespace torch::taper::testing {

using taper::detail::concat;

Tolerance tolerance_of(ScalarType t);
inline Tolerance scaled(Tolerance t, double factor) { return {t.rtol * factor, t.atol * factor}; }

Array read(const Tensor& t);
ArrayArgs read(const Args& a);
/// The arguments in memory of their own, row-major.
Args copy(const Args& a);
int64_t numel_of(const Args& a);
/// Few enough elements for the checks that take long.
inline bool is_small(const Args& a) { return numel_of(a) <= 300; }
/// The dtype in which an op is checked where one is enough: kDouble or kComplexDouble where it can.
ScalarType widest_dtype(const OpCase& c);
/// Inputs of the gradient checks, of all sizes.
std::vector<Args> gradient_samples(const OpCase& c);
bool wants_gradient(const OpCase& c, const Args& args, size_t input);
/// Whether an in-place form may store `result` in the first argument.
bool fits_in_place(const Tensor& result, const Args& args);

/// A tensor of the same values whose memory is laid out in another way.
using Layout = Tensor (*)(const Tensor&);
Tensor transposed(const Tensor& t);
/// Every second element of a buffer, from an odd offset; the gaps hold a value that would show.
Tensor offset_and_spread(const Tensor& t);
/// Dimensions along which all values are equal get stride 0.
Tensor expanded(const Tensor& t);
/// Windows of a line of memory that share their elements, as repeated unfold() makes them: element
/// (i, j, ...) is number i + j + ... of `line`.
Tensor windows_of(const Tensor& line, IntArrayRef sizes);
/// A line of memory for windows of t's shape, with numbers of t.
Tensor line_for(const Tensor& t);
std::vector<unsigned char> bytes_of(const Tensor& t);

/// Random numbers of both signs, in the shapes of the results.
std::vector<Tensor> cotangents_for(const Results& results, Random& random);
/// Only what depends on the inputs.
Results differentiable_of(const Results& results);
/// The leaf's gradient; zeros where it has none.
Array grad_of(const Tensor& leaf);
void run_backward(const Results& results, const std::vector<Tensor>& cotangents, bool retain);

/// Collects failures of one sample; at most a few, so that a broken op stays readable.
class Log {
 public:
  explicit Log(Failures& list) : list_(list) {}
  /// Names the sample that the next failures are of.
  void sample(const Args& args, const std::string& more = "");
  void context(std::string text) { context_ = std::move(text); }
  template <class... Parts>
  void add(const Parts&... parts) {
    if (list_.size() < 8) list_.push_back(concat(parts..., "  [", context_, "]"));
  }
  void compare(const char* what, const Array& got, const Array& want, Tolerance tol) {
    const std::string d = difference(got, want, tol.rtol, tol.atol);
    if (!d.empty()) add(what, ": ", d);
  }
  /// Runs `body`; an exception is a failure.
  template <class Body>
  void guarded(const Body& body) {
    try {
      body();
    } catch (const std::exception& e) {
      add("threw: ", e.what());
    }
  }

 private:
  Failures& list_;
  std::string context_;
};

/// Compares all results of a call with what they should be.
void compare_results(const OpCase& c, const Results& got, const Arrays& want, const char* what,
                     Log& log);

}  // namespace torch::taper::testing
