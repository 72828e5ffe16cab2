#include <taper/nn/functional/padding.h>

#include <taper/ops/spatial/pad.h>

namespace torch::taper::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  const auto& mode = options.mode();
  if (holds_alternative<enumtype::kReflect>(mode))
    return taper::pad(input, options.pad(), "reflect", options.value());
  if (holds_alternative<enumtype::kReplicate>(mode))
    return taper::pad(input, options.pad(), "replicate", options.value());
  if (holds_alternative<enumtype::kCircular>(mode))
    return taper::pad(input, options.pad(), "circular", options.value());
  return taper::constant_pad_nd(input, options.pad(), options.value());
}

}  // namespace torch::taper::nn::functional
