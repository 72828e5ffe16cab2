// Runs: row loops of a chain (fusion.h) with known formulas, executed as one loop. Below, a row is
// such a row loop. The result of a row stays in registers (the accumulators) for the next row. Two
// more values (the kept values) can stay in registers for later rows. They are results, or operands
// that several rows read. Later rows can also read their neighbours, one element before or after.
// Not installed.
//
// An interpreter executes a run in steps. Each step processes several vectors, so that the jump to
// the next step costs little compared with its arithmetic. A step uses the same vector instructions
// as the row loop, so results have equal bits. Bools are floats of 0 and 1 in registers, and bytes
// in memory.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/namespaces.h>
#include <taper/framework/kernel/formula.h>

namespace torch::taper::cpu {

/// Operation of a step on the accumulators a and an operand x. f is the step's formula.
enum class RowCode : uint8_t {
  kStore,      ///< x = a
  kStoreRows,  ///< kStore, only for elements of rows (RowGaps)
  kKeep,       ///< x = a, with x in registers
  kOf,         ///< a = f(a)
  kTruth,      ///< a = a != 0
  kLoad,       ///< a = x
  kWith,       ///< a = f(a, x)
  kFrom,       ///< a = f(x, a)
  // These codes use a condition, which is the second kept value.
  kCondition,   ///< the condition is x
  kSelect,      ///< a = condition ? a : x
  kSelectElse,  ///< a = condition ? x : a
  kFill,        ///< the source's registers = x
  // These codes multiply by a number, the alpha of the next step. `rest` is the alpha of the step
  // after that.
  kAddTimes,  ///< a = a + x * number
  kSubTimes,  ///< a = a - x * number
  kTimesSub,  ///< a = x * number - a
  kAddRest,   ///< a = a + (rest - x) * number
  kSubRest,   ///< a = a - (rest - x) * number
  kNumber,    ///< no operation: its alpha is a number of a step before it
  kRows,      ///< the first step: handles gaps between rows (RowGaps)
  kEnd
};
/// Returns the number of steps of one operation, including the steps that hold its numbers.
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

/// Location of x. kRow: adjacent floats. kOne: one float for all elements. kKept, kKept2: the first
/// or second kept value. kBools: adjacent bools. kBefore to kBehind2: neighbours of a kept value,
/// one element before or after it. These floats are also in memory.
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

/// Sets `piece` of each step: the interpreter's code for the step.
void find_pieces(std::vector<RowStep>& steps);

/// Argument of a step kRows: rows of `cols` elements whose first elements are `pitch` elements
/// apart. Many rows are processed as one sequence of elements. The elements in the gaps between
/// them are computed, too, but not stored.
struct RowGaps {
  int64_t cols, pitch;
  int64_t begin;  ///< index of a row's first element
  /// For a vector that begins p elements after a row's first element, lanes[p] is the mask of its
  /// elements that belong to rows.
  const uint16_t* lanes;
  const RowStep* steps;  ///< the steps that store by kStoreRows
};

/// Runs the steps for the elements [begin, end). The last step is kEnd. `keeps` says whether
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

/// A row loop of a chain, as input of find_row_runs. In the arrays, its results come before its
/// inputs.
struct RowOperands {
  RowFormula formula;
  float alpha;
  int inputs;
  bool leaves;           ///< whether the result is also used outside the chain
  const void* place[4];  ///< address, null for a number
  bool one[4];
  bool bools[4];
  bool own[4];               ///< whether the operand is in a tile of the chain
  int64_t row[4], block[4];  ///< strides in bytes
};

/// The row loops [begin, end) as steps. For each step, `row` and `operand` say which operand its x
/// is.
struct RowRun {
  struct Step {
    RowStep step;
    size_t row;
    int operand;
  };
  size_t begin, end;
  std::vector<Step> steps;
};
/// Returns the runs of at least two row loops among the row loops of a chain.
std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows);

}  // namespace torch::taper::cpu
