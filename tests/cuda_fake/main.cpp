// The tests of framework/cuda/gpu on the fake runtime. After each of them no rule of CUDA's may be
// broken and no device left current that was not before.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include <taper/framework/memory/caching_allocator.h>

#include "cuda_fake/state.h"

// The program is linked with --wrap=dlopen: the libraries that are loaded by name are the program
// itself.
extern "C" {
void* __real_dlopen(const char* file, int flags);
void* __wrap_dlopen(const char* file, int flags) {
  for (const char* ours : {"libcublas.so", "libcusolver.so", "libcusparse.so", "libcufft.so",
                           "libcudnn.so", "libnccl.so", "libcupti.so", "libnvrtc.so"})
    if (file && !std::strncmp(file, ours, std::strlen(ours))) file = nullptr;
  return __real_dlopen(file, flags);
}
}

namespace {

/// Of the caching allocator.
size_t given_out(int device, const void* p) {
  const auto* const at = static_cast<const char*>(p);
  for (const taper::MemorySegment& segment : taper::detail::caching_allocator(device).snapshot()) {
    const auto* end = static_cast<const char*>(segment.address);
    for (const taper::MemoryBlock& block : segment.blocks) {
      const char* const begin = end;
      end += block.nbytes;
      if (at >= begin && at < end)
        return block.state == taper::MemoryBlock::State::kActiveAllocated
                   ? static_cast<size_t>(end - at)
                   : 0;
    }
  }
  return SIZE_MAX;  // memory that others have taken
}

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
  fake_cuda::machine().given_out = given_out;
  setenv("XDG_CACHE_HOME", "/proc/nobody", 1);  // but where a test says so no kernels are kept
  ::testing::UnitTest::GetInstance()->listeners().Append(new Rules);
  return RUN_ALL_TESTS();
}
