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
/// A communicator, which does not block the host, and a stream of its device. Operations run there.
struct Place {
  ncclComm_t comm = nullptr;
  cuda::Stream stream;
  int rank = 0, size = 1;
};
/// Begins to make a communicator of the current device. It must not be used before is_ready().
ncclComm_t begin_communicator(const Id& id, int rank, int size);
/// Returns whether all ranks have come. Throws DistError if NCCL reports an error.
bool is_ready(ncclComm_t comm);
/// Returns the communicator's error, or "" if there is none.
std::string error_of(ncclComm_t comm);
/// Aborts the kernels of the communicator, and destroys it.
void abort(ncclComm_t comm) noexcept;
/// Destroys it when its kernels have ended. Aborts one that is not ready.
void destroy(ncclComm_t comm) noexcept;

/// Returns why NCCL does not support a reduction, or "" if NCCL supports it.
std::string why_not(ScalarType dtype, ReduceOp how);
/// Queues the operation's kernels. Throws DistError if NCCL returns an error, or does not accept
/// the kernels before the deadline.
void run(const detail::Operation& operation, const Place& place, Clock::time_point deadline);

}  // namespace torch::taper::distributed::nccl
