#include <taper/framework/grad_mode.h>
#include <taper/framework/shape.h>
#include <taper/ops/index.h>
#include <taper/ops/index_kernels.h>

namespace taper {

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
  check_defined("nonzero", x, "self");
  const Tensor positions = true_positions(x.detach());
  const Tensor y = detail::make_tensor({positions.numel(), x.dim()}, kLong, x.device());
  TAPER_ON_DEVICE(x, unravel_positions, y, positions, Dims(x.sizes()));
  return y;
}

std::vector<Tensor> nonzero_numpy(const Tensor& x) {
  if (x.defined() && x.dim() == 0) return nonzero(x.detach().unsqueeze(0)).unbind(1);
  return nonzero(x).unbind(1);
}

Tensor Tensor::nonzero() const { return taper::nonzero(*this); }
std::vector<Tensor> Tensor::nonzero_numpy() const { return taper::nonzero_numpy(*this); }

}  // namespace taper
