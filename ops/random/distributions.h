// Rarer random distributions, and the in-place distributions as functions. On the CPU they draw
// PyTorch's numbers. See rand.h for what all have in common.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Whole numbers with the rates (not negative) that `rates` holds, of its dtype; floating dtypes.
/// The gradient is zero. Hoermann, "The transformed rejection method for generating Poisson random
/// variables", 1993.
Tensor poisson(const Tensor& rates, optional<Generator> generator = nullopt);
/// How many of `count` trials succeed, each with the probability `prob`; both of one floating
/// dtype, broadcast. The gradient is zero. Hoermann, "The generation of binomial random variates",
/// 1993.
Tensor binomial(const Tensor& count, const Tensor& prob, optional<Generator> generator = nullopt);

/// New tensors like x, filled by the method of that name: x.uniform_() and so on.
Tensor uniform(const Tensor& x, double from = 0, double to = 1,
               optional<Generator> generator = nullopt);
Tensor exponential(const Tensor& x, double lambd = 1, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, int64_t to, optional<Generator> generator = nullopt);
Tensor random(const Tensor& x, int64_t from, optional<int64_t> to,
              optional<Generator> generator = nullopt);
/// The number of trials up to the first success, each with probability p in (0, 1).
Tensor geometric(const Tensor& x, double p, optional<Generator> generator = nullopt);
/// median + sigma tan(pi (u - 1/2)) with u uniform.
Tensor cauchy(const Tensor& x, double median = 0, double sigma = 1,
              optional<Generator> generator = nullopt);
/// exp of a normal number with that mean and standard deviation, which must be above 0.
Tensor log_normal(const Tensor& x, double mean = 1, double std = 2,
                  optional<Generator> generator = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
