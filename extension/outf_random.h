// The `out` forms of random functions and factories,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/out_forms_random.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& bartlett_window_outf(int64_t window_length, Tensor& out) {
  return bartlett_window_out(out, window_length);
}
inline Tensor& bartlett_window_outf(int64_t window_length, bool periodic, Tensor& out) {
  return bartlett_window_out(out, window_length, periodic);
}
inline Tensor& binomial_outf(const Tensor& count, const Tensor& prob, optional<Generator> generator,
                             Tensor& out) {
  return binomial_out(out, count, prob, generator);
}
inline Tensor& blackman_window_outf(int64_t window_length, Tensor& out) {
  return blackman_window_out(out, window_length);
}
inline Tensor& blackman_window_outf(int64_t window_length, bool periodic, Tensor& out) {
  return blackman_window_out(out, window_length, periodic);
}
inline Tensor& cauchy_outf(const Tensor& self, double median, double sigma,
                           optional<Generator> generator, Tensor& out) {
  return cauchy_out(out, self, median, sigma, generator);
}
inline Tensor& exponential_outf(const Tensor& self, double lambd, optional<Generator> generator,
                                Tensor& out) {
  return exponential_out(out, self, lambd, generator);
}
inline Tensor& fft_fftfreq_outf(int64_t n, double d, Tensor& out) {
  return fft_fftfreq_out(out, n, d);
}
inline Tensor& fft_rfftfreq_outf(int64_t n, double d, Tensor& out) {
  return fft_rfftfreq_out(out, n, d);
}
inline Tensor& geometric_outf(const Tensor& self, double p, optional<Generator> generator,
                              Tensor& out) {
  return geometric_out(out, self, p, generator);
}
inline Tensor& hamming_window_outf(int64_t window_length, Tensor& out) {
  return hamming_window_out(out, window_length);
}
inline Tensor& hamming_window_outf(int64_t window_length, bool periodic, Tensor& out) {
  return hamming_window_out(out, window_length, periodic);
}
inline Tensor& hamming_window_outf(int64_t window_length, bool periodic, double alpha,
                                   Tensor& out) {
  return hamming_window_out(out, window_length, periodic, alpha);
}
inline Tensor& hamming_window_outf(int64_t window_length, bool periodic, double alpha, double beta,
                                   Tensor& out) {
  return hamming_window_out(out, window_length, periodic, alpha, beta);
}
inline Tensor& hann_window_outf(int64_t window_length, Tensor& out) {
  return hann_window_out(out, window_length);
}
inline Tensor& hann_window_outf(int64_t window_length, bool periodic, Tensor& out) {
  return hann_window_out(out, window_length, periodic);
}
inline Tensor& kaiser_window_outf(int64_t window_length, Tensor& out) {
  return kaiser_window_out(out, window_length);
}
inline Tensor& kaiser_window_outf(int64_t window_length, bool periodic, Tensor& out) {
  return kaiser_window_out(out, window_length, periodic);
}
inline Tensor& kaiser_window_outf(int64_t window_length, bool periodic, double beta, Tensor& out) {
  return kaiser_window_out(out, window_length, periodic, beta);
}
inline Tensor& log_normal_outf(const Tensor& self, double mean, double std,
                               optional<Generator> generator, Tensor& out) {
  return log_normal_out(out, self, mean, std, generator);
}
inline Tensor& normal_outf(const Tensor& mean, double std, optional<Generator> generator,
                           Tensor& out) {
  return normal_out(out, mean, std, generator);
}
inline Tensor& normal_outf(double mean, const Tensor& std, optional<Generator> generator,
                           Tensor& out) {
  return normal_out(out, mean, std, generator);
}
inline Tensor& normal_outf(const Tensor& mean, const Tensor& std, optional<Generator> generator,
                           Tensor& out) {
  return normal_out(out, mean, std, generator);
}
inline Tensor& normal_outf(double mean, double std, IntArrayRef size, optional<Generator> generator,
                           Tensor& out) {
  return normal_out(out, mean, std, size, generator);
}
inline Tensor& poisson_outf(const Tensor& self, optional<Generator> generator, Tensor& out) {
  return poisson_out(out, self, generator);
}
inline Tensor& rand_like_outf(const Tensor& self, optional<MemoryFormat> memory_format,
                              Tensor& out) {
  return rand_like_out(out, self, memory_format);
}
inline Tensor& rand_like_outf(const Tensor& self, optional<Generator> generator,
                              optional<MemoryFormat> memory_format, Tensor& out) {
  return rand_like_out(out, self, generator, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, int64_t high,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, high, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, int64_t high, optional<Generator> generator,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, high, generator, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, const Tensor& high,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, high, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, const Tensor& high,
                                 optional<Generator> generator,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, high, generator, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, int64_t low, int64_t high,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, low, high, memory_format);
}
inline Tensor& randint_like_outf(const Tensor& self, int64_t low, int64_t high,
                                 optional<Generator> generator,
                                 optional<MemoryFormat> memory_format, Tensor& out) {
  return randint_like_out(out, self, low, high, generator, memory_format);
}
inline Tensor& randn_like_outf(const Tensor& self, optional<MemoryFormat> memory_format,
                               Tensor& out) {
  return randn_like_out(out, self, memory_format);
}
inline Tensor& randn_like_outf(const Tensor& self, optional<Generator> generator,
                               optional<MemoryFormat> memory_format, Tensor& out) {
  return randn_like_out(out, self, generator, memory_format);
}
inline Tensor& random_outf(const Tensor& self, int64_t from, optional<int64_t> to,
                           optional<Generator> generator, Tensor& out) {
  return random_out(out, self, from, to, generator);
}
inline Tensor& random_outf(const Tensor& self, int64_t to, optional<Generator> generator,
                           Tensor& out) {
  return random_out(out, self, to, generator);
}
inline Tensor& random_outf(const Tensor& self, optional<Generator> generator, Tensor& out) {
  return random_out(out, self, generator);
}
inline Tensor& uniform_outf(const Tensor& self, double from, double to,
                            optional<Generator> generator, Tensor& out) {
  return uniform_out(out, self, from, to, generator);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
