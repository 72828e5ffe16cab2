// ProcessGroupMPI: over MPI, for tensors on the CPU and, through pinned memory, on CUDA devices.
#pragma once

#include <taper/distributed/backend.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// The processes are those that mpirun or srun has started. Collectives run one after the other on
/// the group's thread, messages concurrently. MPI is initialised, and later finalized, if the
/// program has not initialised it. A program that calls MPI itself meanwhile needs
/// MPI_THREAD_MULTIPLE.
///
/// Before a collective ranks compare their operations. If ranks call different operations, or use
/// different sizes or dtypes, all get DistError at once.
class ProcessGroupMPI final : public Backend {
 public:
  /// Makes a group of these ranks of MPI_COMM_WORLD, or of all. All of these ranks must call it
  /// together, and no others. A process's rank in it is its position in `ranks`. Returns undefined
  /// for a rank that is not in it. Throws ValueError for invalid ranks. Throws DistError if ranks
  /// do not come within the time limit, or if MPI does not allow calls from another thread.
  static Handle<ProcessGroupMPI> createProcessGroupMPI(
      std::vector<int> ranks = {}, std::chrono::milliseconds timeout = std::chrono::minutes(30));
  /// Waits for pending operations.
  ~ProcessGroupMPI() override;

  void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) override;
  /// Ends all processes of the job, by MPI_Abort.
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
