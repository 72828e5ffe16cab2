#include <taper/nn/modules/normalization.h>

#include <ostream>

#include <taper/nn/functional/normalization.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

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
  return detail::in_module(*this, [&] {
    return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
  });
}

// ---------------------------------------------------------------------- RMSNorm
TAPER_DEFINE_LIBRARY_MODULE(RMSNorm);

RMSNormImpl::RMSNormImpl(RMSNormOptions options_) : options(std::move(options_)) {
  RMSNormImpl::reset();
}

void RMSNormImpl::reset() {
  weight = detail::register_optional(*this, "weight", options.normalized_shape(),
                                     options.elementwise_affine());
  reset_parameters();
}

void RMSNormImpl::reset_parameters() { detail::reset_affine(weight, {}); }

void RMSNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::RMSNorm(" << IntArrayRef(options.normalized_shape()) << ", eps=";
  if (options.eps())
    stream << *options.eps();
  else
    stream << "None";
  stream << ", elementwise_affine=" << text_of(options.elementwise_affine()) << ")";
}

Tensor RMSNormImpl::forward(const Tensor& input) {
  return rms_norm(input, options.normalized_shape(), weight, options.eps());
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
  return detail::in_module(
      *this, [&] { return group_norm(input, options.num_groups(), weight, bias, options.eps()); });
}

// ---------------------------------------------------------------------- LocalResponseNorm
#define TAPER_DEFINE_LRN(Name)                                                           \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                     \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}           \
  void Name##Impl::reset() {}                                                            \
  void Name##Impl::pretty_print(std::ostream& stream) const {                            \
    stream << "torch::nn::" #Name "(" << options.size() << ", alpha=" << options.alpha() \
           << ", beta=" << options.beta() << ", k=" << options.k() << ")";               \
  }
TAPER_DEFINE_LRN(LocalResponseNorm)
TAPER_DEFINE_LRN(CrossMapLRN2d)
#undef TAPER_DEFINE_LRN

Tensor LocalResponseNormImpl::forward(const Tensor& input) {
  return functional::local_response_norm(input, options);
}

// Computes LibTorch's sums. Its windows have an odd width, and keep the first channel once they
// have included it.
Tensor CrossMapLRN2dImpl::forward(const Tensor& input) {
  TAPER_CHECK(input.dim() == 4, "CrossMapLRN2d: Expected input to be 4D, got ", input.dim(),
              "D instead.");
  const int64_t reach = (options.size() - 1) / 2, channels = input.size(1);
  const Tensor squares = input.square();
  const Tensor padded = constant_pad_nd(squares, {0, 0, 0, 0, reach, reach});
  const Tensor left = arange(channels, input.options().requires_grad(false)).gt(reach);
  Tensor sums = squares.narrow(1, 0, 1) * left.to(input.scalar_type()).view({1, channels, 1, 1});
  for (int64_t k = 0; k <= 2 * reach; ++k) sums = sums + padded.narrow(1, k, channels);
  const double scale = options.alpha() / static_cast<double>(options.size());
  return input / (sums * scale + options.k()).pow(options.beta());
}

}  // namespace torch::taper::nn
