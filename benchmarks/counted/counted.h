// In place of measure.h, and of bench.h of the larger kit: each row's body runs a few times under
// Callgrind, which counts its instructions (benchmarks/instructions.sh). The count of a small op is
// for one call, that of a kernel for one call on a warm cache.
#pragma once

#include <string>

#include <valgrind/callgrind.h>

template <class Body>
void count_calls(const std::string& row, const Body& body, int warm, int calls) {
  const std::string name = row + " " + std::to_string(calls);
  for (int i = 0; i < warm; ++i) body();
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < calls; ++i) body();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_ZERO_STATS;
}

// ---------------------------------------------------------------- measure.h
template <class Body>
void measure(const std::string& row, const Body& body) {
  count_calls(row, body, 30, 100);
}
inline void report(const std::string&, double, const char*) {}

// ---------------------------------------------------------------- bench.h
namespace bench {

inline std::string& wanted_part() {
  static std::string part;
  return part;
}
/// Of the kit's arguments only `--only PART`, once.
inline void parse(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string("--only")) wanted_part() = argv[2];
}
template <class T>
void keep(const T& v) {
  asm volatile("" : : "r"(&v) : "memory");
}
inline bool wanted(const std::string& row) { return row.find(wanted_part()) != std::string::npos; }

template <class Body>
void row_ns(const std::string& row, const Body& body, double = 1) {
  if (wanted(row)) count_calls(row, body, 30, 100);
}
template <class Body>
void row_us(const std::string& row, const Body& body) {
  row_ns(row, body);
}
template <class Body>
void once(const std::string& row, const Body& body) {
  if (wanted(row)) count_calls(row, body, 1, 1);
}
template <class Body>
void row_gflops(const std::string& row, double, const Body& body) {
  once(row, body);
}
template <class Body>
void row_gbs(const std::string& row, double, const Body& body) {
  once(row, body);
}
template <class Body>
void row_melems(const std::string& row, double, const Body& body) {
  once(row, body);
}
struct Config {
  int threads = 1;
  double budget_s = 0;
};
inline Config& config() {
  static Config c;
  return c;
}

}  // namespace bench
