// Timing for the benchmark programs; prints "name<TAB>value<TAB>unit", where less is better.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline double now_s() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

inline void report(const std::string& name, double value, const char* unit) {
  std::printf("%s\t%.6g\t%s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

/// The median over many short batches of the time of one call, in ns.
template <class Body>
void measure(const std::string& name, const Body& body) {
  for (int i = 0; i < 20; ++i) body();
  const double one = now_s();
  body();
  const int batch = std::clamp(static_cast<int>(1e-3 / std::max(now_s() - one, 1e-7)), 1, 10000);
  std::vector<double> times;
  for (const double end = now_s() + 0.25; now_s() < end || times.size() < 5;) {
    const double start = now_s();
    for (int i = 0; i < batch; ++i) body();
    times.push_back((now_s() - start) / batch * 1e9);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  report(name, times[times.size() / 2], "ns");
}
