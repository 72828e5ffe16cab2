// Comparing tensors: what differs, where, and by how much.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing {

/// Values are equal when |got - want| <= atol + rtol * |want|. A NaN never is; infinity only to
/// itself.
struct Tolerance {
  double rtol;  ///< of the magnitude of `want`
  double atol;  ///< whatever it is
};
/// Python's torch.testing.assert_close: f64 1e-7 and 1e-7, f32 1.3e-6 and 1e-5, f16 1e-3 and 1e-5,
/// bf16 1.6e-2 and 1e-5; zero for all others. Of two dtypes the wider tolerance.
Tolerance default_tolerance(ScalarType a, ScalarType b);

/// What `got` lacks to be `want`: sizes, the number of elements that differ, the worst of them with
/// its index, both values, difference and tolerance, and the first few in a table. Empty when they
/// are close. Tensors may live on different devices, and their dtypes may differ; both undefined is
/// equal.
std::string difference(const Tensor& got, const Tensor& want, Tolerance tolerance);
/// The same with default_tolerance of their dtypes.
std::string difference(const Tensor& got, const Tensor& want);
/// The same for equality: dtypes and all values (a NaN equals a NaN, 0 equals -0).
std::string inequality(const Tensor& got, const Tensor& want);
/// What is not finite in a tensor; empty when all is.
std::string not_finite(const Tensor& t);

/// Tensors with their names, in order.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// What the kit's checks return.
class Verdict {
 public:
  bool passed() const { return failures.empty(); }  ///< whether nothing is wrong
  /// All failures and notes, ready to print.
  std::string text() const;

  std::vector<std::string> failures;  ///< all that is wrong
  std::vector<std::string> notes;     ///< what does not fail, but should be known
};

}  // namespace torch::taper::testing
