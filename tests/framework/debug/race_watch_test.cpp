// The inside of the race detector, against naive models.
#include <taper/framework/debug/race_watch.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/runtime.h>
#include <taper/framework/runtime/stream.h>
#include <taper/ops/tensor/factory.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

namespace torch::taper::races {
namespace {

using detail::Access;

// ---------------------------------------------------------------------- extents
Access access_of(size_t at, size_t itemsize, Dims sizes, Dims strides) {
  return {reinterpret_cast<const void*>(at), itemsize, sizes, strides, false};
}

std::set<size_t> bytes_of(const Access& a) {
  std::set<size_t> starts{reinterpret_cast<size_t>(a.data)}, all;
  for (int64_t d = 0; d < a.sizes.size(); ++d) {
    std::set<size_t> next;
    for (size_t s : starts)
      for (int64_t i = 0; i < a.sizes[d]; ++i)
        next.insert(s + static_cast<size_t>(i * a.strides[d]) * a.itemsize);
    starts = next;
  }
  for (size_t s : starts)
    for (size_t b = 0; b < a.itemsize; ++b) all.insert(s + b);
  return all;
}

bool share(const Access& a, const Access& b) {
  const std::set<size_t> x = bytes_of(a), y = bytes_of(b);
  return std::any_of(x.begin(), x.end(), [&](size_t byte) { return y.count(byte) > 0; });
}

Access random_access(std::mt19937& draw) {
  Dims sizes, strides;
  for (int64_t d = draw() % 4; d > 0; --d) {
    sizes.push_back(draw() % 7 == 0 ? 0 : 1 + draw() % 5);
    strides.push_back(draw() % 9);
  }
  return access_of(1000 + draw() % 60, size_t{1} << (draw() % 4), sizes, strides);
}

TEST(RaceExtents, IntersectWhereBytesAreShared) {
  std::mt19937 draw(1);
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Access a = random_access(draw), b = random_access(draw);
    const bool expected = share(a, b);
    shared += expected;
    ASSERT_EQ(Extent(a).intersects(Extent(b)), expected)
        << a.data << ' ' << a.itemsize << ' ' << a.sizes << a.strides << " and " << b.data << ' '
        << b.itemsize << ' ' << b.sizes << b.strides;
  }
  EXPECT_GT(shared, 2000);
  EXPECT_LT(shared, 18000);
}

TEST(RaceExtents, LargeInterleavedViewsAreToldApartAtOnce) {
  const int64_t n = int64_t{1} << 20;
  const Extent even(access_of(4096, 4, {n, 64, 8}, {1024, 16, 2}));
  const Extent odd(access_of(4100, 4, {n, 64, 8}, {1024, 16, 2}));
  EXPECT_FALSE(even.intersects(odd));
  EXPECT_TRUE(even.intersects(even));
  EXPECT_TRUE(odd.intersects(Extent(access_of(4096 + 4 * 1023, 4, {n}, {1024}))));
  EXPECT_FALSE(even.intersects(Extent(access_of(4096 + 4 * 1023, 4, {n}, {1024}))));
  // Other steps on both sides, and never the same place.
  const Extent every_fourth(access_of(4096, 4, {n}, {4}));
  EXPECT_FALSE(every_fourth.intersects(Extent(access_of(4100, 4, {n}, {6}))));
  EXPECT_TRUE(every_fourth.intersects(Extent(access_of(4104, 4, {n}, {6}))));
}

// ---------------------------------------------------------------------- order
struct FakeStream final : detail::StreamImpl {
  FakeStream() : StreamImpl(0, 0) {}
};
struct FakeEvent final : detail::EventImpl {};

/// The same questions answered with sets: which launches come before a point.
struct Model {
  using Known = std::set<size_t>;
  struct Past {
    std::set<size_t> bytes;
    bool writes;
  };
  std::vector<Known> streams, events;
  Known host;
  std::vector<Past> launches;

  bool races(const Known& known, const Past& now) const {
    for (size_t i = 0; i < launches.size(); ++i)
      if (!known.count(i) && (now.writes || launches[i].writes) &&
          std::any_of(now.bytes.begin(), now.bytes.end(),
                      [&](size_t b) { return launches[i].bytes.count(b) > 0; }))
        return true;
    return false;
  }
  static void join(Known& to, const Known& from) { to.insert(from.begin(), from.end()); }
};

/// Plays the same random program to the detector and to the model.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : draw_(seed) {
    model_.streams.resize(kStreams);
    model_.events.resize(kEvents);
    detector_.reset(/*throws=*/true);
  }

  void step() {
    switch (draw_() % 10) {
      case 0:
        return record(draw_() % kEvents, draw_() % kStreams);
      case 1:
        return wait(draw_() % kStreams, draw_() % kEvents);
      case 2:
        return synchronize(draw_() % kStreams);
      case 3:
        return host_works();
      default:
        return launch(draw_() % kStreams);
    }
  }
  int races() const { return races_; }

 private:
  static constexpr size_t kStreams = 3, kEvents = 2;

  void record(size_t e, size_t s) {
    detector_.record(&events_[e], &streams_[s]);
    Model::join(model_.streams[s], model_.host);
    model_.events[e] = model_.streams[s];
  }
  void wait(size_t s, size_t e) {
    detector_.wait(&streams_[s], &events_[e]);
    Model::join(model_.streams[s], model_.events[e]);
  }
  void synchronize(size_t s) {
    if (draw_() % 4) return;  // not too often
    detector_.host_reaches(detector_.clock_of(&streams_[s]));
    Model::join(model_.host, model_.streams[s]);
  }
  Access random_use() {
    Dims sizes{static_cast<int64_t>(1 + draw_() % 6)},
        strides{static_cast<int64_t>(1 + draw_() % 3)};
    Access a = access_of(4096 + draw_() % 40, 1, sizes, strides);
    a.writes = draw_() % 3 == 0;
    return a;
  }
  bool detected(detail::StreamImpl* s, const Access& a) {
    try {
      detector_.launch(s, "work", {a});
    } catch (const Error&) {
      ++races_;
      return true;
    }
    return false;
  }
  void host_works() {
    const Access a = random_use();
    const bool expected = model_.races(model_.host, {bytes_of(a), a.writes});
    ASSERT_EQ(detected(nullptr, a), expected);
  }
  void launch(size_t s) {
    const Access a = random_use();
    const Model::Past now{bytes_of(a), a.writes};
    Model::join(model_.streams[s], model_.host);
    const bool expected = model_.races(model_.streams[s], now);
    ASSERT_EQ(detected(&streams_[s], a), expected);
    if (expected) return;
    model_.streams[s].insert(model_.launches.size());
    model_.launches.push_back(now);
  }

  std::mt19937 draw_;
  Detector detector_;
  Model model_;
  FakeStream streams_[kStreams];
  FakeEvent events_[kEvents];
  int races_ = 0;
};

TEST(RaceOrder, IsThatOfTheNaiveModel) {
  int races = 0;
  for (uint32_t seed = 0; seed < 30 && !::testing::Test::HasFailure(); ++seed) {
    RandomProgram program(seed);
    for (int i = 0; i < 150 && !::testing::Test::HasFailure(); ++i) program.step();
    races += program.races();
  }
  EXPECT_GT(races, 100);
}

TEST(RaceOrder, ShadowMemoryStaysSmallInALoop) {
  Shadow shadow;
  Clock clock;
  for (uint64_t i = 1; i <= 1000; ++i) {
    auto launch = std::make_shared<Launch>();
    launch->number = i;
    clock.set(0, i - 1);
    const Access a = access_of(4096 + 64 * (i % 5), 1, {64}, {1});
    shadow.add(std::make_shared<Use>(Use{launch, Extent(a), true}), clock);
  }
  EXPECT_LE(shadow.size(), 6u);
  clock.set(0, 1000);
  shadow.forget_before(clock);
  EXPECT_EQ(shadow.size(), 0u);
}

// Its address may belong to another event later.
TEST(RaceOrder, AnEventThatIsGoneIsForgotten) {
  const cuda::RaceDetectorGuard guard;
  const auto launches_before = [](detail::EventImpl* event) {
    const Clock clock = detector().clock_of(event);
    uint64_t sum = 0;
    for (uint32_t stream = 0; stream < 100; ++stream) sum += clock[stream];
    return sum;
  };
  ones({2}, kCUDA);
  Runtime& runtime = detail::require_cuda();
  detail::EventImpl* const event = runtime.make_event(false);
  runtime.record(event, cuda::current_stream().impl());
  EXPECT_GT(launches_before(event), 0u);
  runtime.destroy_event(event);
  EXPECT_EQ(launches_before(event), 0u);
}

TEST(RaceEnvironment, TurnsTheDetectorOn) {
  const cuda::RaceDetectorGuard restores;
  const char* before = std::getenv("TAPER_RACE_DETECTOR");
  const std::string value = before ? before : "0";
  for (const char* mode : {"", "0", "1", "throw"}) {
    cuda::enable_race_detector(false);
    setenv("TAPER_RACE_DETECTOR", mode, 1);
    enable_from_environment();
    EXPECT_EQ(cuda::race_detector_enabled(), *mode && *mode != '0') << mode;
    EXPECT_EQ(detector().throws(), *mode == 't') << mode;
  }
  setenv("TAPER_RACE_DETECTOR", "maybe", 1);
  EXPECT_THROW(enable_from_environment(), ValueError);
  setenv("TAPER_RACE_DETECTOR", value.c_str(), 1);
}

}  // namespace
}  // namespace torch::taper::races
