// weight_norm and spectral_norm: replace the weight of a module by other parameters. Each call of
// the module computes the weight from them.
#pragma once

#include <taper/nn/parametrization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

namespace detail {

using Member = nn::detail::Parametrization::Member;

void weight_norm(Module& module, const std::string& name, int64_t dim, Member member);
void spectral_norm(Module& module, const std::string& name, int64_t n_power_iterations, double eps,
                   optional<int64_t> dim, Member member);

/// Returns a function that returns the variable `member` of a module of class M.
template <class M>
Member member_of(Tensor M::*member) {
  return [member](Module& module) -> Tensor& { return dynamic_cast<M&>(module).*member; };
}
/// Throws Error unless `name` is "weight".
void check_is_weight(const char* function, const std::string& name);
template <class Pointer>
using Pointee = std::remove_reference_t<decltype(*std::declval<Pointer&>())>;

}  // namespace detail

/// Reparametrizes the weight of `module` (a holder or a shared_ptr) as g v / |v| (Salimans and
/// Kingma, "Weight normalization", 2016). The norm |v| is computed over all dimensions except
/// `dim`. If `dim` is -1, it is computed over all dimensions.
///
/// As in PyTorch, the parameters "weight_g" and "weight_v" replace the parameter "weight". Each
/// call of the module computes the weight, but a direct call of forward() does not. Make the
/// optimizer after the call of weight_norm(), so that it gets the new parameters. Returns the
/// module. Throws Error if weight_norm was already applied to this parameter.
template <class Pointer>
Pointer weight_norm(Pointer module, const std::string& name = "weight", int64_t dim = 0) {
  detail::check_is_weight("weight_norm", name);
  detail::weight_norm(*module, name, dim, detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}
/// Reparametrizes the parameter `name` in the same way. `member` is the member variable from which
/// forward() reads the parameter.
template <class Pointer, class M>
Pointer weight_norm(Pointer module, const std::string& name, Tensor M::*member, int64_t dim = 0) {
  detail::weight_norm(*module, name, dim, detail::member_of(member));
  return module;
}

/// Reparametrizes the weight of `module` as W / s, where s is the largest singular value of W
/// (Miyato et al., "Spectral normalization for generative adversarial networks", 2018). W is
/// treated as a matrix with rows along `dim`. By default, `dim` is 1 for transposed convolutions,
/// and 0 otherwise. Each call in training mode takes n_power_iterations steps of the power method
/// to estimate s. The method divides vectors by their norms. It uses `eps` instead of smaller
/// norms.
///
/// As in PyTorch, the parameter "weight_orig" and the buffers "weight_u" and "weight_v" replace the
/// parameter "weight". All other rules of weight_norm hold for spectral_norm, too.
template <class Pointer>
Pointer spectral_norm(Pointer module, const std::string& name = "weight",
                      int64_t n_power_iterations = 1, double eps = 1e-12,
                      optional<int64_t> dim = nullopt) {
  detail::check_is_weight("spectral_norm", name);
  detail::spectral_norm(*module, name, n_power_iterations, eps, dim,
                        detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}

/// Undoes weight_norm: the parameter `name` replaces its parts, with the computed value. Throws
/// ValueError if weight_norm was not applied to `name`.
template <class Pointer>
Pointer remove_weight_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "weight_norm", name);
  return module;
}
/// Undoes spectral_norm: the parameter `name` replaces its parts, with the value W / s. This value
/// is computed without a step of the power method. Throws ValueError if spectral_norm was not
/// applied to `name`.
template <class Pointer>
Pointer remove_spectral_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "spectral_norm", name);
  return module;
}

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
