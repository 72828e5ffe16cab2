#include <taper/ops/tensor/for_blob.h>

#include <taper/framework/checked.h>
#include <taper/ops/tensor/factory.h>

namespace taper {

TensorMaker& TensorMaker::strides(OptionalIntArrayRef v) {
  strides_ = v.has_value() ? optional<Dims>(Dims(*v)) : nullopt;
  return *this;
}

TensorMaker& TensorMaker::context(void* owner, ContextDeleter deleter) {
  deleter_ = [owner, deleter](void*) {
    if (deleter) deleter(owner);
  };
  return *this;
}

Tensor TensorMaker::make_tensor() {
  TAPER_CHECK(offset_ >= 0, "for_blob: expected a storage_offset of at least 0, got ", offset_);
  Dims strides;
  contiguous_strides(sizes_, strides);
  if (strides_) strides = *strides_;
  TensorOptions options = options_.requires_grad(false);
  if (device_) options = options.device(*device_);
  // Without an offset, from_blob checks the geometry and tells how much memory it needs.
  const size_t itemsize = elementSize(options.scalar_type());
  const Storage needed = from_blob(data_, sizes_, strides, options).storage();
  const int64_t n =
      detail::checked_add("for_blob", offset_, static_cast<int64_t>(needed.nbytes() / itemsize));
  const Tensor memory = from_blob(data_, {n}, deleter_, options);
  Tensor y = detail::share_data(memory.impl(), sizes_, strides, offset_);
  if (options_.requires_grad()) y.set_requires_grad(true);
  return y;
}

}  // namespace taper
