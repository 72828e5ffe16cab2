// An operation of a process group, checked and with one tensor instead of lists, as a backend gets
// it. Not installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <taper/distributed/flight_buffer.h>
#include <taper/distributed/types.h>
#include <taper/framework/core/tensor.h>

namespace torch::taper::distributed::detail {

enum class OpKind : uint8_t {
  kBroadcast,      // in on the root, out elsewhere
  kAllreduce,      // in is out
  kReduce,         // in is out
  kAllgather,      // out: the ranks' in, one after the other
  kGather,         // like kAllgather, out only on the root
  kScatter,        // in only on the root: the ranks' out, consecutively
  kReduceScatter,  // in: the ranks' out, consecutively, to be reduced
  kAlltoall,       // parts of both, of `sent` and `received` elements
  kSend,           // in
  kRecv,           // out
  kRecvAnysource,  // out
  kBarrier         // no tensors
};

/// Returns whether the operation involves two ranks only.
inline bool is_message(OpKind kind) { return kind >= OpKind::kSend && kind != OpKind::kBarrier; }

struct Operation {
  OpKind kind = OpKind::kBarrier;
  const char* name = "";  ///< name in errors
  Tensor in, out;         ///< contiguous, with real elements for reductions
  /// The tensors of an allreduce of several, instead of in and out, if the backend coalesces.
  std::vector<Tensor> parts;
  ReduceOp how;
  int peer = 0;                         ///< the root, or the other rank
  int tag = 0;                          ///< of messages
  std::vector<int64_t> sent, received;  ///< for kAlltoall: elements to and from each rank
  std::chrono::milliseconds limit{0};
  uint64_t sequence = 0;        ///< among the group's collectives, or its messages
  uint64_t agreement = 0;       ///< hash of the arguments to agree on, 0 for messages
  std::function<void()> after;  ///< called on the waiting thread after success
  FlightEntry flight;

  /// Returns the tensor that has equal sizes on all ranks.
  const Tensor& tensor() const { return in.defined() && kind != OpKind::kScatter ? in : out; }
  /// Returns "allreduce of Float[3] (operation 7)".
  std::string what() const;
  /// Returns what() with all arguments on which ranks must agree: "..., AVG, root 2".
  std::string whole() const;
};

/// Returns whether this thread's work on the CPU, or on the current stream, is captured. Replays
/// would not repeat an operation between ranks.
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
