// ProcessGroupMPI: over MPI, for tensors of the CPU and, through pinned memory, of CUDA devices.
#pragma once

#include <taper/distributed/backend.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// The processes are those that mpirun or srun has started. Collectives run one after the other, on
/// a thread of the group's own; messages beside them. MPI is initialised where the program has not
/// done it, and then also ended. A program that calls MPI itself meanwhile needs
/// MPI_THREAD_MULTIPLE.
///
/// Ranks that call different operations, or one with other sizes or dtypes, all get DistError at
/// once: before a collective they compare what they are about to do.
class ProcessGroupMPI final : public Backend {
 public:
  /// A group of these ranks of MPI_COMM_WORLD, which all of them make together (others must not),
  /// or of all. The rank in it is the place in `ranks`. Undefined for a rank that is not in it.
  /// Throws ValueError for ranks that are none; DistError where ranks do not come within the time
  /// limit, or MPI lets no other thread call it.
  static Handle<ProcessGroupMPI> createProcessGroupMPI(
      std::vector<int> ranks = {}, std::chrono::milliseconds timeout = std::chrono::minutes(30));
  /// Waits for the operations that are on their way.
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
  std::shared_ptr<Impl> impl_;  // its thread has a share, too
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
