// What the autograd tests share.
#pragma once

#include <gmock/gmock.h>
#include <pthread.h>

#include <taper/framework/autograd/anomaly.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "test_util.h"

namespace torch::taper::testing {

inline Tensor doubles(std::vector<double> v) { return values(std::move(v), kDouble); }
/// A leaf of float64 that requires a gradient.
inline Tensor leaf(std::vector<double> v) { return doubles(std::move(v)).requires_grad_(); }
inline Tensor scalar(double v) { return tensor_of({}, {v}, kDouble); }

/// A tensor whose memory reports when it is given back.
class Tracked {
 public:
  explicit Tracked(int64_t n = 4) : memory_(static_cast<size_t>(n), 1.0) {}
  Tensor make() {
    alive_ = true;
    return from_blob(
        memory_.data(), {static_cast<int64_t>(memory_.size())}, [this](void*) { alive_ = false; },
        kDouble);
  }
  bool alive() const { return alive_; }

 private:
  std::vector<double> memory_;
  bool alive_ = false;
};

/// Runs `body` on a thread whose stack has 1 MiB.
inline void run_on_small_stack(void (*body)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    reinterpret_cast<void (*)()>(f)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(body)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace torch::taper::testing
