// Launches on GPUs: the handles of the libraries, on fakes that compute, captures and graphs. Each
// rule that these check is broken once on purpose. (Products: products_test.cpp; factors:
// solver_test.cpp; transforms and collectives: beside their fakes, fft.cpp and nccl.cpp.)
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/attention.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

#include "cuda_fake/biased.h"
#include "cuda_fake/util.h"

namespace torch::taper {
namespace cuda {
const uint64_t* key_for_replays(CPUGeneratorImpl* generator);
}
namespace {

using testing::as_launch;
using testing::Biased;
using testing::bytes_on;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::host_bytes;
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
    EXPECT_EQ(fake_cuda::calls("cublasSetStream"), 2u);
    EXPECT_EQ(fake_cuda::calls("cudnnSetStream"), 2u);
  });
}

TEST(FakeCudaHandles, AreSetWhenSomethingChanges) {
  in_own_process([] {
    const Biased biased;
    const auto product = [&] { as_launch(0, [&] { cuda::run_gemm(biased.product()); }); };
    const auto calls = [] {
      std::vector<uint64_t> n;
      for (const char* name : {"cublasSetStream", "cublasSetWorkspace", "cublasSetMathMode"})
        n.push_back(fake_cuda::calls(name));
      return n;
    };
    for (int i = 0; i < 3; ++i) product();
    EXPECT_EQ(calls(), (std::vector<uint64_t>{1, 1, 1}));
    {
      const cuda::StreamGuard side(cuda::Stream(Device(kCUDA, 0)));
      for (int i = 0; i < 3; ++i) product();
    }
    const std::vector<uint64_t> on_side = calls();
    EXPECT_EQ(on_side[0], 2u);
    EXPECT_EQ(on_side[1], 2u) << "a new stream resets the workspace";
    product();
    EXPECT_EQ(calls()[0], 3u);
    expect_close(biased.c.cpu(), biased.b.cpu().matmul(biased.a.cpu()), 1e-5);
  });
}

// The program may set them to a stream of its own.
TEST(FakeCudaHandles, OfTheProgramAreSetEachTime) {
  in_own_process([] {
    const Biased biased;
    detail::StreamImpl* const stream = cuda::current_stream(0).impl();
    const auto mine = static_cast<cublasHandle_t>(
        cuda_runtime()->library_handle(Runtime::Library::kBlas, stream));
    const cuda::Stream side(Device(kCUDA, 0));
    for (int i = 0; i < 2; ++i) {
      as_launch(0, [&] { cuda::run_gemm(biased.product()); });
      EXPECT_EQ(fake_cuda::calls("cublasSetWorkspace"), static_cast<uint64_t>(i) + 1);
      cublasSetStream_v2(mine, static_cast<cudaStream_t>(side.native_handle()));
    }
    const uint64_t before = fake_cuda::calls("cublasSetStream");
    as_launch(0, [&] { cuda::run_gemm(biased.product()); });
    EXPECT_EQ(fake_cuda::calls("cublasSetStream"), before + 1);
  });
}

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
          cuda::run_fft(CUFFT_C2C, {{4}, 1}, x.data_ptr(), y.data_ptr(), false);
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
    const cuda::StreamGuard side(cuda::Stream(Device(kCUDA, 0)));
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
      cuda::run_fft(CUFFT_C2C, {{4}, 1}, x.data_ptr(), y.data_ptr(), false);
    });
    std::atexit([] { fake_cuda::unload(); });
  });
}

// ---------------------------------------------------------------------- launches
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

// ---------------------------------------------------------------------- captures
void copy_on_current(const Tensor& to, const Tensor& from) {
  detail::copy_on(detail::current_stream_of(0), to.data_ptr(), from.data_ptr(),
                  static_cast<size_t>(to.numel()));
}

TEST(FakeCudaGraph, AReplayDoesTheCopiesThatWereCaptured) {
  const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 2);
  {
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      copy_on_current(y, x);
    }
    EXPECT_EQ(host_bytes(y)[0], 2);  // nothing has run
    copy_on_current(x, bytes_on(0, 64, 5));
    graph.replay();
    EXPECT_EQ(host_bytes(y)[0], 5);
    EXPECT_EQ(fake_cuda::live().graphs, 0);
    EXPECT_EQ(fake_cuda::live().graph_execs, 1);
  }
  EXPECT_EQ(fake_cuda::live().graph_execs, 0);
}

TEST(FakeCudaGraph, AProgramsOwnStreamIsCaptured) {
  in_own_process([] {
    cudaStream_t own = nullptr;
    ASSERT_EQ(cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, 0), cudaSuccess);
    static detail::StreamImpl* const wrapped = cuda_runtime()->wrap_stream(0, own);  // for good
    const cuda::Stream stream(wrapped);
    EXPECT_GT(stream.id(), detail::kLastPooledStream);
    const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 2);
    Graph graph(Device(kCUDA, 0));
    {
      const GraphGuard guard(graph, {}, stream);
      copy_on_current(y, x);
    }
    graph.replay();
    EXPECT_EQ(host_bytes(y)[0], 1);
  });
}

// Memory, pinned memory, events and other streams in a capture: what CUDA forbids there is violated
// by nothing, which the listener of the program checks.
TEST(FakeCudaGraph, WhatIsNeededOnTheWayIsLegal) {
  in_own_process([] {
    const Tensor x = bytes_on(0, 64, 1);
    const cuda::Stream side(Device(kCUDA, 0));
    Tensor pinned = empty({64}, kByte).pin_memory(), y;
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      y = empty({int64_t{40} << 20}, x.options());  // a new segment
      const Tensor staging = empty({1 << 16}, kByte).pin_memory();
      { const Tensor gone = empty({64}, x.options()); }
      side.wait_stream(cuda::current_stream(0));
      {
        const cuda::StreamGuard on_side(side);
        x.copy_(pinned, /*non_blocking=*/true);
      }
      cuda::current_stream(0).wait_stream(side);
      copy_on_current(y.slice(0, 0, 64), x);
    }
    std::memset(pinned.data_ptr(), 9, 64);
    graph.replay();
    EXPECT_EQ(host_bytes(y.slice(0, 0, 64))[63], 9);
  });
}

TEST(FakeCudaGraph, ACaptureThatFailsLeavesAllAsItWas) {
  const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 2);
  Graph graph(Device(kCUDA, 0));
  EXPECT_THROW(
      {
        GraphGuard guard(graph);
        copy_on_current(y, x);
        y.cpu();
      },
      Error);
  fake_cuda::fail("cudaGraphInstantiate", 1, cudaErrorMemoryAllocation);
  EXPECT_THROW(
      {
        GraphGuard guard(graph);
        copy_on_current(y, x);
      },
      Error);
  EXPECT_EQ(fake_cuda::live().graphs, 0);
  EXPECT_EQ(fake_cuda::live().graph_execs, 0);
  copy_on_current(y, x);
  EXPECT_EQ(host_bytes(y)[0], 1);
}

// The keys of a replay are read by its kernels: another stream's replay of the same graph must not
// write the next ones over them.
TEST(FakeCudaGraph, ReplaysOnTwoStreamsHaveKeysOfTheirOwn) {
  in_own_process([] {
    const cuda::Stream first(Device(kCUDA, 0)), second(Device(kCUDA, 0));
    const Tensor drawn = bytes_on(0, 8, 0), kept = bytes_on(0, 8, 0);
    CPUGeneratorImpl generator(3), same(3);
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      detail::launch_on(0, "draw", [&] {
        const uint64_t* const key = cuda::key_for_replays(&generator);
        detail::copy_on(detail::current_stream_of(0), drawn.data_ptr(), key, 8);
      });
    }
    const uint64_t wanted[] = {cuda::draw_key(&same), cuda::draw_key(&same)};
    const fake_cuda::Lazy lazy;
    {
      const cuda::StreamGuard guard(first);
      graph.replay();
      copy_on_current(kept, drawn);
    }
    {
      const cuda::StreamGuard guard(second);
      graph.replay();
    }
    second.synchronize();  // the host waits for the second first
    first.synchronize();
    const auto number_in = [](const Tensor& t) {
      uint64_t n = 0;
      std::memcpy(&n, host_bytes(t).data(), 8);
      return n;
    };
    EXPECT_EQ(number_in(kept), wanted[0]);
    EXPECT_EQ(number_in(drawn), wanted[1]);
  });
}

// As autograd::checkpoint does: its states go back to before the draws of forward.
TEST(FakeCudaGraph, ADrawThatIsRepeatedReadsTheFirstOnesKey) {
  in_own_process([] {
    CPUGeneratorImpl generator(3), states(0);
    Graph graph(Device(kCUDA, 0));
    GraphGuard guard(graph);
    const auto keys = [&] {
      std::vector<const uint64_t*> all;
      detail::launch_on(0, "draw", [&] {
        for (int i = 0; i < 2; ++i) all.push_back(cuda::key_for_replays(&generator));
      });
      return all;
    };
    states.copy_numbers(generator);
    const auto forward = keys(), other = keys();
    generator.copy_numbers(states);
    EXPECT_EQ(keys(), forward);
    EXPECT_EQ(keys(), other);
    const std::set<const uint64_t*> places{forward[0], forward[1], other[0], other[1]};
    EXPECT_EQ(places.size(), 4u);
  });
}

TEST(FakeCudaGraph, AReplayDoesTheProductsThatWereCaptured) {
  in_own_process([] {
    const Tensor a = draw({2, 2}, kFloat);
    const Tensor da = on_device(a), y = on_device(zeros({2, 2}));
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      as_launch(0, [&] {
        cuda::run_gemm({kFloat, false, false, 2, 2, 2, 1, 0, da.data_ptr(), 2, 0, da.data_ptr(), 2,
                        0, y.data_ptr(), 2, 0, 1});
      });
    }
    expect_close(y.cpu(), zeros({2, 2}), 0);
    graph.replay();
    expect_close(y.cpu(), a.matmul(a), 1e-5);
  });
}

// A graph reads what a plan has on the device; other plans are ended when there are too many.
TEST(FakeCudaGraph, APlanOfCuFftThatItUsesStays) {
  in_own_process([] {
    const auto transform = [](int64_t n, int64_t rows, const Tensor& from, const Tensor& to) {
      as_launch(0, [&] {
        cuda::run_fft(CUFFT_C2C, {{n}, rows}, from.data_ptr(), to.data_ptr(), false);
      });
    };
    const Tensor z = draw({8}, kComplexFloat);
    const Tensor x = on_device(z), y = on_device(zeros({8}, kComplexFloat));
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      transform(8, 1, x, y);
    }
    const Tensor from = on_device(draw({600}, kComplexFloat)), to = empty({600}, from.options());
    // One more is one too many.
    for (int64_t n = 1; n <= 510; ++n) transform(1, n, from, to);
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 256);
    graph.replay();
    expect_close(y.cpu(), fft::fft(z), 1e-5);
    Graph second(Device(kCUDA, 0));
    {
      GraphGuard guard(second);
      transform(2, 1, from, to);
    }
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 2);
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
}  // namespace torch::taper
