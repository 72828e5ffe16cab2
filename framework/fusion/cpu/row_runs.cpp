// Makes runs: which rows of a chain are executed in registers, which values stay there for how
// long, and the steps.
#include <taper/framework/fusion/cpu/row_runs.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <taper/framework/kernel/isa.h>

namespace torch::taper::cpu {
namespace {

constexpr size_t kNoRow = SIZE_MAX;

/// The code of a step and its formula.
struct RowWork {
  RowCode code;
  Formula formula = Formula::none;
};

/// Operand `operand` of a row.
struct RowRead {
  size_t row = kNoRow;
  int operand = 0;
};

/// A product x * number, or (from - x) * number, that a row computes as its operand `as` in place
/// of the rows that define it.
struct RowProduct {
  int as = 0;  ///< 0: none
  RowRead x, number, from;
  bool is_rest() const { return from.row != kNoRow; }
};

/// The rows [begin, end) of a chain, in the order of execution. Times are indices in this order.
class RowValues {
 public:
  /// `keeps_rows`: whether operands in memory that several rows read may be kept, too.
  RowValues(const std::vector<RowOperands>& rows, size_t begin, size_t end, bool keeps_rows)
      : rows_(rows), begin_(begin), end_(end), products_(end), within_(end, false) {
    find_writers();
    for (size_t k = end; k-- > begin;) find_product(k);
    for (size_t k = begin; k < end; ++k)
      if (!within_[k]) order_.push_back(k);
    for (size_t t = 0; t < order_.size(); ++t) add_result(t);
    if (keeps_rows) add_rows();
    give_registers();
    while (keeps_rows && split_one()) continue;
  }

  /// Returns the executed rows, without products that are fused into others.
  const std::vector<size_t>& order() const { return order_; }
  const RowProduct& product_of(size_t row) const { return products_[row]; }
  bool in_accumulators(size_t t, int i) const {
    return t > 0 && i <= rows_[order_[t]].inputs && writers_[order_[t]][i] == order_[t - 1];
  }
  bool is_square(size_t t) const {
    return rows_[order_[t]].formula.name == Formula::mul && in_accumulators(t, 1) &&
           in_accumulators(t, 2);
  }
  /// Returns the registers, 0 or 1, that hold a row's result at a time, or -1 if none does.
  int kept_at(size_t t, size_t row) const {
    for (const Value& v : values_)
      if (row != kNoRow && v.row == row && v.bank >= 0 && v.from <= t && t <= v.until)
        return v.bank;
    return -1;
  }
  int kept_at(size_t t, const RowRead& x) const { return kept_at(t, writers_[x.row][x.operand]); }
  /// Returns the location of x for a step.
  RowSource source_of(RowWork work, const RowRead& x, size_t t) const {
    const RowOperands& r = rows_[x.row];
    const int bank = kept_at(t, x);
    if (bank >= 0) return bank ? RowSource::kKept2 : RowSource::kKept;
    if (r.one[x.operand]) return RowSource::kOne;
    if (r.bools[x.operand]) return RowSource::kBools;
    for (const Value& v : values_)
      if (v.row == kNoRow && v.bank >= 0 && v.from <= t && t <= v.until && is_of_memory(x)) {
        const int64_t apart = distance(v.at, x);
        if (apart == 0) return v.bank ? RowSource::kKept2 : RowSource::kKept;
        if (apart == -1 && takes_beside(work))
          return v.bank ? RowSource::kBefore2 : RowSource::kBefore;
        if (apart == 1 && takes_beside(work))
          return v.bank ? RowSource::kBehind2 : RowSource::kBehind;
      }
    return RowSource::kRow;
  }
  /// Calls fill(bank, read) for values that are loaded to registers at a time.
  template <class Fill>
  void fills_at(size_t t, const Fill& fill) const {
    for (const Value& v : values_)
      if (v.row == kNoRow && v.bank >= 0 && v.from == t) fill(v.bank, v.at);
  }
  /// Returns whether a row's result goes to memory.
  bool is_stored(size_t t) const {
    const Value& v = values_[t];
    return rows_[order_[t]].leaves || v.read_elsewhere || (v.reads > 0 && v.bank < 0);
  }
  int bank_of(size_t t) const { return values_[t].bank; }

 private:
  struct TimedRead {
    RowRead x;
    size_t t;
  };
  /// A row's result, or a value in memory (row is kNoRow).
  struct Value {
    size_t row;
    RowRead at;
    size_t from = 0, until = 0;
    int64_t reads = 0;  ///< except by the accumulators
    bool read_elsewhere = false;
    int64_t gain = 0;  ///< saved loads
    int bank = -1;
    std::vector<TimedRead> of_memory = {};
  };

  void find_writers() {
    writers_.resize(rows_.size());
    for (size_t k = 0; k < rows_.size(); ++k) {
      writers_[k].fill(kNoRow);
      for (int i = 1; i <= rows_[k].inputs; ++i)
        for (size_t j = k; rows_[k].place[i] && writers_[k][i] == kNoRow && j-- > 0;)
          if (rows_[j].place[0] == rows_[k].place[i]) writers_[k][i] = j;
    }
  }
  bool is_in_run(size_t row) const { return row != kNoRow && row >= begin_ && row < end_; }
  int64_t reads_of(size_t row) const {
    int64_t n = 0;
    for (const auto& w : writers_) n += std::count(w.begin(), w.end(), row);
    return n;
  }

  // -------------------------------------------------------------- products
  /// Returns whether only one other row uses a row's result.
  bool is_for_one(size_t row) const {
    return is_in_run(row) && !rows_[row].leaves && !within_[row] && reads_of(row) == 1;
  }
  /// Returns whether a later row can read an operand instead of this one. `last` is the row whose
  /// result is in the accumulators.
  bool can_wait(const RowRead& x, size_t later, size_t last) const {
    const RowOperands& r = rows_[x.row];
    const size_t writer = writers_[x.row][x.operand];
    if (r.one[x.operand] || r.bools[x.operand] || writer == last) return false;
    if (is_in_run(writer) && (within_[writer] || reads_of(writer) < 2)) return false;
    for (size_t j = x.row + 1; j < later; ++j)
      if (rows_[j].place[0] == r.place[x.operand]) return false;
    return true;
  }
  /// Returns the last executed row before k other than w and m, or kNoRow.
  size_t before(size_t k, size_t w, size_t m) const {
    while (k-- > begin_)
      if (!within_[k] && k != w && k != m) return k;
    return kNoRow;
  }

  /// Fuses a product into row k if one of its operands is one, and the other is the previous row's
  /// result.
  void find_product(size_t k) {
    const Formula op = rows_[k].formula.name;
    if (within_[k] || (op != Formula::add && op != Formula::sub)) return;
    for (const int i : {2, 1})
      if (product_as(k, i)) return;
  }
  bool product_as(size_t k, int i) {
    const size_t w = writers_[k][i];
    if (!is_for_one(w) || rows_[w].formula.name != Formula::mul ||
        rows_[w].one[1] == rows_[w].one[2])
      return false;
    RowProduct p{i, {w, rows_[w].one[1] ? 2 : 1}, {w, rows_[w].one[1] ? 1 : 2}, {}};
    const size_t m = writers_[w][p.x.operand];
    const bool from_left = rows_[k].formula.name == Formula::add || i == 2;
    if (from_left && is_for_one(m) && rows_[m].formula.name == Formula::sub && rows_[m].one[1] &&
        !rows_[m].one[2])
      p.x = {m, 2}, p.from = {m, 1};
    const size_t inner = p.is_rest() ? m : w, last = before(k, w, inner);
    if (last == kNoRow || writers_[k][3 - i] != last || !can_wait(p.x, k, last)) return false;
    products_[k] = p;
    within_[w] = within_[inner] = true;
    return true;
  }

  // -------------------------------------------------------------- reads
  /// Calls f(read) for all reads at a time.
  template <class F>
  void reads_at(size_t t, const F& f) const {
    const size_t k = order_[t];
    for (int i = 1; i <= rows_[k].inputs; ++i)
      if (const RowProduct& p = products_[k]; p.as == i)
        f(p.x);
      else
        f(RowRead{k, i});
  }
  void add_result(size_t t) {
    const size_t row = order_[t];
    Value v{row, {row, 0}, t + 1};
    for (size_t u = t + 1; u < order_.size(); ++u) {
      int64_t count = 0;
      reads_at(u, [&](const RowRead& x) { count += writers_[x.row][x.operand] == row; });
      if (count == 0 || (u == t + 1 && (count == 1 || is_square(u)))) continue;
      v.reads += count, v.until = u;
    }
    for (size_t j = end_; j < rows_.size(); ++j)
      for (const size_t writer : writers_[j]) v.read_elsewhere = v.read_elsewhere || writer == row;
    v.gain = v.reads + (rows_[row].leaves || v.read_elsewhere ? 0 : 2);
    values_.push_back(v);
  }

  bool is_of_memory(const RowRead& x) const {
    const RowOperands& r = rows_[x.row];
    const int i = x.operand;
    return r.place[i] && !r.own[i] && !r.bools[i] && writers_[x.row][i] == kNoRow;
  }
  /// Returns the distance in elements from a to b, if their rows have one layout, else INT64_MAX.
  int64_t distance(const RowRead& a, const RowRead& b) const {
    const RowOperands &r = rows_[a.row], &s = rows_[b.row];
    const int i = a.operand, j = b.operand;
    const auto bytes =
        reinterpret_cast<intptr_t>(s.place[j]) - reinterpret_cast<intptr_t>(r.place[i]);
    const bool alike = r.row[i] == s.row[j] && r.block[i] == s.block[j];
    constexpr auto kItem = static_cast<intptr_t>(sizeof(float));
    return alike && bytes % kItem == 0 ? bytes / kItem : INT64_MAX;
  }
  static bool is_beside_op(Formula f) {
    return f == Formula::add || f == Formula::sub || f == Formula::mul;
  }
  static bool takes_beside(RowWork w) {
    return w.code == RowCode::kLoad || is_beside_op(w.formula);
  }
  bool is_read_beside(const RowRead& x) const {
    const RowOperands& r = rows_[x.row];
    return !within_[x.row] && (r.inputs == 1 || is_beside_op(r.formula.name));
  }
  bool is_aligned(const RowRead& x) const {
    const RowOperands& r = rows_[x.row];
    const int i = x.operand;
    return (reinterpret_cast<intptr_t>(r.place[i]) | r.row[i] | r.block[i]) % 64 == 0;
  }

  // -------------------------------------------------------------- what is kept of memory
  bool is_had_from(const RowRead& kept, const RowRead& x) const {
    const int64_t apart = distance(kept, x);
    return apart == 0 || ((apart == 1 || apart == -1) && is_read_beside(x));
  }
  /// Returns the value for keeping `at` and deriving others from it. The gain counts saved loads
  /// that cross cache lines.
  Value value_in_memory(const RowRead& at, const std::vector<TimedRead>& reads) const {
    Value v{kNoRow, at, SIZE_MAX};
    const bool aligned = is_aligned(at);
    v.gain = aligned ? 0 : -1;
    for (const TimedRead& r : reads) {
      if (!is_had_from(at, r.x)) continue;
      v.from = std::min(v.from, r.t), v.until = std::max(v.until, r.t), ++v.reads;
      v.gain += !aligned || distance(at, r.x) != 0;
      v.of_memory.push_back(r);
    }
    return v;
  }
  void add_rows() {
    std::vector<TimedRead> reads;
    for (size_t t = 0; t < order_.size(); ++t)
      reads_at(t, [&](const RowRead& x) {
        if (is_of_memory(x)) reads.push_back({x, t});
      });
    for (;;) {
      Value best{kNoRow, {}};
      for (const TimedRead& r : reads)
        if (const Value v = value_in_memory(r.x, reads); v.gain > best.gain) best = v;
      if (best.gain < 1) break;
      values_.push_back(best);
      const auto had = [&](const TimedRead& r) { return is_had_from(best.at, r.x); };
      reads.erase(std::remove_if(reads.begin(), reads.end(), had), reads.end());
    }
  }

  // -------------------------------------------------------------- registers
  bool is_select(size_t t) const { return rows_[order_[t]].formula.name == Formula::where; }
  /// Returns whether registers are free for a value. Select has its condition in the second
  /// registers.
  bool is_free(const Value& v, int bank) const {
    for (size_t t = v.from; t <= v.until; ++t) {
      for (const Value& o : values_)
        if (o.bank == bank && o.from <= t && t <= o.until) return false;
      if (bank == 1 && is_select(t) && (v.row == kNoRow || writers_[order_[t]][1] != v.row))
        return false;
    }
    return true;
  }
  void give_registers() {
    std::vector<Value*> all;
    int64_t of_memory = 0;
    bool keeps = false;
    for (Value& v : values_) {
      v.bank = -1;
      if (v.reads > 0 && (v.row != kNoRow || v.gain > 0)) all.push_back(&v);
      if (v.row == kNoRow)
        of_memory += v.gain;
      else
        keeps = keeps || v.reads > 0;
    }
    for (size_t t = 0; t < order_.size(); ++t) keeps = keeps || is_select(t);
    std::stable_sort(all.begin(), all.end(),
                     [](const Value* a, const Value* b) { return a->gain > b->gain; });
    for (Value* v : all) {
      if (v->row == kNoRow && !keeps && of_memory < kLeastGain) continue;
      const int first = v->row != kNoRow && rows_[v->row].bools[0];
      for (const int bank : {first, 1 - first})
        if (v->bank < 0 && is_free(*v, bank)) v->bank = bank;
    }
  }
  /// Returns the gain of all kept values.
  int64_t gain() const {
    int64_t all = 0;
    for (const Value& v : values_) all += v.bank >= 0 ? v.gain : 0;
    return all;
  }
  /// Returns the index of the first read after the longest gap between reads.
  static size_t behind_gap(const std::vector<TimedRead>& reads) {
    size_t found = 0, longest = 1;
    for (size_t k = 1; k < reads.size(); ++k)
      if (const size_t gap = reads[k].t - reads[k - 1].t; gap > longest) found = k, longest = gap;
    return found;
  }
  /// Loads one value in memory twice, so that its registers are free in between, if this increases
  /// the gain. Returns false if no split does.
  bool split_one() {
    const std::vector<Value> before = values_;
    std::vector<Value> best;
    int64_t most = gain();
    for (size_t k = order_.size(); k < before.size(); ++k) {
      const std::vector<TimedRead>& reads = before[k].of_memory;
      const size_t at = behind_gap(reads);
      if (at == 0) continue;
      const auto middle = reads.begin() + static_cast<int64_t>(at);
      values_ = before;
      values_[k] = value_in_memory(before[k].at, {reads.begin(), middle});
      values_.push_back(value_in_memory(before[k].at, {middle, reads.end()}));
      give_registers();
      if (gain() > most) most = gain(), best = values_;
    }
    values_ = best.empty() ? before : best;
    return !best.empty();
  }
  /// Without kept values steps process twice as many vectors at once. Keeping pays only from this
  /// many saved loads.
  static constexpr int64_t kLeastGain = 3;

  const std::vector<RowOperands>& rows_;
  const size_t begin_, end_;
  std::vector<std::array<size_t, 4>> writers_;
  std::vector<RowProduct> products_;
  std::vector<bool> within_;  ///< rows fused as products
  std::vector<size_t> order_;
  std::vector<Value> values_;  ///< rows' results first, in their order
};

// ---------------------------------------------------------------- steps
/// Returns the formula of floats raised to a number, or none. Runs have no rsqrt.
Formula power_of(float exponent) {
  const Formula f = simple_power(exponent);
  return f == Formula::rsqrt ? Formula::none : f;
}

/// Returns whether the formula's functor is known for the dtypes of a row.
bool is_known_functor(const RowOperands& r) {
  const RowFormula& f = r.formula;
  if (!f.takes_lanes) return false;
  const bool bools = r.bools[1] && (r.inputs < 2 || r.bools[2]);
  const bool floats = !r.bools[1] && (r.inputs < 2 || !r.bools[2]);
  if (f.takes_bits) return r.bools[0] && bools;
  if (f.name == Formula::logical_not) return r.bools[0];
  return floats && r.bools[0] == f.tests && !(f.contracts && r.one[2]);
}
/// Returns whether runs know the formula for the dtypes of a row.
bool is_known(const RowOperands& r) {
  for (int k = 0; k <= r.inputs; ++k)
    if (r.bools[k] && r.one[k]) return false;
  switch (r.formula.name) {
    case Formula::none:
      return false;
    case Formula::copy:
      return r.inputs == 1 && !(r.bools[0] && r.bools[1]);  // bytes of bools stay unchanged
    case Formula::where:
      return r.inputs == 3 && r.bools[1] && !r.bools[0] && !r.bools[2] && !r.bools[3];
    case Formula::pow:
      return r.inputs == 1 && !r.bools[1] && !r.bools[0] && power_of(r.alpha) != Formula::none;
    default:
      return is_known_functor(r);
  }
}
/// Returns the step for an op of one operand. kLoad means that nothing is to be done.
RowWork work_of(const RowOperands& row) {
  Formula f = row.formula.name;
  if (f == Formula::pow) f = power_of(row.alpha);
  if (f != Formula::copy) return {RowCode::kOf, f};
  return {row.bools[0] && !row.bools[1] ? RowCode::kTruth : RowCode::kLoad};
}

/// Makes the steps of the rows [begin, end).
class RunMaker {
 public:
  RunMaker(const std::vector<RowOperands>& rows, size_t begin, size_t end)
      : rows_(rows), values_(rows, begin, end, best_isa == Isa::kAvx512), run_{begin, end, {}} {}

  RowRun make() {
    for (size_t t = 0; t < values_.order().size(); ++t) {
      values_.fills_at(
          t, [&](int bank, const RowRead& x) { add({RowCode::kFill}, bank_at(bank), x); });
      compute(t);
      put_by(t);
    }
    add({RowCode::kEnd}, RowSource::kRow, {run_.begin, 0});
    return std::move(run_);
  }

 private:
  static RowSource bank_at(int bank) { return bank ? RowSource::kKept2 : RowSource::kKept; }
  void add(RowWork w, RowSource source, const RowRead& x) {
    const RowStep step{w.code, w.formula, source, 0, rows_[x.row].alpha, nullptr};
    run_.steps.push_back({step, x.row, x.operand});
  }
  void add(RowWork w, size_t t, const RowRead& x) { add(w, values_.source_of(w, x, t), x); }
  void add(RowWork w, size_t t, int i) { add(w, t, RowRead{values_.order()[t], i}); }

  void compute(size_t t) {
    const size_t k = values_.order()[t];
    const RowOperands& row = rows_[k];
    if (values_.product_of(k).as) return with_product(t, values_.product_of(k));
    if (row.formula.name == Formula::where) return select(t);
    const bool first = values_.in_accumulators(t, 1);
    if (row.inputs == 1 || values_.is_square(t)) {
      if (!first) add({RowCode::kLoad}, t, 1);
      const RowWork w = row.inputs == 1 ? work_of(row) : RowWork{RowCode::kOf, Formula::square};
      if (w.code != RowCode::kLoad) add(w, RowSource::kRow, RowRead{k, 0});
      return;
    }
    const RowCode from = row.formula.turns ? RowCode::kWith : RowCode::kFrom;
    if (!first && values_.in_accumulators(t, 2)) return add({from, row.formula.name}, t, 1);
    if (!first) add({RowCode::kLoad}, t, 1);
    add({RowCode::kWith, row.formula.name}, t, 2);
  }

  void with_product(size_t t, const RowProduct& p) {
    using enum RowCode;
    const bool sum = rows_[values_.order()[t]].formula.name == Formula::add;
    const RowCode code = p.is_rest() ? (sum ? kAddRest : kSubRest)
                         : sum       ? kAddTimes
                         : p.as == 2 ? kSubTimes
                                     : kTimesSub;
    add({code}, t, p.x);
    add({kNumber}, RowSource::kOne, p.number);
    if (p.is_rest()) add({kNumber}, RowSource::kOne, p.from);
  }

  /// Puts the condition into the second registers, which are free at this step.
  void select(size_t t) {
    const size_t k = values_.order()[t];
    if (values_.kept_at(t, RowRead{k, 1}) != 1) {
      if (values_.in_accumulators(t, 1))
        add({RowCode::kKeep}, RowSource::kKept2, RowRead{k, 0});
      else
        add({RowCode::kCondition}, t, 1);
    }
    const bool second = values_.in_accumulators(t, 3) && !values_.in_accumulators(t, 2);
    if (!second && !values_.in_accumulators(t, 2)) add({RowCode::kLoad}, t, 2);
    if (values_.in_accumulators(t, 2) && values_.in_accumulators(t, 3)) return;
    add({second ? RowCode::kSelectElse : RowCode::kSelect}, t, second ? 2 : 3);
  }

  /// Keeps the result for rows other than the next: in memory, or in registers if they are free.
  void put_by(size_t t) {
    const RowRead result{values_.order()[t], 0};
    if (values_.is_stored(t))
      add({RowCode::kStore}, rows_[result.row].bools[0] ? RowSource::kBools : RowSource::kRow,
          result);
    if (values_.bank_of(t) >= 0) add({RowCode::kKeep}, bank_at(values_.bank_of(t)), result);
  }

  const std::vector<RowOperands>& rows_;
  const RowValues values_;
  RowRun run_;
};

}  // namespace

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
