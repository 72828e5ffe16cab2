#include <taper/data/gather_kernels.h>
#include <taper/framework/cpu/parallel.h>

// Whether a fused multiply-add is one instruction.
namespace torch::taper::cpu {
namespace base {
[[maybe_unused]] constexpr bool kHasFma = false;
}
namespace avx2 {
[[maybe_unused]] constexpr bool kHasFma = true;
}
namespace avx512 {
[[maybe_unused]] constexpr bool kHasFma = true;
}
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/data/gather_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// A batch is little work, and a DataLoader has worker threads, so only large batches are split.
constexpr int64_t kBatchGrain = int64_t{1} << 20;

void gather_part(float* y, const uint8_t* images, const size_t* rows, int64_t begin, int64_t end,
                 int64_t size, const data::ImageNumbers& n) {
  return TAPER_BY_ISA(gather_rows, y, images, rows, begin, end, size, n);
}
void to_float_part(float* y, const uint8_t* x, int64_t count) {
  return TAPER_BY_ISA(row_to_float, y, x, count);
}

}  // namespace

void gather_images(Out y, In images, const size_t* rows, data::ImageNumbers n) {
  const int64_t count = y.sizes[0], size = images.numel / images.sizes[0];
  parallel_for(0, count, kBatchGrain / size + 1, [&](int64_t begin, int64_t end) {
    gather_part(y.as<float>(), images.as<uint8_t>(), rows, begin, end, size, n);
  });
}

void images_to_float(Out y, In images) {
  parallel_for(0, y.numel, kGrain, [&](int64_t begin, int64_t end) {
    to_float_part(y.as<float>() + begin, images.as<uint8_t>() + begin, end - begin);
  });
}

}  // namespace torch::taper::cpu
