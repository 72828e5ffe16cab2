// The race detector. Each planted race must be found, and its mended twin must be silent.
#include <taper/framework/debug/race_detector.h>

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <sstream>
#include <thread>

#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using cuda::RaceReport;
using testing::message_of;
using testing::synchronize_all;

constexpr int64_t kCount = 1000;

Tensor on(DeviceIndex device, double value = 0) {
  Tensor x = full({kCount}, value, TensorOptions(Device(kCUDA, device)).dtype(kFloat));
  cuda::synchronize(device);
  return x;
}

Tensor pinned() { return zeros({kCount}).pin_memory(); }

/// Gives the streams time to finish; orders nothing.
void let_it_run() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

/// Runs `ops` on `stream`.
template <class Ops>
void run_on(const cuda::Stream& stream, const Ops& ops) {
  const cuda::StreamGuard guard(stream);
  ops();
}

// ---------------------------------------------------------------------- planted races
/// A program with a race between two ops, or with the line that mends it.
struct Planted {
  const char* name;
  const char *first, *second;  ///< the ops, in the order of their launch
  const char* second_stream;   ///< part of its name
  void (*run)(bool mended);
  int devices = 1;
};

void PrintTo(const Planted& p, std::ostream* out) { *out << p.name; }

void missing_wait_stream(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  a.normal_();
  if (mended) side.wait_stream(cuda::current_stream());
  run_on(side, [&] { a.sum(); });
  synchronize_all();
}

void write_while_another_reads(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  run_on(side, [&] { a.sum(); });
  if (mended) cuda::current_stream().wait_stream(side);
  a.fill_(1);
  synchronize_all();
}

void two_writers(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream one, two;
  run_on(one, [&] { a.fill_(1); });
  if (mended) two.wait_stream(one);
  run_on(two, [&] { a.zero_(); });
  synchronize_all();
}

void missing_record_stream(bool mended) {
  cuda::empty_cache();
  Tensor a = full({1 << 20}, 1, TensorOptions(kCUDA).dtype(kFloat));
  const cuda::Stream side;
  side.wait_stream(cuda::current_stream());
  run_on(side, [&] { a.sum(); });
  if (mended) a.record_stream(side);
  a = Tensor();
  a = empty({1 << 20}, TensorOptions(kCUDA).dtype(kFloat));
  a.fill_(2);
  synchronize_all();
}

void pinned_refilled_too_early(bool mended) {
  const Tensor p = pinned();
  const Tensor x = p.to(kCUDA, kFloat, /*non_blocking=*/true);
  if (mended) cuda::current_stream().synchronize();
  p.fill_(1);
  synchronize_all();
}

void peer_copy_of_unfinished(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  run_on(side, [&] { a.fill_(1); });
  if (mended) cuda::default_stream(0).wait_stream(side);
  a.to(Device("cuda:1"));
  synchronize_all();
}

void peer_copy_over_a_reader(bool mended) {
  const Tensor a = on(0), b = on(1);
  const cuda::Stream side(Device("cuda:1"));
  run_on(side, [&] { b.sum(); });
  if (mended) cuda::default_stream(1).wait_stream(side);
  b.copy_(a);
  synchronize_all();
}

void event_recorded_too_early(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  cuda::Event event;
  event.record();
  a.fill_(1);
  if (mended) event.record();
  side.wait_event(event);
  run_on(side, [&] { a.sum(); });
  synchronize_all();
}

void event_waited_for_on_the_wrong_stream(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side, other;
  a.fill_(1);
  cuda::Event event;
  event.record();
  event.wait(mended ? side : other);
  run_on(side, [&] { a.sum(); });
  synchronize_all();
}

void wait_before_record(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  cuda::Event event;
  a.fill_(1);
  if (!mended) side.wait_event(event);
  event.record();
  if (mended) side.wait_event(event);
  run_on(side, [&] { a.sum(); });
  synchronize_all();
}

void gradient_added_on_a_side_stream(bool mended) {
  const Tensor grad = on(0), part = on(0, 1);
  const cuda::Stream side;
  grad.add_(part);
  if (mended) side.wait_stream(cuda::current_stream());
  run_on(side, [&] { grad.add_(part); });
  synchronize_all();
}

void views_that_overlap(bool mended) {
  const Tensor a = on(0);
  const cuda::Stream side;
  a.slice(0, 0, 501).fill_(1);
  run_on(side, [&] { a.slice(0, mended ? 501 : 500, kCount).fill_(2); });
  synchronize_all();
}

void columns_of_one_matrix(bool mended) {
  const Tensor a = on(0).view({100, 10});
  const cuda::Stream side;
  a.select(1, 0).fill_(1);
  run_on(side, [&] { a.slice(1, mended ? 1 : 0, 10, 3).fill_(2); });
  synchronize_all();
}

void changed_in_place_under_a_reader(bool mended) {
  const Tensor a = on(0, 1);
  const cuda::Stream side;
  Tensor b;
  run_on(side, [&] { b = a.exp(); });
  if (mended) cuda::current_stream().wait_stream(side);
  a.relu_();
  synchronize_all();
}

void one_of_many_inputs(bool mended) {
  const Tensor a = on(0), b = on(0);
  const cuda::Stream side;
  b.fill_(1);
  if (mended) side.wait_stream(cuda::current_stream());
  run_on(side, [&] { cat({a, b}); });
  synchronize_all();
}

void host_reads_before_the_copy_is_done(bool mended) {
  const Tensor p = pinned();
  p.copy_(on(0, 1), /*non_blocking=*/true);
  cuda::Event event;
  event.record();
  if (mended) event.synchronize();
  p.sum();
  synchronize_all();
}

void host_takes_a_number_before_the_copy_is_done(bool mended) {
  const Tensor p = pinned();
  p.copy_(on(0, 1), /*non_blocking=*/true);
  if (mended) cuda::synchronize();
  p[7].item<float>();
  synchronize_all();
}

void saved_before_the_copy_is_done(bool mended) {
  const Tensor p = pinned();
  p.copy_(on(0, 1), /*non_blocking=*/true);
  if (mended) cuda::synchronize();
  std::ostringstream file;
  save(p, file);
  synchronize_all();
}

void stream_of_the_block_does_not_wait(bool mended) {
  // The block of a freed tensor is new again for the stream that it belongs to, and for no other.
  cuda::empty_cache();
  Tensor a = full({1 << 20}, 1, TensorOptions(kCUDA).dtype(kFloat));
  a = Tensor();
  a = empty({1 << 20}, TensorOptions(kCUDA).dtype(kFloat));
  const cuda::Stream side;
  if (mended) side.wait_stream(cuda::current_stream());
  run_on(side, [&] { a.zero_(); });
  synchronize_all();
}

const Planted kPlanted[] = {
    {"A5_MissingWaitStream", "normal", "sum", "stream ", missing_wait_stream},
    {"A5_WriteWhileAnotherReads", "sum", "fill", "default", write_while_another_reads},
    {"A5_TwoWriters", "fill", "zero", "stream ", two_writers},
    {"A6_MissingRecordStream", "sum", "fill", "default", missing_record_stream},
    {"A6_StreamOfTheBlockDoesNotWait", "fill", "zero", "stream ",
     stream_of_the_block_does_not_wait},
    {"A8_PinnedRefilledTooEarly", "copy", "fill", "the host", pinned_refilled_too_early},
    {"A5_PeerCopyOfUnfinished", "fill", "copy", "default", peer_copy_of_unfinished, 2},
    {"A5_PeerCopyOverAReader", "sum", "copy", "default stream of cuda:0", peer_copy_over_a_reader,
     2},
    {"A4_EventRecordedTooEarly", "fill", "sum", "stream ", event_recorded_too_early},
    {"A4_EventWaitedForOnTheWrongStream", "fill", "sum", "stream ",
     event_waited_for_on_the_wrong_stream},
    {"A4_WaitBeforeRecord", "fill", "sum", "stream ", wait_before_record},
    {"A7_GradientAddedOnASideStream", "add", "add", "stream ", gradient_added_on_a_side_stream},
    {"A5_ViewsThatOverlap", "fill", "fill", "stream ", views_that_overlap},
    {"A5_ColumnsOfOneMatrix", "fill", "fill", "stream ", columns_of_one_matrix},
    {"A5_ChangedInPlaceUnderAReader", "exp", "relu", "default", changed_in_place_under_a_reader},
    {"A5_OneOfManyInputs", "fill", "join", "stream ", one_of_many_inputs},
    {"A8_HostReadsBeforeTheCopyIsDone", "copy", "sum", "the host",
     host_reads_before_the_copy_is_done},
    {"A8_HostTakesANumberBeforeTheCopyIsDone", "copy", "item", "the host",
     host_takes_a_number_before_the_copy_is_done},
    {"A8_SavedBeforeTheCopyIsDone", "copy", "save", "the host", saved_before_the_copy_is_done},
};

class Races : public ::testing::TestWithParam<Planted> {};

TEST_P(Races, AreFound) {
  TAPER_NEEDS_DEVICES(GetParam().devices);
  const cuda::RaceDetectorGuard guard;
  ::testing::internal::CaptureStderr();
  GetParam().run(/*mended=*/false);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  const std::vector<RaceReport> found = cuda::race_reports();
  ASSERT_EQ(found.size(), 1u);
  const RaceReport& r = found[0];
  EXPECT_EQ(printed, r.text + "\n");
  EXPECT_EQ(r.first.op, GetParam().first) << r.text;
  EXPECT_EQ(r.second.op, GetParam().second) << r.text;
  EXPECT_NE(r.second.stream.find(GetParam().second_stream), std::string::npos) << r.text;
  EXPECT_TRUE(r.first.writes || r.second.writes);
  EXPECT_EQ(r.reused, GetParam().run == missing_record_stream) << r.text;
  for (const cuda::RaceAccess& a : {r.first, r.second}) {
    if (!testing::has_source_lines()) continue;
    ASSERT_FALSE(a.where.empty()) << r.text;
    EXPECT_NE((a.where[0] + a.where.back()).find("race_test.cpp:"), std::string::npos) << r.text;
  }
}

TEST_P(Races, AreSilentWhenMended) {
  TAPER_NEEDS_DEVICES(GetParam().devices);
  const cuda::RaceDetectorGuard guard;
  GetParam().run(/*mended=*/true);
  for (const RaceReport& r : cuda::race_reports()) ADD_FAILURE() << r.text;
}

INSTANTIATE_TEST_SUITE_P(Planted, Races, ::testing::ValuesIn(kPlanted),
                         [](const auto& info) { return std::string(info.param.name); });

// ---------------------------------------------------------------------- no false alarms
/// Runs `program` under the detector and expects no report.
template <class Program>
void expect_silent(const Program& program) {
  const cuda::RaceDetectorGuard guard;
  program();
  synchronize_all();
  for (const RaceReport& r : cuda::race_reports()) ADD_FAILURE() << r.text;
}

TEST(RaceDetector, A5_TakesReadersForNoRace) {
  expect_silent([] {
    const Tensor a = on(0);
    const cuda::Stream one, two;
    run_on(one, [&] { a.sum(); });
    run_on(two, [&] { a.sum(); });
  });
}

TEST(RaceDetector, A5_FollowsOrderOverSeveralStreamsAndDevices) {
  TAPER_NEEDS_DEVICES(2);
  expect_silent([] {
    const Tensor a = on(0);
    const cuda::Stream one, two(Device("cuda:1")), three;
    a.fill_(1);
    one.wait_stream(cuda::current_stream());
    two.wait_stream(one);
    three.wait_stream(two);
    run_on(three, [&] { a.add_(1); });
  });
}

TEST(RaceDetector, A5_HostThatWaitsOrders) {
  expect_silent([] {
    const Tensor a = on(0);
    const cuda::Stream one, two, three;
    run_on(one, [&] { a.fill_(1); });
    one.synchronize();
    run_on(two, [&] { a.fill_(2); });
    cuda::Event event;
    event.record(two);
    while (!event.query()) continue;
    run_on(three, [&] { a.fill_(3); });
    while (!three.query()) continue;
    a.fill_(4);
    cuda::synchronize();
    run_on(one, [&] { a.sum(); });
  });
}

TEST(RaceDetector, A5_EventKeepsWhatItSawWhenTheStreamGoesOn) {
  const cuda::RaceDetectorGuard guard;
  const Tensor a = on(0), b = on(0);
  const cuda::Stream side;
  a.fill_(1);
  cuda::Event event;
  event.record();
  b.fill_(1);
  side.wait_event(event);
  run_on(side, [&] { a.sum(); });
  EXPECT_EQ(cuda::race_reports().size(), 0u);
  run_on(side, [&] { b.sum(); });
  EXPECT_EQ(cuda::race_reports().size(), 1u);
  synchronize_all();
}

TEST(RaceDetector, A6_RecordedBlocksAreSilentWhenTheyComeBack) {
  expect_silent([] {
    const cuda::Stream side;
    for (int i = 0; i < 5; ++i) {
      Tensor a = full({1 << 20}, i, TensorOptions(kCUDA).dtype(kFloat));
      side.wait_stream(cuda::current_stream());
      run_on(side, [&] { a.sum(); });
      a.record_stream(side);
      a = Tensor();
      let_it_run();
    }
  });
}

TEST(RaceDetector, A8_PinnedBlocksAreSilentWhenTheyComeBack) {
  expect_silent([] {
    std::vector<Tensor> kept;
    for (int i = 0; i < 5; ++i) {
      kept.push_back(full({kCount}, i).pin_memory().to(kCUDA, kFloat, /*non_blocking=*/true));
      let_it_run();
    }
  });
}

TEST(RaceDetector, A5_LooksOfTheLibraryItselfOrderNothing) {
  const cuda::RaceDetectorGuard guard;
  const Tensor a = on(0);
  const cuda::Stream side;
  run_on(side, [&] {
    a.fill_(1);
    pinned().to(kCUDA, kFloat, /*non_blocking=*/true);
  });
  let_it_run();
  pinned();  // is given the block again, for the library sees that the copy is done
  a.fill_(2);
  EXPECT_EQ(cuda::race_reports().size(), 1u);
  synchronize_all();
}

// ---------------------------------------------------------------------- illegal accesses
/// A tensor that says it is on a device, of this memory.
Tensor device_tensor_of(void* memory) {
  return from_blob(memory, {kCount}, TensorOptions(kCUDA).dtype(kFloat));
}

TEST(RaceDetector, A1_MemoryOfTheHostIsIllegalForKernels) {
  TAPER_NEEDS_SIMULATION("a GPU finds illegal accesses itself");
  const cuda::RaceDetectorGuard guard;
  std::vector<float> memory(kCount, 1);
  const Tensor wrong = device_tensor_of(memory.data());
  const int line = __LINE__ + 1;
  const std::string text = message_of([&] { wrong.sum(); });
  EXPECT_EQ(text.find("CUDA error: an illegal memory access was encountered (kernel 'sum' on "
                      "cuda:0 reads memory of the host that is not pinned)"),
            0u)
      << text;
  if (testing::has_source_lines())
    EXPECT_NE(text.find("race_test.cpp:" + std::to_string(line)), std::string::npos) << text;
  EXPECT_NE(message_of([&] { wrong.fill_(2); }).find("writes memory of the host"),
            std::string::npos);
  cuda::synchronize();
  EXPECT_EQ(memory[0], 1);
}

TEST(RaceDetector, A1_PinnedMemoryIsLegalForKernels) {
  const Tensor memory = pinned();
  const cuda::RaceDetectorGuard guard;
  const Tensor right = device_tensor_of(memory.data_ptr());
  EXPECT_NO_THROW(right.sum());
  EXPECT_NO_THROW(right.slice(0, 0, 0).sum());
  synchronize_all();
}

// ---------------------------------------------------------------------- reporting
TEST(RaceDetector, IsOffUnlessAskedFor) {
  const cuda::RaceDetectorGuard restores;
  cuda::enable_race_detector(false);
  EXPECT_FALSE(cuda::race_detector_enabled());
  missing_wait_stream(false);
  EXPECT_TRUE(cuda::race_reports().empty());
}

TEST(RaceDetector, GuardRestoresWhatWas) {
  const cuda::RaceDetectorGuard outer;
  missing_wait_stream(false);
  {
    const cuda::RaceDetectorGuard inner(/*throws=*/true);
    EXPECT_TRUE(cuda::race_reports().empty());
  }
  EXPECT_TRUE(cuda::race_detector_enabled());
  EXPECT_EQ(cuda::race_reports().size(), 1u);
  cuda::clear_race_reports();
  EXPECT_TRUE(cuda::race_reports().empty());
}

TEST(RaceDetector, ReportsTwoLinesOnce) {
  const cuda::RaceDetectorGuard guard;
  for (int i = 0; i < 5; ++i) missing_wait_stream(false);
  EXPECT_EQ(cuda::race_reports().size(), 1u);
}

// An op in a function that is inlined, as those of headers are.
[[gnu::always_inline]] inline Tensor inlined_sum(const Tensor& x) { return x.sum(); }
constexpr int kLineOfInlined = __LINE__ - 1;

TEST(RaceDetector, NamesTheCallersOfInlinedFunctions) {
  if (!testing::has_source_lines()) GTEST_SKIP() << "needs addr2line";
  const cuda::RaceDetectorGuard guard;
  const Tensor x = empty({kCount}, kCUDA);
  const cuda::Stream stream(x.device());
  x.fill_(1);
  {
    const cuda::StreamGuard on_stream(stream);
    inlined_sum(x);
  }
  const int line_of_call = __LINE__ - 2;
  ASSERT_EQ(cuda::race_reports().size(), 1u);
  const std::vector<std::string> where = cuda::race_reports()[0].second.where;
  ASSERT_EQ(where.size(), 2u);
  const auto ends = [](const std::string& text, int line) {
    return text.find("race_test.cpp:" + std::to_string(line)) != std::string::npos;
  };
  EXPECT_TRUE(ends(where[0], kLineOfInlined) && ends(where[1], line_of_call))
      << where[0] << ", " << where[1];
  synchronize_all();
}

TEST(RaceDetector, A5_SaysBothOpsStreamsAndWhatToDo) {
  const cuda::RaceDetectorGuard guard;
  missing_wait_stream(false);
  ASSERT_EQ(cuda::race_reports().size(), 1u);
  const RaceReport r = cuda::race_reports()[0];
  EXPECT_EQ(r.first.stream, "the default stream of cuda:0");
  EXPECT_TRUE(r.first.writes);
  EXPECT_FALSE(r.second.writes);
  for (const char* part : {"'normal' writes on the default stream of cuda:0", "'sum' reads on str",
                           "s.wait_stream(other)"})
    EXPECT_NE(r.text.find(part), std::string::npos) << part << " in " << r.text;
  if (testing::has_source_lines())
    EXPECT_NE(r.text.find("missing_wait_stream"), std::string::npos) << r.text;
  cuda::clear_race_reports();
  missing_record_stream(false);
  EXPECT_NE(cuda::race_reports().at(0).text.find("record_stream(s)"), std::string::npos);
  pinned_refilled_too_early(false);
  EXPECT_NE(cuda::race_reports().at(1).text.find("stream.synchronize()"), std::string::npos);
}

TEST(RaceDetector, ThrowsBeforeTheOpRuns) {
  const cuda::RaceDetectorGuard guard(/*throws=*/true);
  const Tensor a = on(0, 3);
  const cuda::Stream side;
  run_on(side, [&] { a.sum(); });
  for (int i = 0; i < 2; ++i)  // each time
    EXPECT_NE(message_of([&] { a.fill_(4); }).find("Race: 'sum' and 'fill'"), std::string::npos);
  synchronize_all();
  EXPECT_EQ(a.sum().item<float>(), 3 * kCount);
}

}  // namespace
}  // namespace torch::taper
