// Messages that a process group must let ranks send at once: each function is called by all ranks.
#pragma once

#include "distributed/group_cases.h"

namespace torch::taper::testing::group_cases {

/// Each rank sends to the next one, and receives from the one before.
inline void ring(ProcessGroup& g, Device device, bool receives_first) {
  const int size = g.getSize(), rank = g.getRank();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  Tensors own = {full({4}, rank, kInt).to(device)}, other = {full({4}, -1, kInt).to(device)};
  const auto send = [&] { return g.send(own, next, 0); };
  const auto receive = [&] { return g.recv(other, before, 0); };
  for (int i = 0; i < 2; ++i) {
    other[0].fill_(-1);
    const auto first = receives_first ? receive() : send();
    const auto second = receives_first ? send() : receive();
    first->wait(), second->wait();
    EXPECT_TRUE(host(other[0]).eq(before).all().item<bool>()) << host(other[0]);
  }
}
/// Each rank exchanges numbers with all others, and what is wrong in a batch is told first.
inline void batch(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank();
  const intrusive_ptr<ProcessGroup> group(&g);
  const Tensor own = full({4}, rank, kInt).to(device);
  std::vector<P2POp> messages;
  for (int r = 0; r < size; ++r)
    if (r != rank) messages.push_back(P2POp::isend(own, r, group));
  for (int r = 0; r < size; ++r)
    if (r != rank) messages.push_back(P2POp::irecv(full({4}, -1, kInt).to(device), r, group));
  std::vector<P2POp> wrong = messages;
  for (const int peer : {rank, -1, size}) {
    wrong.back().peer = peer;
    EXPECT_THROW(batch_isend_irecv(wrong), ValueError);
  }
  wrong.back() = P2POp::irecv(ones({2, 3}).t(), (rank + 1) % size, group);
  EXPECT_THROW(batch_isend_irecv(wrong), ValueError);
  wrong.back() = P2POp::irecv(Tensor(), (rank + 1) % size, group);
  EXPECT_THROW(batch_isend_irecv(wrong), ValueError);
  wrong.back() = P2POp::irecv(own, (rank + 1) % size);
  EXPECT_THROW(batch_isend_irecv(wrong), ValueError);
  EXPECT_THROW(batch_isend_irecv({}), ValueError);
  for (const auto& work : batch_isend_irecv(messages)) work->wait();
  for (const P2POp& m : messages)
    EXPECT_TRUE(host(m.tensor).eq(m.sends ? rank : m.peer).all().item<bool>());
}

}  // namespace torch::taper::testing::group_cases
