#include <taper/framework/autograd/saved_for_replays.h>

#include <algorithm>

namespace taper::detail {
namespace {

bool holds(const Tensor& t, const void* p) {
  if (!t.defined()) return false;
  const char* const begin = static_cast<const char*>(t.storage().data());
  return begin <= p && p < begin + t.storage().nbytes();
}

}  // namespace

// ---------------------------------------------------------------------- what is saved
const Tensor* SavedForReplays::given_at(const void* p) const {
  for (const Tensor& t : given_)
    if (holds(t, p)) return &t;
  return nullptr;
}
const SavedForReplays::Value* SavedForReplays::kept_at(const void* p) const {
  for (const Value* v : values_)
    if (holds(v->kept, p)) return v;
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

/// The value owns those of its operands that were saved; the given ones stay.
void SavedForReplays::note_operands(Value& value, Result& result) const {
  result.operands.clear();
  for (const void* p : value.made.inputs) {
    if (const Tensor* t = given_at(p)) {
      result.holders.emplace_back(*t, t->impl().version());
      continue;
    }
    const Value& kept = *kept_at(p);
    value.operands.push_back(kept.kept);
    result.holders.emplace_back(kept.kept, kept.kept.impl().version());
    if (kept.result != SIZE_MAX) result.operands.push_back(kept.result);
  }
}

void SavedForReplays::pack(Value& value, const Tensor& t) {
  value.sizes = Dims(t.sizes());
  value.dtype = t.scalar_type();
  std::optional<MadeBy> made =
      how_made(t, [this](const void* p) { return given_at(p) || kept_at(p); });
  if (made) {
    Result& result = result_of(t, *made, value.result);
    if (!made->parts.empty()) {
      value.made = std::move(*made);
      note_operands(value, result);
      result.computed = value.made.computed();
      if (chosen_.count(value.result)) {
        if (result.left++ == 0) nbytes_again_ += result.nbytes;
        return;
      }
    }
  }
  value.made = {};
  value.operands.clear();
  value.kept = t;
  value.version = t.impl().version();
  values_.insert(&value);
}

Tensor SavedForReplays::unpack(Value& value) {
  if (value.kept.defined()) {
    TAPER_CHECK(value.kept.impl().version() == value.version,
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [",
                value.kept.toString(), " ", value.kept.sizes(), "]");
    return value.kept;
  }
  Result& result = results_[value.result];
  Tensor y = result.again;
  if (!y.defined()) {
    y = make_tensor({result.numel}, value.dtype, Device());
    make_again(value.made, y);
  }
  result.left = std::max(result.left - 1, 0);
  result.again = result.left > 0 ? y : Tensor();
  return y.view(value.sizes);
}

// ---------------------------------------------------------------------- what is made again
void SavedForReplays::end_forward() {
  for (Result& result : results_) {
    const auto is_changed = [](const auto& h) { return h.first.impl().version() != h.second; };
    if (std::any_of(result.holders.begin(), result.holders.end(), is_changed)) result.computed = 0;
    result.holders.clear();
  }
}

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

}  // namespace taper::detail
