// Starts several messages between ranks together.
#pragma once

#include <utility>
#include <vector>

#include <taper/distributed/process_group.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A message for batch_isend_irecv().
struct P2POp {
  bool sends = false;                   ///< whether this rank sends the tensor
  Tensor tensor;                        ///< contiguous
  int peer = 0;                         ///< the other rank
  intrusive_ptr<ProcessGroup> group{};  ///< undefined: the default group
  int tag = 0;                          ///< distinguishes messages between two ranks

  /// Describes a tensor that is sent to a rank.
  static P2POp isend(Tensor tensor, int to, intrusive_ptr<ProcessGroup> group = {}, int tag = 0) {
    return {true, std::move(tensor), to, std::move(group), tag};
  }
  /// Describes a tensor that is received from a rank.
  static P2POp irecv(Tensor tensor, int from, intrusive_ptr<ProcessGroup> group = {}, int tag = 0) {
    return {false, std::move(tensor), from, std::move(group), tag};
  }
};

/// Starts all messages and returns their works, in the order of the list. No message waits for
/// another, so ranks may exchange tensors in pairs or in a ring. The sender and the receiver of
/// each message must call this function. Throws ValueError for an empty list, for messages of
/// several groups, for tensors that are undefined or not contiguous, and for a peer that is this
/// rank or outside of the group. After ValueError, nothing has been sent.
std::vector<intrusive_ptr<Work>> batch_isend_irecv(const std::vector<P2POp>& messages);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
