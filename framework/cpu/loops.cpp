#include <taper/framework/cpu/loops.h>

#include <algorithm>

#include <taper/framework/cpu/stream.h>

namespace taper::cpu {
namespace {

// ---------------------------------------------------------------- strided rows
// The loops of rows know contiguous operands (and broadcast ones). Others pass through buffers that
// stay in the first-level cache.
constexpr int64_t kRun = 512;  // elements
constexpr int64_t kMaxItem = 8;

template <class T>
void gather_as(char* to, const char* from, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    reinterpret_cast<T*>(to)[i] = *reinterpret_cast<const T*>(from + i * step);
}
template <class T>
void scatter_as(char* to, const char* from, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(to + i * step) = reinterpret_cast<const T*>(from)[i];
}
/// n elements that lie `step` bytes apart, side by side.
void gather(char* to, const char* from, int64_t step, int64_t item, int64_t n) {
  if (item == 4) return gather_as<uint32_t>(to, from, step, n);
  if (item == 8) return gather_as<uint64_t>(to, from, step, n);
  if (item == 2) return gather_as<uint16_t>(to, from, step, n);
  gather_as<uint8_t>(to, from, step, n);
}
void scatter(char* to, const char* from, int64_t step, int64_t item, int64_t n) {
  if (item == 4) return scatter_as<uint32_t>(to, from, step, n);
  if (item == 8) return scatter_as<uint64_t>(to, from, step, n);
  if (item == 2) return scatter_as<uint16_t>(to, from, step, n);
  scatter_as<uint8_t>(to, from, step, n);
}

int64_t item_of(ScalarType dtype) { return static_cast<int64_t>(elementSize(dtype)); }

/// An operand of a row that may be strided.
struct Side {
  int64_t item;
  bool strided;
  alignas(64) char buffer[kRun * kMaxItem];
  Side(int64_t item, bool strided) : item(item), strided(strided) {}
  const char* read(const char* p, int64_t step, int64_t n) {
    if (!strided) return p;
    gather(buffer, p, step, item, n);
    return buffer;
  }
};

void strided_row(MapRow row, const void* f, char* y, const char* x, const int64_t* s,
                 const int64_t* items, int64_t n) {
  Side to(items[0], s[0] != items[0]), from(items[1], s[1] != items[1]);
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    char* out = to.strided ? to.buffer : y + i * s[0];
    row(f, out, from.read(x + i * s[1], s[1], m), items, m);
    if (to.strided) scatter(y + i * s[0], out, s[0], to.item, m);
  }
}

void strided_row(Map2Row row, const void* f, char* y, const char* a, const char* b,
                 const int64_t* s, const int64_t* items, int64_t n) {
  Side to(items[0], s[0] != items[0]), left(items[1], s[1] != items[1] && s[1] != 0),
      right(items[2], s[2] != items[2] && (s[2] != 0 || s[1] == 0));
  const int64_t steps[3] = {items[0], s[1] == 0 ? 0 : items[1], right.strided ? items[2] : s[2]};
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    char* out = to.strided ? to.buffer : y + i * s[0];
    row(f, out, left.read(a + i * s[1], s[1], m), right.read(b + i * s[2], s[2], m), steps, m);
    if (to.strided) scatter(y + i * s[0], out, s[0], to.item, m);
  }
}

// ---------------------------------------------------------------- results larger than the cache
bool past_caches(const Out& y, const void* a, const void* b) {
  return streams(y.numel * item_of(y.dtype)) && y.data != a && y.data != b;
}

/// Calls compute(to, first, m) for runs of [begin, end) of a contiguous result, in a buffer whose
/// content is then written past the caches.
template <class Compute>
void stream_runs(char* y, int64_t item, int64_t begin, int64_t end, const Compute& compute) {
  alignas(64) char buffer[kRun * kMaxItem];
  for (int64_t i = begin; i < end; i += kRun) {
    const int64_t m = std::min(kRun, end - i);
    compute(buffer, i, m);
    stream(y + i * item, buffer, m * item);
  }
  end_stream();
}

}  // namespace

void run_map(const Out& y, const In& x, int64_t grain, MapRow row, const void* f) {
  const int64_t s[2] = {item_of(y.dtype), item_of(x.dtype)};
  if (y.contiguous && x.contiguous) {
    char *to = y.as<char>(), *from = const_cast<char*>(static_cast<const char*>(x.bytes()));
    const bool past = past_caches(y, from, nullptr);
    parallel_for(0, y.numel, grain, [&](int64_t b, int64_t e) {
      if (!past) return row(f, to + b * s[0], from + b * s[1], s, e - b);
      stream_runs(to, s[0], b, e,
                  [&](char* run, int64_t i, int64_t n) { row(f, run, from + i * s[1], s, n); });
    });
    return;
  }
  const auto plan = plan_over(y.sizes, y, x);
  const bool dense = plan.strides[0][0] == s[0] && plan.strides[0][1] == s[1];
  parallel_for(0, plan.numel, grain, [&](int64_t b, int64_t e) {
    for_each_row(plan, b, e, [&](char* const* p, const int64_t* steps, int64_t n) {
      if (dense) return row(f, p[0], p[1], s, n);
      strided_row(row, f, p[0], p[1], steps, s, n);
    });
  });
}

void run_map2(const Out& y, const In& a, const In& b, int64_t grain, Map2Row row, const void* f) {
  const bool a_full = a.contiguous && a.numel == y.numel;
  const bool b_full = b.contiguous && b.numel == y.numel;
  const int64_t items[3] = {item_of(y.dtype), item_of(a.dtype), item_of(b.dtype)};
  if (y.contiguous && (a_full || a.numel == 1) && (b_full || b.numel == 1) &&
      (a_full || b_full || y.numel == 1)) {
    const int64_t s[3] = {items[0], a_full ? items[1] : 0, b_full ? items[2] : 0};
    char* to = y.as<char>();
    const char *pa = static_cast<const char*>(a.bytes()), *pb = static_cast<const char*>(b.bytes());
    const bool past = past_caches(y, pa, pb);
    parallel_for(0, y.numel, grain, [&](int64_t begin, int64_t end) {
      if (!past)
        return row(f, to + begin * s[0], pa + begin * s[1], pb + begin * s[2], s, end - begin);
      stream_runs(to, s[0], begin, end, [&](char* run, int64_t i, int64_t n) {
        row(f, run, pa + i * s[1], pb + i * s[2], s, n);
      });
    });
    return;
  }
  const auto plan = plan_over(y.sizes, y, a, b);
  const int64_t* s = plan.strides[0];
  const bool dense = s[0] == items[0] && (s[1] == items[1] || s[1] == 0) &&
                     (s[2] == items[2] || s[2] == 0) && (s[1] != 0 || s[2] != 0);
  parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t* steps, int64_t n) {
      if (dense) return row(f, p[0], p[1], p[2], steps, n);
      strided_row(row, f, p[0], p[1], p[2], steps, items, n);
    });
  });
}

}  // namespace taper::cpu
