#ifdef TAPER_WITH_GLOO
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "distributed/group_cases.h"

namespace taper::testing {
namespace {

using namespace std::chrono_literals;
using Tensors = std::vector<Tensor>;

constexpr ScalarType kAll[] = {kByte, kChar,     kShort, kInt,   kLong,
                               kHalf, kBFloat16, kFloat, kDouble};

Tensor of_rank(int rank, ScalarType dtype, int64_t n = 5) {
  return arange(n, kLong).add(rank + 1).to(dtype);
}
AllreduceOptions by(ReduceOp op) {
  AllreduceOptions options;
  options.reduceOp = op;
  return options;
}

TEST(ProcessGroupGloo, AllreduceOfEveryDtypeAndOp) {
  in_groups(3, [](ProcessGroup& g) {
    for (ScalarType dtype : kAll) {
      const Tensor a = of_rank(0, kDouble), b = of_rank(1, kDouble), c = of_rank(2, kDouble);
      const std::pair<ReduceOp::RedOpType, Tensor> cases[] = {{ReduceOp::SUM, a + b + c},
                                                              {ReduceOp::PRODUCT, a * b * c},
                                                              {ReduceOp::MIN, a},
                                                              {ReduceOp::MAX, c}};
      for (const auto& [op, want] : cases) {
        Tensors t = {of_rank(g.getRank(), dtype)};
        g.allreduce(t, by(op))->wait();
        EXPECT_TRUE(t[0].to(kDouble).equal(want.to(dtype).to(kDouble))) << dtype << " " << int(op);
      }
    }
    Tensors mean = {of_rank(g.getRank(), kFloat)};
    g.allreduce(mean, by(ReduceOp::AVG))->wait();
    EXPECT_TRUE(mean[0].allclose(of_rank(1, kFloat)));
    Tensors scaled = {ones({2})};
    g.allreduce(scaled, by(makePreMulSum(0.5)))->wait();
    EXPECT_TRUE(scaled[0].allclose(full({2}, 1.5)));
    Tensors bits = {full({2}, int64_t{1} << g.getRank(), kLong)};
    g.allreduce(bits, by(ReduceOp::BOR))->wait();
    EXPECT_TRUE(bits[0].equal(full({2}, int64_t{7}, kLong)));
    Tensors any = {full({2}, g.getRank() == 1, kBool)};
    g.allreduce(any, by(ReduceOp::MAX))->wait();
    EXPECT_TRUE(any[0].all().item<bool>());
    Tensors numbers = {complex(of_rank(g.getRank(), kFloat), of_rank(0, kFloat))};
    g.allreduce(numbers)->wait();
    EXPECT_TRUE(numbers[0].allclose(complex(of_rank(1, kFloat) * 3, of_rank(0, kFloat) * 3)));
    Tensors none = {empty({0})};
    g.allreduce(none)->wait();
    EXPECT_THROW(g.allreduce(mean, by(ReduceOp::BAND)), ValueError);
  });
}

TEST(ProcessGroupGloo, WhatAllBackendsDo) {
  in_groups(3, [](ProcessGroup& g) {
    group_cases::reductions(g, Device(kCPU), kAll);
    group_cases::bits(g);
    group_cases::roots(g, Device(kCPU));
    group_cases::gathers(g, Device(kCPU));
    group_cases::scatters(g, Device(kCPU));
    group_cases::alltoall(g, Device(kCPU));
    group_cases::messages(g, Device(kCPU));
    group_cases::from_anyone(g, Device(kCPU));
    group_cases::meanwhile(g, Device(kCPU));
    group_cases::futures(g, Device(kCPU));
    group_cases::messages_in_any_order(g, Device(kCPU));
    group_cases::parts(g);
  });
}

TEST(ProcessGroupGloo, LargeOnes) {
  in_groups(2, [](ProcessGroup& g) {
    Tensors t = {full({3 << 20}, static_cast<double>(g.getRank() + 1), kFloat)};
    g.allreduce(t)->wait();
    EXPECT_EQ(t[0].min().item<float>(), 3);
    EXPECT_EQ(t[0].max().item<float>(), 3);
  });
}

TEST(ProcessGroupGloo, BroadcastAndReduce) {
  in_groups(3, [](ProcessGroup& g) {
    for (int root = 0; root < 3; ++root) {
      Tensors t = {of_rank(g.getRank(), kDouble)};
      BroadcastOptions from;
      from.rootRank = root;
      g.broadcast(t, from)->wait();
      EXPECT_TRUE(t[0].equal(of_rank(root, kDouble)));
      Tensors sum = {of_rank(g.getRank(), kInt)};
      ReduceOptions to;
      to.rootRank = root;
      g.reduce(sum, to)->wait();
      if (g.getRank() == root) EXPECT_TRUE(sum[0].equal(of_rank(1, kInt) * 3));
    }
    Tensors t = {ones({1})};
    BroadcastOptions beyond;
    beyond.rootRank = 3;
    EXPECT_THROW(g.broadcast(t, beyond), ValueError);
  });
}

TEST(ProcessGroupGloo, StoredDtypesAreMovedButNotReduced) {
  in_groups(3, [](ProcessGroup& g) {
    for (const ScalarType t : {kUInt16, kUInt32, kUInt64, kFloat8_e5m2, kFloat8_e4m3fn,
                               kFloat8_e5m2fnuz, kFloat8_e4m3fnuz, kFloat8_e8m0fnu}) {
      const auto of = [&](int rank) { return full({3}, int64_t{1} << rank, kLong).to(t); };
      Tensors one = {of(g.getRank())};
      BroadcastOptions from;
      from.rootRank = 2;
      g.broadcast(one, from)->wait();
      EXPECT_TRUE(one[0].equal(of(2))) << t;
      Tensors mine = {of(g.getRank())};
      std::vector<Tensors> all = {{of(0), of(0), of(0)}};
      g.allgather(all, mine)->wait();
      for (int rank = 0; rank < 3; ++rank)
        EXPECT_TRUE(all[0][static_cast<size_t>(rank)].equal(of(rank))) << t;
      const std::string error = [&] {
        try {
          g.allreduce(mine)->wait();
        } catch (const std::exception& e) {
          return std::string(e.what());
        }
        return std::string();
      }();
      EXPECT_NE(error.find(toString(t)), std::string::npos) << t << ": " << error;
    }
  });
}

TEST(ProcessGroupGloo, GatherAndScatter) {
  in_groups(3, [](ProcessGroup& g) {
    const int rank = g.getRank();
    Tensors in = {of_rank(rank, kFloat)};
    std::vector<Tensors> out = {{zeros({5}), zeros({5}), zeros({5})}};
    g.allgather(out, in)->wait();
    for (int r = 0; r < 3; ++r)
      EXPECT_TRUE(out[0][static_cast<size_t>(r)].equal(of_rank(r, kFloat)));
    Tensor flat = zeros({3, 5});
    g._allgather_base(flat, in[0])->wait();
    EXPECT_TRUE(flat[2].equal(of_rank(2, kFloat)));

    GatherOptions to;
    to.rootRank = 1;
    std::vector<Tensors> all;
    if (rank == 1) all = {{zeros({5}), zeros({5}), zeros({5})}};
    g.gather(all, in, to)->wait();
    if (rank == 1) EXPECT_TRUE(all[0][2].equal(of_rank(2, kFloat)));

    ScatterOptions from;
    from.rootRank = 2;
    std::vector<Tensors> parts;
    if (rank == 2) parts = {{of_rank(7, kLong), of_rank(8, kLong), of_rank(9, kLong)}};
    Tensors own = {zeros({5}, kLong)};
    g.scatter(own, parts, from)->wait();
    EXPECT_TRUE(own[0].equal(of_rank(7 + rank, kLong)));
    if (rank != 1) EXPECT_THROW(g.gather(out, in, to), ValueError);
  });
}

TEST(ProcessGroupGloo, ReduceScatterAndAllToAll) {
  in_groups(2, [](ProcessGroup& g) {
    const int rank = g.getRank();
    std::vector<Tensors> in = {{of_rank(rank, kFloat), of_rank(10 + rank, kFloat)}};
    Tensors out = {zeros({5})};
    g.reduce_scatter(out, in)->wait();
    EXPECT_TRUE(out[0].equal(of_rank(10 * rank, kFloat) + of_rank(10 * rank + 1, kFloat)));

    Tensors send = {of_rank(rank, kInt, 2), of_rank(rank, kInt, 3)};
    Tensors received = {zeros({rank == 0 ? 2 : 3}, kInt), zeros({rank == 0 ? 2 : 3}, kInt)};
    g.alltoall(received, send)->wait();
    for (int r = 0; r < 2; ++r)
      EXPECT_TRUE(received[static_cast<size_t>(r)].equal(of_rank(r, kInt, rank == 0 ? 2 : 3)));
    Tensor rows = arange(4, kFloat).view({4, 1}) + 10 * rank, to = zeros({4, 1});
    std::vector<int64_t> equal;
    g.alltoall_base(to, rows, equal, equal)->wait();
    const float first = rank == 0 ? 0 : 2;
    EXPECT_TRUE(to.view({-1}).equal(tensor({first, first + 1, first + 10, first + 11})));
  });
}

TEST(ProcessGroupGloo, SendAndReceive) {
  in_groups(3, [](ProcessGroup& g) {
    const int rank = g.getRank();
    Tensors t = {of_rank(rank, kFloat)}, from = {zeros({5})};
    if (rank == 0) {
      g.recv(from, 1, 7)->wait();
      EXPECT_TRUE(from[0].equal(of_rank(1, kFloat)));
      auto work = g.recvAnysource(from, 8);
      work->wait();
      EXPECT_EQ(work->sourceRank(), 2);
      EXPECT_TRUE(from[0].equal(of_rank(2, kFloat)));
    } else {
      g.send(t, 0, rank == 1 ? 7 : 8)->wait();
    }
    EXPECT_THROW(g.send(t, rank, 0), ValueError);
    g.barrier()->wait();
  });
}

TEST(ProcessGroupGloo, OperationsRunMeanwhile) {
  in_groups(2, [](ProcessGroup& g) {
    std::vector<Tensors> t;
    std::vector<intrusive_ptr<Work>> works;
    for (int i = 0; i < 20; ++i) t.push_back({full({1000}, static_cast<double>(i))});
    for (auto& one : t) works.push_back(g.allreduce(one));
    for (int i = 19; i >= 0; --i) {
      works[static_cast<size_t>(i)]->wait();
      EXPECT_EQ(t[static_cast<size_t>(i)][0][0].item<float>(), 2 * i);
    }
    EXPECT_TRUE(works[0]->isCompleted());
    EXPECT_TRUE(works[0]->isSuccess());
    Tensors several = {ones({2}), ones({3, 2}) * 2};
    g.allreduce_coalesced(several)->wait();
    EXPECT_TRUE(several[1].equal(full({3, 2}, 4.0)));
  });
}

TEST(ProcessGroupGloo, TensorsOfDevices) {
  in_groups(2, [](ProcessGroup& g) {
    const Device device(kCUDA, static_cast<DeviceIndex>(g.getRank()));
    Tensors t = {ones({100}).to(device) * (g.getRank() + 1)};
    g.allreduce(t)->wait();
    EXPECT_TRUE(t[0].is_cuda());
    EXPECT_TRUE(t[0].cpu().equal(full({100}, 3.0)));
    Tensors in = {t[0] + g.getRank()};
    std::vector<Tensors> out = {{zeros({100}).to(device), zeros({100}).to(device)}};
    g.allgather(out, in)->wait();
    EXPECT_TRUE(out[0][1].cpu().equal(full({100}, 4.0)));
  });
}

TEST(ProcessGroupGloo, FuturesAndMessagesOfDevices) {
  in_groups(2, [](ProcessGroup& g) {
    const Device device(kCUDA, static_cast<DeviceIndex>(g.getRank()));
    group_cases::futures(g, device);
    group_cases::messages_in_any_order(g, device);
  });
}

TEST(ProcessGroupGloo, NoOperationIsCaptured) {
  in_groups(1, [](ProcessGroup& g) {
    const cuda::StreamGuard own{cuda::Stream(Device(kCUDA, 0))};
    Tensors t = {ones({2}).to(Device(kCUDA, 0))};
    cuda::CUDAGraph graph;
    graph.capture_begin();
    const std::string message = error_of([&] { g.allreduce(t); });
    graph.capture_end();
    EXPECT_NE(message.find("allreduce: expected no capture under way"), std::string::npos)
        << message;
    g.allreduce(t)->wait();
    Graph of_cpu{Device(kCPU)};
    of_cpu.capture_begin();
    const std::string again = error_of([&] { g.barrier(); });
    of_cpu.capture_end();
    EXPECT_NE(again.find("barrier: expected no capture under way"), std::string::npos) << again;
  });
}

// Every kind of operation says what it is.
TEST(ProcessGroupGloo, TypesOfOperations) {
  in_groups(1, [](ProcessGroup& g) {
    Tensors t = {ones({2})};
    std::vector<Tensors> lists = {{ones({2})}};
    Tensor out = ones({2}), in = ones({2});
    std::vector<int64_t> equal;
    const auto is = [](const intrusive_ptr<Work>& work, OpType type) {
      work->wait();
      EXPECT_EQ(opTypeToString(work->retrieveOpType()), opTypeToString(type));
      EXPECT_EQ(work->result().empty(), type == OpType::BARRIER);
    };
    is(g.broadcast(t), OpType::BROADCAST);
    is(g.allreduce(t), OpType::ALLREDUCE);
    is(g.allreduce_coalesced(t), OpType::ALLREDUCE_COALESCED);
    is(g.reduce(t), OpType::REDUCE);
    is(g.allgather(lists, t), OpType::ALLGATHER);
    is(g._allgather_base(out, in), OpType::_ALLGATHER_BASE);
    is(g.allgather_coalesced(lists, t), OpType::ALLGATHER_COALESCED);
    is(g.gather(lists, t), OpType::GATHER);
    is(g.scatter(t, lists), OpType::SCATTER);
    is(g.reduce_scatter(t, lists), OpType::REDUCE_SCATTER);
    is(g._reduce_scatter_base(out, in), OpType::_REDUCE_SCATTER_BASE);
    is(g.reduce_scatter_tensor_coalesced(t, t), OpType::REDUCE_SCATTER_TENSOR_COALESCED);
    is(g.alltoall_base(out, in, equal, equal), OpType::ALLTOALL_BASE);
    is(g.alltoall(t, t), OpType::ALLTOALL);
    is(g.barrier(), OpType::BARRIER);
  });
  EXPECT_TRUE(isP2POp(OpType::RECVANYSOURCE));
  EXPECT_FALSE(isP2POp(OpType::COALESCED));
  EXPECT_TRUE(isP2POp(OpType::COALESCED, true));
  EXPECT_EQ(opTypeToString(static_cast<OpType>(60)), "UNKNOWN");
  EXPECT_EQ(Work().retrieveOpType(), OpType::UNKNOWN);
}

TEST(Future, HasItsValueOnce) {
  auto future = make_intrusive<Future>();
  EXPECT_FALSE(future->completed());
  EXPECT_THROW(future->value(), Error);
  int called = 0;
  const auto next = future->then([](Future& f) { return IValue(f.value().toInt() + 1); });
  future->addCallback([&] { ++called; });
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    future->markCompleted(IValue(int64_t{4}));
  });
  future->wait();
  other.join();
  EXPECT_EQ(next->value().toInt(), 5);
  EXPECT_EQ(called, 1);
  EXPECT_THROW(future->markCompleted(), Error);
  EXPECT_THROW(future->setError(std::make_exception_ptr(Error("late"))), Error);
  auto failed = make_intrusive<Future>();
  EXPECT_THROW(failed->setError(nullptr), ValueError);
  const auto after = failed->then([](Future& f) { return f.value(); });
  failed->setError(std::make_exception_ptr(DistError("gone")));
  EXPECT_THROW(failed->value(), DistError);
  EXPECT_THROW(after->waitAndThrow(), DistError);
  EXPECT_EQ(after->tryRetrieveErrorMessage(), "gone");
}

TEST(ProcessGroupGloo, RefusesWhatItCannotTake) {
  in_groups(1, [](ProcessGroup& g) {
    Tensors none, two = {ones({1}), ones({1})}, strided = {ones({4, 4}).t()},
                  undefined = {Tensor()};
    for (Tensors* t : {&none, &two, &strided, &undefined})
      EXPECT_THROW(g.allreduce(*t), ValueError);
    Tensor out = zeros({3}), in = zeros({2});
    EXPECT_THROW(g._allgather_base(out, in), ValueError);
  });
  EXPECT_THROW(ProcessGroupGloo(make_intrusive<HashStore>(), 2, 2), ValueError);
}

// ---------------------------------------------------------------------- faults
// Nothing hangs, nothing aborts: every rank gets an error that names the operation and the rank.
TEST(ProcessGroupFaults, DifferentSizes) {
  in_groups(2, [](ProcessGroup& g) {
    g.setTimeout(500ms);
    Tensors t = {zeros({g.getRank() == 0 ? 3 : 300})};
    const std::string message = error_of([&] { g.allreduce(t)->wait(); });
    EXPECT_NE(message.find("allreduce of Float["), std::string::npos) << message;
    EXPECT_NE(message.find("rank " + std::to_string(g.getRank()) + " of 2"), std::string::npos);
    Tensors again = {zeros({3})};
    EXPECT_THROW(g.allreduce(again)->wait(), DistError);  // the group is of no use any more
  });
}

TEST(ProcessGroupFaults, DifferentOperations) {
  in_groups(2, [](ProcessGroup& g) {
    g.setTimeout(500ms);
    Tensors t = {zeros({3})};
    const std::string message = error_of([&] {
      if (g.getRank() == 0)
        g.allreduce(t)->wait();
      else
        g.broadcast(t)->wait();
    });
    EXPECT_NE(message.find(g.getRank() == 0 ? "allreduce" : "broadcast"), std::string::npos)
        << message;
  });
}

TEST(ProcessGroupFaults, ARankThatDoesNotCome) {
  in_groups(3, [](ProcessGroup& g) {
    if (g.getRank() == 2) {
      std::this_thread::sleep_for(2500ms);
      return;
    }
    BarrierOptions soon;
    soon.timeout = 1500ms;
    const std::string message = error_of([&] { g.monitoredBarrier(soon, true); });
    if (g.getRank() == 0)
      EXPECT_NE(message.find("rank 2 did not come within 1500 ms"), std::string::npos) << message;
    else
      EXPECT_NE(message.find("did not hear from rank 0"), std::string::npos) << message;
  });
  in_groups(3, [](ProcessGroup& g) {
    for (int i = 0; i < 3; ++i) g.monitoredBarrier();
    Tensors t = {ones({2})};
    g.allreduce(t)->wait();
  });
}

// All that are absent are named, and no other; or the first alone.
TEST(ProcessGroupFaults, RanksThatDoNotCome) {
  for (const bool wait_all : {true, false})
    in_groups(5, [&](ProcessGroup& g) {
      if (g.getRank() == 1 || g.getRank() == 3) {
        std::this_thread::sleep_for(2s);
        return;
      }
      BarrierOptions soon;
      soon.timeout = 1s;
      const std::string message = error_of([&] { g.monitoredBarrier(soon, wait_all); });
      const char* const want = wait_all ? "ranks 1, 3 did not come within 1000 ms"
                                        : "rank 1 did not come within 1000 ms";
      if (g.getRank() == 0)
        EXPECT_NE(message.find(want), std::string::npos) << message;
      else
        EXPECT_NE(message.find("did not hear from rank 0"), std::string::npos) << message;
    });
}

TEST(ProcessGroupFaults, FuturesOfWhatFails) {
  in_groups(2, [](ProcessGroup& g) {
    g.setTimeout(500ms);
    Tensors t = {zeros({3})};
    if (g.getRank() == 1) {
      std::this_thread::sleep_for(1s);
      return;
    }
    const auto future = g.allreduce(t)->getFuture();
    std::atomic<bool> told{false};
    future->addCallback([&](Future& f) { told = f.hasError(); });
    const auto next = future->then([](Future& f) { return f.value(); });
    EXPECT_THROW(next->waitAndThrow(), DistError);
    EXPECT_TRUE(told);
    EXPECT_NE(next->tryRetrieveErrorMessage().find("rank 0 of 2: allreduce of Float[3]"),
              std::string::npos);
    EXPECT_THROW(g.monitoredBarrier(), DistError);  // at once: the group is of no use any more
  });
}

// A message that nobody receives ends at its limit, whatever else is under way.
TEST(ProcessGroupFaults, AMessageThatNobodyReceives) {
  in_groups(2, [](ProcessGroup& g) {
    g.setTimeout(700ms);
    Tensors t = {zeros({3})}, from = {zeros({3})};
    const auto sent = g.send(t, 1 - g.getRank(), 1), received = g.recv(from, 1 - g.getRank(), 2);
    for (const auto& work : {sent, received}) {
      const std::string message = error_of([&] { work->wait(); });
      EXPECT_NE(message.find("of Float[3] (message"), std::string::npos) << message;
    }
  });
}

TEST(ProcessGroupFaults, APartThatDoesNotComeAbout) {
  in_groups(3, [](ProcessGroup& g) {
    if (g.getRank() == 1) return;
    const std::string message = error_of([&] {
      g.splitGroup({0, 1, 2}, std::chrono::milliseconds(400));
    });
    EXPECT_NE(message.find("could not connect to the others"), std::string::npos) << message;
  });
}

TEST(ProcessGroupFaults, NotAllRanksStart) {
  auto store = make_intrusive<HashStore>();
  auto options = ProcessGroupGloo::Options::create(300ms);
  options->interface = "lo";
  const std::string message = error_of([&] { ProcessGroupGloo(store, 0, 2, options); });
  EXPECT_NE(message.find("rank 0 of 2 could not connect"), std::string::npos) << message;
}

RANK_PROGRAM(reduce_for_ever) {
  auto group = init_process_group("gloo", 60s);
  group->setTimeout(4s);
  for (int i = 0;; ++i) {
    Tensors t = {ones({10})};
    group->allreduce(t)->wait();
    if (i == 20) std::cout << "under way" << std::endl;
  }
}

// Gloo writes without MSG_NOSIGNAL: a rank that went away must be an error, not a signal that ends
// the process. Signals of writes go to the thread that wrote.
bool blocks_sigpipe(const std::string& thread) {
  std::ifstream status("/proc/self/task/" + thread + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:"))
      return std::stoull(line.substr(7), nullptr, 16) >> (SIGPIPE - 1) & 1;
  return false;
}
std::set<std::string> threads() {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    all.insert(entry.path().filename().string());
  return all;
}
TEST(ProcessGroupFaults, NoThreadOfAGroupIsEndedByAWrite) {
  const std::string here = std::to_string(::gettid());
  const auto before = threads();
  auto options = ProcessGroupGloo::Options::create(5s);
  options->interface = "lo";
  ProcessGroupGloo group(make_intrusive<HashStore>(), 0, 1, options);
  auto now = threads();
  for (const auto& t : before) now.erase(t);
  EXPECT_GE(now.size(), 2u) << "of gloo's loop and the queue";
  for (const auto& t : now) EXPECT_TRUE(blocks_sigpipe(t));
  EXPECT_FALSE(blocks_sigpipe(here));
}

void after_signal(int number) {
  const int port = free_port();
  std::vector<std::unique_ptr<RankProcess>> ranks;
  for (int r = 0; r < 3; ++r)
    ranks.push_back(std::make_unique<RankProcess>("reduce_for_ever", environment_of(r, 3, port)));
  for (int i = 0; i < 6000 && ranks[2]->output().find("under way") == std::string::npos; ++i)
    std::this_thread::sleep_for(10ms);
  ranks[2]->signal(number);
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(ranks[static_cast<size_t>(r)]->wait(20), 3);
    const std::string output = ranks[static_cast<size_t>(r)]->output();
    EXPECT_NE(output.find("rank " + std::to_string(r) + " of 3: allreduce"), std::string::npos)
        << output;
  }
}
TEST(ProcessGroupFaults, ARankIsKilled) { after_signal(SIGKILL); }
TEST(ProcessGroupFaults, ARankIsStopped) { after_signal(SIGSTOP); }

}  // namespace
}  // namespace taper::testing
#endif
