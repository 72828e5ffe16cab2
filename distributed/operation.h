// Operation: the argument of Backend::submit(). Backend has checked the arguments, and has combined
// lists of tensors to one tensor. Not installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <taper/distributed/flight_buffer.h>
#include <taper/distributed/types.h>
#include <taper/framework/core/tensor.h>

namespace torch::taper::distributed::detail {

enum class OpKind : uint8_t {
  kBroadcast,      // `in` on the root, `out` on other ranks
  kAllreduce,      // `in` is `out`
  kReduce,         // `in` is `out`
  kAllgather,      // `out` gets the `in` of all ranks, in the order of ranks
  kGather,         // like kAllgather, but `out` is only on the root
  kScatter,        // `in` has the `out` of all ranks, and exists only on the root
  kReduceScatter,  // `in` has the values for each rank's `out`
  kAlltoall,       // `in` and `out` have a part for each rank, see `sent` and `received`
  kSend,           // `in`
  kRecv,           // `out`
  kRecvAnysource,  // `out`
  kBarrier         // no tensors
};

/// Returns whether the operation involves two ranks only.
inline bool is_message(OpKind kind) { return kind >= OpKind::kSend && kind != OpKind::kBarrier; }

struct Operation {
  OpKind kind = OpKind::kBarrier;
  const char* name = "";  ///< name in errors
  Tensor in, out;         ///< contiguous, with real elements for reductions
  /// The tensors of an allreduce of several tensors, if the backend coalesces. `in` and `out` are
  /// then undefined.
  std::vector<Tensor> parts;
  ReduceOp how;
  int peer = 0;                         ///< the root, or the other rank
  int tag = 0;                          ///< of messages
  std::vector<int64_t> sent, received;  ///< for kAlltoall: number of elements for or from each rank
  std::chrono::milliseconds limit{0};
  uint64_t sequence = 0;  ///< number among the group's collectives, or its messages
  /// Hash of the arguments that all ranks must pass equally, 0 for messages.
  uint64_t agreement = 0;
  std::function<void()> after;  ///< called on the waiting thread if there was no error
  FlightEntry flight;

  /// Returns the tensor that has equal sizes on all ranks.
  const Tensor& tensor() const { return in.defined() && kind != OpKind::kScatter ? in : out; }
  /// Returns "allreduce of Float[3] (operation 7)".
  std::string what() const;
  /// Returns what() with all arguments that must be equal on all ranks: "..., AVG, root 2".
  std::string whole() const;
};

/// Returns whether a capture of the CPU or of the current stream is running. Operations between
/// ranks cannot be captured, because a replay would not repeat them.
bool is_capturing();

/// Mixes a and b into one number.
inline uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
  a *= 0xBF58476D1CE4E5B9u;
  return a ^ a >> 29;
}

inline size_t nbytes_of(const Tensor& t) {
  return static_cast<size_t>(t.numel()) * static_cast<size_t>(t.element_size());
}

}  // namespace torch::taper::distributed::detail
