#include <taper/ops/tensor/flip.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper {

Tensor flip(const Tensor& x, IntArrayRef dims) {
  if (auto done = at_door<"flip">(x, dims)) return done;
  check_defined("flip", x, "self");
  uint32_t mask = 0;
  for (int64_t d : wrap_dims("flip", dims, x.dim()))
    if (x.dim() > 0) mask |= 1u << d;
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, flip, y, x, mask);
  if (needs_grad(x))
    record("FlipBackward0", y, {x}, [d = Dims(dims)](const Tensor& gy) { return flip(gy, d); });
  return y;
}

Tensor fliplr(const Tensor& x) {
  if (auto done = at_door<"fliplr">(x)) return done;
  TAPER_CHECK(x.dim() >= 2, "fliplr: Input must be >= 2-d.");
  return flip(x, {1});
}

Tensor flipud(const Tensor& x) {
  if (auto done = at_door<"flipud">(x)) return done;
  TAPER_CHECK(x.dim() >= 1, "flipud: Input must be >= 1-d.");
  return flip(x, {0});
}

namespace {

/// Rolls x along dims[i], dims[i + 1], ... into y, by two parts per dimension.
void roll_into(const Tensor& y, const Tensor& x, const Dims& shifts, const Dims& dims, int64_t i) {
  if (i == dims.size()) return static_cast<void>(y.copy_(x));
  const int64_t d = dims[i], n = x.size(d), s = ((shifts[i] % n) + n) % n;
  if (s > 0) roll_into(y.narrow(d, 0, s), x.narrow(d, n - s, s), shifts, dims, i + 1);
  roll_into(y.narrow(d, s, n - s), x.narrow(d, 0, n - s), shifts, dims, i + 1);
}

Tensor rolled(const Tensor& x, const Dims& shifts, const Dims& dims) {
  if (dims.empty()) return rolled(x.reshape({x.numel()}), shifts, {0}).view(x.sizes());
  Dims at, by;  // each dimension once
  for (int64_t i = 0; i < dims.size(); ++i) {
    int64_t k = 0;
    while (k < at.size() && at[k] != dims[i]) ++k;
    if (k < at.size()) {
      by[k] += shifts[i];
    } else {
      at.push_back(dims[i]);
      by.push_back(shifts[i]);
    }
  }
  const Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  if (x.numel() > 0) roll_into(y, x, by, at, 0);
  return y;
}

}  // namespace

Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
  if (auto done = at_door<"roll">(x, shifts, dims)) return done;
  check_defined("roll", x, "self");
  TAPER_CHECK(!shifts.empty(), "roll: `shifts` required");
  TAPER_CHECK(shifts.size() == dims.size() || (dims.empty() && shifts.size() == 1),
              "roll: shifts and dimensions must align. shifts: ", shifts.size(),
              ", dims:", dims.size());
  Dims at = dims, by = shifts;
  for (int64_t& d : at) d = wrap_dim("roll", d, x.dim());
  TAPER_CHECK(at.empty() || x.dim() > 0,
              "roll: expected a tensor with dimensions, got a 0-dim one");
  // A whole turn changes nothing. Without whole turns, sums and differences of shifts fit 64 bits.
  for (int64_t i = 0; i < by.size(); ++i)
    by[i] %= std::max<int64_t>(at.empty() ? x.numel() : x.size(at[i]), 1);
  Tensor y;
  {
    NoGradGuard no_grad;
    y = rolled(x.detach(), by, at).detach();
  }
  if (needs_grad(x)) {
    for (int64_t& s : by) s = -s;
    record("RollBackward0", y, {x}, [by, at](const Tensor& gy) { return roll(gy, by, at); });
  }
  return y;
}

Tensor rot90(const Tensor& x, int64_t k, IntArrayRef dims) {
  if (auto done = at_door<"rot90">(x, k, dims)) return done;
  check_defined("rot90", x, "self");
  TAPER_CHECK(dims.size() == 2,
              "rot90: expected total rotation dims == 2, but got dims = ", dims.size());
  TAPER_CHECK(x.dim() >= 2, "rot90: expected total dims >= 2, but got total dims = ", x.dim());
  const Dims d = wrap_dims("rot90", dims, x.dim());
  switch (((k % 4) + 4) % 4) {
    case 1:
      return flip(x, {d[1]}).transpose_(d[0], d[1]);
    case 2:
      return flip(x, d);
    case 3:
      return flip(x, {d[0]}).transpose_(d[0], d[1]);
    default:
      return x.clone();
  }
}

Tensor Tensor::flip(IntArrayRef dims) const { return taper::flip(*this, dims); }
Tensor Tensor::roll(IntArrayRef shifts, IntArrayRef dims) const {
  return taper::roll(*this, shifts, dims);
}
Tensor Tensor::fliplr() const { return taper::fliplr(*this); }
Tensor Tensor::flipud() const { return taper::flipud(*this); }
Tensor Tensor::rot90(int64_t k, IntArrayRef dims) const { return taper::rot90(*this, k, dims); }

}  // namespace torch::taper
