#include <algorithm>
#include <cstring>
#include <vector>

#include <taper/framework/cpu/one_thread.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_onednn_parts.h>

namespace torch::taper::cpu::onednn {
namespace {

// Both passes map images to images by the weights. The batch is split into chunks. If these are
// fewer than threads, the result's channels are split too.
template <class T>
class ImageMap {
 public:
  ImageMap(ConvPass kind, const ConvShape& s, T* to, const T* from, const T* w, const T* b)
      : kind_(kind), s_(s), to_(to), from_(from), w_(w), b_(b) {
    const int64_t t = usable_threads();
    const int64_t floats = kChunkBytes * static_cast<int64_t>(sizeof(float) / sizeof(T));
    // Each chunk reads all weights, from L3 if they are many. Images take a quarter of their size.
    const int64_t weights = s.groups * s.out_channels * s.depth() * int64_t{sizeof(float)};
    int64_t images =
        std::clamp<int64_t>(std::max(floats, weights / 4) / image_bytes(s), 1, s.batch);
    if (t > 1) images = std::min(images, ceil_div(s.batch, 2 * t));
    images_ = ceil_div(s.batch, ceil_div(s.batch, images));  // chunks of nearly equal size
    chunks_ = ceil_div(s.batch, images_);
    wanted_ = std::min(ceil_div(t, chunks_), image_work(s) * images_ / kThreadWork);
    parts_.resize(std::clamp<int64_t>(wanted_, 1, most_parts(s, kind)));
  }

  bool run() {
    // With one image and many more threads than channel blocks, other ways also split the pixels.
    if (wanted_ > 2 * parts()) return false;
    int64_t bytes = 0;
    for (int64_t i = 0; i < parts(); ++i) {
      if (!prepare(parts_[i], i)) return false;
      parts_[i].weights = bytes;
      bytes += (parts_[i].plan->w.inner_bytes() + 63) / 64 * 64;
    }
    const Scratch<char> weights(bytes);
    convert_weights(weights.get());
    const int64_t work = std::max<int64_t>(1, image_work(s_) * images_ / parts());
    parallel_for(0, chunks_ * parts(), std::max<int64_t>(1, kThreadWork / work),
                 [&](int64_t i, int64_t end) {
                   const OneThread here;
                   for (; i < end; ++i) chunk(parts_[i % parts()], i / parts(), weights.get());
                 });
    return true;
  }

 private:
  struct PartOfChannels {
    Channels channels;
    std::shared_ptr<const Plan> plan, last;  ///< for whole chunks, and for the last one
    int64_t weights;                         ///< byte offset of the weights in the inner layout
  };

  int64_t parts() const { return static_cast<int64_t>(parts_.size()); }

  // Returns false if oneDNN does not take the part.
  bool prepare(PartOfChannels& p, int64_t i) const {
    p.channels = channels_of(s_, kind_, i, parts());
    p.plan = plan_for<T>(s_, kind_, b_ != nullptr, p.channels, images_);
    p.last = plan_for<T>(s_, kind_, b_ != nullptr, p.channels, s_.batch - (chunks_ - 1) * images_);
    // No one guarantees that the layout of the weights does not depend on the batch.
    return p.plan && p.last && p.plan->w.inner == p.last->w.inner;
  }

  void convert_weights(char* inner) const {
    const OneThread here;
    for (const PartOfChannels& p : parts_)
      if (p.plan->w.same())
        std::memcpy(inner + p.weights, w_ + p.channels.w, p.plan->w.inner.get_size());
      else
        Plan::convert(p.plan->w, w_ + p.channels.w, inner + p.weights);
  }

  void chunk(const PartOfChannels& p, int64_t i, const char* weights) const {
    const Plan& plan = *(i == chunks_ - 1 ? p.last : p.plan);
    const bool forward = kind_ == ConvPass::kForward;
    const Channels& c = p.channels;
    const int64_t x_image = s_.groups * s_.in_channels * s_.in_pixels();
    const int64_t y_image = s_.groups * s_.out_channels * s_.out_pixels();
    const int64_t x = i * images_ * x_image + c.x, y = i * images_ * y_image + c.y;
    const Operand &source = forward ? plan.x : plan.y, &result = forward ? plan.y : plan.x;
    const Inner from(source, from_ + (forward ? x : y));
    const Scratch<char> inner(result.same() ? 0 : result.inner_bytes());
    T* plain = to_ + (forward ? y : x);
    void* to = result.same() ? static_cast<void*>(plain) : inner.get();
    plan.convolve(forward ? from.get() : to, weights + p.weights, b_ ? b_ + c.b : nullptr,
                  forward ? to : from.get());
    if (!result.same()) Plan::convert(result, to, plain);
  }

  ConvPass kind_;
  ConvShape s_;
  T* to_;
  const T *from_, *w_, *b_;
  int64_t images_, chunks_, wanted_;
  std::vector<PartOfChannels> parts_;
};

}  // namespace

template <class T>
bool run_image_map(ConvPass kind, const ConvShape& s, T* to, const T* from, const T* w,
                   const T* b) {
  return ImageMap<T>(kind, s, to, from, w, b).run();
}
template bool run_image_map(ConvPass, const ConvShape&, float*, const float*, const float*,
                            const float*);
template bool run_image_map(ConvPass, const ConvShape&, BFloat16*, const BFloat16*, const BFloat16*,
                            const BFloat16*);

}  // namespace torch::taper::cpu::onednn
