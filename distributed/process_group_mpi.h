// ProcessGroupMPI: a group over MPI, for tensors on the CPU. Tensors on CUDA devices are sent
// through pinned memory.
#pragma once

#include <taper/distributed/backend.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Connects processes that mpirun or srun has started. Collectives run one after the other on the
/// group's thread. Messages run concurrently with collectives. If the program has not initialized
/// MPI, the first group initializes MPI, and MPI is finalized at exit. A program that calls MPI
/// itself while a group exists must initialize MPI with MPI_THREAD_MULTIPLE.
///
/// Before a collective, the ranks compare their operations. If ranks call different operations, or
/// use different sizes or dtypes, all ranks immediately get DistError.
class ProcessGroupMPI final : public Backend {
 public:
  /// Makes a group of the given ranks of MPI_COMM_WORLD, or of all its ranks if `ranks` is empty.
  /// All ranks of the new group must call this function. Other ranks need not call it. In the
  /// group, a process's rank is its position in `ranks`. Returns an undefined group on ranks that
  /// are not in `ranks`. Throws ValueError for invalid ranks. Throws DistError if not all ranks
  /// call it within the time limit, or if MPI does not allow calls from another thread.
  static Handle<ProcessGroupMPI> createProcessGroupMPI(
      std::vector<int> ranks = {}, std::chrono::milliseconds timeout = std::chrono::minutes(30));
  /// Waits for pending operations.
  ~ProcessGroupMPI() override;

  void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) override;
  /// Ends all processes that MPI's launcher started, by MPI_Abort.
  void abort() override;

 protected:
  WorkPtr submit(OperationPtr operation) override;
  intrusive_ptr<ProcessGroup> make_part(const intrusive_ptr<Store>& store,
                                        const std::vector<int>& ranks, int rank,
                                        std::chrono::milliseconds timeout) override;

 private:
  struct Impl;
  ProcessGroupMPI(std::shared_ptr<Impl> impl, std::chrono::milliseconds timeout);
  std::shared_ptr<Impl> impl_;  // shared with its thread
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
