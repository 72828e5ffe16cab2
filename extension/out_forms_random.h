// `out` forms of random numbers and windows whose own headers have none: see out_forms.h.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/random/random.h>
#include <taper/ops/shared/shared.h>
#include <taper/ops/tensor/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// bartlett_window into `out`.
inline Tensor& bartlett_window_out(Tensor& out, int64_t window_length) {
  const detail::OutScope scope("bartlett_window", {out}, {});
  return store_out("bartlett_window", out,
                   bartlett_window(window_length, detail::options_of_result(out)), {});
}
/// bartlett_window into `out`.
inline Tensor& bartlett_window_out(Tensor& out, int64_t window_length, bool periodic) {
  const detail::OutScope scope("bartlett_window", {out}, {});
  return store_out("bartlett_window", out,
                   bartlett_window(window_length, periodic, detail::options_of_result(out)), {});
}
/// binomial into `out`.
inline Tensor& binomial_out(Tensor& out, const Tensor& count, const Tensor& prob,
                            optional<Generator> generator = nullopt) {
  const detail::OutScope scope("binomial", {out}, {count, prob});
  return store_out("binomial", out, binomial(count, prob, generator), {count, prob});
}
/// blackman_window into `out`.
inline Tensor& blackman_window_out(Tensor& out, int64_t window_length) {
  const detail::OutScope scope("blackman_window", {out}, {});
  return store_out("blackman_window", out,
                   blackman_window(window_length, detail::options_of_result(out)), {});
}
/// blackman_window into `out`.
inline Tensor& blackman_window_out(Tensor& out, int64_t window_length, bool periodic) {
  const detail::OutScope scope("blackman_window", {out}, {});
  return store_out("blackman_window", out,
                   blackman_window(window_length, periodic, detail::options_of_result(out)), {});
}
/// cauchy into `out`.
inline Tensor& cauchy_out(Tensor& out, const Tensor& self, double median = 0, double sigma = 1,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("cauchy", {out}, {self});
  return store_out("cauchy", out, cauchy(self, median, sigma, generator), {self});
}
/// exponential into `out`.
inline Tensor& exponential_out(Tensor& out, const Tensor& self, double lambd = 1,
                               optional<Generator> generator = nullopt) {
  const detail::OutScope scope("exponential", {out}, {self});
  return store_out("exponential", out, exponential(self, lambd, generator), {self});
}
/// fft_fftfreq into `out`.
inline Tensor& fft_fftfreq_out(Tensor& out, int64_t n, double d = 1.0) {
  const detail::OutScope scope("fft_fftfreq", {out}, {});
  return store_out("fft_fftfreq", out, fft_fftfreq(n, d, detail::options_of_result(out)), {});
}
/// fft_rfftfreq into `out`.
inline Tensor& fft_rfftfreq_out(Tensor& out, int64_t n, double d = 1.0) {
  const detail::OutScope scope("fft_rfftfreq", {out}, {});
  return store_out("fft_rfftfreq", out, fft_rfftfreq(n, d, detail::options_of_result(out)), {});
}
/// geometric into `out`.
inline Tensor& geometric_out(Tensor& out, const Tensor& self, double p,
                             optional<Generator> generator = nullopt) {
  const detail::OutScope scope("geometric", {out}, {self});
  return store_out("geometric", out, geometric(self, p, generator), {self});
}
/// hamming_window into `out`.
inline Tensor& hamming_window_out(Tensor& out, int64_t window_length) {
  const detail::OutScope scope("hamming_window", {out}, {});
  return store_out("hamming_window", out,
                   hamming_window(window_length, detail::options_of_result(out)), {});
}
/// hamming_window into `out`.
inline Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic) {
  const detail::OutScope scope("hamming_window", {out}, {});
  return store_out("hamming_window", out,
                   hamming_window(window_length, periodic, detail::options_of_result(out)), {});
}
/// hamming_window into `out`.
inline Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic, double alpha) {
  const detail::OutScope scope("hamming_window", {out}, {});
  return store_out("hamming_window", out,
                   hamming_window(window_length, periodic, alpha, detail::options_of_result(out)),
                   {});
}
/// hamming_window into `out`.
inline Tensor& hamming_window_out(Tensor& out, int64_t window_length, bool periodic, double alpha,
                                  double beta) {
  const detail::OutScope scope("hamming_window", {out}, {});
  return store_out(
      "hamming_window", out,
      hamming_window(window_length, periodic, alpha, beta, detail::options_of_result(out)), {});
}
/// hann_window into `out`.
inline Tensor& hann_window_out(Tensor& out, int64_t window_length) {
  const detail::OutScope scope("hann_window", {out}, {});
  return store_out("hann_window", out, hann_window(window_length, detail::options_of_result(out)),
                   {});
}
/// hann_window into `out`.
inline Tensor& hann_window_out(Tensor& out, int64_t window_length, bool periodic) {
  const detail::OutScope scope("hann_window", {out}, {});
  return store_out("hann_window", out,
                   hann_window(window_length, periodic, detail::options_of_result(out)), {});
}
/// kaiser_window into `out`.
inline Tensor& kaiser_window_out(Tensor& out, int64_t window_length) {
  const detail::OutScope scope("kaiser_window", {out}, {});
  return store_out("kaiser_window", out,
                   kaiser_window(window_length, detail::options_of_result(out)), {});
}
/// kaiser_window into `out`.
inline Tensor& kaiser_window_out(Tensor& out, int64_t window_length, bool periodic) {
  const detail::OutScope scope("kaiser_window", {out}, {});
  return store_out("kaiser_window", out,
                   kaiser_window(window_length, periodic, detail::options_of_result(out)), {});
}
/// kaiser_window into `out`.
inline Tensor& kaiser_window_out(Tensor& out, int64_t window_length, bool periodic, double beta) {
  const detail::OutScope scope("kaiser_window", {out}, {});
  return store_out("kaiser_window", out,
                   kaiser_window(window_length, periodic, beta, detail::options_of_result(out)),
                   {});
}
/// log_normal into `out`.
inline Tensor& log_normal_out(Tensor& out, const Tensor& self, double mean = 1, double std = 2,
                              optional<Generator> generator = nullopt) {
  const detail::OutScope scope("log_normal", {out}, {self});
  return store_out("log_normal", out, log_normal(self, mean, std, generator), {self});
}
/// normal into `out`.
inline Tensor& normal_out(Tensor& out, const Tensor& mean, double std = 1,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("normal", {out}, {mean});
  return store_out("normal", out, normal(mean, std, generator), {mean});
}
/// normal into `out`.
inline Tensor& normal_out(Tensor& out, double mean, const Tensor& std,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("normal", {out}, {std});
  return store_out("normal", out, normal(mean, std, generator), {std});
}
/// normal into `out`.
inline Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("normal", {out}, {mean, std});
  return store_out("normal", out, normal(mean, std, generator), {mean, std});
}
/// normal into `out`.
inline Tensor& normal_out(Tensor& out, double mean, double std, IntArrayRef size,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("normal", {out}, {});
  return store_out("normal", out,
                   normal(mean, std, size, generator, detail::options_of_result(out)), {});
}
/// poisson into `out`.
inline Tensor& poisson_out(Tensor& out, const Tensor& self,
                           optional<Generator> generator = nullopt) {
  const detail::OutScope scope("poisson", {out}, {self});
  return store_out("poisson", out, poisson(self, generator), {self});
}
/// rand_like into `out`.
inline Tensor& rand_like_out(Tensor& out, const Tensor& self,
                             optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("rand_like", {out}, {self});
  return store_out("rand_like", out, rand_like(self, TensorOptions(), memory_format), {self});
}
/// rand_like into `out`.
inline Tensor& rand_like_out(Tensor& out, const Tensor& self, optional<Generator> generator,
                             optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("rand_like", {out}, {self});
  return store_out("rand_like", out, rand_like(self, generator, TensorOptions(), memory_format),
                   {self});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t high,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self});
  return store_out("randint_like", out, randint_like(self, high, TensorOptions(), memory_format),
                   {self});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t high,
                                optional<Generator> generator,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self});
  return store_out("randint_like", out,
                   randint_like(self, high, generator, TensorOptions(), memory_format), {self});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, const Tensor& high,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self, high});
  return store_out("randint_like", out, randint_like(self, high, TensorOptions(), memory_format),
                   {self, high});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, const Tensor& high,
                                optional<Generator> generator,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self, high});
  return store_out("randint_like", out,
                   randint_like(self, high, generator, TensorOptions(), memory_format),
                   {self, high});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t low, int64_t high,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self});
  return store_out("randint_like", out,
                   randint_like(self, low, high, TensorOptions(), memory_format), {self});
}
/// randint_like into `out`.
inline Tensor& randint_like_out(Tensor& out, const Tensor& self, int64_t low, int64_t high,
                                optional<Generator> generator,
                                optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randint_like", {out}, {self});
  return store_out("randint_like", out,
                   randint_like(self, low, high, generator, TensorOptions(), memory_format),
                   {self});
}
/// randn_like into `out`.
inline Tensor& randn_like_out(Tensor& out, const Tensor& self,
                              optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randn_like", {out}, {self});
  return store_out("randn_like", out, randn_like(self, TensorOptions(), memory_format), {self});
}
/// randn_like into `out`.
inline Tensor& randn_like_out(Tensor& out, const Tensor& self, optional<Generator> generator,
                              optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("randn_like", {out}, {self});
  return store_out("randn_like", out, randn_like(self, generator, TensorOptions(), memory_format),
                   {self});
}
/// random into `out`.
inline Tensor& random_out(Tensor& out, const Tensor& self, int64_t from, optional<int64_t> to,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("random", {out}, {self});
  return store_out("random", out, random(self, from, to, generator), {self});
}
/// random into `out`.
inline Tensor& random_out(Tensor& out, const Tensor& self, int64_t to,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("random", {out}, {self});
  return store_out("random", out, random(self, to, generator), {self});
}
/// random into `out`.
inline Tensor& random_out(Tensor& out, const Tensor& self,
                          optional<Generator> generator = nullopt) {
  const detail::OutScope scope("random", {out}, {self});
  return store_out("random", out, random(self, generator), {self});
}
/// uniform into `out`.
inline Tensor& uniform_out(Tensor& out, const Tensor& self, double from = 0, double to = 1,
                           optional<Generator> generator = nullopt) {
  const detail::OutScope scope("uniform", {out}, {self});
  return store_out("uniform", out, uniform(self, from, to, generator), {self});
}

}  // namespace torch::taper

#pragma GCC visibility pop
