#include <taper/framework/debug/race_shadow.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include <taper/framework/debug/race_extent.h>

namespace torch::taper::races {

// ---------------------------------------------------------------------- race_shadow
Shadow::Uses Shadow::conflicts(const Extent& extent, bool writes, const Clock& clock) const {
  Uses seen, found;
  auto it = cells_.upper_bound(extent.begin());
  if (it != cells_.begin()) --it;
  for (; it != cells_.end() && it->first < extent.end(); ++it)
    for (const auto& use : it->second)
      if ((writes || use->writes) && !use->launch->is_before(clock)) seen.push_back(use);
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::copy_if(seen.begin(), seen.end(), std::back_inserter(found),
               [&](const auto& use) { return use->extent.intersects(extent); });
  return found;
}

void Shadow::add(std::shared_ptr<const Use> use, const Clock& clock) {
  const Extent& extent = use->extent;
  if (extent.empty()) return;
  split(extent.begin());
  split(extent.end());
  erase_uses(extent.begin(), extent.end(), [&](const Use& old) {
    return old.launch->is_before(clock) && (use->writes || !old.writes) &&
           (extent.dense() || extent == old.extent);
  });
  for (auto it = cells_.find(extent.begin()); it->first != extent.end(); ++it)
    it->second.push_back(use);
  merge(extent.begin(), extent.end());
}

void Shadow::forget(uintptr_t begin, uintptr_t end, const Clock& clock) {
  split(begin);
  split(end);
  erase_uses(begin, end, [&](const Use& use) { return use.launch->is_before(clock); });
  merge(begin, end);
}

void Shadow::forget(uintptr_t begin, uintptr_t end) {
  split(begin);
  split(end);
  erase_uses(begin, end, [](const Use&) { return true; });
  merge(begin, end);
}

void Shadow::forget_before(const Clock& clock) {
  if (cells_.empty()) return;
  const uintptr_t begin = cells_.begin()->first, end = cells_.rbegin()->first;
  erase_uses(begin, end, [&](const Use& use) { return use.launch->is_before(clock); });
  merge(begin, end);
}

// Splits a cell, so that one begins at `at`.
void Shadow::split(uintptr_t at) {
  const auto behind = cells_.lower_bound(at);
  if (behind != cells_.end() && behind->first == at) return;
  cells_.emplace_hint(behind, at, behind == cells_.begin() ? Uses() : std::prev(behind)->second);
}

// Erases uses from the cells in [begin, end). Both are borders of cells.
template <class Gone>
void Shadow::erase_uses(uintptr_t begin, uintptr_t end, const Gone& gone) {
  for (auto it = cells_.find(begin); it != cells_.end() && it->first != end; ++it) {
    Uses& uses = it->second;
    uses.erase(
        std::remove_if(uses.begin(), uses.end(), [&](const auto& use) { return gone(*use); }),
        uses.end());
  }
}

// Joins each cell from `begin` to `end` (inclusive) with an equal cell before it.
void Shadow::merge(uintptr_t begin, uintptr_t end) {
  auto it = cells_.find(begin);
  while (it != cells_.end() && it->first <= end) {
    const bool alike =
        it == cells_.begin() ? it->second.empty() : std::prev(it)->second == it->second;
    it = alike ? cells_.erase(it) : std::next(it);
  }
}

// ---------------------------------------------------------------------- race_extent
namespace {

/// Is one summand stride * t of the distance between two runs, for t from low to high.
struct Term {
  int64_t stride, low, high;
};

/// Decides whether a sum of terms can lie in an interval. It searches depth first, largest stride
/// first, bounded by the reach of the smaller terms. Their common divisor settles most questions at
/// once, for example for two columns of one matrix.
class SumSearch {
 public:
  explicit SumSearch(std::vector<Term> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.stride > b.stride; });
    rest_.resize(terms_.size() + 1);
    for (size_t k = terms_.size(); k-- > 0;) {
      const Term& t = terms_[k];
      const Rest& r = rest_[k + 1];
      rest_[k] = {r.low + t.low * t.stride, r.high + t.high * t.stride,
                  std::gcd(r.divisor, t.stride)};
    }
  }

  bool reaches(int64_t low, int64_t high) { return reaches(0, low, high); }

 private:
  struct Rest {
    int64_t low = 0, high = 0;  // the range of the terms from here on
    int64_t divisor = 0;        // their common divisor
  };

  static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

  bool reaches(size_t k, int64_t low, int64_t high) {
    const Rest& rest = rest_[k];
    low = std::max(low, rest.low);
    high = std::min(high, rest.high);
    if (low > high) return false;
    if (k == terms_.size()) return true;
    if (floor_div(high, rest.divisor) * rest.divisor < low) return false;
    // A geometry that would take too long counts as shared.
    if (--budget_ < 0) return true;
    const Term& t = terms_[k];
    const Rest& behind = rest_[k + 1];
    const int64_t first = std::max(t.low, -floor_div(behind.high - low, t.stride));
    const int64_t last = std::min(t.high, floor_div(high - behind.low, t.stride));
    for (int64_t i = first; i <= last; ++i)
      if (reaches(k + 1, low - i * t.stride, high - i * t.stride)) return true;
    return false;
  }

  std::vector<Term> terms_;
  std::vector<Rest> rest_;
  int64_t budget_ = 200000;
};

void add_term(std::vector<Term>& terms, int64_t stride, int64_t low, int64_t high) {
  for (Term& t : terms)
    if (t.stride == stride) {
      t.low += low;
      t.high += high;
      return;
    }
  terms.push_back({stride, low, high});
}

}  // namespace

Extent::Extent(const detail::Access& access) {
  const auto itemsize = static_cast<int64_t>(access.itemsize);
  for (int64_t d = 0; d < access.sizes.size(); ++d) {
    const int64_t size = access.sizes[d], stride = access.strides[d] * itemsize;
    if (size == 0) return;
    if (size > 1 && stride > 0) dims_.push_back({stride, size});
  }
  if (!access.data) return;
  std::sort(dims_.begin(), dims_.end(),
            [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
  run_ = itemsize;
  for (; !dims_.empty() && dims_.back().stride <= run_; dims_.pop_back())
    run_ += (dims_.back().size - 1) * dims_.back().stride;
  begin_ = reinterpret_cast<uintptr_t>(access.data);
  end_ = begin_ + static_cast<uintptr_t>(run_);
  for (const Dim& d : dims_) end_ += static_cast<uintptr_t>((d.size - 1) * d.stride);
}

bool Extent::intersects(const Extent& other) const {
  if (empty() || other.empty() || end_ <= other.begin_ || other.end_ <= begin_) return false;
  if (dense() && other.dense()) return true;
  std::vector<Term> terms;
  for (const Dim& d : dims_) add_term(terms, d.stride, 0, d.size - 1);
  for (const Dim& d : other.dims_) add_term(terms, d.stride, 1 - d.size, 0);
  const auto distance = static_cast<int64_t>(other.begin_ - begin_);
  return SumSearch(std::move(terms)).reaches(distance - run_ + 1, distance + other.run_ - 1);
}

}  // namespace torch::taper::races
