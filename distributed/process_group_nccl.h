// ProcessGroupNCCL: over NCCL, for tensors of GPUs.
#pragma once

#include <taper/distributed/backend.h>
#include <taper/distributed/store.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Operations are queued on a stream of the group's own for each device, behind what the current
/// stream has; Work::wait() lets the current stream wait for them, not the host (but for barrier).
/// Communicators are made when a device, or a pair of ranks that send, is first used.
///
/// A thread watches the time limits and what NCCL reports. Where one has passed, all communicators
/// are aborted, the kernels end, and every later operation throws; so does Work::wait() of those
/// that had not ended. What the current stream has done with their results meanwhile is of no use.
///
/// Messages between two ranks meet in the order of the calls; their tags have no meaning. There is
/// no recvAnysource and no monitoredBarrier, no reduction of int16, and none by bits.
class ProcessGroupNCCL final : public Backend {
 public:
  /// How a group works.
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);  ///< of operations
    bool is_high_priority_stream = false;  ///< whether its kernels run before others'
    /// The defaults.
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    /// Them, with another limit.
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// Ranks find each other by the store, under keys that no other group uses (PrefixStore). Throws
  /// DistError where there is no NCCL or no GPU.
  ProcessGroupNCCL(const intrusive_ptr<Store>& store, int rank, int size,
                   std::shared_ptr<Options> options = Options::create());
  /// Waits for the operations that are on their way.
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
  std::shared_ptr<Impl> impl_;  // its thread has a share, too
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
