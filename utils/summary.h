// summary: what a network consists of: its modules, the sizes of what they give, parameters,
// multiply-adds, memory.
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

/// A module's row.
struct LayerSummary {
  std::string type;   ///< "Conv2d"
  std::string name;   ///< the last part of its path: "conv1"; empty for the network itself
  int64_t depth = 0;  ///< 0 for the network, 1 for its children
  int64_t index = 0;  ///< among the modules of its depth, from 1 on
  /// Of its first result when it was called last; empty where it was not seen to be called, see
  /// summary().
  std::vector<int64_t> output_sizes;
  bool was_seen = false;      ///< whether output_sizes is known
  int64_t num_params = 0;     ///< elements of its own parameters, not of those of modules below
  int64_t num_trainable = 0;  ///< those of them that want gradients
  int64_t param_bytes = 0;    ///< of its own parameters
  int64_t output_bytes = 0;   ///< of its first result
  /// As torchinfo counts: a convolution's parameters times the batch and the positions of its
  /// result, others' times the batch.
  int64_t mult_adds = 0;
};

/// The rows of a network's modules, and their sums.
struct ModelSummary {
  std::vector<LayerSummary> layers;  ///< the network first, each module before those below it
  int64_t num_params = 0;            ///< elements of all parameters; a shared module counts once
  int64_t num_trainable = 0;         ///< those of them that want gradients
  int64_t mult_adds = 0;             ///< of one call, where sizes were seen
  int64_t input_bytes = 0;           ///< of all inputs
  /// Of the results of modules that have parameters of their own, and of their gradients.
  int64_t pass_bytes = 0;
  int64_t param_bytes = 0;  ///< of all parameters
};

/// What a network takes, without values: `{32, 1, 28, 28}`, or `InputSizes({32, 128}, kLong)`.
struct InputSizes {
  /// Sizes of a tensor, none of them negative, and the dtype of its elements.
  InputSizes(std::initializer_list<int64_t> of_dims, ScalarType of_elements = ScalarType::Float)
      : sizes(of_dims), dtype(of_elements) {}
  /// The same.
  InputSizes(std::vector<int64_t> of_dims, ScalarType of_elements = ScalarType::Float)
      : sizes(std::move(of_dims)), dtype(of_elements) {}
  std::vector<int64_t> sizes;  ///< of its dimensions
  ScalarType dtype;            ///< of its elements
};

/// The table, in the form of Python's torchinfo.
std::ostream& operator<<(std::ostream& out, const ModelSummary& summary);

namespace detail {

/// Watches a network's modules while it is called.
class SummaryRecorder {
 public:
  /// Where `computes` is false, kernels are recorded (framework/capture/graph.h), not run.
  SummaryRecorder(nn::Module& net, bool computes);
  ~SummaryRecorder();
  SummaryRecorder(const SummaryRecorder&) = delete;
  SummaryRecorder& operator=(const SummaryRecorder&) = delete;
  /// A copy of the input that the tape can be followed to.
  Tensor input(const Tensor& x);
  /// Zeros, on the device of the network's parameters.
  Tensor input(const InputSizes& x);
  ModelSummary finish(const Tensor& output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// observe(false), or observe(true) where that needs values.
ModelSummary recorded_or_computed(const std::function<ModelSummary(bool computes)>& observe);

}  // namespace detail

/// Calls `net` (a module's holder) once with `inputs`, in evaluation mode, and puts its modes back.
/// Sizes are seen of modules that are called (`conv(x)`, in a Sequential) and, through the tape, of
/// modules with parameters that want gradients, also where the program says `conv->forward(x)`.
/// Modules of which neither is true have "--" there. Buffers, gradients and random numbers stay as
/// they were, as far as forward() in evaluation mode leaves them. Throws ValueError for an
/// undefined input, and what forward() throws.
template <class M, class... Input>
ModelSummary summary(nn::ModuleHolder<M> net, const Input&... inputs) {
  detail::SummaryRecorder recorder(*net, /*computes=*/true);
  return recorder.finish(net->forward(recorder.input(inputs)...));
}

/// The same from sizes, `summary(net, {32, 1, 28, 28})`: nothing is computed, kernels are only
/// recorded, so a large network costs no more time than a small one (memory is reserved, and on the
/// CPU not touched). A forward() that looks at values (`item()`, masks as indices) cannot be
/// recorded: it is called once more, with zeros, and computes. Throws ValueError for a negative
/// size, and what forward() throws.
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
