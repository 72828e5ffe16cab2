// Parametrization: a parameter that is computed from other parameters before each call of its
// module.
#pragma once

#include <functional>
#include <string>

#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::detail {

/// Replaces the parameter `name` of a module by other parameters, the parts. Before each call of
/// the module, the Parametrization computes the value of the parameter from the parts. It stores
/// the value in the member variable that forward() reads. A Parametrization holds no state of a
/// module, so that clones can share it.
class Parametrization {
 public:
  /// A function that returns the member variable of a module.
  using Member = std::function<Tensor&(Module&)>;

  Parametrization(std::string kind, std::string name, Member member)
      : kind_(std::move(kind)), name_(std::move(name)), member_(std::move(member)) {}
  virtual ~Parametrization() = default;

  /// Returns the kind, such as "weight_norm". A module has at most one Parametrization of each kind
  /// and parameter name.
  const std::string& kind() const noexcept { return kind_; }
  const std::string& name() const noexcept { return name_; }

  /// Computes the parts from `value`, and registers the parts in `module`.
  virtual void register_parts(Module& module, const Tensor& value) const = 0;
  virtual void unregister_parts(Module& module) const = 0;
  /// Computes the value from the registered parts. `calling` is true if the computation is for a
  /// call of the module.
  virtual Tensor compute(Module& module, bool calling) const = 0;

  /// Replaces the parameter of a module by the parts.
  void split(Module& module) const;
  /// Computes the value and stores it in the member variable.
  void refresh(Module& module, bool calling) const { member_(module) = compute(module, calling); }
  /// Replaces the parts by a parameter with the computed value.
  void join(Module& module) const;

 private:
  std::string kind_, name_;
  Member member_;
};

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
