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

/// Throws DistError without NCCL or a GPU. If the program contains NCCL's functions, they are used,
/// else libnccl.so.2 is loaded.
void require();

/// Returns an id that one rank sends to the others to make a communicator.
Id new_id();
/// The place of operations: a communicator, which does not block the host, and a stream of its
/// device.
struct Place {
  ncclComm_t comm = nullptr;
  cuda::Stream stream;
  int rank = 0, size = 1;
};
/// Makes a communicator. Throws DistError if not all ranks come in time.
ncclComm_t make_communicator(const Id& id, int rank, int size, Clock::time_point deadline);
/// Returns the communicator's error, or "" if there is none.
std::string error_of(ncclComm_t comm);
/// Aborts its kernels, and destroys it.
void abort(ncclComm_t comm) noexcept;
/// Destroys it when its kernels have ended.
void destroy(ncclComm_t comm) noexcept;

/// Returns why NCCL lacks a reduction, or "" if it has it.
std::string why_not(ScalarType dtype, ReduceOp how);
/// Queues the operation's kernels. Throws DistError if NCCL refuses, or does not accept them in
/// time.
void run(const detail::Operation& operation, const Place& place, Clock::time_point deadline);

}  // namespace torch::taper::distributed::nccl
