// Averages of a model's weights during training: PyTorch's torch.optim.swa_utils.
#pragma once

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module_holder.h>
#include <taper/optim/lr_scheduler.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim::swa_utils {

/// The new average of a parameter, given the average, the model's value, and of how many values the
/// average is.
using AverageFunction =
    std::function<Tensor(const Tensor& averaged, const Tensor& value, int64_t num_averaged)>;
/// decay * averaged + (1 - decay) * value. Throws ValueError unless 0 <= decay <= 1.
AverageFunction get_ema_avg_fn(double decay = 0.999);

/// The part of AveragedModel that does not depend on the model's class: registers the copy as
/// "module" and the count as the buffer "n_averaged".
class AveragedModelBase : public nn::Module {
 public:
  /// Takes the model's present parameters into the average (the first time: as they are); with
  /// `use_buffers` its buffers too. Throws Error when they are other ones than those of the copy.
  void update_parameters(const nn::Module& model);
  /// How often that was done: an int64 of no dimensions.
  Tensor n_averaged;

 protected:
  /// Keeps `copy` itself as the average. Without `avg_fn` the average is the mean of all values.
  AveragedModelBase(const std::shared_ptr<nn::Module>& copy, AverageFunction avg_fn,
                    bool use_buffers);

 private:
  std::shared_ptr<nn::Module> copy_;
  AverageFunction avg_fn_;
  bool use_buffers_;
};

/// A copy of a model, on `device` if given, whose parameters are the average of the model's at the
/// calls of update_parameters(): Izmailov et al., "Averaging weights leads to wider optima", 2018.
/// Without `avg_fn` all count equally. The model's class must be Cloneable.
///
///   AveragedModel swa(net);                         // TORCH_MODULE(Net) net;
///   ... optimizer.step(); swa.update_parameters(*net);
///   update_bn(*loader, swa); swa(x);
template <class M>
class AveragedModel : public AveragedModelBase {
 public:
  /// Copies the model, whose values count only when update_parameters() is called; with
  /// `use_buffers` its buffers are averaged as well.
  ///@{
  explicit AveragedModel(const std::shared_ptr<M>& model, const optional<Device>& device = nullopt,
                         AverageFunction avg_fn = nullptr, bool use_buffers = false)
      : AveragedModel(model->clone(device), std::move(avg_fn), use_buffers) {}
  explicit AveragedModel(const nn::ModuleHolder<M>& model, const optional<Device>& device = nullopt,
                         AverageFunction avg_fn = nullptr, bool use_buffers = false)
      : AveragedModel(model.ptr(), device, std::move(avg_fn), use_buffers) {}
  ///@}

  /// The averaged copy, which is what a call calls.
  const std::shared_ptr<M>& module() const noexcept { return holder_.ptr(); }
  /// What the averaged copy makes of the arguments.
  ///@{
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return holder_(std::forward<Args>(args)...);
  }
  template <class... Args>
  decltype(auto) forward(Args&&... args) {
    return holder_(std::forward<Args>(args)...);
  }
  ///@}

 private:
  AveragedModel(const std::shared_ptr<nn::Module>& copy, AverageFunction avg_fn, bool use_buffers)
      : AveragedModelBase(copy, std::move(avg_fn), use_buffers),
        holder_(std::dynamic_pointer_cast<M>(copy)) {}
  nn::ModuleHolder<M> holder_;
};

/// Moves each group's rate from what it is to swa_lr in anneal_epochs steps, along half a cosine or
/// a line, and keeps it there.
class SWALR : public LRScheduler {
 public:
  /// One rate for all groups or one for each. Throws ValueError for another number of rates, and
  /// for a strategy other than "cos" and "linear".
  SWALR(Optimizer& optimizer, std::vector<double> swa_lrs, unsigned anneal_epochs = 10,
        const std::string& anneal_strategy = "cos");
  /// One rate for all groups. Throws ValueError for a strategy other than "cos" and "linear".
  SWALR(Optimizer& optimizer, double swa_lr, unsigned anneal_epochs = 10,
        const std::string& anneal_strategy = "cos");

 private:
  std::vector<double> get_lrs() override;
  /// The share of swa_lr after n steps.
  double share(int64_t n) const;
  std::vector<double> swa_lrs_;
  int64_t anneal_epochs_;
  bool cosine_;
};

namespace detail {

/// Sets the running statistics of a model's batch normalisations back, and the model to training
/// with plain means of them; puts momentum and mode back in the end.
class BatchNormPass {
 public:
  explicit BatchNormPass(nn::Module& model);
  ~BatchNormPass();
  bool empty() const { return restore_.empty(); }

 private:
  nn::Module& model_;
  bool was_training_;
  std::vector<std::function<void()>> restore_;
  NoGradGuard no_grad_;
};

inline const Tensor& input_of(const Tensor& batch) { return batch; }
template <class Example>
auto input_of(const Example& batch) -> decltype((batch.data)) {
  return batch.data;
}

/// The module itself.
template <class Model>
auto& module_of(Model& model) {
  if constexpr (std::is_base_of<nn::Module, Model>::value)
    return model;
  else
    return *model;
}

}  // namespace detail

/// Computes the running statistics of the model's batch normalisations anew, by one pass over the
/// batches of `loader`: tensors, or examples whose `data` is one; on `device` if given. The model
/// is a holder, a shared_ptr or an AveragedModel.
template <class Loader, class Model>
void update_bn(Loader& loader, Model& model, const optional<Device>& device = nullopt) {
  auto& module = detail::module_of(model);
  const detail::BatchNormPass pass(module);
  if (pass.empty()) return;
  for (const auto& batch : loader) {
    const Tensor& x = detail::input_of(batch);
    nn::detail::call_module(module, device ? x.to(*device) : x);
  }
}

}  // namespace torch::taper::optim::swa_utils

#pragma GCC visibility pop
