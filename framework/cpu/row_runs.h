// Row loops of a chain (fusion.h) whose arithmetic is known, as one loop: what a row makes for the
// next one stays in registers, and for a later one in others. Not installed.
//
// Each step is done for eight vectors at a time, so its jump costs little beside its arithmetic,
// and that is one vector instruction for what the row loop does by the same one: the bits are the
// same.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::cpu {

/// What a row loop of floats computes, as far as runs know it.
enum class RowOp : uint8_t {
  kOther,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kAddScaled,  ///< a + alpha b; the functor begins with alpha
  kNeg,
  kRelu,
  kSquare,
  kCopy
};
constexpr RowOp row_op_named(std::string_view kernel) {
  constexpr std::pair<std::string_view, RowOp> known[] = {
      {"add", RowOp::kAdd}, {"sub", RowOp::kSub},   {"mul", RowOp::kMul},      {"div", RowOp::kDiv},
      {"neg", RowOp::kNeg}, {"relu", RowOp::kRelu}, {"square", RowOp::kSquare}};
  for (const auto& [name, op] : known)
    if (name == kernel) return op;
  return RowOp::kOther;
}
/// Whether a kernel is one instruction for each element, the same for all sets of them.
constexpr bool is_light(std::string_view kernel) { return row_op_named(kernel) != RowOp::kOther; }

/// What a step does with the accumulators a, and an operand x.
enum class RowCode : uint8_t {
  kStore,  ///< x = a
  kKeep,   ///< x = a, where x is in registers
  kNeg,
  kRelu,
  kSquare,
  kLoad,  ///< a = x; from here on all read x
  kAdd,
  kSub,
  kSubFrom,  ///< a = x - a
  kMul,
  kDiv,
  kDivFrom,
  kAddScaled,  ///< a = a + alpha x
  kScaledAdd   ///< a = x + alpha a
};

/// Where x is: floats side by side, one for all, those kept in registers.
enum class RowSource : uint8_t { kRow, kOne, kKept };

struct RowStep {
  RowCode code;
  RowSource source;
  float alpha;
  char* x;
};

/// Does the steps for n elements.
void run_row_steps(const RowStep* steps, int64_t count, int64_t n);

/// A row loop of a chain, as runs see it. What it writes comes first.
struct RowOperands {
  RowOp op;
  float alpha;
  int inputs;
  bool leaves;           ///< the result is for others than the chain, too
  const void* place[4];  ///< the same for the same memory; null: one number for the row
  bool one[4];
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

}  // namespace taper::cpu
