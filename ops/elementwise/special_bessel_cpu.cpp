#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/loops.h>
#include <taper/ops/elementwise/special_bessel_functors.h>

namespace torch::taper::cpu {
namespace {

#include <taper/framework/kernel/loops.inc>

}  // namespace

void special_of_one(Out y, In x, SpecialOfOne f) {
  switch_dtype<dtypes::Floating>(y.dtype, "special_cpu", [&]<class scalar_t>() {
    map<scalar_t, scalar_t>(y, x, functor::special_of_one{f}, kGrain / 16);
  });
}

void special_of_two(Out y, In a, In b, SpecialOfTwo f) {
  switch_dtype<dtypes::Floating>(y.dtype, "special_cpu", [&]<class scalar_t>() {
    map2<scalar_t, scalar_t>(y, a, b, functor::special_of_two{f});
  });
}

void frexp(Out mantissa, Out exponent, In x) {
  switch_dtype<dtypes::Floating>(x.dtype, "frexp_cpu", [&]<class scalar_t>() {
    const scalar_t* from = x.as<scalar_t>();
    scalar_t* to = mantissa.as<scalar_t>();
    int32_t* powers = exponent.as<int32_t>();
    parallel_for(0, x.numel, kGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = static_cast<scalar_t>(functor::frexp()(load(from[i]), powers[i]));
    });
  });
}

}  // namespace torch::taper::cpu
