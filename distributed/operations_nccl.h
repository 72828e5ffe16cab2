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

/// Throws DistError where there is no NCCL, or nothing that it could run on. A program that has
/// NCCL's functions itself gives those; else libnccl.so.2 is loaded.
void require();

/// What one rank sends to the others, so that they make one communicator.
Id new_id();
/// Where operations run: a communicator, which does not block the host, and a stream of its device.
struct Place {
  ncclComm_t comm = nullptr;
  cuda::Stream stream;
  int rank = 0, size = 1;
};
/// Throws DistError where not all ranks come in time.
ncclComm_t make_communicator(const Id& id, int rank, int size, Clock::time_point deadline);
/// What has gone wrong on the communicator meanwhile; "" where nothing has.
std::string error_of(ncclComm_t comm);
/// Ends its kernels, and it.
void abort(ncclComm_t comm) noexcept;
/// When its kernels have ended.
void destroy(ncclComm_t comm) noexcept;

/// Why NCCL has no such reduction; "" where it has.
std::string why_not(ScalarType dtype, ReduceOp how);
/// Queues the operation's kernels. Throws DistError where NCCL refuses, or does not take them in
/// time.
void run(const detail::Operation& operation, const Place& place, Clock::time_point deadline);

}  // namespace torch::taper::distributed::nccl
