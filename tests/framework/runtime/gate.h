// A gate in a stream: what is queued behind it waits until the test opens it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <taper/framework/runtime/stream.h>

namespace taper::testing {

/// Holds the current stream until it is opened.
class Gate {
 public:
  explicit Gate(DeviceIndex device = 0) {
    detail::launch_on(device, "gate", [open = open_] {
      while (!*open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  }
  ~Gate() { open(); }
  void open() { *open_ = true; }

 private:
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace taper::testing
