// Macros and helpers shared by Taper's module classes.
#pragma once

#include <taper/nn/cloneable.h>
#include <taper/nn/module_holder.h>

/// Defines the holder of a module class of Taper. The functions of Cloneable are compiled only in
/// the .cpp with TAPER_DEFINE_LIBRARY_MODULE(Name), not in each file of a program.
#define TAPER_LIBRARY_MODULE(Name)             \
  extern template class Cloneable<Name##Impl>; \
  TAPER_MODULE(Name)
#define TAPER_DEFINE_LIBRARY_MODULE(Name) template class Cloneable<Name##Impl>

/// Declares, inside a module class of Taper, that forward() has default arguments. The .cpp defines
/// the default arguments.
#define TAPER_LIBRARY_DEFAULT_ARGS()                         \
  bool _forward_has_default_args() override { return true; } \
  unsigned int _forward_num_required_args() override;        \
  std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments) override
/// Defines the default arguments. The macro arguments are those of TAPER_FORWARD_HAS_DEFAULT_ARGS.
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

/// Returns "true" or "false".
inline const char* text_of(bool v) { return v ? "true" : "false"; }

/// Registers an uninitialized parameter with these sizes. If `wanted` is false, registers an
/// undefined tensor.
Tensor register_optional(Module& module, const char* name, IntArrayRef sizes, bool wanted);
/// Initializes the weight, then the bias of a linear layer. Values are uniform in [-b, b] with b =
/// 1 / sqrt(fan_in). An undefined bias is skipped.
void reset_by_fan_in(const Tensor& weight, const Tensor& bias);
/// Returns `index`, the index of a module or parameter in a container. Throws Error unless it is
/// below `size`.
size_t checked_index(const char* container, size_t index, size_t size);
/// Adds the module's name and description to the message of `error`: `in "fc1", a
/// torch::nn::Linear(in_features=3, ...)`.
void add_module(Error& error, const Module& module);
/// Returns f(). If f throws Error, adds the module to the error's message, and rethrows it.
template <class F>
auto in_module(const Module& module, const F& f) {
  try {
    return f();
  } catch (Error& error) {
    add_module(error, module);
    throw;
  }
}
/// Sets the weight of a norm to 1 and its bias to 0. Undefined tensors are skipped.
void reset_affine(const Tensor& weight, const Tensor& bias);

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
