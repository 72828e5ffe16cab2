// ProcessGroupNCCL: over NCCL, for tensors of GPUs.
#pragma once

#include <taper/distributed/backend.h>
#include <taper/distributed/store.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Operations are queued on a separate stream for each device, after the current stream's work.
/// Work::wait() makes the current stream wait for them, not the host (except for barrier).
/// Communicators are made when a device, or a pair of ranks that exchange messages, is first used.
///
/// A thread watches the time limits and NCCL's errors. If a limit has passed, all communicators are
/// aborted, their kernels end, and every later operation throws. So does Work::wait() of unfinished
/// operations. Results that the current stream has used meanwhile are invalid.
///
/// Messages between two ranks match in the order of the calls. Tags are ignored. There is no
/// recvAnysource and no monitoredBarrier, no reduction of int16, and none by bits.
class ProcessGroupNCCL final : public Backend {
 public:
  /// Options of a group.
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);  ///< time limit of operations
    bool is_high_priority_stream = false;  ///< whether its kernels run before others'
    /// Returns the defaults.
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    /// Returns the defaults with another limit.
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// Connects ranks through the store, under keys that no other group uses (PrefixStore). Throws
  /// DistError without NCCL or a GPU.
  ProcessGroupNCCL(const intrusive_ptr<Store>& store, int rank, int size,
                   std::shared_ptr<Options> options = Options::create());
  /// Waits for pending operations.
  ~ProcessGroupNCCL() override;

  void abort() override;

 protected:
  WorkPtr submit(OperationPtr operation) override;
  intrusive_ptr<ProcessGroup> make_part(const intrusive_ptr<Store>& store,
                                        const std::vector<int>& ranks, int rank,
                                        std::chrono::milliseconds timeout) override;
  void check_reduction(ScalarType dtype, ReduceOp how) const override;
  bool coalesces() const override { return true; }

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with its thread
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
