#include <taper/ops/shared/out.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include <taper/framework/core/warning.h>

namespace torch::taper {

void check_out_gradient(const char* op, const Tensor& out, Operands inputs) {
  TAPER_CHECK(!any_needs_grad({out}) && !any_needs_grad(inputs), op,
              "(): functions with out=... arguments don't support "
              "automatic differentiation, but one of the arguments requires grad.");
  if (out.defined() && out.is_inference()) autograd::check_inplace(op, out);
}

void check_out_device(const char* op, const Tensor& out, Device device) {
  TAPER_CHECK(out.device() == device, op, ": Expected out tensor to have device ", device,
              ", but got ", out.device(), " instead");
}

OutPlan plan_out(const char* op, const Tensor& out, const Dims& sizes, Operands inputs) {
  autograd::check_no_internal_overlap(op, out);
  OutPlan plan{out, sizes, true};
  const bool grows = out.impl().sizes != sizes;
  for (const Tensor& x : inputs) {
    if (!x.defined()) continue;
    // 0-dim CPU tensors may go to any device.
    if (!x.is_cpu() || x.dim() > 0) check_same_device(op, out, x);
    if (check_overlap(op, out, x) || (grows && out.is_alias_of(x))) plan.apart = false;
  }
  for (const Tensor& x : inputs)
    if (grows && out.is_same(x)) check_result_shape(op, out, sizes);
  return plan;
}

void OutPlan::resize_other_sizes() const {
  if (out.numel() > 0)
    detail::warn_user(detail::concat(
        "An output with one or more elements was resized since it had shape ", out.sizes(),
        ", which does not match the required output shape ", sizes,
        ". This behavior is deprecated, and in a future PyTorch release outputs will not be "
        "resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0)."));
  out.resize_(sizes);
}

void check_out_dtype(const char* op, const Tensor& out, ScalarType dtype) {
  TAPER_CHECK(out.scalar_type() == dtype, op, ": Found dtype ", toString(out.scalar_type()),
              " but expected ", toString(dtype));
}

void check_asked_dtype(const char* op, const Tensor& out, ScalarType dtype) {
  TAPER_CHECK(!out.defined() || out.scalar_type() == dtype, op,
              ": Expected out tensor to have dtype ", cpp_type_name(dtype), ", but got ",
              cpp_type_name(out.scalar_type()), " instead");
}

namespace {

// Tests whether the op converts to out's dtype. If LibTorch's kernel writes `out` directly, the
// dtype must match already.
bool converts(std::string_view op) {
  static constexpr std::string_view kDoNot[] = {"aminmax",
                                                "argmax",
                                                "argmin",
                                                "avg_pool2d",
                                                "avg_pool3d",
                                                "binary_cross_entropy",
                                                "count_nonzero",
                                                "cross",
                                                "cummax",
                                                "cummin",
                                                "dot",
                                                "elu",
                                                "gather",
                                                "gelu",
                                                "hardtanh",
                                                "histc",
                                                "index_add",
                                                "index_copy",
                                                "index_reduce",
                                                "index_select",
                                                "inner",
                                                "inverse",
                                                "isin",
                                                "kthvalue",
                                                "linalg_cholesky",
                                                "linalg_cross",
                                                "linalg_det",
                                                "linalg_eigvalsh",
                                                "linalg_inv",
                                                "linalg_matrix_norm",
                                                "linalg_matrix_power",
                                                "linalg_multi_dot",
                                                "linalg_norm",
                                                "linalg_solve",
                                                "linalg_svdvals",
                                                "linalg_vector_norm",
                                                "log_softmax",
                                                "logcumsumexp",
                                                "masked_select",
                                                "matmul",
                                                "max",
                                                "median",
                                                "min",
                                                "mode",
                                                "msort",
                                                "multinomial",
                                                "mv",
                                                "nan_to_num",
                                                "nanmedian",
                                                "nll_loss",
                                                "nonzero",
                                                "norm",
                                                "renorm",
                                                "roll",
                                                "scatter",
                                                "scatter_add",
                                                "scatter_reduce",
                                                "softmax",
                                                "sort",
                                                "take",
                                                "take_along_dim",
                                                "tensordot",
                                                "topk",
                                                "tril",
                                                "triu",
                                                "vdot",
                                                "where"};
  return std::find(std::begin(kDoNot), std::end(kDoNot), op) == std::end(kDoNot);
}

}  // namespace

void check_stored_dtype(const char* op, const Tensor& out, ScalarType result) {
  if (converts(op)) return check_result_cast(op, result, out.scalar_type());
  TAPER_CHECK(out.scalar_type() == result, op, ": Expected out tensor to have dtype ",
              cpp_type_name(result), ", but got ", cpp_type_name(out.scalar_type()), " instead");
}

Tensor& store_out(const char* op, Tensor& out, const Tensor& y, Operands inputs) {
  check_out_gradient(op, out, inputs);
  if (!out.defined()) return out = y;
  check_out_device(op, out, y.device());
  const OutPlan to = plan_out(op, out, y.impl().sizes, inputs);
  check_stored_dtype(op, out, y.scalar_type());
  to.resize();
  const NoGradGuard values_only;
  return out.copy_(y);
}

}  // namespace torch::taper
