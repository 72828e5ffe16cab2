#include <taper/nn/modules/normalization.h>

#include <ostream>

#include <taper/nn/init.h>
#include <taper/ops/factory.h>
#include <taper/ops/norm.h>

namespace taper::nn {

namespace {
const char* text(bool v) { return v ? "true" : "false"; }
}  // namespace

// ---------------------------------------------------------------------- LayerNorm
TAPER_DEFINE_LIBRARY_MODULE(LayerNorm);

LayerNormImpl::LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) {
  LayerNormImpl::reset();
}

void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  const std::vector<int64_t>& sizes = options.normalized_shape();
  weight = register_parameter("weight", affine ? taper::empty(sizes) : Tensor(), affine);
  bias = register_parameter("bias", affine ? taper::empty(sizes) : Tensor(), affine);
  reset_parameters();
}

void LayerNormImpl::reset_parameters() {
  if (!options.elementwise_affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::LayerNorm(" << IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps()
         << ", elementwise_affine=" << text(options.elementwise_affine()) << ")";
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
  weight =
      register_parameter("weight", affine ? empty({options.num_channels()}) : Tensor(), affine);
  bias = register_parameter("bias", affine ? empty({options.num_channels()}) : Tensor(), affine);
  reset_parameters();
}

void GroupNormImpl::reset_parameters() {
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

void GroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::GroupNorm(" << options.num_groups() << ", " << options.num_channels()
         << ", eps=" << options.eps() << ", affine=" << text(options.affine()) << ")";
}

Tensor GroupNormImpl::forward(const Tensor& input) {
  return group_norm(input, options.num_groups(), weight, bias, options.eps());
}

}  // namespace taper::nn
