// init_process_group: the group of all processes, from what a launcher has put into the
// environment.
#pragma once

#include <string>

#include <taper/distributed/process_group.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Where a process stands, as torchrun (RANK, WORLD_SIZE, LOCAL_RANK), mpirun (OMPI_COMM_WORLD_*)
/// or SLURM (SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID, the first host of SLURM_NODELIST) tell.
struct Environment {
  int rank = 0;                           ///< of all processes
  int world_size = 1;                     ///< how many there are
  int local_rank = 0;                     ///< on this machine
  std::string master_addr = "127.0.0.1";  ///< rank 0's host
  uint16_t master_port = 29500;           ///< where it serves the store
  /// Throws ValueError for a number that is none, for a rank without a number of ranks or the other
  /// way round, and for a list without a first host.
  static Environment read();
};

/// Makes the group that the functions below are about. `backend`: "gloo", "nccl" (both: the ranks
/// meet at a TCPStore of rank 0 at MASTER_ADDR and MASTER_PORT, or at torchrun's) or "mpi" (the
/// processes are those of MPI's launcher). Throws Error where there is a group already, ValueError
/// for a backend that is unknown or not in this build, DistError where ranks do not come in time.
intrusive_ptr<ProcessGroup> init_process_group(
    const std::string& backend, std::chrono::milliseconds timeout = std::chrono::minutes(30));
bool is_initialized();
/// Throws Error where there is none.
intrusive_ptr<ProcessGroup> default_group();
/// Lets it go. Nothing happens where there is none.
void destroy_process_group();
/// A group of some ranks of the default one, which all ranks of that one call in the same order.
/// The rank in it is the place in `ranks`; undefined for a rank that is not in it.
intrusive_ptr<ProcessGroup> new_group(const std::vector<int>& ranks);
/// 0 and 1 where there is no group.
int get_rank();
int get_world_size();

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
