// An operation of a process group, checked and with one tensor in the place of lists: what a
// backend is given. Not installed.
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
  kGather,         // the same; out on the root alone
  kScatter,        // in on the root alone: the ranks' out, one after the other
  kReduceScatter,  // in: the ranks' out, one after the other, to be reduced
  kAlltoall,       // parts of both, of `sent` and `received` elements
  kSend,           // in
  kRecv,           // out
  kRecvAnysource,  // out
  kBarrier         // no tensors
};

/// Whether two ranks take part, not all.
inline bool is_message(OpKind kind) { return kind >= OpKind::kSend && kind != OpKind::kBarrier; }

struct Operation {
  OpKind kind = OpKind::kBarrier;
  const char* name = "";  ///< as errors call it
  Tensor in, out;         ///< contiguous; elements of reductions are real
  /// Of an allreduce of several tensors, in the place of in and out, where the backend coalesces.
  std::vector<Tensor> parts;
  ReduceOp how;
  int peer = 0;                         ///< the root, or the other rank
  int tag = 0;                          ///< of messages
  std::vector<int64_t> sent, received;  ///< of kAlltoall: elements to and from each rank
  std::chrono::milliseconds limit{0};
  uint64_t sequence = 0;        ///< of the group's collectives, or of its messages
  uint64_t agreement = 0;       ///< what all ranks must agree on, as a hash; 0 for messages
  std::function<void()> after;  ///< on the thread that waits, when it has ended well
  FlightEntry flight;

  /// The one that has the same size on all ranks.
  const Tensor& tensor() const { return in.defined() && kind != OpKind::kScatter ? in : out; }
  /// "allreduce of Float[3] (operation 7)".
  std::string what() const;
  /// The same with all that ranks must agree on: "..., AVG, root 2".
  std::string whole() const;
};

/// Whether what this thread does on the CPU, or what is queued on the current stream, is captured:
/// the replays would not repeat an operation between ranks.
bool is_capturing();

/// a and b in one number.
inline uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
  a *= 0xBF58476D1CE4E5B9u;
  return a ^ a >> 29;
}

inline size_t nbytes_of(const Tensor& t) {
  return static_cast<size_t>(t.numel()) * static_cast<size_t>(t.element_size());
}

}  // namespace torch::taper::distributed::detail
