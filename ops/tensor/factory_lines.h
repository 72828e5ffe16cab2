// How arange and linspace space floats. For CPU kernels. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

// Inlined into the caller's instruction set, because the oldest one has no fused multiply-add.

/// PyTorch computes floats in groups of a vector's length. The first of a group comes from its
/// index, the others from the first. Elements after the last group come from their index.
template <class T>
struct Groups {
  static constexpr int64_t kLength = 32 / static_cast<int64_t>(sizeof(T));
  int64_t whole;
  explicit Groups(int64_t n) : whole(n / (2 * kLength) * (2 * kLength)) {}
};

/// Computes start + step i, rounded once to double and then to T, and likewise within a group.
template <class T>
struct ArangeLine {
  double start, step;
  Groups<T> groups;
  TAPER_INLINE T first(int64_t i) const {
    return static_cast<T>(__builtin_fma(step, static_cast<double>(i), start));
  }
  TAPER_INLINE T next(T first, int64_t k) const {
    return static_cast<T>(__builtin_fma(step, static_cast<double>(k), static_cast<double>(first)));
  }
};

/// Counts from the nearer end, so that both ends are exact, and in T within a group. The multiples
/// of the step are stored, because a fused multiply-add would round only once.
template <class T>
struct LinspaceLine {
  double start, end, step;
  int64_t n;
  T multiples[Groups<T>::kLength];
  Groups<T> groups;
  LinspaceLine(int64_t n, T start, T end) : start(start), end(end), n(n), groups(n) {
    const T by = n > 1 ? (end - start) / static_cast<T>(n - 1) : T(0);
    step = static_cast<double>(by);
    for (int64_t k = 0; k < groups.kLength; ++k) multiples[k] = by * static_cast<T>(k);
  }
  TAPER_INLINE T first(int64_t i) const {
    const bool forward = i < n / 2 || n == 1;
    const double steps = static_cast<double>(forward ? i : n - 1 - i);
    return static_cast<T>(__builtin_fma(forward ? step : -step, steps, forward ? start : end));
  }
  TAPER_INLINE T next(T first, int64_t k) const { return first + multiples[k]; }
};

}  // namespace torch::taper::cpu
