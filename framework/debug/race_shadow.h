// Shadow memory of the race detector. It holds the last readers and writers of bytes. Not
// installed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/debug/race_extent.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::races {

/// A vector clock. For some point in the program's work, it holds how many launches of each stream
/// are before this point.
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

/// One launch. `number` counts the launches of its stream.
struct Launch {
  std::string name;
  uint32_t stream = 0;
  uint64_t number = 0;
  /// Number of the launch among the launches and allocations of all streams, in the host's order.
  uint64_t moment = 0;
  std::vector<void*> stack;

  bool is_before(const Clock& clock) const { return number <= clock[stream]; }
};

/// A launch's use of some bytes.
struct Use {
  std::shared_ptr<const Launch> launch;
  Extent extent;
  bool writes = false;
};

class Shadow {
 public:
  using Uses = std::vector<std::shared_ptr<const Use>>;

  /// Returns earlier uses of these bytes that conflict with a use at `clock`: at least one of the
  /// two writes, and the earlier use is not before `clock`.
  Uses conflicts(const Extent& extent, bool writes, const Clock& clock) const;
  /// Adds a use by a launch at `clock`. Drops earlier uses if every later conflict with them is
  /// also a conflict with this use.
  void add(std::shared_ptr<const Use> use, const Clock& clock);
  /// Forgets uses in [begin, end) that are before `clock`.
  void forget(uintptr_t begin, uintptr_t end, const Clock& clock);
  /// Forgets all uses in [begin, end).
  void forget(uintptr_t begin, uintptr_t end);
  /// Forgets all uses before `clock`.
  void forget_before(const Clock& clock);
  /// Returns the number of memory ranges that have separate lists of uses.
  size_t size() const { return cells_.size(); }

 private:
  using Cells = std::map<uintptr_t, Uses>;

  void split(uintptr_t at);
  template <class Gone>
  void erase_uses(uintptr_t begin, uintptr_t end, const Gone& gone);
  void merge(uintptr_t begin, uintptr_t end);

  Cells cells_;  // each range extends to the next key
};

}  // namespace torch::taper::races

#pragma GCC visibility pop
