#include <taper/framework/autograd/saved_for_replays.h>

#include <algorithm>

#include <taper/framework/capture/capture.h>
#include <taper/framework/capture/step_state.h>
#include <taper/framework/random/generator_states.h>

namespace torch::taper::detail {

bool lies_in(const void* p, const Tensor& t) {
  const char* const begin = static_cast<const char*>(t.storage().data());
  return begin <= p && p < begin + t.storage().nbytes();
}

namespace {

uint64_t capture_here() {
  const Capture* const capture = host_capture();
  return capture ? capture->id() : 0;
}

}  // namespace

// ---------------------------------------------------------------------- what is saved
SavedForReplays::Scope::Scope(std::shared_ptr<SavedForReplays> all) {
  SavedTensorDefaultHooks::push_hooks(
      [all = std::move(all)] { return std::make_unique<Value>(all); });
}

const SavedForReplays::Value* SavedForReplays::kept_at(const void* p) const {
  for (const Value* v : values_)
    if (v->kept.defined() && lies_in(p, v->kept)) return v;
  return nullptr;
}

SavedForReplays::Result& SavedForReplays::result_of(const Tensor& t, const MadeBy& made,
                                                    size_t& number) {
  const auto [at, is_new] = numbers_.emplace(made.launch, results_.size());
  number = at->second;
  if (is_new) {
    Result& result = results_.emplace_back();
    result.nbytes = t.nbytes();
    result.numel = t.numel();
  }
  return results_[number];
}

/// Lets the value own its saved operands. The given operands stay without it.
void SavedForReplays::note_operands(Value& value, Result& result) const {
  result.operands.clear();
  for (const Bytes& bytes : value.made.inputs) {
    if (given_(bytes.begin)) continue;
    const Value& kept = *kept_at(bytes.begin);
    value.operands.push_back(kept.kept);
    if (kept.result != SIZE_MAX) result.operands.push_back(kept.result);
  }
}

void SavedForReplays::pack(Value& value, const Tensor& t) {
  value.sizes = Dims(t.sizes());
  value.dtype = t.scalar_type();
  std::optional<MadeBy> made =
      how_made(t, [this](const void* p) { return given_(p) || kept_at(p); });
  values_.insert(&value);
  if (made) {
    Result& result = result_of(t, *made, value.result);
    if (!made->parts.empty()) {
      value.made = std::move(*made);
      note_operands(value, result);
      result.computed = value.made.computed();
      if (chosen_.count(value.result)) {
        value.capture = capture_here();
        value.recorded = host_capture()->watched().size();
        value.waits = result.is_made_again = true;
        ++result.left;
        return;
      }
    }
  }
  value.made = {};
  value.operands.clear();
  value.kept = t;
  value.version = t.impl().version();
}

void SavedForReplays::no_longer_waits(Value& value) {
  if (!std::exchange(value.waits, false)) return;
  Result& result = results_[value.result];
  if (--result.left == 0) result.again.reset();
}

void SavedForReplays::forget(Value& value) {
  no_longer_waits(value);
  values_.erase(&value);
}

/// Returns whether an operand has changed since the value was saved.
bool SavedForReplays::is_spoiled(const Value& value) const {
  return is_written(value.made.inputs, value.capture == capture_here() ? value.recorded : 0);
}

void SavedForReplays::make(const Value& value, const Tensor& to) {
  const size_t first = host_capture()->steps().size();
  make_again(value.made, to);
  const auto& steps = host_capture()->steps();
  for (size_t i = first; i < steps.size(); ++i) repeated_.insert(i);
  numbers_.emplace(steps.back().launch.get(), value.result);  // an op may save it anew
}

// A spoiled capture may compute anything, because it never runs.
Tensor SavedForReplays::unpack(Value& value) {
  if (value.kept.defined()) {
    TAPER_CHECK(value.kept.impl().untracked || value.kept.impl().version() == value.version,
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [",
                value.kept.toString(), " ", value.kept.sizes(), "] is at version ",
                value.kept.impl().version(), "; expected version ", value.version, " instead.");
    return value.kept;
  }
  TAPER_CHECK(!ended_ && host_capture(),
              "memory_budget: expected backward within the call of the step that made the graph, "
              "got it in a later one");
  if (is_spoiled(value)) spoiled_.insert(value.result);
  Result& result = results_[value.result];
  Tensor y = result.again;
  if (!y.defined()) {
    y = make_tensor({result.numel}, value.dtype, Device());
    make(value, y);
  }
  result.again = y;
  no_longer_waits(value);
  if (result.left == 0) result.again.reset();
  return y.view(value.sizes);
}

// ---------------------------------------------------------------------- the end
namespace {

SavedForReplays::Recorded recorded_of(const WatchedLaunch& launch) {
  size_t hash = 0;
  const auto add = [&hash](int64_t n) { hash = hash * 1099511628211u + static_cast<size_t>(n); };
  for (const Access& a : launch.accesses) {
    add(static_cast<int64_t>(a.itemsize) + 16 * a.writes);
    for (int64_t d = 0; d < a.sizes.size(); ++d) add(a.sizes[d]);
  }
  return {launch.name, hash};
}

void check_uses_nothing_of(const SavedForReplays::Pools& earlier, const WatchedLaunch& launch) {
  for (const Access& a : launch.accesses)
    for (const auto& pool : earlier)
      TAPER_CHECK(
          !pool->holds_host(a.data),
          "memory_budget: expected a step that is the same when it is called again, got one "
          "whose '",
          launch.name, "' ", a.writes ? "writes to" : "reads",
          " a tensor that an earlier call has made. A budget needs several calls: copy_ "
          "what one step leaves to the next into a tensor from before the capture");
}

}  // namespace

void SavedForReplays::end_capture() {
  const Capture& capture = *host_capture();
  pool_ = capture.pool();
  for (size_t i = 0; i < capture.watched().size(); ++i) {
    check_uses_nothing_of(earlier_, capture.watched()[i]);
    if (!repeated_.count(i)) recorded_.push_back(recorded_of(capture.watched()[i]));
  }
  repeated_.clear();
  for (const Value* v : values_)
    if (!v->kept.defined() && is_spoiled(*v)) spoiled_.insert(v->result);
}

void SavedForReplays::end() {
  ended_ = true;
  for (const Value* v : values_)
    if (!v->kept.defined()) spoiled_.insert(v->result);
}

size_t SavedForReplays::nbytes_again() const {
  size_t all = 0;
  for (const Result& result : results_)
    if (result.is_made_again) all += result.nbytes;
  return all;
}

// ---------------------------------------------------------------------- what is made again
std::vector<size_t> SavedForReplays::worth() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < results_.size(); ++i)
    if (results_[i].computed > 0) order.push_back(i);
  const auto saves = [this](size_t i) {
    return static_cast<double>(results_[i].nbytes) / static_cast<double>(results_[i].computed);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    const double of_i = saves(i), of_j = saves(j);
    return of_i != of_j ? of_i > of_j : results_[i].nbytes > results_[j].nbytes;
  });
  std::set<size_t> taken, needed;
  std::vector<size_t> found, dependent;
  for (const size_t i : order) {
    const std::vector<size_t>& operands = results_[i].operands;
    const auto is_taken = [&](size_t o) { return taken.count(o) > 0; };
    if (needed.count(i) || std::any_of(operands.begin(), operands.end(), is_taken)) {
      dependent.push_back(i);
      continue;
    }
    taken.insert(i);
    needed.insert(operands.begin(), operands.end());
    found.push_back(i);
  }
  found.insert(found.end(), dependent.begin(), dependent.end());
  return found;
}

namespace {

/// Captures one step several times to find a plan within the budget.
class BudgetSearch {
 public:
  using CaptureStep = std::function<size_t(const std::shared_ptr<SavedForReplays>&)>;
  BudgetSearch(size_t budget, const IsKept& given, const CaptureStep& capture)
      : budget_(budget), given_(given), capture_(capture) {}

  size_t run();

 private:
  bool capture_first(size_t count);
  bool halve();
  void check_same() const;
  void put_back();

  const size_t budget_;
  const IsKept& given_;
  const CaptureStep& capture_;
  StepState state_;
  const taper::detail::GeneratorStates generators_;
  SavedForReplays::Pools pools_;
  std::vector<SavedForReplays::Recorded> recorded_;  ///< by the first one
  std::vector<size_t> worth_;
  std::shared_ptr<SavedForReplays> saved_;  ///< of the last one
  size_t planned_ = 0, without_ = 0;        ///< by the last one, by the first one
};

void BudgetSearch::put_back() {
  state_.put_back();
  generators_.restore();
}

void BudgetSearch::check_same() const {
  const auto& now = saved_->recorded();
  const auto [was, is] = std::mismatch(recorded_.begin(), recorded_.end(), now.begin(), now.end());
  if (was == recorded_.end() && is == now.end()) return;
  const auto name = [](auto at, auto end) { return at == end ? "its end" : at->name; };
  throw Error(
      concat("memory_budget: expected a step that is the same when it is called again, got '",
             name(is, now.end()), "' where it had '", name(was, recorded_.end()),
             "', or another shape. A budget needs several calls, in which nothing runs"));
}

/// Captures the step with the first `count` results recomputed. Returns false if some results had
/// to be kept; they are then no candidates.
bool BudgetSearch::capture_first(size_t count) {
  if (saved_) put_back();
  std::set<size_t> chosen(worth_.begin(), worth_.begin() + static_cast<int64_t>(count));
  saved_ = std::make_shared<SavedForReplays>(std::move(chosen), given_, pools_);
  planned_ = capture_(saved_);
  if (pools_.empty()) recorded_ = saved_->recorded();
  check_same();
  pools_.push_back(saved_->pool());
  const std::set<size_t>& spoiled = saved_->spoiled();
  const auto is_spoiled = [&](size_t i) { return spoiled.count(i) > 0; };
  worth_.erase(std::remove_if(worth_.begin(), worth_.end(), is_spoiled), worth_.end());
  return spoiled.empty();
}

/// Finds the smallest count within the budget by bisection. Returns false if it lost candidates
/// meanwhile.
bool BudgetSearch::halve() {
  size_t over = 0, within = worth_.size(), captured = within;
  if (!capture_first(within)) return false;
  if (planned_ > budget_) return planned_ <= without_ || capture_first(0);
  while (within - over > 1) {
    captured = (over + within) / 2;
    if (!capture_first(captured)) return false;
    (planned_ <= budget_ ? within : over) = captured;
  }
  return captured == within || capture_first(within);
}

size_t BudgetSearch::run() {
  try {
    capture_first(0);
    without_ = planned_;
    if (planned_ > budget_ && !(worth_ = saved_->worth()).empty())
      while (!halve()) {
      }
  } catch (...) {
    put_back();
    throw;
  }
  return saved_->nbytes_again();
}

}  // namespace

// Recomputes as few results as the budget needs, or all if the budget needs more.
size_t capture_within(
    size_t budget, const IsKept& given,
    const std::function<size_t(const std::shared_ptr<SavedForReplays>&)>& capture) {
  return BudgetSearch(budget, given, capture).run();
}

}  // namespace torch::taper::detail
