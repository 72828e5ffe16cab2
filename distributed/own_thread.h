// The threads of a group. Not installed, defined in work.cpp.
#pragma once

#include <functional>
#include <thread>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::distributed::detail {

/// A thread that ends operations. A callback on it may release the last reference to its group,
/// which is then destroyed on this thread. Nobody can join the thread there, so it continues
/// detached, and the process waits for it at exit.
class OwnThread {
 public:
  OwnThread() = default;
  /// Runs f. f must keep alive everything it uses until it returns.
  explicit OwnThread(std::function<void()> f);
  /// Joins the thread, unless called on the thread itself.
  void end();
  bool is_running() const { return thread_.joinable(); }
  /// Waits for detached threads.
  static void wait_for_all_left();

 private:
  std::thread thread_;
};

}  // namespace torch::taper::distributed::detail
