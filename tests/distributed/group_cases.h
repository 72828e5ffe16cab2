// What a process group must do, whatever moves its bytes: each function is called by all ranks.
#pragma once

#include <atomic>

#include "distributed/ranks.h"

namespace taper::testing::group_cases {

using Tensors = std::vector<Tensor>;

/// Small numbers that differ between ranks: their product over four ranks fits in a byte.
inline Tensor values(int rank, ScalarType dtype = kFloat) {
  return (arange(4, kLong) + rank).remainder(3).add(1).to(dtype);
}
inline AllreduceOptions by(ReduceOp op) {
  AllreduceOptions options;
  options.reduceOp = op;
  return options;
}
/// The reduction of all ranks' values, in double.
inline Tensor reduced(int size, ReduceOp::RedOpType op) {
  Tensor all = values(0, kDouble);
  for (int r = 1; r < size; ++r) {
    const Tensor one = values(r, kDouble);
    all = op == ReduceOp::PRODUCT ? all * one
          : op == ReduceOp::MIN   ? minimum(all, one)
          : op == ReduceOp::MAX   ? maximum(all, one)
                                  : all + one;
  }
  return op == ReduceOp::AVG ? all / size : all;
}
inline Tensor host(const Tensor& t) { return t.cpu(); }
/// Sum over ranks 0..size-1 of their numbers.
inline double sum_of_ranks(int size) { return size * (size - 1) / 2.0; }

inline void reductions(ProcessGroup& g, Device device, ArrayRef<ScalarType> dtypes) {
  const int size = g.getSize(), rank = g.getRank();
  for (ScalarType dtype : dtypes)
    for (auto op : {ReduceOp::SUM, ReduceOp::PRODUCT, ReduceOp::MIN, ReduceOp::MAX}) {
      Tensors t = {values(rank, dtype).to(device)};
      g.allreduce(t, by(op))->wait();
      EXPECT_TRUE(host(t[0]).to(kDouble).equal(reduced(size, op))) << dtype << " " << int(op);
    }
  for (ScalarType dtype : {kFloat, kHalf, kDouble}) {
    Tensors mean = {values(rank, dtype).to(device)}, scaled = {full({2}, 4.0, dtype).to(device)};
    g.allreduce(mean, by(ReduceOp::AVG))->wait();
    EXPECT_TRUE(host(mean[0]).to(kDouble).allclose(reduced(size, ReduceOp::AVG), 1e-3)) << dtype;
    g.allreduce(scaled, by(makePreMulSum(0.5)))->wait();
    EXPECT_TRUE(host(scaled[0]).to(kDouble).equal(full({2}, 2.0 * size, kDouble))) << dtype;
  }
  Tensors any = {full({2}, rank == 0, kBool).to(device)};
  Tensors all = {any[0].clone()};
  g.allreduce(any)->wait();
  g.allreduce(all, by(ReduceOp::PRODUCT))->wait();
  EXPECT_TRUE(host(any[0]).all().item<bool>());
  EXPECT_EQ(host(all[0]).all().item<bool>(), size == 1);
  Tensors numbers = {complex(values(rank), values(rank + 1)).to(device)};
  g.allreduce(numbers)->wait();
  EXPECT_TRUE(host(real(numbers[0])).to(kDouble).equal(reduced(size, ReduceOp::SUM)));
  Tensors none = {empty({0}).to(device)};
  g.allreduce(none)->wait();
}

inline void bits(ProcessGroup& g) {
  const int64_t size = g.getSize(), own = int64_t{1} << g.getRank();
  Tensors some = {full({2}, own, kLong)}, common = {full({2}, own | 256, kLong)},
          odd = {full({2}, own | 256, kShort)};
  g.allreduce(some, by(ReduceOp::BOR))->wait();
  g.allreduce(common, by(ReduceOp::BAND))->wait();
  g.allreduce(odd, by(ReduceOp::BXOR))->wait();
  const int64_t all = (int64_t{1} << size) - 1;
  EXPECT_TRUE(some[0].equal(full({2}, all, kLong)));
  EXPECT_TRUE(common[0].equal(full({2}, int64_t{size > 1 ? 256 : 257}, kLong)));
  EXPECT_TRUE(odd[0].equal(full({2}, all | (size % 2 ? 256 : 0), kShort)));
  Tensors floats = {zeros({1})};
  EXPECT_THROW(g.allreduce(floats, by(ReduceOp::BAND)), ValueError);
}

inline void roots(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank();
  for (int root = 0; root < size; ++root) {
    Tensors t = {values(rank, kDouble).to(device)}, sum = {values(rank, kInt).to(device)};
    BroadcastOptions from;
    from.rootRank = root;
    g.broadcast(t, from)->wait();
    EXPECT_TRUE(host(t[0]).equal(values(root, kDouble)));
    ReduceOptions to;
    to.rootRank = root;
    g.reduce(sum, to)->wait();
    if (rank == root) EXPECT_TRUE(host(sum[0]).to(kDouble).equal(reduced(size, ReduceOp::SUM)));
  }
  Tensors t = {zeros({1}).to(device)};
  BroadcastOptions beyond;
  beyond.rootRank = size;
  EXPECT_THROW(g.broadcast(t, beyond), ValueError);
}

inline Tensors room(int n, Device device) {
  Tensors all;
  for (int i = 0; i < n; ++i) all.push_back(zeros({4}).to(device));
  return all;
}
inline void expect_all(const Tensors& got, const char* what) {
  for (size_t r = 0; r < got.size(); ++r)
    EXPECT_TRUE(host(got[r]).equal(values(static_cast<int>(r)))) << what << " " << r;
}

inline void gathers(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank(), root = size - 1;
  Tensors in = {values(rank).to(device)};
  std::vector<Tensors> out = {room(size, device)};
  g.allgather(out, in)->wait();
  expect_all(out[0], "allgather");
  Tensor flat = zeros({size, 4}).to(device);
  g.allgather_into_tensor(flat, in[0])->wait();
  expect_all(host(flat).unbind(0), "allgather_into_tensor");
  GatherOptions to;
  to.rootRank = root;
  std::vector<Tensors> all;
  if (rank == root) all = {room(size, device)};
  g.gather(all, in, to)->wait();
  if (rank == root) expect_all(all[0], "gather");
  if (rank != root) EXPECT_THROW(g.gather(out, in, to), ValueError);
  std::vector<Tensors> lists(static_cast<size_t>(size));
  for (Tensors& list : lists) list = room(2, device);
  Tensors two = {values(rank).to(device), (values(rank) * 2).to(device)};
  g.allgather_coalesced(lists, two)->wait();
  for (int r = 0; r < size; ++r)
    EXPECT_TRUE(host(lists[static_cast<size_t>(r)][1]).equal(values(r) * 2));
}

inline void scatters(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank(), root = size - 1;
  ScatterOptions from;
  from.rootRank = root;
  std::vector<Tensors> parts(rank == root ? 1 : 0), sums(1);
  for (int r = 0; r < size; ++r) {
    if (rank == root) parts[0].push_back(values(r).to(device));
    sums[0].push_back(((values(rank) + 10 * r)).to(device));
  }
  Tensors own = room(1, device), sum = room(1, device);
  g.scatter(own, parts, from)->wait();
  EXPECT_TRUE(host(own[0]).equal(values(rank)));
  g.reduce_scatter(sum, sums)->wait();
  const Tensor want = reduced(size, ReduceOp::SUM) + 10.0 * rank * size;
  EXPECT_TRUE(host(sum[0]).to(kDouble).equal(want));
  Tensor whole = cat(sums[0]), part = zeros({4}).to(device);
  g.reduce_scatter_tensor(part, whole)->wait();
  EXPECT_TRUE(host(part).to(kDouble).equal(want));
  EXPECT_TRUE(host(whole).equal(cat(sums[0]).cpu())) << "the input stays";
  Tensors wholes = {whole, whole * 2}, halves = room(2, device);
  g.reduce_scatter_tensor_coalesced(halves, wholes)->wait();
  EXPECT_TRUE(host(halves[1]).to(kDouble).equal(want * 2));
}

// Rank a sends b + 1 elements, all of the number 10 a + b, to rank b.
inline void alltoall(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank();
  Tensors to, from;
  for (int r = 0; r < size; ++r) {
    to.push_back(full({r + 1}, 10 * rank + r, kInt).to(device));
    from.push_back(zeros({rank + 1}, kInt).to(device));
  }
  g.alltoall(from, to)->wait();
  for (int r = 0; r < size; ++r)
    EXPECT_TRUE(host(from[static_cast<size_t>(r)]).equal(full({rank + 1}, 10 * r + rank, kInt)));
  Tensor rows = (arange(2 * size, kFloat) + 100 * rank).view({2 * size, 1}).to(device);
  Tensor got = zeros({2 * size, 1}).to(device);
  std::vector<int64_t> equal;
  g.alltoall_base(got, rows, equal, equal)->wait();
  for (int r = 0; r < size; ++r)
    EXPECT_EQ(host(got)[2 * r + 1][0].item<float>(), static_cast<float>(2 * rank + 1 + 100 * r));
}

// Around a ring; ranks of odd numbers receive first.
inline void messages(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank();
  Tensors to = {values(rank).to(device)}, from = room(1, device);
  const auto send = [&] { return g.send(to, (rank + 1) % size, 7); };
  if (rank % 2 == 0) send()->wait();
  const auto received = g.recv(from, (rank + size - 1) % size, 7);
  received->wait();
  EXPECT_EQ(received->sourceRank(), (rank + size - 1) % size);
  if (rank % 2 != 0) send()->wait();
  EXPECT_TRUE(host(from[0]).equal(values((rank + size - 1) % size)));
  EXPECT_THROW(g.send(to, rank, 0), ValueError);
  g.barrier()->wait();
}

inline void from_anyone(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank();
  Tensors t = {values(rank).to(device)};
  if (rank != 0) g.send(t, 0, 3)->wait();
  std::vector<bool> seen(static_cast<size_t>(size));
  for (int i = 1; rank == 0 && i < size; ++i) {
    Tensors from = room(1, device);
    const auto work = g.recvAnysource(from, 3);
    work->wait();
    const int source = work->sourceRank();
    ASSERT_TRUE(source > 0 && source < size) << source;
    EXPECT_FALSE(seen[static_cast<size_t>(source)]);
    seen[static_cast<size_t>(source)] = true;
    EXPECT_TRUE(host(from[0]).equal(values(source)));
  }
}

// Many under way at once, waited for in another order.
inline void meanwhile(ProcessGroup& g, Device device) {
  const auto size = static_cast<double>(g.getSize());
  std::vector<Tensors> t;
  std::vector<intrusive_ptr<Work>> works;
  for (int i = 0; i < 20; ++i) t.push_back({full({1000}, static_cast<double>(i)).to(device)});
  for (auto& one : t) works.push_back(g.allreduce(one));
  for (size_t i = t.size(); i-- > 0;) {
    works[i]->wait();
    EXPECT_EQ(host(t[i][0])[999].item<double>(), size * static_cast<double>(i));
  }
  EXPECT_TRUE(works[0]->isCompleted());
  EXPECT_TRUE(works[0]->isSuccess());
  Tensors several = {ones({2}).to(device), (ones({3, 2}) * 2).to(device)};
  g.allreduce_coalesced(several)->wait();
  EXPECT_TRUE(host(several[0]).equal(full({2}, size)));
  EXPECT_TRUE(host(several[1]).equal(full({3, 2}, 2 * size)));
  Tensors large = {full({1 << 20}, static_cast<double>(g.getRank())).to(device)};
  g.allreduce(large)->wait();
  EXPECT_EQ(host(large[0]).max().item<double>(), sum_of_ranks(g.getSize()));
  EXPECT_EQ(host(large[0]).min().item<double>(), sum_of_ranks(g.getSize()));
}

// What becomes of operations, told to callbacks; in them others are begun.
inline void futures(ProcessGroup& g, Device device) {
  const double size = g.getSize();
  Tensors t = {values(g.getRank()).to(device)};
  const auto work = g.allreduce(t);
  EXPECT_EQ(work->retrieveOpType(), OpType::ALLREDUCE);
  const auto future = work->getFuture();
  EXPECT_EQ(future.get(), work->getFuture().get());
  std::atomic<int> called{0};
  future->addCallback([&](Future& f) { called += f.hasValue() ? 1 : 100; });
  const auto mean =
      future->then([&](Future& f) { return IValue(f.value().toTensorVector()[0].cpu() / size); });
  mean->wait();
  const Tensor want = reduced(g.getSize(), ReduceOp::AVG);
  EXPECT_TRUE(mean->value().toTensor().to(kDouble).allclose(want, 1e-5));
  EXPECT_EQ(called, 1);
  future->addCallback([&] { ++called; });  // at once
  EXPECT_EQ(called, 2);
  work->wait();
  EXPECT_TRUE(host(t[0]).to(kDouble).equal(reduced(g.getSize(), ReduceOp::SUM)));

  std::vector<Tensors> lists = {room(g.getSize(), device)};
  Tensors in = {values(g.getRank()).to(device)};
  const auto gathered = g.allgather(lists, in)->getFuture();
  gathered->waitAndThrow();
  expect_all(gathered->value().toTensorVector(), "a future of allgather");
  Tensors next = {ones({2}).to(device)};
  intrusive_ptr<Work> begun;
  const auto second = g.allgather(lists, in)->getFuture()->then([&](Future&) {
    begun = g.allreduce(next);
    // This is the group's own thread.
    return IValue(g.getBackendName() == "nccl" ? "" : error_of([&] { begun->wait(); }));
  });
  second->wait();
  if (g.getBackendName() != "nccl")  // where wait() does not wait on the host
    EXPECT_NE(second->value().toStringRef().find("a callback of a group's own"), std::string::npos);
  begun->wait();
  EXPECT_TRUE(host(next[0]).equal(full({2}, size)));
  const auto thrown = g.barrier()->getFuture()->then([](Future&) -> IValue { throw Error("no"); });
  EXPECT_NE(error_of([&] { thrown->waitAndThrow(); }), "");
  EXPECT_TRUE(thrown->hasError());
  EXPECT_EQ(thrown->tryRetrieveErrorMessage().substr(0, 2), "no");
  Tensors outputs = {empty({g.getSize() * 4}).to(device)};
  const auto several = g.allgather_into_tensor_coalesced(outputs, in);
  EXPECT_EQ(opTypeToString(several->retrieveOpType()), "ALLGATHER_INTO_TENSOR_COALESCED");
  several->getFuture()->wait();
  EXPECT_TRUE(several->isCompleted());
  EXPECT_TRUE(host(several->result()[0]).narrow(0, 0, 4).equal(values(0)));
}

// Messages under way at once: those with other tags meet in any order, those with one in theirs.
inline void messages_in_any_order(ProcessGroup& g, Device device) {
  const int size = g.getSize(), next = (g.getRank() + 1) % size,
            before = (g.getRank() + size - 1) % size;
  std::vector<Tensors> to, from;
  std::vector<intrusive_ptr<Work>> works;
  for (int i = 0; i < 6; ++i) {
    to.push_back({full({3}, 10.0 * g.getRank() + i).to(device)});
    from.push_back({zeros({3}).to(device)});
  }
  // All ranks send before they receive, and receive the tags in another order.
  for (int i = 0; i < 6; ++i) works.push_back(g.send(to[static_cast<size_t>(i)], next, i / 2));
  for (const int i : {4, 5, 2, 3, 0, 1}) {
    const auto work = g.recv(from[static_cast<size_t>(i)], before, i / 2);
    work->wait();
    EXPECT_EQ(work->retrieveOpType(), OpType::RECV);
    EXPECT_EQ(host(from[static_cast<size_t>(i)][0])[0].item<float>(),
              static_cast<float>(10 * before + i));
  }
  for (const auto& work : works) work->wait();
  // One that waits for its message, which the sender sends after another: both get theirs.
  Tensors first = {zeros({2}).to(device)}, second = {zeros({2}).to(device)},
          own = {ones({2}).to(device)};
  const auto late = g.recv(first, before, 8), soon = g.recv(second, before, 9);
  const auto sent = g.send(own, next, 9);
  soon->wait();
  EXPECT_FALSE(late->isCompleted());
  g.barrier()->wait();  // collectives go on beside messages
  g.send(own, next, 8)->wait();
  late->wait();
  sent->wait();
}

// Halves of a group, and a part of one; in an order of their own.
inline void parts(ProcessGroup& g) {
  const int size = g.getSize(), rank = g.getRank();
  std::vector<int> own;
  for (int r = size - 1; r >= 0; --r)
    if (r % 2 == rank % 2) own.push_back(r);
  const auto half = g.splitGroup(own, std::chrono::milliseconds(15000));
  ASSERT_TRUE(half.defined());
  EXPECT_EQ(half->getSize(), static_cast<int>(own.size()));
  EXPECT_EQ(own[static_cast<size_t>(half->getRank())], rank);
  EXPECT_EQ(half->timeout(), std::chrono::milliseconds(15000));
  EXPECT_EQ(half->getBackendName(), g.getBackendName());
  Tensors sum = {full({1}, static_cast<double>(rank))};
  half->allreduce(sum)->wait();
  double want = 0;
  for (const int r : own) want += r;
  EXPECT_EQ(sum[0].item<float>(), static_cast<float>(want));
  const auto first = half->splitGroup({0});
  EXPECT_EQ(first.defined(), half->getRank() == 0);
  if (first.defined()) first->allreduce(sum)->wait();
  EXPECT_FALSE(g.splitGroup({rank == 0 ? 1 : 0}).defined());  // nobody is in its own
  for (const std::vector<int>& bad : {std::vector<int>{}, {0, 0}, {size}, {-1}})
    EXPECT_THROW(g.splitGroup(bad), ValueError);
  g.barrier()->wait();
}

}  // namespace taper::testing::group_cases
