#include <taper/utils/profiler/profiler.h>

#include <gtest/gtest.h>
#include <taper/framework/debug/run_span.h>
#include <taper/taper.h>
#include <taper/utils/profiler/autograd_profiler.h>
#include <taper/utils/profiler/recorder.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "nvtx_tool.h"
#include "test_util.h"
#include "util.h"

namespace torch::taper::testing {
namespace {

using namespace utils::profiler;

/// The events of a name.
std::vector<Event> named(const std::vector<Event>& events, const std::string& name) {
  std::vector<Event> found;
  for (const Event& e : events)
    if (e.name == name) found.push_back(e);
  return found;
}
Event only(const std::vector<Event>& events, const std::string& name) {
  const std::vector<Event> found = named(events, name);
  EXPECT_EQ(found.size(), 1u) << name;
  return found.empty() ? Event() : found[0];
}
/// The names of what is around an event, the outermost first.
std::vector<std::string> around(const std::vector<Event>& events, const Event& e) {
  std::vector<std::string> names;
  for (int64_t p = e.parent; p >= 0; p = events[static_cast<size_t>(p)].parent)
    names.insert(names.begin(), events[static_cast<size_t>(p)].name);
  return names;
}
struct Files {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("taper_profile_" + std::to_string(::getpid()));
  Files() { std::filesystem::create_directories(folder); }
  ~Files() { std::filesystem::remove_all(folder); }
  std::string operator/(const std::string& name) const { return (folder / name).string(); }
};

struct Net : nn::Module {
  nn::Linear first{register_module("first", nn::Linear(8, 16))};
  nn::Linear second{register_module("second", nn::Linear(16, 2))};
  Tensor forward(const Tensor& x) { return second(first(x).relu()); }
};
void train_step(Net& net, optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  mse_loss(net.forward(rand({32, 8})), zeros({32, 2})).backward();
  optimizer.step();
}

TEST(Profile, SeesOpsWithTheirOperands) {
  Tensor y;
  const Tensor a = rand({3, 4}), b = rand({4, 5});
  Profile profile;
  y = a.mm(b);
  profile.stop();
  const Event mm = only(profile.events(), "matmul_kernel");
  EXPECT_EQ(mm.kind, EventKind::kOp);
  EXPECT_GT(mm.duration_ns(), 0);
  EXPECT_GT(mm.thread, 0);
  std::vector<std::vector<int64_t>> read, written;
  for (const Operand& o : mm.operands) {
    EXPECT_EQ(o.dtype, kFloat);
    (o.written ? written : read).push_back(o.sizes);
  }
  EXPECT_EQ(written, (std::vector<std::vector<int64_t>>{{3, 5}}));
  for (const std::vector<int64_t>& sizes : {a.sizes().vec(), b.sizes().vec()})
    EXPECT_NE(std::find(read.begin(), read.end(), sizes), read.end());
}

TEST(Profile, OffNothingIsSeen) {
  {
    const Profile profile;
    rand({2}).add(1);
  }
  EXPECT_FALSE(taper::detail::observes_run());
  Profile profile;
  profile.stop();
  rand({2}).add(1);
  EXPECT_TRUE(named(profile.events(), "add").empty());
  EXPECT_EQ(only(profile.events(), "ProfilerStep#0").parent, -1);
}

TEST(Profile, LinksForwardAndBackward) {
  const Tensor x = rand({4}).requires_grad_();
  Profile profile;
  x.sin().exp().sum().backward();
  profile.stop();
  const auto& events = profile.events();
  for (const auto& [op, node] :
       {std::pair("sin", "SinBackward0"), std::pair("exp", "ExpBackward0")}) {
    const Event forward = named(events, op).at(0), backward = only(events, node);
    EXPECT_EQ(forward.sequence_nr, backward.sequence_nr) << op;
    EXPECT_EQ(backward.kind, EventKind::kBackwardNode);
    EXPECT_EQ(around(events, backward), (std::vector<std::string>{"ProfilerStep#0", "backward"}));
  }
  EXPECT_NE(named(events, "sin").at(0).sequence_nr, named(events, "exp").at(0).sequence_nr);
}

TEST(Profile, NestsModulesOptimizersAndNamedParts) {
  nn::Linear net(8, 16);
  optim::SGD optimizer(net->parameters(), 0.1);
  Profile profile;
  {
    const utils::profiler::RecordFunction part("my part");
    net(rand({32, 8})).sum().backward();
  }
  optimizer.step();
  profile.stop();
  const auto& events = profile.events();
  const Event part = only(events, "my part");
  EXPECT_EQ(part.kind, EventKind::kScope);
  bool in_module = false;
  for (const Event& e : events)
    if (e.kind == EventKind::kOp) {
      const auto outer = around(events, e);
      in_module = in_module || (outer.size() >= 3 && outer[1] == "my part" &&
                                outer[2].find("Linear") != std::string::npos);
    }
  EXPECT_TRUE(in_module);
  const Event step = only(events, "SGD.step");
  EXPECT_EQ(step.kind, EventKind::kOptimizer);
  EXPECT_GE(step.begin_ns, part.end_ns);
}

TEST(Profile, SeesTheModulesOfASequential) {
  nn::Sequential net(nn::Linear(4, 4), nn::ReLU(), nn::Linear(4, 4));
  Profile profile;
  net->forward(rand({2, 4}));
  profile.stop();
  std::vector<std::string> modules;
  for (const Event& e : profile.events())
    if (e.kind == EventKind::kModule) modules.push_back(e.name);
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_NE(modules[1].find("ReLU"), std::string::npos) << modules[1];
  EXPECT_EQ(around(profile.events(), only(profile.events(), "relu")),
            (std::vector<std::string>{"ProfilerStep#0", modules[1]}));
}

TEST(Profile, EventsLieWithinTheirParents) {
  Net net;
  optim::Adam optimizer(net.parameters(), 1e-3);
  Profile profile;
  for (int i = 0; i < 3; ++i) {
    train_step(net, optimizer);
    profile.step();
  }
  profile.stop();
  const auto& events = profile.events();
  EXPECT_GT(events.size(), 50u);
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    EXPECT_LE(e.begin_ns, e.end_ns) << e.name;
    if (e.parent < 0) continue;
    ASSERT_LT(e.parent, static_cast<int64_t>(i));
    const Event& outer = events[static_cast<size_t>(e.parent)];
    EXPECT_EQ(outer.thread, e.thread);
    EXPECT_LE(outer.begin_ns, e.begin_ns) << outer.name << " " << e.name;
    EXPECT_GE(outer.end_ns, e.end_ns) << outer.name << " " << e.name;
  }
  for (const char* name : {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"})
    only(events, name);
  for (const KeyAverage& e : profile.key_averages())  // one row, with what follows the last step()
    EXPECT_TRUE(e.name.rfind("ProfilerStep", 0) != 0 || e.name == "ProfilerStep*") << e.name;
  EXPECT_EQ(named(events, "Adam.step").size(), 3u);
}

TEST(Profile, ThreadsAreKeptApart) {
  Profile profile;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) rand({5}).cos();
    });
  for (auto& t : threads) t.join();
  profile.stop();
  std::map<int64_t, int> by_thread;
  for (const Event& e : named(profile.events(), "cos")) ++by_thread[e.thread];
  ASSERT_EQ(by_thread.size(), 3u);
  for (const auto& [thread, n] : by_thread) EXPECT_EQ(n, 20) << thread;
}

// What a thread looks after beside other things: a row for those that overlap, the first one that
// is free.
TEST(Profile, SpansThatOverlapLieOnRowsOfTheirOwn) {
  using taper::detail::SpanObserver;
  const auto now = [] {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    return SpanObserver::Clock::now();
  };
  const auto tell = [](const char* name, SpanObserver::Clock::time_point begin) {
    taper::detail::tell_span(EventKind::kScope, name, begin);
  };
  const auto before = now();
  Profile profile;
  tell("of before", before);
  const auto outer = now(), inner = now();
  tell("inner", inner);
  tell("outer", outer);
  tell("next", now());
  profile.stop();
  tell("of afterwards", now());
  const Event a = only(profile.events(), "outer"), b = only(profile.events(), "inner"),
              c = only(profile.events(), "next");
  EXPECT_LT(a.begin_ns, b.begin_ns);
  EXPECT_LE(b.end_ns, a.end_ns);
  EXPECT_NE(a.thread, b.thread);
  EXPECT_EQ(a.thread, c.thread);
  EXPECT_NE(a.thread, only(profile.events(), "ProfilerStep#0").thread);
  for (const Event& e : {a, b, c}) EXPECT_EQ(e.parent, -1);
  for (const char* name : {"of before", "of afterwards"})
    EXPECT_TRUE(named(profile.events(), name).empty()) << name;
}

#ifdef TAPER_WITH_NVTX
TEST(Profile, EventsAreRangesOfNvtx) {
  const Tensor x = rand({2});
  Profile profile;
  nvtx_ranges.clear();
  {
    const utils::profiler::RecordFunction part("my part");
    x.exp();
  }
  const auto seen = nvtx_ranges;
  profile.stop();
  nvtx_ranges.clear();
  x.exp();
  EXPECT_EQ(seen, (std::vector<std::string>{"my part", "exp", "end", "end"}));
  EXPECT_TRUE(nvtx_ranges.empty());
}
#endif

TEST(Profile, ThereIsOneAtATime) {
  Profile profile;
  EXPECT_THROW(Profile second, Error);
  profile.stop();
  Profile third;  // may record now
  third.stop();
  third.stop();
}

TEST(Profile, MemoryComesAndGoes) {
  Profile profile;
  {
    const utils::profiler::RecordFunction part("part");
    const Tensor kept = empty({1 << 20});
  }
  profile.stop();
  const Event part = only(profile.events(), "part");
  EXPECT_EQ(part.allocated, 4 << 20);
  EXPECT_EQ(part.freed, 4 << 20);
  int64_t in_use = 0, most = 0;
  for (const MemoryEvent& e : profile.memory_events()) most = std::max(most, in_use += e.nbytes);
  EXPECT_EQ(in_use, 0);
  EXPECT_EQ(most, 4 << 20);
}

TEST(Profile, WithoutShapesAndMemory) {
  Profile profile(ProfileOptions().record_shapes(false).profile_memory(false));
  rand({3}).tan();
  profile.stop();
  EXPECT_TRUE(only(profile.events(), "tan").operands.empty());
  EXPECT_TRUE(profile.memory_events().empty());
}

TEST(Profile, ExceptionsEndTheirEvents) {
  Profile profile;
  try {
    const utils::profiler::RecordFunction part("fails");
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
  }
  rand({2}).sin();
  profile.stop();
  EXPECT_EQ(around(profile.events(), only(profile.events(), "sin")),
            std::vector<std::string>{"ProfilerStep#0"});
}

TEST(Profile, CapturedSteps) {
  Graph graph{Device(kCPU)};
  Tensor x = zeros({3});
  Profile profile;
  graph.capture_begin();
  const Tensor y = x.add(1).sinh();
  graph.capture_end();
  graph.replay();
  graph.replay();
  profile.stop();
  EXPECT_EQ(named(profile.events(), "Graph.replay").size(), 2u);
  EXPECT_EQ(named(profile.events(), "sinh").size(), 1u);
  EXPECT_TRUE(y.allclose(x.add(1).sinh()));
}

TEST(Profile, WaitsForBatches) {
  auto data = data::datasets::TensorDataset(rand({12, 2}))
                  .map(data::transforms::Stack<data::TensorExample>());
  auto loader = data::make_data_loader(std::move(data), data::DataLoaderOptions(4).workers(1));
  Profile profile;
  for (auto& batch : *loader) (void)batch;
  profile.stop();
  EXPECT_EQ(named(profile.events(), "DataLoader.next").size(), 4u);  // the last finds the end
}

// ---------------------------------------------------------------------- schedule
TEST(ProfilerSchedule, Cycles) {
  const Schedule s = schedule(1, 1, 2, 2, 1);
  using A = ProfilerAction;
  const std::vector<A> want = {A::kNone,          A::kNone, A::kWarmup, A::kRecord,
                               A::kRecordAndSave, A::kNone, A::kWarmup, A::kRecord,
                               A::kRecordAndSave, A::kNone, A::kNone};
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(s(static_cast<int64_t>(i)), want[i]) << "step " << i;
  EXPECT_THROW(schedule(0, 0, 0), ValueError);
  EXPECT_THROW(schedule(-1, 0, 1), ValueError);
}

TEST(ProfilerSchedule, HandsOverEachCycle) {
  std::vector<std::vector<std::string>> cycles;
  Profile profile(ProfileOptions().schedule(schedule(1, 1, 2, 2)).on_trace_ready([&](Profile& p) {
    cycles.emplace_back();
    for (const Event& e : p.events())
      if (e.kind == EventKind::kScope) cycles.back().push_back(e.name);
  }));
  for (int i = 0; i < 12; ++i) {
    rand({2}).sin();
    profile.step();
  }
  profile.stop();
  using Names = std::vector<std::string>;
  EXPECT_EQ(cycles, (std::vector<Names>{Names{"ProfilerStep#2", "ProfilerStep#3"},
                                        Names{"ProfilerStep#6", "ProfilerStep#7"}}));
}

TEST(ProfilerSchedule, StopHandsOverWhatIsThere) {
  int calls = 0;
  Profile profile(ProfileOptions().on_trace_ready([&](Profile&) { ++calls; }));
  profile.step();
  EXPECT_EQ(calls, 0);
  profile.stop();
  EXPECT_EQ(calls, 1);
}

// ---------------------------------------------------------------------- table
Event event(const std::string& name, int64_t begin, int64_t end, int64_t parent = -1) {
  Event e;
  e.name = name;
  e.begin_ns = begin;
  e.end_ns = end;
  e.parent = parent;
  e.thread = 1;
  return e;
}

TEST(ProfilerTable, SelfAndTotal) {
  std::vector<Event> events = {event("outer", 0, 100000), event("inner", 10000, 40000, 0),
                               event("inner", 50000, 60000, 0), event("inner", 52000, 57000, 2)};
  events[1].allocated = 3 << 20;
  const KeyAverages averages(events, false);
  ASSERT_EQ(averages.size(), 2u);
  const KeyAverage &outer = averages.entries()[0], &inner = averages.entries()[1];
  EXPECT_EQ(outer.name, "outer");
  EXPECT_EQ(outer.self_cpu_ns, 60000);
  EXPECT_EQ(outer.cpu_ns, 100000);
  EXPECT_EQ(outer.bytes, 3 << 20);
  EXPECT_EQ(outer.self_bytes, 0);
  EXPECT_EQ(inner.count, 3);
  EXPECT_EQ(inner.self_cpu_ns, 40000);
  EXPECT_EQ(inner.cpu_ns, 40000);  // what is in another "inner" counts once
  EXPECT_EQ(averages.self_cpu_ns(), 100000);
  const std::string table = averages.table("count");
  EXPECT_LT(table.find("inner"), table.find("outer"));
  EXPECT_NE(table.find("60.00%"), std::string::npos) << table;
  EXPECT_NE(table.find("100.000us"), std::string::npos) << table;
  EXPECT_NE(table.find("3.00 MB"), std::string::npos) << table;
  EXPECT_EQ(table.find("CUDA"), std::string::npos);
  EXPECT_EQ(averages.table("", 1).find("inner"), std::string::npos);
  EXPECT_THROW(averages.table("speed"), ValueError);
}

TEST(ProfilerTable, GroupsBySizes) {
  Profile profile;
  for (int n : {2, 2, 3}) rand({n}).atan();
  profile.stop();
  std::map<std::string, int64_t> counts;
  for (const KeyAverage& e : profile.key_averages(true))
    if (e.name == "atan") counts[e.shapes] = e.count;
  EXPECT_EQ(counts, (std::map<std::string, int64_t>{{"[[2]]", 2}, {"[[3]]", 1}}));
  EXPECT_NE(profile.key_averages(true).table().find("Input Shapes"), std::string::npos);
}

// ---------------------------------------------------------------------- files
TEST(ProfilerFiles, ChromeTrace) {
  const Files files;
  const Tensor x = rand({4}).requires_grad_();
  Profile profile;
  x.sin().sum().backward();
  profile.stop();
  profile.export_chrome_trace(files / "trace.json");
  const auto json = nlohmann::json::parse(contents(files / "trace.json"));
  std::map<std::string, int> phases;
  std::map<std::string, nlohmann::json> slices;
  for (const auto& e : json.at("traceEvents")) {
    ++phases[e.at("ph")];
    if (e.at("ph") == "X") slices[e.at("name")] = e;
  }
  EXPECT_GE(phases["s"], 2);  // sin, sum
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_GT(phases["C"], 0);
  EXPECT_EQ(slices.at("sin").at("args").at("Operand dims").at(0), nlohmann::json({4}));
  EXPECT_EQ(slices.at("SinBackward0").at("cat"), "backward");
  EXPECT_GT(slices.at("sin").at("dur").get<double>(), 0);
  EXPECT_THROW(profile.export_chrome_trace(files / "no/such/folder.json"), Error);
}

TEST(ProfilerFiles, Stacks) {
  const Files files;
  Profile profile;
  {
    const utils::profiler::RecordFunction part("a;b");
    rand({1000}).sin();
  }
  profile.stop();
  profile.export_stacks(files / "stacks.txt");
  const std::string text = contents(files / "stacks.txt");
  EXPECT_NE(text.find("thread 1;ProfilerStep#0;a:b;sin "), std::string::npos) << text;
}

TEST(ProfilerFiles, TensorBoardHandler) {
  const Files files;
  Profile profile(ProfileOptions().on_trace_ready(tensorboard_trace_handler(files / "log", "me")));
  profile.stop();
  EXPECT_TRUE(std::filesystem::exists(files / "log/me.1.pt.trace.json"));
  EXPECT_THROW(tensorboard_trace_handler("/dev/null/log"), Error);
}

// ---------------------------------------------------------------------- memory
TEST(ProfilerMemory, WhatItIsFor) {
  Net net;
  optim::Adam optimizer(net.parameters(), 1e-3);
  const int64_t of_parameters = (8 * 16 + 16 + 16 * 2 + 2) * 4;
  Profile profile;
  for (int i = 0; i < 2; ++i) {
    train_step(net, optimizer);
    profile.step();
  }
  profile.stop();
  const MemoryTimeline t = profile.memory_timeline(net.parameters());
  ASSERT_EQ(t.time_ns.size(), t.bytes.size());
  EXPECT_TRUE(std::is_sorted(t.time_ns.begin(), t.time_ns.end()));
  const auto at_end = [&](MemoryCategory c) { return t.bytes.back()[static_cast<size_t>(c)]; };
  const auto most = [&](MemoryCategory c) {
    int64_t n = 0;
    for (const auto& b : t.bytes) n = std::max(n, b[static_cast<size_t>(c)]);
    return n;
  };
  EXPECT_EQ(at_end(MemoryCategory::kParameter), of_parameters);
  EXPECT_EQ(at_end(MemoryCategory::kGradient), of_parameters);
  EXPECT_EQ(at_end(MemoryCategory::kOptimizerState), 2 * of_parameters);
  EXPECT_EQ(at_end(MemoryCategory::kActivation), 0);
  EXPECT_GE(most(MemoryCategory::kActivation), 32 * 16 * 4);  // what relu keeps
  EXPECT_GE(t.peak_bytes(), 4 * of_parameters);
  EXPECT_STREQ(to_string(MemoryCategory::kOptimizerState), "optimizer state");

  const Files files;
  t.save(files / "memory.json");
  const auto json = nlohmann::json::parse(contents(files / "memory.json"));
  EXPECT_EQ(json.at("time_ns").size(), t.time_ns.size());
  t.save(files / "memory.svg");
  EXPECT_NE(contents(files / "memory.svg").find("optimizer state"), std::string::npos);
  EXPECT_THROW(t.save(files / "memory.png"), ValueError);
}

#include "utils/memory_timeline_test.inc"

// ---------------------------------------------------------------------- devices
[[maybe_unused]] const bool simulated = [] {
  const char* on_gpu = std::getenv("TAPER_TEST_GPU");
  if (!on_gpu || *on_gpu == '0') cuda::simulate_devices(1);
  return true;
}();

TEST(ProfilerDevices, KernelsAndCopies) {
  const Device device(kCUDA);
  Profile profile;
  const Tensor x = rand({64, 64}).to(device);
  const Tensor y = x.mm(x).cpu();
  profile.stop();
  const Event mm = only(profile.events(), "matmul_kernel");
  EXPECT_TRUE(mm.device.is_cuda());
  EXPECT_GT(mm.device_ns, 0);
  EXPECT_GE(named(profile.events(), "memcpy").size(), 2u);
  bool seen = false;
  for (const auto& e : profile.device_events()) seen = seen || e.name == "matmul_kernel";
  EXPECT_TRUE(seen);
  const std::string table = profile.key_averages().table("self_cuda_time_total");
  EXPECT_NE(table.find("Self CUDA time total"), std::string::npos) << table;
  const Files files;
  profile.export_chrome_trace(files / "trace.json");
  EXPECT_NE(contents(files / "trace.json").find("\"stream 0\""), std::string::npos);
}

// As CUPTI tells them: several of a launch, on several streams.
TEST(ProfilerDevices, KernelsOfOneLaunchAreAddedUp) {
  std::vector<Event> ops(4);
  const char* const names[] = {"conv", "add", "conv", "conv"};
  for (size_t i = 0; i < ops.size(); ++i) {
    ops[i].name = names[i];
    ops[i].device = Device(kCUDA, i == 3 ? 1 : 0);
    ops[i].begin_ns = static_cast<int64_t>(i);
  }
  const auto ran = [](const char* name, uint64_t launch, int64_t begin, int64_t ns,
                      int device = 0) {
    return cuda::TimelineEvent{
        name, static_cast<DeviceIndex>(device), 0, begin, begin + ns, "kernel", launch};
  };
  add_device_times(ops, {ran("conv", 3, 10, 100), ran("conv", 1, 20, 5), ran("add", 2, 21, 9),
                         ran("conv", 1, 30, 7), ran("conv", 4, 31, 11, 1)});
  EXPECT_EQ(ops[0].device_ns, 12);
  EXPECT_EQ(ops[1].device_ns, 9);
  EXPECT_EQ(ops[2].device_ns, 100);
  EXPECT_EQ(ops[3].device_ns, 11);
}

// ---------------------------------------------------------------------- LibTorch's names
// (tests/compat/extension/profiler.cpp has what both have.)
TEST(AutogradProfiler, EventsOfDevices) {
  using namespace utils::profiler::libtorch;
  const ProfilerConfig config(ProfilerState::KINETO, true);
  for (const bool devices : {true, false}) {
    std::set<ActivityType> activities = {ActivityType::CPU};
    if (devices) activities.insert(ActivityType::CUDA);
    prepareProfiler(config, activities);
    enableProfiler(config, activities);
    const Tensor x = rand({64, 64}).to(Device(kCUDA));
    x.mm(x).cpu();
    const auto result = disableProfiler();
    int on_host = 0, on_device = 0;
    for (const KinetoEvent& e : result->events()) {
      if (e.name() != "matmul_kernel") continue;
      ++(e.deviceType() == kCPU ? on_host : on_device);
      if (e.deviceType() == kCPU)
        EXPECT_EQ(e.cudaElapsedUs() >= 0, devices);
      else
        EXPECT_EQ(e.deviceIndex(), 0);
    }
    EXPECT_EQ(on_host, 1);
    EXPECT_EQ(on_device, devices);
  }
}

TEST(AutogradProfiler, EventsOfOneScope) {
  using namespace utils::profiler::libtorch;
  const ProfilerConfig config(ProfilerState::CPU);
  enableProfiler(config, {ActivityType::CPU}, {RecordScope::BACKWARD_FUNCTION});
  rand({4}).requires_grad_().exp().sum().backward();
  const auto result = disableProfiler();
  std::vector<std::string> names;
  for (const KinetoEvent& e : result->events()) {
    names.push_back(e.name());
    EXPECT_FALSE(e.hasShapes());
    const bool is_leaf = e.name().find("AccumulateGrad") != std::string::npos;
    EXPECT_EQ(e.sequenceNr() > 0, !is_leaf) << e.name();
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "ExpBackward0"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "exp"), names.end());
}

TEST(AutogradProfiler, Errors) {
  using namespace utils::profiler::libtorch;
  EXPECT_NE(message_of([] { enableProfiler(ProfilerConfig(ProfilerState::NVTX), {}); })
                .find("enableProfiler: expected the state CPU, CUDA, KINETO or "
                      "KINETO_GPU_FALLBACK, got NVTX"),
            std::string::npos);
  EXPECT_NE(message_of([] { disableProfiler(); }).find("disableProfiler: expected a profiler"),
            std::string::npos);
  EXPECT_THROW(getProfilerConfig(), Error);
  enableProfilerLegacy(ProfilerConfig(ProfilerState::CPU));
  EXPECT_THROW(enableProfilerLegacy(ProfilerConfig(ProfilerState::CPU)), Error);
  EXPECT_EQ(disableProfilerLegacy().size(), 1u);
  EXPECT_FALSE(profilerEnabled());
  EXPECT_NE(
      message_of([] { RecordProfile("/proc/none/there"); }).find("RecordProfile: cannot open"),
      std::string::npos);
}

}  // namespace
}  // namespace torch::taper::testing
