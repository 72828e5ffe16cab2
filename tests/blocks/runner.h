// Runs launches of the CUDA kernels by fibers.
#pragma once

#include <bitset>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "blocks/blocks.h"
#include "blocks/fiber.h"
#include "blocks/watch.h"

namespace torch::taper::testing {

class BlockRunner final : public cuda::BlockRunner {
 public:
  explicit BlockRunner(const BlockOptions& options);
  void run(const char* kernel, int blocks, int threads, void (*body)(const void*),
           const void* arguments, size_t nbytes) override;
  int team_for(int64_t width, int usual) override;
  cuda::ThreadPlace place() const override;
  cuda::Slot* slots() override { return slots_[block_]; }
  void wait(cuda::Waiters waiters, const cuda::Here& here, const cuda::Here& inside) override;
  void shuffle(void* v, size_t nbytes, int from, const cuda::Here& here) override;
  void touch(const void* p, size_t nbytes, cuda::Access access, const cuda::Here& here) override;
  void report(std::exception_ptr error) override;

  /// Of any memory, by a thread of a block or by anybody else, whose accesses do not count.
  void touch(const void* p, size_t nbytes, cuda::Access access, const Site& site) {
    if (!is_over() && !concerns_one_thread(p)) note(p, nbytes, access, site);
  }
  /// A GPU reads and writes elements and packs only where they are aligned.
  void check_aligned(const void* p, size_t alignment, cuda::Access access, const Site& site) {
    if ((reinterpret_cast<uintptr_t>(p) & (alignment - 1)) != 0 && !is_over())
      fail_unaligned(alignment, access, site);
  }

 private:
  static constexpr int kWarp = 32, kMostThreads = 1024, kMostBlocks = 4;
  enum class Kind { kNone, kWarp, kBlock, kShuffle };
  /// What a thread waits for, and where.
  struct Wait {
    Kind kind = Kind::kNone;
    Site here, inside;
  };
  struct Thread {
    int number;
    bool has_left = false;
    Wait wait;
    Fiber* fiber = nullptr;  // on whose stack it runs
  };
  /// The threads of a warp or block that wait, or have left.
  struct Group {
    int arrived = 0, size = 0;
    const Thread *first = nullptr, *left = nullptr;
    uint32_t waits = 0;
    uint32_t shuffles = 0;
    void reset(int of_size);
  };
  struct Abandoned {};

  void run_block(int block);
  void begin_all();
  void begin_threads(Fiber* fiber);
  void run_ready();
  void run_on(Fiber& fiber);
  void run_thread();
  void leave(Thread& thread);
  void arrive(Group& group, int first_thread, const Wait& wait);
  void check_arrival(const Group& group, const Thread& thread);
  void release(Group& group, int first_thread);
  void abandon_all();
  template <class... P>
  void fail(const P&... words);
  std::string name_of(const Thread& thread) const;
  std::string name_of(const Use& use) const;
  std::string place_of(const Wait& wait) const;
  void continues(Thread& thread);
  bool is_over() const { return error_ || abandons_; }
  /// Its stack, or the launch's arguments, which nobody writes.
  bool concerns_one_thread(const void* p) const {
    const auto at = reinterpret_cast<uintptr_t>(p);
    return at - reinterpret_cast<uintptr_t>(arguments_) < arguments_nbytes_ || stacks_.holds(p);
  }
  void note(const void* p, size_t nbytes, cuda::Access access, const Site& site);
  void fail_unaligned(size_t alignment, cuda::Access access, const Site& site);
  void check_slots_written(const char* p, size_t nbytes, cuda::Access access, const Site& site);

  const BlockOptions options_;
  std::mutex mutex_;  // one launch at a time, of whatever stream
  std::mt19937_64 random_;
  Stacks stacks_;
  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<int> ready_, next_;
  size_t begun_ = 0;  // of ready_
  Group block_group_, warps_[kMostThreads / kWarp];
  char shuffled_[kMostThreads / kWarp][2][kWarp][sizeof(cuda::Slot)];
  cuda::Slot slots_[kMostBlocks][cuda::Slot::kCount];
  std::bitset<sizeof(cuda::Slot) * cuda::Slot::kCount> written_;
  Watch watch_;
  // Of the launch:
  std::string kernel_;
  void (*body_)(const void*) = nullptr;
  const void* arguments_ = nullptr;
  size_t arguments_nbytes_ = 0;
  int blocks_ = 0, block_ = 0, size_ = 0;
  bool abandons_ = false;
  std::exception_ptr error_;
  Thread* current_ = nullptr;
  Use now_;  // without an access: what the current thread has waited for
};

/// The runner whose thread this thread of the program runs; null outside of blocks.
extern thread_local BlockRunner* running_block;

}  // namespace torch::taper::testing
