// init_process_group: makes the group of all processes, from a launcher's environment variables.
#pragma once

#include <string>

#include <taper/distributed/process_group.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A process's rank and the number of processes, from the environment variables of torchrun (RANK,
/// WORLD_SIZE, LOCAL_RANK), mpirun (OMPI_COMM_WORLD_*) or SLURM (SLURM_PROCID, SLURM_NTASKS,
/// SLURM_LOCALID, the first host of SLURM_NODELIST).
struct Environment {
  int rank = 0;                           ///< rank among all processes
  int world_size = 1;                     ///< number of processes
  int local_rank = 0;                     ///< rank on this machine
  std::string master_addr = "127.0.0.1";  ///< rank 0's host
  uint16_t master_port = 29500;           ///< port of rank 0's store
  /// Reads the environment. Throws ValueError for an invalid number, if only one of rank and number
  /// of processes is set, and if SLURM_NODELIST has no first host.
  static Environment read();
};

/// Makes the default group, which other functions use if they get no group. `backend` is "gloo",
/// "nccl" or "mpi". With "gloo" and "nccl", rank 0 serves a TCPStore at MASTER_ADDR and
/// MASTER_PORT, through which the ranks connect. Under torchrun, they connect through torchrun's
/// store. With "mpi", the group has the processes that MPI's launcher started. Throws Error if
/// there is already a default group. Throws ValueError for a backend that is unknown or not in this
/// build, and DistError if ranks do not connect in time.
intrusive_ptr<ProcessGroup> init_process_group(
    const std::string& backend, std::chrono::milliseconds timeout = std::chrono::minutes(30));
/// Returns whether there is a default group.
bool is_initialized();
/// Returns the default group. Throws Error if there is none.
intrusive_ptr<ProcessGroup> default_group();
/// Destroys the default group. Does nothing if there is none.
void destroy_process_group();
/// Makes a group of some ranks of the default group. All ranks of the default group must call
/// new_group() in the same order. In the new group, a process's rank is its position in `ranks`.
/// Returns an undefined group on ranks that are not in `ranks`.
intrusive_ptr<ProcessGroup> new_group(const std::vector<int>& ranks);
/// Return the rank in the default group and its number of ranks, or 0 and 1 without a default
/// group.
int get_rank();
int get_world_size();

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
