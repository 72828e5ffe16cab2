// Averages the weights of a model over training, as PyTorch's torch.optim.swa_utils does.
#pragma once

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module_holder.h>
#include <taper/optim/lr_scheduler.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim::swa_utils {

/// A function that returns the new average of a parameter. Its arguments are the old average, the
/// parameter's value in the model, and the number of values in the old average.
using AverageFunction =
    std::function<Tensor(const Tensor& averaged, const Tensor& value, int64_t num_averaged)>;
/// Returns a function for an exponential moving average: decay * averaged + (1 - decay) * value.
/// Throws ValueError unless 0 <= decay <= 1.
AverageFunction get_ema_avg_fn(double decay = 0.999);

/// The part of AveragedModel that does not depend on the class of the model. It registers the copy
/// of the model as "module", and the number of averaged values as the buffer "n_averaged".
class AveragedModelBase : public nn::Module {
 public:
  /// Adds the current parameters of the model to the average. The first call copies them. With
  /// `use_buffers`, also averages buffers. Throws Error if the model differs from the copy.
  void update_parameters(const nn::Module& model);
  /// The number of averaged values: an int64 tensor without dimensions.
  Tensor n_averaged;

 protected:
  /// Keeps `copy` as the average. Without `avg_fn`, the average is the mean of all values.
  AveragedModelBase(const std::shared_ptr<nn::Module>& copy, AverageFunction avg_fn,
                    bool use_buffers);

 private:
  std::shared_ptr<nn::Module> copy_;
  AverageFunction avg_fn_;
  bool use_buffers_;
};

/// Averages the parameters of a model during training (Izmailov et al., "Averaging weights leads to
/// wider optima", 2018). The AveragedModel holds a copy of the model. If `device` is given, the
/// copy is on this device. Each update_parameters() adds the current parameters of the model to the
/// average. Without `avg_fn`, the average is the mean of all values. The class of the model must be
/// Cloneable.
///
///     AveragedModel swa(net);                         // TORCH_MODULE(Net) net;
///     ... optimizer.step(); swa.update_parameters(*net);
///     update_bn(*loader, swa); swa(x);
template <class M>
class AveragedModel : public AveragedModelBase {
 public:
  /// Copies the model. Its current values are not part of the average: only update_parameters()
  /// adds values. With `use_buffers`, also averages buffers.
  ///@{
  explicit AveragedModel(const std::shared_ptr<M>& model, const optional<Device>& device = nullopt,
                         AverageFunction avg_fn = nullptr, bool use_buffers = false)
      : AveragedModel(model->clone(device), std::move(avg_fn), use_buffers) {}
  explicit AveragedModel(const nn::ModuleHolder<M>& model, const optional<Device>& device = nullopt,
                         AverageFunction avg_fn = nullptr, bool use_buffers = false)
      : AveragedModel(model.ptr(), device, std::move(avg_fn), use_buffers) {}
  ///@}

  /// Returns the averaged copy.
  const std::shared_ptr<M>& module() const noexcept { return holder_.ptr(); }
  /// Call the averaged copy.
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

/// Changes the learning rate of each group to swa_lr in anneal_epochs steps, along half a cosine
/// wave or a line. Afterwards, the rate is swa_lr.
class SWALR : public LRScheduler {
 public:
  /// Takes one rate per group. Throws ValueError for another number of rates, and for a strategy
  /// other than "cos" and "linear".
  SWALR(Optimizer& optimizer, std::vector<double> swa_lrs, unsigned anneal_epochs = 10,
        const std::string& anneal_strategy = "cos");
  /// Takes one rate for all groups. Throws ValueError for a strategy other than "cos" and "linear".
  SWALR(Optimizer& optimizer, double swa_lr, unsigned anneal_epochs = 10,
        const std::string& anneal_strategy = "cos");

 private:
  std::vector<double> get_lrs() override;
  /// Returns the weight of swa_lr in the rate after n steps, from 0 to 1.
  double share(int64_t n) const;
  std::vector<double> swa_lrs_;
  int64_t anneal_epochs_;
  bool cosine_;
};

namespace detail {

/// Resets the running statistics of a model's batch norms, and sets training mode. Running
/// statistics then average over all batches. The destructor restores the momentum and the mode.
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

/// Returns the module of a model, which may be a holder or a pointer.
template <class Model>
auto& module_of(Model& model) {
  if constexpr (std::is_base_of<nn::Module, Model>::value)
    return model;
  else
    return *model;
}

}  // namespace detail

/// Recomputes the running statistics of a model's batch norms, by calling the model with all
/// batches of `loader`. Batches are tensors, or examples with a tensor `data`. If `device` is
/// given, the tensors are moved to this device. The model is a holder, a shared_ptr or an
/// AveragedModel.
///
///     update_bn(*loader, swa);
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
