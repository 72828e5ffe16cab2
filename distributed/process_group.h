// ProcessGroup: processes (ranks) that compute together, and the operations of all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/distributed/types.h>
#include <taper/distributed/work.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A group of ranks. Every rank calls operations in one order, with tensors of equal sizes and
/// dtypes. Operations return at once. Their tensors may be used again after waiting for the Work.
/// If an operation exceeds the group's time limit, it ends with DistError on every rank, and the
/// group cannot be used any more.
class ProcessGroup : public intrusive_ptr_target {
 public:
  using Tensors = std::vector<Tensor>;  ///< a list of tensors
  using Work = distributed::Work;       ///< a running operation
  using WorkPtr = Handle<Work>;         ///< a reference to it

  /// Throws ValueError unless 0 <= rank < size.
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {
    TAPER_CHECK_VALUE(size > 0 && rank >= 0 && rank < size,
                      "ProcessGroup: expected 0 <= rank < size, got rank ", rank, " of ", size);
  }
  /// Returns this process's rank in the group.
  int getRank() const { return rank_; }
  /// Returns the number of ranks.
  int getSize() const { return size_; }
  /// Returns the store at which the ranks have met, undefined for MPI.
  const intrusive_ptr<Store>& getStore() const { return store_; }
  /// Returns "gloo", "mpi", "nccl".
  virtual const std::string getBackendName() const = 0;

  /// Sets each tensor to the root's.
  virtual WorkPtr broadcast(Tensors& tensors, const BroadcastOptions& options = {}) = 0;
  /// Sets each tensor to the reduction over all ranks.
  virtual WorkPtr allreduce(Tensors& tensors, const AllreduceOptions& options = {}) = 0;
  /// Runs allreduce for several tensors of one dtype and device, in one message.
  virtual WorkPtr allreduce_coalesced(Tensors& tensors,
                                      const AllreduceCoalescedOptions& options = {}) = 0;
  /// Reduces like allreduce, but only on the root. The other ranks' tensors are undefined
  /// afterwards.
  virtual WorkPtr reduce(Tensors& tensors, const ReduceOptions& options = {}) = 0;
  /// Sets outputs[0][r] to rank r's inputs[0].
  virtual WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                            const AllgatherOptions& options = {}) = 0;
  /// Gathers like allgather into one tensor with the elements of all ranks.
  virtual WorkPtr _allgather_base(Tensor& output, Tensor& input,
                                  const AllgatherOptions& options = {}) = 0;
  /// Gathers like allgather, but only on the root. Other ranks have no outputs.
  virtual WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs,
                         const GatherOptions& options = {}) = 0;
  /// Sets outputs[0] to the root's inputs[0][rank]. Other ranks have no inputs.
  virtual WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                          const ScatterOptions& options = {}) = 0;
  /// Sets outputs[0] to the reduction of all ranks' inputs[0][rank].
  virtual WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                 const ReduceScatterOptions& options = {}) = 0;
  /// Runs reduce_scatter with the inputs in one tensor.
  virtual WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                                       const ReduceScatterOptions& options = {}) = 0;
  /// Sets part r of the output (along the first dimension) to part `rank` of rank r's input. The
  /// sizes are those of the parts. Empty lists mean equal parts.
  virtual WorkPtr alltoall_base(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                                std::vector<int64_t>& input_sizes,
                                const AllToAllOptions& options = {}) = 0;
  /// Sets outputs[r] to rank r's inputs[rank].
  virtual WorkPtr alltoall(Tensors& outputs, Tensors& inputs,
                           const AllToAllOptions& options = {}) = 0;
  /// Sends one tensor to a rank. `tag` distinguishes messages between two ranks.
  virtual WorkPtr send(Tensors& tensors, int to, int tag) = 0;
  /// Receives one tensor from a rank: see send().
  virtual WorkPtr recv(Tensors& tensors, int from, int tag) = 0;
  /// Receives from the first rank that sends, which Work::sourceRank() returns.
  virtual WorkPtr recvAnysource(Tensors& tensors, int tag) = 0;
  /// Ends when all ranks have called it.
  virtual WorkPtr barrier(const BarrierOptions& options = {}) = 0;
  /// Runs a barrier and waits for it. If ranks do not come in time, rank 0 throws DistError that
  /// names the first one, or all with `wait_all`. The other ranks throw too.
  virtual void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) = 0;

  /// Makes a group of some ranks of this one, with its backend. All ranks of this group must call
  /// it in one order, and those of one part with equal `ranks`. Parts made in one call must not
  /// overlap. A process's rank in it is its position in `ranks`. Returns undefined for a rank that
  /// is not in them. `timeout` is the limit of its operations (none: this group's), `name` the
  /// store's key (none: the number of the call). (LibTorch's options have no counterpart.) Throws
  /// ValueError for invalid ranks, and DistError if others do not come in time.
  virtual intrusive_ptr<ProcessGroup> splitGroup(
      const std::vector<int>& ranks, const optional<std::chrono::milliseconds>& timeout = {},
      nullopt_t options = nullopt, const optional<std::string>& name = {}) = 0;
  /// Makes a group of those ranks, which alone call this. They meet at a store under keys that no
  /// other group uses (PrefixStore). MPI needs none.
  virtual intrusive_ptr<ProcessGroup> split(const intrusive_ptr<Store>& store,
                                            const std::vector<int>& ranks,
                                            std::chrono::milliseconds timeout = kUnsetTimeout) = 0;

  /// Returns the time limit of operations.
  virtual std::chrono::milliseconds timeout() const = 0;
  /// Changes the time limit of later operations.
  virtual void setTimeout(std::chrono::milliseconds timeout) = 0;
  /// Returns the number of operations called so far, without messages.
  virtual uint64_t getSequenceNumberForGroup() = 0;
  /// Aborts pending operations, on this rank and, if the engine can, on all (MPI ends the
  /// processes). The group cannot be used afterwards.
  virtual void abort() = 0;

  /// Calls _allgather_base(). Name of another version.
  WorkPtr allgather_into_tensor(Tensor& output, Tensor& input,
                                const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// Calls _allgather_base(). Name of another version.
  WorkPtr all_gather_single(Tensor& output, Tensor& input, const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// Calls _reduce_scatter_base(). Name of another version.
  WorkPtr reduce_scatter_tensor(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// Calls _reduce_scatter_base(). Name of another version.
  WorkPtr reduce_scatter_single(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// Calls alltoall_base(). Name of another version.
  WorkPtr all_to_all_single(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                            std::vector<int64_t>& input_sizes,
                            const AllToAllOptions& options = {}) {
    return alltoall_base(output, input, output_sizes, input_sizes, options);
  }
  /// Sets outputs[r][i] to rank r's inputs[i]. Returns one Work for all.
  virtual WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) = 0;
  /// Runs _allgather_base() for each pair. Returns one Work for all.
  virtual WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const AllgatherOptions& options = {}) = 0;
  /// Runs _reduce_scatter_base() for each pair. Returns one Work for all.
  virtual WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const ReduceScatterOptions& options = {}) = 0;
  /// Runs gather() into one tensor on the root. The output of other ranks is ignored.
  virtual WorkPtr gather_into_tensor(Tensor& output, Tensor& input,
                                     const GatherOptions& options = {}) = 0;
  /// Calls gather_into_tensor(). Name of LibTorch 2.15.
  WorkPtr gather_single(Tensor& output, Tensor& input, const GatherOptions& options = {}) {
    return gather_into_tensor(output, input, options);
  }
  /// Calls allgather_into_tensor_coalesced(). Name of LibTorch 2.15.
  WorkPtr all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) {
    return allgather_into_tensor_coalesced(outputs, inputs, options);
  }
  /// Calls reduce_scatter_tensor_coalesced(). Name of LibTorch 2.15.
  WorkPtr reduce_scatter_single_coalesced(Tensors& outputs, Tensors& inputs,
                                          const ReduceScatterOptions& options = {}) {
    return reduce_scatter_tensor_coalesced(outputs, inputs, options);
  }

 protected:
  const int rank_;              ///< getRank()
  const int size_;              ///< getSize()
  intrusive_ptr<Store> store_;  ///< getStore()
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
