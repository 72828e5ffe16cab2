// The functions of torch.special by LibTorch's longer names, torch::special_...
#pragma once

#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_bessel.h>

#pragma GCC visibility push(default)

namespace taper {

// clang-format off
#define TAPER_SPECIAL_NAMES(X)                                                               \
  X(gammaln) X(multigammaln) X(digamma) X(psi) X(polygamma) X(gammainc) X(gammaincc) X(zeta) \
  X(erf) X(erfc) X(erfinv) X(exp2) X(expm1) X(log1p) X(expit) X(logit) X(sinc) X(round)      \
  X(i0) X(i1) X(xlogy) X(xlog1py) X(entr) X(ndtr) X(softmax) X(log_softmax)                  \
  TAPER_SPECIAL_RARER(X) TAPER_POLYNOMIALS(X)
// clang-format on
#define TAPER_LONG_NAME(name)                                                  \
  template <class... Args>                                                     \
  auto special_##name(const Args&... args)->decltype(special::name(args...)) { \
    return special::name(args...);                                             \
  }
TAPER_SPECIAL_NAMES(TAPER_LONG_NAME)
#undef TAPER_LONG_NAME
#undef TAPER_SPECIAL_NAMES

inline Tensor special_logsumexp(const Tensor& x, IntArrayRef dim, bool keepdim = false) {
  return special::logsumexp(x, dim, keepdim);
}

// ---------------------------------------------------------------- out forms
#define TAPER_LONG_OUT(name)                                  \
  template <class... Args>                                    \
  auto special_##name##_out(Tensor& out, const Args&... args) \
      ->decltype(special::name##_out(out, args...)) {         \
    return special::name##_out(out, args...);                 \
  }
TAPER_SPECIAL_OF_ONE(TAPER_LONG_OUT)
TAPER_LONG_OUT(xlogy)
TAPER_LONG_OUT(xlog1py)
TAPER_LONG_OUT(gammainc)
TAPER_LONG_OUT(gammaincc)
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

}  // namespace taper

#pragma GCC visibility pop
