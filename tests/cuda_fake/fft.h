// How the fake of cuFFT (fft.cpp) transforms: from the definition, dimension by dimension, in
// double.
#pragma once

#include <cufft.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

namespace fake_cuda::transforms {

using Number = std::complex<double>;

/// How the numbers of a batch lie: at b * dist + (((i * embed[1]) + j) * embed[2] + k) * stride.
struct Layout {
  std::array<int64_t, 3> embed{};  // the first one says nothing
  int64_t stride = 1, dist = 0;

  int64_t place(const std::array<int64_t, 3>& at, int rank, int64_t b) const {
    int64_t i = at[0];
    for (int d = 1; d < rank; ++d) i = i * embed[d] + at[d];
    return b * dist + i * stride;
  }
};

struct Plan {
  int rank = 0;  // 0: not made yet
  std::array<int64_t, 3> n{};
  Layout in, out;
  cufftType type{};
  int64_t batch = 0;
  bool brings_room = true;
  size_t room_nbytes = 0;
  void* room = nullptr;
  cudaStream_t stream = nullptr;

  bool in_double() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  bool from_real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool to_real() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  /// The sizes where they hold half of numbers that are each other's conjugates.
  std::array<int64_t, 3> sizes(bool half) const {
    auto s = n;
    if (half) s[rank - 1] = n[rank - 1] / 2 + 1;
    return s;
  }
  std::array<int64_t, 3> sizes_in() const { return sizes(to_real()); }
  std::array<int64_t, 3> sizes_out() const { return sizes(from_real()); }
};

// ---------------------------------------------------------------------- numbers
/// f(place) for each index below the sizes.
template <class F>
void for_each_index(const std::array<int64_t, 3>& sizes, int rank, const F& f) {
  std::array<int64_t, 3> at{};
  for (;;) {
    f(at);
    int d = rank - 1;
    while (d >= 0 && ++at[d] == sizes[d]) at[d--] = 0;
    if (d < 0) return;
  }
}
inline int64_t count_of(const std::array<int64_t, 3>& sizes, int rank) {
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= sizes[d];
  return n;
}
inline int64_t dense(const std::array<int64_t, 3>& at, const std::array<int64_t, 3>& n, int rank) {
  int64_t i = 0;
  for (int d = 0; d < rank; ++d) i = i * n[d] + at[d];
  return i;
}

inline Number read(const void* p, bool real, bool in_double, int64_t i) {
  if (in_double) {
    const auto* const x = static_cast<const double*>(p);
    return real ? Number(x[i]) : Number(x[2 * i], x[2 * i + 1]);
  }
  const auto* const x = static_cast<const float*>(p);
  return real ? Number(x[i]) : Number(x[2 * i], x[2 * i + 1]);
}
inline void write(Number v, void* p, bool real, bool in_double, int64_t i) {
  const auto put = [&](auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    y[real ? i : 2 * i] = static_cast<T>(v.real());
    if (!real) y[2 * i + 1] = static_cast<T>(v.imag());
  };
  in_double ? put(static_cast<double*>(p)) : put(static_cast<float*>(p));
}

/// Along one dimension of dense numbers.
inline void transform(std::vector<Number>& x, const Plan& p, int d, int sign) {
  const std::vector<Number> from = x;
  for_each_index(p.n, p.rank, [&](std::array<int64_t, 3> at) {
    const int64_t k = at[d], to = dense(at, p.n, p.rank);
    Number sum = 0;
    for (at[d] = 0; at[d] < p.n[d]; ++at[d])
      sum += from[dense(at, p.n, p.rank)] *
             std::polar(1.0, sign * 2 * M_PI * static_cast<double>(k * at[d] % p.n[d]) /
                                 static_cast<double>(p.n[d]));
    x[to] = sum;
  });
}
/// The numbers of a batch's part; where half of them are there, the others by conjugation.
inline std::vector<Number> gather(const Plan& p, const void* from, int64_t b) {
  std::vector<Number> x(count_of(p.n, p.rank));
  for_each_index(p.n, p.rank, [&](const std::array<int64_t, 3>& at) {
    auto source = at;
    const bool mirrored = p.to_real() && at[p.rank - 1] > p.n[p.rank - 1] / 2;
    for (int d = 0; mirrored && d < p.rank; ++d) source[d] = (p.n[d] - at[d]) % p.n[d];
    const Number v = read(from, p.from_real(), p.in_double(), p.in.place(source, p.rank, b));
    x[dense(at, p.n, p.rank)] = mirrored ? std::conj(v) : v;
  });
  return x;
}
inline void execute(const Plan& p, const void* from, void* to, int sign) {
  std::vector<std::vector<Number>> results;  // all is read before anything is written
  for (int64_t b = 0; b < p.batch; ++b) {
    results.push_back(gather(p, from, b));
    for (int d = 0; d < p.rank; ++d) transform(results.back(), p, d, sign);
  }
  for (int64_t b = 0; b < p.batch; ++b)
    for_each_index(p.sizes_out(), p.rank, [&](const std::array<int64_t, 3>& at) {
      write(results[b][dense(at, p.n, p.rank)], to, p.to_real(), p.in_double(),
            p.out.place(at, p.rank, b));
    });
}

}  // namespace fake_cuda::transforms
