#include <taper/ops/index/index_nonzero.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

// ---------------------------------------------------------------------- index_nonzero
Tensor true_positions(const Tensor& mask) {
  NoGradGuard no_grad;
  const Tensor x = (mask.is_complex() ? mask.ne(0) : mask).contiguous();
  const Tensor count = detail::make_tensor({}, kLong, x.device());
  TAPER_ON_DEVICE(x, count_true, count, x);
  const Tensor y = detail::make_tensor({count.item().toLong()}, kLong, x.device());
  TAPER_ON_DEVICE(x, true_positions, y, x);
  return y;
}

Tensor nonzero(const Tensor& x) {
  if (auto done = at_door<"nonzero">(x)) return done;
  check_defined("nonzero", x, "self");
  const Tensor positions = true_positions(x.detach());
  const Tensor y = detail::make_tensor({positions.numel(), x.dim()}, kLong, x.device());
  TAPER_ON_DEVICE(x, unravel_positions, y, positions, Dims(x.sizes()));
  return y;
}

namespace {

// Returns the positions of the first `size` nonzero elements, and -1 for missing ones. Their number
// stays on the device.
Tensor first_positions(const Tensor& x, int64_t size) {
  const Tensor found = x.ne(0).flatten();
  const Tensor rank = found.cumsum(0).sub(1);
  // The others go to one extra slot.
  const Tensor place = where(found.logical_and(rank.lt(size)), rank, size);
  const Tensor all = full({size + 1}, -1, place.options());
  return all.scatter(0, place, arange(x.numel(), place.options())).narrow(0, 0, size);
}

}  // namespace

Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value) {
  if (auto done = at_door<"nonzero_static">(x, size, fill_value)) return done;
  TAPER_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  check_defined("nonzero_static", x, "self");
  const TensorOptions whole = TensorOptions(kLong).device(x.device());
  if (x.numel() == 0) return full({size, x.dim()}, fill_value, whole);
  const Tensor places = first_positions(x.detach(), size);
  const Tensor y = detail::make_tensor({size, x.dim()}, kLong, x.device());
  TAPER_ON_DEVICE(x, unravel_positions, y, places.clamp_min(0), Dims(x.sizes()));
  return where(places.lt(0).unsqueeze(1), fill_value, y);
}

std::vector<Tensor> nonzero_numpy(const Tensor& x) {
  if (auto done = at_door<"nonzero_numpy">(x)) return done;
  if (x.defined() && x.dim() == 0) return nonzero(x.detach().unsqueeze(0)).unbind(1);
  return nonzero(x).unbind(1);
}

Tensor Tensor::nonzero() const { return taper::nonzero(*this); }
Tensor Tensor::nonzero_static(int64_t size, int64_t fill_value) const {
  return taper::nonzero_static(*this, size, fill_value);
}
std::vector<Tensor> Tensor::nonzero_numpy() const { return taper::nonzero_numpy(*this); }

Tensor argwhere(const Tensor& self) {
  if (auto done = at_door<"argwhere">(self)) return done;
  return nonzero(self);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(nonzero, (out, self), nonzero(self), (self), const Tensor& self)
TAPER_OUT(nonzero_static, (out, self, size, fill_value), nonzero_static(self, size, fill_value),
          (self), const Tensor& self, int64_t size, int64_t fill_value)

// ---------------------------------------------------------------------- one_hot
Tensor one_hot(const Tensor& x, int64_t num_classes) {
  if (auto done = at_door<"one_hot">(x, num_classes)) return done;
  check_defined("one_hot", x, "self");
  TAPER_CHECK(x.scalar_type() == kLong, "one_hot is only applicable to index tensor.");
  Dims size = x.sizes();
  if (x.numel() == 0) {
    TAPER_CHECK(num_classes > 0,
                "one_hot: Can not infer total number of classes from empty tensor.");
    size.push_back(num_classes);
    return empty(size, x.options());
  }
  TAPER_CHECK(x.min().item<int64_t>() >= 0, "one_hot: Class values must be non-negative.");
  const int64_t largest = x.max().item<int64_t>();
  if (num_classes == -1) num_classes = detail::checked_add("one_hot", largest, 1);
  TAPER_CHECK(num_classes > largest, "one_hot: Class values must be smaller than num_classes.");
  size.push_back(num_classes);
  return zeros(size, x.options()).scatter_(-1, x.unsqueeze(-1), 1);
}

}  // namespace torch::taper
