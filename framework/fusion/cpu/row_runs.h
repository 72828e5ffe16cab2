// Runs: row loops of a chain (fusion.h) with known arithmetic, executed as one loop. A row's result
// for the next row stays in registers. So do two more values for later rows: results, or operands
// that several rows read, with their neighbours one element before and after. Not installed.
//
// Each step processes several vectors, so that its jump costs little beside its arithmetic. A step
// is the vector instruction that the row loop uses (or the few it uses), so that the bits are
// equal. Bools are floats of 0 and 1 in registers, and bytes in memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// The computations of row loops that runs know: on floats, comparisons of floats, logic of bools.
enum class RowOp : uint8_t {
  kOther,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kRelu,
  kSquare,
  kAddScaled,  ///< a + alpha b, with the functor's first member as alpha
  kCopy,       ///< also between floats and bools
  kAbs,
  kSqrt,
  kReciprocal,
  kSign,
  kEq,
  kNe,
  kLess,
  kLessEqual,
  kNot,
  kAnd,
  kOr,
  kXor,
  kMaximum,
  kMinimum,
  kReluBackward,
  kSigmoidBackward,
  kTanhBackward,
  kPower,  ///< by a number, with the row loop of the simplified power
  kSelect
};
constexpr RowOp row_op_named(std::string_view kernel) {
  constexpr std::pair<std::string_view, RowOp> known[] = {
      {"add", RowOp::kAdd},
      {"sub", RowOp::kSub},
      {"mul", RowOp::kMul},
      {"div", RowOp::kDiv},
      {"neg", RowOp::kNeg},
      {"relu", RowOp::kRelu},
      {"square", RowOp::kSquare},
      {"abs", RowOp::kAbs},
      {"sqrt", RowOp::kSqrt},
      {"reciprocal", RowOp::kReciprocal},
      {"sign", RowOp::kSign},
      {"eq", RowOp::kEq},
      {"ne", RowOp::kNe},
      {"lt", RowOp::kLess},
      {"le", RowOp::kLessEqual},
      {"gt", RowOp::kLess},  // its loop is that of lt with exchanged operands
      {"ge", RowOp::kLessEqual},
      {"logical_not", RowOp::kNot},
      {"logical_and", RowOp::kAnd},
      {"logical_or", RowOp::kOr},
      {"logical_xor", RowOp::kXor},
      {"bitwise_not", RowOp::kNot},
      {"bitwise_and", RowOp::kAnd},
      {"bitwise_or", RowOp::kOr},
      {"bitwise_xor", RowOp::kXor},
      {"maximum", RowOp::kMaximum},
      {"minimum", RowOp::kMinimum},
      {"relu_backward", RowOp::kReluBackward},
      {"sigmoid_backward", RowOp::kSigmoidBackward},
      {"tanh_backward", RowOp::kTanhBackward},
      {"pow", RowOp::kPower}};
  for (const auto& [name, op] : known)
    if (name == kernel) return op;
  return RowOp::kOther;
}
/// Returns whether a kernel is one instruction per element, equal in all instruction sets.
constexpr bool is_light(std::string_view kernel) {
  const RowOp op = row_op_named(kernel);
  switch (op) {
    case RowOp::kAdd:
    case RowOp::kSub:
    case RowOp::kMul:
    case RowOp::kDiv:
    case RowOp::kNeg:
    case RowOp::kRelu:
    case RowOp::kSquare:
      return true;
    default:
      return false;
  }
}

/// Operation of a step on the accumulators a and an operand x.
enum class RowCode : uint8_t {
  kStore,      ///< x = a
  kStoreRows,  ///< kStore for rows only
  kKeep,       ///< x = a, with x in registers
  // a = f(a)
  kNeg,
  kRelu,
  kSquare,
  kCube,
  kAbs,
  kSqrt,
  kReciprocal,
  kSign,
  kNot,
  kTruth,  ///< a = a != 0
  // a = f(a, x)
  kLoad,  ///< a = x
  kAdd,
  kSub,
  kSubFrom,  ///< a = x - a
  kMul,
  kDiv,
  kDivFrom,
  kAddScaled,  ///< a = a + alpha x
  kScaledAdd,  ///< a = x + alpha a
  kEq,
  kNe,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kXor,
  kMaximum,
  kMaximumFrom,
  kMinimum,
  kMinimumFrom,
  kReluBackward,
  kReluBackwardOf,  ///< a is the operand that gates the gradient x
  kSigmoidBackward,
  kSigmoidBackwardOf,
  kTanhBackward,
  kTanhBackwardOf,
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
  const bool rest = code == RowCode::kAddRest || code == RowCode::kSubRest;
  return code >= RowCode::kAddTimes && code <= RowCode::kSubRest ? 2 + rest : 1;
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

struct RowStep {
  RowCode code;
  RowSource source;
  uint8_t piece;  ///< the interpreter's code, which find_row_runs looks up: for the step, or for a
                  ///< pair
  float alpha;
  char* x;
};

/// Finds the interpreter's code for each step.
void find_pieces(std::vector<RowStep>& steps);

/// Argument of a step kRows: rows of `cols` elements that begin `pitch` apart. The gaps between
/// them are computed too, but not stored, so that many rows are one run of elements.
struct RowGaps {
  int64_t cols, pitch;
  int64_t begin;  ///< start of a row
  /// Masks of elements that belong to a row, by the position in the row (or the gap) at which a
  /// vector begins.
  const uint16_t* lanes;
  const RowStep* steps;  ///< the steps that store by kStoreRows
};

/// Runs the steps, of which the last is kEnd, for the elements [begin, end). `keeps`: whether one
/// is_of_kept.
void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end);

constexpr bool is_of_kept(RowCode code, RowSource source) {
  return source == RowSource::kKept || source == RowSource::kKept2 || source > RowSource::kBools ||
         (code >= RowCode::kCondition && code <= RowCode::kSelectElse);
}
/// Returns whether a step reads or writes x in memory.
constexpr bool reaches_memory(const RowStep& s) {
  const bool of_registers = s.source == RowSource::kKept || s.source == RowSource::kKept2;
  const bool of_accumulators = s.code >= RowCode::kNeg && s.code < RowCode::kLoad;
  return s.code == RowCode::kFill || (!of_registers && !of_accumulators && s.code != RowCode::kEnd);
}

/// A row loop of a chain, as input of find_row_runs. Its results come first.
struct RowOperands {
  RowOp op;
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
