#include <taper/ops/shared/in_place.h>

namespace torch::taper {

// ---------------------------------------------------------------- memory
namespace {

int64_t last_element(const Tensor& t) {
  int64_t n = t.storage_offset();
  for (int64_t d = 0; d < t.dim(); ++d) n += (t.size(d) - 1) * t.stride(d);
  return n;
}

}  // namespace

Overlap overlap_of(const Tensor& a, const Tensor& b) {
  if (!a.is_alias_of(b) || a.numel() == 0 || b.numel() == 0) return Overlap::kNone;
  if (a.is_same(b) || a.is_set_to(b)) return Overlap::kFull;
  if (a.storage_offset() > last_element(b) || b.storage_offset() > last_element(a))
    return Overlap::kNone;
  const bool dense = a.is_non_overlapping_and_dense() && b.is_non_overlapping_and_dense();
  return dense ? Overlap::kPartial : Overlap::kUnknown;
}

namespace {
void check_not_shared(const char* op, bool shared) {
  TAPER_CHECK(
      !shared, op,
      ": unsupported operation: some elements of the input tensor and the written-to tensor "
      "refer to a single memory location. Please clone() the tensor before performing the "
      "operation.");
}
}  // namespace

bool check_overlap(const char* op, const Tensor& y, const Tensor& x) {
  const Overlap o = overlap_of(y, x);
  check_not_shared(op, o == Overlap::kPartial);
  return o == Overlap::kUnknown;
}
void check_apart(const char* op, const Tensor& y, const Tensor& x) {
  const Overlap o = overlap_of(y, x);
  check_not_shared(op, o == Overlap::kPartial || o == Overlap::kFull);
}

// ---------------------------------------------------------------- forms
Tensor Form::target(const Tensor& x, const autograd::detail::Inputs& others,
                    const autograd::detail::Inputs& saved) const {
  if (in_place) {
    const bool recording = autograd::check_inplace(name, x, others);
    for (size_t i = 0; recording && i < saved.n; ++i) autograd::check_can_be_saved(*saved.p[i]);
    return x;
  }
  NoGradGuard no_grad;
  return x.clone(MemoryFormat::Contiguous);
}

Tensor detail::before_change(const Tensor& x) {
  Tensor y = x.detach().clone();
  if (x.requires_grad()) autograd::set_gradient_edge(y, autograd::gradient_edge(x));
  return y;
}

Tensor& detail::overwrite(const char* op, const Tensor& x, const Tensor& y) {
  check_result_shape(op, x, y.impl().sizes);
  check_result_cast(op, y.scalar_type(), x.scalar_type());
  if (x.is_view() || !y.requires_grad()) return x.copy_(y);
  x.detach().copy_(y.detach());
  autograd::rebase_history(x, y.grad_fn());
  return detail::as_mutable(x);
}

}  // namespace torch::taper
