// ProcessGroupGloo: over TCP, for tensors of the CPU and, through pinned memory, of CUDA devices.
#pragma once

#include <taper/distributed/process_group.h>

#pragma GCC visibility push(default)

namespace taper::distributed {

/// Operations run one after the other on a thread of the group's own.
class ProcessGroupGloo final : public ProcessGroup {
 public:
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(30);
    /// The network interface; "": the one that the host's name leads to, or else the loopback.
    std::string interface;
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// All ranks meet at the store, under keys that no other group uses (PrefixStore). Throws
  /// DistError where they do not within the time limit.
  ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                   std::shared_ptr<Options> options = Options::create());
  /// Waits for the operations that are on their way.
  ~ProcessGroupGloo() override;

  const std::string getBackendName() const override { return "gloo"; }
  WorkPtr broadcast(Tensors& tensors, const BroadcastOptions& options = {}) override;
  WorkPtr allreduce(Tensors& tensors, const AllreduceOptions& options = {}) override;
  WorkPtr allreduce_coalesced(Tensors& tensors,
                              const AllreduceCoalescedOptions& options = {}) override;
  WorkPtr reduce(Tensors& tensors, const ReduceOptions& options = {}) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const AllgatherOptions& options = {}) override;
  WorkPtr _allgather_base(Tensor& output, Tensor& input,
                          const AllgatherOptions& options = {}) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs,
                 const GatherOptions& options = {}) override;
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                  const ScatterOptions& options = {}) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const ReduceScatterOptions& options = {}) override;
  WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                               const ReduceScatterOptions& options = {}) override;
  WorkPtr alltoall_base(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                        std::vector<int64_t>& input_sizes,
                        const AllToAllOptions& options = {}) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions& options = {}) override;
  WorkPtr send(Tensors& tensors, int to, int tag) override;
  WorkPtr recv(Tensors& tensors, int from, int tag) override;
  WorkPtr recvAnysource(Tensors& tensors, int tag) override;
  WorkPtr barrier(const BarrierOptions& options = {}) override;
  void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) override;
  std::chrono::milliseconds timeout() const override;
  void setTimeout(std::chrono::milliseconds timeout) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taper::distributed

#pragma GCC visibility pop
