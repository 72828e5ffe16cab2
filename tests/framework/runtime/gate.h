// Gate: holds a stream, so that tests of what runs beside what need no clock. On a GPU a function
// of the host stands in the stream; the driver may run only one such function at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <taper/framework/runtime/stream.h>

#include "harness/devices.h"

namespace torch::taper::testing {

/// A kernel "gate" on the current stream that ends when it is opened, at the latest by the
/// destructor, or after ten seconds: a test that is wrong fails, and does not hang.
class Gate {
 public:
  explicit Gate(DeviceIndex device = 0) {
    detail::launch_on(device, "gate", [state = state_] {
      if (cuda::is_simulated()) return state->hold();
      run_in_gpu_stream([state] { state->hold(); });
    });
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// Waits until the stream has come to the gate.
  void await() const { wait_for(state_->entered); }
  void open() { state_->open = true; }

 private:
  static void wait_for(const std::atomic<bool>& flag) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!flag && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  struct State {
    std::atomic<bool> entered{false}, open{false};
    void hold() {
      entered = true;
      wait_for(open);
    }
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace torch::taper::testing
