#include <algorithm>
#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/spatial/fold_kernels.h>

namespace torch::taper::cpu {
namespace {

/// The windows along the width whose kernel element k is in the image: [first, end).
struct Inside {
  int64_t first, end;
  Inside(const FoldWindows& w, int64_t k) {
    const int64_t start = w.place(1, 0, k), s = w.stride[1];
    first = std::min(w.windows[1], start < 0 ? (-start + s - 1) / s : 0);
    const int64_t room = w.image[1] - start;
    end = std::clamp(room > 0 ? (room + s - 1) / s : 0, first, w.windows[1]);
  }
};

/// Calls body(column row, image row or null, inside, k) for each row of windows of each kernel
/// element.
template <class T, class I, class Body>
void for_each_row_of_windows(T* columns, I* image, const FoldWindows& w, const Body& body) {
  for (int64_t a = 0; a < w.kernel[0]; ++a)
    for (int64_t b = 0; b < w.kernel[1]; ++b) {
      const Inside inside(w, b);
      T* row = columns + (a * w.kernel[1] + b) * w.columns();
      for (int64_t o = 0; o < w.windows[0]; ++o, row += w.windows[1]) {
        const int64_t y = w.place(0, o, a);
        body(row, y < 0 || y >= w.image[0] ? nullptr : image + y * w.image[1], inside, b);
      }
    }
}

template <class T>
void columns_of(T* columns, const T* image, const FoldWindows& w) {
  const auto copy = [&w](T* to, const T* row, Inside in, int64_t k) {
    if (!row) in.first = in.end = w.windows[1];
    std::fill(to, to + in.first, T(0.0f));
    std::fill(to + in.end, to + w.windows[1], T(0.0f));
    const T* const from = row + (row ? w.place(1, 0, k) : 0);
    const int64_t step = w.stride[1];
    if (step == 1 && in.end > in.first)
      memcpy(to + in.first, from + in.first, static_cast<size_t>(in.end - in.first) * sizeof(T));
    else
      for (int64_t o = in.first; o < in.end; ++o) to[o] = from[o * step];
  };
  for_each_row_of_windows(columns, image, w, copy);
}

template <class T>
void sum_columns(T* image, const T* columns, const FoldWindows& w) {
  std::fill(image, image + w.pixels(), T(0.0f));
  const auto add = [&w](const T* from, T* row, Inside in, int64_t k) {
    if (!row) return;
    T* const to = row + w.place(1, 0, k);
    const int64_t step = w.stride[1];
    for (int64_t o = in.first; o < in.end; ++o)
      to[o * step] = static_cast<T>(to[o * step] + from[o]);
  };
  for_each_row_of_windows(columns, image, w, add);
}

int64_t grain(const FoldWindows& w) {
  return std::max<int64_t>(1, kGrain / (w.kernel_elements() * w.columns() + 1));
}

}  // namespace

void im2col(Out columns, In images, FoldWindows w) {
  switch_dtype<dtypes::Floating>(columns.dtype, "im2col", [&]<class scalar_t>() {
    parallel_for(0, w.planes, grain(w), [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        columns_of(columns.as<scalar_t>() + i * w.kernel_elements() * w.columns(),
                   images.as<scalar_t>() + i * w.pixels(), w);
    });
  });
}

void col2im(Out images, In columns, FoldWindows w) {
  switch_dtype<dtypes::Floating>(images.dtype, "col2im", [&]<class scalar_t>() {
    parallel_for(0, w.planes, grain(w), [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        sum_columns(images.as<scalar_t>() + i * w.pixels(),
                    columns.as<scalar_t>() + i * w.kernel_elements() * w.columns(), w);
    });
  });
}

}  // namespace torch::taper::cpu
