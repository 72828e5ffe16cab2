#include <taper/ops/reduce/search.h>

#include <taper/framework/grad_mode.h>
#include <taper/framework/shape.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/search_kernels.h>
#include <taper/ops/tensor/factory.h>

namespace taper {

namespace {

bool same_rows(const Tensor& boundaries, const Tensor& values) {
  if (boundaries.dim() == 1) return true;
  if (values.dim() != boundaries.dim()) return false;
  for (int64_t d = 0; d + 1 < values.dim(); ++d)
    if (values.size(d) != boundaries.size(d)) return false;
  return true;
}

Tensor search(const Tensor& boundaries, const Tensor& values, bool right) {
  const NoGradGuard values_only;
  const ScalarType t = promoteTypes(boundaries.scalar_type(), values.scalar_type());
  const Tensor sorted = boundaries.to(t).contiguous(), v = values.to(t).contiguous();
  check_same_device("searchsorted", sorted, v);
  Tensor y = detail::make_tensor(v.sizes(), kLong, v.device());
  if (y.numel() > 0) TAPER_ON_DEVICE(y, searchsorted, y, sorted, v, right);
  return y;
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    optional<std::string_view> side, const optional<Tensor>& sorter) {
  check_defined("searchsorted", sorted_sequence, "sorted_sequence");
  check_defined("searchsorted", self, "self");
  TAPER_CHECK(!side || *side == "left" || *side == "right",
              "torch.searchsorted(): side can only be 'left' or 'right' but got ",
              std::string(side.value_or("")));
  TAPER_CHECK(!side || *side == "right" || !right,
              "torch.searchsorted(): side and right can't be set to opposites, got side of left "
              "while right was True");
  TAPER_CHECK(sorted_sequence.dim() > 0,
              "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
              "dimension");
  TAPER_CHECK(same_rows(sorted_sequence, self),
              "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
              "dimensions of boundaries tensor and input value tensor must match, but we got "
              "boundaries tensor ",
              sorted_sequence.sizes(), " and input value tensor ", self.sizes());
  const Tensor boundaries =
      sorter && sorter->defined() ? gather(sorted_sequence.detach(), -1, *sorter) : sorted_sequence;
  const Tensor y = search(boundaries, self, right || side.value_or("left") == "right");
  return out_int32 ? y.to(kInt) : y;
}
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right,
                    optional<std::string_view> side, const optional<Tensor>& sorter) {
  const Tensor v = full({}, self, sorted_sequence.options().requires_grad(false));
  return searchsorted(sorted_sequence, v, out_int32, right, side, sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  check_defined("bucketize", boundaries, "boundaries");
  TAPER_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(",
              boundaries.dim(), ")");
  return searchsorted(boundaries, self, out_int32, right);
}
Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  check_defined("bucketize", boundaries, "boundaries");
  TAPER_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(",
              boundaries.dim(), ")");
  return searchsorted(boundaries, self, out_int32, right);
}

}  // namespace taper
