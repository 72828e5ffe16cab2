// The `out` forms of torch.special, by both of LibTorch's names, under the rules of out_forms.h.
#pragma once

#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_rarer.h>
#include <taper/ops/tensor/out_forms.h>

#pragma GCC visibility push(default)

namespace taper {

// clang-format off
#define TAPER_SPECIAL_OF_ONE(X)                                                                    \
  X(gammaln) X(digamma) X(psi) X(erf) X(erfc) X(erfinv) X(exp2) X(expm1) X(log1p) X(expit) X(sinc) \
  X(i0) X(i1) X(entr) X(ndtr)
#define TAPER_SPECIAL_OF_TWO(X) X(xlogy) X(xlog1py) X(gammainc) X(gammaincc)
// clang-format on

namespace special {

#define TAPER_DECLARE(name) Tensor& name##_out(Tensor& out, const Tensor& self);
TAPER_SPECIAL_OF_ONE(TAPER_DECLARE)
#undef TAPER_DECLARE
#define TAPER_DECLARE(name) \
  Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& other);
TAPER_SPECIAL_OF_TWO(TAPER_DECLARE)
#undef TAPER_DECLARE
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
Tensor& multigammaln_out(Tensor& out, const Tensor& self, int64_t p);
inline Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                             bool keepdim = false) {
  return taper::logsumexp_out(out, self, dim, keepdim);
}

}  // namespace special

#define TAPER_LONG_OUT(name)                                  \
  template <class... Args>                                    \
  auto special_##name##_out(Tensor& out, const Args&... args) \
      ->decltype(special::name##_out(out, args...)) {         \
    return special::name##_out(out, args...);                 \
  }
TAPER_SPECIAL_OF_ONE(TAPER_LONG_OUT)
TAPER_SPECIAL_OF_TWO(TAPER_LONG_OUT)
TAPER_SPECIAL_RARER(TAPER_LONG_OUT)
TAPER_POLYNOMIALS(TAPER_LONG_OUT)
TAPER_LONG_OUT(zeta)
TAPER_LONG_OUT(round)
TAPER_LONG_OUT(logit)
TAPER_LONG_OUT(polygamma)
TAPER_LONG_OUT(multigammaln)
#undef TAPER_LONG_OUT
inline Tensor& special_logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                     bool keepdim = false) {
  return logsumexp_out(out, self, dim, keepdim);
}

/// By their own names.
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p);

}  // namespace taper

#pragma GCC visibility pop
