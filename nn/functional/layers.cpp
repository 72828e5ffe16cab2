// Convolutions, embeddings and normalizations.
#include <taper/framework/autograd/grad_mode.h>

#include <taper/nn/functional/batchnorm.h>
#include <taper/nn/functional/conv.h>
#include <taper/nn/functional/conv_padding.h>
#include <taper/nn/functional/embedding.h>
#include <taper/nn/functional/embedding_bag.h>
#include <taper/nn/functional/normalization.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/index/embedding.h>
#include <taper/ops/index/embedding_bag.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::functional {

// ---------------------------------------------------------------------- conv
#define TAPER_DEFINE_CONV(D)                                                             \
  Tensor conv##D##d(const Tensor& input, const Tensor& weight,                           \
                    const Conv##D##dFuncOptions& options) {                              \
    return detail::with_padding<D>(options.padding(), [&](const auto& padding) {         \
      return taper::conv##D##d(input, weight, options.bias(), options.stride(), padding, \
                               options.dilation(), options.groups());                    \
    });                                                                                  \
  }                                                                                      \
  Tensor conv_transpose##D##d(const Tensor& input, const Tensor& weight,                 \
                              const ConvTranspose##D##dFuncOptions& options) {           \
    return taper::conv_transpose##D##d(input, weight, options.bias(), options.stride(),  \
                                       options.padding(), options.output_padding(),      \
                                       options.groups(), options.dilation());            \
  }
TAPER_DEFINE_CONV(1)
TAPER_DEFINE_CONV(2)
TAPER_DEFINE_CONV(3)
#undef TAPER_DEFINE_CONV

// ---------------------------------------------------------------------- embedding
namespace {

/// Returns the index of the padding row from the start, or -1 for none.
int64_t padding_row(const optional<int64_t>& padding_idx, int64_t rows) {
  if (!padding_idx) return -1;
  TAPER_CHECK(*padding_idx < rows, "Padding_idx must be within num_embeddings");
  TAPER_CHECK(*padding_idx >= -rows, "Padding_idx must be within num_embedding");
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  const int64_t padding = padding_row(options.padding_idx(), weight.size(0));
  if (options.max_norm()) {
    NoGradGuard no_grad;
    Tensor table = weight;
    taper::embedding_renorm_(table, input.contiguous(), *options.max_norm(), options.norm_type());
  }
  return taper::embedding(weight, input, padding, options.scale_grad_by_freq(), options.sparse());
}

Tensor one_hot(const Tensor& tensor, int64_t num_classes) {
  return taper::one_hot(tensor, num_classes);
}

// ---------------------------------------------------------------------- embedding_bag
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

namespace torch::taper::nn::functional {

// ---------------------------------------------------------------------- normalization
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return taper::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                           options.eps());
}

Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options) {
  return taper::rms_norm(input, options.normalized_shape(), options.weight(), options.eps());
}

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  return taper::group_norm(input, options.num_groups(), options.weight(), options.bias(),
                           options.eps());
}

Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options) {
  TAPER_CHECK(input.dim() >= 3,
              "local_response_norm: Expected 3D or higher dimensionality input (got ", input.dim(),
              " dimensions)");
  if (input.numel() == 0) return input;
  const int64_t size = options.size(), n = input.size(0), channels = input.size(1);
  // The channels become the height of one plane, so the elements of a window lie in one column.
  const Tensor squares = input.square().reshape({n, 1, channels, -1});
  const Tensor padded = constant_pad_nd(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means = taper::avg_pool2d(padded, {size, 1}, 1).reshape(input.sizes());
  return input / (means * options.alpha() + options.k()).pow(options.beta());
}

Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options) {
  const Tensor norm = input.norm(options.p(), options.dim(), /*keepdim=*/true);
  const Tensor divisor = norm.clamp_min(options.eps()).expand_as(input);
  if (!options.out()) return input / divisor;
  Tensor out = *options.out();
  return div_out(out, input, divisor);
}

// ---------------------------------------------------------------------- batchnorm
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  TAPER_CHECK(input.dim() >= 2, "batch_norm: expected an input of at least 2 dimensions, got ",
              input.sizes());
  int64_t values = input.size(0);  // of one channel
  for (int64_t d = 2; d < input.dim(); ++d) values *= input.size(d);
  TAPER_CHECK(!options.training() || values != 1,
              "batch_norm: Expected more than 1 value per channel when training, got input size ",
              input.sizes());
  return taper::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                           options.training(), options.momentum().value_or(0.0), options.eps());
}

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options) {
  return taper::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                              options.running_var(), options.use_input_stats(), options.momentum(),
                              options.eps());
}

}  // namespace torch::taper::nn::functional
