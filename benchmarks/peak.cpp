// Multiply-adds in registers, which is as fast as this CPU computes: peak THREADS. Prints the
// operations of a second, of all threads together. Made with -march=native. Without AVX-512-BF16
// there is no row for bf16, nor where tile registers compute faster than what is measured here.
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

constexpr int kSums = 16, kCalls = 20000;  // sums that do not wait for each other

double thread_s() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

#ifdef __AVX512F__
using Vector = __m512;
Vector none() { return _mm512_setzero_ps(); }
Vector product(Vector sum, Vector a) { return _mm512_fmadd_ps(a, a, sum); }
#else
using Vector = __m256;
Vector none() { return _mm256_setzero_ps(); }
Vector product(Vector sum, Vector a) { return _mm256_fmadd_ps(a, a, sum); }
#endif

#ifdef __AVX512BF16__
Vector product_of_pairs(Vector sum, Vector a) {
  return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)a);
}
#endif

/// Keeps the compiler from knowing what a vector holds.
void hide(Vector& v) { asm volatile("" : "+v"(v)); }

template <class Multiply>
void batch(const Multiply& multiply) {
  Vector sums[kSums], a = none();
#pragma GCC unroll 16
  for (Vector& s : sums) hide(s = none());
  for (int i = 0; i < kCalls; ++i) {
#pragma GCC unroll 16
    for (Vector& s : sums) hide(s = multiply(s, a));
  }
}

/// The rate of one thread in its quickest of many short batches.
template <class Multiply>
double rate(int flops, const Multiply& multiply) {
  double least = 1e30;
  for (int i = 0; i < 500; ++i) {
    const double start = thread_s();
    batch(multiply);
    least = std::min(least, thread_s() - start);
  }
  return static_cast<double>(flops) * kSums * kCalls / least;
}

template <class Multiply>
void report_all(const std::string& dtype, const std::string& threads, int flops,
                const Multiply& multiply) {
  std::vector<double> rates(std::strtoul(threads.c_str(), nullptr, 10));
  std::vector<std::thread> team;
  for (double& r : rates) team.emplace_back([&] { r = rate(flops, multiply); });
  for (std::thread& t : team) t.join();
  double sum = 0;
  for (const double r : rates) sum += r;
  report("peak." + dtype + " threads " + threads, sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr int kLanes = sizeof(Vector) / sizeof(float);
  report_all("f32", argv[1], 2 * kLanes, [](Vector s, Vector a) { return product(s, a); });
#if defined(__AVX512BF16__) && !defined(__AMX_BF16__)
  report_all("bf16", argv[1], 4 * kLanes,
             [](Vector s, Vector a) { return product_of_pairs(s, a); });
#endif
}
