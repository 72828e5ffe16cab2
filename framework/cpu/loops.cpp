#include <taper/framework/cpu/loops.h>

namespace taper::cpu {

void run_map(const Out& y, const In& x, int64_t grain, MapRow row, const void* f) {
  if (y.contiguous && x.contiguous) {
    const int64_t s[2] = {static_cast<int64_t>(elementSize(y.dtype)),
                          static_cast<int64_t>(elementSize(x.dtype))};
    parallel_for(0, y.numel, grain, [&](int64_t b, int64_t e) {
      row(f, y.as<char>() + b * s[0], x.as<char>() + b * s[1], s, e - b);
    });
    return;
  }
  const auto plan = plan_over(y.sizes, y, x);
  parallel_for(0, plan.numel, grain, [&](int64_t b, int64_t e) {
    for_each_row(plan, b, e,
                 [&](char* const* p, const int64_t* s, int64_t n) { row(f, p[0], p[1], s, n); });
  });
}

void run_map2(const Out& y, const In& a, const In& b, int64_t grain, Map2Row row, const void* f) {
  const bool a_full = a.contiguous && a.numel == y.numel;
  const bool b_full = b.contiguous && b.numel == y.numel;
  if (y.contiguous && (a_full || a.numel == 1) && (b_full || b.numel == 1)) {
    const int64_t item = static_cast<int64_t>(elementSize(a.dtype));
    const int64_t s[3] = {static_cast<int64_t>(elementSize(y.dtype)), a_full ? item : 0,
                          b_full ? item : 0};
    const char *pa = static_cast<const char*>(a.bytes()), *pb = static_cast<const char*>(b.bytes());
    parallel_for(0, y.numel, grain, [&](int64_t begin, int64_t end) {
      row(f, y.as<char>() + begin * s[0], pa + begin * s[1], pb + begin * s[2], s, end - begin);
    });
    return;
  }
  const auto plan = plan_over(y.sizes, y, a, b);
  parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t* s, int64_t n) {
      row(f, p[0], p[1], p[2], s, n);
    });
  });
}

}  // namespace taper::cpu
