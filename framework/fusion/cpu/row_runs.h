// Runs: row loops of a chain (fusion.h) with known arithmetic, executed as one loop. A row's result
// for the next row stays in registers. So do two more values for later rows: results, or operands
// that several rows read, with their neighbours one element before and after. Not installed.
//
// Each step processes several vectors, so that its jump costs little beside its arithmetic. A step
// is the vector instruction that the row loop uses (or the few it uses), so that the bits are
// equal. Bools are floats of 0 and 1 in registers, and bytes in memory.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/namespaces.h>
#include <taper/framework/kernel/formula.h>

namespace torch::taper::cpu {

/// Operation of a step on the accumulators a and an operand x. f is the step's formula.
enum class RowCode : uint8_t {
  kStore,      ///< x = a
  kStoreRows,  ///< kStore for rows only
  kKeep,       ///< x = a, with x in registers
  kOf,         ///< a = f(a)
  kTruth,      ///< a = a != 0
  kLoad,       ///< a = x
  kWith,       ///< a = f(a, x)
  kFrom,       ///< a = f(x, a)
  // with a condition, which is the second kept value
  kCondition,   ///< the condition is x
  kSelect,      ///< a = condition ? a : x
  kSelectElse,  ///< a = condition ? x : a
  kFill,        ///< the source's registers = x
  // with a product by a number that the next step holds
  kAddTimes,  ///< a = a + x * number
  kSubTimes,  ///< a = a - x * number
  kTimesSub,  ///< a = x * number - a
  kAddRest,   ///< a = a + (number of the step after it - x) * number
  kSubRest,   ///< a = a - (number of the step after it - x) * number
  kNumber,    ///< no operation: holds a number for the previous step
  kRows,      ///< the first step: handles gaps between rows (RowGaps)
  kEnd
};
/// Returns the number of steps that one operation takes with its numbers.
constexpr int count_of(RowCode code) {
  switch (code) {
    case RowCode::kAddTimes:
    case RowCode::kSubTimes:
    case RowCode::kTimesSub:
      return 2;
    case RowCode::kAddRest:
    case RowCode::kSubRest:
      return 3;
    default:
      return 1;
  }
}
/// Returns whether an operation reads the accumulators only.
constexpr bool has_no_operand(RowCode code) {
  return code == RowCode::kOf || code == RowCode::kTruth;
}

/// Location of x: adjacent floats, one float for all, kept registers, adjacent bools, or floats one
/// element before or after the kept ones, which are in memory, too.
enum class RowSource : uint8_t {
  kRow,
  kOne,
  kKept,
  kKept2,
  kBools,
  kBefore,
  kBefore2,
  kBehind,
  kBehind2
};
constexpr bool is_beside(RowSource source) {
  return source == RowSource::kBefore || source == RowSource::kBefore2 ||
         source == RowSource::kBehind || source == RowSource::kBehind2;
}
constexpr bool is_in_registers(RowSource source) {
  return source == RowSource::kKept || source == RowSource::kKept2;
}

struct RowStep {
  RowCode code;
  Formula formula;
  RowSource source;
  uint16_t piece;  ///< the interpreter's code, which find_pieces looks up: for the step, or for a
                   ///< pair
  float alpha;     ///< the functor's number
  char* x;
};

/// Finds the interpreter's code for each step.
void find_pieces(std::vector<RowStep>& steps);

/// Argument of a step kRows: rows of `cols` elements that begin `pitch` apart. The gaps between
/// them are computed too, but not stored, so that many rows are processed as one sequence of
/// elements.
struct RowGaps {
  int64_t cols, pitch;
  int64_t begin;  ///< start of a row
  /// Masks of elements that belong to a row, by the position in the row (or the gap) at which a
  /// vector begins.
  const uint16_t* lanes;
  const RowStep* steps;  ///< the steps that store by kStoreRows
};

/// Runs the steps, of which the last is kEnd, for the elements [begin, end). `keeps`: whether
/// is_of_kept() is true for a step.
void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end);

constexpr bool is_of_kept(RowCode code, RowSource source) {
  return is_in_registers(source) || is_beside(source) || code == RowCode::kCondition ||
         code == RowCode::kSelect || code == RowCode::kSelectElse;
}
/// Returns whether a step reads or writes x in memory.
constexpr bool reaches_memory(const RowStep& s) {
  return s.code == RowCode::kFill ||
         (!is_in_registers(s.source) && !has_no_operand(s.code) && s.code != RowCode::kEnd);
}

/// A row loop of a chain, as input of find_row_runs. Its results come first.
struct RowOperands {
  RowFormula formula;
  float alpha;
  int inputs;
  bool leaves;           ///< the result is also used outside the chain
  const void* place[4];  ///< equal for equal memory, null if one number serves the row
  bool one[4];
  bool bools[4];
  bool own[4];               ///< in a tile of the chain
  int64_t row[4], block[4];  ///< bytes from row to row, from block to block
};

/// Rows [begin, end) as steps, each with the row and the operand of its x.
struct RowRun {
  struct Step {
    RowStep step;
    size_t row;
    int operand;
  };
  size_t begin, end;
  std::vector<Step> steps;
};
/// Returns the runs of two or more among the rows of a chain.
std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows);

}  // namespace torch::taper::cpu
