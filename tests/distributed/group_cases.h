// What a process group must do, whatever moves its bytes: each function is called by all ranks.
#pragma once

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "distributed/ranks.h"

namespace torch::taper::testing::group_cases {

using Tensors = std::vector<Tensor>;

/// Small numbers that differ between ranks.
inline Tensor values(int rank, ScalarType dtype = kFloat) {
  return (arange(4, kLong) + rank).remainder(3).add(1).to(dtype);
}
inline AllreduceOptions by(ReduceOp op) {
  AllreduceOptions options;
  options.reduceOp = op;
  return options;
}
/// The sum of all ranks' values, in double.
inline Tensor sum_of_values(int size) {
  Tensor all = values(0, kDouble);
  for (int r = 1; r < size; ++r) all = all + values(r, kDouble);
  return all;
}
inline Tensor host(const Tensor& t) { return t.cpu(); }
/// Sum over ranks 0..size-1 of their numbers.
inline double sum_of_ranks(int size) { return size * (size - 1) / 2.0; }

// ---------------------------------------------------------------------- every dtype
constexpr ScalarType kEveryDtype[] = {kBool,
                                      kByte,
                                      kChar,
                                      kShort,
                                      kInt,
                                      kLong,
                                      kHalf,
                                      kBFloat16,
                                      kFloat,
                                      kDouble,
                                      kComplexFloat,
                                      kComplexDouble,
                                      kUInt16,
                                      kUInt32,
                                      kUInt64,
                                      kFloat8_e5m2,
                                      kFloat8_e4m3fn,
                                      kFloat8_e5m2fnuz,
                                      kFloat8_e4m3fnuz,
                                      kFloat8_e8m0fnu};
constexpr ReduceOp::RedOpType kEveryOp[] = {ReduceOp::SUM, ReduceOp::AVG,  ReduceOp::PRODUCT,
                                            ReduceOp::MIN, ReduceOp::MAX,  ReduceOp::BAND,
                                            ReduceOp::BOR, ReduceOp::BXOR, ReduceOp::PREMUL_SUM};

/// Sums of dtypes that are stored alone are not defined, nor products of complex numbers, bits of
/// floats, fractions of whole numbers.
inline bool is_defined(ScalarType dtype, ReduceOp::RedOpType op) {
  const bool whole = dtype <= kLong, is_bool = dtype == kBool,
             is_float = (dtype >= kHalf && dtype <= kDouble) || dtype == kBFloat16;
  if (isComplexType(dtype)) return op == ReduceOp::SUM || op == ReduceOp::AVG;
  if (op == ReduceOp::PREMUL_SUM) return is_float;
  if (op == ReduceOp::AVG) return is_float || whole;
  if (op == ReduceOp::BAND || op == ReduceOp::BOR || op == ReduceOp::BXOR) return whole || is_bool;
  return is_float || whole || is_bool;
}
/// A small number that differs between ranks.
inline int64_t element(int rank, int64_t i, ScalarType dtype) {
  const int64_t n = (i + rank) % 3;
  return dtype == kBool ? n % 2 : n + 1;
}
/// n elements of them; complex ones have two parts each.
inline Tensor row_of(int rank, int64_t n, ScalarType dtype) {
  const int64_t parts = isComplexType(dtype) ? 2 : 1;
  Tensor numbers = empty({n * parts}, kLong);
  for (int64_t i = 0; i < n * parts; ++i) numbers.data_ptr<int64_t>()[i] = element(rank, i, dtype);
  if (parts == 1) return numbers.to(dtype);
  return view_as_complex(numbers.to(kDouble).view({n, 2})).to(dtype);
}
/// Element i of the reduction of all ranks' rows.
inline double reduced_element(int size, int64_t i, ScalarType dtype, ReduceOp::RedOpType op) {
  int64_t x = element(0, i, dtype);
  for (int r = 1; r < size; ++r) {
    const int64_t y = element(r, i, dtype);
    x = op == ReduceOp::PRODUCT ? x * y
        : op == ReduceOp::MIN   ? std::min(x, y)
        : op == ReduceOp::MAX   ? std::max(x, y)
        : op == ReduceOp::BAND  ? x & y
        : op == ReduceOp::BOR   ? x | y
        : op == ReduceOp::BXOR  ? x ^ y
                                : x + y;
  }
  if (dtype == kBool) return x != 0;
  if (op == ReduceOp::AVG && dtype <= kLong) return static_cast<double>(x / size);
  const auto sum = static_cast<double>(x);
  return op == ReduceOp::AVG ? sum / size : op == ReduceOp::PREMUL_SUM ? sum / 2 : sum;
}
/// `t` has the reductions of elements from `at` on.
inline void expect_reduced(const Tensor& t, int size, int64_t at, ReduceOp::RedOpType op,
                           const char* what) {
  const Tensor on_host = host(t);
  const Tensor got = (t.is_complex() ? view_as_real(on_host) : on_host).to(kDouble).view({-1});
  const bool is_short = t.element_size() <= 2;
  for (int64_t i = 0; i < got.numel(); ++i)
    EXPECT_NEAR(got[i].item<double>(), reduced_element(size, at + i, t.scalar_type(), op),
                is_short ? 0.02 : 1e-6)
        << what << " of " << t.scalar_type() << ", ReduceOp " << int(op) << ", element " << i;
}

/// Every reduction of every dtype is what it should be, or refused, before anything is sent.
/// `has`: whether the backend has it.
inline void reductions(
    ProcessGroup& g, Device device,
    const std::function<bool(ScalarType, ReduceOp::RedOpType)>& has = [](auto, auto) {
      return true;
    }) {
  const int size = g.getSize(), rank = g.getRank();
  constexpr int64_t kCount = 4;
  for (const ScalarType dtype : kEveryDtype)
    for (const auto op : kEveryOp) {
      const ReduceOp how = op == ReduceOp::PREMUL_SUM ? makePreMulSum(0.5) : ReduceOp(op);
      Tensors all = {row_of(rank, kCount, dtype).to(device)}, on_root = {all[0].clone()};
      Tensor whole = row_of(rank, kCount * size, dtype).to(device), part = all[0].clone();
      ReduceOptions to;
      to.rootRank = size - 1;
      to.reduceOp = how;
      ReduceScatterOptions scattered;
      scattered.reduceOp = how;
      if (!is_defined(dtype, op) || !has(dtype, op)) {
        const std::string message = error_of([&] { g.allreduce(all, by(how)); });
        EXPECT_NE(message.find(isComplexType(dtype) ? "complex" : toString(dtype)),
                  std::string::npos)
            << dtype << " " << int(op) << ": " << message;
        EXPECT_THROW(g.reduce(on_root, to), ValueError);
        EXPECT_THROW(g.reduce_scatter_tensor(part, whole, scattered), ValueError);
        continue;
      }
      g.allreduce(all, by(how))->wait();
      expect_reduced(all[0], size, 0, op, "allreduce");
      g.reduce(on_root, to)->wait();
      if (rank == size - 1) expect_reduced(on_root[0], size, 0, op, "reduce");
      g.reduce_scatter_tensor(part, whole, scattered)->wait();
      const int64_t parts = isComplexType(dtype) ? 2 : 1;
      expect_reduced(part, size, rank * kCount * parts, op, "reduce_scatter");
    }
  Tensors none = {empty({0}).to(device)};
  g.allreduce(none)->wait();
}

inline void expect_bytes(const Tensor& got, const Tensor& want, const char* what) {
  const Tensor t = host(got).contiguous();
  EXPECT_EQ(std::memcmp(t.data_ptr(), want.data_ptr(),
                        static_cast<size_t>(want.numel() * want.element_size())),
            0)
      << what << " of " << want.scalar_type();
}

/// What is moved arrives bit by bit, whatever its dtype.
inline void moves(ProcessGroup& g, Device device) {
  const int size = g.getSize(), rank = g.getRank(), root = size - 1;
  for (const ScalarType dtype : kEveryDtype) {
    const auto of = [&](int r) { return row_of(r, 3, dtype); };
    const auto room = [&] { return row_of(rank + 1, 3, dtype).to(device); };
    Tensors own = {of(rank).to(device)}, copy = {own[0].clone()}, part = {room()};
    std::vector<Tensors> out(1), on_root(rank == root ? 1 : 0), parts(rank == root ? 1 : 0);
    for (int r = 0; r < size; ++r) {
      out[0].push_back(room());
      if (rank == root) on_root[0].push_back(room());
      if (rank == root) parts[0].push_back(of(r).to(device));
    }
    BroadcastOptions from;
    from.rootRank = root;
    g.broadcast(copy, from)->wait();
    expect_bytes(copy[0], of(root), "broadcast");
    g.allgather(out, own)->wait();
    GatherOptions to;
    to.rootRank = root;
    g.gather(on_root, own, to)->wait();
    for (int r = 0; r < size; ++r) {
      expect_bytes(out[0][static_cast<size_t>(r)], of(r), "allgather");
      if (rank == root) expect_bytes(on_root[0][static_cast<size_t>(r)], of(r), "gather");
    }
    ScatterOptions scattered;
    scattered.rootRank = root;
    g.scatter(part, parts, scattered)->wait();
    expect_bytes(part[0], of(rank), "scatter");
    Tensors sent, received;
    for (int r = 0; r < size; ++r) {
      sent.push_back(of(rank + r).to(device));
      received.push_back(room());
    }
    g.alltoall(received, sent)->wait();
    for (int r = 0; r < size; ++r)
      expect_bytes(received[static_cast<size_t>(r)], of(r + rank), "alltoall");
    // Around a ring; ranks of odd numbers receive first.
    Tensors message = {room()};
    const auto send = [&] { return g.send(own, (rank + 1) % size, 7); };
    if (rank % 2 == 0) send()->wait();
    const auto work = g.recv(message, (rank + size - 1) % size, 7);
    work->wait();
    EXPECT_EQ(work->sourceRank(), (rank + size - 1) % size);
    if (rank % 2 != 0) send()->wait();
    expect_bytes(message[0], of((rank + size - 1) % size), "a message");
  }
  Tensors own = {ones({1}).to(device)};
  EXPECT_THROW(g.send(own, rank, 0), ValueError);
  g.barrier()->wait();
}

// A limit of wait() is not the operation's end.
inline void waits(ProcessGroup& g, Device device) {
  const int size = g.getSize();
  Tensors t = {ones({3}).to(device)}, go = {ones({1}).to(device)};
  std::vector<Tensors> lists(static_cast<size_t>(size), {zeros({3}).to(device)});
  g.barrier()->wait();
  if (g.getRank() == 0) {
    const auto work = g.allreduce(t);
    const std::string message = error_of([&] { work->wait(std::chrono::milliseconds(50)); });
    EXPECT_NE(message.find("Work::wait: rank 0: ALLREDUCE (operation "), std::string::npos);
    EXPECT_NE(message.find("goes on after 50 ms"), std::string::npos) << message;
    EXPECT_FALSE(work->isCompleted());
    const auto both = g.allgather_coalesced(lists, t);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_THROW(both->wait(std::chrono::milliseconds(50)), DistError);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    for (int r = 1; r < size; ++r) g.send(go, r, 1)->wait();
    both->wait(std::chrono::seconds(20));
    work->wait(std::chrono::seconds(20));
  } else {
    g.recv(go, 0, 1)->wait();
    EXPECT_EQ(host(go[0]).item<float>(), 1);
    g.allreduce(t)->wait();
    g.allgather_coalesced(lists, t)->wait();
  }
  EXPECT_TRUE(host(t[0]).equal(full({3}, static_cast<double>(size))));
  g.barrier()->wait();
}

// A callback on the group's own thread has the last share of the group, and lets it go; what was
// begun before ends well.
inline void let_go_in_a_callback(intrusive_ptr<ProcessGroup> group, Device device,
                                 bool in_destructor) {
  const int size = group->getSize();
  Tensors first = {ones({3}).to(device)}, second = {ones({3}).to(device)},
          go = {ones({1}).to(device)};
  group->barrier()->wait();
  if (group->getRank() != 0) {
    group->recv(go, 0, 1)->wait();
    EXPECT_EQ(host(go[0]).item<float>(), 1);
    group->allreduce(first)->wait();
    group->allreduce(second)->wait();
    EXPECT_TRUE(host(second[0]).equal(full({3}, static_cast<double>(size))));
    return;
  }
  std::atomic<bool> is_last{false}, is_gone{false};
  intrusive_ptr<Work> begun = group->allreduce(first), last;
  begun->getFuture()->addCallback([&, in_destructor, share = group]() mutable {
    while (!is_last) std::this_thread::yield();
    if (in_destructor) return;  // the share goes with the callback
    share = {};
    is_gone = true;
  });
  last = group->allreduce(second);
  for (int r = 1; r < size; ++r) group->send(go, r, 1)->wait();
  group = {};
  is_last = true;
  last->wait(std::chrono::seconds(20));
  EXPECT_TRUE(host(second[0]).equal(full({3}, static_cast<double>(size))));
  begun->wait();
  EXPECT_EQ(is_gone, !in_destructor);
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
    if (rank == root) EXPECT_TRUE(host(sum[0]).to(kDouble).equal(sum_of_values(size)));
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
  Tensor on_root = zeros({rank == root ? size : 0, 4}).to(device);
  g.gather_single(on_root, in[0], to)->wait();
  if (rank == root) expect_all(host(on_root).unbind(0), "gather_single");
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
  const Tensor want = sum_of_values(size) + 10.0 * rank * size;
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
  for (const int64_t n : {1 << 16, 1 << 20}) {  // whatever way they go
    Tensors large = {full({n}, static_cast<double>(g.getRank())).to(device)};
    g.allreduce(large)->wait();
    EXPECT_EQ(host(large[0]).max().item<double>(), sum_of_ranks(g.getSize()));
    EXPECT_EQ(host(large[0]).min().item<double>(), sum_of_ranks(g.getSize()));
  }
}

/// Sums that depend on the order of the ranks are the same bits on all of them.
inline void same_bits(ProcessGroup& g, Device device) {
  for (const int64_t n : {7, 1 << 12, 1 << 19}) {
    const Generator generator =
        taper::detail::createCPUGenerator(static_cast<uint64_t>(g.getRank() + 1));
    Tensors t = {(randn({n}, generator) * std::pow(10.0, g.getRank())).to(device)};
    g.allreduce(t)->wait();
    Tensors other = {t[0].clone()};
    g.broadcast(other)->wait();
    EXPECT_TRUE(host(t[0]).equal(host(other[0]))) << n;
  }
}

// In callbacks others are begun, and may be waited for on any thread but the group's own. A
// callback that is added when its operation is over runs at once, on the thread that adds it: this
// is done until all ranks have had one on the group's own.
inline void futures_that_begin_others(ProcessGroup& g, Device device, Tensors& in,
                                      std::vector<Tensors>& lists) {
  const bool waits = g.getBackendName() != "nccl";  // on the host
  bool seen = !waits, all = false;
  for (int attempt = 0; attempt < 300 && !all; ++attempt) {
    Tensors next = {ones({2}).to(device)}, ready = {empty({1}).to(device)};
    intrusive_ptr<Work> begun;
    std::thread::id thread;
    const auto second = g.allgather(lists, in)->getFuture()->then([&](Future&) {
      thread = std::this_thread::get_id();
      begun = g.allreduce(next);
      return IValue(waits ? error_of([&] { begun->wait(); }) : "");
    });
    second->wait();
    const bool own = thread != std::this_thread::get_id();
    const std::string error = second->value().toStringRef();
    EXPECT_EQ(error.find("a callback of a group's own") != std::string::npos, waits && own)
        << error;
    begun->wait();
    EXPECT_TRUE(host(next[0]).equal(full({2}, static_cast<double>(g.getSize()))));
    seen = seen || own;
    ready[0].fill_(seen ? 1 : 0);
    g.allreduce(ready)->wait();
    all = host(ready[0]).item<double>() == g.getSize();
  }
  EXPECT_TRUE(all) << "no callback ran on the group's own thread";
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
  const Tensor want = sum_of_values(g.getSize()) / size;
  EXPECT_TRUE(mean->value().toTensor().to(kDouble).allclose(want, 1e-5));
  EXPECT_EQ(called, 1);
  future->addCallback([&] { ++called; });  // at once
  EXPECT_EQ(called, 2);
  work->wait();
  EXPECT_TRUE(host(t[0]).to(kDouble).equal(sum_of_values(g.getSize())));

  std::vector<Tensors> lists = {room(g.getSize(), device)};
  Tensors in = {values(g.getRank()).to(device)};
  const auto gathered = g.allgather(lists, in)->getFuture();
  gathered->waitAndThrow();
  expect_all(gathered->value().toTensorVector(), "a future of allgather");
  futures_that_begin_others(g, device, in, lists);
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

}  // namespace torch::taper::testing::group_cases
