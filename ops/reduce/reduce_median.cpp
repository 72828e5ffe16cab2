#include <taper/ops/reduce/reduce_median.h>

#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/ops/reduce/reduce_dims.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

// Returns medians of the rows of x, which is contiguous and not empty along its last dimension.
std::tuple<Tensor, Tensor> row_medians(const Tensor& x, bool skip_nan) {
  Dims sizes(x.sizes());
  sizes.resize(sizes.size() - 1);
  Tensor values = detail::make_tensor(sizes, x.scalar_type(), x.device());
  Tensor indices = detail::make_tensor(sizes, kLong, x.device());
  TAPER_ON_DEVICE(x, median, values, indices, x, skip_nan);
  return {values, indices};
}

// Returns NaN, or the integer that NaN converts to.
Scalar median_of_nothing(ScalarType t) {
  if (t == kLong) return std::numeric_limits<int64_t>::min();
  if (t == kInt) return std::numeric_limits<int32_t>::min();
  return isIntegralType(t, true) ? Scalar(0) : Scalar(std::numeric_limits<double>::quiet_NaN());
}

Tensor median_of_all(const char* node, const Tensor& x, bool skip_nan) {
  Tensor y;
  if (x.numel() == 0) {
    y = detail::make_tensor({}, x.scalar_type(), x.device());
    y.fill_(median_of_nothing(x.scalar_type()));
  } else {
    y = std::get<0>(row_medians(x.detach().reshape({-1}).contiguous(), skip_nan));
  }
  if (needs_grad(x))
    record(node, y, {x}, [x = saved(x), y = saved_output(y)](const Tensor& gy) {
      return share_evenly_of_all(gy, x.get(), y.get());
    });
  return y;
}

std::tuple<Tensor, Tensor> median_along(const char* op, const char* node, const Tensor& x,
                                        int64_t dim, bool keepdim, bool skip_nan) {
  dim = wrap_dim(op, dim, x.dim());
  if (x.dim() == 0) {
    const Tensor y = x.clone();
    return {y, detail::make_tensor({}, kLong, x.device()).zero_()};
  }
  TAPER_CHECK_INDEX(x.sizes()[dim] > 0, op, "(): Expected reduction dim ", dim,
                    " to have non-zero size.");
  auto [values, indices] = row_medians(x.detach().movedim(dim, -1).contiguous(), skip_nan);
  if (keepdim) {
    Dims kept = x.sizes();
    kept[dim] = 1;
    values = _unsafe_view(values, kept);
    indices = _unsafe_view(indices, kept);
  }
  if (needs_grad(x))
    record(node, values, {x},
           [indices = saved(indices), sizes = Dims(x.sizes()), dim, keepdim](const Tensor& gy) {
             const Tensor at = keepdim ? indices.get() : indices.get().unsqueeze(dim);
             return gy.new_zeros(sizes).scatter(dim, at, keepdim ? gy : gy.unsqueeze(dim));
           });
  return {values, indices};
}

}  // namespace

Tensor median(const Tensor& self) {
  if (auto done = at_door<"median">(self)) return done;
  return median_of_all("MedianBackward0", self, false);
}
Tensor nanmedian(const Tensor& self) {
  if (auto done = at_door<"nanmedian">(self)) return done;
  return median_of_all("NanmedianBackward0", self, true);
}
std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"median">(self, dim, keepdim)) return done;
  return median_along("median", "MedianBackward1", self, dim, keepdim, false);
}
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"nanmedian">(self, dim, keepdim)) return done;
  return median_along("nanmedian", "NanmedianBackward1", self, dim, keepdim, true);
}

Tensor Tensor::nanmedian() const { return taper::nanmedian(*this); }
std::tuple<Tensor, Tensor> Tensor::nanmedian(int64_t dim, bool keepdim) const {
  return taper::nanmedian(*this, dim, keepdim);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT_PAIR(median, (values, indices, self, dim, keepdim), values, indices,
               self.median(dim, keepdim), const Tensor& self, int64_t dim, bool keepdim)
TAPER_OUT_PAIR(nanmedian, (values, indices, self, dim, keepdim), values, indices,
               self.nanmedian(dim, keepdim), const Tensor& self, int64_t dim, bool keepdim)

Tensor Tensor::median() const { return taper::median(*this); }
std::tuple<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim) const {
  return taper::median(*this, dim, keepdim);
}

}  // namespace torch::taper
