#include <taper/ops/elementwise/where.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/where_kernels.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/shared/promote.h>

namespace torch::taper {

namespace {

void check_condition(const Tensor& condition) {
  check_defined("where", condition, "condition");
  const ScalarType t = condition.scalar_type();
  TAPER_CHECK(t == kBool || t == kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              toString(t));
  if (t == kByte)
    detail::warn_user(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed "
        "in a future version of PyTorch. Use a boolean condition instead.");
}

void warn_of_bytes(const std::string& op, const Tensor& mask) {
  if (mask.scalar_type() != kByte) return;
  detail::warn_user(detail::concat(op,
                                   " received a mask with dtype torch.uint8, this behavior is now "
                                   "deprecated,please use a mask with dtype torch.bool instead."));
}

/// Returns x as a mask. Other dtypes are true if they are not zero.
Tensor as_mask(const char* op, const Tensor& x, const Tensor& mask) {
  check_defined(op, x, "self");
  check_defined(op, mask, "mask");
  check_same_device(op, x, mask);
  warn_of_bytes(detail::concat(op, "_"), mask);
  return mask.scalar_type() == kBool || mask.scalar_type() == kByte ? mask : mask.to(kBool);
}

/// The result keeps the dimension order of the condition, as for other pointwise ops.
Tensor select_to(const Tensor& condition, const In& a, const In& b, ScalarType dtype,
                 const Dims& shape) {
  const Tensor y = shape == Dims(condition.sizes())
                       ? detail::make_like(condition, dtype)
                       : detail::make_tensor(shape, dtype, condition.device());
  TAPER_ON_DEVICE(y, select_by_mask, y, condition, a, b);
  return y;
}

/// Selects between two branches, each of which may be a number.
Tensor select_branch(const Tensor& condition, const detail::BinaryOperand& x,
                     const detail::BinaryOperand& y) {
  check_condition(condition);
  const ScalarType dtype = detail::promoted_dtype(x, y);
  for (const detail::BinaryOperand* o : {&x, &y})
    if (o->number && isIntegralType(dtype, false)) detail::check_fits(*o->number, dtype);
  if (!x.tensor && !y.tensor)
    return select_to(condition, In::number(*x.number, dtype), In::number(*y.number, dtype), dtype,
                     Dims(condition.sizes()));
  NoGradGuard no_grad;
  const detail::BinaryPlan plan = detail::plan_binary("where", x, y, dtype);
  check_same_device("where", condition, plan.a.defined() ? plan.a : plan.b);
  return select_to(condition, plan.in_a, plan.in_b, dtype,
                   broadcast_shapes("where", plan.shape, condition.sizes()));
}

Tensor fill_to(const Tensor& y, const Tensor& mask, const In& value, const Tensor& x) {
  TAPER_ON_DEVICE(y, select_by_mask, y, mask, value, x);
  return y;
}

/// Returns the output of masked_fill in either form, not yet written.
Tensor fill_target(Form form, const Tensor& x, const Tensor& mask,
                   const autograd::detail::Inputs& others = {}) {
  const Dims shape = broadcast_shapes(form.name, x.sizes(), mask.sizes());
  if (!form.in_place) return detail::make_tensor(shape, x.scalar_type(), x.device());
  TAPER_CHECK(shape == Dims(x.sizes()), form.name, ": output with shape ", x.sizes(),
              " doesn't match the broadcast shape ", shape);
  return form.target(x, others, {mask});
}

/// Writes one number to memory that several elements share. It is written if the mask is true for
/// any of them. History is refused, because its derivative would count each element.
Tensor fill_shared(const char* op, const Tensor& x, const Tensor& mask, const In& value,
                   const autograd::detail::Inputs& others = {}) {
  check_result_shape(op, x, broadcast_shapes(op, x.sizes(), mask.sizes()));
  if (autograd::check_new_history(op, x, others)) autograd::check_no_internal_overlap(op, x);
  detail::warn_user(
      detail::concat("Use of ", op,
                     " on expanded tensors is deprecated. Please clone() the tensor before "
                     "performing this operation. This also applies to advanced indexing e.g. "
                     "tensor[mask] = scalar"));
  NoGradGuard no_grad;
  Tensor once = x.detach(), any = mask.expand(x.sizes());
  for (int64_t d = 0; d < x.dim(); ++d)
    if (x.stride(d) == 0 && x.size(d) > 1) {
      once = once.narrow(d, 0, 1);
      any = any.any(d, true);
    }
  fill_to(once, any, value, once);
  autograd::mark_changed(x);
  return x;
}

Tensor fill_number(Form form, const Tensor& x, const Tensor& mask_given, const Scalar& value) {
  const Tensor mask = as_mask("masked_fill", x, mask_given);
  detail::check_fits(value, x.scalar_type());
  if (form.in_place && autograd::overlaps_itself(x.impl()))
    return fill_shared(form.name, x, mask, In::number(value, x.scalar_type()));
  const Tensor y = fill_target(form, x, mask);
  fill_to(y, apart_from(y, mask), In::number(value, x.scalar_type()), x);
  form.changed(y);
  if (needs_grad(x))
    form.record("MaskedFillBackward0", y, {x},
                [mask = saved(mask), sizes = Dims(x.sizes())](const Tensor& gy) {
                  return masked_fill(gy, mask.get(), Scalar(0)).sum_to_size(sizes);
                });
  return y;
}

Tensor fill_tensor(Form form, const Tensor& x, const Tensor& mask_given, const Tensor& value) {
  const Tensor mask = as_mask("masked_fill", x, mask_given);
  check_defined("masked_fill", value, "value");
  TAPER_CHECK(value.dim() == 0, "masked_fill_ only supports a 0-dimensional value tensor, but got ",
              "tensor with ", value.dim(), " dimension(s).");
  const Tensor v = value.detach().to(x.device(), x.scalar_type());
  if (form.in_place && autograd::overlaps_itself(x.impl()))
    return detail::fill_shared(form.name, x, mask, value);
  const Tensor y = fill_target(form, x, mask, {value});
  fill_to(y, apart_from(y, mask), apart_from(y, v), x);
  form.changed(y);
  if (needs_grad(x, value))
    form.record("MaskedFillBackward1", y, {x, value},
                [mask = saved(mask), sizes = Dims(x.sizes()),
                 dtype = value.scalar_type()](autograd::Grads& g) {
                  std::array<Tensor, 2> out;
                  if (!g[0].defined()) return out;
                  if (g.needs(0))
                    out[0] = masked_fill(g[0], mask.get(), Scalar(0)).sum_to_size(sizes);
                  if (g.needs(1)) out[1] = where(mask.get(), g[0], Scalar(0)).sum().to(dtype);
                  return out;
                });
  return y;
}

Tensor scatter_by_mask(Form form, const Tensor& x, const Tensor& mask_given, const Tensor& source) {
  const Tensor mask = as_mask("masked_scatter", x, mask_given);
  check_defined("masked_scatter", source, "source");
  check_same_device("masked_scatter", x, source);
  TAPER_CHECK(x.scalar_type() == source.scalar_type(),
              "masked_scatter: expected self and source to have same dtypes but got ",
              toString(x.scalar_type()), " and ", toString(source.scalar_type()));
  const Dims shape = broadcast_shapes(form.name, x.sizes(), mask.sizes());
  TAPER_CHECK(!form.in_place || shape == Dims(x.sizes()), form.name, ": output with shape ",
              x.sizes(), " doesn't match the broadcast shape ", shape);
  const Tensor positions = true_positions(mask.expand(shape));
  TAPER_CHECK(source.numel() >= positions.numel(), form.name,
              ": Number of elements of source < number of ones in mask");
  const Tensor flat = source.detach().clone(MemoryFormat::Contiguous).view({-1});
  const Tensor values = flat.narrow(0, 0, positions.numel());
  const Tensor y = form.target(form.in_place ? x : x.detach().expand(shape), {source}, {mask});
  on_contiguous(y, [&](const Tensor& work) {
    TAPER_ON_DEVICE(y, put_rows, work, positions, values, RowShape{1, y.numel(), 1},
                    PutMode::kCopy);
  });
  form.changed(y);
  if (needs_grad(x, source))
    form.record("MaskedScatterBackward0", y, {x, source},
                [mask = saved(mask), sizes = Dims(x.sizes()), source_sizes = Dims(source.sizes()),
                 n = source.numel()](autograd::Grads& g) {
                  std::array<Tensor, 2> out;
                  if (!g[0].defined()) return out;
                  if (g.needs(0))
                    out[0] = masked_fill(g[0], mask.get(), Scalar(0)).sum_to_size(sizes);
                  if (!g.needs(1)) return out;
                  const Tensor used = masked_select(g[0], mask.get());
                  Tensor whole = g[0].new_zeros({n});
                  whole.narrow(0, 0, used.numel()).copy_(used);
                  out[1] = whole.view(source_sizes);
                  return out;
                });
  return y;
}

}  // namespace

Tensor detail::fill_shared(const char* op, const Tensor& x, const Tensor& mask,
                           const Tensor& value) {
  const Tensor v = value.detach().to(x.device(), x.scalar_type());
  return taper::fill_shared(op, x, mask, apart_from(x, v), {value});
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"where">(condition, x, y)) return done;
  const Tensor out = select_branch(condition, x, y);
  if (needs_grad(x, y))
    record("WhereBackward0", out, {x, y},
           [condition = saved(condition), to_x = detail::InputForm(x),
            to_y = detail::InputForm(y)](autograd::Grads& g) {
             std::array<Tensor, 2> gxy;
             if (!g[0].defined()) return gxy;
             if (g.needs(0)) gxy[0] = to_x(where(condition.get(), g[0], Scalar(0)));
             if (g.needs(1)) gxy[1] = to_y(where(condition.get(), Scalar(0), g[0]));
             return gxy;
           });
  return out;
}

Tensor where(const Tensor& condition, const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"where">(condition, x, y)) return done;
  const Tensor out = select_branch(condition, x, y);
  if (needs_grad(x))
    record("WhereBackward0", out, {x},
           [condition = saved(condition), to_x = detail::InputForm(x)](const Tensor& g) {
             return to_x(where(condition.get(), g, Scalar(0)));
           });
  return out;
}

Tensor where(const Tensor& condition, const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"where">(condition, x, y)) return done;
  const Tensor out = select_branch(condition, x, y);
  if (needs_grad(y))
    record("WhereBackward0", out, {y},
           [condition = saved(condition), to_y = detail::InputForm(y)](const Tensor& g) {
             return to_y(where(condition.get(), Scalar(0), g));
           });
  return out;
}

Tensor where(const Tensor& condition, const Scalar& x, const Scalar& y) {
  if (auto done = at_door<"where">(condition, x, y)) return done;
  return select_branch(condition, x, y);
}

std::vector<Tensor> where(const Tensor& condition) {
  if (auto done = at_door<"where">(condition)) return done;
  return nonzero_numpy(condition);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value) {
  if (auto done = at_door<"masked_fill">(x, mask, value)) return done;
  return fill_number({"masked_fill", false}, x, mask, value);
}
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  if (auto done = at_door<"masked_fill">(x, mask, value)) return done;
  return fill_tensor({"masked_fill", false}, x, mask, value);
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  if (auto done = at_door<"masked_select">(x, mask)) return done;
  check_defined("masked_select", x, "self");
  check_defined("masked_select", mask, "mask");
  TAPER_CHECK(mask.scalar_type() == kBool || mask.scalar_type() == kByte,
              "masked_select: expected BoolTensor or ByteTensor for mask");
  check_same_device("masked_select", x, mask);
  warn_of_bytes("masked_select", mask);
  const Dims shape = broadcast_shapes("masked_select", mask.sizes(), x.sizes());
  Tensor source, positions;
  {
    NoGradGuard no_grad;
    positions = true_positions(mask.expand(shape));
    source = x.expand(shape).contiguous();
  }
  const int64_t n = source.numel();
  const Tensor y = detail::make_tensor({positions.numel()}, x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, take_rows, y, source, positions, RowShape{1, n, 1});
  if (needs_grad(x))
    record("MaskedSelectBackward0", y, {x},
           [positions = saved(positions), shape, n, sizes = Dims(x.sizes())](const Tensor& gy) {
             const Tensor flat = gy.new_zeros({n}).index_add_(0, positions.get(), gy);
             return flat.view(shape).sum_to_size(sizes);
           });
  return y;
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  if (auto done = at_door<"masked_scatter">(x, mask, source)) return done;
  return scatter_by_mask({"masked_scatter", false}, x, mask, source);
}

Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
  return taper::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return taper::where(condition, *this, other);
}
Tensor Tensor::masked_fill(const Tensor& mask, const Scalar& value) const {
  return taper::masked_fill(*this, mask, value);
}
Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value) const {
  return taper::masked_fill(*this, mask, value);
}
Tensor& Tensor::masked_fill_(const Tensor& mask, const Scalar& value) const {
  if (at_door<"masked_fill_">(*this, mask, value)) return detail::as_mutable(*this);
  fill_number({"masked_fill_", true}, *this, mask, value);
  return detail::as_mutable(*this);
}
Tensor& Tensor::masked_fill_(const Tensor& mask, const Tensor& value) const {
  if (at_door<"masked_fill_">(*this, mask, value)) return detail::as_mutable(*this);
  fill_tensor({"masked_fill_", true}, *this, mask, value);
  return detail::as_mutable(*this);
}
Tensor Tensor::masked_select(const Tensor& mask) const { return taper::masked_select(*this, mask); }
Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
  return taper::masked_scatter(*this, mask, source);
}
Tensor& Tensor::masked_scatter_(const Tensor& mask, const Tensor& source) const {
  if (at_door<"masked_scatter_">(*this, mask, source)) return detail::as_mutable(*this);
  scatter_by_mask({"masked_scatter_", true}, *this, mask, source);
  return detail::as_mutable(*this);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(masked_select, (out, self, mask), masked_select(self, mask), (self, mask),
          const Tensor& self, const Tensor& mask)
TAPER_OUT(where, (out, condition, self, other), where(condition, self, other),
          (condition, self, other), const Tensor& condition, const Tensor& self,
          const Tensor& other)

}  // namespace torch::taper
