// The calls of NCCL that a ProcessGroupNCCL makes. Not installed.
#pragma once

#include <nccl.h>

#include <chrono>
#include <vector>

#include <taper/distributed/operation.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::distributed::nccl {

using Clock = std::chrono::steady_clock;
using Id = std::vector<uint8_t>;

/// Throws DistError if there is no NCCL or no GPU. If the program contains NCCL's functions, they
/// are used. Otherwise, libnccl.so.2 is loaded.
void require();

/// Returns a new id. One rank sends it to the others, so that they can make a communicator.
Id new_id();
/// A communicator, whose calls do not block the host, and the stream on which its operations run.
struct Place {
  ncclComm_t comm = nullptr;
  cuda::Stream stream;
  int rank = 0, size = 1;
};
/// Starts to make a communicator for the current device. Do not use it before is_ready() returns
/// true.
ncclComm_t begin_communicator(const Id& id, int rank, int size);
/// Returns whether all ranks have connected. Throws DistError if NCCL reports an error.
bool is_ready(ncclComm_t comm);
/// Returns the communicator's error, or "" if there is none.
std::string error_of(ncclComm_t comm);
/// Aborts the kernels of the communicator, and destroys it.
void abort(ncclComm_t comm) noexcept;
/// Waits for the communicator's kernels, and destroys it. If the communicator is not ready, aborts
/// it.
void destroy(ncclComm_t comm) noexcept;

/// Returns why NCCL does not support a reduction, or "" if NCCL supports it.
std::string why_not(ScalarType dtype, ReduceOp how);
/// Queues the operation's kernels. Throws DistError if NCCL returns an error, or does not accept
/// the kernels before the deadline.
void run(const detail::Operation& operation, const Place& place, Clock::time_point deadline);

}  // namespace torch::taper::distributed::nccl
