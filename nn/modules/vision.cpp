// Pooling, upsampling and other layers of images.
#include <ostream>

#include <taper/nn/functional/fold.h>
#include <taper/nn/functional/padding.h>
#include <taper/nn/functional/pixelshuffle.h>
#include <taper/nn/functional/pooling.h>
#include <taper/nn/functional/upsampling.h>
#include <taper/nn/modules/fold.h>
#include <taper/nn/modules/padding.h>
#include <taper/nn/modules/pixelshuffle.h>
#include <taper/nn/modules/pooling.h>
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

namespace torch::taper::nn {

namespace F = functional;

#define TAPER_DEFINE_POOL(Name, function, ...)                                            \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                      \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}            \
  void Name##Impl::reset() {}                                                             \
  Tensor Name##Impl::forward(const Tensor& input) { return F::function(input, options); } \
  void Name##Impl::pretty_print(std::ostream& stream) const {                             \
    stream << "torch::nn::" #Name "(" << __VA_ARGS__ << ")";                              \
  }
#define TAPER_DEFINE_WITH_INDICES(Name, function)                                    \
  std::tuple<Tensor, Tensor> Name##Impl::forward_with_indices(const Tensor& input) { \
    return F::function(input, options);                                              \
  }

#define TAPER_AVG_TEXT                                                       \
  "kernel_size=" << options.kernel_size() << ", stride=" << options.stride() \
                 << ", padding=" << options.padding()
#define TAPER_MAX_TEXT                                  \
  TAPER_AVG_TEXT << ", dilation=" << options.dilation() \
                 << ", ceil_mode=" << detail::text_of(options.ceil_mode())
#define TAPER_ADAPTIVE_TEXT "output_size=" << options.output_size()

TAPER_DEFINE_POOL(AvgPool1d, avg_pool1d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(AvgPool2d, avg_pool2d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(AvgPool3d, avg_pool3d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(MaxPool1d, max_pool1d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(MaxPool2d, max_pool2d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(MaxPool3d, max_pool3d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool1d, adaptive_avg_pool1d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool2d, adaptive_avg_pool2d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool3d, adaptive_avg_pool3d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool1d, adaptive_max_pool1d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool2d, adaptive_max_pool2d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool3d, adaptive_max_pool3d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_WITH_INDICES(MaxPool1d, max_pool1d_with_indices)
TAPER_DEFINE_WITH_INDICES(MaxPool2d, max_pool2d_with_indices)
TAPER_DEFINE_WITH_INDICES(MaxPool3d, max_pool3d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool1d, adaptive_max_pool1d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool2d, adaptive_max_pool2d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool3d, adaptive_max_pool3d_with_indices)

namespace {

template <class Options>
void check_fractional(const char* name, const Options& o) {
  TAPER_CHECK(o.output_size() || o.output_ratio(), name,
              " requires specifying either an output size, or a pooling ratio");
  TAPER_CHECK(!o.output_size() || !o.output_ratio(),
              "only one of output_size and output_ratio may be specified");
  if (!o.output_ratio()) return;
  for (double ratio : **o.output_ratio())
    TAPER_CHECK(0 < ratio && ratio < 1, "output_ratio must be between 0 and 1 (got ",
                *o.output_ratio(), ")");
}

}  // namespace

// The options of a clone share the samples, so the buffer is a separate tensor.
#define TAPER_DEFINE_FRACTIONAL(Name, function)                                         \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                    \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {           \
    Name##Impl::reset();                                                                \
  }                                                                                     \
  void Name##Impl::reset() {                                                            \
    check_fractional(#Name, options);                                                   \
    const Tensor& given = options._random_samples();                                    \
    _random_samples =                                                                   \
        register_buffer("_random_samples", given.defined() ? given.detach() : given);   \
  }                                                                                     \
  Tensor Name##Impl::forward(const Tensor& input) {                                     \
    return std::get<0>(forward_with_indices(input));                                    \
  }                                                                                     \
  std::tuple<Tensor, Tensor> Name##Impl::forward_with_indices(const Tensor& input) {    \
    return F::function(input, Name##Options(options)._random_samples(_random_samples)); \
  }                                                                                     \
  void Name##Impl::pretty_print(std::ostream& stream) const { stream << "torch::nn::" #Name "()"; }
TAPER_DEFINE_FRACTIONAL(FractionalMaxPool2d, fractional_max_pool2d_with_indices)
TAPER_DEFINE_FRACTIONAL(FractionalMaxPool3d, fractional_max_pool3d_with_indices)

#define TAPER_LP_TEXT                                                              \
  "norm_type=" << options.norm_type() << ", kernel_size=" << options.kernel_size() \
               << ", stride=" << options.stride()                                  \
               << ", ceil_mode=" << detail::text_of(options.ceil_mode())
TAPER_DEFINE_POOL(LPPool1d, lp_pool1d, TAPER_LP_TEXT)
TAPER_DEFINE_POOL(LPPool2d, lp_pool2d, TAPER_LP_TEXT)
TAPER_DEFINE_POOL(LPPool3d, lp_pool3d, TAPER_LP_TEXT)

#define TAPER_DEFINE_UNPOOL(Name, function)                                                \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                       \
  TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(Name, {2, AnyValue(optional<std::vector<int64_t>>())}) \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}             \
  void Name##Impl::reset() {}                                                              \
  void Name##Impl::pretty_print(std::ostream& stream) const {                              \
    stream << "torch::nn::" #Name "(" << TAPER_AVG_TEXT << ")";                            \
  }                                                                                        \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& indices,                   \
                             const optional<std::vector<int64_t>>& output_size) {          \
    return F::function(input, indices,                                                     \
                       F::Name##FuncOptions(options.kernel_size())                         \
                           .stride(options.stride())                                       \
                           .padding(options.padding())                                     \
                           .output_size(output_size));                                     \
  }
TAPER_DEFINE_UNPOOL(MaxUnpool1d, max_unpool1d)
TAPER_DEFINE_UNPOOL(MaxUnpool2d, max_unpool2d)
TAPER_DEFINE_UNPOOL(MaxUnpool3d, max_unpool3d)

}  // namespace torch::taper::nn
