// How a reduction walks its input: dimensions in memory order, neighbours of a kind merged.
#pragma once

#include <utility>

#include <taper/framework/kernel/iterate.h>

namespace torch::taper {

/// Dimension d of the input is reduced when bit d is set.
using DimMask = uint32_t;

/// The walk of one reduction. Where the innermost dimension in memory is reduced, every output is
/// the reduction of `reduced` started at its place in `kept` (by rows). Where it is kept, whole
/// rows of `columns` neighbouring outputs are reduced together, and `kept` lacks that dimension.
struct ReducePlan {
  Plan<2> kept;     // operand 0: the output, operand 1: the input
  Plan<1> reduced;  // the input
  int64_t columns = 0;
  int64_t column_y = 0;  // step between columns in bytes
  int64_t column_x = 0;
};

/// Plans y = reduction of x over `dims`. y has x's dimensions with size 1 for the reduced ones, or
/// lacks those. The order in which elements meet is that of memory, not of indices.
ReducePlan plan_reduce(const Out& y, const In& x, DimMask dims);

/// The same plan, or, where rows of few neighbouring elements are reduced and there are many of
/// them, one that goes through them by columns: a row alone would be over before its loop has
/// begun.
ReducePlan short_rows_as_columns(ReducePlan plan);

namespace cpu {

/// What is done with an accumulated value before it is stored.
struct Finish {
  double divisor = 1;
  bool square_root = false;
};

/// Stores n accumulated values at y, y + step bytes, ...
template <class Total>
using StoreTotals = void (*)(char* y, int64_t step, const Total* totals, int64_t n, Finish finish);

/// For totals of float, double, int64_t and uint64_t.
template <class Total>
StoreTotals<Total> store_totals_for(ScalarType dtype);

}  // namespace cpu
}  // namespace torch::taper
