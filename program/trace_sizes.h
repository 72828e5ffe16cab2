// Sizes as expressions of symbols, found from the numbers of several calls. Not installed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::program {

/// An integer, a symbol, or a sum, product or floor division of two expressions.
struct SizeExpr {
  enum class Kind { kNumber, kSymbol, kSum, kProduct, kQuotient };
  Kind kind = Kind::kNumber;
  int64_t number = 0;  ///< the number, or which symbol it is
  std::shared_ptr<const SizeExpr> left, right;

  /// Returns the value for the symbols' values.
  int64_t at(const std::vector<int64_t>& symbols) const;
  /// Returns the text that PyTorch writes: "Add(Symbol('s0', positive=True, integer=True),
  /// Integer(1))".
  std::string text() const;
};
using SizeExprPtr = std::shared_ptr<const SizeExpr>;

/// Returns an expression that has `values[i]` for the symbols' values `points[i]`, or null if none
/// is found. The first point is the example. For each symbol there are points that differ from the
/// example in this symbol only.
///
/// An expression is a number, a sum of multiples of symbols, a product of linear terms, one each
/// symbol, a polynomial of second degree, or a floor division of s + b.
SizeExprPtr fit_sizes(const std::vector<std::vector<int64_t>>& points,
                      const std::vector<int64_t>& values);

}  // namespace torch::taper::program

#pragma GCC visibility pop
