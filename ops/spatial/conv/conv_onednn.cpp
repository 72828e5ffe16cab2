#include <taper/ops/spatial/conv/conv_onednn.h>

#include <algorithm>
#include <atomic>

#include <taper/ops/spatial/conv/conv_onednn_parts.h>

// oneDNN's kernels are fast in layouts that group 8 or 16 channels. Images are converted in chunks
// that stay, with their results, in L2. The weights are converted once. Blocks of channels convert
// several times faster than channels-last, which oneDNN would choose for the forward pass (25 MB:
// 1.1 and 4.7 ms). Chunks of several images gain with many weights, which each chunk reads (512
// channels of 7 x 7: 8 to 10%). They also gain for the gradient of the weight, which each chunk
// writes whole.
namespace torch::taper::cpu::onednn {
namespace {

std::atomic<int64_t> g_runs{0};

// Multiply-adds from which on the conversions pay.
int64_t least_work(const ConvShape& s, ConvPass kind) {
  // A matrix product that fills the panels of pixels.
  if (s.pointwise() && s.out_pixels() >= 16) return 1 << 20;
  return kind == ConvPass::kInputGradient ? 1 << 18 : 1 << 17;
}

// Returns the share of multiply-adds that oneDNN does not spend on channels that pad a block.
double useful(const ConvShape& s, ConvPass kind) {
  const auto share = [](int64_t n) {
    return static_cast<double>(n) /
           static_cast<double>(ceil_div(n, channel_block()) * channel_block());
  };
  return share(s.out_channels) * (reads_plain_images(s, kind) ? 1 : share(s.in_channels));
}

// Reading larger images in place is faster than converting them.
bool prefers_pointwise(const ConvShape& s, ConvPass kind) {
  if (s.out_pixels() >= (channel_block() == 16 ? 128 : 256)) return false;
  return std::min(s.in_channels, s.out_channels) >= 64 && useful(s, kind) >= 0.85;
}

// Returns the useful share from which on oneDNN is faster than packing patches. Packing is cheap
// for long rows of outputs that read adjacent elements, and cheapest without columns.
double least_useful(const ConvShape& s) {
  if (channel_block() < 16) return s.kernel[0] > 1 ? 0.1 : 0.6;
  if (s.kernel[0] > 1) return 0.1;
  if (s.in[1] == 1) return s.out[2] <= 128 && s.depth() <= 512 ? 2 : 0.95;
  if (s.steps.stride[2] > 1 || s.out[2] < 32) return 0.2;
  return reads_plain_images(s, ConvPass::kForward) ? 0.7 : 0.6;
}

bool prefers_forward(const ConvShape& s) {
  if (s.pointwise() && s.out_pixels() >= 16) return prefers_pointwise(s, ConvPass::kForward);
  if (s.in_channels == 1) return false;
  return useful(s, ConvPass::kForward) >= least_useful(s);
}

bool prefers_input_gradient(const ConvShape& s) {
  if (s.in_channels <= 3) return false;
  const ConvPass kind = ConvPass::kInputGradient;
  if (s.pointwise()) return prefers_pointwise(s, kind);
  return useful(s, kind) >= (s.kernel[0] > 1 && channel_block() == 16 ? 0.5 : 0.85);
}

bool prefers_weight_gradient(const ConvShape& s) {
  const int64_t positions = s.batch * s.out_pixels(), numel = s.out_channels * s.depth();
  if (s.in_channels == 1) return false;
  // oneDNN reads and writes the whole gradient for every image.
  if (!s.pointwise() && numel > 1200 * positions) return false;
  return useful(s, ConvPass::kWeightGradient) >= 0.35;
}

template <class Run>
bool counted(const Run& run) try {
  const bool done = run();
  if (done) g_runs.fetch_add(1, std::memory_order_relaxed);
  return done;
} catch (const dnnl::error&) {
  return false;
}

}  // namespace

bool can(const ConvShape& s, ConvPass kind) { return s.batch > 0 && channel_block(s, kind) != 0; }
bool can_bf16(const ConvShape& s, ConvPass kind) {
  return s.batch > 0 && multiplies_bf16() && channel_block(s, kind) == 16;
}

// The choices are measured, on AVX-512 and AVX2 machines.
bool prefers(const ConvShape& s, ConvPass kind) {
  if (!can(s, kind) || s.batch * image_work(s) < least_work(s, kind)) return false;
  if (s.groups > 1) return true;
  switch (kind) {
    case ConvPass::kForward:
      return prefers_forward(s);
    case ConvPass::kInputGradient:
      return prefers_input_gradient(s);
    case ConvPass::kWeightGradient:
      break;
  }
  return prefers_weight_gradient(s);
}

bool prefers_bf16(const ConvShape& s, ConvPass kind) {
  return can_bf16(s, kind) && s.batch * image_work(s) >= 1 << 17;
}

#define TAPER_DEFINE(T)                                                                          \
  bool forward(T* y, const T* x, const T* w, const T* b, const ConvShape& s) {                   \
    return counted([&] { return run_image_map(ConvPass::kForward, s, y, x, w, b); });            \
  }                                                                                              \
  bool input_gradient(T* gx, const T* gy, const T* w, const ConvShape& s) {                      \
    const T* const none = nullptr;                                                               \
    return counted([&] { return run_image_map(ConvPass::kInputGradient, s, gx, gy, w, none); }); \
  }                                                                                              \
  bool weight_gradient(T* gw, const T* x, const T* gy, const ConvShape& s) {                     \
    return counted([&] { return run_weight_gradient(s, gw, x, gy); });                           \
  }
TAPER_DEFINE(float)
TAPER_DEFINE(BFloat16)
#undef TAPER_DEFINE

int64_t runs() { return g_runs.load(std::memory_order_relaxed); }

}  // namespace torch::taper::cpu::onednn
