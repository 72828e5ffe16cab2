// The handles of the libraries for GPUs, and products, on fakes that compute. Each rule that these
// check is broken once on purpose. (Factors: solver_test.cpp; transforms and collectives: beside
// their fakes, fft.cpp and nccl.cpp.)
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <thread>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/context.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/runtime/graph.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/attention.h>
#include <taper/ops/reduce/reduce.h>

#include "cuda_fake/util.h"

namespace taper {
namespace {

using testing::as_launch;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::in_own_process;
using testing::on_device;

// ---------------------------------------------------------------------- handles
TEST(FakeCudaHandles, AreOneForEachDeviceAndThread) {
  in_own_process([] {
    for (int i = 0; i < 3; ++i)
      for (DeviceIndex device : {0, 1})
        as_launch(device, [] { cuda::cublas_handle(), cuda::cudnn_handle(); });
    EXPECT_EQ(fake_cuda::calls("cublasCreate"), 2u);
    EXPECT_EQ(fake_cuda::calls("cudnnCreate"), 2u);
    EXPECT_EQ(fake_cuda::calls("cublasSetStream"), 6u);
  });
}

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

TEST(FakeCudaHandles, OfThreadsThatHaveEndedAreGivenToOthers) {
  in_own_process([] {
    const Biased biased(1);
    const Tensor x = on_device(draw({4}, kComplexFloat), 1), y = empty({4}, x.options());
    for (int i = 0; i < 20; ++i)
      std::thread([&] {
        biased.run();
        as_launch(1, [&] {
          cuda::cusolver_handle();
          cuda::cudnn_handle();
          cuda::cusparse_handle();
          cuda::run_fft(CUFFT_C2C, 4, 1, x.data_ptr(), y.data_ptr(), false);
        });
      }).join();
    EXPECT_EQ(fake_cuda::live().handles, 4);
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 1);
    EXPECT_EQ(fake_cuda::live_objects("cuBLASLt"), 4);
  });
}

TEST(FakeCudaHandles, AreNotSharedByThreadsThatRunBesideEachOther) {
  in_own_process([] {
    cublasHandle_t here = nullptr, there = nullptr;
    as_launch(0, [&] { here = cuda::cublas_handle(); });
    std::thread([&] { as_launch(0, [&] { there = cuda::cublas_handle(); }); }).join();
    EXPECT_NE(here, there);
  });
}

TEST(FakeCudaHandles, ThatCannotBeMadeAreTriedAgain) {
  in_own_process([] {
    const auto sparse = [] { as_launch(0, [] { cuda::cusparse_handle(); }); };
    expect_failure("cublasCreate", {"cuBLAS error: the library was not", "cublasCreate_v2"},
                   [] { as_launch(0, [] { cuda::cublas_handle(); }); });
    expect_failure("cusolverDnCreate", {"CUSOLVER_STATUS_NOT_INITIALIZED", "cusolverDnCreate"},
                   [] { as_launch(0, [] { cuda::cusolver_handle(); }); });
    expect_failure("cusparseCreate", {"cuSPARSE error", "cusparseCreate"}, sparse);
    EXPECT_NO_THROW(sparse());
    as_launch(0, [] { cuda::cublas_handle(), cuda::cusolver_handle(); });
    EXPECT_EQ(fake_cuda::live().handles, 3);
    expect_failure("cublasSetStream", {"cuBLAS error", "cublasSetStream_v2"},
                   [] { as_launch(0, [] { cuda::cublas_handle(); }); });
    expect_failure("cusolverDnSetStream", {"CUSOLVER_STATUS_INTERNAL_ERROR"},
                   [] { as_launch(0, [] { cuda::cusolver_handle(); }); });
    expect_failure("cusparseSetStream", {"cuSPARSE error"}, sparse);
  });
}

TEST(FakeCudaHandles, OfAnotherDeviceOrOfNoneAreRefused) {
  in_own_process([] {
    cublasHandle_t handle = nullptr;
    as_launch(0, [&] { handle = cuda::cublas_handle(); });
    const cuda::Stream other(Device(kCUDA, 1));
    expect_violation("a handle of cuBLAS of another device",
                     [&] { as_launch(1, [&] { cublasSetStream_v2(handle, nullptr); }); });
    expect_violation("a stream that is gone, or another device's", [&] {
      as_launch(
          0, [&] { cublasSetStream_v2(handle, static_cast<cudaStream_t>(other.native_handle())); });
    });
    expect_violation("what is no handle of cuBLAS",
                     [] { cublasSetMathMode(nullptr, CUBLAS_DEFAULT_MATH); });
    cusparseHandle_t sparse = nullptr;
    as_launch(0, [&] { sparse = cuda::cusparse_handle(); });
    expect_violation("what is no handle of cuBLAS", [&] {
      cublasSetMathMode(reinterpret_cast<cublasHandle_t>(sparse), CUBLAS_DEFAULT_MATH);
    });
    cublasHandle_t own = nullptr;
    ASSERT_EQ(cublasCreate_v2(&own), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasDestroy_v2(own), CUBLAS_STATUS_SUCCESS);
    expect_violation("the end of what is no handle", [&] { cublasDestroy_v2(own); });
  });
}

TEST(FakeCudaHandles, MayBeMadeInACapture) {
  in_own_process([] {
    const Biased biased;
    Graph graph(Device(kCUDA, 0)), second(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      biased.run();
      as_launch(0, [] { cuda::cusolver_handle(), cuda::cudnn_handle(), cuda::cusparse_handle(); });
    }
    graph.replay();
    expect_close(biased.c.cpu(), biased.wanted(), 1e-5);
    expect_violation("cublasCreate in a capture", [&] {
      cublasHandle_t own = nullptr;
      EXPECT_THROW(
          {
            GraphGuard guard(second);
            cublasCreate_v2(&own);
          },
          Error);
    });
  });
}

// Nothing of the libraries is called any more once the driver has gone.
TEST(FakeCudaHandles, AndPlansMayOutliveTheDriver) {
  in_own_process([] {
    std::atexit([] {
      if (!fake_cuda::violations().empty()) std::_Exit(1);
    });
    static const Biased biased;
    biased.run();
    static const Tensor x = on_device(draw({4}, kComplexFloat)), y = empty({4}, x.options());
    as_launch(0, [] {
      cuda::cusolver_handle();
      cuda::run_fft(CUFFT_C2C, 4, 1, x.data_ptr(), y.data_ptr(), false);
    });
    std::atexit([] { fake_cuda::unload(); });
  });
}

// ---------------------------------------------------------------------- products
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
    plain();
    for (const char* function : {"cublasSetWorkspace", "cublasSetMathMode"})
      expect_failure(function, {"cuBLAS error: ", function}, plain);
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

// An error that somebody has left is not the next launch's.
TEST(FakeCudaLaunches, HaveTheirOwnErrorsOnly) {
  in_own_process([] {
    int device = 0;
    as_launch(0, [&] {
      fake_cuda::fail("cudaStreamIsCapturing", 1, cudaErrorUnknown);
      EXPECT_FALSE(cuda::is_capturing(cuda::kernel_stream()));
      EXPECT_NO_THROW(cuda::launch_kernel(&device, 1, 32, nullptr));
      fake_cuda::fail("cudaGetDevice", 1, cudaErrorUnknown);
      EXPECT_EQ(cudaGetDevice(&device), cudaErrorUnknown);  // the program's own
      EXPECT_NO_THROW(cuda::launch_kernel(&device, 1, 32, nullptr));
      EXPECT_THROW(cuda::launch_kernel(&device, 1, 2048, nullptr), Error);
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    });
  });
}

#if FAKE_CUDA_KERNELS
// Captures allow neither copies to the host nor waiting for the stream.
TEST(FakeCudaSort, OfRowsWaitsForNothing) {
  in_own_process([] {
    for (int64_t rows : {3, 2000}) {
      const Tensor x = empty({rows, 50}, Device(kCUDA, 0));
      sort(x, -1);
      const uint64_t waits = fake_cuda::calls("cudaStreamSynchronize");
      Graph graph(Device(kCUDA, 0));
      std::tuple<Tensor, Tensor> sorted;
      {
        GraphGuard guard(graph);
        sorted = sort(x, -1);
      }
      EXPECT_NO_THROW(graph.replay());
      EXPECT_EQ(fake_cuda::calls("cudaStreamSynchronize"), waits);
    }
  });
}

/// Launches of kernels and products of attention on a projection to queries, keys and values.
uint64_t launches_of_attention(int64_t samples, ScalarType dtype) {
  const Tensor x = empty({samples, 40, 3, 2, 8}, TensorOptions(dtype).device(Device(kCUDA, 0)));
  x.requires_grad_();
  const auto count = [] {
    return fake_cuda::calls("cudaLaunchKernel") + fake_cuda::calls("cublasGemmStridedBatchedEx");
  };
  const auto heads = [&](int64_t i) { return x.select(2, i).transpose(1, 2); };
  const uint64_t before = count();
  const Tensor y = scaled_dot_product_attention(heads(0), heads(1), heads(2), {}, 0, true);
  autograd::grad({y}, {x}, {empty_like(y)});
  return count() - before;
}
TEST(FakeCudaAttention, LaunchesAsMuchForManySamplesAsForTwo) {
  in_own_process([] {
    for (ScalarType dtype : {kFloat, kBFloat16}) {
      const uint64_t two = launches_of_attention(2, dtype);
      EXPECT_EQ(launches_of_attention(7, dtype), two);
      EXPECT_EQ(launches_of_attention(32, dtype), two);
      EXPECT_LE(two, dtype == kFloat ? 40u : 16u);
    }
  });
}
#endif

}  // namespace
}  // namespace taper
