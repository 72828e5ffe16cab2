// What the module classes of the library share.
#pragma once

#include <taper/nn/cloneable.h>
#include <taper/nn/module_holder.h>

/// Defines the holder of one of the library's module classes. Cloneable's functions for it are
/// compiled once, in the .cpp that has TAPER_DEFINE_LIBRARY_MODULE(Name), not in every user's file.
#define TAPER_LIBRARY_MODULE(Name)             \
  extern template class Cloneable<Name##Impl>; \
  TAPER_MODULE(Name)
#define TAPER_DEFINE_LIBRARY_MODULE(Name) template class Cloneable<Name##Impl>

/// In a module class of the library: forward() has defaults, which the .cpp names.
#define TAPER_LIBRARY_DEFAULT_ARGS()                         \
  bool _forward_has_default_args() override { return true; } \
  unsigned int _forward_num_required_args() override;        \
  std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments) override
/// See TAPER_FORWARD_HAS_DEFAULT_ARGS.
#define TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(Name, ...)                   \
  unsigned int Name##Impl::_forward_num_required_args() {              \
    return detail::DefaultArguments{__VA_ARGS__}[0].first;             \
  }                                                                    \
  std::vector<AnyValue> Name##Impl::_forward_populate_default_args(    \
      std::vector<AnyValue>&& arguments) {                             \
    return detail::with_defaults(std::move(arguments), {__VA_ARGS__}); \
  }

#pragma GCC visibility push(default)

namespace torch::taper::nn::detail {

/// "true" or "false".
inline const char* text_of(bool v) { return v ? "true" : "false"; }

/// Registers an uninitialised parameter; unless it is `wanted` an undefined tensor holds its name's
/// place.
Tensor register_optional(Module& module, const char* name, IntArrayRef sizes, bool wanted);
/// The start of a linear map's weight and, where it is defined, bias: uniform in +-1/sqrt(fan_in),
/// first the weight's numbers, then the bias's.
void reset_by_fan_in(const Tensor& weight, const Tensor& bias);
/// The start of a normalisation's weight and bias, 1 and 0, where they are defined.
void reset_affine(const Tensor& weight, const Tensor& bias);

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
