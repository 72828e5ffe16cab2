// ProcessGroup: processes (ranks) that compute together, and their collective operations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/distributed/types.h>
#include <taper/distributed/work.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A group of ranks. All ranks must call operations in the same order, with tensors of equal sizes
/// and dtypes. A function that starts an operation returns immediately. Wait for its Work before
/// you use its tensors again. If an operation exceeds the group's time limit, it ends with
/// DistError on every rank. The group is then unusable.
class ProcessGroup : public intrusive_ptr_target {
 public:
  using Tensors = std::vector<Tensor>;  ///< a list of tensors
  using Work = distributed::Work;       ///< an operation that was started
  using WorkPtr = Handle<Work>;         ///< a reference to a Work

  /// Throws ValueError unless 0 <= rank < size.
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {
    TAPER_CHECK_VALUE(size > 0 && rank >= 0 && rank < size,
                      "ProcessGroup: expected 0 <= rank < size, got rank ", rank, " of ", size);
  }
  /// Returns this process's rank in the group.
  int getRank() const { return rank_; }
  /// Returns the number of ranks.
  int getSize() const { return size_; }
  /// Returns the store through which the ranks have connected. It is undefined for MPI.
  const intrusive_ptr<Store>& getStore() const { return store_; }
  /// Returns "gloo", "mpi" or "nccl".
  virtual const std::string getBackendName() const = 0;

  /// Copies each tensor of the root to the other ranks.
  virtual WorkPtr broadcast(Tensors& tensors, const BroadcastOptions& options = {}) = 0;
  /// Sets the tensor, on each rank, to the elementwise reduction of this tensor over all ranks.
  virtual WorkPtr allreduce(Tensors& tensors, const AllreduceOptions& options = {}) = 0;
  /// Runs allreduce for several tensors of the same dtype and device, in one operation.
  virtual WorkPtr allreduce_coalesced(Tensors& tensors,
                                      const AllreduceCoalescedOptions& options = {}) = 0;
  /// Reduces like allreduce, but only on the root. The other ranks' tensors are undefined
  /// afterwards.
  virtual WorkPtr reduce(Tensors& tensors, const ReduceOptions& options = {}) = 0;
  /// Sets outputs[0][r] to rank r's inputs[0].
  virtual WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                            const AllgatherOptions& options = {}) = 0;
  /// Gathers like allgather, but into the tensor `output`. The elements of rank r come before the
  /// elements of rank r + 1.
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
  /// Runs reduce_scatter, with the inputs for all ranks one after the other in the tensor `input`.
  virtual WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                                       const ReduceScatterOptions& options = {}) = 0;
  /// Sets part r of the output to part `rank` of rank r's input. Parts are along the first
  /// dimension. `output_sizes` and `input_sizes` are the sizes of the parts. An empty list means
  /// equal parts.
  virtual WorkPtr alltoall_base(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                                std::vector<int64_t>& input_sizes,
                                const AllToAllOptions& options = {}) = 0;
  /// Sets outputs[r] to rank r's inputs[rank].
  virtual WorkPtr alltoall(Tensors& outputs, Tensors& inputs,
                           const AllToAllOptions& options = {}) = 0;
  /// Sends one tensor to rank `to`. `tag` distinguishes messages between two ranks.
  virtual WorkPtr send(Tensors& tensors, int to, int tag) = 0;
  /// Receives one tensor from rank `from`. `tag` must be the tag of send().
  virtual WorkPtr recv(Tensors& tensors, int from, int tag) = 0;
  /// Receives from the first rank that sends. Work::sourceRank() returns this rank.
  virtual WorkPtr recvAnysource(Tensors& tensors, int tag) = 0;
  /// Starts an operation that ends when all ranks have started it.
  virtual WorkPtr barrier(const BarrierOptions& options = {}) = 0;
  /// Runs a barrier and waits for it. If ranks do not call it in time, rank 0 throws DistError,
  /// which names the first missing rank, or all missing ranks with `wait_all`. The other ranks
  /// throw DistError, too.
  virtual void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) = 0;

  /// Makes a new group of some ranks of this group, with the same backend. All ranks of this group
  /// must call splitGroup() in the same order. Several new groups can be made at once. They must
  /// not overlap, and all ranks of one new group must pass equal `ranks`. In the new group, a
  /// process's rank is its position in `ranks`. Returns an undefined group on ranks that are not in
  /// `ranks`. `timeout` is the time limit of the new group's operations. The default is this
  /// group's time limit. `name` becomes a part of the keys in the store. `options` exists because
  /// LibTorch has it, and has no effect. Throws ValueError for invalid ranks, and DistError if
  /// other ranks do not call splitGroup() in time.
  virtual intrusive_ptr<ProcessGroup> splitGroup(
      const std::vector<int>& ranks, const optional<std::chrono::milliseconds>& timeout = {},
      nullopt_t options = nullopt, const optional<std::string>& name = {}) = 0;
  /// Makes a new group of the ranks `ranks`. Only these ranks call split(). They connect through
  /// `store`, under keys that no other group may use (wrap it in a PrefixStore). MPI does not need
  /// a store.
  virtual intrusive_ptr<ProcessGroup> split(const intrusive_ptr<Store>& store,
                                            const std::vector<int>& ranks,
                                            std::chrono::milliseconds timeout = kUnsetTimeout) = 0;

  /// Returns the time limit of operations.
  virtual std::chrono::milliseconds timeout() const = 0;
  /// Changes the time limit of later operations.
  virtual void setTimeout(std::chrono::milliseconds timeout) = 0;
  /// Returns the number of collective operations that were started. It does not count messages.
  virtual uint64_t getSequenceNumberForGroup() = 0;
  /// Aborts pending operations on this rank, and also on the other ranks if the backend can. (MPI
  /// ends the processes.) The group is unusable afterwards.
  virtual void abort() = 0;

  /// Calls _allgather_base(). This is the name in another version of LibTorch.
  WorkPtr allgather_into_tensor(Tensor& output, Tensor& input,
                                const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// Calls _allgather_base(). This is the name in another version of LibTorch.
  WorkPtr all_gather_single(Tensor& output, Tensor& input, const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// Calls _reduce_scatter_base(). This is the name in another version of LibTorch.
  WorkPtr reduce_scatter_tensor(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// Calls _reduce_scatter_base(). This is the name in another version of LibTorch.
  WorkPtr reduce_scatter_single(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// Calls alltoall_base(). This is the name in another version of LibTorch.
  WorkPtr all_to_all_single(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                            std::vector<int64_t>& input_sizes,
                            const AllToAllOptions& options = {}) {
    return alltoall_base(output, input, output_sizes, input_sizes, options);
  }
  /// Gathers each tensor of `inputs`: sets outputs[r][i] to rank r's inputs[i]. Returns one Work
  /// for all tensors.
  virtual WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) = 0;
  /// Runs _allgather_base() for each pair outputs[i] and inputs[i]. Returns one Work for all
  /// tensors.
  virtual WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const AllgatherOptions& options = {}) = 0;
  /// Runs _reduce_scatter_base() for each pair outputs[i] and inputs[i]. Returns one Work for all
  /// tensors.
  virtual WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const ReduceScatterOptions& options = {}) = 0;
  /// Gathers like gather(), but into the root's tensor `output`. On other ranks, `output` is
  /// ignored.
  virtual WorkPtr gather_into_tensor(Tensor& output, Tensor& input,
                                     const GatherOptions& options = {}) = 0;
  /// Calls gather_into_tensor(). This is the name in LibTorch 2.15.
  WorkPtr gather_single(Tensor& output, Tensor& input, const GatherOptions& options = {}) {
    return gather_into_tensor(output, input, options);
  }
  /// Calls allgather_into_tensor_coalesced(). This is the name in LibTorch 2.15.
  WorkPtr all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) {
    return allgather_into_tensor_coalesced(outputs, inputs, options);
  }
  /// Calls reduce_scatter_tensor_coalesced(). This is the name in LibTorch 2.15.
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
