#include <cmath>

#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/tensor_lists.h>
#include <taper/ops/shared/foreach_functors.h>
#include <taper/ops/shared/foreach_kernels.h>

namespace torch::taper::cuda {
namespace {

struct SetZero {
  template <class M>
  TAPER_DEVICE void operator()(M* v) const {
    v[0] = M();
  }
};
template <class M>
struct Clamp {
  M low, high;
  TAPER_DEVICE void operator()(M* v) const { v[0] = v[0] < low ? low : v[0] > high ? high : v[0]; }
};

/// Joins |x|^order over a chunk. 16 bytes are summed in f32, which is exact enough and for which
/// GPUs have more units, and the sums in double. If squares leave the range of f32, they are summed
/// in double, too. The order does not depend on the alignment.
template <class T>
struct NormPart {
  static constexpr int V = 16 / sizeof(T);
  static constexpr float kLeast = 1e-30f, kMost = 1e30f;
  TensorLists lists;
  double* parts;
  double order;
  bool largest;

  template <class S>
  TAPER_DEVICE S sum_of(const Pack<T, V>& x) const {
    S all = 0;
    for (int j = 0; j < V; ++j) {
      const S v = std::fabs(static_cast<S>(load(x.v[j])));
      all = largest ? Larger()(all, v) : all + (order == 1 ? v : v * v);
    }
    return all;
  }
  TAPER_DEVICE double of_pack(const Pack<T, V>& x) const {
    if constexpr (sizeof(T) <= sizeof(float)) {
      const float all = sum_of<float>(x);
      if (largest || (all > kLeast && all < kMost)) return static_cast<double>(all);
    }
    return sum_of<double>(x);
  }
  TAPER_DEVICE static Pack<T, V> read(const T* x, int64_t n, bool is_aligned) {
    if (is_aligned && n >= V) return *reinterpret_cast<const Pack<T, V>*>(x);
    Pack<T, V> pack;
    for (int j = 0; j < V; ++j) pack.v[j] = j < n ? x[j] : T();
    return pack;
  }
  /// A row is a chunk.
  TAPER_DEVICE void operator()(const Team& team, int64_t chunk) const {
    const ListPart part = part_of(lists, chunk);
    const T* const x = reinterpret_cast<const T*>(lists.data(part.entry, 0)) + part.first;
    const bool is_aligned = reinterpret_cast<uintptr_t>(x) % 16 == 0;
    const auto value = [&](int64_t i) {
      return of_pack(read(x + i * V, part.n - i * V, is_aligned));
    };
    const int64_t packs = (part.n + V - 1) / V;
    const double all =
        largest ? team.reduce(packs, 0.0, value, Larger()) : team.reduce(packs, 0.0, value, Plus());
    if (team.rank == 0) parts[chunk] = all;
  }
};

/// A row is an entry. Its parts are adjacent.
struct NormJoin {
  TensorLists lists;
  double* norms;
  const double* parts;
  bool largest, square_root;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int entry = static_cast<int>(row);
    const double* const first = parts + lists.first_chunk(entry);
    const int64_t count = (lists.numel(entry) + TensorLists::kChunk - 1) / TensorLists::kChunk;
    const auto value = [&](int64_t i) { return first[i]; };
    const double all =
        largest ? team.reduce(count, 0.0, value, Larger()) : team.reduce(count, 0.0, value, Plus());
    if (team.rank == 0) norms[lists.number<int64_t>(entry)] = square_root ? std::sqrt(all) : all;
  }
};

struct Unscale {
  float* found_inf;
  const float* inv_scale;
  template <class M>
  TAPER_DEVICE void operator()(M* v) const {
    if (v[0] - v[0] != 0) raise();  // infinite or NaN
    v[0] *= static_cast<M>(*inv_scale);
  }

 private:
  // Several threads may do so at once, but all write the same value.
  TAPER_DEVICE void raise() const {
#ifdef __CUDA_ARCH__
    *found_inf = 1;
#else
    float one = 1;  // not const: Clang takes none
    __atomic_store(found_inf, &one, __ATOMIC_RELAXED);
#endif
  }
};

struct UpdateScale {
  float* scale;
  int32_t* growth_tracker;
  const float* found_inf;
  double growth_factor, backoff_factor;
  int64_t growth_interval;
  TAPER_DEVICE void operator()(int64_t) const {
    update_scale(*scale, *growth_tracker, *found_inf, growth_factor, backoff_factor,
                 growth_interval);
  }
};

}  // namespace

namespace {

constexpr unsigned kResult = 1;  // operand 0, which is only written

template <int N>
void pointwise_lists(const TensorLists& lists, ForeachFormula formula, const double* number) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach", [&]<class scalar_t>() {
    for_each_in_lists<scalar_t, N, (1u << N) - 2, kResult>(
        lists, functor::ForeachPointwise<opmath_t<scalar_t>, N>{formula, number, {}});
  });
}

}  // namespace

void foreach_pointwise(TensorLists lists, ForeachFormula formula, In number) {
  const auto* shared = static_cast<const double*>(number.data);
  if (lists.operands() == 2) return pointwise_lists<2>(lists, formula, shared);
  if (lists.operands() == 3) return pointwise_lists<3>(lists, formula, shared);
  pointwise_lists<4>(lists, formula, shared);
}

void foreach_norm_join(InOut norms, In parts, TensorLists lists, double order, bool root) {
  for_each_row(lists.size(), kThreads,
               NormJoin{lists, norms.as<double>(), static_cast<const double*>(parts.data),
                        std::isinf(order), root && order == 2});
}

void foreach_zero(TensorLists lists) {
  by_size(lists.dtype(),
          [&](auto word) { for_each_in_lists<decltype(word), 1, 0>(lists, SetZero()); });
}

void foreach_clamp(TensorLists lists, double low, double high) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_clamp", [&]<class scalar_t>() {
    using M = opmath_t<scalar_t>;
    for_each_in_lists<scalar_t, 1, 0>(lists, Clamp<M>{static_cast<M>(low), static_cast<M>(high)});
  });
}

void foreach_norm_parts(Out parts, TensorLists lists, double order) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_norm", [&]<class scalar_t>() {
    for_each_row(lists.chunks(), kThreads,
                 NormPart<scalar_t>{lists, parts.as<double>(), order, std::isinf(order)});
  });
}

void foreach_unscale(TensorLists lists, InOut found_inf, In inv_scale) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_unscale", [&]<class scalar_t>() {
    for_each_in_lists<scalar_t, 1, 0>(
        lists, Unscale{found_inf.as<float>(), static_cast<const float*>(inv_scale.data)});
  });
}

void amp_update_scale(InOut scale, InOut growth_tracker, In found_inf, double growth_factor,
                      double backoff_factor, int64_t growth_interval) {
  for_each(1, UpdateScale{scale.as<float>(), growth_tracker.as<int32_t>(),
                          static_cast<const float*>(found_inf.data), growth_factor, backoff_factor,
                          growth_interval});
}

}  // namespace torch::taper::cuda
