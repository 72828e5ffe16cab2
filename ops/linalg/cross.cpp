#include <taper/ops/linalg/cross.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/flip.h>

namespace torch::taper {

Tensor linalg::cross(const Tensor& self, const Tensor& other, int64_t dim) {
  if (auto done = at_door<"linalg_cross">(self, other, dim)) return done;
  check_defined("linalg.cross", self, "self");
  check_defined("linalg.cross", other, "other");
  TAPER_CHECK(self.dim() == other.dim(),
              "linalg.cross: inputs must have the same number of dimensions.");
  TAPER_CHECK(self.size(dim) == 3 && other.size(dim) == 3, "linalg.cross: inputs dimension ", dim,
              " must have length 3. Got ", self.size(dim), " and ", other.size(dim));
  const Dims sizes = broadcast_shapes("linalg.cross", self.sizes(), other.sizes());
  const int64_t d = wrap_dim("linalg.cross", dim, self.dim());
  const Tensor a = self.expand(sizes), b = other.expand(sizes);
  return roll(a, -1, d) * roll(b, -2, d) - roll(a, -2, d) * roll(b, -1, d);
}

Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim) {
  if (auto done = at_door<"cross">(self, other, dim)) return done;
  check_defined("cross", self, "self");
  if (dim) return linalg::cross(self, other, *dim);
  detail::warn_once([] {
    return "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass "
           "the "
           "dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change "
           "to "
           "agree with that of linalg.cross in a future release.";
  });
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.size(d) == 3) return linalg::cross(self, other, d);
  throw Error("cross: no dimension of size 3 in input");
}

Tensor Tensor::cross(const Tensor& other, optional<int64_t> dim) const {
  return taper::cross(*this, other, dim);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(cross, (out, self, other, dim), cross(self, other, dim), (self, other),
          const Tensor& self, const Tensor& other, optional<int64_t> dim)

TAPER_OUT(linalg_cross, (out, self, other, dim), linalg::cross(self, other, dim), (self, other),
          const Tensor& self, const Tensor& other, int64_t dim)

}  // namespace torch::taper
