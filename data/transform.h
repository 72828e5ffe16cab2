// Transforms: what is done with examples between the data set and the training loop.
#pragma once

#include <functional>
#include <vector>

#include <taper/data/example.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::transforms {

/// Makes a batch of another.
template <class InputBatch, class OutputBatch>
class BatchTransform {
 public:
  using InputBatchType = InputBatch;    ///< what apply_batch() takes
  using OutputBatchType = OutputBatch;  ///< what apply_batch() gives
  virtual ~BatchTransform() = default;
  /// What becomes of the batch. Called by the threads of a loader: each has a copy of its own,
  /// unless the data set is shared.
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

/// Works on single examples.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;                ///< what apply() takes
  using OutputType = Output;              ///< what apply() gives
  virtual Output apply(Input input) = 0;  ///< what becomes of an example
  /// apply() of each example, in this order.
  std::vector<Output> apply_batch(std::vector<Input> batch) override {
    std::vector<Output> result;
    result.reserve(batch.size());
    for (Input& input : batch) result.push_back(apply(std::move(input)));
    return result;
  }
};

/// A function of a batch.
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;  ///< of a batch
  /// An empty one throws std::bad_function_call at a call.
  explicit BatchLambda(FunctionType function) : function_(std::move(function)) {}
  /// What the function makes of the batch.
  Output apply_batch(Input batch) override { return function_(std::move(batch)); }

 private:
  FunctionType function_;
};

/// A function of an example.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;  ///< of an example
  /// An empty one throws std::bad_function_call at a call.
  explicit Lambda(FunctionType function) : function_(std::move(function)) {}
  Output apply(Input input) override { return function_(std::move(input)); }  ///< function(input)

 private:
  FunctionType function_;
};

/// Makes one example of many.
template <class T, class Batch = std::vector<T>>
using Collation = BatchTransform<Batch, T>;
/// A function that makes one example of many.
template <class T, class Batch = std::vector<T>>
using Collate = BatchLambda<Batch, T>;

/// A function of the data tensor of an example; the target passes through.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  using E = Example<Tensor, Target>;            ///< what it takes and gives
  virtual Tensor operator()(Tensor input) = 0;  ///< what becomes of the data
  /// The example with other data and its own target.
  E apply(E input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// A function as a TensorTransform.
template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<Tensor(Tensor)>;  ///< of the data
  /// An empty one throws std::bad_function_call at a call.
  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
  /// What the function makes of the data.
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

namespace detail {
/// The values as a float tensor of shape [values, 1, 1].
Tensor per_channel(ArrayRef<double> values);
/// torch::stack, of the examples' data or targets.
Tensor stack(const std::vector<Tensor>& tensors);
}  // namespace detail

/// (x - mean) / stddev, where mean and stddev have one value, or one for each channel: the data has
/// shape [C, H, W].
template <class Target = Tensor>
struct Normalize : public TensorTransform<Target> {
  /// One value, or one for each channel. Zeros in stddev are not refused.
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
      : mean(detail::per_channel(mean)), stddev(detail::per_channel(stddev)) {}
  /// A new tensor of the shape of input, [..., C, H, W].
  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  /// f32 [C, 1, 1] or [1, 1, 1], on the CPU.
  ///@{
  Tensor mean, stddev;
  ///@}
};

/// Stacks the examples of a batch along a new first dimension. Throws when their shapes differ.
template <class T = Example<>>
struct Stack;

/// Stacks data and targets.
template <>
struct Stack<Example<>> : public Collation<Example<>> {
  /// {data [B, ...], targets [B, ...]}, copied.
  Example<> apply_batch(std::vector<Example<>> examples) override;
};

/// Stacks the data.
template <>
struct Stack<TensorExample> : public Collation<TensorExample> {
  /// The data [B, ...], copied.
  TensorExample apply_batch(std::vector<TensorExample> examples) override;
};

}  // namespace torch::taper::data::transforms

#pragma GCC visibility pop
