#include <taper/ops/index/embedding.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/index/embedding_kernels.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/shared/counts.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

namespace {

Dims shape_of_rows(const Tensor& indices, int64_t width) {
  Dims shape(indices.sizes());
  shape.push_back(width);
  return shape;
}

/// The derivative of embedding_dense_backward: selects the rows of `gg`, scaled as in that
/// function.
Tensor spread(const Tensor& gg, const Tensor& indices, int64_t padding_idx, bool by_frequency) {
  const Tensor y = embedding(by_frequency ? detail::divided_by_uses(gg, indices) : gg, indices);
  if (padding_idx < 0) return y;
  return y.masked_fill(indices.eq(padding_idx).unsqueeze(-1), 0);
}

}  // namespace

namespace detail {

void check_index_dtype(const char* op, const char* name, const Tensor& table, const Tensor& t) {
  check_defined(op, t, name);
  const ScalarType dtype = t.scalar_type();
  TAPER_CHECK(dtype == kLong || dtype == kInt, op, ": Expected tensor for argument #1 '", name,
              "' to have one of the following scalar types: Long, Int; but got ", t.toString(),
              " instead (while checking arguments for ", op, ")");
  check_same_device(op, table, t);
}

Tensor divided_by_uses(const Tensor& table, const Tensor& rows) {
  const Tensor flat = rows.reshape({-1}).to(kLong);
  const TensorOptions counts(
      table.options().requires_grad(false).dtype(dtype_of_count(table.scalar_type())));
  const Tensor uses =
      zeros({table.size(0)}, counts).index_add_(0, flat, ones({flat.numel()}, counts));
  return divided_by_count(table, uses.clamp_min(1).unsqueeze(1));
}

}  // namespace detail

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                 bool scale_grad_by_freq, bool sparse) {
  if (auto done = at_door<"embedding">(weight, indices, padding_idx, scale_grad_by_freq, sparse))
    return done;
  check_defined("embedding", weight, "weight");
  TAPER_CHECK(weight.dim() == 2, "embedding: 'weight' must be 2-D");
  detail::check_index_dtype("embedding", "indices", weight, indices);
  TAPER_CHECK_AS(NotImplementedError, !sparse,
                 "embedding: expected sparse=false, got true; Taper has dense gradients only");
  const int64_t V = weight.size(0), D = weight.size(1);
  const Tensor rows = indices.contiguous();
  TAPER_ON_DEVICE(weight, check_index, "embedding", rows, 0, V, 0, IndexWording::kInSelf);
  const Tensor y =
      detail::make_tensor(shape_of_rows(indices, D), weight.scalar_type(), weight.device());
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(weight, take_rows, y, weight.contiguous(), rows, RowShape{1, V, D});
  }
  if (needs_grad(weight))
    record("EmbeddingBackward0", y, {weight},
           [indices = saved(indices), V, padding_idx, scale_grad_by_freq](const Tensor& gy) {
             return embedding_dense_backward(gy, indices.get(), V, padding_idx, scale_grad_by_freq);
           });
  return y;
}

Tensor embedding_dense_backward(const Tensor& gy, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq) {
  if (auto done = at_door<"embedding_dense_backward">(gy, indices, num_weights, padding_idx,
                                                      scale_grad_by_freq))
    return done;
  const char* op = "embedding_dense_backward";
  check_defined(op, gy, "grad_output");
  detail::check_index_dtype(op, "indices", gy, indices);
  TAPER_CHECK(gy.dim() == indices.dim() + 1 && indices.sizes() == gy.sizes().slice(0, gy.dim() - 1),
              op, ": expected grad_output of indices' shape ", indices.sizes(),
              " with one more dimension, got ", gy.sizes());
  const int64_t D = gy.size(-1);
  const Tensor rows = indices.contiguous();
  TAPER_ON_DEVICE(gy, check_index, "embedding_dense_backward", rows, 0, num_weights, 0,
                  IndexWording::kInSelf);
  const Tensor y = detail::make_tensor({num_weights, D}, gy.scalar_type(), gy.device());
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(gy, embedding_gradient, y, gy.contiguous(), rows, Tensor(), Tensor(),
                    padding_idx, scale_grad_by_freq);
  }
  if (needs_grad(gy))
    record("EmbeddingDenseBackwardBackward0", y, {gy},
           [indices = saved(indices), padding_idx, scale_grad_by_freq](const Tensor& gg) {
             return spread(gg, indices.get(), padding_idx, scale_grad_by_freq);
           });
  return y;
}

Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type) {
  if (at_door<"embedding_renorm_">(weight, indices, max_norm, norm_type)) return weight;
  check_defined("embedding_renorm_", weight, "self");
  TAPER_CHECK(weight.dim() == 2, "embedding_renorm_: 'self' must be 2-D");
  detail::check_index_dtype("embedding_renorm_", "indices", weight, indices);
  TAPER_CHECK(isFloatingType(weight.scalar_type()),
              "embedding_renorm_: expected a floating table, got ", toString(weight.scalar_type()));
  const Tensor rows = indices.contiguous();
  TAPER_ON_DEVICE(weight, check_index, "embedding_renorm_", rows, 0, weight.size(0), 0,
                  IndexWording::kInSelf);
  NoGradGuard no_grad;
  autograd::check_inplace("embedding_renorm_", weight);
  on_contiguous(weight, [&](const Tensor& work) {
    TAPER_ON_DEVICE(weight, embedding_renorm, work, rows, max_norm, norm_type);
  });
  autograd::mark_changed(weight);
  return weight;
}

Tensor embedding_renorm(const Tensor& weight, const Tensor& indices, double max_norm,
                        double norm_type) {
  if (auto done = at_door<"embedding_renorm">(weight, indices, max_norm, norm_type)) return done;
  check_defined("embedding_renorm", weight, "self");
  Tensor y = weight.detach().clone();
  return embedding_renorm_(y, indices, max_norm, norm_type);
}

}  // namespace torch::taper
