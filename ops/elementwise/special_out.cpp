#include <taper/ops/elementwise/special_out.h>

#include <taper/ops/elementwise/activation.h>
#include <taper/ops/shared/out_define.h>

namespace taper {

TAPER_OUT(logit, logit(self, eps), (self), const Tensor& self, optional<double> eps)
TAPER_OUT(polygamma, polygamma(n, self), (self), int64_t n, const Tensor& self)
TAPER_OUT(mvlgamma, mvlgamma(self, p), (self), const Tensor& self, int64_t p)

namespace special {

#define TAPER_OF_ONE(name) TAPER_OUT(name, special::name(self), (self), const Tensor& self)
TAPER_SPECIAL_OF_ONE(TAPER_OF_ONE)
#undef TAPER_OF_ONE
#define TAPER_OF_TWO(name)                                                       \
  TAPER_OUT(name, special::name(self, other), (self, other), const Tensor& self, \
            const Tensor& other)
TAPER_SPECIAL_OF_TWO(TAPER_OF_TWO)
#undef TAPER_OF_TWO

Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps) {
  return taper::logit_out(out, self, eps);
}
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
  return taper::polygamma_out(out, n, self);
}
Tensor& multigammaln_out(Tensor& out, const Tensor& self, int64_t p) {
  return mvlgamma_out(out, self, p);
}

}  // namespace special
}  // namespace taper
