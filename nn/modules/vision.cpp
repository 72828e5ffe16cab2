// Modules of images: Fold, padding, PixelShuffle and Upsample.
#include <ostream>

#include <taper/nn/functional/fold.h>
#include <taper/nn/functional/padding.h>
#include <taper/nn/functional/pixelshuffle.h>
#include <taper/nn/functional/upsampling.h>
#include <taper/nn/modules/fold.h>
#include <taper/nn/modules/padding.h>
#include <taper/nn/modules/pixelshuffle.h>
#include <taper/nn/modules/upsampling.h>

namespace torch::taper::nn {

// ---------------------------------------------------------------------- fold
TAPER_DEFINE_LIBRARY_MODULE(Fold);

FoldImpl::FoldImpl(const FoldOptions& options_) : options(options_) {}
void FoldImpl::reset() {}
void FoldImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Fold(output_size=" << options.output_size()
         << ", kernel_size=" << options.kernel_size() << ", dilation=" << options.dilation()
         << ", padding=" << options.padding() << ", stride=" << options.stride() << ")";
}
Tensor FoldImpl::forward(const Tensor& input) { return functional::fold(input, options); }

TAPER_DEFINE_LIBRARY_MODULE(Unfold);

UnfoldImpl::UnfoldImpl(const UnfoldOptions& options_) : options(options_) {}
void UnfoldImpl::reset() {}
void UnfoldImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Unfold(kernel_size=" << options.kernel_size()
         << ", dilation=" << options.dilation() << ", padding=" << options.padding()
         << ", stride=" << options.stride() << ")";
}
Tensor UnfoldImpl::forward(const Tensor& input) { return functional::unfold(input, options); }

// ---------------------------------------------------------------------- padding
namespace {

/// Throws Error unless the input has D spatial dimensions and channels, with or without a batch.
void check_dims(const char* name, const Tensor& input, int64_t D) {
  TAPER_CHECK(input.dim() == D + 1 || input.dim() == D + 2, name, ": expected an input of ", D + 1,
              " or ", D + 2, " dimensions, got ", input.sizes());
}

template <class Options>
functional::PadFuncOptions to_pad(const Options& o) {
  return functional::PadFuncOptions(std::vector<int64_t>(o.padding()->begin(), o.padding()->end()));
}

}  // namespace

// Defines the common functions of a padding module from the text printed after the padding.
#define TAPER_DEFINE_PAD(Name, ...)                                                       \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                      \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}            \
  void Name##Impl::reset() {}                                                             \
  void Name##Impl::pretty_print(std::ostream& stream) const {                             \
    stream << "torch::nn::" #Name "(padding=" << options.padding() << __VA_ARGS__ << ")"; \
  }

#define TAPER_DEFINE_MODE_PAD(Name, pad_mode)                                     \
  TAPER_DEFINE_PAD(Name, "")                                                      \
  Tensor Name##Impl::forward(const Tensor& input) {                               \
    check_dims(#Name, input, static_cast<int64_t>(options.padding().size()) / 2); \
    return functional::pad(input, to_pad(options).mode(pad_mode));                \
  }
TAPER_DEFINE_MODE_PAD(ReflectionPad1d, kReflect)
TAPER_DEFINE_MODE_PAD(ReflectionPad2d, kReflect)
TAPER_DEFINE_MODE_PAD(ReflectionPad3d, kReflect)
TAPER_DEFINE_MODE_PAD(ReplicationPad1d, kReplicate)
TAPER_DEFINE_MODE_PAD(ReplicationPad2d, kReplicate)
TAPER_DEFINE_MODE_PAD(ReplicationPad3d, kReplicate)

// These modules add a constant, so they accept any number of dimensions.
#define TAPER_DEFINE_CONSTANT_PAD(Name, number, ...)              \
  TAPER_DEFINE_PAD(Name, __VA_ARGS__)                             \
  Tensor Name##Impl::forward(const Tensor& input) {               \
    return functional::pad(input, to_pad(options).value(number)); \
  }
TAPER_DEFINE_CONSTANT_PAD(ZeroPad1d, 0, "")
TAPER_DEFINE_CONSTANT_PAD(ZeroPad2d, 0, "")
TAPER_DEFINE_CONSTANT_PAD(ZeroPad3d, 0, "")
TAPER_DEFINE_CONSTANT_PAD(ConstantPad1d, options.value(), ", value=" << options.value())
TAPER_DEFINE_CONSTANT_PAD(ConstantPad2d, options.value(), ", value=" << options.value())
TAPER_DEFINE_CONSTANT_PAD(ConstantPad3d, options.value(), ", value=" << options.value())

// ---------------------------------------------------------------------- pixelshuffle
#define TAPER_DEFINE_SHUFFLE(Name, function, factor)                           \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                           \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {} \
  void Name##Impl::reset() {}                                                  \
  void Name##Impl::pretty_print(std::ostream& stream) const {                  \
    stream << "torch::nn::" #Name "(" #factor "=" << options.factor() << ")";  \
  }                                                                            \
  Tensor Name##Impl::forward(const Tensor& input) { return functional::function(input, options); }
TAPER_DEFINE_SHUFFLE(PixelShuffle, pixel_shuffle, upscale_factor)
TAPER_DEFINE_SHUFFLE(PixelUnshuffle, pixel_unshuffle, downscale_factor)
#undef TAPER_DEFINE_SHUFFLE

// ---------------------------------------------------------------------- upsampling
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
