// Who has used which memory in a launch, and whether a barrier lies between two uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/cuda/block.h>

namespace torch::taper::testing {

/// A line of the source, as the compiler tells it or as the address of an instruction.
struct Site {
  const void* where = nullptr;  // the file's name, or the instruction where line is 0
  uint32_t line = 0;
  Site() = default;
  explicit Site(const void* instruction) : where(instruction) {}
  explicit Site(const cuda::Here& here) : where(here.file_name()), line(here.line()) {}
  std::string str() const;
};

/// A thread, and how many barriers of its block and of its warp it has passed.
struct Moment {
  int block, thread;
  uint32_t block_waits, warp_waits;
};

/// Who uses a word, how and when, in two words: there are four for each word of memory.
class Use {
 public:
  Use() = default;
  explicit Use(const Moment& by)
      : what_(bits<kThread>(by.thread) | bits<kBlock>(by.block) | bits<kWarpWaits>(by.warp_waits) |
              bits<kBlockWaits>(by.block_waits)) {}
  /// The same thread, now, of these bytes of a word (a bit for each).
  Use of(uint64_t bytes) const { return {where_, (what_ & ~kBytes) | bytes}; }
  Use by(cuda::Access access, const Site& site) const {
    return {reinterpret_cast<uintptr_t>(site.where) | uint64_t{site.line} << kWhereBits,
            what_ | bits<kAccess>(static_cast<uint64_t>(access))};
  }
  bool is_none() const { return !(what_ & kBytes); }
  bool is_same_but_for_site(const Use& other) const { return what_ == other.what_; }
  /// Whether both may be, in any order or in the order that barriers give them.
  bool may_meet(const Use& other) const {
    if (!(what_ & other.what_ & kBytes)) return true;
    return (!(what_ & bits<kAccess>(kWrite)) && !((what_ ^ other.what_) & kAccess)) ||
           is_ordered(other);
  }
  /// Whether all that races with `old` races with this one as well.
  bool replaces(const Use& old) const {
    const bool is_stronger =
        (what_ & kAccess) == bits<kAccess>(kWrite) || !((what_ ^ old.what_) & kAccess);
    return is_stronger && !(old.what_ & ~what_ & kBytes) && is_ordered(old);
  }
  cuda::Access access() const { return static_cast<cuda::Access>(of_mask<kAccess>()); }
  int thread() const { return static_cast<int>(of_mask<kThread>()); }
  int block() const { return static_cast<int>(of_mask<kBlock>()); }
  Site site() const;

 private:
  static constexpr int kWhereBits = 48;  // of an address; the line has the others
  static constexpr uint64_t kWrite = static_cast<uint64_t>(cuda::Access::kWrite);
  static constexpr uint64_t kBytes = 0xff, kAccess = 0x3 << 8, kThread = 0x3ff << 10,
                            kWarp = 0x1f << 15, kBlock = 0x3 << 20,
                            kWarpWaits = uint64_t{0x1fffff} << 22,
                            kBlockWaits = uint64_t{0x1fffff} << 43;
  template <uint64_t Mask>
  static uint64_t bits(uint64_t v) {
    return v * (Mask & -Mask) & Mask;
  }
  template <uint64_t Mask>
  uint64_t of_mask() const {
    return (what_ & Mask) / (Mask & -Mask);
  }
  Use(uint64_t where, uint64_t what) : where_(where), what_(what) {}
  bool is_ordered(const Use& other) const {
    const uint64_t differs = what_ ^ other.what_;
    if (differs & kBlock) return false;
    if (!(differs & kThread) || (differs & kBlockWaits)) return true;
    return !(differs & kWarp) && (differs & kWarpWaits);
  }

  uint64_t where_ = 0, what_ = 0;
};

/// For each word of 8 bytes the last few uses in this launch. What many threads have used keeps
/// only some of them: a race there is found by most of the orders in which threads run.
class Watch {
 public:
  void begin_launch();
  /// An earlier use that this one races with; null when there is none. Notes this one.
  const Use* touch(const void* p, size_t nbytes, const Use& use);

 private:
  static constexpr int kUses = 4;
  struct alignas(64) Uses {
    Use of[kUses];
  };
  /// From words to their uses: a line of the caches each. Words beside each other have their keys
  /// beside each other. A launch begins with the smallest table and goes on with larger ones, so
  /// that small launches stay within the caches.
  struct Table {
    explicit Table(size_t size) : keys(size), uses(size) {}
    std::vector<uint64_t> keys;  // what has another launch's number counts as empty
    std::vector<Uses> uses;
    size_t place_of(uint64_t key) const;
  };
  Uses& uses_of(uint64_t word);
  const Use* touch_word(Uses& uses, const Use& use);
  void grow();

  std::vector<Table> tables_;
  size_t table_ = 0, used_ = 0;
  uint64_t launch_ = 0;
  int next_ = 0;
  Use found_;
};

}  // namespace torch::taper::testing
