#include <taper/framework/debug/race_shadow.h>

#include <algorithm>
#include <iterator>

namespace torch::taper::races {

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

}  // namespace torch::taper::races
