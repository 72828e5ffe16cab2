// The tests of framework/cuda/gpu on the fake runtime. After each of them no rule of CUDA's may be
// broken and no device left current that was not before.
#include <gtest/gtest.h>

#include "cuda_fake/state.h"

namespace {

class Rules : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { device_ = fake_cuda::here().device; }
  void OnTestEnd(const ::testing::TestInfo&) override {
    for (const std::string& what : fake_cuda::violations()) ADD_FAILURE() << what;
    fake_cuda::state().violations.clear();
    if (fake_cuda::has_context(device_)) {
      EXPECT_EQ(fake_cuda::here().device, device_);
    }
    EXPECT_TRUE(fake_cuda::state().captures.empty());
  }
  int device_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new Rules);
  return RUN_ALL_TESTS();
}
