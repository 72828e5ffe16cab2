// Compares tensors, and describes which elements differ and by how much.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing {

/// Values are close if |got - want| <= atol + rtol * |want|. A NaN is never close. An infinity is
/// close only to itself.
struct Tolerance {
  double rtol;  ///< relative to the magnitude of `want`
  double atol;  ///< absolute
};
/// Returns the tolerance of Python's torch.testing.assert_close: f64 1e-7 and 1e-7, f32 1.3e-6 and
/// 1e-5, f16 1e-3 and 1e-5, bf16 1.6e-2 and 1e-5. The first number is rtol, and the second is atol.
/// A complex dtype has the tolerance of its parts. Integers and bool have tolerance zero. If `a`
/// and `b` differ, returns the larger rtol and the larger atol.
Tolerance default_tolerance(ScalarType a, ScalarType b);

/// Describes how `got` differs from `want`. The text has the sizes, the number of elements that are
/// not close, and a table of the first six. For the worst element, the text has the index, both
/// values, the difference and the tolerance. Returns an empty text if the tensors are close. The
/// tensors may be on different devices and have different dtypes, but a complex tensor differs from
/// a real one. Two undefined tensors are equal.
std::string difference(const Tensor& got, const Tensor& want, Tolerance tolerance);
/// Describes how `got` differs from `want`, with the default_tolerance of the two dtypes.
std::string difference(const Tensor& got, const Tensor& want);
/// Describes how `got` differs from `want` in dtype, sizes or any value. (A NaN equals a NaN, and 0
/// equals -0.) Returns an empty text if they are equal.
std::string inequality(const Tensor& got, const Tensor& want);
/// Describes the elements of `t` that are infinite or NaN. Returns an empty text if all elements
/// are finite.
std::string not_finite(const Tensor& t);

/// A list of pairs: the name of a tensor, and the tensor.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The result of golden_report(), compare_devices() or fuzz().
class Verdict {
 public:
  bool passed() const { return failures.empty(); }  ///< whether there are no failures
  /// Returns all failures and notes, ready to print.
  std::string text() const;

  std::vector<std::string> failures;  ///< all failures
  std::vector<std::string> notes;     ///< remarks, which are not failures
};

}  // namespace torch::taper::testing
