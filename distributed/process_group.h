// ProcessGroup: processes (ranks) that compute together, and the operations in which all of them
// take part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/distributed/types.h>
#include <taper/distributed/work.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Every rank calls the same operations in the same order, with tensors of the same sizes and
/// dtypes. Operations return at once; their tensors may be used again when the Work has been waited
/// for. An operation that takes longer than the group's time limit ends with DistError on every
/// rank, and so does, from then on, the group's use.
class ProcessGroup : public intrusive_ptr_target {
 public:
  using Tensors = std::vector<Tensor>;  ///< a list of tensors
  using Work = distributed::Work;       ///< an operation on its way
  using WorkPtr = Handle<Work>;         ///< a share of it

  /// Throws ValueError unless 0 <= rank < size.
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {
    TAPER_CHECK_VALUE(size > 0 && rank >= 0 && rank < size,
                      "ProcessGroup: expected 0 <= rank < size, got rank ", rank, " of ", size);
  }
  /// The number of this process in the group.
  int getRank() const { return rank_; }
  /// How many there are.
  int getSize() const { return size_; }
  /// Where its ranks have met; undefined for MPI.
  const intrusive_ptr<Store>& getStore() const { return store_; }
  /// "gloo", "mpi", "nccl".
  virtual const std::string getBackendName() const = 0;

  /// Each tensor becomes that of the root.
  virtual WorkPtr broadcast(Tensors& tensors, const BroadcastOptions& options = {}) = 0;
  /// Each tensor becomes that of all ranks, reduced.
  virtual WorkPtr allreduce(Tensors& tensors, const AllreduceOptions& options = {}) = 0;
  /// The same for several tensors of one dtype and device, in one message.
  virtual WorkPtr allreduce_coalesced(Tensors& tensors,
                                      const AllreduceCoalescedOptions& options = {}) = 0;
  /// The same, on the root alone; the other ranks' tensors are undefined afterwards.
  virtual WorkPtr reduce(Tensors& tensors, const ReduceOptions& options = {}) = 0;
  /// outputs[0][r] becomes rank r's inputs[0].
  virtual WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                            const AllgatherOptions& options = {}) = 0;
  /// The same, in one tensor of as many times the elements.
  virtual WorkPtr _allgather_base(Tensor& output, Tensor& input,
                                  const AllgatherOptions& options = {}) = 0;
  /// The same, on the root alone; no outputs elsewhere.
  virtual WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs,
                         const GatherOptions& options = {}) = 0;
  /// outputs[0] becomes the root's inputs[0][rank]; no inputs elsewhere.
  virtual WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                          const ScatterOptions& options = {}) = 0;
  /// outputs[0] becomes the reduction of all ranks' inputs[0][rank].
  virtual WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                 const ReduceScatterOptions& options = {}) = 0;
  /// The same, the inputs in one tensor of as many times the elements.
  virtual WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                                       const ReduceScatterOptions& options = {}) = 0;
  /// Part r of the output (along the first dimension) becomes part `rank` of rank r's input. Sizes
  /// are those of the parts; none: all are equal.
  virtual WorkPtr alltoall_base(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                                std::vector<int64_t>& input_sizes,
                                const AllToAllOptions& options = {}) = 0;
  /// outputs[r] becomes rank r's inputs[rank].
  virtual WorkPtr alltoall(Tensors& outputs, Tensors& inputs,
                           const AllToAllOptions& options = {}) = 0;
  /// One tensor to a rank, and from one; `tag` tells messages between the same ranks apart.
  virtual WorkPtr send(Tensors& tensors, int to, int tag) = 0;
  /// See send().
  virtual WorkPtr recv(Tensors& tensors, int from, int tag) = 0;
  /// The same, from whoever sends first: Work::sourceRank().
  virtual WorkPtr recvAnysource(Tensors& tensors, int tag) = 0;
  /// Ends when all ranks have come to it.
  virtual WorkPtr barrier(const BarrierOptions& options = {}) = 0;
  /// The same, waited for; rank 0 throws DistError that names the first rank, or with `wait_all`
  /// all ranks, that did not come in time, and the others do too.
  virtual void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) = 0;

  /// A group of some ranks of this one, of the same backend. All ranks of this group call it in the
  /// same order, those of one part with the same `ranks`; parts that come about in one call have no
  /// rank in common. The rank in it is the place in `ranks`; undefined for a rank that is not in
  /// them. `timeout`: of its operations, none: this group's; `name`: the store's key, none: the
  /// number of the call. (LibTorch's options have no counterpart.) Throws ValueError for ranks that
  /// are none, DistError where others do not come in time.
  virtual intrusive_ptr<ProcessGroup> splitGroup(
      const std::vector<int>& ranks, const optional<std::chrono::milliseconds>& timeout = {},
      nullopt_t options = nullopt, const optional<std::string>& name = {}) = 0;
  /// The same of those ranks alone, which meet at a store under keys that no other group uses
  /// (PrefixStore); MPI needs none.
  virtual intrusive_ptr<ProcessGroup> split(const intrusive_ptr<Store>& store,
                                            const std::vector<int>& ranks,
                                            std::chrono::milliseconds timeout = kUnsetTimeout) = 0;

  /// How long operations may take.
  virtual std::chrono::milliseconds timeout() const = 0;
  /// Changes it for those to come.
  virtual void setTimeout(std::chrono::milliseconds timeout) = 0;
  /// How many operations, but for messages, have been called.
  virtual uint64_t getSequenceNumberForGroup() = 0;
  /// Ends what is under way, on this rank and, where the engine can (MPI ends the processes), on
  /// all. The group is of no use afterwards.
  virtual void abort() = 0;

  /// Names of other versions for _allgather_base(), _reduce_scatter_base() and alltoall_base().
  WorkPtr allgather_into_tensor(Tensor& output, Tensor& input,
                                const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// See allgather_into_tensor().
  WorkPtr all_gather_single(Tensor& output, Tensor& input, const AllgatherOptions& options = {}) {
    return _allgather_base(output, input, options);
  }
  /// See allgather_into_tensor().
  WorkPtr reduce_scatter_tensor(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// See allgather_into_tensor().
  WorkPtr reduce_scatter_single(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}) {
    return _reduce_scatter_base(output, input, options);
  }
  /// See allgather_into_tensor().
  WorkPtr all_to_all_single(Tensor& output, Tensor& input, std::vector<int64_t>& output_sizes,
                            std::vector<int64_t>& input_sizes,
                            const AllToAllOptions& options = {}) {
    return alltoall_base(output, input, output_sizes, input_sizes, options);
  }
  /// outputs[r][i] becomes rank r's inputs[i]. One Work for all.
  virtual WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) = 0;
  /// _allgather_base() of each pair. One Work for all.
  virtual WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const AllgatherOptions& options = {}) = 0;
  /// _reduce_scatter_base() of each pair. One Work for all.
  virtual WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const ReduceScatterOptions& options = {}) = 0;
  /// gather() into one tensor of as many times the elements, on the root; elsewhere the output is
  /// not looked at.
  virtual WorkPtr gather_into_tensor(Tensor& output, Tensor& input,
                                     const GatherOptions& options = {}) = 0;
  /// Names of LibTorch 2.15 for the same.
  WorkPtr gather_single(Tensor& output, Tensor& input, const GatherOptions& options = {}) {
    return gather_into_tensor(output, input, options);
  }
  /// See gather_single().
  WorkPtr all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                      const AllgatherOptions& options = {}) {
    return allgather_into_tensor_coalesced(outputs, inputs, options);
  }
  /// See gather_single().
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
