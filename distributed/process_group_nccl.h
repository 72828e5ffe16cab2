// ProcessGroupNCCL: a group over NCCL, for tensors on GPUs.
#pragma once

#include <taper/distributed/backend.h>
#include <taper/distributed/store.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Queues operations on a separate stream for each device. This stream first waits for the current
/// stream. Work::wait() makes the current stream wait for the operation. The host waits only for a
/// barrier. A communicator is made when a device is first used, and at the first message from one
/// rank to another. Each direction between two ranks has a separate communicator, so ranks may send
/// in any order, also in a ring. A rank uses one device for messages.
///
/// A thread watches the time limits and NCCL's errors. If a limit has passed, the thread aborts all
/// communicators, and their kernels end. Every later operation then throws DistError. Work::wait()
/// of unfinished operations throws, too. If the current stream has already read the result of an
/// unfinished operation, the values are invalid.
///
/// Messages from one rank to another match in the order of the calls. Tags are ignored.
/// recvAnysource, monitoredBarrier, reductions of int16, and bitwise reductions (BAND, BOR, BXOR)
/// are not supported.
class ProcessGroupNCCL final : public Backend {
 public:
  /// Options of a group.
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);  ///< time limit of operations
    bool is_high_priority_stream = false;  ///< whether the stream has high priority
    /// Returns the defaults.
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    /// Returns options with this time limit.
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// Connects ranks through `store`, under keys that no other group may use (wrap it in a
  /// PrefixStore). Throws DistError if there is no NCCL or no GPU.
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
