// What the tests of data parallelism share.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <taper/taper.h>

#include "harness/devices.h"

namespace torch::taper::testing {

const Device cuda0(kCUDA, 0), cuda1(kCUDA, 1), cuda2(kCUDA, 2), cuda3(kCUDA, 3);

inline nn::DataParallelOptions on(std::vector<int64_t> ids) {
  return nn::DataParallelOptions().device_ids(std::move(ids));
}

/// A module made of one function of a tensor.
struct FunctionModule : nn::Cloneable<FunctionModule> {
  explicit FunctionModule(std::function<Tensor(const Tensor&)> f) : f(std::move(f)) {}
  void reset() override {}
  Tensor forward(const Tensor& x) { return f(x); }
  std::function<Tensor(const Tensor&)> f;
};
inline std::shared_ptr<FunctionModule> module_of(std::function<Tensor(const Tensor&)> f) {
  return std::make_shared<FunctionModule>(std::move(f));
}

}  // namespace torch::taper::testing
