// The threads of a group. Not installed; defined in work.cpp.
#pragma once

#include <functional>
#include <thread>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::distributed::detail {

/// A thread that ends operations. A callback on it may let go of the last share of its group, which
/// then ends on this very thread: nobody can wait for it there, so it runs to its end by itself,
/// and the process waits for it at its exit.
class OwnThread {
 public:
  OwnThread() = default;
  /// Runs f, which keeps alive what it uses until it has returned.
  explicit OwnThread(std::function<void()> f);
  /// Waits for its end, but on the thread itself.
  void end();
  bool is_running() const { return thread_.joinable(); }
  /// Waits for those that run to their end by themselves.
  static void wait_for_all_left();

 private:
  std::thread thread_;
};

}  // namespace torch::taper::distributed::detail
