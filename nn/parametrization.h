// A parameter that is computed from other parameters before each call of its module.
#pragma once

#include <functional>
#include <string>

#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::detail {

/// Replaces the parameter `name` of a module by parts, from which the value is computed before each
/// call and put into the member variable that forward() reads. It keeps nothing of one module, so
/// that clones share it.
class Parametrization {
 public:
  /// The member variable of a module.
  using Member = std::function<Tensor&(Module&)>;

  Parametrization(std::string kind, std::string name, Member member)
      : kind_(std::move(kind)), name_(std::move(name)), member_(std::move(member)) {}
  virtual ~Parametrization() = default;

  /// "weight_norm" and the like; with the parameter's name it is unique in a module.
  const std::string& kind() const noexcept { return kind_; }
  const std::string& name() const noexcept { return name_; }

  /// Registers the parts of a value.
  virtual void register_parts(Module& module, const Tensor& value) const = 0;
  virtual void unregister_parts(Module& module) const = 0;
  /// The value of the registered parts; `calling`: for a call of forward().
  virtual Tensor compute(Module& module, bool calling) const = 0;

  /// Takes the parameter's place in a module.
  void split(Module& module) const;
  /// Puts the computed value into the member.
  void refresh(Module& module, bool calling) const { member_(module) = compute(module, calling); }
  /// Makes the value a parameter again.
  void join(Module& module) const;

 private:
  std::string kind_, name_;
  Member member_;
};

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
