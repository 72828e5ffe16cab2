// Gate: holds a stream, so that tests of what runs beside what need no clock.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <taper/framework/runtime/stream.h>

namespace taper::testing {

/// A kernel "gate" on the current stream that ends when it is opened, at the latest by the
/// destructor.
class Gate {
 public:
  explicit Gate(DeviceIndex device = 0) {
    detail::launch_on(device, "gate", [state = state_] {
      state->entered = true;
      while (!state->open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// Waits until the stream has come to the gate.
  void await() const {
    while (!state_->entered) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  void open() { state_->open = true; }

 private:
  struct State {
    std::atomic<bool> entered{false}, open{false};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace taper::testing
