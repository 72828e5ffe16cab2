// Pointwise loops on CUDA over rows of packs of 16 bytes. For *_cuda.cu files only, not installed.
//
// For each row of y, an operand has as many elements as the row, or one element. Examples are a
// bias, a factor for each channel, a table for each sample, a mask of padding and a part of a
// matrix. Loads of single elements would not use the whole memory bandwidth.
#pragma once

#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

/// Returns whether the rows of a plan can be read and written in packs of V elements. Elements of
/// operand k have itemsize[k] bytes. If the plan has only one row, this row may end with a shorter
/// pack.
template <int N>
bool rows_suit_packs(const Plan<N>& plan, const int64_t (&itemsize)[N], int64_t V) {
  if (plan.rank == 0 || plan.numel / V >= (int64_t{1} << 31) - 1) return false;
  if (plan.sizes[0] % V != 0 && plan.rank > 1) return false;
  for (int k = 0; k < N; ++k) {
    const bool repeats = k > 0 && plan.strides[0][k] == 0;
    if (repeats) continue;
    const int64_t pack = V * itemsize[k];
    if (plan.strides[0][k] != itemsize[k]) return false;
    if (reinterpret_cast<uintptr_t>(plan.base[k]) % static_cast<uintptr_t>(pack) != 0) return false;
    for (int d = 1; d < plan.rank; ++d)
      if (plan.strides[d][k] % pack != 0) return false;
  }
  return true;
}
/// Returns a plan that has the packs of `plan` as its elements. rows_suit_packs must be true for
/// `plan`.
template <int N>
Plan<N> plan_of_packs(Plan<N> plan, int64_t V) {
  plan.sizes[0] = (plan.sizes[0] + V - 1) / V;
  plan.numel = (plan.numel + V - 1) / V;
  for (int64_t& stride : plan.strides[0]) stride *= V;
  return plan;
}

/// Returns a pack of V copies of an element.
template <class T, int V>
TAPER_DEVICE Pack<T, V> pack_of(const T& one) {
  Pack<T, V> pack;
  for (int k = 0; k < V; ++k) pack.v[k] = one;
  return pack;
}

template <class To, class From, class F>
struct Map2Rows {
  static constexpr int V = kPack<From>;
  Offsets<3, uint32_t> offsets;  // of packs
  char *y, *a, *b;
  bool repeats_a, repeats_b;
  F f;
  Map2Rows(const Plan<3>& packs, const F& f)
      : offsets(packs),
        y(packs.base[0]),
        a(packs.base[1]),
        b(packs.base[2]),
        repeats_a(packs.strides[0][1] == 0),
        repeats_b(packs.strides[0][2] == 0),
        f(f) {}
  TAPER_DEVICE static Pack<From, V> read(const char* p, bool repeats) {
    if (!repeats) return *reinterpret_cast<const Pack<From, V>*>(p);
    return pack_of<From, V>(*reinterpret_cast<const From*>(p));
  }
  TAPER_DEVICE void operator()(int64_t i) const {
    int64_t at[3];
    offsets.at(static_cast<uint32_t>(i), at);
    const auto pa = read(a + at[1], repeats_a), pb = read(b + at[2], repeats_b);
    Pack<To, V> out;
    for (int k = 0; k < V; ++k) out.v[k] = static_cast<To>(f(load(pa.v[k]), load(pb.v[k])));
    *reinterpret_cast<Pack<To, V>*>(y + at[0]) = out;
  }
};
/// Computes y[i] = f(a[i], b[i]) in packs if a and b are tensors and the rows suit packs.
/// Otherwise, or if map2 can use packs as well, does nothing and returns false.
template <class To, class From, class F>
bool map2_rows(const Out& y, const In& a, const In& b, const F& f) {
  constexpr int64_t V = kPack<From>;
  if (!a.data || !b.data) return false;  // a number is passed with the launch
  if (y.contiguous && suits_packs(y, a) && suits_packs(y, b)) return false;  // one long row
  const Plan<3> plan = plan_over(y.sizes, y, a, b);
  if (!rows_suit_packs(plan, {sizeof(To), sizeof(From), sizeof(From)}, V)) return false;
  if (plan.numel % V != 0) return false;
  const Plan<3> packs = plan_of_packs(plan, V);
  for_each(packs.numel, Map2Rows<To, From, F>(packs, f));
  return true;
}
/// Computes y[i] = f(a[i], b[i]) by map2_rows if f computes in floats and map2_rows accepts the
/// operands, otherwise by map2.
template <class To, class From, class F>
void map2_or_rows(const Out& y, const In& a, const In& b, const F& f) {
  if constexpr (std::is_floating_point_v<opmath_t<From>>)
    if (map2_rows<To, From>(y, a, b, f)) return;
  map2<To, From>(y, a, b, f);
}

/// An operand that is read in packs of V elements of a row: V adjacent elements, or one repeated V
/// times.
template <class T>
struct RowSource {
  Source<T> source;
  bool repeats;
  RowSource(const In& x, int64_t stride) : source(x), repeats(stride == 0) {}
  template <int V>
  TAPER_DEVICE Pack<T, V> pack(int64_t at) const {
    if (!repeats) return *reinterpret_cast<const Pack<T, V>*>(source.data + at);
    return pack_of<T, V>(source.at(at));
  }
  /// Returns the k-th element of the pack at byte offset `at`.
  TAPER_DEVICE T element(int64_t at, int k) const {
    return source.at(repeats ? at : at + k * int64_t{sizeof(T)});
  }
};

/// Computes y[i] = f(a[i], b[i], c[i]) for packs of V elements.
template <int V, class T, class A, class F>
struct Map3Rows {
  Offsets<4, uint32_t> offsets;  // of packs
  char* y;
  RowSource<A> a;
  RowSource<T> b, c;
  int64_t n;
  F f;
  TAPER_DEVICE void operator()(int64_t i) const {
    int64_t at[4];
    offsets.at(static_cast<uint32_t>(i), at);
    T* to = reinterpret_cast<T*>(y + at[0]);
    if ((i + 1) * V <= n) {
      const auto pa = a.template pack<V>(at[1]);
      const auto pb = b.template pack<V>(at[2]), pc = c.template pack<V>(at[3]);
      Pack<T, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = static_cast<T>(f(pa.v[k], pb.v[k], pc.v[k]));
      *reinterpret_cast<Pack<T, V>*>(to) = out;
    } else {
      TAPER_ROLLED
      for (int k = 0; k < static_cast<int>(n - i * V); ++k)
        to[k] = static_cast<T>(f(a.element(at[1], k), b.element(at[2], k), c.element(at[3], k)));
    }
  }
};
/// Computes y[i] = f(a[i], b[i], c[i]) and returns true if the rows suit packs. Otherwise does
/// nothing and returns false. f takes elements in their stored types. An element of `a` must not
/// have more bytes than one of b or c.
template <class T, class A, class F>
bool map3_rows(const Out& y, const In& a, const In& b, const In& c, const F& f) {
  constexpr int V = kPack<T>;
  static_assert(sizeof(A) <= sizeof(T));
  const Plan<4> plan = plan_over(y.sizes, y, a, b, c);
  if (!rows_suit_packs(plan, {sizeof(T), sizeof(A), sizeof(T), sizeof(T)}, V)) return false;
  const Plan<4> packs = plan_of_packs(plan, V);
  for_each(packs.numel, Map3Rows<V, T, A, F>{Offsets<4, uint32_t>(packs),
                                             plan.base[0],
                                             {a, plan.strides[0][1]},
                                             {b, plan.strides[0][2]},
                                             {c, plan.strides[0][3]},
                                             plan.numel,
                                             f});
  return true;
}

}  // namespace torch::taper::cuda
