#include <taper/nn/modules/upsampling.h>

#include <ostream>

#include <taper/nn/functional/upsampling.h>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(Upsample);

UpsampleImpl::UpsampleImpl(UpsampleOptions options_) : options(std::move(options_)) {}
void UpsampleImpl::reset() {}

void UpsampleImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Upsample(";
  if (options.scale_factor())
    stream << "scale_factor=" << ArrayRef<double>(*options.scale_factor());
  else if (options.size())
    stream << "size=" << IntArrayRef(*options.size());
  stream << ", mode=" << enumtype::get_enum_name(options.mode()) << ")";
}

Tensor UpsampleImpl::forward(const Tensor& input) {
  const auto o = functional::InterpolateFuncOptions()
                     .size(options.size())
                     .scale_factor(options.scale_factor())
                     .align_corners(options.align_corners())
                     .mode(options.mode());
  return functional::interpolate(input, o);
}

}  // namespace torch::taper::nn
