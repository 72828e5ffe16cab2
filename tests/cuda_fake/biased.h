// A product with a bias, of which handles, plans and products are tested.
#pragma once

#include <gtest/gtest.h>

#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/activation.h>

#include "cuda_fake/util.h"

namespace torch::taper::testing {

/// A product with a bias of 8 x 8 matrices on a device, and its memory.
struct Biased {
  Tensor a, b, c, bias;
  explicit Biased(DeviceIndex device = 0)
      : a(on_device(draw({8, 8}, kFloat), device)),
        b(on_device(draw({8, 8}, kFloat), device)),
        c(empty({8, 8}, a.options())),
        bias(on_device(draw({16}, kFloat), device)) {}
  cuda::ColumnMajorGemm product() const {
    return {kFloat, false, false,        8, 8, 8, 1, 0, a.data_ptr(), 8, 0, b.data_ptr(),
            8,      0,     c.data_ptr(), 8, 0, 1};
  }
  Tensor wanted() const {  // the transposed one, by rows
    return relu(b.cpu().matmul(a.cpu()).add(bias.cpu().narrow(0, 0, 8)));
  }
  void run(int64_t offset = 0) const {
    as_launch(a.get_device(), [&] {
      EXPECT_TRUE(cuda::run_gemm_with_bias(product(), bias.data_ptr<float>() + offset,
                                           cuda::GemmActivation::kRelu));
    });
  }
};

}  // namespace torch::taper::testing
