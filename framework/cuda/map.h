// Pointwise loops on CUDA: y[i] = f(a[i], ...), for any strides and broadcast operands. For
// *_cuda.cu files only, not installed.
#pragma once

#include <cstring>

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/offsets.h>
#include <taper/framework/cuda/patches.h>

namespace torch::taper::cuda {

/// Converts an element to the type that functors compute in: 16-bit floats become float.
template <class T>
TAPER_HD opmath_t<T> load(const T& v) {
  return static_cast<opmath_t<T>>(v);
}

/// An operand of type T: memory, or a number passed with the launch.
template <class T>
struct Source {
  const char* data;
  T number;
  explicit Source(const In& x) : data(static_cast<const char*>(x.data)), number() {
    // The bytes of a number in an In may lack T's alignment.
    if (!data && x.numel == 1) std::memcpy(&number, x.bytes(), sizeof number);
  }
  TAPER_DEVICE T at(int64_t offset) const {
    return data ? *reinterpret_cast<const T*>(data + offset) : number;
  }
};

/// A part of a plan. Indices of its elements fit in 32 bits.
template <int N>
struct PlanPart {
  Offsets<N, uint32_t> offsets;
  int64_t first[N];  // byte offset of the part in operand k
  TAPER_DEVICE void at(int64_t i, int64_t (&offset)[N]) const {
    offsets.at(static_cast<uint32_t>(i), offset);
    for (int k = 0; k < N; ++k) offset[k] += first[k];
  }
};

/// Cuts a plan in parts, and calls run(context, part, n) for each part of n elements. `first` holds
/// the plan's byte offsets. The function is no template over `run`, so a file compiles it once for
/// each N. Most files have hundreds of different `run`.
template <int N>
void for_each_part(const Plan<N>& plan, const int64_t (&first)[N],
                   void (*run)(const void*, const PlanPart<N>&, int64_t), const void* context) {
  const Patches patches = patches_of(plan);
  const Cut cut = cut_of(plan, patches);
  if (cut.at == 0) {
    PlanPart<N> part{Offsets<N, uint32_t>(patches.side > 0 ? in_patches(plan, patches) : plan), {}};
    std::copy_n(first, N, part.first);
    return run(context, part, plan.numel);
  }
  for (const bool second : {false, true}) {
    Plan<N> half = plan;
    int64_t& size = half.sizes[cut.dim];
    size = second ? size - cut.at : cut.at;
    half.numel = plan.numel / plan.sizes[cut.dim] * size;
    int64_t start[N];
    for (int k = 0; k < N; ++k)
      start[k] = first[k] + (second ? cut.at * plan.strides[cut.dim][k] : int64_t{0});
    for_each_part(half, start, run, context);
  }
}

template <int N, class Visit>
struct VisitPlace {
  PlanPart<N> part;
  Visit visit;
  TAPER_DEVICE void operator()(int64_t i) const {
    int64_t at[N];
    part.at(i, at);
    visit(at);
  }
};

/// Calls visit(offsets) for every element of a plan, with its byte offset in each operand.
template <int N, class Visit>
void for_each_place(const Plan<N>& plan, const Visit& visit) {
  for_each_part<N>(
      plan, {},
      [](const void* given, const PlanPart<N>& part, int64_t n) {
        for_each(n, VisitPlace<N, Visit>{part, *static_cast<const Visit*>(given)});
      },
      &visit);
}

/// V elements that are loaded and stored at once.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T v[V];
};
/// Number of elements of the widest of the types in 16 bytes.
template <class... T>
constexpr int kPack = 16 / std::max({sizeof(T)...});
inline bool is_packed(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

/// Returns whether all operands of a plan are dense and have one order of elements.
template <int N>
bool is_one_row(const Plan<N>& plan, const int64_t (&itemsize)[N]) {
  if (plan.numel <= 1) return true;
  for (int k = 0; k < N; ++k)
    if (plan.strides[0][k] != itemsize[k]) return false;
  return plan.rank == 1;
}
/// Returns whether the elements of y are dense in any order of dimensions, such as channels last or
/// transposed.
inline bool is_dense(const Out& y) {
  return y.contiguous ||
         is_one_row(plan_over(y.sizes, y), {static_cast<int64_t>(elementSize(y.dtype))});
}
/// Returns whether x and y are dense in one order of dimensions, have equally many elements, and
/// are aligned for packs.
inline bool lies_like(const Out& y, const In& x) {
  if (!x.data || x.numel != y.numel || !is_packed(x.data) || !is_packed(y.data)) return false;
  if (y.contiguous && x.contiguous) return true;
  return is_one_row(plan_over(y.sizes, y, x), {static_cast<int64_t>(elementSize(y.dtype)),
                                               static_cast<int64_t>(elementSize(x.dtype))});
}

template <class To, class From, class F>
struct MapPacked {
  static constexpr int V = kPack<To, From>;
  To* y;
  const From* x;
  int64_t n;
  F f;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    if (first + V <= n) {
      const auto in = *reinterpret_cast<const Pack<From, V>*>(x + first);
      Pack<To, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = static_cast<To>(f(load(in.v[k])));
      *reinterpret_cast<Pack<To, V>*>(y + first) = out;
    } else if constexpr (V > 1) {
      TAPER_ROLLED
      for (int64_t k = first; k < n; ++k) y[k] = static_cast<To>(f(load(x[k])));
    }
  }
};
template <class To, class From, class F>
struct MapStrided {
  char* y;
  Source<From> x;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[2]) const {
    *reinterpret_cast<To*>(y + at[0]) = static_cast<To>(f(load(x.at(at[1]))));
  }
};

/// Computes y[i] = f(x[i]). x broadcasts to y. f computes in opmath_t<From>.
template <class To, class From, class F>
void map(const Out& y, const In& x, const F& f) {
  using Packed = MapPacked<To, From, F>;
  if (lies_like(y, x))
    for_each((y.numel + Packed::V - 1) / Packed::V, Packed{y.as<To>(), x.as<From>(), y.numel, f});
  else  // also rows with gaps: for functions of one operand, packs of such rows would lengthen
        // nvcc's time by 10%
    for_each_place(plan_over(y.sizes, y, x),
                   MapStrided<To, From, F>{static_cast<char*>(y.data), Source<From>(x), f});
}

// Load and store an element of any floating dtype, with a switch over the dtype for each element.
TAPER_DEVICE inline double load_double(ScalarType dtype, const char* x) {
  switch (dtype) {
    case kDouble:
      return *reinterpret_cast<const double*>(x);
    case kHalf:
      return static_cast<double>(load(*reinterpret_cast<const Half*>(x)));
    case kBFloat16:
      return static_cast<double>(load(*reinterpret_cast<const BFloat16*>(x)));
    default:
      return static_cast<double>(*reinterpret_cast<const float*>(x));
  }
}
TAPER_DEVICE inline void store_double(ScalarType dtype, char* y, double v) {
  switch (dtype) {
    case kDouble:
      *reinterpret_cast<double*>(y) = v;
      break;
    case kHalf:
      *reinterpret_cast<Half*>(y) = Half(static_cast<float>(v));
      break;
    case kBFloat16:
      *reinterpret_cast<BFloat16*>(y) = BFloat16(static_cast<float>(v));
      break;
    default:
      *reinterpret_cast<float*>(y) = static_cast<float>(v);
  }
}
/// An operand of any floating dtype: memory, or a number passed with the launch.
struct DoubleSource {
  ScalarType dtype;
  const char* data;
  double number;
  explicit DoubleSource(const In& x) : dtype(x.dtype), data(nullptr), number(0) {
    if (x.data) {
      data = static_cast<const char*>(x.data);
    } else {
      switch_dtype<dtypes::Floating>(dtype, "map", [&]<class scalar_t>() {
        number = static_cast<double>(load(Source<scalar_t>(x).number));
      });
    }
  }
  TAPER_DEVICE double at(int64_t offset) const {
    return data ? load_double(dtype, data + offset) : number;
  }
};

template <class F>
struct MapInDouble {
  ScalarType dtype;
  char* y;
  DoubleSource x;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[2]) const {
    store_double(dtype, y + at[0], f(x.at(at[1])));
  }
};
/// Computes y[i] = f(x[i]) for floating x and y. x broadcasts to y. f computes in double, so one
/// kernel serves all dtypes. Use it for functions that take longer than the memory access.
template <class F>
void map_in_double(const Out& y, const In& x, const F& f) {
  for_each_place(plan_over(y.sizes, y, x),
                 MapInDouble<F>{y.dtype, static_cast<char*>(y.data), DoubleSource(x), f});
}
template <class F>
struct Map2InDouble {
  ScalarType dtype;
  char* y;
  DoubleSource a, b;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    store_double(dtype, y + at[0], f(a.at(at[1]), b.at(at[2])));
  }
};
/// Computes y[i] = f(a[i], b[i]), like map_in_double.
template <class F>
void map2_in_double(const Out& y, const In& a, const In& b, const F& f) {
  for_each_place(plan_over(y.sizes, y, a, b), Map2InDouble<F>{y.dtype, static_cast<char*>(y.data),
                                                              DoubleSource(a), DoubleSource(b), f});
}

/// Returns the V adjacent elements that begin at index `first`, or the source's number in all V.
template <class T, int V>
TAPER_DEVICE Pack<T, V> load_pack(const Source<T>& source, int64_t first) {
  if (source.data) return reinterpret_cast<const Pack<T, V>*>(source.data)[first / V];
  Pack<T, V> pack;
  for (int k = 0; k < V; ++k) pack.v[k] = source.number;
  return pack;
}

template <class To, class From, class F>
struct Map2Packed {
  static constexpr int V = kPack<To, From>;
  To* y;
  Source<From> a, b;
  int64_t n;
  F f;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    if (first + V <= n) {
      const auto pa = load_pack<From, V>(a, first), pb = load_pack<From, V>(b, first);
      Pack<To, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = static_cast<To>(f(load(pa.v[k]), load(pb.v[k])));
      *reinterpret_cast<Pack<To, V>*>(y + first) = out;
    } else if constexpr (V > 1) {
      TAPER_ROLLED
      for (int64_t k = first; k < n; ++k) {
        const int64_t at = k * int64_t{sizeof(From)};
        y[k] = static_cast<To>(f(load(a.at(at)), load(b.at(at))));
      }
    }
  }
};
template <class To, class From, class F>
struct Map2Strided {
  char* y;
  Source<From> a, b;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    *reinterpret_cast<To*>(y + at[0]) = static_cast<To>(f(load(a.at(at[1])), load(b.at(at[2]))));
  }
};
/// Returns whether x is a number, or is dense in y's order of dimensions (lies_like).
inline bool suits_packs(const Out& y, const In& x) {
  return x.data ? lies_like(y, x) : x.numel == 1;
}

/// Computes y[i] = f(a[i], b[i]). a and b broadcast to y.
template <class To, class From, class F>
void map2(const Out& y, const In& a, const In& b, const F& f) {
  using Packed = Map2Packed<To, From, F>;
  if (is_dense(y) && is_packed(y.data) && suits_packs(y, a) && suits_packs(y, b))
    for_each((y.numel + Packed::V - 1) / Packed::V,
             Packed{y.as<To>(), Source<From>(a), Source<From>(b), y.numel, f});
  else
    for_each_place(
        plan_over(y.sizes, y, a, b),
        Map2Strided<To, From, F>{static_cast<char*>(y.data), Source<From>(a), Source<From>(b), f});
}

template <class T, class F>
struct Map3Packed {
  static constexpr int V = kPack<T>;
  T* y;
  Source<T> a, b, c;
  int64_t n;
  F f;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    if (first + V <= n) {
      const auto pa = load_pack<T, V>(a, first), pb = load_pack<T, V>(b, first),
                 pc = load_pack<T, V>(c, first);
      Pack<T, V> out;
      for (int k = 0; k < V; ++k)
        out.v[k] = static_cast<T>(f(load(pa.v[k]), load(pb.v[k]), load(pc.v[k])));
      *reinterpret_cast<Pack<T, V>*>(y + first) = out;
    } else if constexpr (V > 1) {
      TAPER_ROLLED
      for (int64_t k = first; k < n; ++k) {
        const int64_t at = k * int64_t{sizeof(T)};
        y[k] = static_cast<T>(f(load(a.at(at)), load(b.at(at)), load(c.at(at))));
      }
    }
  }
};
template <class T, class F>
struct Map3Strided {
  char* y;
  Source<T> a, b, c;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[4]) const {
    *reinterpret_cast<T*>(y + at[0]) =
        static_cast<T>(f(load(a.at(at[1])), load(b.at(at[2])), load(c.at(at[3]))));
  }
};

/// Computes y[i] = f(a[i], b[i], c[i]). a, b and c broadcast to y.
template <class T, class F>
void map3(const Out& y, const In& a, const In& b, const In& c, const F& f) {
  using Packed = Map3Packed<T, F>;
  const Source<T> sa(a), sb(b), sc(c);
  if (is_dense(y) && is_packed(y.data) && suits_packs(y, a) && suits_packs(y, b) &&
      suits_packs(y, c))
    for_each((y.numel + Packed::V - 1) / Packed::V, Packed{y.as<T>(), sa, sb, sc, y.numel, f});
  else
    for_each_place(plan_over(y.sizes, y, a, b, c),
                   Map3Strided<T, F>{static_cast<char*>(y.data), sa, sb, sc, f});
}

}  // namespace torch::taper::cuda
