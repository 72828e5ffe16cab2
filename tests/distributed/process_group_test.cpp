#ifdef TAPER_WITH_GLOO
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "distributed/message_cases.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using Tensors = std::vector<Tensor>;

Tensor of_rank(int rank, ScalarType dtype, int64_t n = 5) {
  return arange(n, kLong).add(rank + 1).to(dtype);
}
TEST(ProcessGroupGloo, WhatAllBackendsDo) {
  in_groups(3, [](ProcessGroup& g) {
    for (const Device device :
         {Device(kCPU), Device(kCUDA, static_cast<DeviceIndex>(g.getRank() % 2))}) {
      group_cases::reductions(g, device);
      group_cases::moves(g, device);
      group_cases::waits(g, device);
      group_cases::roots(g, device);
      group_cases::gathers(g, device);
      group_cases::scatters(g, device);
      group_cases::alltoall(g, device);
      group_cases::from_anyone(g, device);
      group_cases::meanwhile(g, device);
      group_cases::same_bits(g, device);
      group_cases::futures(g, device);
      group_cases::messages_in_any_order(g, device);
      group_cases::ring(g, device, false);
      group_cases::ring(g, device, true);
      group_cases::batch(g, device);
    }
    group_cases::parts(g);
  });
}

TEST(ProcessGroupGloo, MayBeLetGoInACallbackOfItsOwn) {
  for (const bool in_destructor : {false, true}) {
    const auto store = make_intrusive<HashStore>();
    in_threads(2, [&](int rank) {
      group_cases::let_go_in_a_callback(gloo_group(store, rank, 2), Device(kCPU), in_destructor);
    });
  }
}

// The same on a thread that waits for a message, while another message and a collective are under
// way.
TEST(ProcessGroupGloo, MayBeLetGoInACallbackOfAMessage) {
  const auto store = make_intrusive<HashStore>();
  in_threads(2, [&](int rank) {
    auto group = gloo_group(store, rank, 2);
    Tensors first = {zeros({2})}, second = {zeros({2})}, sum = {ones({2})}, own = {ones({2})};
    group->barrier()->wait();
    if (rank == 1) {
      group->recv(first, 0, 3)->wait();
      group->send(own, 0, 1)->wait();
      std::this_thread::sleep_for(50ms);  // rank 0 lets go
      group->send(own, 0, 2)->wait();
      group->allreduce(sum)->wait();
      return;
    }
    std::atomic<bool> is_last{false};
    const auto one = group->recv(first, 1, 1), other = group->recv(second, 1, 2),
               reduced = group->allreduce(sum);
    one->getFuture()->addCallback([&, share = group]() mutable {
      while (!is_last) std::this_thread::yield();
      share = {};
    });
    group->send(own, 1, 3)->wait();
    group = {};
    is_last = true;
    other->wait(20s);
    reduced->wait(20s);
    one->wait(20s);
    EXPECT_TRUE(second[0].equal(ones({2})));
    EXPECT_TRUE(sum[0].equal(full({2}, 2.0)));
  });
}

TEST(ProcessGroupGloo, DevicesByNameAndInterface) {
  const auto store = make_intrusive<HashStore>();
  in_threads(2, [&](int rank) {
    auto options = ProcessGroupGloo::Options::create(20s);
    options->devices.push_back(rank == 0 ? ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                         : ProcessGroupGloo::createDeviceForInterface("lo"));
    options->threads = 4;
    // As programs for LibTorch keep it.
    auto group = std::make_shared<ProcessGroupGloo>(store, rank, 2, options);
    Tensors t = {ones({2})};
    group->allreduce(t)->wait();
    EXPECT_TRUE(t[0].equal(full({2}, 2.0)));
  });
  EXPECT_NE(error_of([] {
              ProcessGroupGloo::createDeviceForInterface("no_such_interface");
            }).find("got 'no_such_interface'"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              ProcessGroupGloo::createDeviceForHostname("no.such.host.invalid");
            }).find("got 'no.such.host.invalid'"),
            std::string::npos);
  EXPECT_NE(error_of([] { ProcessGroupGloo::createDeviceForHostname("192.0.2.1"); }), "")
      << "an address of nobody here";
  ::setenv("GLOO_SOCKET_IFNAME", "no_such_interface", 1);
  const std::string message = error_of([] { ProcessGroupGloo::createDefaultDevice(); });
  ::unsetenv("GLOO_SOCKET_IFNAME");
  EXPECT_NE(message.find("no_such_interface"), std::string::npos) << message;
}

TEST(ProcessGroupGloo, LargeOnes) {
  in_groups(2, [](ProcessGroup& g) {
    Tensors t = {full({3 << 20}, static_cast<double>(g.getRank() + 1), kFloat)};
    g.allreduce(t)->wait();
    EXPECT_EQ(t[0].min().item<float>(), 3);
    EXPECT_EQ(t[0].max().item<float>(), 3);
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
/// What ranks get that do not call the same; `call` begins it.
void expect_both_named(const std::function<intrusive_ptr<Work>(ProcessGroup&)>& call,
                       const std::string& of_rank_0, const std::string& of_rank_1) {
  in_groups(2, [&](ProcessGroup& g) {
    g.setTimeout(1s);
    const std::string message = error_of([&] { call(g)->wait(); });
    const bool first = g.getRank() == 0;
    for (const std::string& words :
         {"rank " + std::to_string(g.getRank()) +
              " of 2: " + (first ? of_rank_0 : of_rank_1).substr(0, 16),
          first ? ". Rank 1 was at " + of_rank_1 : ". Rank 0 was at " + of_rank_0})
      EXPECT_NE(message.find(words), std::string::npos) << words << " in: " << message;
    Tensors again = {zeros({3})};
    EXPECT_THROW(g.allreduce(again)->wait(), DistError);  // the group is of no use any more
  });
}

TEST(ProcessGroupFaults, DifferentSizesDtypesOperationsOrders) {
  expect_both_named(
      [](ProcessGroup& g) {
        Tensors t = {zeros({g.getRank() == 0 ? 3 : 300})};
        return g.allreduce(t);
      },
      "allreduce of Float[3] (operation 1), SUM", "allreduce of Float[300] (operation 1), SUM");
  expect_both_named(
      [](ProcessGroup& g) {
        Tensors t = {zeros({3}, g.getRank() == 0 ? kFloat : kInt)};
        return g.allreduce(t);
      },
      "allreduce of Float[3] (operation 1), SUM", "allreduce of Int[3] (operation 1), SUM");
  expect_both_named(
      [](ProcessGroup& g) {
        Tensors t = {zeros({3})};
        return g.getRank() == 0 ? g.allreduce(t) : g.broadcast(t);
      },
      "allreduce of Float[3] (operation 1), SUM", "broadcast of Float[3] (operation 1), root 0");
  expect_both_named(
      [](ProcessGroup& g) {
        Tensors t = {zeros({3})};
        BroadcastOptions from;
        from.rootRank = g.getRank();
        return g.broadcast(t, from);
      },
      "broadcast of Float[3] (operation 1), root 0", "broadcast of Float[3] (operation 1), root 1");
  expect_both_named(  // one has left out an operation
      [](ProcessGroup& g) {
        if (g.getRank() == 0) g.barrier();
        Tensors t = {zeros({3})};
        return g.allreduce(t);
      },
      "barrier (operation 1)", "allreduce of Float[3] (operation 1), SUM");
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
    g.barrier()->wait();  // all are connected
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
  options->devices = {ProcessGroupGloo::createDeviceForInterface("lo")};
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
  options->devices = {ProcessGroupGloo::createDeviceForInterface("lo")};
  ProcessGroupGloo group(make_intrusive<HashStore>(), 0, 1, options);
  auto now = threads();
  for (const auto& t : before) now.erase(t);
  EXPECT_GE(now.size(), 2u) << "of gloo's loop and the queue";
  for (const auto& t : now) EXPECT_TRUE(blocks_sigpipe(t));
  EXPECT_FALSE(blocks_sigpipe(here));
}

/// Signals a rank of three; the others end with an error that says the rank, the operation and
/// `words`.
void after_signal(int number, size_t victim, const std::string& words) {
  const int port = free_port();
  std::vector<std::unique_ptr<RankProcess>> ranks;
  for (int r = 0; r < 3; ++r)
    ranks.push_back(std::make_unique<RankProcess>("reduce_for_ever", environment_of(r, 3, port)));
  for (int i = 0; i < 6000 && ranks[victim]->output().find("under way") == std::string::npos; ++i)
    std::this_thread::sleep_for(10ms);
  ranks[victim]->signal(number);
  for (size_t r = 0; r < 3; ++r) {
    if (r == victim) continue;
    EXPECT_EQ(ranks[r]->wait(20), 3);
    const std::string output = ranks[r]->output();
    EXPECT_NE(output.find("rank " + std::to_string(r) + " of 3: allreduce"), std::string::npos)
        << output;
    EXPECT_NE(output.find(words), std::string::npos) << output;
  }
}
TEST(ProcessGroupFaults, ARankIsKilled) {
  after_signal(SIGKILL, 2, ". Rank 2 has said nothing within 1000 ms");
}
TEST(ProcessGroupFaults, ARankIsStopped) {
  after_signal(SIGSTOP, 2, ". Rank 2 has said nothing within 1000 ms");
}
// With it the store goes.
TEST(ProcessGroupFaults, TheFirstRankIsKilled) {
  after_signal(SIGKILL, 0, ". The store at which ranks met does not answer, either");
}
TEST(ProcessGroupFaults, TheFirstRankIsStopped) {
  after_signal(SIGSTOP, 0, ". The store at which ranks met does not answer, either");
}

}  // namespace
}  // namespace torch::taper::testing
#endif
