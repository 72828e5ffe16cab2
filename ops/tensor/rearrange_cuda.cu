#include <vector>

#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/scan.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper::cuda {
namespace {

// ---------------------------------------------------------------- join
/// Tensors that one launch joins, in units of T.
template <class T>
struct Parts {
  static constexpr int kMost = 16;
  const T* from[kMost];
  int64_t begin[kMost + 1];  // where each begins in a row of the parts
  int count = 0;
};

template <class T>
struct Join {
  T* y;
  int64_t row;  // of y
  Parts<T> parts;
  TAPER_DEVICE void operator()(int64_t, int64_t r, int64_t k) const {
    int p = 0;
    while (k >= parts.begin[p + 1]) ++p;
    const int64_t width = parts.begin[p + 1] - parts.begin[p];
    y[r * row + k] = parts.from[p][r * width + k - parts.begin[p]];
  }
};

template <class T>
void join_by(const Out& y, const std::vector<In>& xs, int64_t outer, int64_t itemsize) {
  const auto in_units = [&](int64_t numel) {
    return numel / outer * itemsize / static_cast<int64_t>(sizeof(T));
  };
  T* to = y.as<T>();
  for (size_t done = 0; done < xs.size();) {
    Parts<T> parts;
    parts.begin[0] = 0;
    for (; done < xs.size() && parts.count < Parts<T>::kMost; ++done) {
      if (xs[done].numel == 0) continue;
      parts.from[parts.count] = xs[done].as<T>();
      parts.begin[parts.count + 1] = parts.begin[parts.count] + in_units(xs[done].numel);
      ++parts.count;
    }
    const int64_t width = parts.begin[parts.count];
    for_each_in_box(1, outer, width, Join<T>{to, in_units(y.numel), parts});
    to += width;
  }
}

// ---------------------------------------------------------------- triangle
template <class T>
struct Triangle {
  T* y;
  const T* x;
  int64_t rows, cols, diagonal;
  bool upper;
  TAPER_DEVICE void operator()(int64_t matrix, int64_t r, int64_t c) const {
    const int64_t at = (matrix * rows + r) * cols + c;
    const bool kept = upper ? c >= r + diagonal : c <= r + diagonal;
    y[at] = kept ? x[at] : T{};
  }
};

// ---------------------------------------------------------------- repeat
template <class I>
struct CountOf {
  const I* repeats;
  TAPER_DEVICE int64_t operator()(int64_t i) const { return repeats[i]; }
};

// Element j belongs to the first i whose running sum of repeats exceeds j.
struct RepeatIndices {
  int64_t* y;
  const int64_t* running;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t j) const { y[j] = first_above(running, n, j); }
};

}  // namespace

void join(Out y, std::vector<In> xs, int64_t outer) {
  if (y.numel == 0) return;
  const auto itemsize = static_cast<int64_t>(elementSize(y.dtype));
  uint64_t numbers = address_of(y.data);
  for (const In& x : xs)
    numbers |=
        x.numel == 0 ? 0 : address_of(x.data) | static_cast<uint64_t>(x.numel / outer * itemsize);
  by_unit(common_unit(numbers), [&](auto one) { join_by<decltype(one)>(y, xs, outer, itemsize); });
}

void flip(Out y, In x, uint32_t dims) {
  if (y.numel == 0) return;
  const auto itemsize = static_cast<int64_t>(elementSize(x.dtype));
  In reversed = x;
  reversed.contiguous = false;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (!((dims >> d) & 1u)) continue;
    reversed.data =
        static_cast<const char*>(reversed.data) + (x.sizes[d] - 1) * x.strides[d] * itemsize;
    reversed.strides[d] = -x.strides[d];
  }
  by_size(x.dtype, [&](auto bits) {
    using T = decltype(bits);
    map<T, T>(y, reversed, Identity());
  });
}

void triangle(Out y, In x, int64_t diagonal, bool upper) {
  if (y.numel == 0) return;
  const int64_t rows = y.sizes[y.dim() - 2], cols = y.sizes[y.dim() - 1];
  by_size(y.dtype, [&](auto bits) {
    using T = decltype(bits);
    for_each_in_box(y.numel / (rows * cols), rows, cols,
                    Triangle<T>{y.as<T>(), x.as<T>(), rows, cols, diagonal, upper});
  });
}

void repeat_indices(Out y, In repeats) {
  if (y.numel == 0) return;
  const int64_t n = repeats.numel;
  const Scratch<int64_t> running(n);
  switch_dtype<dtypes::Index>(repeats.dtype, "repeat_interleave_cpu", [&]<class scalar_t>() {
    scan(ScanBox{1, n, 1, false}, SumScan<int64_t, CountOf<scalar_t>>{
                                      running.get(), CountOf<scalar_t>{repeats.as<scalar_t>()}});
  });
  for_each(y.numel, RepeatIndices{y.as<int64_t>(), running.get(), n});
}

}  // namespace torch::taper::cuda
