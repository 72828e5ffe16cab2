// Plans of reductions. A reduction reads its input in memory order. Adjacent dimensions are merged
// if possible.
#pragma once

#include <utility>

#include <taper/framework/kernel/iterate.h>

namespace torch::taper {

/// A set of dimensions. If bit d is set, dimension d of the input is reduced.
using DimMask = uint32_t;

/// The loops of one reduction. `kept` gives the offset of each output in y and of its first element
/// in x. `reduced` gives the offsets of the output's elements, relative to the first. A plan by
/// rows reduces one output after the other. The innermost dimension in memory is then reduced. A
/// plan by columns reduces `columns` neighbouring outputs together. The dimension of these outputs
/// is not in `kept`.
struct ReducePlan {
  Plan<2> kept;     // operand 0: the output, operand 1: the input
  Plan<1> reduced;  // the input
  int64_t columns = 0;
  int64_t column_y = 0;  // step between columns in bytes
  int64_t column_x = 0;
};

/// Plans y = reduction of x over `dims`. In y, the reduced dimensions have size 1 or are missing.
/// Elements are visited in memory order, not in index order.
ReducePlan plan_reduce(const Out& y, const In& x, DimMask dims);

/// Returns a plan by columns if there are many short rows, because starting a loop for each short
/// row is slow. Otherwise returns the given plan.
ReducePlan short_rows_as_columns(ReducePlan plan);

namespace cpu {

/// The last step before an accumulated value is stored.
struct Finish {
  double divisor = 1;
  bool square_root = false;
};

/// Stores n accumulated values at y, y + step bytes, ...
template <class Total>
using StoreTotals = void (*)(char* y, int64_t step, const Total* totals, int64_t n, Finish finish);

/// Returns the function that stores totals as `dtype`. Total is float, double, int64_t or uint64_t.
template <class Total>
StoreTotals<Total> store_totals_for(ScalarType dtype);

}  // namespace cpu
}  // namespace torch::taper
