#include <mutex>

#include <taper/ops/random/distributions_functors.h>
#include <taper/ops/random/distributions_kernels.h>

namespace torch::taper::cpu {
namespace {

struct Uniform {
  CPUGeneratorImpl* generator;
  double operator()() {
    return static_cast<double>(generator->random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  }
};

template <class T>
double at(const In& x, int64_t i) {
  return static_cast<double>(static_cast<opmath_t<T>>(x.as<T>()[i]));
}

}  // namespace

void poisson(Out y, In rates, const GeneratorPtr& generator) {
  const std::lock_guard<std::mutex> lock(generator->drawing());
  Uniform uniform{generator.get()};
  switch_dtype<dtypes::Floating>(y.dtype, "poisson_cpu", [&]<class scalar_t>() {
    for (int64_t i = 0; i < y.numel; ++i)
      y.as<scalar_t>()[i] = static_cast<scalar_t>(
          static_cast<opmath_t<scalar_t>>(functor::draw_poisson(at<scalar_t>(rates, i), uniform)));
  });
}

void binomial(Out y, In count, In prob, const GeneratorPtr& generator) {
  const std::lock_guard<std::mutex> lock(generator->drawing());
  Uniform uniform{generator.get()};
  switch_dtype<dtypes::Floating>(y.dtype, "binomial_cpu", [&]<class scalar_t>() {
    for (int64_t i = 0; i < y.numel; ++i)
      y.as<scalar_t>()[i] = static_cast<scalar_t>(static_cast<opmath_t<scalar_t>>(
          functor::draw_binomial(at<scalar_t>(count, i), at<scalar_t>(prob, i), uniform)));
  });
}

}  // namespace torch::taper::cpu
