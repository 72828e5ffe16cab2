#include <taper/ops/linalg/matrix_norms.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"frobenius_norm">(self, dim, keepdim)) return done;
  check_defined("frobenius_norm", self, "self");
  return norm(self, Scalar(2), dim, keepdim);
}

Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"nuclear_norm">(self, dim, keepdim)) return done;
  check_defined("nuclear_norm", self, "self");
  TAPER_CHECK(dim.size() == 2, "nuclear_norm: nuclear norm requires a 'dim' argument of size 2");
  wrap_dims("nuclear_norm", dim, self.dim());
  return linalg::matrix_norm(self, "nuc", dim, keepdim);
}

Tensor nuclear_norm(const Tensor& self, bool keepdim) {
  if (auto done = at_door<"nuclear_norm">(self, keepdim)) return done;
  check_defined("nuclear_norm", self, "self");
  TAPER_CHECK(self.dim() == 2,
              "nuclear_norm: Expected a tensor with 2 dimensions, but got a tensor with ",
              self.dim(), " dimension", self.dim() == 1 ? "" : "s", " instead.");
  return nuclear_norm(self, {0, 1}, keepdim);
}

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim_given) {
  if (auto done = at_door<"norm_except_dim">(v, pow, dim_given)) return done;
  check_defined("norm_except_dim", v, "v");
  if (dim_given == -1) return v.norm(Scalar(pow));
  const int64_t dim = wrap_dim("norm_except_dim", dim_given, v.dim());
  std::vector<int64_t> others;
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d != dim) others.push_back(d);
  // The norm of a vector over no dimension is the norm of each element.
  return others.empty() ? v.unsqueeze(1).norm(Scalar(pow), {1}) : v.norm(Scalar(pow), others, true);
}

}  // namespace torch::taper
