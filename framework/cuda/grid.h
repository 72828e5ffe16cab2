// Loops over boxes of three dimensions. For *_cuda.cu files only, not installed.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/offsets.h>

namespace torch::taper::cuda {

/// The three coordinates of element i of a box of these sizes. Elements are in row-major order.
struct Index3 {
  int64_t at[3];
  TAPER_DEVICE Index3(const int64_t (&sizes)[3], int64_t i) {
    at[2] = i % sizes[2];
    at[1] = i / sizes[2] % sizes[1];
    at[0] = i / (sizes[1] * sizes[2]);
  }
};

/// A position in a batch of planes. Each plane has three dimensions.
struct InPlane {
  int64_t plane, pixel;  // pixel: index in its plane
  int64_t at[3];         // coordinates of the pixel
};
/// Converts the index of an element of `planes` planes to its position. Each plane has these sizes.
class Planes {
 public:
  Planes(int64_t planes, const int64_t (&sizes)[3])
      : pixels_(sizes[0] * sizes[1] * sizes[2], planes * sizes[0] * sizes[1] * sizes[2]),
        columns_(sizes[2], pixels_.divisor),
        rows_(sizes[1], pixels_.divisor) {}
  TAPER_DEVICE InPlane find(int64_t i) const {
    InPlane p;
    p.plane = pixels_.quotient(i);
    p.pixel = i - p.plane * pixels_.divisor;
    const int64_t row = columns_.quotient(p.pixel);
    p.at[2] = p.pixel - row * columns_.divisor;
    p.at[0] = rows_.quotient(row);
    p.at[1] = row - p.at[0] * rows_.divisor;
    return p;
  }

 private:
  Divider<int64_t> pixels_, columns_, rows_;
};

template <class Index, class F>
struct VisitBox {
  Index middle, inner;
  F f;
  TAPER_DEVICE void operator()(int64_t i) const {
    const Index at = static_cast<Index>(i), row = at / inner, o = row / middle;
    f(static_cast<int64_t>(o), static_cast<int64_t>(row - o * middle),
      static_cast<int64_t>(at - row * inner));
  }
};

/// Calls f(o, m, k) for all o < outer, m < middle and k < inner. Neighbouring threads have
/// neighbouring k. Uses divisions of 32 bits if there are fewer than 2^31 calls.
template <class F>
void for_each_in_box(int64_t outer, int64_t middle, int64_t inner, const F& f) {
  const int64_t n = outer * middle * inner;
  if (n < (int64_t{1} << 31))
    for_each(n,
             VisitBox<uint32_t, F>{static_cast<uint32_t>(middle), static_cast<uint32_t>(inner), f});
  else
    for_each(n, VisitBox<int64_t, F>{middle, inner, f});
}

}  // namespace torch::taper::cuda
