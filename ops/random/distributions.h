// Rare random distributions, and functions that return what in-place methods draw. On the CPU, they
// draw the same numbers as PyTorch. rand.h has the common rules.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Draws Poisson-distributed integers with the non-negative rates in `rates`. `rates` must be
/// floating, and the result has the dtype of `rates`. The gradient of `rates` is zero. See
/// Hoermann, "The transformed rejection method for generating Poisson random variables", 1993.
Tensor poisson(const Tensor& rates, optional<Generator> generator = nullopt);
/// Draws the number of successes in `count` trials of probability `prob`. count and prob must have
/// one floating dtype. They broadcast. Their gradients are zero. See Hoermann, "The generation of
/// binomial random variates", 1993.
Tensor binomial(const Tensor& count, const Tensor& prob, optional<Generator> generator = nullopt);

/// Return a new tensor like x that was filled by the in-place method: uniform_() and so on.
Tensor uniform(const Tensor& x, double from = 0, double to = 1,
               optional<Generator> generator = nullopt);
Tensor exponential(const Tensor& x, double lambd = 1, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, int64_t to, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, int64_t from, optional<int64_t> to,
              optional<Generator> generator = nullopt);
/// Draws the number of trials up to the first success. Each trial succeeds with probability p in
/// (0, 1).
Tensor geometric(const Tensor& x, double p, optional<Generator> generator = nullopt);
/// Draws median + sigma tan(pi (u - 1/2)), where u is uniform in (0, 1).
Tensor cauchy(const Tensor& x, double median = 0, double sigma = 1,
              optional<Generator> generator = nullopt);
/// Draws exp(z) for normal numbers z with mean `mean` and standard deviation `std`. `std` must be
/// above 0.
Tensor log_normal(const Tensor& x, double mean = 1, double std = 2,
                  optional<Generator> generator = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
