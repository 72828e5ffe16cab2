// Row loops of a chain (fusion.h) whose arithmetic is known, as one loop: what a row makes for the
// next one stays in registers, and so do two values more for later ones: results, or what several
// rows read, and with it what lies one element before and behind. Not installed.
//
// Each step is done for several vectors at a time, so its jump costs little beside its arithmetic,
// and that is one vector instruction (or the same few) for what the row loop does by the same one:
// the bits are the same. Bools are floats of 0 and 1 in registers, and bytes in memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// What a row loop computes, as far as runs know it: of floats, tests of floats, logic of bools.
enum class RowOp : uint8_t {
  kOther,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kRelu,
  kSquare,
  kAddScaled,  ///< a + alpha b; the functor begins with alpha
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
  kPower,  ///< by a number; the row loop is that of what it comes to
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
      {"gt", RowOp::kLess},  // its loop is that of lt, with the operands exchanged
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
/// Whether a kernel is one instruction for each element, the same for all sets of them.
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

/// What a step does with the accumulators a, and an operand x.
enum class RowCode : uint8_t {
  kStore,      ///< x = a
  kStoreRows,  ///< the same of rows alone
  kKeep,       ///< x = a, where x is in registers
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
  kReluBackwardOf,  ///< a is what the gradient x is passed by
  kSigmoidBackward,
  kSigmoidBackwardOf,
  kTanhBackward,
  kTanhBackwardOf,
  // by a condition that is the second value kept
  kCondition,   ///< the condition is x
  kSelect,      ///< a = condition ? a : x
  kSelectElse,  ///< a = condition ? x : a
  kFill,        ///< what the source keeps = x
  // with a product of its own, by the number that the next step finds
  kAddTimes,  ///< a = a + x * number
  kSubTimes,  ///< a = a - x * number
  kTimesSub,  ///< a = x * number - a
  kAddRest,   ///< a = a + (number of the step behind it - x) * number
  kSubRest,   ///< a = a - (number of the step behind it - x) * number
  kNumber,    ///< none: where the step before finds a number
  kRows,      ///< the first one: finds what lies between rows (RowGaps)
  kEnd
};
/// The steps that one takes with its numbers.
constexpr int count_of(RowCode code) {
  const bool rest = code == RowCode::kAddRest || code == RowCode::kSubRest;
  return code >= RowCode::kAddTimes && code <= RowCode::kSubRest ? 2 + rest : 1;
}

/// Where x is: floats side by side, one for all, those kept in registers; bools side by side;
/// floats one element before those kept, and behind them, which are in memory, too.
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
  uint8_t piece;  ///< of the interpreter, which find_row_runs looks up: the step, or a pair
  float alpha;
  char* x;
};

/// Finds the pieces of steps.
void find_pieces(std::vector<RowStep>& steps);

/// What a step kRows finds: rows of `cols` elements that begin `pitch` apart. What lies between
/// them is computed as they are, and not stored; so many rows are one run of elements.
struct RowGaps {
  int64_t cols, pitch;
  int64_t begin;  ///< of a row
  /// By the place in a row (or behind it) where a vector begins: which elements are of a row.
  const uint16_t* lanes;
  const RowStep* steps;  ///< those that store by kStoreRows
};

/// Does the steps, of which the last one is kEnd, for the elements [begin, end). `keeps`: whether
/// one is_of_kept.
void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end);

constexpr bool is_of_kept(RowCode code, RowSource source) {
  return source == RowSource::kKept || source == RowSource::kKept2 || source > RowSource::kBools ||
         (code >= RowCode::kCondition && code <= RowCode::kSelectElse);
}
/// Whether a step finds x in memory.
constexpr bool reaches_memory(const RowStep& s) {
  const bool of_registers = s.source == RowSource::kKept || s.source == RowSource::kKept2;
  const bool of_accumulators = s.code >= RowCode::kNeg && s.code < RowCode::kLoad;
  return s.code == RowCode::kFill || (!of_registers && !of_accumulators && s.code != RowCode::kEnd);
}

/// A row loop of a chain, as runs see it. What it writes comes first.
struct RowOperands {
  RowOp op;
  float alpha;
  int inputs;
  bool leaves;           ///< the result is for others than the chain, too
  const void* place[4];  ///< the same for the same memory; null: one number for the row
  bool one[4];
  bool bools[4];
  bool own[4];               ///< of a tile of the chain's
  int64_t row[4], block[4];  ///< bytes from row to row, from block to block
};

/// Rows [begin, end) as steps, each with the row and the operand that it finds x by.
struct RowRun {
  struct Step {
    RowStep step;
    size_t row;
    int operand;
  };
  size_t begin, end;
  std::vector<Step> steps;
};
/// The runs among the rows of a chain, of two and more.
std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows);

}  // namespace torch::taper::cpu
