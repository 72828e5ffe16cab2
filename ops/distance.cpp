#include <taper/ops/distance.h>

#include <taper/ops/binary.h>

namespace taper {

Tensor cdist(const Tensor& x1, const Tensor& x2, double p) {
  TAPER_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
  TAPER_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
  TAPER_CHECK(x1.size(-1) == x2.size(-1),
              "X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
              " X2: ", x2.size(-1));
  TAPER_CHECK(p >= 0, "cdist only supports non-negative p values");
  return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(Scalar(p), {-1});
}

}  // namespace taper
