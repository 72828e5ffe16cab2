#include <algorithm>
#include <memory>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/fft/fft_kernels.h>
#include <taper/ops/fft/fft_plan.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace torch::taper::cpu {
namespace {

/// The split numbers of `lanes` rows, and memory for their transform and its result. One per
/// thread.
template <class T>
struct Workspace {
  int64_t lanes;
  std::unique_ptr<T[]> memory;
  Split<T> row;
  T *work, *pairs;
  Workspace(const FftPlan<T>& plan, int64_t lanes)
      : lanes(lanes),
        memory(new T[static_cast<size_t>(lanes * (4 * plan.n() + 2 + plan.work_size()))]),
        row{memory.get(), memory.get() + lanes * plan.n()},
        work(memory.get() + 2 * lanes * plan.n()),
        pairs(work + lanes * plan.work_size()) {}
};

/// Returns how many rows are transformed together: a vector of them, if that is faster and all
/// passes then stay in L2.
template <class T>
int64_t lanes_for(const FftPlan<T>& plan, int64_t rows) {
  if (plan.fast_alone()) return 1;
  constexpr int64_t kCache = 256 * 1024;
  const int64_t bytes = (4 * plan.n() + plan.work_size()) * int64_t{sizeof(T)};
  int64_t lanes = 64 / int64_t{sizeof(T)};
  if (lanes * bytes > kCache) lanes /= 2;
  return lanes * bytes <= kCache && rows >= lanes ? lanes : 1;
}

/// Calls f(workspace, row) for all rows, in parallel, with `workspace.lanes` rows at a time.
template <class T, class F>
void for_each_row_of(int64_t rows, const FftPlan<T>& plan, const F& f) {
  const int64_t lanes = lanes_for(plan, rows), blocks = rows / lanes;
  const int64_t grain = std::max<int64_t>(1, kGrain / (8 * plan.n() * lanes));
  parallel_for(0, blocks + (blocks * lanes < rows), grain, [&](int64_t begin, int64_t end) {
    const Workspace<T> space(plan, lanes), one(plan, 1);
    for (int64_t i = begin; i < end; ++i) {
      if (i < blocks) f(space, i * lanes);
      for (int64_t r = blocks * lanes; i == blocks && r < rows; ++r) f(one, r);
    }
  });
}

template <class T>
constexpr ScalarType kComplexOf = sizeof(T) == 4 ? kComplexFloat : kComplexDouble;

/// Computes y[i][j] = x[j][i] for complex numbers, i < m and j < n.
template <class T>
void transpose_pairs(T* y, const T* x, int64_t m, int64_t n) {
  Out to;
  to.data = y;
  to.dtype = kComplexOf<T>;
  to.sizes = {m, n};
  to.strides = {n, 1};
  to.numel = m * n;
  In from{};
  from.data = x;
  from.dtype = kComplexOf<T>;
  from.sizes = {m, n};
  from.strides = {1, m};
  from.numel = m * n;
  from.contiguous = m == 1 || n == 1;
  copy(to, from);
}

/// Returns the rows of n complex numbers from x on, as lanes.
template <class T>
const T* lanes_of(const Workspace<T>& space, const T* x, int64_t n) {
  const int64_t lanes = space.lanes;
  if (lanes == 1) return x;
  if (reinterpret_cast<uintptr_t>(x) % 8 == 0) {
    transpose_pairs(space.pairs, x, n, lanes);
    return space.pairs;
  }
  // Pairs of real numbers may start anywhere.
  for (int64_t l = 0; l < lanes; ++l)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t part : {0, 1})
        space.pairs[2 * (i * lanes + l) + part] = x[2 * (l * n + i) + part];
  return space.pairs;
}
/// Returns the destination of lanes of n complex numbers, before they are copied to the rows from y
/// on.
template <class T>
T* lanes_for_rows(const Workspace<T>& space, T* y) {
  return space.lanes == 1 ? y : space.pairs;
}
template <class T>
void bring(const Workspace<T>& space, T* y, int64_t n) {
  if (space.lanes > 1) transpose_pairs(y, space.pairs, space.lanes, n);
}

template <class T>
void transform(const Out& y, const In& x, bool inverse, T scale) {
  const int64_t n = x.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const Split<T> row = inverse ? space.row.swapped() : space.row;
    fft_take_apart(row, lanes_of(space, x.as<T>() + 2 * n * r, n), n * space.lanes);
    const Split<T> result = plan->run(space.row, space.work, space.lanes);
    T* to = y.as<T>() + 2 * n * r;
    fft_put_together(lanes_for_rows(space, to), inverse ? result.swapped() : result,
                     n * space.lanes, scale);
    bring(space, to, n);
  });
}

// ---------------------------------------------------------------- real rows of odd length
// Transforms as complex rows of this length.
template <class T>
void real_odd(const Out& y, const In& x, T scale) {
  const int64_t n = x.sizes.back(), half = y.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const int64_t lanes = space.lanes;
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t i = 0; i < n; ++i) space.row.re[i * lanes + l] = x.as<T>()[n * (r + l) + i];
    std::fill_n(space.row.im, n * lanes, T(0));
    const Split<T> result = plan->run(space.row, space.work, lanes);
    T* to = y.as<T>() + 2 * half * r;
    fft_put_together(lanes_for_rows(space, to), result, half * lanes, scale);
    bring(space, to, half);
  });
}

template <class T>
void hermitian_odd(const Out& y, const In& x, T scale) {
  const int64_t n = y.sizes.back(), half = x.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  for_each_row_of(y.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const int64_t lanes = space.lanes;
    // Exchanged parts give the inverse.
    const Split<T> row = space.row.swapped();
    for (int64_t l = 0; l < lanes; ++l) {
      const T* from = x.as<T>() + 2 * half * (r + l);
      row.re[l] = from[0];
      row.im[l] = 0;
      for (int64_t k = 1; k < half; ++k) {
        const int64_t a = k * lanes + l, b = (n - k) * lanes + l;
        row.re[a] = row.re[b] = from[2 * k];
        row.im[a] = from[2 * k + 1];
        row.im[b] = -from[2 * k + 1];
      }
    }
    const T* result = plan->run(space.row, space.work, lanes).im;
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t i = 0; i < n; ++i) y.as<T>()[n * (r + l) + i] = result[i * lanes + l] * scale;
  });
}

// ---------------------------------------------------------------- real rows of even length
// Pairs of neighbours are complex numbers, in a row of half the length.
template <class T>
void real_even(const Out& y, const In& x, T scale) {
  const int64_t n = x.sizes.back(), h = n / 2;
  const auto plan = FftPlan<T>::of(h);
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    fft_take_apart(space.row, lanes_of(space, x.as<T>() + n * r, h), h * space.lanes);
    const Split<T> z = plan->run(space.row, space.work, space.lanes);
    T* to = y.as<T>() + 2 * (h + 1) * r;
    fft_real_values(lanes_for_rows(space, to), z, plan->half_roots(), h, space.lanes, scale);
    bring(space, to, h + 1);
  });
}

template <class T>
void hermitian_even(const Out& y, const In& x, T scale) {
  const int64_t n = y.sizes.back(), h = n / 2;
  const auto plan = FftPlan<T>::of(h);
  for_each_row_of(y.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const T* from = lanes_of(space, x.as<T>() + 2 * (h + 1) * r, h + 1);
    fft_real_pairs(space.row.swapped(), from, plan->half_roots(), h, space.lanes);
    const Split<T> result = plan->run(space.row, space.work, space.lanes).swapped();
    T* to = y.as<T>() + n * r;
    fft_put_together(lanes_for_rows(space, to), result, h * space.lanes, scale);
    bring(space, to, h);
  });
}

}  // namespace

void fft_complex(Out y, In x, int64_t, bool inverse, double scale) {
  if (y.dtype == kComplexDouble) return transform<double>(y, x, inverse, scale);
  transform<float>(y, x, inverse, static_cast<float>(scale));
}

void fft_real(Out y, In x, int64_t, double scale) {
  const bool odd = x.sizes.back() % 2 == 1;
  switch_dtype<dtypes::Float>(x.dtype, "fft_r2c", [&]<class scalar_t>() {
    odd ? real_odd(y, x, static_cast<scalar_t>(scale))
        : real_even(y, x, static_cast<scalar_t>(scale));
  });
}

void fft_hermitian(Out y, In x, double scale) {
  const bool odd = y.sizes.back() % 2 == 1;
  switch_dtype<dtypes::Float>(y.dtype, "fft_c2r", [&]<class scalar_t>() {
    odd ? hermitian_odd(y, x, static_cast<scalar_t>(scale))
        : hermitian_even(y, x, static_cast<scalar_t>(scale));
  });
}

}  // namespace torch::taper::cpu
