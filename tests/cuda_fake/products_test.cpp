// Products on fakes of cuBLAS and cuBLASLt that compute. Each rule that these check is broken once
// on purpose. (Handles: launches_test.cpp.)
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <taper/framework/core/context.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/tensor/tensor.h>

#include "cuda_fake/biased.h"
#include "cuda_fake/util.h"

namespace torch::taper {
namespace {

using testing::as_launch;
using testing::Biased;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::in_own_process;
using testing::message_of;
using testing::on_device;

double tolerance_of(ScalarType dtype) {
  return dtype == kDouble ? 1e-12 : dtype == kFloat ? 1e-5 : dtype == kHalf ? 2e-2 : 1e-1;
}
/// A batch of matrices by columns, in memory that is wider and longer than they are, and what they
/// are to the host.
struct Columns {
  Tensor host, memory;  // host: batch x rows x cols
  int64_t leading, step;

  Columns(int64_t batch, int64_t rows, int64_t cols, ScalarType dtype, int64_t wider)
      : leading(rows + wider), step(leading * (cols + 1)) {
    const Tensor all = draw({batch, cols + 1, leading}, dtype);
    host = all.narrow(1, 0, cols).narrow(2, 0, rows).transpose(1, 2);
    memory = on_device(all);
    rows_ = rows, cols_ = cols;
  }
  Tensor now() const {
    return memory.cpu().narrow(1, 0, cols_).narrow(2, 0, rows_).transpose(1, 2);
  }

 private:
  int64_t rows_, cols_;
};

void expect_products(ScalarType dtype, bool ta, bool tb, int64_t batch, double beta) {
  const int64_t m = 5, n = 4, k = 3;
  const Columns a(batch, ta ? k : m, ta ? m : k, dtype, 2);
  const Columns b(batch, tb ? n : k, tb ? k : n, dtype, 0);
  const Columns c(batch, m, n, dtype, 1);
  const auto wide = [](const Tensor& t, bool transposed) {
    return (transposed ? t.transpose(1, 2) : t).to(kDouble);
  };
  const Tensor wanted =
      wide(a.host, ta).matmul(wide(b.host, tb)).mul(0.5).add(wide(c.host, false), beta);
  as_launch(0, [&] {
    cuda::run_gemm({dtype, ta, tb, m, n, k, 0.5, beta, a.memory.data_ptr(), a.leading, a.step,
                    b.memory.data_ptr(), b.leading, b.step, c.memory.data_ptr(), c.leading, c.step,
                    batch});
  });
  expect_close(c.now(), wanted, tolerance_of(dtype));
}

TEST(FakeCudaProducts, AreThoseOfTheHost) {
  in_own_process([] {
    for (ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16})
      for (bool ta : {false, true})
        for (bool tb : {false, true})
          for (int64_t batch : {1, 3})
            for (double beta : {0.0, 1.5}) expect_products(dtype, ta, tb, batch, beta);
    EXPECT_EQ(fake_cuda::live().handles, 1);
  });
}

TEST(FakeCudaProducts, ABetaOfZeroReadsNothingAndAFactorMayBeTheSameForAll) {
  in_own_process([] {
    const Tensor a = draw({2, 2}, kFloat), b = draw({3, 2, 2}, kFloat);
    const Tensor da = on_device(a), db = on_device(b);
    const Tensor y = on_device(full({3, 2, 2}, NAN));
    as_launch(0, [&] {
      cuda::run_gemm({kFloat, false, false, 2, 2, 2, 1, 0, da.data_ptr(), 2, 0, db.data_ptr(), 2, 4,
                      y.data_ptr(), 2, 4, 3});
    });
    expect_close(y.cpu(), b.matmul(a), 1e-5);  // of the transposed ones
  });
}

TEST(FakeCudaProducts, RoundFactorsWhereThatIsAllowed) {
  in_own_process([] {
    const Tensor one = on_device(full({1}, 1.0)), x = on_device(full({1}, 1 + 0x1p-12));
    const Tensor y = empty({1}, x.options());
    for (bool tf32 : {false, true}) {
      globalContext().setAllowTF32CuBLAS(tf32);
      as_launch(0, [&] {
        cuda::run_gemm({kFloat, false, false, 1, 1, 1, 1, 0, one.data_ptr(), 1, 0, x.data_ptr(), 1,
                        0, y.data_ptr(), 1, 0, 1});
      });
      EXPECT_EQ(y.cpu().item<float>(), tf32 ? 1 : 1 + 0x1p-12F);
    }
  });
}

/// 1 + small - 1 as a product: `small` where the sum's first half is not rounded to `dtype`, else
/// 0.
struct Sum {
  Tensor a, b, y;
  explicit Sum(ScalarType dtype, double small)
      : a(on_device(tensor({1.0, small, -1.0, 0.0}, kDouble).to(dtype).repeat({2}))),
        b(on_device(ones({8}, dtype))),
        y(empty({2}, b.options())) {}
  double operator()(int64_t batch = 1) const {
    as_launch(0, [&] {
      cuda::run_gemm({a.scalar_type(), true, false, 1, 1, 4, 1, 0, a.data_ptr(), 4, 4, b.data_ptr(),
                      4, 4, y.data_ptr(), 1, 1, batch});
    });
    return y.cpu()[batch - 1].item<double>();
  }
};
/// Sets one switch of a dtype's reductions; the other one forbids all.
void allow(ScalarType dtype, bool reduced, bool split) {
  Context& c = globalContext();
  c.setAllowFP16ReductionCuBLAS(dtype == kHalf && reduced, dtype != kHalf || split);
  c.setAllowBF16ReductionCuBLAS(dtype == kBFloat16 && reduced, dtype != kBFloat16 || split);
}

TEST(FakeCudaProducts, RoundPartsOfSumsWhereThatIsAllowed) {
  in_own_process([] {
    using fake_cuda::Parts;
    for (ScalarType dtype : {kHalf, kBFloat16}) {
      const double small = dtype == kHalf ? 0x1p-12 : 0x1p-9;  // half of what 1 can be changed by
      const Sum sum(dtype, small);
      for (int64_t batch : {1, 2}) {
        allow(dtype, true, true);
        EXPECT_EQ(sum(batch), 0) << dtype;
        allow(dtype, false, true);
        EXPECT_EQ(sum(batch), small) << dtype;
        EXPECT_EQ(fake_cuda::parts_of_last_product(), Parts::kExact);
        allow(dtype, false, false);
        EXPECT_EQ(sum(batch), small) << dtype;
        EXPECT_EQ(fake_cuda::parts_of_last_product(), Parts::kOne);
      }
    }
    EXPECT_EQ(fake_cuda::calls("cublasLtMatmul"), 4u);  // cuBLAS cannot do it
  });
}

TEST(FakeCudaProducts, WithABiasRoundPartsOfSumsWhereThatIsAllowed) {
  in_own_process([] {
    using fake_cuda::Parts;
    for (ScalarType dtype : {kHalf, kBFloat16}) {
      const Tensor x = on_device(draw({4, 4}, dtype)), y = empty({4, 4}, x.options());
      const auto parts = [&] {
        as_launch(0, [&] {
          EXPECT_TRUE(cuda::run_gemm_with_bias({dtype, false, false, 4, 4, 4, 1, 0, x.data_ptr(), 4,
                                                0, x.data_ptr(), 4, 0, y.data_ptr(), 4, 0, 1},
                                               x.data_ptr(), cuda::GemmActivation::kNone));
        });
        return fake_cuda::parts_of_last_product();
      };
      allow(dtype, true, true);
      EXPECT_EQ(parts(), Parts::kRounded);
      allow(dtype, false, true);
      EXPECT_EQ(parts(), Parts::kExact);
      allow(dtype, false, false);
      EXPECT_EQ(parts(), Parts::kOne);
    }
  });
}

TEST(FakeCudaProducts, OfHalfAreSummedInHalfWhereThatIsAllowed) {
  in_own_process([] {
    const Sum sum(kHalf, 0x1p-12);
    for (bool split : {true, false})
      for (bool half : {false, true}) {
        allow(kHalf, false, split);
        globalContext().setAllowFP16AccumulationCuBLAS(half);
        EXPECT_EQ(sum(), half ? 0 : 0x1p-12);
        expect_products(kHalf, false, true, 3, 1.5);
        globalContext().setAllowBF16ReductionCuBLAS(false);
        EXPECT_EQ(Sum(kBFloat16, 0x1p-9)(), 0x1p-9);
      }
  });
}

TEST(FakeCudaProducts, WithoutPartsThatCuBlasLtHasNoWayForAreAnError) {
  in_own_process([] {
    const Sum sum(kHalf, 0x1p-12);
    allow(kHalf, false, false);
    fake_cuda::fail("cublasLtMatmulAlgoGetHeuristic", 1, cudaErrorNotSupported);
    EXPECT_NE(message_of([&] { sum(); }).find("an algorithm that splits no sum"),
              std::string::npos);
  });
}

TEST(FakeCudaProducts, WithABiasAreThoseOfTheHost) {
  in_own_process([] {
    using Activation = cuda::GemmActivation;
    for (ScalarType dtype : {kFloat, kHalf, kBFloat16})
      for (Activation f : {Activation::kNone, Activation::kRelu, Activation::kGeluTanh})
        for (bool t : {false, true}) {
          const int64_t m = 5, n = 4, k = 3;
          const Columns a(1, t ? k : m, t ? m : k, dtype, 1), b(1, t ? n : k, t ? k : n, dtype, 0);
          const Columns c(1, m, n, dtype, 0);
          const Tensor bias = draw({m}, dtype), on = on_device(bias);
          as_launch(0, [&] {
            EXPECT_TRUE(cuda::run_gemm_with_bias(
                {dtype, t, t, m, n, k, 0.5, 0, a.memory.data_ptr(), a.leading, 0,
                 b.memory.data_ptr(), b.leading, 0, c.memory.data_ptr(), c.leading, 0, 1},
                on.data_ptr(), f));
          });
          const auto wide = [t](const Tensor& x) {
            const Tensor matrix = x[0].to(kDouble);
            return t ? matrix.t() : matrix;
          };
          Tensor wanted = wide(a.host).matmul(wide(b.host)).mul(0.5);
          wanted = wanted.add(bias.to(kDouble).unsqueeze(1));
          if (f == Activation::kRelu) wanted = relu(wanted);
          if (f == Activation::kGeluTanh) wanted = gelu(wanted, "tanh");
          expect_close(c.now()[0], wanted, tolerance_of(dtype));
        }
  });
}

TEST(FakeCudaProducts, ABiasOfLesserAlignmentIsAnotherChoice) {
  in_own_process([] {
    const Biased biased;
    const auto choices = [&](int64_t offset) {
      biased.run(offset);
      return fake_cuda::calls("cublasLtMatmulAlgoGetHeuristic");
    };
    EXPECT_EQ(choices(0), 1u);
    EXPECT_EQ(choices(0), 1u);
    EXPECT_EQ(choices(1), 2u);
    EXPECT_EQ(fake_cuda::calls("cublasLtMatmul"), 3u);
  });
}

TEST(FakeCudaProducts, APlanTakesAnyMemoryOfItsShapeAndAnyStream) {
  in_own_process([] {
    const Biased first, second, plain;
    for (const Biased* b : {&first, &second, &first}) b->run();
    expect_close(first.c.cpu(), first.wanted(), 1e-5);
    expect_close(second.c.cpu(), second.wanted(), 1e-5);
    EXPECT_EQ(fake_cuda::calls("cublasLtMatmulAlgoGetHeuristic"), 1u);
    const cuda::Stream side(Device(kCUDA, 0));
    const fake_cuda::Lazy lazy;
    const cuda::StreamGuard guard(side);
    detail::copy_on(side.impl(), second.a.data_ptr(), first.a.data_ptr(), first.a.nbytes());
    second.run();
    as_launch(0, [&] { cuda::run_gemm(plain.product()); });
    side.synchronize();
    expect_close(second.c.cpu(), second.wanted(), 1e-5);
    expect_close(plain.c.cpu(), plain.b.cpu().matmul(plain.a.cpu()), 1e-5);
  });
}

TEST(FakeCudaProducts, AreLeftToOthersWhereThereIsNoAlgorithm) {
  in_own_process([] {
    const Biased biased;
    fake_cuda::fail("cublasLtMatmulAlgoGetHeuristic", 1, cudaErrorNotSupported);
    for (int i = 0; i < 2; ++i)
      as_launch(0, [&] {
        EXPECT_FALSE(cuda::run_gemm_with_bias(biased.product(), biased.bias.data_ptr(),
                                              cuda::GemmActivation::kRelu));
      });
    EXPECT_EQ(fake_cuda::calls("cublasLtMatmulAlgoGetHeuristic"), 1u);
  });
}

TEST(FakeCudaProducts, WhatFailsIsThrownAndLeavesNothing) {
  in_own_process([] {
    const Biased biased;
    const auto plain = [&] { as_launch(0, [&] { cuda::run_gemm(biased.product()); }); };
    const auto with_bias = [&] { biased.run(); };
    as_launch(0, [] { cuda::cublas_handle(); });
    for (const char* function : {"cublasSetWorkspace", "cublasSetMathMode"})
      expect_failure(function, {"cuBLAS error: ", function}, plain);
    plain();
    expect_failure("cublasGemmStridedBatchedEx",
                   {"cuBLAS error: the GPU program failed", "cublasGemmStridedBatchedEx_64"},
                   plain);
    for (const char* function : {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
                                 "cublasLtMatrixLayoutCreate", "cublasLtMatmulPreferenceCreate",
                                 "cublasLtMatmulPreferenceSetAttribute"})
      expect_failure(function, {"cuBLAS error: ", function}, with_bias);
    expect_failure("cublasLtMatrixLayoutCreate", {"cuBLAS error: "}, with_bias, 3);
    EXPECT_NO_THROW(with_bias());
    expect_failure("cublasLtMatmul", {"cuBLAS error: the GPU program failed", "cublasLtMatmul"},
                   with_bias);
    EXPECT_NO_THROW(with_bias());
    EXPECT_EQ(fake_cuda::live_objects("cuBLASLt"), 4);
    expect_close(biased.c.cpu(), biased.wanted(), 1e-5);
  });
}

/// A call of cuBLAS's product of 2 x 2 matrices, of which two follow each other.
struct Call {
  Tensor memory = on_device(draw({64}, kFloat));
  float alpha = 1, beta = 0;
  const void *a = at(0), *b = at(8);
  void* c = at(16);
  cudaDataType_t type_a = CUDA_R_32F, type_c = CUDA_R_32F;
  const float* scale = &alpha;
  int64_t lda = 2, ldc = 2, step_a = 4, step_c = 4, k = 2;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;

  float* at(int64_t i) const { return memory.data_ptr<float>() + i; }
  cublasStatus_t run(DeviceIndex device = 0) const {
    cublasStatus_t status{};
    as_launch(device, [&] {
      status = cublasGemmStridedBatchedEx_64(
          cuda::cublas_handle(), CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, k, scale, a, type_a, lda, step_a,
          b, CUDA_R_32F, 2, 4, &beta, c, type_c, ldc, step_c, 2, compute, CUBLAS_GEMM_DEFAULT);
    });
    return status;
  }
};
template <class Change>
void expect_refused(const std::string& rule, const Change& change) {
  Call call;
  change(call);
  expect_violation(rule, [&] { EXPECT_EQ(call.run(), CUBLAS_STATUS_INVALID_VALUE); });
}

TEST(FakeCudaProducts, AgainstTheRulesAreRefused) {
  in_own_process([] {
    EXPECT_EQ(Call().run(), CUBLAS_STATUS_SUCCESS);
    expect_refused("a leading dimension of A", [](Call& c) { c.lda = 1; });
    expect_refused("a leading dimension of C", [](Call& c) { c.ldc = 1; });
    expect_refused("negative sizes of A", [](Call& c) { c.k = -1; });
    expect_refused("a negative stride of A", [](Call& c) { c.step_a = -4; });
    expect_refused("no alpha or beta", [](Call& c) { c.scale = nullptr; });
    expect_refused("results that overlap", [](Call& c) { c.step_c = 2; });
    expect_refused("a result over what is read", [](Call& c) { c.c = c.at(6); });
    expect_refused("A is no memory of a device", [](Call& c) { c.a = &c.alpha; });
    expect_refused("C is no memory of a device", [](Call& c) { c.c = nullptr; });
    expect_refused("A is not aligned", [](Call& c) { c.a = reinterpret_cast<char*>(c.at(0)) + 2; });
    expect_refused("A has ", [](Call& c) { c.a = c.at(124); });
    expect_refused("other types", [](Call& c) { c.type_a = CUDA_R_64F; });
    expect_refused("a compute type", [](Call& c) { c.compute = CUBLAS_COMPUTE_64F; });
    expect_refused("memory of device 1", [](Call& c) {
      static const Tensor other = on_device(draw({8}, kFloat), 1);
      c.a = other.data_ptr();
    });
    expect_refused("memory that was given back",
                   [](Call& c) { c.a = on_device(draw({1 << 10}, kFloat)).data_ptr(); });
    expect_refused("memory of the host", [](Call& c) {
      static const Tensor pinned = draw({8}, kFloat).pin_memory();
      c.a = pinned.data_ptr();
    });
  });
}

TEST(FakeCudaProducts, WorkingMemoryThatIsGoneIsRefused) {
  in_own_process([] {
    const Call call;
    as_launch(0, [&] {
      const cublasHandle_t h = cuda::cublas_handle();
      const float one = 1;
      const auto run = [&] {
        return cublasGemmStridedBatchedEx_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, call.a,
                                             CUDA_R_32F, 1, 0, call.b, CUDA_R_32F, 1, 0, &one,
                                             call.c, CUDA_R_32F, 1, 0, 1, CUBLAS_COMPUTE_32F,
                                             CUBLAS_GEMM_DEFAULT);
      };
      {
        const Tensor room = empty({1 << 12}, call.memory.options());
        EXPECT_EQ(cublasSetWorkspace_v2(h, room.data_ptr(), 1 << 12), CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(run(), CUBLAS_STATUS_SUCCESS);
      }
      expect_violation("the workspace is memory that was given back", run);
      expect_violation("not aligned to 256", [&] { cublasSetWorkspace_v2(h, call.at(1), 64); });
      expect_violation("the workspace has", [&] { cublasSetWorkspace_v2(h, call.at(0), 1 << 20); });
      expect_violation("a mode that is none",
                       [&] { cublasSetMathMode(h, static_cast<cublasMath_t>(64)); });
    });
  });
}

/// cuBLASLt's product of 4 x 4 matrices, described and chosen.
struct LtCall {
  Tensor memory = on_device(draw({256}, kFloat));
  cublasLtHandle_t h = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr, other = nullptr;
  cublasLtMatmulPreference_t wish = nullptr;
  cublasLtMatmulHeuristicResult_t best{};
  size_t room = size_t{1} << 20;
  const void* bias = memory.data_ptr<float>() + 192;

  LtCall() {
    as_launch(0, [&] { h = reinterpret_cast<cublasLtHandle_t>(cuda::cublas_handle()); });
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const cublasLtEpilogue_t f = CUBLASLT_EPILOGUE_BIAS;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, f);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 4, 4, 4);
    cublasLtMatrixLayoutCreate(&other, CUDA_R_32F, 4, 4, 5);
    cublasLtMatmulPreferenceCreate(&wish);
    cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room,
                                         sizeof room);
  }
  ~LtCall() {
    cublasLtMatmulDescDestroy(product);
    cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatrixLayoutDestroy(other);
    cublasLtMatmulPreferenceDestroy(wish);
  }
  template <class T>
  cublasStatus_t set(cublasLtMatmulDescAttributes_t what, const T& value) const {
    return cublasLtMatmulDescSetAttribute(product, what, &value, sizeof value);
  }
  void choose() {
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(h, product, layout, layout, layout, layout, wish, 1, &best,
                                   &count);
  }
  void run(int64_t first = 0, cublasLtMatrixLayout_t a = nullptr, size_t less = 0) const {
    const Tensor work = empty({1 << 14}, memory.options());
    float one = 1, *const p = memory.data_ptr<float>();
    cublasLtMatmul(h, product, &one, p + first, a ? a : layout, p + 64, layout, &one, p + 128,
                   layout, p + 128, layout, &best.algo, work.data_ptr(), best.workspaceSize - less,
                   nullptr);
  }
};

TEST(FakeCudaProducts, OfCublasLtAgainstTheRulesAreRefused) {
  in_own_process([] {
    LtCall call;
    expect_violation("an algorithm that nobody has chosen", [&] { call.run(); });
    call.choose();
    call.run();
    EXPECT_TRUE(fake_cuda::violations().empty());
    expect_violation("a matrix of less alignment", [&] { call.run(1); });
    expect_violation("an algorithm for other layouts", [&] { call.run(0, call.other); });
    expect_violation("less working memory", [&] { call.run(0, nullptr, 1); });
    const cublasOperation_t transposed = CUBLAS_OP_T;
    call.set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    expect_violation("an algorithm for another product", [&] { call.run(); });
    call.choose();
    const void* const odd = call.memory.data_ptr<float>() + 193;
    call.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, odd);
    expect_violation("a bias of less alignment", [&] { call.run(); });
    const void* const none = nullptr;
    call.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, none);
    call.choose();
    expect_violation("the bias is no memory", [&] { call.run(); });
    expect_violation("an attribute of another size",
                     [&] { call.set(CUBLASLT_MATMUL_DESC_TRANSA, int64_t{1}); });
    expect_violation("an attribute that the fake library does not have",
                     [&] { call.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, 0); });
    expect_violation("a leading dimension", [] {
      cublasLtMatrixLayout_t made = nullptr;
      cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, 4, 4, 3);
    });
    LtCall wrong;
    cublasLtMatmulDescDestroy(wrong.product);
    expect_violation("the end of what is no product",
                     [&] { cublasLtMatmulDescDestroy(wrong.product); });
    cublasLtMatmulDescCreate(&wrong.product, CUBLAS_COMPUTE_64F, CUDA_R_64F);
    expect_violation("a compute type", [&] { wrong.choose(); });
    cublasLtMatrixLayoutDestroy(call.layout);
    cublasLtMatrixLayoutCreate(&call.layout, CUDA_R_32F, 4, 3, 4);
    expect_violation("layouts that do not fit", [&] { call.choose(); });
  });
}

}  // namespace
}  // namespace torch::taper
