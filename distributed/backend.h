// Backend: the code that the process groups of all engines (Gloo, MPI, NCCL) share.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <taper/distributed/process_group.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

namespace detail {
struct Operation;
class FlightBuffer;
enum class OpKind : uint8_t;
}  // namespace detail

/// Checks the arguments of operations, numbers the operations, records them in the flight recorder,
/// and combines lists of tensors. An engine implements submit(), which moves the bytes of one
/// tensor.
class Backend : public ProcessGroup {
 public:
  /// Throws ValueError unless 0 <= rank < size. splitGroup() connects new groups through `store`.
  Backend(const char* name, int rank, int size, std::chrono::milliseconds timeout,
          intrusive_ptr<Store> store = {});

  const std::string getBackendName() const override { return name_; }
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
  WorkPtr gather_into_tensor(Tensor& output, Tensor& input,
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
  WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                              const AllgatherOptions& options = {}) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const AllgatherOptions& options = {}) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const ReduceScatterOptions& options = {}) override;
  /// Throws NotImplementedError if the engine (NCCL) cannot send messages between CPUs.
  void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) override;
  intrusive_ptr<ProcessGroup> split(const intrusive_ptr<Store>& store,
                                    const std::vector<int>& ranks,
                                    std::chrono::milliseconds timeout = kUnsetTimeout) override;
  intrusive_ptr<ProcessGroup> splitGroup(const std::vector<int>& ranks,
                                         const optional<std::chrono::milliseconds>& timeout = {},
                                         nullopt_t options = nullopt,
                                         const optional<std::string>& name = {}) override;
  std::chrono::milliseconds timeout() const override { return timeout_.load(); }
  void setTimeout(std::chrono::milliseconds timeout) override { timeout_ = timeout; }
  uint64_t getSequenceNumberForGroup() override { return collectives_; }

 protected:
  using OperationPtr = std::shared_ptr<detail::Operation>;  ///< shared with the engine's thread
  /// Starts or queues `operation`. Backend calls submit() in the order of the program's calls.
  virtual WorkPtr submit(OperationPtr operation) = 0;
  /// Makes a group of the ranks `ranks` of this group. `rank` is this process's rank in the new
  /// group. Backend has already checked the arguments.
  virtual intrusive_ptr<ProcessGroup> make_part(const intrusive_ptr<Store>& store,
                                                const std::vector<int>& ranks, int rank,
                                                std::chrono::milliseconds timeout) = 0;
  /// Throws ValueError if the engine cannot apply reduction `how` to elements of `dtype`.
  virtual void check_reduction(ScalarType dtype, ReduceOp how) const;
  /// Returns whether submit() accepts an allreduce of several tensors. If false, Backend first
  /// copies the tensors into one.
  virtual bool coalesces() const { return false; }
  /// Returns the given time limit, or the group's time limit if `given` is kUnsetTimeout.
  std::chrono::milliseconds limit(std::chrono::milliseconds given) const {
    return given == kUnsetTimeout ? timeout() : given;
  }
  /// Returns the number of the next collective operation.
  uint64_t next_collective() { return ++collectives_; }

 private:
  OperationPtr make(detail::OpKind kind, const char* name, std::chrono::milliseconds timeout) const;
  WorkPtr launch(OperationPtr operation, OpType type, Tensors results, uint64_t more = 0);
  int place_in(const std::vector<int>& ranks) const;
  OperationPtr make_reduction(detail::OpKind kind, const char* name, const Tensor& t, ReduceOp how,
                              std::chrono::milliseconds timeout) const;

  const char* const name_;
  std::atomic<std::chrono::milliseconds> timeout_;
  std::atomic<uint64_t> collectives_{0}, messages_{0}, parts_{0};
  std::shared_ptr<detail::FlightBuffer> flight_;
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
