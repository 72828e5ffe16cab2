#include <taper/ops/reduce/search.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/search_kernels.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

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
  if (auto done = at_door<"searchsorted">(sorted_sequence, self, out_int32, right, side, sorter))
    return done;
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
  if (auto done = at_door<"searchsorted">(sorted_sequence, self, out_int32, right, side, sorter))
    return done;
  const Tensor v = full({}, self, sorted_sequence.options().requires_grad(false));
  return searchsorted(sorted_sequence, v, out_int32, right, side, sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  if (auto done = at_door<"bucketize">(self, boundaries, out_int32, right)) return done;
  check_defined("bucketize", boundaries, "boundaries");
  TAPER_CHECK(boundaries.dim() == 1,
              "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return searchsorted(boundaries, self, out_int32, right);
}
Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  if (auto done = at_door<"bucketize">(self, boundaries, out_int32, right)) return done;
  check_defined("bucketize", boundaries, "boundaries");
  TAPER_CHECK(boundaries.dim() == 1,
              "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return searchsorted(boundaries, self, out_int32, right);
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool unique, bool invert) {
  if (auto done = at_door<"isin">(elements, test_elements, unique, invert)) return done;
  check_defined("isin", elements, "elements");
  check_defined("isin", test_elements, "test_elements");
  const NoGradGuard values_only;
  const int64_t n = test_elements.numel();
  // Up to `few` elements are compared one by one faster than sorted.
  const double few = 10 * std::pow(static_cast<double>(elements.numel()), 0.145);
  Tensor found = zeros(elements.sizes(), elements.options().dtype(kBool).requires_grad(false));
  if (static_cast<double>(n) < few && elements.scalar_type() == test_elements.scalar_type()) {
    const Tensor tests = test_elements.detach().reshape({n});
    for (int64_t i = 0; i < n; ++i) found |= elements.eq(tests[i]);
  } else if (n > 0) {
    const Tensor sorted = std::get<0>(sort(test_elements.detach().reshape({n}), 0));
    const Tensor place = searchsorted(sorted, elements.detach()).clamp_max(Scalar(n - 1));
    found = take(sorted, place).eq(elements);
  }
  return invert ? found.logical_not() : found;
}

Tensor isin(const Tensor& elements, const Scalar& test_element, bool unique, bool invert) {
  if (auto done = at_door<"isin">(elements, test_element, unique, invert)) return done;
  check_defined("isin", elements, "elements");
  const NoGradGuard values_only;
  return invert ? elements.ne(test_element) : elements.eq(test_element);
}

Tensor isin(const Scalar& element, const Tensor& test_elements, bool unique, bool invert) {
  if (auto done = at_door<"isin">(element, test_elements, unique, invert)) return done;
  check_defined("isin", test_elements, "test_elements");
  const NoGradGuard values_only;
  const Tensor found = any(test_elements.eq(element));
  return invert ? found.logical_not() : found;
}

}  // namespace torch::taper
