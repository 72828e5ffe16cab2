#include <taper/framework/cpu/row_runs.h>

#include <algorithm>

#include <taper/framework/check.h>
#include <taper/framework/cpu/math/vec_double.h>
#include <taper/framework/cpu/vec.h>

// The pieces of the interpreter: what steps do, by where their operand is.
// clang-format off
#define TAPER_ROW_SOURCES(X, code) X(code, kRow) X(code, kOne) X(code, kKept) X(code, kKept2)
#define TAPER_ROW_PIECES(X)                                                                       \
  X(kStore, kRow) X(kStore, kBools) X(kKeep, kKept) X(kKeep, kKept2)                              \
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
  X(kSelectElse, kRow) X(kSelectElse, kOne) X(kSelectElse, kKept)
// Steps that often come together, as one piece: a jump less.
#define TAPER_ROW_PAIRS(X)                                                                        \
  X(kLoad, kRow, kAdd, kRow) X(kLoad, kRow, kSub, kRow) X(kLoad, kRow, kMul, kRow)                \
  X(kLoad, kRow, kAdd, kOne) X(kLoad, kRow, kMul, kOne) X(kLoad, kOne, kSub, kRow)                \
  X(kAdd, kRow, kAdd, kRow) X(kAdd, kRow, kMul, kRow) X(kAdd, kRow, kMul, kOne)                   \
  X(kAdd, kRow, kSub, kRow) X(kAdd, kRow, kRelu, kRow) X(kAdd, kRow, kStore, kRow)                \
  X(kSub, kRow, kMul, kRow) X(kSub, kRow, kMul, kOne) X(kSub, kRow, kStore, kRow)                 \
  X(kMul, kOne, kAdd, kRow) X(kMul, kOne, kSub, kRow) X(kMul, kOne, kStore, kRow)                 \
  X(kMul, kRow, kAdd, kRow) X(kMul, kRow, kAdd, kOne) X(kMul, kRow, kStore, kRow)                 \
  X(kAdd, kOne, kNeg, kRow) X(kRelu, kRow, kMul, kOne)
// clang-format on
#define TAPER_ROW_LABEL(code, source) &&code##_##source,
#define TAPER_ROW_PIECE(code, source)                         \
  code##_##source : {                                         \
    r.template step<RowCode::code, RowSource::source>(*s, i); \
    ++s;                                                      \
    goto* pieces[s->piece];                                   \
  }

#define TAPER_ROW_PAIR_LABEL(code, source, code2, source2) &&code##_##source##_##code2##_##source2,
#define TAPER_ROW_FIRST_LABEL(code, source, code2, source2) &&code##_##source,
#define TAPER_ROW_PAIR_PIECE(code, source, code2, source2)        \
  code##_##source##_##code2##_##source2 : {                       \
    r.template step<RowCode::code, RowSource::source>(*s, i);     \
    r.hide_all();                                                 \
    r.template step<RowCode::code2, RowSource::source2>(s[1], i); \
    s += 2;                                                       \
    goto* pieces[s->piece];                                       \
  }

#define TAPER_ISA_FILE <taper/framework/cpu/row_runs_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void run_row_steps(const RowStep* steps, bool keeps, int64_t n) {
  TAPER_BY_ISA(run_row_steps, steps, keeps, n);
}

namespace {

constexpr size_t kNone = SIZE_MAX;

/// A step, or two: no code stands for no second one.
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
                             TAPER_ROW_PAIRS(TAPER_ROW_PAIR)};
static_assert(std::size(kPieces) <= 256);

bool is_piece(const RowStep& s, RowCode code, RowSource source) {
  const bool of_accumulators = code >= RowCode::kNeg && code < RowCode::kLoad;
  return s.code == code && (of_accumulators || s.source == source);
}
/// Of the steps from s on, of which the last one is kEnd: a pair where there is one.
uint8_t piece_of(const RowRun::Step* s) {
  size_t found = std::size(kPieces);
  for (size_t i = 0; i < std::size(kPieces); ++i) {
    const Piece& p = kPieces[i];
    const bool one = p.code2 == RowCode::kEnd;
    if (is_piece(s->step, p.code, p.source) && (one || is_piece(s[1].step, p.code2, p.source2)))
      found = i;
  }
  TAPER_CHECK(found < std::size(kPieces),
              "Graph.replay: a step has no piece (this is an error of Taper)");
  return static_cast<uint8_t>(found);
}

/// The code of an op whose first operand, or whose second one, is in the accumulators.
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
/// Of an op of one operand; kLoad where nothing is to be done.
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

/// Whether the dtypes of a row are those that runs know its op of.
bool is_known(const RowOperands& r) {
  for (int k = 0; k <= r.inputs; ++k)
    if (r.bools[k] && r.one[k]) return false;
  const bool floats = !r.bools[1] && (r.inputs < 2 || !r.bools[2]);
  switch (r.op) {
    case RowOp::kOther:
      return false;
    case RowOp::kCopy:
      return r.inputs == 1 && !(r.bools[0] && r.bools[1]);  // bytes of bools stay as they are
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
    // Of a number a compiler may take the product out of the loop, and then rounds it.
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
      : rows_(rows), run_{begin, end, {}} {}

  /// The run; it ends before what finds no registers.
  RowRun make() {
    for (size_t k = run_.begin; k < run_.end; ++k) {
      if (!compute(k)) return RunMaker(rows_, run_.begin, k).make();
      put_by(k);
    }
    run_.steps.push_back({{RowCode::kEnd, RowSource::kRow, 0, 0, nullptr}, run_.begin, 0});
    for (RowRun::Step& s : run_.steps) s.step.piece = piece_of(&s);
    return std::move(run_);
  }

 private:
  /// What is in registers of a row's result, until a later row.
  struct Kept {
    size_t row = kNone, until = 0;
  };

  /// The row that wrote what operand i of row k is, or kNone.
  size_t writer_of(size_t k, int i) const {
    const void* const place = rows_[k].place[i];
    for (size_t j = k; place && j-- > 0;)
      if (rows_[j].place[0] == place) return j;
    return kNone;
  }
  bool reads(size_t k, int i, size_t writer) const {
    return i <= rows_[k].inputs && writer_of(k, i) == writer;
  }
  bool in_accumulators(size_t k, int i) const { return k > run_.begin && reads(k, i, k - 1); }
  bool is_kept(size_t k, int i, int bank) const {
    return i > 0 && kept_[bank].row != kNone && reads(k, i, kept_[bank].row);
  }
  bool is_free(int bank, size_t k) const {
    return kept_[bank].row == kNone || kept_[bank].until <= k;
  }
  bool is_square(size_t k) const {
    return rows_[k].op == RowOp::kMul && in_accumulators(k, 1) && in_accumulators(k, 2);
  }
  void add(RowCode code, RowSource source, size_t k, int i) {
    run_.steps.push_back({{code, source, 0, rows_[k].alpha, nullptr}, k, i});
  }
  void add(RowCode code, size_t k, int i) {
    add(code,
        is_kept(k, i, 0)    ? RowSource::kKept
        : is_kept(k, i, 1)  ? RowSource::kKept2
        : rows_[k].one[i]   ? RowSource::kOne
        : rows_[k].bools[i] ? RowSource::kBools
                            : RowSource::kRow,
        k, i);
  }

  /// False where there are not registers enough.
  bool compute(size_t k) {
    const RowOperands& row = rows_[k];
    if (row.op == RowOp::kSelect) return select(k);
    if (row.inputs == 1 || is_square(k)) {
      if (!in_accumulators(k, 1)) add(RowCode::kLoad, k, 1);
      const RowCode code = is_square(k) ? RowCode::kSquare : code_of(row);
      if (code != RowCode::kLoad) add(code, k, 0);
      return true;
    }
    const Codes codes = codes_of(row.op);
    const bool first = in_accumulators(k, 1);
    if (!first && in_accumulators(k, 2)) return add(codes.second, k, 1), true;
    if (!first) add(RowCode::kLoad, k, 1);
    return add(codes.first, k, 2), true;
  }

  /// The condition goes to the registers of the second value that is kept.
  bool select(size_t k) {
    if (!is_kept(k, 1, 1)) {
      if (!is_free(1, k) || is_kept(k, 2, 1) || is_kept(k, 3, 1)) return false;
      if (in_accumulators(k, 1))
        add(RowCode::kKeep, RowSource::kKept2, k, 0);
      else
        add(RowCode::kCondition, k, 1);
      kept_[1] = {};
    }
    const bool second = in_accumulators(k, 3) && !in_accumulators(k, 2);
    if (!second && !in_accumulators(k, 2)) add(RowCode::kLoad, k, 2);
    if (in_accumulators(k, 2) && in_accumulators(k, 3)) return true;
    add(second ? RowCode::kSelectElse : RowCode::kSelect, k, second ? 2 : 3);
    return true;
  }

  /// The last row that reads what row k made in another place than the accumulators, or kNone.
  size_t last_reader(size_t k) const {
    size_t last = kNone;
    for (size_t j = k + 1; j < rows_.size(); ++j) {
      const int count = reads(j, 1, k) + reads(j, 2, k) + reads(j, 3, k);
      const bool by_accumulators = j == k + 1 && j < run_.end && (count == 1 || is_square(j));
      if (count > 0 && !by_accumulators) last = j;
    }
    return last;
  }

  /// What others than the next row want of it: in memory, or in registers where they are free.
  void put_by(size_t k) {
    const size_t last = last_reader(k);
    const int bank = is_free(0, k) ? 0 : 1;
    const bool keep = last != kNone && last < run_.end && is_free(bank, k);
    if (rows_[k].leaves || (last != kNone && !keep))
      add(RowCode::kStore, rows_[k].bools[0] ? RowSource::kBools : RowSource::kRow, k, 0);
    if (!keep) return;
    kept_[bank] = {k, last};
    add(RowCode::kKeep, bank ? RowSource::kKept2 : RowSource::kKept, k, 0);
  }

  const std::vector<RowOperands>& rows_;
  RowRun run_;
  Kept kept_[2];
};

}  // namespace

std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows) {
  std::vector<RowRun> runs;
  for (size_t k = 0; k < rows.size();) {
    size_t end = k;
    while (end < rows.size() && is_known(rows[end])) ++end;
    if (end >= k + 2) {
      RowRun run = RunMaker(rows, k, end).make();
      end = run.end;
      if (end >= k + 2) runs.push_back(std::move(run));
    }
    k = std::max(end, k + 1);
  }
  return runs;
}

}  // namespace taper::cpu
