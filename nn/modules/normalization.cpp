#include <taper/nn/modules/normalization.h>

#include <ostream>

#include <taper/ops/norm.h>

namespace taper::nn {

using detail::text_of;

// ---------------------------------------------------------------------- LayerNorm
TAPER_DEFINE_LIBRARY_MODULE(LayerNorm);

LayerNormImpl::LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) {
  LayerNormImpl::reset();
}

void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  const std::vector<int64_t>& sizes = options.normalized_shape();
  weight = detail::register_optional(*this, "weight", sizes, affine);
  bias = detail::register_optional(*this, "bias", sizes, affine);
  reset_parameters();
}

void LayerNormImpl::reset_parameters() { detail::reset_affine(weight, bias); }

void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::LayerNorm(" << IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps()
         << ", elementwise_affine=" << text_of(options.elementwise_affine()) << ")";
}

Tensor LayerNormImpl::forward(const Tensor& input) {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

// ---------------------------------------------------------------------- GroupNorm
TAPER_DEFINE_LIBRARY_MODULE(GroupNorm);

GroupNormImpl::GroupNormImpl(const GroupNormOptions& options_) : options(options_) {
  GroupNormImpl::reset();
}

void GroupNormImpl::reset() {
  const bool affine = options.affine();
  weight = detail::register_optional(*this, "weight", {options.num_channels()}, affine);
  bias = detail::register_optional(*this, "bias", {options.num_channels()}, affine);
  reset_parameters();
}

void GroupNormImpl::reset_parameters() { detail::reset_affine(weight, bias); }

void GroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::GroupNorm(" << options.num_groups() << ", " << options.num_channels()
         << ", eps=" << options.eps() << ", affine=" << text_of(options.affine()) << ")";
}

Tensor GroupNormImpl::forward(const Tensor& input) {
  return group_norm(input, options.num_groups(), weight, bias, options.eps());
}

}  // namespace taper::nn
