// Comparison of tensors: where and by how much they differ.
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
/// 1e-5, f16 1e-3 and 1e-5, bf16 1.6e-2 and 1e-5, zero for all other dtypes. For two dtypes, it is
/// the larger tolerance.
Tolerance default_tolerance(ScalarType a, ScalarType b);

/// Describes how `got` differs from `want`. The text has the sizes, the number of elements that
/// differ, and a table of the first few. For the worst element, it has the index, both values, the
/// difference and the tolerance. Returns an empty text if the tensors are close. Tensors may be on
/// different devices and have different dtypes. Two undefined tensors are equal.
std::string difference(const Tensor& got, const Tensor& want, Tolerance tolerance);
/// Describes the difference, with the default_tolerance of the two dtypes.
std::string difference(const Tensor& got, const Tensor& want);
/// Describes how `got` differs from `want` in dtype or in any value. (A NaN equals a NaN, and 0
/// equals -0.) Returns an empty text if they are equal.
std::string inequality(const Tensor& got, const Tensor& want);
/// Describes the elements that are not finite. Returns an empty text if all elements are finite.
std::string not_finite(const Tensor& t);

/// Tensors with their names, in order.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The result of the kit's checks.
class Verdict {
 public:
  bool passed() const { return failures.empty(); }  ///< whether there are no failures
  /// Returns all failures and notes, ready to print.
  std::string text() const;

  std::vector<std::string> failures;  ///< all failures
  std::vector<std::string> notes;     ///< remarks, which are not failures
};

}  // namespace torch::taper::testing
