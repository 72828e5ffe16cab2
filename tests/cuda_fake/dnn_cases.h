// What tests of the fake cuDNN's layers share.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/framework/cuda/gpu/cudnn.h>

#include "cuda_fake/util.h"

namespace torch::taper::testing {

inline double tolerance_of(ScalarType dtype) {
  return dtype == kDouble ? 1e-10 : dtype == kFloat ? 1e-4 : dtype == kHalf ? 1e-2 : 8e-2;
}
inline Tensor like(const Tensor& t, Device device = kCPU) {
  return t.defined() ? empty(t.sizes(), t.options().device(device)) : Tensor();
}
inline Tensor there(const Tensor& t) { return t.defined() ? on_device(t) : t; }
/// What f gives for leaves of these numbers, and its gradients, on the host and on a device.
template <class F>
void expect_op_as_on_host(const std::vector<Tensor>& inputs, const F& f, double tolerance = 1e-4) {
  std::vector<std::vector<Tensor>> results;
  Tensor g;
  for (bool on_gpu : {false, true}) {
    std::vector<Tensor> leaves;
    for (const Tensor& t : inputs)
      leaves.push_back((on_gpu ? there(t) : t.clone()).detach().requires_grad_());
    const Tensor y = f(leaves);
    if (!g.defined()) g = draw(y.sizes(), y.scalar_type());
    std::vector<Tensor> all = autograd::grad({y}, leaves, {on_gpu ? there(g) : g});
    all.push_back(y.detach());
    results.push_back(all);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    expect_close(results[1][i].cpu(), results[0][i], tolerance);
}

inline void expect_refused(const std::string& rule, const std::function<void()>& body) {
  SCOPED_TRACE(rule);
  expect_violation(rule, [&] { as_launch(0, body); });
}
inline void set_tensor(const cuda::TensorDescription& d, const std::vector<int>& sizes,
                       const std::vector<int>& strides, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
  cudnnSetTensorNdDescriptor(d.get(), type, static_cast<int>(sizes.size()), sizes.data(),
                             strides.data());
}
inline void set_tensor(const cuda::TensorDescription& d, const std::vector<int>& sizes) {
  set_tensor(d, sizes, cuda::cudnn_strides(sizes));
}

}  // namespace torch::taper::testing
