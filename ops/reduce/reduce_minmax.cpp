#include <taper/ops/reduce/reduce_minmax.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/ops/reduce/reduce_dims.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>

namespace torch::taper {

namespace {

void check_some_elements(const char* op, const Tensor& x) {
  TAPER_CHECK(x.numel() > 0, op,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
}

// Throws if a reduced dimension is empty. A tensor without elements may still have results.
void check_some_along(const char* op, const Tensor& x, DimMask dims) {
  for (int64_t d = 0; d < x.dim(); ++d)
    TAPER_CHECK_INDEX(!((dims >> d) & 1) || x.sizes()[d] > 0, op, "(): Expected reduction dim ", d,
                      " to have non-zero size.");
}

Tensor values_of(const char* op, bool largest, const Tensor& x, DimMask dims, bool keepdim) {
  check_some_along(op, x, dims);
  Tensor y =
      detail::make_tensor(reduced_sizes(x.sizes(), dims, keepdim), x.scalar_type(), x.device());
  if (largest)
    TAPER_ON_DEVICE(x, amax, y, x, dims);
  else
    TAPER_ON_DEVICE(x, amin, y, x, dims);
  return y;
}

Tensor extreme(const char* op, const char* node, bool largest, const Tensor& x, DimMask dims,
               bool keepdim) {
  const Tensor y = values_of(op, largest, x, dims, keepdim);
  if (needs_grad(x))
    record(node, y, {x}, [x = saved(x), y = saved_output(y), dims](const Tensor& gy) {
      return share_evenly(gy, x.get(), y.get(), dims);
    });
  return y;
}

Tensor extreme_of_all(const char* op, const char* node, bool largest, const Tensor& x) {
  check_some_elements(op, x);
  const Tensor y = values_of(op, largest, x, all_dims(x.dim()), false);
  if (needs_grad(x))
    record(node, y, {x}, [x = saved(x), y = saved_output(y)](const Tensor& gy) {
      return share_evenly_of_all(gy, x.get(), y.get());
    });
  return y;
}

// Puts the gradient at the chosen indices and 0 elsewhere.
Tensor put_at(const Tensor& gy, const Tensor& indices, const Dims& sizes, int64_t dim,
              bool keepdim) {
  if (sizes.empty()) return gy;
  const Tensor zeros = gy.new_zeros(sizes);
  return keepdim ? zeros.scatter(dim, indices, gy)
                 : zeros.scatter(dim, indices.unsqueeze(dim), gy.unsqueeze(dim));
}

// Finds values (if wanted) and indices along the single dimension in `dims`, which is not empty.
void find_extreme(bool largest, const Tensor& values, const Tensor& indices, const Tensor& x,
                  DimMask dims) {
  TAPER_CHECK(!x.is_complex(), largest ? "max" : "min", "(): does not support complex input");
  if (largest)
    TAPER_ON_DEVICE(x, max_with_index, values, indices, x, dims);
  else
    TAPER_ON_DEVICE(x, min_with_index, values, indices, x, dims);
}

void record_chosen(const char* node, const Tensor& values, const Tensor& indices, const Tensor& x,
                   int64_t dim, bool keepdim) {
  if (!needs_grad(x)) return;
  record(node, values, {x},
         [indices = saved(indices), sizes = Dims(x.sizes()), dim, keepdim](const Tensor& gy) {
           return put_at(gy, indices.get(), sizes, dim, keepdim);
         });
}

std::tuple<Tensor, Tensor> extreme_along(const char* op, const char* node, bool largest,
                                         const Tensor& x, int64_t dim, bool keepdim) {
  dim = wrap_dim(op, dim, x.dim());
  const DimMask dims = one_dim(op, dim, x.dim());
  check_some_along(op, x, dims);
  const Dims sizes = reduced_sizes(x.sizes(), dims, keepdim);
  Tensor values = detail::make_tensor(sizes, x.scalar_type(), x.device());
  Tensor indices = detail::make_tensor(sizes, kLong, x.device());
  find_extreme(largest, values, indices, x, dims);
  record_chosen(node, values, indices, x, dim, keepdim);
  return {values, indices};
}

Tensor position(const char* op, bool largest, const Tensor& x, optional<int64_t> dim,
                bool keepdim) {
  if (x.scalar_type() == kBool)
    detail::unsupported_dtype(detail::concat(op, "_cpu").c_str(), kBool);
  if (dim) {
    const DimMask dims = one_dim(op, *dim, x.dim());
    check_some_along(op, x, dims);
    Tensor y = detail::make_tensor(reduced_sizes(x.sizes(), dims, keepdim), kLong, x.device());
    find_extreme(largest, Tensor(), y, x, dims);
    return y;
  }
  TAPER_CHECK_INDEX(x.numel() > 0, op,
                    "(): Expected reduction dim to be specified for input.numel() == 0.");
  Tensor y =
      detail::make_tensor(reduced_sizes(x.sizes(), all_dims(x.dim()), keepdim), kLong, x.device());
  find_extreme(largest, Tensor(), y, x.detach().reshape({-1}), 1);
  return y;
}

}  // namespace

Tensor max(const Tensor& self) {
  if (auto done = at_door<"max">(self)) return done;
  return extreme_of_all("max", "MaxBackward1", true, self);
}
Tensor min(const Tensor& self) {
  if (auto done = at_door<"min">(self)) return done;
  return extreme_of_all("min", "MinBackward1", false, self);
}
Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"amax">(self, dim, keepdim)) return done;
  if (dim.empty()) check_some_elements("amax", self);
  return extreme("amax", "AmaxBackward0", true, self, dim_mask("amax", dim, self.dim()), keepdim);
}
Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"amin">(self, dim, keepdim)) return done;
  if (dim.empty()) check_some_elements("amin", self);
  return extreme("amin", "AminBackward0", false, self, dim_mask("amin", dim, self.dim()), keepdim);
}

std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"max">(self, dim, keepdim)) return done;
  return extreme_along("max", "MaxBackward0", true, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"min">(self, dim, keepdim)) return done;
  return extreme_along("min", "MinBackward0", false, self, dim, keepdim);
}
Tensor max(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"max">(self, other)) return done;
  return self.maximum(other);
}
Tensor min(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"min">(self, other)) return done;
  return self.minimum(other);
}

Tensor argmax(const Tensor& self, optional<int64_t> dim, bool keepdim) {
  if (auto done = at_door<"argmax">(self, dim, keepdim)) return done;
  return position("argmax", true, self, dim, keepdim);
}
Tensor argmin(const Tensor& self, optional<int64_t> dim, bool keepdim) {
  if (auto done = at_door<"argmin">(self, dim, keepdim)) return done;
  return position("argmin", false, self, dim, keepdim);
}

Tensor Tensor::max() const { return taper::max(*this); }
Tensor Tensor::min() const { return taper::min(*this); }
std::tuple<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const {
  return taper::max(*this, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const {
  return taper::min(*this, dim, keepdim);
}
#define TAPER_EXTREME_OUT(name)                                                               \
  Tensor& name##_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {        \
    if (at_door<#name "_out">(out, self, dim, keepdim)) return out;                           \
    const ScalarType t = self.scalar_type();                                                  \
    TAPER_CHECK(!out.defined() || out.scalar_type() == t,                                     \
                "min: Expected the dtype for input and out to match, but got ", toString(t),  \
                " for input's dtype and ", toString(out.scalar_type()), " for out's dtype."); \
    return store_out(#name, out, name(self.detach(), dim, keepdim), {self});                  \
  }
TAPER_EXTREME_OUT(amax)
TAPER_EXTREME_OUT(amin)
#undef TAPER_EXTREME_OUT
#define TAPER_POSITION_OUT(name)                                                             \
  Tensor& name##_out(Tensor& out, const Tensor& self, optional<int64_t> dim, bool keepdim) { \
    if (at_door<#name "_out">(out, self, dim, keepdim)) return out;                          \
    check_asked_dtype(#name, out, kLong);                                                    \
    return store_out(#name, out, name(self.detach(), dim, keepdim), {self});                 \
  }
TAPER_POSITION_OUT(argmax)
TAPER_POSITION_OUT(argmin)
#undef TAPER_POSITION_OUT
Tensor Tensor::amax(IntArrayRef dim, bool keepdim) const {
  return taper::amax(*this, dim, keepdim);
}
Tensor Tensor::amin(IntArrayRef dim, bool keepdim) const {
  return taper::amin(*this, dim, keepdim);
}
Tensor Tensor::argmax(optional<int64_t> dim, bool keepdim) const {
  return taper::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin(optional<int64_t> dim, bool keepdim) const {
  return taper::argmin(*this, dim, keepdim);
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, optional<int64_t> dim, bool keepdim) {
  if (auto done = at_door<"aminmax">(self, dim, keepdim)) return done;
  check_defined("aminmax", self, "self");
  TAPER_CHECK(dim || self.numel() > 0,
              "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
              "identity.");
  if (dim) {
    const int64_t d = wrap_dim("aminmax", *dim, self.dim());
    TAPER_CHECK_INDEX(self.dim() == 0 || self.size(d) > 0, "aminmax(): Expected reduction dim ", d,
                      " to have non-zero size.");
    return {self.amin(d, keepdim), self.amax(d, keepdim)};
  }
  return {self.amin({}, keepdim), self.amax({}, keepdim)};
}

std::tuple<Tensor, Tensor> Tensor::aminmax(optional<int64_t> dim, bool keepdim) const {
  return taper::aminmax(*this, dim, keepdim);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT_PAIR(max, (max, max_indices, self, dim, keepdim), max, max_indices,
               self.max(dim, keepdim), const Tensor& self, int64_t dim, bool keepdim)
TAPER_OUT_PAIR(min, (min, min_indices, self, dim, keepdim), min, min_indices,
               self.min(dim, keepdim), const Tensor& self, int64_t dim, bool keepdim)
TAPER_OUT(max, (out, self, other), self.max(other), (self, other), const Tensor& self,
          const Tensor& other)
TAPER_OUT(min, (out, self, other), self.min(other), (self, other), const Tensor& self,
          const Tensor& other)
TAPER_OUT_PAIR(aminmax, (min, max, self, dim, keepdim), min, max, aminmax(self, dim, keepdim),
               const Tensor& self, optional<int64_t> dim, bool keepdim)

}  // namespace torch::taper
