#include <taper/framework/fusion/cpu/row_runs.h>

#include <algorithm>

#include <taper/framework/core/check.h>
#include <taper/framework/fusion/cpu/row_values.h>
#include <taper/framework/kernel/math/vec_double.h>
#include <taper/framework/kernel/vec.h>

// Lists the pieces of the interpreter: the work of each step, by the place of its operand.
// clang-format off
#define TAPER_ROW_SOURCES(X, code) X(code, kRow) X(code, kOne) X(code, kKept) X(code, kKept2)
#define TAPER_ROW_BESIDE(X, code) X(code, kBefore) X(code, kBefore2) X(code, kBehind) X(code, kBehind2)
#define TAPER_ROW_PRODUCTS(X, code) X(code, kRow) X(code, kKept) X(code, kKept2)
#define TAPER_ROW_PIECES(X)                                                                       \
  X(kStore, kRow) X(kStore, kBools) X(kStoreRows, kRow) X(kKeep, kKept) X(kKeep, kKept2)          \
  X(kNeg, kRow) X(kRelu, kRow) X(kSquare, kRow) X(kCube, kRow) X(kAbs, kRow) X(kSqrt, kRow)       \
  X(kReciprocal, kRow) X(kSign, kRow) X(kNot, kRow) X(kTruth, kRow)                               \
  TAPER_ROW_SOURCES(X, kLoad) TAPER_ROW_SOURCES(X, kAdd) TAPER_ROW_SOURCES(X, kSub)               \
  TAPER_ROW_SOURCES(X, kSubFrom) TAPER_ROW_SOURCES(X, kMul) TAPER_ROW_SOURCES(X, kDiv)            \
  TAPER_ROW_SOURCES(X, kDivFrom) TAPER_ROW_SOURCES(X, kAddScaled)                                 \
  TAPER_ROW_SOURCES(X, kScaledAdd) TAPER_ROW_SOURCES(X, kEq) TAPER_ROW_SOURCES(X, kNe)            \
  TAPER_ROW_SOURCES(X, kLess) TAPER_ROW_SOURCES(X, kLessEqual) TAPER_ROW_SOURCES(X, kGreater)     \
  TAPER_ROW_SOURCES(X, kGreaterEqual) TAPER_ROW_SOURCES(X, kMaximum)                              \
  TAPER_ROW_SOURCES(X, kMaximumFrom) TAPER_ROW_SOURCES(X, kMinimum)                               \
  TAPER_ROW_SOURCES(X, kMinimumFrom) TAPER_ROW_SOURCES(X, kReluBackward)                          \
  TAPER_ROW_SOURCES(X, kReluBackwardOf) TAPER_ROW_SOURCES(X, kSigmoidBackward)                    \
  TAPER_ROW_SOURCES(X, kSigmoidBackwardOf) TAPER_ROW_SOURCES(X, kTanhBackward)                    \
  TAPER_ROW_SOURCES(X, kTanhBackwardOf)                                                           \
  X(kAnd, kKept) X(kAnd, kKept2) X(kAnd, kBools) X(kOr, kKept) X(kOr, kKept2) X(kOr, kBools)      \
  X(kXor, kKept) X(kXor, kKept2) X(kXor, kBools) X(kLoad, kBools)                                 \
  X(kCondition, kKept) X(kCondition, kBools)                                                      \
  X(kSelect, kRow) X(kSelect, kOne) X(kSelect, kKept)                                             \
  X(kSelectElse, kRow) X(kSelectElse, kOne) X(kSelectElse, kKept)                                 \
  X(kFill, kKept) X(kFill, kKept2)                                                                \
  TAPER_ROW_BESIDE(X, kLoad) TAPER_ROW_BESIDE(X, kAdd) TAPER_ROW_BESIDE(X, kSub)                  \
  TAPER_ROW_BESIDE(X, kSubFrom) TAPER_ROW_BESIDE(X, kMul)                                         \
  TAPER_ROW_PRODUCTS(X, kAddTimes) TAPER_ROW_PRODUCTS(X, kSubTimes)                               \
  TAPER_ROW_PRODUCTS(X, kTimesSub) TAPER_ROW_PRODUCTS(X, kAddRest) TAPER_ROW_PRODUCTS(X, kSubRest)
// Steps that often follow each other form one piece, which saves a jump.
#define TAPER_ROW_PAIRS(X)                                                                        \
  X(kLoad, kRow, kAdd, kRow) X(kLoad, kRow, kSub, kRow) X(kLoad, kRow, kMul, kRow)                \
  X(kLoad, kRow, kAdd, kOne) X(kLoad, kRow, kMul, kOne) X(kLoad, kOne, kSub, kRow)                \
  X(kAdd, kRow, kAdd, kRow) X(kAdd, kRow, kMul, kRow) X(kAdd, kRow, kMul, kOne)                   \
  X(kAdd, kRow, kSub, kRow) X(kAdd, kRow, kRelu, kRow) X(kAdd, kRow, kStore, kRow)                \
  X(kSub, kRow, kMul, kRow) X(kSub, kRow, kMul, kOne) X(kSub, kRow, kStore, kRow)                 \
  X(kMul, kOne, kAdd, kRow) X(kMul, kOne, kSub, kRow) X(kMul, kOne, kStore, kRow)                 \
  X(kMul, kRow, kAdd, kRow) X(kMul, kRow, kAdd, kOne) X(kMul, kRow, kStore, kRow)                 \
  X(kAdd, kOne, kNeg, kRow) X(kRelu, kRow, kMul, kOne)                                            \
  X(kFill, kKept, kFill, kKept2) X(kLoad, kKept, kMul, kKept2) X(kLoad, kBefore, kAdd, kKept)     \
  X(kAdd, kBefore, kAdd, kBehind) X(kAdd, kBefore2, kAdd, kBehind2)                               \
  X(kMul, kOne, kAdd, kKept) X(kMul, kOne, kAdd, kKept2) X(kMul, kKept2, kStore, kRow)            \
  X(kLoad, kKept2, kMul, kKept) X(kMul, kKept, kStore, kRow)
// clang-format on
#define TAPER_ROW_LABEL(code, source) &&code##_##source,
#define TAPER_ROW_PIECE(code, source)                                \
  code##_##source : {                                                \
    r.template step<RowCode::code, RowSource::source>(*s, i, lanes); \
    s += count_of(RowCode::code);                                    \
    goto* pieces[s->piece];                                          \
  }

#define TAPER_ROW_PAIR_LABEL(code, source, code2, source2) &&code##_##source##_##code2##_##source2,
#define TAPER_ROW_FIRST_LABEL(code, source, code2, source2) &&code##_##source,
#define TAPER_ROW_PAIR_PIECE(code, source, code2, source2)               \
  code##_##source##_##code2##_##source2 : {                              \
    r.template step<RowCode::code, RowSource::source>(*s, i, lanes);     \
    r.hide_all();                                                        \
    r.template step<RowCode::code2, RowSource::source2>(s[1], i, lanes); \
    s += 2; /* none of several steps is in a pair */                     \
    goto* pieces[s->piece];                                              \
  }

namespace torch::taper::cpu {
/// Returns the lanes of two adjacent vectors, from lane `From` of the first.
template <int From, class V>
V lanes_from(V low, V high);  // for AVX-512 only
template <class V>
void store_lanes(float* p, V v, uint16_t lanes);
template <class Words, class Bytes>
Words words_of(Bytes bytes);  // compilers convert them one by one
template <class Bytes, class Words>
Bytes bytes_of(Words words);
#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
namespace avx512 {
template <int From>
__attribute__((target("avx512f"))) TAPER_INLINE Vec<float> lanes_from(Vec<float> low,
                                                                      Vec<float> high) {
  return (Vec<float>)_mm512_alignr_epi32((__m512i)high, (__m512i)low, From);
}
__attribute__((target("avx512f"))) TAPER_INLINE void store_lanes(float* p, Vec<float> v,
                                                                 uint16_t lanes) {
  _mm512_mask_storeu_ps(p, lanes, (__m512)v);
}
template <class Words, class Bytes>
__attribute__((target("avx512f"))) TAPER_INLINE Words words_of(Bytes bytes) {
  return (Words)_mm512_cvtepu8_epi32((__m128i)bytes);
}
template <class Bytes, class Words>
__attribute__((target("avx512f"))) TAPER_INLINE Bytes bytes_of(Words words) {
  return (Bytes)_mm512_cvtepi32_epi8((__m512i)words);
}
}  // namespace avx512
#endif
}  // namespace torch::taper::cpu

// Loads stay in the order of memory, because uncached memory arrives in this order: 4 M floats take
// 1.25 ms, else 1.55 (seven ops, Zen 4).
#ifndef __clang__
#pragma GCC optimize("no-schedule-insns2")
#endif
#define TAPER_ISA_FILE <taper/framework/fusion/cpu/row_runs_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end) {
  return TAPER_BY_ISA(run_row_steps, steps, keeps, begin, end);
}

namespace {

/// Describes one step, or two. No code stands for a missing second step.
struct Piece {
  RowCode code;
  RowSource source;
  RowCode code2 = RowCode::kEnd;
  RowSource source2 = RowSource::kRow;
};
#define TAPER_ROW_SINGLE(code, source) {RowCode::code, RowSource::source},
#define TAPER_ROW_PAIR(code, source, code2, source2) \
  {RowCode::code, RowSource::source, RowCode::code2, RowSource::source2},
constexpr Piece kPieces[] = {TAPER_ROW_PIECES(TAPER_ROW_SINGLE){RowCode::kEnd, RowSource::kRow},
                             TAPER_ROW_PAIRS(TAPER_ROW_PAIR){RowCode::kRows, RowSource::kRow}};
static_assert(std::size(kPieces) <= 256);

bool is_piece(const RowStep& s, RowCode code, RowSource source) {
  const bool of_accumulators = code >= RowCode::kNeg && code < RowCode::kLoad;
  return s.code == code && (of_accumulators || s.source == source);
}
/// Returns the piece for the steps from `s` on, the last of which is kEnd. It prefers pairs.
uint8_t piece_of(const RowStep* s) {
  size_t found = std::size(kPieces);
  for (size_t i = 0; i < std::size(kPieces); ++i) {
    const Piece& p = kPieces[i];
    const bool one = p.code2 == RowCode::kEnd;
    if (is_piece(*s, p.code, p.source) && (one || is_piece(s[1], p.code2, p.source2))) found = i;
  }
  TAPER_CHECK(found < std::size(kPieces),
              "Graph.replay: a step has no piece (this is an error of Taper)");
  return static_cast<uint8_t>(found);
}

/// Holds the codes of an op, for the case that its first or its second operand is in the
/// accumulators.
struct Codes {
  RowCode first, second;
};
Codes codes_of(RowOp op) {
  using enum RowCode;
  switch (op) {
    case RowOp::kAdd:
      return {kAdd, kAdd};
    case RowOp::kSub:
      return {kSub, kSubFrom};
    case RowOp::kMul:
      return {kMul, kMul};
    case RowOp::kDiv:
      return {kDiv, kDivFrom};
    case RowOp::kAddScaled:
      return {kAddScaled, kScaledAdd};
    case RowOp::kEq:
      return {kEq, kEq};
    case RowOp::kNe:
      return {kNe, kNe};
    case RowOp::kLess:
      return {kLess, kGreater};
    case RowOp::kLessEqual:
      return {kLessEqual, kGreaterEqual};
    case RowOp::kAnd:
      return {kAnd, kAnd};
    case RowOp::kOr:
      return {kOr, kOr};
    case RowOp::kXor:
      return {kXor, kXor};
    case RowOp::kMaximum:
      return {kMaximum, kMaximumFrom};
    case RowOp::kMinimum:
      return {kMinimum, kMinimumFrom};
    case RowOp::kReluBackward:
      return {kReluBackward, kReluBackwardOf};
    case RowOp::kSigmoidBackward:
      return {kSigmoidBackward, kSigmoidBackwardOf};
    default:
      return {kTanhBackward, kTanhBackwardOf};
  }
}
/// Returns the code of an op of one operand. kLoad means that nothing is to be done.
RowCode code_of(const RowOperands& row) {
  using enum RowCode;
  switch (row.op) {
    case RowOp::kNeg:
      return kNeg;
    case RowOp::kRelu:
      return kRelu;
    case RowOp::kSquare:
      return kSquare;
    case RowOp::kAbs:
      return kAbs;
    case RowOp::kSqrt:
      return kSqrt;
    case RowOp::kReciprocal:
      return kReciprocal;
    case RowOp::kSign:
      return kSign;
    case RowOp::kNot:
      return kNot;
    case RowOp::kPower:
      return row.alpha == 2     ? kSquare
             : row.alpha == 3   ? kCube
             : row.alpha == 0.5 ? kSqrt
             : row.alpha == -1  ? kReciprocal
                                : kLoad;
    default:
      return row.bools[0] && !row.bools[1] ? kTruth : kLoad;
  }
}

/// Returns whether runs know the op for the dtypes of a row.
bool is_known(const RowOperands& r) {
  for (int k = 0; k <= r.inputs; ++k)
    if (r.bools[k] && r.one[k]) return false;
  const bool floats = !r.bools[1] && (r.inputs < 2 || !r.bools[2]);
  switch (r.op) {
    case RowOp::kOther:
      return false;
    case RowOp::kCopy:
      return r.inputs == 1 && !(r.bools[0] && r.bools[1]);  // bytes of bools stay unchanged
    case RowOp::kNot:
      return r.inputs == 1 && r.bools[0];
    case RowOp::kAnd:
    case RowOp::kOr:
    case RowOp::kXor:
      return r.inputs == 2 && r.bools[0] && r.bools[1] && r.bools[2];
    case RowOp::kEq:
    case RowOp::kNe:
    case RowOp::kLess:
    case RowOp::kLessEqual:
      return r.inputs == 2 && r.bools[0] && floats;
    case RowOp::kSelect:
      return r.inputs == 3 && r.bools[1] && !r.bools[0] && !r.bools[2] && !r.bools[3];
    case RowOp::kPower:
      return r.inputs == 1 && floats && !r.bools[0] &&
             (r.alpha == 1 || r.alpha == 2 || r.alpha == 3 || r.alpha == 0.5 || r.alpha == -1);
    // For a number a compiler may move the product out of the loop, and then rounds it.
    case RowOp::kAddScaled:
    case RowOp::kTanhBackward:
      return r.inputs == 2 && floats && !r.bools[0] && !r.one[2];
    default:
      return r.inputs <= 2 && floats && !r.bools[0];
  }
}

/// Makes the steps of the rows [begin, end).
class RunMaker {
 public:
  RunMaker(const std::vector<RowOperands>& rows, size_t begin, size_t end)
      : rows_(rows), values_(rows, begin, end, best_isa == Isa::kAvx512), run_{begin, end, {}} {}

  RowRun make() {
    for (size_t t = 0; t < values_.order().size(); ++t) {
      values_.fills_at(t,
                       [&](int bank, const RowRead& x) { add(RowCode::kFill, bank_at(bank), x); });
      compute(t);
      put_by(t);
    }
    run_.steps.push_back({{RowCode::kEnd, RowSource::kRow, 0, 0, nullptr}, run_.begin, 0});
    return std::move(run_);
  }

 private:
  static RowSource bank_at(int bank) { return bank ? RowSource::kKept2 : RowSource::kKept; }
  void add(RowCode code, RowSource source, const RowRead& x) {
    run_.steps.push_back({{code, source, 0, rows_[x.row].alpha, nullptr}, x.row, x.operand});
  }
  void add(RowCode code, size_t t, const RowRead& x) {
    add(code, values_.source_of(code, x, t), x);
  }
  void add(RowCode code, size_t t, int i) { add(code, t, RowRead{values_.order()[t], i}); }

  void compute(size_t t) {
    const size_t k = values_.order()[t];
    const RowOperands& row = rows_[k];
    if (values_.product_of(k).as) return with_product(t, values_.product_of(k));
    if (row.op == RowOp::kSelect) return select(t);
    if (row.inputs == 1 || values_.is_square(t)) {
      if (!values_.in_accumulators(t, 1)) add(RowCode::kLoad, t, 1);
      const RowCode code = values_.is_square(t) ? RowCode::kSquare : code_of(row);
      if (code != RowCode::kLoad) add(code, RowSource::kRow, RowRead{k, 0});
      return;
    }
    const Codes codes = codes_of(row.op);
    const bool first = values_.in_accumulators(t, 1);
    if (!first && values_.in_accumulators(t, 2)) return add(codes.second, t, 1);
    if (!first) add(RowCode::kLoad, t, 1);
    add(codes.first, t, 2);
  }

  void with_product(size_t t, const RowProduct& p) {
    using enum RowCode;
    const bool sum = rows_[values_.order()[t]].op == RowOp::kAdd;
    const RowCode code = p.is_rest() ? (sum ? kAddRest : kSubRest)
                         : sum       ? kAddTimes
                         : p.as == 2 ? kSubTimes
                                     : kTimesSub;
    add(code, t, p.x);
    add(kNumber, RowSource::kOne, p.number);
    if (p.is_rest()) add(kNumber, RowSource::kOne, p.from);
  }

  /// Puts the condition into the second registers, which are free at this step.
  void select(size_t t) {
    const size_t k = values_.order()[t];
    if (values_.kept_at(t, RowRead{k, 1}) != 1) {
      if (values_.in_accumulators(t, 1))
        add(RowCode::kKeep, RowSource::kKept2, RowRead{k, 0});
      else
        add(RowCode::kCondition, t, 1);
    }
    const bool second = values_.in_accumulators(t, 3) && !values_.in_accumulators(t, 2);
    if (!second && !values_.in_accumulators(t, 2)) add(RowCode::kLoad, t, 2);
    if (values_.in_accumulators(t, 2) && values_.in_accumulators(t, 3)) return;
    add(second ? RowCode::kSelectElse : RowCode::kSelect, t, second ? 2 : 3);
  }

  /// Keeps the result for rows other than the next: in memory, or in registers if they are free.
  void put_by(size_t t) {
    const RowRead result{values_.order()[t], 0};
    if (values_.is_stored(t))
      add(RowCode::kStore, rows_[result.row].bools[0] ? RowSource::kBools : RowSource::kRow,
          result);
    if (values_.bank_of(t) >= 0) add(RowCode::kKeep, bank_at(values_.bank_of(t)), result);
  }

  const std::vector<RowOperands>& rows_;
  const RowValues values_;
  RowRun run_;
};

}  // namespace

void find_pieces(std::vector<RowStep>& steps) {
  for (size_t i = 0; i < steps.size(); i += static_cast<size_t>(count_of(steps[i].code)))
    steps[i].piece = piece_of(&steps[i]);
}

std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows) {
  std::vector<RowRun> runs;
  for (size_t k = 0; k < rows.size();) {
    size_t end = k;
    while (end < rows.size() && is_known(rows[end])) ++end;
    if (end >= k + 2) {
      runs.push_back(RunMaker(rows, k, end).make());
    }
    k = std::max(end, k + 1);
  }
  return runs;
}

}  // namespace torch::taper::cpu
