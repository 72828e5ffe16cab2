// Transforms, which change examples between the data set and the training loop.
#pragma once

#include <functional>
#include <vector>

#include <taper/data/example.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::transforms {

/// Turns a batch into another batch.
template <class InputBatch, class OutputBatch>
class BatchTransform {
 public:
  using InputBatchType = InputBatch;    ///< taken by apply_batch()
  using OutputBatchType = OutputBatch;  ///< returned by apply_batch()
  virtual ~BatchTransform() = default;
  /// Returns the transformed batch. The threads of a loader call it. Each thread has a copy of the
  /// transform, unless the data set is shared.
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

/// Transforms single examples.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;                ///< taken by apply()
  using OutputType = Output;              ///< returned by apply()
  virtual Output apply(Input input) = 0;  ///< returns the transformed example
  /// Returns apply() of each example, in order.
  std::vector<Output> apply_batch(std::vector<Input> batch) override {
    std::vector<Output> result;
    result.reserve(batch.size());
    for (Input& input : batch) result.push_back(apply(std::move(input)));
    return result;
  }
};

/// Applies a function to batches.
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;  ///< from batch to batch
  /// Stores the function. Calls of an empty function throw std::bad_function_call.
  explicit BatchLambda(FunctionType function) : function_(std::move(function)) {}
  /// Returns the result of the function.
  Output apply_batch(Input batch) override { return function_(std::move(batch)); }

 private:
  FunctionType function_;
};

/// Applies a function to examples.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;  ///< from example to example
  /// Stores the function. Calls of an empty function throw std::bad_function_call.
  explicit Lambda(FunctionType function) : function_(std::move(function)) {}
  /// returns function(input)
  Output apply(Input input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

/// Turns many examples into one.
template <class T, class Batch = std::vector<T>>
using Collation = BatchTransform<Batch, T>;
/// Applies a function that turns many examples into one.
template <class T, class Batch = std::vector<T>>
using Collate = BatchLambda<Batch, T>;

/// Transforms the data tensor of an example. The target is unchanged.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  using E = Example<Tensor, Target>;            ///< the type of examples
  virtual Tensor operator()(Tensor input) = 0;  ///< returns the transformed data
  /// Returns the example with transformed data and unchanged target.
  E apply(E input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// Applies a function to the data tensor of an example.
template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<Tensor(Tensor)>;  ///< from data to data
  /// Stores the function. Calls of an empty function throw std::bad_function_call.
  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
  /// Returns the result of the function.
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

namespace detail {
/// Returns the values as a float tensor of shape [values, 1, 1].
Tensor per_channel(ArrayRef<double> values);
/// Applies torch::stack to the data or the targets of examples.
Tensor stack(const std::vector<Tensor>& tensors);
}  // namespace detail

/// Computes (x - mean) / stddev for data [C, H, W]. Mean and stddev have one value, or one per
/// channel.
template <class Target = Tensor>
struct Normalize : public TensorTransform<Target> {
  /// Takes one value, or one per channel. Zeros in stddev are not checked.
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
      : mean(detail::per_channel(mean)), stddev(detail::per_channel(stddev)) {}
  /// Returns a new tensor of the shape of the input, [..., C, H, W].
  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  /// f32 [C, 1, 1] or [1, 1, 1], on the CPU.
  ///@{
  Tensor mean, stddev;
  ///@}
};

/// Stacks the examples of a batch along a new first dimension. Throws Error if their shapes differ.
template <class T = Example<>>
struct Stack;

/// Stacks data and targets.
template <>
struct Stack<Example<>> : public Collation<Example<>> {
  /// Returns copies {data [B, ...], targets [B, ...]}.
  Example<> apply_batch(std::vector<Example<>> examples) override;
};

/// Stacks the data.
template <>
struct Stack<TensorExample> : public Collation<TensorExample> {
  /// Returns a copy of the data, [B, ...].
  TensorExample apply_batch(std::vector<TensorExample> examples) override;
};

}  // namespace torch::taper::data::transforms

#pragma GCC visibility pop
