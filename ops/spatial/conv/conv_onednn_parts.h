// Splits a convolution that oneDNN computes into parts. Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_onednn_plan.h>

namespace torch::taper::cpu::onednn {

/// The number of bytes of images and results that are converted and computed together. These images
/// and results stay in L2.
constexpr int64_t kChunkBytes = 512 * 1024;
/// The least number of multiply-adds for which a thread is woken.
constexpr int64_t kThreadWork = 1 << 20;

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// image_bytes returns the bytes of one image and its result, with f32 elements. image_work returns
// the number of multiply-adds per image. Both return at least 1.
int64_t image_bytes(const ConvShape& s);
int64_t image_work(const ConvShape& s);

/// A part of a convolution. x, w, b and y are the offsets, in elements, of the part's operands in
/// the whole tensors. The part consists of some groups or, if there is one group, of some channels
/// of the result.
struct Channels {
  ConvShape shape;
  int64_t x = 0, w = 0, b = 0, y = 0;
};
/// Returns the largest number of parts into which channels_of() can split the convolution usefully.
int64_t most_parts(ConvShape s, ConvPass kind);
Channels channels_of(const ConvShape& s, ConvPass kind, int64_t part, int64_t parts);

template <class T>
constexpr dnnl::memory::data_type kTypeOf =
    std::is_same_v<T, float> ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;

/// Returns the plan for `images` images of `part` of the convolution s. Operands have type T.
template <class T>
std::shared_ptr<const Plan> plan_for(const ConvShape& s, ConvPass kind, bool bias, Channels part,
                                     int64_t images) {
  part.shape.batch = images;
  return plan_of({part.shape, kind, kTypeOf<T>, bias, s.groups * s.in_channels, s.in_channels,
                  s.groups * s.out_channels});
}

/// An operand in oneDNN's layout: `plain` itself if it has that layout, else a converted copy.
class Inner {
 public:
  Inner(const Operand& o, const void* plain);
  const void* get() const { return data_; }

 private:
  Scratch<char> copy_;
  const void* data_;
};

// These functions compute a pass for T = float or BFloat16. run_image_map computes kForward and
// kInputGradient. They return false if oneDNN does not take the shape. They may throw dnnl::error.
template <class T>
bool run_image_map(ConvPass kind, const ConvShape& s, T* to, const T* from, const T* w, const T* b);
template <class T>
bool run_weight_gradient(const ConvShape& s, T* gw, const T* x, const T* gy);

}  // namespace torch::taper::cpu::onednn
