#include <taper/framework/kernel/loops.h>

#include <algorithm>

#include <taper/framework/core/itemsize.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>

#define TAPER_ISA_FILE <taper/framework/kernel/gather_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>
#define TAPER_ISA_FILE <taper/framework/kernel/narrow_rows_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void widen(float* to, const Half* from, int64_t n) { return TAPER_BY_ISA(widen, to, from, n); }
void widen(float* to, const BFloat16* from, int64_t n) { return TAPER_BY_ISA(widen, to, from, n); }
void narrow(Half* to, const float* from, int64_t n) { return TAPER_BY_ISA(narrow, to, from, n); }
void narrow(BFloat16* to, const float* from, int64_t n) {
  return TAPER_BY_ISA(narrow, to, from, n);
}

namespace {

// ---------------------------------------------------------------- strided rows
// The loops of rows take contiguous operands (and broadcast ones). Other operands pass through
// buffers that stay in L1.
constexpr int64_t kRun = 512;  // elements
constexpr int64_t kMaxItem = 16;
template <class T>
void scatter_as(char* to, const char* from, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(to + i * step) = reinterpret_cast<const T*>(from)[i];
}
}  // namespace

void gather(char* to, const char* from, int64_t step, int64_t item, int64_t n) {
  return TAPER_BY_ISA(gather, to, from, step, item, n);
}
void scatter(char* to, const char* from, int64_t step, int64_t item, int64_t n) {
  by_itemsize(static_cast<size_t>(item),
              [&](auto one) { scatter_as<decltype(one)>(to, from, step, n); });
}

namespace {

int64_t item_of(ScalarType dtype) { return static_cast<int64_t>(elementSize(dtype)); }

/// Is an operand of a row that may be strided. If `far`, it uses non-temporal stores, and the
/// operands of the next run arrive while this run is computed.
struct Side {
  int64_t item;
  bool strided, far;
  alignas(64) char buffer[kRun * kMaxItem];
  Side(int64_t item, bool strided, bool far) : item(item), strided(strided), far(far) {}
  const char* read(const char* p, int64_t step, int64_t n) {
    if (!strided) return p;
    gather(buffer, p, step, item, n);
    if (far && step > 0 && step <= 4 * item) fetch_ahead(p + n * step, n * step);
    return buffer;
  }
};

void strided_row(MapRow row, const void* f, char* y, const char* x, const int64_t* s,
                 const int64_t* items, int64_t n, bool far) {
  Side to(items[0], s[0] != items[0], far), from(items[1], s[1] != items[1], far);
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    char* out = to.strided ? to.buffer : y + i * s[0];
    row(f, out, from.read(x + i * s[1], s[1], m), items, m);
    if (to.strided) scatter(y + i * s[0], out, s[0], to.item, m);
  }
}

void strided_row(Map2Rows rows, const void* f, char* y, const char* a, const char* b,
                 const int64_t* s, const int64_t* items, int64_t n, bool far) {
  Side to(items[0], s[0] != items[0], far), left(items[1], s[1] != items[1] && s[1] != 0, far),
      right(items[2], s[2] != items[2] && (s[2] != 0 || s[1] == 0), far);
  const int64_t steps[3] = {items[0], s[1] == 0 ? 0 : items[1], right.strided ? items[2] : s[2]};
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    char* out = to.strided ? to.buffer : y + i * s[0];
    rows(f, out, left.read(a + i * s[1], s[1], m), right.read(b + i * s[2], s[2], m), steps, m, 1);
    if (to.strided) scatter(y + i * s[0], out, s[0], to.item, m);
  }
}

// A single element for the whole row is spread over its buffer once.
void strided_row(Map3Row row, const void* f, char* const* p, const int64_t* s, const int64_t* items,
                 int64_t n, bool far) {
  Side to(items[0], s[0] != items[0], far);
  Side from[3] = {Side(items[1], s[1] != items[1], far), Side(items[2], s[2] != items[2], far),
                  Side(items[3], s[3] != items[3], far)};
  const char* x[3];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    for (int k = 0; k < 3; ++k)
      if (i == 0 || s[k + 1] != 0) x[k] = from[k].read(p[k + 1] + i * s[k + 1], s[k + 1], m);
    char* out = to.strided ? to.buffer : p[0] + i * s[0];
    row(f, out, x, items, m);
    if (to.strided) scatter(p[0] + i * s[0], out, s[0], to.item, m);
  }
}

// ---------------------------------------------------------------- 16-bit floats as floats
// Holds a loop over floats and its functor, for rows of 16-bit floats.
template <class Row>
struct OfFloats {
  Row row;
  const void* f;
  ScalarType dtype;
  /// Calls its row(y, x, steps, m) for runs of n elements. The K operands x are floats in buffers
  /// that stay in L1. So is y, unless the results are bool. `s` holds the steps of y and the
  /// operands in bytes, or 0 for a single element.
  template <int K, class Call>
  void in_runs(char* y, const char* const* x, const int64_t* s, int64_t n, const Call& call) const;
};

void widen(float* to, const char* from, ScalarType dtype, int64_t n) {
  if (dtype == kHalf) return cpu::widen(to, reinterpret_cast<const Half*>(from), n);
  cpu::widen(to, reinterpret_cast<const BFloat16*>(from), n);
}
void narrow(char* to, ScalarType dtype, const float* from, int64_t n) {
  if (dtype == kHalf) return cpu::narrow(reinterpret_cast<Half*>(to), from, n);
  cpu::narrow(reinterpret_cast<BFloat16*>(to), from, n);
}

template <class Row>
template <int K, class Call>
void OfFloats<Row>::in_runs(char* y, const char* const* x, const int64_t* s, int64_t n,
                            const Call& call) const {
  alignas(64) float in[K][kRun], out[kRun];
  const bool narrows = s[0] == sizeof(Half);
  const char* from[K];
  int64_t steps[K + 1] = {narrows ? int64_t{sizeof(float)} : s[0]};
  for (int k = 0; k < K; ++k) {
    from[k] = reinterpret_cast<const char*>(in[k]);
    steps[k + 1] = s[k + 1] == 0 ? 0 : sizeof(float);
  }
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    for (int k = 0; k < K; ++k)
      if (i == 0 || s[k + 1] != 0) widen(in[k], x[k] + i * s[k + 1], dtype, s[k + 1] == 0 ? 1 : m);
    char* const to = y + i * s[0];
    call(narrows ? reinterpret_cast<char*>(out) : to, from, steps, m);
    if (narrows) narrow(to, dtype, out, m);
  }
}

void narrow_row(const void* context, char* y, const char* x, const int64_t* s, int64_t n) {
  const auto& of = *static_cast<const OfFloats<MapRow>*>(context);
  of.in_runs<1>(y, &x, s, n,
                [&](char* to, const char* const* from, const int64_t* steps, int64_t m) {
                  of.row(of.f, to, from[0], steps, m);
                });
}
void narrow_rows(const void* context, char* y, const char* a, const char* b, const int64_t* s,
                 int64_t n, int64_t rows) {
  const auto& of = *static_cast<const OfFloats<Map2Rows>*>(context);
  for (int64_t r = 0; r < rows; ++r) {
    const char* x[2] = {r ? a + r * s[4] : a, r ? b + r * s[5] : b};
    of.in_runs<2>(r ? y + r * s[3] : y, x, s, n,
                  [&](char* to, const char* const* from, const int64_t* steps, int64_t m) {
                    of.row(of.f, to, from[0], from[1], steps, m, 1);
                  });
  }
}
void narrow_row3(const void* context, char* y, const char* const* x, const int64_t* s, int64_t n) {
  const auto& of = *static_cast<const OfFloats<Map3Row>*>(context);
  of.in_runs<3>(y, x, s, n,
                [&](char* to, const char* const* from, const int64_t* steps, int64_t m) {
                  of.row(of.f, to, from, steps, m);
                });
}

// ---------------------------------------------------------------- results larger than the cache
template <class... Ins>
bool past_caches(const Out& y, const Ins&... from) {
  const int64_t read = ((from.numel * item_of(from.dtype)) + ...);
  return streams(y.numel * item_of(y.dtype), read) && ((y.data != from.data) && ...);
}

/// Computes runs of a row in a buffer, then writes them by non-temporal stores. A run is half a
/// page: while it is written, the next run's operands arrive.
void stream_row(MapRow row, const void* f, char* y, const char* x, const int64_t* s, int64_t n) {
  alignas(64) char buffer[kRun * kMaxItem];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    row(f, buffer, x + i * s[1], s, m);
    fetch_ahead(x + (i + m) * s[1], m * s[1]);
    stream(y + i * s[0], buffer, m * s[0]);
  }
}

void stream_row(Map2Rows rows, const void* f, char* y, const char* a, const char* b,
                const int64_t* s, int64_t n) {
  alignas(64) char buffer[kRun * kMaxItem];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    rows(f, buffer, a + i * s[1], b + i * s[2], s, m, 1);
    // Prefetches as much of each operand as is written, if there are two. If operands are larger,
    // more would arrive too early.
    if (s[1] != 0) fetch_ahead(a + (i + m) * s[1], m * (s[2] != 0 ? s[0] : s[1]));
    if (s[2] != 0 && b != a) fetch_ahead(b + (i + m) * s[2], m * (s[1] != 0 ? s[0] : s[2]));
    stream(y + i * s[0], buffer, m * s[0]);
  }
}

void stream_row(Map3Row row, const void* f, char* const* p, const int64_t* s, int64_t n) {
  alignas(64) char buffer[kRun * kMaxItem];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    const char* x[3] = {p[1] + i * s[1], p[2] + i * s[2], p[3] + i * s[3]};
    row(f, buffer, x, s, m);
    for (int k = 0; k < 3; ++k) fetch_ahead(x[k] + m * s[k + 1], m * s[k + 1]);
    stream(p[0] + i * s[0], buffer, m * s[0]);
  }
}

// Runs contiguous or single-element operands without a plan. Returns false for others.
bool run_flat(const Out& y, const In& a, const In& b, int64_t grain, Map2Rows rows, const void* f) {
  const bool a_full = a.contiguous && a.numel == y.numel;
  const bool b_full = b.contiguous && b.numel == y.numel;
  if (!y.contiguous || !(a_full || a.numel == 1) || !(b_full || b.numel == 1) ||
      !(a_full || b_full || y.numel == 1))
    return false;
  const int64_t s[3] = {item_of(y.dtype), a_full ? item_of(a.dtype) : 0,
                        b_full ? item_of(b.dtype) : 0};
  char* to = y.as<char>();
  const char *pa = static_cast<const char*>(a.bytes()), *pb = static_cast<const char*>(b.bytes());
  const bool past = past_caches(y, a, b);
  if (y.numel <= grain && !past) {  // most calls: a loop costs more than the work
    if (y.numel > 0) rows(f, to, pa, pb, s, y.numel, 1);
    return true;
  }
  parallel_for(0, y.numel, grain, [&](int64_t begin, int64_t end) {
    char* out = to + begin * s[0];
    const char *left = pa + begin * s[1], *right = pb + begin * s[2];
    if (!past) return rows(f, out, left, right, s, end - begin, 1);
    stream_row(rows, f, out, left, right, s, end - begin);
    end_stream();
  });
  return true;
}

}  // namespace

namespace {

// Handles most calls of small ops: contiguous operands of few elements. Any further step would cost
// more than the work.
TAPER_INLINE bool few_and_flat(const Out& y, int64_t grain, NarrowRows narrow) {
  return y.contiguous && y.numel <= std::min(grain, kGrain) && y.numel > 0 && !running_chain &&
         narrow == NarrowRows::kAsTheyAre;
}
// Returns the step between elements of an operand: 0 for a single element, or -1 if it needs a
// plan.
TAPER_INLINE int64_t flat_step(const In& x, const Out& y) {
  if (!x.contiguous) return -1;
  return x.numel == y.numel ? item_of(x.dtype) : x.numel == 1 ? 0 : -1;
}

}  // namespace

bool wants_half_vectors(const Out& y, const In& a, const In& b) {
  const bool floats = y.dtype == kFloat || y.dtype == kDouble;
  return best_isa == Isa::kAvx512 && floats && !running_chain &&
         (y.numel <= kGrain || !past_caches(y, a, b));
}

static void run_map_of_any(const Out& y, const In& x, int64_t grain, MapRow row, const void* f,
                           NarrowRows narrow) {
  const OfFloats<MapRow> of_floats{row, f, x.dtype};
  if (narrow == NarrowRows::kAsFloats) row = &narrow_row, f = &of_floats;
  if (running_chain) return running_chain->take(y, x, row, f);
  const int64_t s[2] = {item_of(y.dtype), item_of(x.dtype)};
  if (y.contiguous && x.contiguous) {
    char *to = y.as<char>(), *from = const_cast<char*>(static_cast<const char*>(x.bytes()));
    const bool past = past_caches(y, x);
    if (y.numel <= grain && !past) {
      if (y.numel > 0) row(f, to, from, s, y.numel);
      return;
    }
    parallel_for(0, y.numel, grain, [&](int64_t b, int64_t e) {
      if (!past) return row(f, to + b * s[0], from + b * s[1], s, e - b);
      stream_row(row, f, to + b * s[0], from + b * s[1], s, e - b);
      end_stream();
    });
    return;
  }
  const auto plan = plan_over(y.sizes, y, x);
  const bool dense = plan.strides[0][0] == s[0] && plan.strides[0][1] == s[1];
  const bool far = past_caches(y, x);
  parallel_for(0, plan.numel, grain, [&](int64_t b, int64_t e) {
    for_each_row(plan, b, e, [&](char* const* p, const int64_t* steps, int64_t n) {
      if (dense) return row(f, p[0], p[1], s, n);
      strided_row(row, f, p[0], p[1], steps, s, n, far);
    });
  });
}

void run_map(const Out& y, const In& x, int64_t grain, MapRow row, const void* f,
             NarrowRows narrow) {
  const int64_t s[2] = {item_of(y.dtype), flat_step(x, y)};
  if (!few_and_flat(y, grain, narrow) || s[1] <= 0)
    return run_map_of_any(y, x, grain, row, f, narrow);
  row(f, y.as<char>(), static_cast<const char*>(x.bytes()), s, y.numel);
}

static void run_map2_of_any(const Out& y, const In& a, const In& b, int64_t grain, Map2Rows rows,
                            const void* f, NarrowRows narrow) {
  const OfFloats<Map2Rows> of_floats{rows, f, a.dtype};
  if (narrow == NarrowRows::kAsFloats) rows = &narrow_rows, f = &of_floats;
  if (running_chain) return running_chain->take(y, a, b, rows, f);
  if (run_flat(y, a, b, grain, rows, f)) return;
  const int64_t items[3] = {item_of(y.dtype), item_of(a.dtype), item_of(b.dtype)};
  const auto plan = plan_over(y.sizes, y, a, b);
  const int64_t *s = plan.strides[0], *t = plan.rank > 1 ? plan.strides[1] : s;
  const int64_t steps[6] = {s[0], s[1], s[2], t[0], t[1], t[2]};
  const bool dense = s[0] == items[0] && (s[1] == items[1] || s[1] == 0) &&
                     (s[2] == items[2] || s[2] == 0) && (s[1] != 0 || s[2] != 0);
  const bool far = past_caches(y, a, b), past = far && dense && y.contiguous;
  if (dense && !past)
    return parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
      for_each_block(plan, begin, end, [&](const Block<3>& r) {
        rows(f, r.pointers[0], r.pointers[1], r.pointers[2], steps, r.count, r.rows);
      });
    });
  parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t*, int64_t n) {
      if (past) return stream_row(rows, f, p[0], p[1], p[2], s, n);
      strided_row(rows, f, p[0], p[1], p[2], s, items, n, far);
    });
    if (past) end_stream();
  });
}

void run_map2(const Out& y, const In& a, const In& b, int64_t grain, Map2Rows rows, const void* f,
              NarrowRows narrow) {
  const int64_t s[3] = {item_of(y.dtype), flat_step(a, y), flat_step(b, y)};
  if (!few_and_flat(y, grain, narrow) || s[1] < 0 || s[2] < 0 || s[1] + s[2] == 0)
    return run_map2_of_any(y, a, b, grain, rows, f, narrow);
  rows(f, y.as<char>(), static_cast<const char*>(a.bytes()), static_cast<const char*>(b.bytes()), s,
       y.numel, 1);
}

void run_map3(const Out& y, const In& a, const In& b, const In& c, int64_t grain, Map3Row row,
              const void* f, NarrowRows narrow) {
  const OfFloats<Map3Row> of_floats{row, f, a.dtype};
  if (narrow == NarrowRows::kAsFloats) row = &narrow_row3, f = &of_floats;
  if (running_chain) return running_chain->take(y, a, b, c, row, f);
  const int64_t items[4] = {item_of(y.dtype), item_of(a.dtype), item_of(b.dtype), item_of(c.dtype)};
  const auto plan = plan_over(y.sizes, y, a, b, c);
  const int64_t* steps = plan.strides[0];
  const bool full_b = steps[2] == items[2], full_c = steps[3] == items[3];
  const bool one = (full_b && steps[3] == 0) || (full_c && steps[2] == 0);
  const bool dense = std::equal(items, items + 2, steps) && ((full_b && full_c) || one);
  const bool far = past_caches(y, a, b, c), past = far && dense && y.contiguous;
  parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t* s, int64_t n) {
      if (past) return stream_row(row, f, p, s, n);
      if (dense) return row(f, p[0], p + 1, s, n);
      strided_row(row, f, p, s, items, n, far);
    });
    if (past) end_stream();
  });
}

}  // namespace torch::taper::cpu
