#include <algorithm>
#include <cstring>
#include <vector>

#include <taper/framework/cpu/one_thread.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_onednn_parts.h>

namespace torch::taper::cpu::onednn {
namespace {

// The channels are split first, which needs no sums. Then the batch is split into parts with a sum
// each. A part processes its images in chunks.
template <class T>
class WeightGradient {
 public:
  WeightGradient(const ConvShape& s, T* gw, const T* x, const T* gy)
      : s_(s), gw_(gw), x_(x), gy_(gy) {
    const int64_t t =
        std::clamp<int64_t>(image_work(s) * s.batch / kThreadWork, 1, usable_threads());
    of_channels_ = std::min(most_parts(s, kKind), t);
    of_batch_ = std::min(t / of_channels_, s.batch);
    parts_.resize(of_channels_ * of_batch_);
  }

  bool run() {
    int64_t numel = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!prepare(parts_[i], static_cast<int64_t>(i))) return false;
      parts_[i].sum = numel;
      numel += numel_of(parts_[i].weights());
    }
    const Scratch<float> sums(numel);
    parallel_for(0, static_cast<int64_t>(parts_.size()), 1, [&](int64_t i, int64_t end) {
      const OneThread here;
      for (; i < end; ++i) images(parts_[i], sums.get() + parts_[i].sum);
    });
    parallel_for(0, of_channels_, 1, [&](int64_t i, int64_t end) {
      const OneThread here;
      for (; i < end; ++i) finish(i, sums.get());
    });
    return true;
  }

 private:
  static constexpr ConvPass kKind = ConvPass::kWeightGradient;

  // Images [begin, end) and some channels, in chunks of two sizes that differ by one.
  struct PartOfSum {
    Channels channels;
    int64_t begin, end, chunks;
    std::shared_ptr<const Plan> small, large;
    int64_t sum;  ///< its offset

    int64_t chunk(int64_t i) const { return begin + (end - begin) * i / chunks; }
    const Operand& weights() const { return large->w; }
  };

  bool prepare(PartOfSum& p, int64_t i) const {
    p.channels = channels_of(s_, kKind, i % of_channels_, of_channels_);
    p.begin = s_.batch * (i / of_channels_) / of_batch_;
    p.end = s_.batch * (i / of_channels_ + 1) / of_batch_;
    // The gradient passes through the cache with every chunk.
    const ConvShape& s = p.channels.shape;
    const int64_t weights = s.groups * s.out_channels * s.depth() * sizeof(float);
    const int64_t chunk = 2 * kChunkBytes * static_cast<int64_t>(sizeof(float) / sizeof(T));
    const int64_t bytes = std::max(chunk, weights + weights / 2);
    p.chunks = ceil_div(p.end - p.begin, std::max<int64_t>(1, bytes / image_bytes(s)));
    p.small = plan_for<T>(s_, kKind, false, p.channels, (p.end - p.begin) / p.chunks);
    p.large = plan_for<T>(s_, kKind, false, p.channels, ceil_div(p.end - p.begin, p.chunks));
    return p.small && p.large && p.small->w.inner == p.large->w.inner;
  }

  void images(const PartOfSum& p, float* sum) const {
    const int64_t numel = numel_of(p.weights());
    const Scratch<float> more(p.chunks > 1 ? numel : 0);
    for (int64_t i = 0; i < p.chunks; ++i) {
      chunk(p, p.chunk(i), p.chunk(i + 1), i == 0 ? sum : more.get());
      if (i > 0) add(sum, more.get(), numel);
    }
  }

  void chunk(const PartOfSum& p, int64_t begin, int64_t end, float* gw) const {
    const Plan& plan = *(end - begin == p.large->images ? p.large : p.small);
    const Inner x(plan.x, x_ + begin * s_.groups * s_.in_channels * s_.in_pixels() + p.channels.x);
    const Inner y(plan.y,
                  gy_ + begin * s_.groups * s_.out_channels * s_.out_pixels() + p.channels.y);
    plan.convolve(x.get(), gw, nullptr, y.get());
  }

  // Adds the sums of the parts of the batch, and converts the result.
  void finish(int64_t channels, float* sums) const {
    const PartOfSum& p = parts_[channels];
    float* sum = sums + p.sum;
    for (int64_t i = 1; i < of_batch_; ++i)
      add(sum, sums + parts_[i * of_channels_ + channels].sum, numel_of(p.weights()));
    if (p.weights().same())  // in f32
      std::memcpy(static_cast<void*>(gw_ + p.channels.w), sum, p.weights().inner.get_size());
    else
      Plan::convert(p.weights(), sum, gw_ + p.channels.w);
  }

  // Sums are f32 for all dtypes of operands.
  static int64_t numel_of(const Operand& w) {
    return w.inner_bytes() / static_cast<int64_t>(sizeof(float));
  }
  static void add(float* sum, const float* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) sum[i] += x[i];
  }

  ConvShape s_;
  T* gw_;
  const T *x_, *gy_;
  int64_t of_channels_, of_batch_;
  std::vector<PartOfSum> parts_;
};

}  // namespace

template <class T>
bool run_weight_gradient(const ConvShape& s, T* gw, const T* x, const T* gy) {
  return WeightGradient<T>(s, gw, x, gy).run();
}
template bool run_weight_gradient(const ConvShape&, float*, const float*, const float*);
template bool run_weight_gradient(const ConvShape&, BFloat16*, const BFloat16*, const BFloat16*);

}  // namespace torch::taper::cpu::onednn
