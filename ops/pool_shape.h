// The windows of one pooling, as its CPU kernels see them. Not installed.
#pragma once

#include <cstdint>

#include <taper/ops/pool_kernels.h>

namespace taper::cpu {

/// The elements of one window along one dimension: first, first + step, ..., below end; `tap` is
/// the position in the window of the first.
struct PoolSpan {
  int64_t first, end, step, tap;
};

/// Planes of one pooling, with three spatial dimensions.
struct PoolShape {
  int64_t planes;
  int64_t in[3], out[3];
  PoolWindows w;

  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  PoolSpan span(int d, int64_t o) const {
    if (w.adaptive) return {o * in[d] / out[d], ((o + 1) * in[d] + out[d] - 1) / out[d], 1, 0};
    const int64_t start = o * w.stride[d] - w.padding[d];
    const int64_t tap = start < 0 ? (-start + w.dilation[d] - 1) / w.dilation[d] : 0;
    const int64_t last = start + w.kernel[d] * w.dilation[d];
    return {start + tap * w.dilation[d], last < in[d] ? last : in[d], w.dilation[d], tap};
  }
  /// What the sum over a window is divided by; the spans are those of the window.
  double divisor(const PoolSpan& d, const PoolSpan& h, const PoolSpan& x, const int64_t* o) const {
    if (w.divisor) return static_cast<double>(w.divisor);
    if (w.adaptive || !w.count_include_pad)
      return static_cast<double>((d.end - d.first) * (h.end - h.first) * (x.end - x.first));
    double n = 1;
    for (int i = 0; i < 3; ++i) {
      // A window that ceil_mode added may stick out of the padding: that part does not count.
      const int64_t start = o[i] * w.stride[i] - w.padding[i], stop = start + w.kernel[i];
      const int64_t limit = in[i] + w.padding[i];
      n *= static_cast<double>((stop < limit ? stop : limit) - start);
    }
    return n;
  }
  /// Windows of 2 x 2 that neither overlap nor reach into padding.
  bool halves() const {
    for (int d = 1; d < 3; ++d)
      if (w.kernel[d] != 2 || w.stride[d] != 2 || w.padding[d] != 0 || w.dilation[d] != 1 ||
          2 * out[d] > in[d])
        return false;
    return !w.adaptive && in[0] == 1 && w.kernel[0] == 1;
  }
};

}  // namespace taper::cpu
