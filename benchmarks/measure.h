// Timing for the benchmark programs, which print "name<TAB>seconds".
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

inline double now_s() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

inline void report(const std::string& name, double seconds) {
  std::printf("%s\t%.6g\n", name.c_str(), seconds);
  std::fflush(stdout);
}

/// The seconds of one call: the least over batches of about a millisecond, which is what other work
/// on the machine disturbs least.
template <class Body>
void measure(const std::string& name, const Body& body) {
  constexpr double kBatch = 1e-3, kBudget = 0.12;
  for (int i = 0; i < 3; ++i) body();
  const double first = now_s();
  body();
  const double one = std::max(now_s() - first, 1e-8);
  const int calls = std::max(1, static_cast<int>(std::min(kBatch / one, 1e5)));
  double least = 1e30;
  for (double end = now_s() + kBudget, left = 5; left > 0 || now_s() < end; --left) {
    const double start = now_s();
    for (int i = 0; i < calls; ++i) body();
    least = std::min(least, (now_s() - start) / calls);
  }
  report(name, least);
}
