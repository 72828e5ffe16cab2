// DataParallel: a module on several devices, each of which takes a part of the batch.
//
//   nn::DataParallel net(model);                      // model->to(Device("cuda:0")) was called
//   Tensor loss = criterion(net->forward(x), y);      // x on any device; the output on cuda:0
//   loss.backward();                                  // gradients are in model's parameters
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

/// Where the parts of a call run.
struct Plan {
  std::vector<Device> devices;
  Device output_device;
  int64_t dim = 0;
  ModuleFactory make_replica;
};
/// All CUDA devices. Throws Error when there are none.
std::vector<Device> all_devices();
/// The modules that run the parts: the module itself for the first device, when it is there.
std::vector<std::shared_ptr<Module>> modules_on(const std::shared_ptr<Module>& module,
                                                const std::vector<Device>& devices,
                                                const ModuleFactory& factory);
/// Devices whose generators have the same seed would draw the same numbers: all but the first of
/// them get a seed that is derived from it.
void separate_generators(const std::vector<Device>& devices);

template <class M>
std::shared_ptr<M> pointer_of(const std::shared_ptr<M>& module) {
  return module;
}
template <class M>
std::shared_ptr<M> pointer_of(const ModuleHolder<M>& module) {
  return module.ptr();
}

/// forward() of `module` for each part of the arguments on its device; the outputs joined.
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

/// module->forward(input) with the batch `input` split along `dim` over `devices` (default: all
/// CUDA devices); the output is on `output_device` (default: the first device). With one device the
/// module is moved there and called. Gradients go to the module's parameters. See replicate() for
/// what the module must be, and DataParallel for a module that does this.
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

/// What all DataParallel modules do; see there.
class DataParallelBase : public Module {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// The CUDA devices in use; empty when there is none.
  const std::vector<Device>& devices() const { return plan_.devices; }

  DataParallelOptions options;  ///< as given; a later change is for clones only

 protected:
  /// Throws Error for an empty pointer and for devices that are not there; moves the module to its
  /// device where there is only one.
  DataParallelBase(const std::shared_ptr<Module>& module, DataParallelOptions options);
  /// Throws Error when a parameter or buffer is not on the first device.
  void check_place(const Module& module) const;

  /// Where the parts of a call run; no devices: no CUDA.
  parallel::detail::Plan plan_;
};

/// Runs a module on several CUDA devices at once: forward() splits its arguments along `dim` as
/// chunk() does (tensors, also in tuples, vectors and maps; other values are passed on), calls the
/// module on each device for its part, on a thread each, and joins the outputs on the output
/// device. On the first device it is the module itself, so its buffers are kept; on the others it
/// is replicas, which get its values at each call and pass their gradients to its parameters.
/// With one device it just calls the module there, without any it just calls it.
///
/// The module derives from Cloneable, or options.make_replica makes others like it. It is
/// registered as "module". For what replicas keep, see parallel::replicate().
/// Errors: Error when the module is not on device_ids[0]; what a replica throws, with its device
/// named.
template <class M>
class DataParallelImpl : public DataParallelBase {
 public:
  /// Wraps a module, which is not copied: a shared_ptr or a holder of it. Throws Error for an empty
  /// one and for devices that are not there. With one device it moves the module there.
  ///@{
  explicit DataParallelImpl(std::shared_ptr<M> module, const DataParallelOptions& options_ = {})
      : DataParallelBase(module, options_), module_(register_module("module", std::move(module))) {}
  template <class Holder, class = std::enable_if_t<detail::is_module_holder<Holder>::value>>
  explicit DataParallelImpl(const Holder& module, const DataParallelOptions& options_ = {})
      : DataParallelImpl(module.ptr(), options_) {}
  ///@}

  /// What the module's forward() gives for the arguments, on the output device. Arguments are
  /// copied as handles, so that tensors share their storage with the caller's. Without arguments
  /// the first device alone is used.
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

  /// The wrapped module.
  const std::shared_ptr<M>& module() const { return module_; }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    auto copy = parallel::detail::cast_replica<M>(module_->clone(device));
    return std::make_shared<DataParallelImpl>(std::move(copy), options);
  }

 private:
  std::shared_ptr<M> module_;
};

/// A handle to a DataParallelImpl<M>: `nn::DataParallel net(model)` finds M.
template <class M>
class DataParallel : public ModuleHolder<DataParallelImpl<M>> {
 public:
  using ModuleHolder<DataParallelImpl<M>>::ModuleHolder;
  /// The module in the holder.
  using Impl = DataParallelImpl<M>;
};
/// Finds M from a shared_ptr<M>, or from a holder of M.
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
