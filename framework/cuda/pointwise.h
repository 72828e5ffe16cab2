// Pointwise loops (map.h, map_rows.h) that inform captures, so that consecutive ones are fused into
// one kernel. For *_cuda.cu files only, not installed. Only functors of namespace
// torch::taper::functor can be fused.
#pragma once

#include <taper/framework/cuda/map_rows.h>
#include <taper/framework/cuda/pointwise_call.h>

namespace torch::taper::cuda {

/// Computes y[i] = f(x[i]). x broadcasts to y.
template <class To, class From, class F>
void pointwise(const Out& y, const In& x, const F& f) {
  tell<To, From>(f, y, x);
  map<To, From>(y, x, f);
}
/// Computes y[i] = f(a[i], b[i]).
template <class To, class From, class F>
void pointwise(const Out& y, const In& a, const In& b, const F& f) {
  tell<To, From, From>(f, y, a, b);
  map2_or_rows<To, From>(y, a, b, f);
}

}  // namespace torch::taper::cuda
