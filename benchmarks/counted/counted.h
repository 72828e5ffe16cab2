// In place of measure.h: each row's body runs a few times under Callgrind, which counts its
// instructions (benchmarks/instructions.sh). The count of a small op is for one call, that of a
// kernel for one call on a warm cache.
#pragma once

#include <string>

#include <valgrind/callgrind.h>

template <class Body>
void measure(const std::string& row, const Body& body) {
  const bool is_small = row.rfind("tiny.", 0) == 0 || row.rfind("step.", 0) == 0;
  const int warm = is_small ? 30 : 1, calls = is_small ? 100 : 1;
  const std::string name = row + " " + std::to_string(calls);
  for (int i = 0; i < warm; ++i) body();
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < calls; ++i) body();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_ZERO_STATS;
}
inline void report(const std::string&, double) {}
