// Example: one sample of a data set, or one batch after Stack.
#pragma once

#include <utility>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Holds data, and the target that a model learns to compute from the data.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;      ///< the type of `data`
  using TargetType = Target;  ///< the type of `target`

  Example() = default;
  /// Takes data and target. Tensors are not copied.
  Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}

  /// The input of one example. After Stack, the inputs [B, ...] of a batch.
  Data data;
  /// The target of one example, such as a label. After Stack, the targets [B, ...] of a batch.
  Target target;
};

namespace example {
using NoTarget = void;  ///< the target of data without one
}

/// Holds data without a target. This class converts from Data and to Data.
template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;                 ///< the type of `data`
  using TargetType = example::NoTarget;  ///< void, since there is no target

  Example() = default;
  Example(Data data) : data(std::move(data)) {}  ///< takes the data
  operator Data&() { return data; }              ///< returns the data
  operator const Data&() const { return data; }  ///< returns the data

  /// The input of one example. After Stack, the inputs [B, ...] of a batch.
  Data data;
};

/// Holds a tensor without a target.
using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace torch::taper::data

#pragma GCC visibility pop
