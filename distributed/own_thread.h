// The threads of a group. Not installed, defined in work.cpp.
#pragma once

#include <functional>
#include <thread>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::distributed::detail {

/// A thread of a group, which ends operations and runs their callbacks. A callback may release the
/// last reference to the group. Then this thread destroys the group. The thread cannot join itself,
/// so it is detached, and the process waits for it at exit.
class OwnThread {
 public:
  OwnThread() = default;
  /// Starts a thread that runs f. f must keep alive everything that it uses.
  explicit OwnThread(std::function<void()> f);
  /// Joins the thread. If the thread itself calls end(), detaches the thread.
  void end();
  bool is_running() const { return thread_.joinable(); }
  /// Waits for detached threads.
  static void wait_for_all_left();

 private:
  std::thread thread_;
};

}  // namespace torch::taper::distributed::detail
