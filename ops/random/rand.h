// Random tensors. On the CPU, they hold the same numbers as in PyTorch after manual_seed.
//
// Every function draws from `generator`, or from the default generator. A call locks the generator.
// If two threads draw concurrently, one call draws all its numbers before the other call. Numbers
// are drawn in memory order. In-place forms throw for dtypes that cannot hold the numbers. The
// overwritten tensor gets the gradient zero.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Draws uniform numbers in [0, 1).
Tensor rand(IntArrayRef size, TensorOptions options = {});
Tensor rand(IntArrayRef size, optional<Generator> generator, TensorOptions options = {});
Tensor& rand_out(Tensor& out, IntArrayRef size, optional<Generator> generator = nullopt);
Tensor rand_like(const Tensor& like, TensorOptions options = {},
                 optional<MemoryFormat> format = nullopt);
/// Draws normal numbers with mean 0 and standard deviation 1. The method is from Box and Muller, "A
/// note on the generation of random normal deviates", 1958.
Tensor randn(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, optional<Generator> generator, TensorOptions options = {});
Tensor& randn_out(Tensor& out, IntArrayRef size, optional<Generator> generator = nullopt);
Tensor randn_like(const Tensor& like, TensorOptions options = {},
                  optional<MemoryFormat> format = nullopt);
/// Draws integers in [low, high), with low = 0 by default. Without `options`, the result is kLong.
/// Throws unless low < high, and unless the dtype can hold low and high - 1.
Tensor randint(int64_t high, IntArrayRef size, TensorOptions options = kLong);
Tensor randint(int64_t high, IntArrayRef size, optional<Generator> generator,
               TensorOptions options = kLong);
Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options = kLong);
Tensor randint(int64_t low, int64_t high, IntArrayRef size, optional<Generator> generator,
               TensorOptions options = kLong);
Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size);
Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size);
Tensor randint_like(const Tensor& like, int64_t high, TensorOptions options = {},
                    optional<MemoryFormat> format = nullopt);
Tensor randint_like(const Tensor& like, int64_t low, int64_t high, TensorOptions options = {},
                    optional<MemoryFormat> format = nullopt);
/// Returns the numbers 0 to n - 1 in random order, by Fisher and Yates's shuffle (Durstenfeld,
/// "Algorithm 235: random permutation", 1964). Without `options`, the result is kLong. Throws if
/// the dtype cannot hold n - 1.
Tensor randperm(int64_t n, TensorOptions options = kLong);
Tensor randperm(int64_t n, optional<Generator> generator, TensorOptions options = kLong);
Tensor& randperm_out(Tensor& out, int64_t n, optional<Generator> generator = nullopt);

/// Draws normal numbers with the given means and standard deviations, which broadcast. Standard
/// deviations must not be negative.
Tensor normal(const Tensor& mean, double std = 1, optional<Generator> generator = nullopt);
Tensor normal(double mean, const Tensor& std, optional<Generator> generator = nullopt);
Tensor normal(const Tensor& mean, const Tensor& std, optional<Generator> generator = nullopt);
Tensor normal(double mean, double std, IntArrayRef size, optional<Generator> generator = nullopt,
              TensorOptions options = {});

/// Draws 1 with the probability in each element of x, else 0. Throws for a probability outside [0,
/// 1].
Tensor bernoulli(const Tensor& x, optional<Generator> generator = nullopt);
/// Draws 1 with probability p, else 0, in the shape of x.
Tensor bernoulli(const Tensor& x, double p, optional<Generator> generator = nullopt);
/// Draws 1 with the probability in each element of p, else 0, in the shape of x. p broadcasts to x.
Tensor bernoulli(const Tensor& x, const Tensor& p, optional<Generator> generator = nullopt);
Tensor& bernoulli_out(Tensor& out, const Tensor& self, optional<Generator> generator = nullopt);
/// Draws num_samples indices (kLong) for each row of `probabilities`: a vector of K weights, or N
/// rows of K weights (N, K), floating. Index k is drawn in proportion to weight k. The sum of a row
/// need not be 1. Without replacement, at most K indices can be drawn, and only indices with
/// weights above zero.
Tensor multinomial(const Tensor& probabilities, int64_t num_samples, bool replacement = false,
                   optional<Generator> generator = nullopt);
Tensor& multinomial_out(Tensor& out, const Tensor& self, int64_t num_samples,
                        bool replacement = false, optional<Generator> generator = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
