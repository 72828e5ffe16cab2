#ifdef TAPER_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <taper/distributed/process_group_mpi.h>
#ifdef TAPER_WITH_UTILS
#include <taper/utils/profiler/profiler.h>
#endif
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "distributed/group_cases.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using Tensors = std::vector<Tensor>;

/// What `mpirun -np n` says of a RANK_PROGRAM, and its exit status.
struct MpiRun {
  std::string output;
  int status = -1;
  MpiRun(const std::string& program, int n, const std::string& settings = "") {
    char folder[] = "/tmp/taper_mpi_XXXXXX";
    EXPECT_NE(::mkdtemp(folder), nullptr);
    // (The leaks that LeakSanitizer would tell of are MPI's.)
    const std::string command =
        "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMP_NUM_THREADS=1 TEST_FOLDER=" +
        std::string(folder) + " TAPER_RANK_PROGRAM=" + program + " " + settings +
        " timeout -k 5 100 mpirun --allow-run-as-root --oversubscribe -np " + std::to_string(n) +
        " '" + executable() + "' 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    char text[4096];
    for (size_t read; (read = std::fread(text, 1, sizeof text, pipe)) > 0;)
      output.append(text, read);
    status = ::pclose(pipe);
    std::filesystem::remove_all(folder);
  }
  static std::string executable() {
    char path[4096] = "";
    EXPECT_GT(::readlink("/proc/self/exe", path, sizeof path - 1), 0);
    return path;
  }
  int count(const std::string& words) const {
    int n = 0;
    for (size_t at = output.find(words); at != std::string::npos; at = output.find(words, at + 1))
      ++n;
    return n;
  }
};

/// Prints it whole: lines of ranks do not mix.
void say(const std::string& words) { std::cout << words + "\n" << std::flush; }

/// Waits until all of n ranks are here. mpirun ends all processes when one has ended without
/// MPI_Finalize, as it does after a failure: what the others have to say would be lost. Rank 0 goes
/// first: where all end at once, Open MPI 4.1's mpirun now and then waits for a lock of its own.
void leave_together(int n) {
  namespace files = std::filesystem;
  const files::path folder = std::getenv("TEST_FOLDER");
  const std::string rank = std::getenv("OMPI_COMM_WORLD_RANK");
  std::ofstream(folder / rank).flush();
  const auto here = [&] {
    return std::distance(files::directory_iterator(folder), files::directory_iterator());
  };
  for (int i = 0; i < 6000 && here() < n; ++i) std::this_thread::sleep_for(10ms);
  if (rank != "0") std::this_thread::sleep_for(5s);
}

class ProcessGroupMpi : public ::testing::Test {
  void SetUp() override {
    if (std::system("command -v mpirun >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
};

// ---------------------------------------------------------------------- what it does
RANK_PROGRAM(mpi_all) {
  const auto group = init_process_group("mpi", 60s);
  EXPECT_EQ(group->getBackendName(), "mpi");
  EXPECT_EQ(group->getSize(), 4);
  for (const Device device :
       {Device(kCPU), Device(kCUDA, static_cast<DeviceIndex>(group->getRank() % 2))}) {
    group_cases::reductions(*group, device);
    group_cases::moves(*group, device);
    group_cases::waits(*group, device);
    group_cases::roots(*group, device);
    group_cases::gathers(*group, device);
    group_cases::scatters(*group, device);
    group_cases::alltoall(*group, device);
    group_cases::from_anyone(*group, device);
    group_cases::meanwhile(*group, device);
    group_cases::same_bits(*group, device);
    group_cases::futures(*group, device);
    group_cases::messages_in_any_order(*group, device);
  }
  group_cases::parts(*group);
  group->monitoredBarrier();
  Tensors t = {zeros({1})};
  EXPECT_THROW(group->recv(t, (group->getRank() + 1) % 4, -1), ValueError);
}

// Groups of some ranks, used at the same time as that of all.
RANK_PROGRAM(mpi_groups) {
  const auto all = init_process_group("mpi", 60s);
  const auto odd = new_group({3, 1}), even = new_group({0, 2});
  const int rank = get_rank();
  EXPECT_EQ(odd.defined(), rank % 2 == 1);
  const auto& own = rank % 2 ? odd : even;
  EXPECT_EQ(own->getRank(), rank % 2 ? (rank == 3 ? 0 : 1) : rank / 2);
  std::vector<Tensors> of_all(10), of_own(10);
  std::vector<intrusive_ptr<Work>> works;
  for (size_t i = 0; i < of_all.size(); ++i) {
    of_all[i] = {full({100}, static_cast<double>(rank))};
    of_own[i] = {full({100}, static_cast<double>(rank))};
    works.push_back(own->allreduce(of_own[i]));
    works.push_back(all->allreduce(of_all[i]));
  }
  for (const auto& work : works) work->wait();
  EXPECT_EQ(of_all[9][0][0].item<float>(), 6);
  EXPECT_EQ(of_own[9][0][0].item<float>(), rank % 2 ? 4 : 2);
  EXPECT_THROW(new_group({0, 0}), ValueError);
  EXPECT_THROW(distributed::ProcessGroupMPI::createProcessGroupMPI({9}), ValueError);
}

// A message meets its receiver although a collective was called before it on one side only.
RANK_PROGRAM(mpi_order) {
  const auto group = distributed::ProcessGroupMPI::createProcessGroupMPI({}, 20s);
  const int rank = group->getRank();
  Tensors sum = {ones({3})}, to = {full({2}, 1.0 + rank)}, from = {zeros({2})};
  intrusive_ptr<Work> first;
  if (rank == 0) first = group->allreduce(sum);
  const auto received = group->recv(from, 1 - rank, 0);  // both receive before they send
  const auto sent = group->send(to, 1 - rank, 0);
  received->wait();
  sent->wait();
  if (rank == 1) first = group->allreduce(sum);
  first->wait();
  EXPECT_EQ(from[0][0].item<float>(), 2.0f - static_cast<float>(rank));
  EXPECT_EQ(sum[0][0].item<float>(), 2);
  // As programs for LibTorch before 1.9 write it.
  std::shared_ptr<distributed::ProcessGroupMPI> shared = group;
  std::vector<std::shared_ptr<distributed::ProcessGroup::Work>> works;
  auto work = shared->allreduce(sum);
  works.push_back(std::move(work));
  works[0]->wait();
  EXPECT_EQ(sum[0][0].item<float>(), 4);
}

#ifdef TAPER_WITH_UTILS
// A sum waits for the other rank while messages come and go: they overlap, so they lie on rows of
// their own.
RANK_PROGRAM(mpi_profile) {
  using utils::profiler::Event;
  const auto group = distributed::ProcessGroupMPI::createProcessGroupMPI({}, 20s);
  const int rank = group->getRank();
  Tensors sum = {ones({3})}, to = {ones({2})}, from = {zeros({2})};
  group->barrier()->wait();
  utils::profiler::Profile profile;
  intrusive_ptr<Work> first;
  if (rank == 0) first = group->allreduce(sum);
  const auto received = group->recv(from, 1 - rank, 0);
  group->send(to, 1 - rank, 0)->wait();
  received->wait();
  if (rank == 1) first = group->allreduce(sum);
  first->wait();
  profile.stop();
  const auto only = [&](const std::string& name) {
    std::vector<Event> found;
    for (const Event& e : profile.events())
      if (e.name.rfind(name, 0) == 0) found.push_back(e);
    EXPECT_EQ(found.size(), 1u) << name;
    return found.empty() ? Event() : found[0];
  };
  const Event all = only("allreduce of Float[3]"), recv = only("recv of Float[2]");
  EXPECT_GT(only("send of Float[2]").duration_ns(), 0);
  EXPECT_NE(all.thread, 0);
  if (rank == 0) {
    EXPECT_LE(all.begin_ns, recv.begin_ns);
    EXPECT_LT(recv.begin_ns, all.end_ns);
    EXPECT_NE(all.thread, recv.thread);
  } else {
    EXPECT_GE(all.begin_ns, recv.begin_ns);
  }
  for (const Event& a : profile.events())
    for (const Event& b : profile.events())
      EXPECT_TRUE(&a == &b || a.thread != b.thread || a.parent != -1 || b.parent != -1 ||
                  a.end_ns <= b.begin_ns || b.end_ns <= a.begin_ns)
          << a.name << " and " << b.name << " are on one row";
}

TEST_F(ProcessGroupMpi, OperationsAreInProfiles) {
  const MpiRun run("mpi_profile", 2);
  EXPECT_EQ(run.status, 0) << run.output;
}
#endif

RANK_PROGRAM(mpi_let_go) {
  for (const bool in_destructor : {false, true})
    group_cases::let_go_in_a_callback(distributed::ProcessGroupMPI::createProcessGroupMPI({}, 20s),
                                      Device(kCPU), in_destructor);
  say("went on");
}

TEST_F(ProcessGroupMpi, AllOperationsOnAllDtypesAndDevices) {
  const MpiRun run("mpi_all", 4);
  EXPECT_EQ(run.status, 0) << run.output;
}
TEST_F(ProcessGroupMpi, GroupsOfSomeRanks) {
  const MpiRun run("mpi_groups", 4);
  EXPECT_EQ(run.status, 0) << run.output;
}
TEST_F(ProcessGroupMpi, MayBeLetGoInACallbackOfItsOwn) {
  const MpiRun run("mpi_let_go", 2);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.count("went on"), 2) << run.output;
}
TEST_F(ProcessGroupMpi, MessagesBesideCollectives) {
  const MpiRun run("mpi_order", 2);
  EXPECT_EQ(run.status, 0) << run.output;
}

// ---------------------------------------------------------------------- faults
// All ranks hear of it at once, long before the time limit.
RANK_PROGRAM(mpi_disagree) {
  const auto group = init_process_group("mpi", 60s);
  const int rank = get_rank();
  Tensors t = {zeros({rank == 0 ? 3 : 300})};
  say(error_of([&] { group->allreduce(t)->wait(); }));
  Tensors again = {zeros({3})};
  EXPECT_THROW(group->allreduce(again)->wait(), DistError);
  leave_together(4);
}
RANK_PROGRAM(mpi_other_operation) {
  const auto group = init_process_group("mpi", 60s);
  Tensors t = {zeros({3})};
  say(error_of([&] { (get_rank() == 0 ? group->allreduce(t) : group->broadcast(t))->wait(); }));
  leave_together(2);
}
// One rank does not come: the others hear it, the memory that MPI may still write stays.
RANK_PROGRAM(mpi_late) {
  const auto group = init_process_group("mpi", 60s);
  const int rank = get_rank();
  BarrierOptions soon;
  soon.timeout = 500ms;
  if (rank != 2) {
    say(error_of([&] { group->monitoredBarrier(soon, true); }));
    group->setTimeout(500ms);
    Tensors t = {ones({10})};
    say(error_of([&] { group->allreduce(t)->wait(); }));
  } else {
    std::this_thread::sleep_for(3s);
  }
  leave_together(4);
}
RANK_PROGRAM(mpi_no_group) {
  if (std::getenv("OMPI_COMM_WORLD_RANK") == std::string("1")) {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    std::this_thread::sleep_for(2s);
    return;
  }
  say(error_of([] { distributed::ProcessGroupMPI::createProcessGroupMPI({}, 300ms); }));
  say(error_of([] { distributed::ProcessGroupMPI::createProcessGroupMPI({1, 0}, 300ms); }));
}
RANK_PROGRAM(mpi_without_threads) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  say(error_of([] { distributed::ProcessGroupMPI::createProcessGroupMPI(); }));
  MPI_Finalize();
}

TEST_F(ProcessGroupMpi, RanksThatDisagree) {
  const auto begun = std::chrono::steady_clock::now();
  const MpiRun run("mpi_disagree", 4);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 50s);
  for (int r = 0; r < 4; ++r)
    EXPECT_EQ(run.count("rank " + std::to_string(r) + " of 4: allreduce of Float[" +
                        (r == 0 ? "3" : "300") + "] (operation 1) failed: other ranks have called"),
              1)
        << run.output;
  EXPECT_EQ(run.count(": rank 1 has called allreduce of Float[300] (operation 1), SUM"), 1);
  EXPECT_EQ(run.count(": rank 0 has called allreduce of Float[3] (operation 1), SUM"), 3);
  const MpiRun other("mpi_other_operation", 2);
  EXPECT_EQ(other.count("other ranks have called another operation"), 2) << other.output;
  EXPECT_EQ(other.count(": rank 1 has called broadcast of Float[3] (operation 1), root 0"), 1);
}
TEST_F(ProcessGroupMpi, ARankThatDoesNotCome) {
  const std::string file = ::testing::TempDir() + "mpi_flight_" + std::to_string(::getpid());
  const MpiRun run("mpi_late", 4, "TAPER_FLIGHT_RECORD='" + file + "'");
  EXPECT_EQ(run.count("rank 2 did not come within 500 ms"), 1) << run.output;
  EXPECT_EQ(run.count("did not hear from rank 0"), 2) << run.output;
  for (const char* rank : {"0", "1", "3"}) {
    EXPECT_EQ(
        run.count(std::string("rank ") + rank +
                  " of 4: allreduce of Float[10] (operation 2) failed: it goes on after 500 ms"),
        1)
        << run.output;
    std::ifstream in(file + "." + rank);
    std::ostringstream text;
    text << in.rdbuf();
    EXPECT_NE(text.str().find("it goes on after 500 ms"), std::string::npos) << rank;
    ::unlink((file + "." + rank).c_str());
  }
}
TEST_F(ProcessGroupMpi, AGroupThatDoesNotComeAbout) {
  const MpiRun run("mpi_no_group", 2);
  EXPECT_EQ(run.count("not all ranks came to make the group within 300 ms"), 1) << run.output;
  EXPECT_EQ(run.count("rank 0 did not hear of a new group from rank 1 within 300 ms"), 1)
      << run.output;
}
TEST_F(ProcessGroupMpi, AnMpiWithoutThreads) {
  const MpiRun run("mpi_without_threads", 1);
  EXPECT_EQ(run.count("got MPI_THREAD_FUNNELED; the program should call MPI_Init_thread"), 1)
      << run.output;
}

}  // namespace
}  // namespace torch::taper::testing
#endif
