#include <taper/nn/functional/embedding_bag.h>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/index/embedding.h>
#include <taper/ops/index/embedding_bag.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::functional {
namespace {

constexpr size_t kSumMode = 0, kMaxMode = 2;

void check_arguments(const Tensor& input, const EmbeddingBagFuncOptions& o) {
  const Tensor &weights = o.per_sample_weights(), &offsets = o.offsets();
  TAPER_CHECK(!weights.defined() || weights.sizes() == input.sizes(),
              "embedding_bag: If per_sample_weights (",
              weights.defined() ? weights.sizes() : IntArrayRef(),
              ") is not null, then it must have the same shape as the input (", input.sizes(), ")");
  TAPER_CHECK(!weights.defined() || o.mode().index() == kSumMode,
              "embedding_bag: per_sample_weights was not null. per_sample_weights is only "
              "supported for mode='kSum' (got mode='",
              enumtype::get_enum_name(o.mode()), "').");
  TAPER_CHECK(o.mode().index() != kMaxMode || !o.scale_grad_by_freq(),
              "embedding_bag: max mode does not support scaling the "
              "gradient by the frequency");
  TAPER_CHECK(input.dim() == 1 || input.dim() == 2,
              "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
  if (input.dim() == 2) {
    TAPER_CHECK(!offsets.defined(),
                "If input is 2D, then offsets has to be null, as input is treated is a mini-batch "
                "of fixed length sequences. However, found offsets of type Tensor");
    return;
  }
  TAPER_CHECK(offsets.defined(), "offsets has to be a 1D Tensor but got null");
  TAPER_CHECK(offsets.dim() == 1, "offsets has to be a 1D Tensor");
}

/// Returns the start of the bags of a 2-D input, one per row.
Tensor row_starts(const Tensor& input) {
  const TensorOptions options = TensorOptions(kLong).device(input.device());
  return arange(input.size(0), options).mul_(input.size(1));
}

}  // namespace

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
  check_arguments(input, o);
  const bool is_table = input.dim() == 2;
  const Tensor indices = is_table ? input.reshape({-1}) : input,
               offsets = is_table ? row_starts(input) : o.offsets(),
               factors = o.per_sample_weights().defined() ? o.per_sample_weights().reshape({-1})
                                                          : Tensor();
  if (o.max_norm()) {
    const NoGradGuard no_grad;
    taper::detail::check_bags(weight, indices, offsets);
    Tensor table = weight;
    taper::embedding_renorm_(table, indices, *o.max_norm(), o.norm_type());
  }
  return std::get<0>(taper::embedding_bag(
      weight, indices, offsets, o.scale_grad_by_freq(), static_cast<int64_t>(o.mode().index()),
      o.sparse(), factors, o.include_last_offset() && !is_table, o.padding_idx()));
}

}  // namespace torch::taper::nn::functional
