// How a convolution by oneDNN is cut into parts, and their operands. Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/spatial/conv_onednn_plan.h>

namespace taper::cpu::onednn {

/// Bytes of images, with their results, that are converted and computed at a time: they stay in L2.
constexpr int64_t kChunkBytes = 512 * 1024;
/// Multiply-adds for which a thread is worth waking.
constexpr int64_t kThreadWork = 1 << 20;

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t usable_threads() { return in_parallel_region() ? 1 : get_num_threads(); }

// Of one image, at least 1.
int64_t image_bytes(const ConvShape& s);
int64_t image_work(const ConvShape& s);

/// The convolution for some of the groups or, without groups, for some channels of the result, and
/// where its operands begin.
struct Channels {
  ConvShape shape;
  int64_t x = 0, w = 0, b = 0, y = 0;
};
/// Parts of useful size that the channels can be cut into.
int64_t most_parts(ConvShape s, Kind kind);
Channels channels_of(const ConvShape& s, Kind kind, int64_t part, int64_t parts);

/// The plan for `images` images of a part of s.
std::shared_ptr<const Plan> plan_for(const ConvShape& s, Kind kind, bool bias, Channels part,
                                     int64_t images);

/// An operand in its inner layout: itself, or a copy.
class Inner {
 public:
  Inner(const Operand& o, const float* plain);
  const float* get() const { return data_; }

 private:
  Scratch<float> copy_;
  const float* data_;
};

// The three maps; false when oneDNN does not take the shape. May throw dnnl::error.
bool run_image_map(Kind kind, const ConvShape& s, float* to, const float* from, const float* w,
                   const float* b);
bool run_weight_gradient(const ConvShape& s, float* gw, const float* x, const float* gy);

}  // namespace taper::cpu::onednn
