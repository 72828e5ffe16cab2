// What ran on which stream, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "harness/devices.h"

namespace torch::taper {
namespace {

using testing::device_at;
using testing::Gate;
using testing::last_device;
using testing::synchronize_all;

/// Calls body for each way of recording: by what runs a kernel, and by events around it, which is
/// the way of GPUs.
template <class Body>
void for_both_ways(const Body& body) {
  for (const bool by_events : {false, true}) {
    SCOPED_TRACE(by_events ? "by events" : "by the simulation");
    detail::set_timeline_by_events(by_events);
    body();
  }
  detail::set_timeline_by_events(false);
}

void expect_what_ran() {
  const Tensor before = ones({10}, kCUDA) * 2;
  synchronize_all();
  cuda::Timeline timeline;
  const Tensor y = before + 1;
  const cuda::Stream side(device_at(1));
  {
    const cuda::StreamGuard guard(side);
    ones({2}, kCUDA);
  }
  timeline.stop();
  const Tensor after = before.sqrt();
  const auto events = timeline.events();
  ASSERT_EQ(events.size(), 2u);
  for (const auto& e : events) EXPECT_LE(e.begin_ns, e.end_ns);
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const auto& e) {
    return e.name.find("add") != std::string::npos && e.device == 0 && e.stream == 0;
  })) << events[0].name;
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [&](const auto& e) {
    return e.device == side.device_index() && e.stream == side.id();
  }));
}
TEST(DevicesP5, TimelineHoldsWhatRanBetweenStartAndStop) { for_both_ways(expect_what_ran); }

void expect_two_streams() {
  synchronize_all();
  cuda::Timeline timeline;
  {
    Gate first;
    first.await();
    const cuda::StreamGuard guard{cuda::Stream()};
    Gate second;
    second.await();  // both are running
  }
  const Tensor y = ones({4}, kCUDA);
  timeline.stop();
  const auto events = timeline.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(events[0].overlaps(events[1]));
  EXPECT_EQ(events[0].name, "gate");
  EXPECT_NE(events[0].stream, events[1].stream);
  EXPECT_FALSE(events[0].overlaps(events[2]));  // on the stream of the first gate
}
TEST(DevicesP5, TimelineShowsOneStreamInOrderAndTwoBesideEachOther) {
  TAPER_NEEDS_SIMULATION("two functions of the host that run at once");
  for_both_ways(expect_two_streams);
}

TEST(DevicesP5, TimelineIsChromesFormat) {
  synchronize_all();
  cuda::Timeline timeline;
  ones({2}, last_device()).cpu();
  timeline.stop();
  const std::string path = ::testing::TempDir() + "/taper_trace.json";
  timeline.export_chrome_trace(path);
  const auto json = nlohmann::json::parse(std::ifstream(path));
  int slices = 0;
  std::string names;
  for (const auto& e : json.at("traceEvents")) {
    EXPECT_EQ(e.at("pid"), last_device().index());
    if (e.at("ph") == "X")
      slices += e.at("dur") >= 0 && e.at("ts") >= 0;
    else
      names += e.at("args").at("name").get<std::string>() + ";";
  }
  EXPECT_EQ(slices, 2);  // fill and memcpy
  EXPECT_EQ(names, last_device().str() + ";stream 0;");
  EXPECT_THROW(timeline.export_chrome_trace("/nowhere/at/all.json"), Error);
}

void expect_faults_survived() {
  {
    const cuda::Timeline one;
    EXPECT_THROW(cuda::Timeline(), Error);
  }
  synchronize_all();
  cuda::Timeline timeline;
  detail::launch_on(0, "broken", [] { throw std::runtime_error("no"); });
  EXPECT_THROW(timeline.stop(), Error);
  ASSERT_EQ(timeline.events().size(), 1u);
  EXPECT_EQ(timeline.events()[0].name, "broken");
  timeline.stop();
  EXPECT_EQ(timeline.events().size(), 1u);
}
TEST(DevicesP5, TimelineRecordsAloneAndSurvivesFaults) {
  TAPER_NEEDS_SIMULATION("kernels that throw");
  for_both_ways(expect_faults_survived);
}

TEST(DevicesP5, TimelineShowsReplaysAndLeavesCapturesOut) {
  if (cuda::is_simulated()) detail::set_timeline_by_events(true);
  const Tensor x = ones({4}, kCUDA);
  synchronize_all();
  cuda::Timeline timeline;
  Graph graph(Device(kCUDA, 0));
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = (x + 1).sqrt();
  }
  graph.replay();
  timeline.stop();
  detail::set_timeline_by_events(false);
  ASSERT_EQ(timeline.events().size(), 1u);
  EXPECT_EQ(timeline.events()[0].name, "graph");
}

}  // namespace
}  // namespace torch::taper
