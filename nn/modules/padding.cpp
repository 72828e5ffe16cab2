#include <taper/nn/modules/padding.h>

#include <ostream>

#include <taper/nn/functional/padding.h>

namespace torch::taper::nn {

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

}  // namespace torch::taper::nn
