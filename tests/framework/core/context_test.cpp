// The process's switches: what they are at first, what they say, and that they act.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using testing::expect_error;
using testing::message_of;
using testing::values_of;

/// Puts the switches back at the end of a test.
class SwitchesGuard {
 public:
  ~SwitchesGuard() {
    Context& c = globalContext();
    c.setAllowTF32CuBLAS(false);
    c.setAllowTF32CuDNN(true);
    c.setAllowFP16ReductionCuBLAS(true);
    c.setAllowBF16ReductionCuBLAS(true);
    c.setAllowFP16AccumulationCuBLAS(false);
    c.setUserEnabledCuDNN(true);
    c.setBenchmarkCuDNN(false);
    c.setDeterministicCuDNN(false);
    c.setDeterministicAlgorithms(false, false);
  }
};

TEST(Context, IsAsPyTorchsAtFirst) {
  const Context& c = at::globalContext();
  EXPECT_FALSE(c.allowTF32CuBLAS());
  EXPECT_EQ(c.float32MatmulPrecision(), at::Float32MatmulPrecision::HIGHEST);
  using Reduction = at::CuBLASReductionOption;
  EXPECT_EQ(c.allowFP16ReductionCuBLAS(), Reduction::AllowReducedPrecisionWithSplitK);
  EXPECT_EQ(c.allowBF16ReductionCuBLAS(), Reduction::AllowReducedPrecisionWithSplitK);
  EXPECT_FALSE(c.allowFP16AccumulationCuBLAS());
  EXPECT_TRUE(c.allowTF32CuDNN());
  EXPECT_TRUE(c.userEnabledCuDNN());
  EXPECT_FALSE(c.benchmarkCuDNN());
  EXPECT_FALSE(c.deterministicCuDNN());
  EXPECT_FALSE(c.deterministicAlgorithms());
  EXPECT_FALSE(c.deterministicAlgorithmsWarnOnly());
  EXPECT_EQ(&torch::globalContext(), &at::globalContext());
}

TEST(Context, SaysWhatThereIs) {
  EXPECT_EQ(at::globalContext().hasCUDA(), cuda::is_available());
  EXPECT_TRUE(Context::hasMKLDNN());
  EXPECT_TRUE(Context::hasOpenMP());
  EXPECT_TRUE(Context::hasLAPACK());
  EXPECT_EQ(Context::hasCuSOLVER(), Context::hasCUDART());
  EXPECT_FALSE(Context::hasMKL());
  if (taper::detail::on_gpu()) EXPECT_TRUE(Context::hasCuDNN() && Context::hasCUDART());
}

TEST(Context, PrecisionAndTf32AreOneSwitch) {
  const SwitchesGuard guard;
  backends::cuda::matmul::set_allow_tf32(true);
  EXPECT_EQ(get_float32_matmul_precision(), "high");
  set_float32_matmul_precision("medium");
  EXPECT_TRUE(backends::cuda::matmul::allow_tf32());
  globalContext().setFloat32MatmulPrecision("highest");
  EXPECT_FALSE(globalContext().allowTF32CuBLAS());
  expect_error("expected 'highest', 'high' or 'medium', got 'fast'",
               [] { set_float32_matmul_precision("fast"); });
  ::testing::internal::CaptureStderr();
  globalContext().setFloat32MatmulPrecision("fast");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "fast is not one of 'highest', 'high', or 'medium'"),
            std::string::npos);
  EXPECT_EQ(get_float32_matmul_precision(), "highest");
}

TEST(Context, PythonsNamesAreTheSameSwitches) {
  const SwitchesGuard guard;
  backends::cudnn::set_benchmark(true);
  backends::cudnn::set_deterministic(true);
  backends::cudnn::set_enabled(false);
  backends::cudnn::set_allow_tf32(false);
  backends::cuda::matmul::set_allow_fp16_accumulation(true);
  const Context& c = globalContext();
  EXPECT_TRUE(c.benchmarkCuDNN() && c.deterministicCuDNN() && c.allowFP16AccumulationCuBLAS());
  EXPECT_FALSE(c.userEnabledCuDNN() || c.allowTF32CuDNN());
}

TEST(Context, ReductionsOf16BitFloatsAreASwitchForEachDtype) {
  const SwitchesGuard guard;
  using Reduction = at::CuBLASReductionOption;
  namespace matmul = backends::cuda::matmul;
  Context& c = globalContext();
  matmul::set_allow_fp16_reduced_precision_reduction(false);
  EXPECT_EQ(c.allowFP16ReductionCuBLAS(), Reduction::DisallowReducedPrecisionAllowSplitK);
  EXPECT_TRUE(matmul::allow_bf16_reduced_precision_reduction());
  EXPECT_FALSE(matmul::allow_fp16_reduced_precision_reduction());
  matmul::set_allow_bf16_reduced_precision_reduction(false, /*allow_splitk=*/false);
  EXPECT_EQ(c.allowBF16ReductionCuBLAS(), Reduction::DisallowReducedPrecisionDisallowSplitK);
  EXPECT_FALSE(matmul::allow_bf16_reduced_precision_reduction());
  const char* const words =
      "allow_splitk=False is not supported when reduced precision reductions are enabled";
  expect_error(words, [&] { c.setAllowFP16ReductionCuBLAS(true, false); });
  expect_error(words, [&] { c.setAllowBF16ReductionCuBLAS(true, false); });
  EXPECT_EQ(c.allowFP16ReductionCuBLAS(), Reduction::DisallowReducedPrecisionAllowSplitK);
}

TEST(Context, BelongsToTheProcess) {
  const SwitchesGuard guard;
  std::thread([] { use_deterministic_algorithms(true, /*warn_only=*/true); }).join();
  EXPECT_TRUE(are_deterministic_algorithms_enabled());
  EXPECT_TRUE(is_deterministic_algorithms_warn_only_enabled());
}

TEST(Context, OpsWithoutDeterminismSaySo) {
  const SwitchesGuard guard;
  at::globalContext().alertNotDeterministic("my_op");  // nobody minds
  use_deterministic_algorithms(true);
  EXPECT_EQ(
      message_of([] { at::globalContext().alertNotDeterministic("my_op"); }),
      "my_op does not have a deterministic implementation, but you set "
      "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this "
      "operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
      "application.");
  use_deterministic_algorithms(true, /*warn_only=*/true);
  ::testing::internal::CaptureStderr();
  at::globalContext().alertNotDeterministic("my_op");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "Warning: my_op does not have a deterministic implementation, but you set "
                "'torch.use_deterministic_algorithms(True, warn_only=True)'. (function"),
            std::string::npos);
}

TEST(Context, FlushesDenormals) {
  volatile double tiny = 1e-310, product = tiny * 2;
  EXPECT_GT(product, 0);
  if (!set_flush_denormal(true)) GTEST_SKIP() << "this processor cannot";
  product = tiny * 2;
  set_flush_denormal(false);
  EXPECT_EQ(product, 0);
  product = tiny * 2;
  EXPECT_GT(product, 0);
}

// Simulated devices with CUDA kernels round factors as tensor cores do.
TEST(Context, Tf32RoundsFactorsOfProductsOnCuda) {
  if (taper::detail::cuda_kernels() != taper::detail::CudaKernels::kOnHost)
    GTEST_SKIP() << "needs the CUDA kernels on simulated devices (TAPER_CUDA_ON_HOST)";
  const SwitchesGuard guard;
  const float finer = 1 + 1.0f / 8192;  // 13 bits behind the point: TF32 has 10
  const Tensor a = full({2, 2}, finer, TensorOptions(kCUDA)), b = eye(2, TensorOptions(kCUDA));
  const auto entry = [](const Tensor& y) { return values_of(y.cpu())[0]; };
  EXPECT_EQ(entry(a.mm(b)), finer);
  globalContext().setAllowTF32CuBLAS(true);
  EXPECT_EQ(entry(a.mm(b)), 1);
  EXPECT_EQ(entry(a.to(kDouble).mm(b.to(kDouble))), finer);
  EXPECT_EQ(entry(a.cpu().mm(b.cpu())), finer);
}

}  // namespace
}  // namespace torch::taper
