#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/philox.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/ops/random/distributions_functors.h>
#include <taper/ops/random/distributions_kernels.h>

namespace torch::taper::cuda {
namespace {

/// Draws as many numbers as one element needs. The counter's upper word is unique to the element.
struct Uniforms {
  uint64_t key;
  int64_t element;
  uint32_t used = 0;
  TAPER_DEVICE double operator()() {
    const uint32_t place = used++;
    const PhiloxWords counter{{static_cast<uint32_t>(element),
                               static_cast<uint32_t>(static_cast<uint64_t>(element) >> 32),
                               place / 2 + 1, 0}};
    const PhiloxWords r =
        philox(counter, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
    return unit_double(r.pair(static_cast<int>(place % 2)));
  }
};

template <class T>
TAPER_DEVICE T rounded(double v) {
  return static_cast<T>(static_cast<opmath_t<T>>(v));
}

template <class T>
struct Poisson {
  T* y;
  const T* rates;
  RandomKey key;
  TAPER_DEVICE void operator()(int64_t i) const {
    Uniforms uniform{key(), i};
    y[i] = rounded<T>(functor::draw_poisson(static_cast<double>(load(rates[i])), uniform));
  }
};

template <class T>
struct Binomial {
  T* y;
  const T* count;
  const T* prob;
  RandomKey key;
  TAPER_DEVICE void operator()(int64_t i) const {
    Uniforms uniform{key(), i};
    y[i] = rounded<T>(functor::draw_binomial(static_cast<double>(load(count[i])),
                                             static_cast<double>(load(prob[i])), uniform));
  }
};

}  // namespace

void poisson(Out y, In rates, const GeneratorPtr& generator) {
  const RandomKey key(generator);
  switch_dtype<dtypes::Floating>(y.dtype, "poisson", [&]<class scalar_t>() {
    for_each(y.numel, Poisson<scalar_t>{y.as<scalar_t>(), rates.as<scalar_t>(), key});
  });
}

void binomial(Out y, In count, In prob, const GeneratorPtr& generator) {
  const RandomKey key(generator);
  switch_dtype<dtypes::Floating>(y.dtype, "binomial", [&]<class scalar_t>() {
    for_each(y.numel,
             Binomial<scalar_t>{y.as<scalar_t>(), count.as<scalar_t>(), prob.as<scalar_t>(), key});
  });
}

}  // namespace torch::taper::cuda
