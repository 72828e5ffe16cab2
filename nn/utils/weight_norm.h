// weight_norm and spectral_norm: compute the weight of a module from other parameters before each
// call.
#pragma once

#include <taper/nn/parametrization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

namespace detail {

using Member = nn::detail::Parametrization::Member;

void weight_norm(Module& module, const std::string& name, int64_t dim, Member member);
void spectral_norm(Module& module, const std::string& name, int64_t n_power_iterations, double eps,
                   optional<int64_t> dim, Member member);

/// Returns a function that finds a member variable in any module of class M.
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
/// Kingma, "Weight normalization", 2016). The norm is taken over all dimensions except `dim`. If
/// `dim` is -1, it is taken over all dimensions.
///
/// As in PyTorch, the parameters "weight_g" and "weight_v" replace the parameter "weight". The
/// weight is computed at each call of the module, but not at a direct call of forward(). Make the
/// optimizer afterwards, so that it gets the new parameters. Returns the module. Throws Error if
/// the weight is already normalized.
template <class Pointer>
Pointer weight_norm(Pointer module, const std::string& name = "weight", int64_t dim = 0) {
  detail::check_is_weight("weight_norm", name);
  detail::weight_norm(*module, name, dim, detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}
/// Reparametrizes the parameter `name`, which forward() reads from the variable `member`.
template <class Pointer, class M>
Pointer weight_norm(Pointer module, const std::string& name, Tensor M::*member, int64_t dim = 0) {
  detail::weight_norm(*module, name, dim, detail::member_of(member));
  return module;
}

/// Reparametrizes the weight of `module` as W / s, where s is the largest singular value of W
/// (Miyato et al., "Spectral normalization for generative adversarial networks", 2018). W is
/// treated as a matrix with rows along `dim`. By default, `dim` is 1 for transposed convolutions,
/// and 0 otherwise. Each call in training mode takes n_power_iterations steps of the power method.
///
/// As in PyTorch, the parameter "weight_orig" and the buffers "weight_u" and "weight_v" replace the
/// parameter "weight". Everything else is as for weight_norm.
template <class Pointer>
Pointer spectral_norm(Pointer module, const std::string& name = "weight",
                      int64_t n_power_iterations = 1, double eps = 1e-12,
                      optional<int64_t> dim = nullopt) {
  detail::check_is_weight("spectral_norm", name);
  detail::spectral_norm(*module, name, n_power_iterations, eps, dim,
                        detail::member_of(&detail::Pointee<Pointer>::weight));
  return module;
}

/// Makes the computed weight a parameter again. Throws ValueError if the module has no weight_norm
/// of this name.
template <class Pointer>
Pointer remove_weight_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "weight_norm", name);
  return module;
}
/// Makes W / s a parameter again. The value is computed again, without a step of the power method.
/// Throws ValueError if the module has no spectral_norm of this name.
template <class Pointer>
Pointer remove_spectral_norm(Pointer module, const std::string& name = "weight") {
  nn::detail::remove_parametrization(*module, "spectral_norm", name);
  return module;
}

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
