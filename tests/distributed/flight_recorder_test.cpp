#ifdef TAPER_WITH_GLOO
#include <taper/distributed/flight_recorder.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "distributed/group_cases.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using Tensors = std::vector<Tensor>;
using Json = nlohmann::json;

/// The operations of the last group of this rank, also when it is gone.
Json entries_of(const Json& record, int rank) {
  Json found;
  int last = -1;
  for (const Json& group : record["process_groups"])
    if (group["rank"] == rank && group["pg_id"] > last) {
      last = group["pg_id"];
      found = group["entries"];
    }
  return found;
}

TEST(FlightRecorder, KeepsWhatGroupsHaveDone) {
  in_groups(2, [](ProcessGroup& g) {
    const int rank = g.getRank();
    Tensors t = {ones({2, 3})}, m = {ones({4}, kLong)};
    g.allreduce(t)->wait();
    std::vector<Tensors> out = {{zeros({2, 3}), zeros({2, 3})}};
    g.allgather(out, t)->wait();
    (rank == 0 ? g.send(m, 1, 0) : g.recv(m, 0, 0))->wait();
    g.barrier()->wait();
  });
  const Json record = Json::parse(distributed::flight_record());
  for (int rank = 0; rank < 2; ++rank) {
    const Json entries = entries_of(record, rank);
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(entries[0]["profiling_name"], "gloo:allreduce");
    EXPECT_EQ(entries[0]["input_sizes"], Json::parse("[[2,3]]"));
    EXPECT_EQ(entries[0]["input_dtypes"], Json::parse("[\"Float\"]"));
    EXPECT_EQ(entries[1]["output_sizes"], Json::parse("[[12]]"));
    EXPECT_EQ(entries[1]["collective_seq_id"], 2);
    EXPECT_EQ(entries[2]["profiling_name"], rank == 0 ? "gloo:send" : "gloo:recv");
    EXPECT_EQ(entries[2]["p2p_seq_id"], 1);
    EXPECT_EQ(entries[2]["is_p2p"], true);
    EXPECT_EQ(entries[2]["peer"], 1 - rank);
    EXPECT_EQ(entries[3]["collective_seq_id"], 3);
    EXPECT_EQ(entries[3]["input_sizes"], Json::array());
    for (const Json& e : entries) {
      EXPECT_EQ(e["state"], "completed");
      EXPECT_EQ(e["timeout_ms"], 20000);
      EXPECT_LE(e["time_created_ns"], e["time_discovered_started_ns"]);
      EXPECT_LE(e["time_discovered_started_ns"], e["time_discovered_completed_ns"]);
    }
  }
}

TEST(FlightRecorder, ForgetsWhatIsOld) {
  ::setenv("TAPER_FLIGHT_RECORD_SIZE", "3", 1);
  in_groups(1, [](ProcessGroup& g) {
    for (int i = 0; i < 10; ++i) g.barrier()->wait();
    const Json entries = entries_of(Json::parse(distributed::flight_record()), 0);
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0]["collective_seq_id"], 8);
    EXPECT_EQ(entries[2]["record_id"], 9);
  });
  ::unsetenv("TAPER_FLIGHT_RECORD_SIZE");
}

// An entry that is used again holds nothing of its former operation.
TEST(FlightRecorder, EntriesThatAreUsedAgainBeginAnew) {
  ::setenv("TAPER_FLIGHT_RECORD_SIZE", "2", 1);
  std::atomic<bool> is_read{false};
  in_groups(2, [&](ProcessGroup& g) {
    Tensors t = {ones({2, 3})}, m = {ones({4}, kLong)};
    for (int i = 0; i < 5; ++i) g.allreduce(t)->wait();
    if (g.getRank() == 1) {
      for (int i = 0; i < 10000 && !is_read; ++i) std::this_thread::sleep_for(1ms);
      g.send(m, 0, 0)->wait();
      return;
    }
    const auto work = g.recv(m, 1, 0);  // waits for rank 1
    std::this_thread::sleep_for(20ms);
    const Json entries = entries_of(Json::parse(distributed::flight_record()), 0);
    is_read = true;
    work->wait();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0]["state"], "completed");
    const Json& e = entries[1];
    EXPECT_EQ(e["profiling_name"], "gloo:recv");
    EXPECT_NE(e["state"], "completed");
    EXPECT_EQ(e["time_discovered_completed_ns"], 0);
    EXPECT_EQ(e["peer"], 1);
    EXPECT_EQ(e["is_p2p"], true);
    EXPECT_EQ(e["collective_seq_id"], 0);
    EXPECT_EQ(e["input_sizes"], Json::array());
    EXPECT_EQ(e["output_sizes"], Json::parse("[[4]]"));
  });
  ::unsetenv("TAPER_FLIGHT_RECORD_SIZE");
}

// A rank that does not come: the error and the file name the operation and its number.
TEST(FlightRecorder, IsWrittenWhenATimeLimitHasPassed) {
  const std::string file = ::testing::TempDir() + "flight_" + std::to_string(::getpid());
  ::setenv("TAPER_FLIGHT_RECORD", file.c_str(), 1);
  in_groups(2, [](ProcessGroup& g) {
    g.barrier()->wait();
    if (g.getRank() == 1) {
      std::this_thread::sleep_for(1s);
      return;
    }
    g.setTimeout(300ms);
    Tensors t = {ones({5})};
    const std::string message = error_of([&] { g.allreduce(t)->wait(); });
    EXPECT_NE(message.find("rank 0 of 2: allreduce of Float[5] (operation 2)"), std::string::npos)
        << message;
  });
  ::unsetenv("TAPER_FLIGHT_RECORD");
  std::ifstream in(file + ".0");
  ASSERT_TRUE(in.is_open());
  const Json entries = entries_of(Json::parse(in), 0);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0]["state"], "completed");
  EXPECT_EQ(entries[1]["state"], "failed");
  EXPECT_EQ(entries[1]["collective_seq_id"], 2);
  EXPECT_NE(entries[1]["error"].get<std::string>().find("allreduce"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file + ".1"));
  std::filesystem::remove(file + ".0");
}

// Read while operations run: always whole JSON.
TEST(FlightRecorder, CanBeReadAtAnyTime) {
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends) EXPECT_TRUE(Json::accept(distributed::flight_record()));
  });
  in_groups(2, [](ProcessGroup& g) {
    for (int i = 0; i < 300; ++i) {
      Tensors t = {ones({3})};
      g.allreduce(t)->wait();
    }
  });
  ends = true;
  reader.join();
}

}  // namespace
}  // namespace torch::taper::testing
#endif
