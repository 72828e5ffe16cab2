// summary: lists the modules of a network with their output sizes, parameters, multiply-adds and
// memory.
//
//   std::cout << utils::summary(net, {32, 1, 28, 28});
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// A module's row of the table.
struct LayerSummary {
  std::string type;   ///< "Conv2d"
  std::string name;   ///< last part of the module's path: "conv1", empty for the network
  int64_t depth = 0;  ///< 0 for the network, 1 for its children
  int64_t index = 0;  ///< position among the modules of equal depth, from 1
  /// Sizes of the first result of the module's last call. Empty if was_seen is false.
  std::vector<int64_t> output_sizes;
  bool was_seen = false;      ///< whether output_sizes is known
  int64_t num_params = 0;     ///< elements of the module's parameters, without its submodules
  int64_t num_trainable = 0;  ///< of these, the elements that require gradients
  int64_t param_bytes = 0;    ///< bytes of these parameters
  int64_t output_bytes = 0;   ///< bytes of the first result
  /// Multiply-adds of one call, estimated like torchinfo: the number of parameters times the batch
  /// size. For a convolution, this is multiplied by the number of output positions.
  int64_t mult_adds = 0;
};

/// The rows of a network's modules, and totals.
struct ModelSummary {
  std::vector<LayerSummary> layers;  ///< the network first, each module before its submodules
  int64_t num_params = 0;            ///< elements of all parameters. A shared module counts once
  int64_t num_trainable = 0;         ///< of these, the elements that require gradients
  int64_t mult_adds = 0;             ///< multiply-adds of one call, for modules with known sizes
  int64_t input_bytes = 0;           ///< bytes of all inputs
  /// Bytes of the results of modules with parameters, and of the gradients of these results.
  int64_t pass_bytes = 0;
  int64_t param_bytes = 0;  ///< bytes of all parameters
};

/// An input of a network, without values: `{32, 1, 28, 28}`, or `InputSizes({32, 128}, kLong)`.
struct InputSizes {
  /// Sets the sizes of a tensor, which must not be negative, and the dtype of its elements.
  InputSizes(std::initializer_list<int64_t> of_dims, ScalarType of_elements = ScalarType::Float)
      : sizes(of_dims), dtype(of_elements) {}
  /// Sets the sizes and the dtype from a vector.
  InputSizes(std::vector<int64_t> of_dims, ScalarType of_elements = ScalarType::Float)
      : sizes(std::move(of_dims)), dtype(of_elements) {}
  std::vector<int64_t> sizes;  ///< of its dimensions
  ScalarType dtype;            ///< of its elements
};

/// Prints the table, in the form of Python's torchinfo.
std::ostream& operator<<(std::ostream& out, const ModelSummary& summary);

namespace detail {

/// Records the sizes of a network's modules while the network is called.
class SummaryRecorder {
 public:
  /// If `computes` is false, kernels are captured (framework/capture/graph.h), but do not run.
  SummaryRecorder(nn::Module& net, bool computes);
  ~SummaryRecorder();
  SummaryRecorder(const SummaryRecorder&) = delete;
  SummaryRecorder& operator=(const SummaryRecorder&) = delete;
  /// Returns a copy of `x` that requires gradients if its dtype allows, so that the tape records
  /// the ops.
  Tensor input(const Tensor& x);
  /// Returns zeros, on the device of the network's parameters.
  Tensor input(const InputSizes& x);
  ModelSummary finish(const Tensor& output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls observe(false). If this fails because the network reads values, calls observe(true).
ModelSummary recorded_or_computed(const std::function<ModelSummary(bool computes)>& observe);

}  // namespace detail

/// Calls `net` (a module's holder) once with `inputs`, in evaluation mode, and restores the modes
/// of its modules. Modules that are called as `conv(x)` or in a Sequential report their sizes. If a
/// module is called as `conv->forward(x)`, the tape shows its sizes, if its parameters require
/// gradients. For other modules, the table shows "--". Buffers, gradients and random numbers stay
/// unchanged, unless forward() changes them in evaluation mode. Throws ValueError for an undefined
/// input, and the errors of forward().
template <class M, class... Input>
ModelSummary summary(nn::ModuleHolder<M> net, const Input&... inputs) {
  detail::SummaryRecorder recorder(*net, /*computes=*/true);
  return recorder.finish(net->forward(recorder.input(inputs)...));
}

/// Makes a summary from the sizes of the inputs: `summary(net, {32, 1, 28, 28})`. Kernels are
/// captured but do not run, so that a large network takes no more time than a small one. (Memory is
/// allocated. On the CPU, its pages are not touched.) A forward() that reads values (`item()`,
/// masks as indices) cannot be captured. summary() then calls forward() again with zeros, and the
/// kernels run. Throws ValueError for a negative size, and the errors of forward().
template <class M, class... More>
std::enable_if_t<(std::is_same_v<More, InputSizes> && ...), ModelSummary> summary(
    nn::ModuleHolder<M> net, const InputSizes& first, const More&... more) {
  const auto observe = [&](bool computes) {
    detail::SummaryRecorder recorder(*net, computes);
    return recorder.finish(net->forward(recorder.input(first), recorder.input(more)...));
  };
  return detail::recorded_or_computed(observe);
}

}  // namespace torch::taper::utils

#pragma GCC visibility pop
