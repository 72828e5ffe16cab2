// Every way to compute a product agrees with the plain sum for every shape and every layout.
#include <algorithm>
#include <type_traits>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/parallel.h>

#include "forced_way.h"
#include "framework/runtime/own_process.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Forced = ForcedWay<cpu::force_gemm_way>;

struct Sizes {
  int64_t m, n, k;
};
const std::vector<Sizes> kSizes = {{1, 1, 1},     {3, 2, 4},      {1, 70, 33},   {65, 1, 40},
                                   {64, 3, 50},   {100, 2, 64},   {7, 65, 129},  {33, 20, 17},
                                   {16, 16, 700}, {8, 12, 24000}, {96, 130, 64}, {130, 300, 70},
                                   {300, 40, 90}, {200, 160, 150}};

/// A matrix of T with columns `col` apart: 1, or as if it were transposed.
template <class T>
struct Matrix {
  std::vector<T> data;
  int64_t rows, cols;
  bool transposed;
  Matrix(int64_t rows, int64_t cols, bool transposed, int64_t seed)
      : data(rows * cols), rows(rows), cols(cols), transposed(transposed) {
    for (int64_t i = 0; i < rows * cols; ++i) {
      const int64_t n = (i * 2654435761 + seed) >> 7 & 63;
      data[i] = std::is_integral_v<T> ? static_cast<T>(n - 31)
                                      : static_cast<T>(static_cast<float>(n - 31) / 32);
    }
  }
  cpu::MatrixIn<void> in() const {
    return transposed ? cpu::MatrixIn<void>{data.data(), 1, rows}
                      : cpu::MatrixIn<void>{data.data(), cols, 1};
  }
  double at(int64_t i, int64_t j) const {
    return static_cast<double>(
        static_cast<opmath_t<T>>(data[transposed ? j * rows + i : i * cols + j]));
  }
};

template <class T>
void expect_product(const std::string& way, Sizes s, bool ta, bool tb, bool add) {
  const Matrix<T> a(s.m, s.k, ta, 1), b(s.k, s.n, tb, 2), before(s.m, s.n, false, 3);
  // A row is longer than its elements, and those behind stay.
  const int64_t ldc = s.n + 3;
  std::vector<T> c(s.m * ldc, T(5));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) c[i * ldc + j] = before.data[i * s.n + j];
  cpu::gemm_of(CppTypeToScalarType<T>::value, s.m, s.n, s.k, a.in(), b.in(), add, c.data(), ldc);
  // The results are in whole numbers of 1/1024, which only 16 bits and long sums of floats round.
  const double most = std::is_same_v<T, BFloat16> ? 8e-3
                      : std::is_same_v<T, Half>   ? 1e-3
                      : std::is_same_v<T, float>  ? 1e-6
                                                  : 0;
  const int64_t step = std::max<int64_t>(1, s.k * s.m * s.n / 100000);
  for (int64_t at = 0; at < s.m * s.n; at += step) {
    const int64_t i = at / s.n, j = at % s.n;
    double sum = add ? before.at(i, j) : 0, size = 1;
    for (int64_t p = 0; p < s.k; ++p) {
      const double term = 2 * a.at(i, p) * b.at(p, j);
      sum += term, size += std::abs(term);
    }
    const double got = static_cast<double>(static_cast<opmath_t<T>>(c[i * ldc + j]));
    ASSERT_LE(std::abs(got - sum), most * size)
        << way << ": " << s.m << " x " << s.n << " x " << s.k << (ta ? ", A" : "")
        << (tb ? ", B" : "") << " transposed" << (add ? ", added" : "");
  }
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = s.n; j < ldc; ++j) ASSERT_EQ(static_cast<float>(c[i * ldc + j]), 5.0f) << way;
}

template <class T>
class GemmWays : public ::testing::Test {
 protected:
  ~GemmWays() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};
using Types = ::testing::Types<float, double, Half, BFloat16, int64_t>;
TYPED_TEST_SUITE(GemmWays, Types);

TYPED_TEST(GemmWays, EachAgreesWithThePlainSum) {
  for (const std::string& way : cpu::gemm_ways(CppTypeToScalarType<TypeParam>::value)) {
    const Forced forced(way.c_str());
    const int64_t before = cpu::forced_gemm_runs();
    for (const int threads : {1, 2}) {
      set_num_threads(threads);
      for (const Sizes& s : kSizes)
        for (int layout = 0; layout < 8; ++layout)
          expect_product<TypeParam>(way, s, layout & 1, layout & 2, layout & 4);
    }
    const bool can = way != "pairs" || cpu::multiplies_pairs;
    EXPECT_EQ(cpu::forced_gemm_runs() > before, can) << way;
  }
}

TEST(GemmWaysChoice, AnUnknownNameIsAnError) {
  const Forced forced("fastest");
  expect_error<ValueError>(
      "TAPER_GEMM: expected one of tiny, vector, columns, terms, blocks, "
      "library, across, in_place, packed, pairs, narrow, integers, but got "
      "fastest",
      [] {
        expect_product<float>("", {2, 2, 2}, false, false, false);
      });
}

// The variable is read before main().
TEST(Isa, AnUnknownNameOfTheVariableIsAWarning) {
  const char* const set = std::getenv("TAPER_CPU_ISA");
  const std::string before = set ? set : "";
  ::setenv("TAPER_CPU_ISA", "avx3", 1);
  in_own_process([] {}, "TAPER_CPU_ISA=avx3 is ignored: expected base, avx2", -1);
  set ? ::setenv("TAPER_CPU_ISA", before.c_str(), 1) : ::unsetenv("TAPER_CPU_ISA");
}

}  // namespace
}  // namespace torch::taper::testing
