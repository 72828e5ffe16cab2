#include <taper/framework/cpu/row_runs.h>

#include <algorithm>

#include <taper/framework/cpu/vec.h>

#define TAPER_ISA_FILE <taper/framework/cpu/row_runs_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void run_row_steps(const RowStep* steps, int64_t count, int64_t n) {
  TAPER_BY_ISA(run_row_steps, steps, count, n);
}

namespace {

constexpr size_t kNone = SIZE_MAX;

/// The code of an op whose first operand, or whose second one, is in the accumulators.
struct Codes {
  RowCode first, second;
};
Codes codes_of(RowOp op) {
  switch (op) {
    case RowOp::kAdd:
      return {RowCode::kAdd, RowCode::kAdd};
    case RowOp::kSub:
      return {RowCode::kSub, RowCode::kSubFrom};
    case RowOp::kMul:
      return {RowCode::kMul, RowCode::kMul};
    case RowOp::kDiv:
      return {RowCode::kDiv, RowCode::kDivFrom};
    case RowOp::kAddScaled:
      return {RowCode::kAddScaled, RowCode::kScaledAdd};
    case RowOp::kNeg:
      return {RowCode::kNeg, RowCode::kNeg};
    case RowOp::kRelu:
      return {RowCode::kRelu, RowCode::kRelu};
    default:
      return {RowCode::kSquare, RowCode::kSquare};
  }
}

/// Makes the steps of the rows [begin, end).
class RunMaker {
 public:
  RunMaker(const std::vector<RowOperands>& rows, size_t begin, size_t end)
      : rows_(rows), run_{begin, end, {}} {}

  RowRun make() {
    for (size_t k = run_.begin; k < run_.end; ++k) {
      compute(k);
      put_by(k);
    }
    return std::move(run_);
  }

 private:
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
  bool is_square(size_t k) const {
    return rows_[k].op == RowOp::kMul && in_accumulators(k, 1) && in_accumulators(k, 2);
  }

  void add(RowCode code, size_t k, int i) {
    const RowSource source = i > 0 && kept_ != kNone && reads(k, i, kept_) ? RowSource::kKept
                             : rows_[k].one[i]                             ? RowSource::kOne
                                                                           : RowSource::kRow;
    run_.steps.push_back({{code, source, rows_[k].alpha, nullptr}, k, i});
  }

  void compute(size_t k) {
    const RowOperands& row = rows_[k];
    const Codes codes = codes_of(row.op);
    const bool first = in_accumulators(k, 1);
    if (is_square(k)) return add(RowCode::kSquare, k, 0);
    if (row.inputs == 2 && !first && in_accumulators(k, 2)) return add(codes.second, k, 1);
    if (!first) add(RowCode::kLoad, k, 1);
    if (row.op != RowOp::kCopy) add(codes.first, k, row.inputs == 2 ? 2 : 0);
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
    const bool free = kept_ == kNone || kept_until_ <= k;
    const bool keep = last != kNone && last < run_.end && free;
    if (rows_[k].leaves || (last != kNone && !keep)) add(RowCode::kStore, k, 0);
    if (!keep) return;
    kept_ = k;
    kept_until_ = last;
    add(RowCode::kKeep, k, 0);
  }

  const std::vector<RowOperands>& rows_;
  RowRun run_;
  size_t kept_ = kNone, kept_until_ = 0;
};

}  // namespace

std::vector<RowRun> find_row_runs(const std::vector<RowOperands>& rows) {
  std::vector<RowRun> runs;
  for (size_t k = 0; k < rows.size();) {
    size_t end = k;
    while (end < rows.size() && rows[end].op != RowOp::kOther) ++end;
    if (end >= k + 2) runs.push_back(RunMaker(rows, k, end).make());
    k = std::max(end, k + 1);
  }
  return runs;
}

}  // namespace taper::cpu
