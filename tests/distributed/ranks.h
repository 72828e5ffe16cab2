// Ranks for tests: threads of this process, or processes.
#pragma once

#include <gtest/gtest.h>
#include <taper/distributed/distributed.h>
#include <taper/taper.h>
#ifdef TAPER_WITH_GLOO
#include <taper/distributed/process_group_gloo.h>
#endif

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace torch::taper::testing {

using namespace distributed;

/// The text of what `work` throws; "" where it throws nothing.
std::string error_of(const std::function<void()>& work);

/// f(rank) in so many threads. What one throws comes out when all have ended.
void in_threads(int n, const std::function<void(int rank)>& f);
#ifdef TAPER_WITH_GLOO
/// A rank's group of so many, over the loopback.
intrusive_ptr<ProcessGroup> gloo_group(
    const intrusive_ptr<Store>& store, int rank, int n,
    std::chrono::milliseconds timeout = std::chrono::seconds(20));
/// f(group) in so many threads, each with its rank's group.
void in_groups(int n, const std::function<void(ProcessGroup& group)>& f,
               std::chrono::milliseconds timeout = std::chrono::seconds(20));
#endif

/// A process of this program that runs the named function (RANK_PROGRAM).
class RankProcess {
 public:
  RankProcess(const std::string& program, const std::map<std::string, std::string>& environment);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;
  /// Returns when a SIGSTOP has stopped it.
  void signal(int number);
  /// Its exit status; -1 after a signal. Fails the test, and kills it, after so many seconds.
  int wait(int seconds = 60);
  /// What it has written, once it has ended.
  std::string output() const;

 private:
  int pid_;
  std::string file_;
  bool ended_ = false;
};
/// The environment of a rank that meets the others at this port.
std::map<std::string, std::string> environment_of(int rank, int size, int port);
/// A port that is free now, and that no process gets which asks for any.
int free_port();

struct RankProgram {
  RankProgram(const char* name, void (*run)());
};
#define RANK_PROGRAM(name)                                             \
  void name();                                                         \
  const ::taper::testing::RankProgram registered_##name(#name, &name); \
  void name()

}  // namespace torch::taper::testing
