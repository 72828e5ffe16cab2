// Handles and plans of the libraries for GPUs, and what kernels of libraries do in a capture.
#include <gtest/gtest.h>

#include <thread>

#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/framework/cuda/gpu/recording.h>

#include "cuda_fake/util.h"

#if FAKE_CUDA_KERNELS
#include <taper/ops/reduce/reduce.h>

#include <taper/framework/runtime/graph.h>
#endif

namespace taper {
namespace {

using testing::in_own_process;

/// Calls f as a kernel's host side is called.
template <class F>
void as_launch(DeviceIndex device, const F& f) {
  detail::launch_on(device, "test", f);
}

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

TEST(FakeCudaHandles, OfThreadsThatHaveEndedAreGivenToOthers) {
  in_own_process([] {
    for (int i = 0; i < 20; ++i)
      std::thread([] {
        as_launch(1, [] {
          cuda::cublas_handle();
          cuda::cusolver_handle();
          cuda::cudnn_handle();
        });
      }).join();
    EXPECT_EQ(fake_cuda::live().handles, 3);
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

cuda::ColumnMajorGemm product() {
  const auto at = [](uintptr_t address) { return reinterpret_cast<void*>(address); };
  return {kFloat, false, false,       8, 8, 8,           1, 0, at(1 << 20),
          8,      0,     at(2 << 20), 8, 0, at(3 << 20), 8, 0, 1};
}

TEST(FakeCudaProducts, ABiasOfLesserAlignmentIsAnotherChoice) {
  in_own_process([] {
    const auto run = [](uintptr_t bias) {
      as_launch(0, [=] {
        EXPECT_TRUE(cuda::run_gemm_with_bias(product(), reinterpret_cast<void*>(bias),
                                             cuda::GemmActivation::kRelu));
      });
      return fake_cuda::calls("cublasLtMatmulAlgoGetHeuristic");
    };
    EXPECT_EQ(run(1 << 20), 1u);
    EXPECT_EQ(run(5 << 20), 1u);  // aligned as the first
    EXPECT_EQ(run((1 << 20) + 4), 2u);
    EXPECT_EQ(fake_cuda::calls("cublasLtMatmul"), 3u);
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
#endif

}  // namespace
}  // namespace taper
