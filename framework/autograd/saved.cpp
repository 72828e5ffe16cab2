#include <taper/framework/autograd/saved.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/view_history.h>

namespace taper::autograd {
void check_can_be_saved(const Tensor& t) {
  TAPER_CHECK(!t.defined() || !t.impl_ptr()->inference,
              "Inference tensors cannot be saved for backward. To work around you can make a clone "
              "to get a normal tensor and use it in autograd.");
}

Saved::Saved(const Tensor& t) {
  ++detail::saved_since_record;
  if (!t.defined()) return;
  check_can_be_saved(t);
  version_ = t.impl_ptr()->version();
  tensor_ = t;
}

Saved::Saved(const Tensor& t, uint32_t output_nr) : Saved(t) {
  is_output_ = true;
  output_nr_ = output_nr;
  if (t.defined()) tensor_ = taper::detail::share_data(*t.impl_ptr());
}

Tensor Saved::get() const {
  if (!tensor_.defined()) return tensor_;
  const TensorImpl& impl = *tensor_.impl_ptr();
  TAPER_CHECK(
      impl.untracked || impl.version() == version_,
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [",
      tensor_.toString(), " ", tensor_.sizes(), "]",
      is_output_ && current_node() ? taper::detail::concat(", which is output ", output_nr_, " of ",
                                                           current_node()->name(), ",")
      : impl.grad_fn ? taper::detail::concat(", which is output ", impl.output_nr, " of ",
                                             impl.grad_fn->name(), ",")
                     : "",
      " is at version ", impl.version(), "; expected version ", version_,
      " instead. Hint: clone() the tensor before changing it, or use the form of the op "
      "that is not in-place.");
  if (!is_output_ || !current_node()) return tensor_;
  if (is_copy_slices(*current_node())) return view_written_by(*current_node(), impl);
  Tensor y = taper::detail::share_data(impl);
  set_gradient_edge(y, {NodePtr(current_node()), output_nr_});
  return y;
}

}  // namespace taper::autograd
