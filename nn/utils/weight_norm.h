// weight_norm and spectral_norm: a module's weight computed from other parameters before each call.
#pragma once

#include <taper/nn/parametrization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

namespace detail {

using Member = nn::detail::Parametrization::Member;

void weight_norm(Module& module, const std::string& name, int64_t dim, Member member);
void spectral_norm(Module& module, const std::string& name, int64_t n_power_iterations, double eps,
                   optional<int64_t> dim, Member member);

/// A member variable of a module's class, found in any module of that class.
template <class M>
Member member_of(Tensor M::*member) {
  return [member](Module& module) -> Tensor& { return dynamic_cast<M&>(module).*member; };
}
/// The variable `weight` of the class of `*pointer`. Throws for another name.
void check_is_weight(const char* function, const std::string& name);
template <class Pointer>
using Pointee = std::remove_reference_t<decltype(*std::declval<Pointer&>())>;

}  // namespace detail

/// Makes the weight of `module` (a holder or a shared_ptr) g v / |v|, where the norm is taken over
/// all dimensions but `dim` (-1: over all): Salimans and Kingma, "Weight normalization", 2016. The
/// parameter "weight" becomes "weight_g" and "weight_v", as in PyTorch, from which the weight is
/// computed whenever the module is called (not when forward() is called by name). Give a new
/// optimizer the new parameters. Throws Error when it is done already; returns the module.
template <class Pointer>
Pointer weight_norm(Pointer module, const std::string& name = "weight", int64_t dim = 0) {
  detail::check_is_weight("weight_norm", name);
  detail::weight_norm(*module, name, dim, detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}
/// The same for the parameter `name`, which forward() reads in the variable `member`.
template <class Pointer, class M>
Pointer weight_norm(Pointer module, const std::string& name, Tensor M::*member, int64_t dim = 0) {
  detail::weight_norm(*module, name, dim, detail::member_of(member));
  return module;
}

/// Makes the weight of `module` W / s, where s, W's largest singular value as a matrix of rows
/// along `dim` (nullopt: 1 for transposed convolutions, else 0), comes by n_power_iterations steps
/// of the power method in each call in training mode: Miyato et al., "Spectral normalization for
/// generative adversarial networks", 2018. The parameter "weight" becomes "weight_orig" and the
/// buffers "weight_u" and "weight_v", as in PyTorch. All else is as for weight_norm.
template <class Pointer>
Pointer spectral_norm(Pointer module, const std::string& name = "weight",
                      int64_t n_power_iterations = 1, double eps = 1e-12,
                      optional<int64_t> dim = nullopt) {
  detail::check_is_weight("spectral_norm", name);
  detail::spectral_norm(*module, name, n_power_iterations, eps, dim,
                        detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}

/// Makes what the module computed a parameter again. Throws ValueError when it is none of these.
template <class Pointer>
Pointer remove_weight_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "weight_norm", name);
  return module;
}
/// Makes W / s, computed once more without a step of the power method, the parameter again. Throws
/// ValueError when the module has no spectral_norm of this name.
template <class Pointer>
Pointer remove_spectral_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "spectral_norm", name);
  return module;
}

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
