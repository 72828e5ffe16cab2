// Shadow memory of the race detector: who last read and wrote which bytes. Not installed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/debug/race_extent.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::races {

/// A vector clock: how many of each stream's launches come before some point.
class Clock {
 public:
  uint64_t operator[](uint32_t stream) const { return stream < n_.size() ? n_[stream] : 0; }
  void set(uint32_t stream, uint64_t n) {
    if (stream >= n_.size()) n_.resize(stream + 1);
    n_[stream] = n;
  }
  void join(const Clock& other) {
    if (n_.size() < other.n_.size()) n_.resize(other.n_.size());
    for (size_t i = 0; i < other.n_.size(); ++i) n_[i] = std::max(n_[i], other.n_[i]);
  }

 private:
  std::vector<uint64_t> n_;
};

/// One launch: the n-th of its stream.
struct Launch {
  std::string name;
  uint32_t stream = 0;
  uint64_t number = 0;
  /// Counts the launches and allocations of all streams, in the order in which the host made them.
  uint64_t moment = 0;
  std::vector<void*> stack;

  bool is_before(const Clock& clock) const { return number <= clock[stream]; }
};

/// What a launch did to some bytes.
struct Use {
  std::shared_ptr<const Launch> launch;
  Extent extent;
  bool writes = false;
};

class Shadow {
 public:
  using Uses = std::vector<std::shared_ptr<const Use>>;

  /// Uses of these bytes, one of the two writing, that are not before `clock`.
  Uses conflicts(const Extent& extent, bool writes, const Clock& clock) const;
  /// Remembers a use whose launch comes at `clock`. What it makes superfluous is forgotten: a later
  /// use that is unordered with that is also unordered with this.
  void add(std::shared_ptr<const Use> use, const Clock& clock);
  /// Forgets what lies in [begin, end) and comes before `clock`.
  void forget(uintptr_t begin, uintptr_t end, const Clock& clock);
  /// Forgets all in [begin, end).
  void forget(uintptr_t begin, uintptr_t end);
  /// Forgets everything that comes before `clock`.
  void forget_before(const Clock& clock);
  /// Stretches of memory with uses of their own.
  size_t size() const { return cells_.size(); }

 private:
  using Cells = std::map<uintptr_t, Uses>;

  void split(uintptr_t at);
  template <class Gone>
  void erase_uses(uintptr_t begin, uintptr_t end, const Gone& gone);
  void merge(uintptr_t begin, uintptr_t end);

  Cells cells_;  // each reaches to the next one's key
};

}  // namespace torch::taper::races

#pragma GCC visibility pop
