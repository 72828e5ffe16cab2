// DataParallel: runs a module on several devices, each with a part of the batch.
//
//   nn::DataParallel net(model);                      // model->to(Device("cuda:0")) was called
//   Tensor loss = criterion(net->forward(x), y);      // x on any device, the output on cuda:0
//   loss.backward();                                  // gradients are in the parameters of model
#pragma once

#include <utility>
#include <vector>

#include <taper/nn/options/data_parallel.h>
#include <taper/nn/parallel/parallel_apply.h>
#include <taper/nn/parallel/replicate.h>
#include <taper/nn/parallel/scatter_gather.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace parallel {
namespace detail {

/// Holds the arguments of a call: the devices, the device of the output, the dimension to split,
/// and the function that makes replicas.
struct Plan {
  std::vector<Device> devices;
  Device output_device;
  int64_t dim = 0;
  ModuleFactory make_replica;
};
/// Returns all CUDA devices. Throws Error if there are none.
std::vector<Device> all_devices();
/// Returns a module for each device. If the module is on the first device, that device uses the
/// module itself. The other devices use replicas.
std::vector<std::shared_ptr<Module>> modules_on(const std::shared_ptr<Module>& module,
                                                const std::vector<Device>& devices,
                                                const ModuleFactory& factory);
/// Gives the default generators of the devices different seeds. A generator with the seed of an
/// earlier device in the list gets a new seed, which is derived from the old one.
void separate_generators(const std::vector<Device>& devices);

template <class M>
std::shared_ptr<M> pointer_of(const std::shared_ptr<M>& module) {
  return module;
}
template <class M>
std::shared_ptr<M> pointer_of(const ModuleHolder<M>& module) {
  return module.ptr();
}

/// Splits the arguments, calls `module` with each part on the part's device, and joins the outputs.
template <class M, class... Args>
auto forward_parts(const std::shared_ptr<M>& module, Plan plan, const Args&... args) {
  using Result = std::decay_t<decltype(module->forward(std::declval<std::decay_t<Args>&>()...))>;
  static_assert(!std::is_void_v<Result>, "DataParallel: expected a forward() that returns a value");
  if (sizeof...(Args) == 0) plan.devices.resize(1);  // nothing to split
  auto parts = scatter(std::tuple<std::decay_t<Args>...>(args...), plan.devices, plan.dim);
  plan.devices.resize(parts.size());
  separate_generators(plan.devices);
  const auto modules = modules_on(module, plan.devices, plan.make_replica);
  std::vector<optional<Result>> results(parts.size());
  run_on_devices(plan.devices, [&](size_t i) {
    const auto replica = cast_replica<M>(modules[i]);
    results[i].emplace(std::apply(
        [&](auto&... a) -> Result { return nn::detail::call_module(*replica, a...); }, parts[i]));
  });
  std::vector<Result> outputs;
  for (auto& r : results) outputs.push_back(std::move(*r));
  return gather(outputs, plan.output_device, plan.dim);
}

}  // namespace detail

/// Calls module->forward(input) on several devices. It splits `input` along `dim` over `devices`
/// (default: all CUDA devices). The output is on `output_device` (default: the first device).
/// Gradients go to the parameters of the module. If `devices` has one device, the module is moved
/// to it. replicate() describes the requirements on the module. The class DataParallel does the
/// same as this function.
template <class ModuleType>
Tensor data_parallel(ModuleType module, Tensor input,
                     optional<std::vector<Device>> devices = nullopt,
                     optional<Device> output_device = nullopt, int64_t dim = 0) {
  if (!devices) devices = detail::all_devices();
  TAPER_CHECK(!devices->empty(), "data_parallel: expected at least one device");
  if (!output_device) output_device = devices->front();
  if (devices->size() == 1) {
    module->to(devices->front());
    return nn::detail::call_module(*module, input.to(devices->front())).to(*output_device);
  }
  return detail::forward_parts(detail::pointer_of(module), {*devices, *output_device, dim, nullptr},
                               input);
}

}  // namespace parallel

/// Serves as the base class of all DataParallel modules.
class DataParallelBase : public Module {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the CUDA devices in use. The list is empty if there are none.
  const std::vector<Device>& devices() const { return plan_.devices; }

  DataParallelOptions options;  ///< as given. Later changes affect only clones

 protected:
  /// If there is only one device, moves the module to it. Throws Error for an empty pointer and for
  /// devices that do not exist.
  DataParallelBase(const std::shared_ptr<Module>& module, DataParallelOptions options);
  /// Throws Error if a parameter or buffer is not on the first device.
  void check_place(const Module& module) const;

  /// The arguments of each call. Without CUDA, the list of devices is empty.
  parallel::detail::Plan plan_;
};

/// Runs a module on several CUDA devices at once. forward() splits its arguments along `dim` as
/// chunk() does. Each part runs through the module on its own device and thread. The outputs are
/// joined on the output device. Tensors are split, also those in tuples, vectors and maps. Other
/// values are copied to each part.
///
/// The first device uses the module itself, so changes of buffers on this device are kept. The
/// other devices use replicas. At each call, replicas get the current values of the module. The
/// gradients of replicas are added to the gradients of the module. If there is one device,
/// forward() calls the module on this device. Without CUDA devices, forward() calls the module with
/// the arguments as they are.
///
/// The module must derive from Cloneable, or options.make_replica must return new modules of the
/// same kind. The module is registered as "module". parallel::replicate() describes replicas.
/// forward() throws Error if the module is not on device_ids[0]. If a replica throws, the message
/// contains the replica's device.
template <class M>
class DataParallelImpl : public DataParallelBase {
 public:
  /// Wraps a module, given by a shared_ptr or a holder. The module is not copied. If there is one
  /// device, the module is moved to it. Throws Error for an empty pointer and for devices that do
  /// not exist.
  ///@{
  explicit DataParallelImpl(std::shared_ptr<M> module, const DataParallelOptions& options_ = {})
      : DataParallelBase(module, options_), module_(register_module("module", std::move(module))) {}
  template <class Holder, class = std::enable_if_t<detail::is_module_holder<Holder>::value>>
  explicit DataParallelImpl(const Holder& module, const DataParallelOptions& options_ = {})
      : DataParallelImpl(module.ptr(), options_) {}
  ///@}

  /// Calls forward() of the module on the devices, and returns the joined results on the output
  /// device. The tensors in copied arguments share storage with the tensors of the caller. Without
  /// arguments, only the first device is used.
  template <class... Args>
  auto forward(const Args&... args) -> std::decay_t<
      decltype(std::declval<M&>().forward(std::declval<std::decay_t<Args>&>()...))> {
    using Arguments = std::tuple<std::decay_t<Args>...>;
    const auto call = [this](auto&... a) { return nn::detail::call_module(*module_, a...); };
    if (plan_.devices.empty()) {
      Arguments all(args...);
      return std::apply(call, all);
    }
    check_place(*module_);
    if (plan_.devices.size() > 1) return parallel::detail::forward_parts(module_, plan_, args...);
    return std::apply(call, parallel::scatter(Arguments(args...), plan_.devices, plan_.dim)[0]);
  }

  /// Returns the wrapped module.
  const std::shared_ptr<M>& module() const { return module_; }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    auto copy = parallel::detail::cast_replica<M>(module_->clone(device));
    return std::make_shared<DataParallelImpl>(std::move(copy), options);
  }

 private:
  std::shared_ptr<M> module_;
};

/// Holds a DataParallelImpl<M>. `nn::DataParallel net(model)` deduces M.
template <class M>
class DataParallel : public ModuleHolder<DataParallelImpl<M>> {
 public:
  using ModuleHolder<DataParallelImpl<M>>::ModuleHolder;
  /// The class of the module.
  using Impl = DataParallelImpl<M>;
};
/// Deduces M from a shared_ptr<M>, or from a holder of M.
template <class M>
DataParallel(std::shared_ptr<M>) -> DataParallel<M>;
template <class M>
DataParallel(std::shared_ptr<M>, DataParallelOptions) -> DataParallel<M>;
template <class Holder, class M = typename Holder::ContainedType>
DataParallel(const Holder&) -> DataParallel<M>;
template <class Holder, class M = typename Holder::ContainedType>
DataParallel(const Holder&, DataParallelOptions) -> DataParallel<M>;

}  // namespace torch::taper::nn

#pragma GCC visibility pop
