#include <algorithm>
#include <memory>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/fft_kernels.h>
#include <taper/ops/fft_plan.h>

namespace taper::cpu {
namespace {

/// A row's numbers apart, and the memory for its transform. One for each thread.
template <class T>
struct Workspace {
  std::unique_ptr<T[]> memory;
  Split<T> row;
  T* work;
  explicit Workspace(const FftPlan<T>& plan)
      : memory(new T[static_cast<size_t>(2 * plan.n() + plan.work_size())]),
        row{memory.get(), memory.get() + plan.n()},
        work(memory.get() + 2 * plan.n()) {}
};

/// f(workspace, row) for all rows, in parallel.
template <class T, class F>
void for_each_row_of(int64_t rows, const FftPlan<T>& plan, const F& f) {
  const int64_t grain = std::max<int64_t>(1, kGrain / (8 * plan.n()));
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    const Workspace<T> space(plan);
    for (int64_t r = begin; r < end; ++r) f(space, r);
  });
}

template <class T>
void take_apart(Split<T> to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    to.re[i] = from[2 * i];
    to.im[i] = from[2 * i + 1];
  }
}

template <class T>
void put_together(T* to, Split<T> from, int64_t n, T scale) {
  for (int64_t i = 0; i < n; ++i) {
    to[2 * i] = from.re[i] * scale;
    to[2 * i + 1] = from.im[i] * scale;
  }
}

template <class T>
void transform(const Out& y, const In& x, bool inverse, T scale) {
  const int64_t n = x.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  const T* from = x.as<T>();
  T* to = y.as<T>();
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const Split<T> row = inverse ? space.row.swapped() : space.row;
    take_apart(row, from + 2 * n * r, n);
    const Split<T> result = plan->run(space.row, space.work);
    put_together(to + 2 * n * r, inverse ? result.swapped() : result, n, scale);
  });
}

// ---------------------------------------------------------------- real rows of odd length
// As complex rows of the same length.
template <class T>
void real_odd(const Out& y, const In& x, T scale) {
  const int64_t n = x.sizes.back(), half = y.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    std::copy_n(x.as<T>() + n * r, n, space.row.re);
    std::fill_n(space.row.im, n, T(0));
    put_together(y.as<T>() + 2 * half * r, plan->run(space.row, space.work), half, scale);
  });
}

template <class T>
void hermitian_odd(const Out& y, const In& x, T scale) {
  const int64_t n = y.sizes.back(), half = x.sizes.back();
  const auto plan = FftPlan<T>::of(n);
  for_each_row_of(y.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const T* from = x.as<T>() + 2 * half * r;
    // Exchanged parts: the inverse.
    const Split<T> row = space.row.swapped();
    row.re[0] = from[0];
    row.im[0] = 0;
    for (int64_t k = 1; k < half; ++k) {
      row.re[k] = row.re[n - k] = from[2 * k];
      row.im[k] = from[2 * k + 1];
      row.im[n - k] = -from[2 * k + 1];
    }
    const T* result = plan->run(space.row, space.work).im;
    for (int64_t i = 0; i < n; ++i) y.as<T>()[n * r + i] = result[i] * scale;
  });
}

// ---------------------------------------------------------------- real rows of even length
// Pairs of neighbours are complex numbers: a row half as long. With E and O the transforms of the
// even and odd places, its transform is Z = E + i O, and that of the row E + w^k O.
template <class T>
void real_even(const Out& y, const In& x, T scale) {
  const int64_t n = x.sizes.back(), h = n / 2;
  const auto plan = FftPlan<T>::of(h);
  const Roots<T>& w = plan->half_roots();
  const T half_scale = scale / 2;
  for_each_row_of(x.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    take_apart(space.row, x.as<T>() + n * r, h);
    const Split<T> z = plan->run(space.row, space.work);
    T* to = y.as<T>() + 2 * (h + 1) * r;
    for (int64_t k = 0; k <= h; ++k) {
      const int64_t a = k == h ? 0 : k, b = k == 0 ? 0 : h - k;
      const T wr = w.re[static_cast<size_t>(k)], wi = w.im[static_cast<size_t>(k)];
      const T er = z.re[a] + z.re[b], ei = z.im[a] - z.im[b];
      const T orr = z.im[a] + z.im[b], oi = z.re[b] - z.re[a];
      to[2 * k] = (er + wr * orr - wi * oi) * half_scale;
      to[2 * k + 1] = (ei + wr * oi + wi * orr) * half_scale;
    }
  });
}

template <class T>
void hermitian_even(const Out& y, const In& x, T scale) {
  const int64_t n = y.sizes.back(), h = n / 2;
  const auto plan = FftPlan<T>::of(h);
  const Roots<T>& w = plan->half_roots();
  for_each_row_of(y.numel / n, *plan, [&](const Workspace<T>& space, int64_t r) {
    const T* from = x.as<T>() + 2 * (h + 1) * r;
    const Split<T> row = space.row.swapped();
    for (int64_t k = 0; k < h; ++k) {
      const int64_t b = h - k;
      // The first and the last value are real, whatever is given.
      const T ai = k == 0 ? T(0) : from[2 * k + 1], bi = k == 0 ? T(0) : from[2 * b + 1];
      const T er = from[2 * k] + from[2 * b], ei = ai - bi;
      const T dr = from[2 * k] - from[2 * b], di = ai + bi;
      const T wr = w.re[static_cast<size_t>(k)], wi = w.im[static_cast<size_t>(k)];
      const T orr = dr * wr + di * wi, oi = di * wr - dr * wi;
      row.re[k] = er - oi;
      row.im[k] = ei + orr;
    }
    put_together(y.as<T>() + n * r, plan->run(space.row, space.work).swapped(), h, scale);
  });
}

}  // namespace

void fft_complex(Out y, In x, bool inverse, double scale) {
  if (y.dtype == kComplexDouble) return transform<double>(y, x, inverse, scale);
  transform<float>(y, x, inverse, static_cast<float>(scale));
}

void fft_real(Out y, In x, double scale) {
  const bool odd = x.sizes.back() % 2 == 1;
  TAPER_SWITCH(x.dtype, "fft_r2c", TAPER_FLOAT_DTYPES, [&] {
    odd ? real_odd(y, x, static_cast<scalar_t>(scale))
        : real_even(y, x, static_cast<scalar_t>(scale));
  });
}

void fft_hermitian(Out y, In x, double scale) {
  const bool odd = y.sizes.back() % 2 == 1;
  TAPER_SWITCH(y.dtype, "fft_c2r", TAPER_FLOAT_DTYPES, [&] {
    odd ? hermitian_odd(y, x, static_cast<scalar_t>(scale))
        : hermitian_even(y, x, static_cast<scalar_t>(scale));
  });
}

}  // namespace taper::cpu
