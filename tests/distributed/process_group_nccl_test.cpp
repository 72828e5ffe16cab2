// The logic of ProcessGroupNCCL, on simulated devices and a fake of NCCL: its calls, streams, time
// limits and aborts. (On GPUs nothing of it has run.)
#ifdef TAPER_WITH_NCCL
#include "distributed/fake_nccl.h"

#include <taper/distributed/process_group_nccl.h>
#include <taper/framework/debug/timeline.h>
#ifdef TAPER_WITH_UTILS
#include <taper/utils/profiler/profiler.h>
#endif

#include <set>
#include <thread>

#include "distributed/message_cases.h"
#include "distributed/sharding.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using distributed::ProcessGroupNCCL;
using Tensors = std::vector<Tensor>;

/// What NCCL reduces.
bool nccl_has(ScalarType dtype, ReduceOp::RedOpType op) {
  return dtype != kShort && op != ReduceOp::BAND && op != ReduceOp::BOR && op != ReduceOp::BXOR;
}

/// f(group, device) in so many threads, each with a stream of its own.
void in_nccl_groups(int n, const std::function<void(ProcessGroup&, Device)>& f,
                    std::chrono::milliseconds timeout = 60s) {
  auto store = make_intrusive<HashStore>(timeout);
  in_threads(n, [&](int rank) {
    const Device device(kCUDA, static_cast<DeviceIndex>(rank % cuda::device_count()));
    const cuda::StreamGuard own(cuda::Stream(device, 0));
    f(*make_intrusive<ProcessGroupNCCL>(store, rank, n, ProcessGroupNCCL::Options::create(timeout)),
      device);
  });
}

class ProcessGroupNccl : public ::testing::Test {
  void SetUp() override {
    if (!cuda::is_simulated()) GTEST_SKIP() << "the fake takes streams of simulated devices only";
  }
  void TearDown() override {
    for (const std::string& what : fake_nccl::violations()) ADD_FAILURE() << what;
    EXPECT_EQ(fake_nccl::live(), 0) << "communicators that nobody has ended";
  }
};

TEST_F(ProcessGroupNccl, Reductions) {
  in_nccl_groups(3, [](ProcessGroup& g, Device device) {
    EXPECT_EQ(g.getBackendName(), "nccl");
    group_cases::reductions(g, device, nccl_has);
    group_cases::waits(g, device);
    group_cases::roots(g, device);
  });
}
TEST_F(ProcessGroupNccl, PartsAndMessages) {
  in_nccl_groups(3, [](ProcessGroup& g, Device device) {
    group_cases::gathers(g, device);
    group_cases::scatters(g, device);
    group_cases::alltoall(g, device);
    group_cases::moves(g, device);
  });
}
TEST_F(ProcessGroupNccl, TensorsOfTheCpuGoThroughADevice) {
  in_nccl_groups(3, [](ProcessGroup& g, Device) {
    const Device cpu(kCPU);
    group_cases::reductions(g, cpu, nccl_has);
    group_cases::roots(g, cpu);
    group_cases::gathers(g, cpu);
    group_cases::scatters(g, cpu);
    group_cases::alltoall(g, cpu);
    group_cases::moves(g, cpu);
    group_cases::meanwhile(g, cpu);
  });
}

// What stands on groups tells ranks texts and numbers of the CPU, too.
TEST_F(ProcessGroupNccl, TrainingsGiveTheLossesOfOneProcess) {
  const optim::AdamOptions options(1e-2);
  const std::vector<double> alone = losses_alone<optim::Adam>(options, 4);
  for (const bool shards : {false, true})
    in_nccl_groups(2, [&](ProcessGroup& g, Device device) {
      cuda::set_device(0);  // programs that say their device by the module's alone
      Net net;
      fill(*net);
      net->to(device);
      std::unique_ptr<nn::parallel::DistributedDataParallel<NetImpl>> replicas;
      std::unique_ptr<optim::Optimizer> optimizer;
      const auto group = pointer_to(g);
      if (shards) {
        shard_all(net, options_for(g));
        optimizer = std::make_unique<optim::Adam>(net->parameters(), options);
      } else {
        replicas = std::make_unique<nn::parallel::DistributedDataParallel<NetImpl>>(
            net, nn::parallel::DistributedDataParallelOptions()
                     .process_group(group)
                     .find_unused_parameters(true)
                     .bucket_cap_mb(0.001));
        optimizer =
            optim::ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(), options, group);
      }
      std::vector<double> losses;
      for (int step = 0; step < 4; ++step) {
        optimizer->zero_grad();
        const Tensor x = part_of(batch(step, 12), g).to(device);
        const Tensor loss = loss_of(replicas ? (*replicas)(x) : net(x), x);
        loss.backward();
        optimizer->step();
        losses.push_back(mean_over_ranks(g, loss));
      }
      expect_same(losses, alone);
    });
}

TEST_F(ProcessGroupNccl, FuturesAndParts) {
  in_nccl_groups(3, [](ProcessGroup& g, Device device) {
    group_cases::futures(g, device);
    group_cases::same_bits(g, device);
    group_cases::parts(g);
  });
}

#ifdef TAPER_WITH_UTILS
// Of each rank what its host did, and what its device did: a part of the group's stream, by events
// as on a GPU.
TEST_F(ProcessGroupNccl, OperationsAreInProfiles) {
  std::vector<utils::profiler::Event> events;
  std::vector<cuda::TimelineEvent> on_devices;
  taper::detail::set_timeline_by_events(true);
  {
    utils::profiler::Profile profile;
    in_nccl_groups(2, [](ProcessGroup& g, Device device) {
      Tensors sum = {ones({3}, device)};
      g.allreduce(sum)->wait();
      g.barrier()->wait();
    });
    profile.stop();
    events = profile.events();
    on_devices = profile.device_events();
  }
  taper::detail::set_timeline_by_events(false);
  for (const std::string name : {"allreduce", "barrier"}) {
    std::set<int64_t> threads, devices;
    for (const auto& e : events)
      if (e.name.rfind(name + " ", 0) == 0 && e.duration_ns() > 0) threads.insert(e.thread);
    for (const auto& e : on_devices)
      if (e.name == name && e.end_ns > e.begin_ns) devices.insert(e.device);
    EXPECT_EQ(threads.size(), 2u) << name;
    EXPECT_EQ(devices.size(), std::min<size_t>(2, static_cast<size_t>(cuda::device_count())))
        << name;
  }
}
#endif
TEST_F(ProcessGroupNccl, MayBeLetGoInACallbackOfItsOwn) {
  for (const bool in_destructor : {false, true}) {
    const auto store = make_intrusive<HashStore>();
    in_threads(2, [&](int rank) {
      const Device device(kCUDA, static_cast<DeviceIndex>(rank % cuda::device_count()));
      const cuda::StreamGuard own(cuda::Stream(device, 0));
      group_cases::let_go_in_a_callback(make_intrusive<ProcessGroupNCCL>(store, rank, 2), device,
                                        in_destructor);
    });
    // Its thread ends the communicators by itself.
    for (int i = 0; i < 2000 && fake_nccl::live() > 0; ++i) std::this_thread::sleep_for(5ms);
  }
}

TEST_F(ProcessGroupNccl, ManyAtOnce) {
  in_nccl_groups(2, [](ProcessGroup& g, Device device) { group_cases::meanwhile(g, device); });
}

// Several tensors are one group of calls, and are not copied.
TEST_F(ProcessGroupNccl, CoalescedReductionsAreOneGroup) {
  const int before = fake_nccl::calls("ncclAllReduce");
  in_nccl_groups(2, [](ProcessGroup& g, Device device) {
    Tensors t = {ones({3}).to(device), ones({5}).to(device), ones({7}).to(device)};
    const void* const data = t[1].data_ptr();
    g.allreduce_coalesced(t)->wait();
    EXPECT_EQ(t[1].data_ptr(), data);
    EXPECT_EQ(t[2].cpu().sum().item<float>(), 14);
  });
  EXPECT_EQ(fake_nccl::calls("ncclAllReduce") - before, 6);
}

// A communicator of all ranks, and one of each pair that sends.
TEST_F(ProcessGroupNccl, CommunicatorsAreMadeWhenNeeded) {
  const int before = fake_nccl::calls("ncclCommInitRankConfig");
  in_nccl_groups(3, [&](ProcessGroup& g, Device device) {
    Tensors t = {ones({3}).to(device)};
    if (g.getRank() == 2) g.send(t, 0, 0)->wait();  // rank 1 takes no part
    if (g.getRank() == 0) g.recv(t, 2, 0)->wait();
    g.allreduce(t)->wait();
    g.allreduce(t)->wait();
    EXPECT_EQ(t[0].cpu()[0].item<float>(), 9);
  });
  EXPECT_EQ(fake_nccl::calls("ncclCommInitRankConfig") - before, 2 + 3);
}

// Each rank would wait for the next one's communicator, and in pairs for the other's send.
TEST_F(ProcessGroupNccl, MessagesInARing) {
  for (const int ranks : {2, 3})
    for (const bool receives_first : {false, true})
      in_nccl_groups(
          ranks,
          [&](ProcessGroup& g, Device device) { group_cases::ring(g, device, receives_first); },
          10s);
}
TEST_F(ProcessGroupNccl, BatchesOfMessages) {
  for (const int ranks : {2, 3})
    in_nccl_groups(
        ranks, [&](ProcessGroup& g, Device device) { group_cases::batch(g, device); }, 10s);
}
// A rank in a collective takes part in the communicator of a message to it.
TEST_F(ProcessGroupNccl, AMessageBesideACollective) {
  in_nccl_groups(
      2,
      [](ProcessGroup& g, Device device) {
        Tensors sum = {ones({3}).to(device)}, t = {full({2}, g.getRank(), kInt).to(device)};
        intrusive_ptr<Work> message;
        if (g.getRank() == 0) message = g.send(t, 1, 0);
        g.allreduce(sum)->wait();
        if (g.getRank() == 1) message = g.recv(t, 0, 0);
        message->wait();
        EXPECT_EQ(sum[0].cpu()[0].item<float>(), 2);
        EXPECT_EQ(t[0].cpu()[1].item<int>(), 0);
      },
      10s);
}
TEST_F(ProcessGroupNccl, AMessageThatNobodyReceives) {
  in_nccl_groups(
      2,
      [](ProcessGroup& g, Device device) {
        Tensors t = {ones({3}).to(device)};
        if (g.getRank() == 1) return;
        const std::string message = error_of([&] { g.send(t, 1, 0); });
        EXPECT_NE(message.find("rank 0 of 2: send of Float[3] (message 1) failed: expected rank 1 "
                               "to make a communicator with this rank, and the time limit"),
                  std::string::npos)
            << message;
      },
      300ms);
}

// The host goes on, the kernels wait for the current stream's work, and that for them.
TEST_F(ProcessGroupNccl, QueuesBetweenTheCurrentStreamsWork) {
  std::atomic<bool> may_come{false};
  in_nccl_groups(2, [&](ProcessGroup& g, Device device) {
    Tensors t = {zeros({1000}).to(device)};
    g.allreduce(t)->wait();  // makes the communicators, for which the host waits
    cuda::current_stream(device.index()).synchronize();
    if (g.getRank() == 1)
      while (!may_come) std::this_thread::yield();
    taper::detail::launch_on(device.index(), "slow", [] { std::this_thread::sleep_for(20ms); });
    t[0].fill_(1);
    const auto work = g.allreduce(t);
    work->wait();
    const Tensor after = t[0] + 1;
    if (g.getRank() == 0) {
      EXPECT_FALSE(work->isCompleted());  // rank 1 is not there
      may_come = true;
    }
    EXPECT_TRUE(after.cpu().equal(full({1000}, 3.0)));
    EXPECT_TRUE(work->isCompleted());
  });
}

// A tensor that is dropped while kernels use it: nobody else gets its memory yet.
TEST_F(ProcessGroupNccl, MemoryOfDroppedTensorsWaits) {
  in_nccl_groups(2, [&](ProcessGroup& g, Device device) {
    Tensor sum = zeros({1 << 16}).to(device);
    for (int i = 0; i < 10; ++i) {
      Tensors t = {ones({1 << 16}).to(device)};
      g.allreduce(t);  // neither waited for nor kept
      t.clear();
      const Tensor other = full({1 << 16}, 1000.0).to(device);
      Tensors check = {ones({1 << 16}).to(device)};
      g.allreduce(check)->wait();
      sum += check[0];
    }
    EXPECT_EQ(sum.cpu().max().item<float>(), 20);
  });
}

TEST_F(ProcessGroupNccl, RefusesWhatItCannotTake) {
  in_nccl_groups(1, [](ProcessGroup& g, Device device) {
    std::vector<Tensors> host = {{ones({2})}};
    Tensors shorts = {ones({2}, kShort).to(device)}, t = {ones({2}, kInt).to(device)};
    EXPECT_THROW(g.allgather(host, t), ValueError);
    EXPECT_THROW(g.allreduce(shorts), ValueError);
    EXPECT_THROW(g.allreduce(t, group_cases::by(ReduceOp::BXOR)), ValueError);
    EXPECT_THROW(g.allreduce(t, group_cases::by(makePreMulSum(2))), ValueError);
    EXPECT_THROW(g.recvAnysource(t, 0), NotImplementedError);
    EXPECT_THROW(g.monitoredBarrier(), NotImplementedError);
  });
  EXPECT_THROW(ProcessGroupNCCL({}, 0, 1), ValueError);
}

// ---------------------------------------------------------------------- faults
TEST_F(ProcessGroupNccl, ATimeLimitAbortsTheCommunicators) {
  const int before = fake_nccl::calls("ncclCommAbort");
  in_nccl_groups(2, [](ProcessGroup& g, Device device) {
    Tensors t = {ones({3}).to(device)};
    g.allreduce(t)->wait();
    cuda::current_stream(device.index()).synchronize();
    if (g.getRank() == 1) return;  // does not come again
    g.setTimeout(300ms);
    const auto work = g.allreduce(t);
    const auto begun = std::chrono::steady_clock::now();
    const std::string message = error_of([&] { work->wait(20s); });
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
    EXPECT_NE(message.find("rank 0 of 2: allreduce of Float[3] (operation 2) failed: it goes on "
                           "after 300 ms. Rank 1 has said nothing within 100 ms"),
              std::string::npos)
        << message;
    cuda::current_stream(device.index()).synchronize();  // the kernels have ended
    EXPECT_TRUE(work->isCompleted());
    EXPECT_FALSE(work->isSuccess());
    EXPECT_THROW(g.allreduce(t), DistError);
    EXPECT_NE(distributed::flight_record().find("it goes on after 300 ms"), std::string::npos);
  });
  EXPECT_EQ(fake_nccl::calls("ncclCommAbort") - before, 1);
}

TEST_F(ProcessGroupNccl, WhatNcclReportsEndsTheGroup) {
  in_nccl_groups(2, [](ProcessGroup& g, Device device) {
    Tensors t = {ones({3}).to(device)};
    g.allreduce(t)->wait();
    cuda::current_stream(device.index()).synchronize();
    g.barrier()->wait();
    if (g.getRank() == 1) return;
    const auto work = g.allreduce(t);
    fake_nccl::break_communicators(0);
    const std::string message = error_of([&] { work->wait(20s); });
    EXPECT_NE(message.find("rank 0 of 2: NCCL error: remote error"), std::string::npos) << message;
  });
}

TEST_F(ProcessGroupNccl, AbortLetsStreamsGo) {
  in_nccl_groups(2, [](ProcessGroup& g, Device device) {
    Tensors t = {ones({3}).to(device)};
    g.allreduce(t)->wait();
    cuda::current_stream(device.index()).synchronize();
    g.barrier()->wait();
    if (g.getRank() == 1) return;
    const auto work = g.allreduce(t);
    work->wait();  // the current stream waits for kernels that do not end
    g.abort();
    cuda::current_stream(device.index()).synchronize();
    const std::string message = error_of([&] { work->wait(20s); });
    EXPECT_NE(message.find("the group was aborted"), std::string::npos) << message;
  });
}

TEST_F(ProcessGroupNccl, ARankThatMakesNoCommunicator) {
  auto store = make_intrusive<HashStore>(300ms);
  const cuda::DeviceGuard on(0);
  for (int rank = 0; rank < 2; ++rank) {
    auto alone = make_intrusive<PrefixStore>("rank" + std::to_string(rank), store);
    ProcessGroupNCCL group(alone, rank, 2, ProcessGroupNCCL::Options::create(300ms));
    Tensors t = {ones({3}).to(Device(kCUDA, 0))};
    const std::string message = error_of([&] { group.allreduce(t); });
    EXPECT_NE(message.find("rank " + std::to_string(rank) + " of 2: allreduce of Float[3]"),
              std::string::npos)
        << message;
    EXPECT_THROW(group.allreduce(t), DistError);
  }
}

}  // namespace
}  // namespace torch::taper::testing
#endif
