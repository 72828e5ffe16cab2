// Example: one sample of a data set, or (after Stack) one batch.
#pragma once

#include <utility>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Data and what should be learnt about it.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;      ///< what `data` is
  using TargetType = Target;  ///< what `target` is

  Example() = default;
  /// Takes both over; tensors share their memory with those given.
  Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}

  /// What is learnt from: of one example or, behind Stack, of a batch [B, ...].
  Data data;
  /// What is to be learnt: a label, say; behind Stack of a batch [B, ...].
  Target target;
};

namespace example {
using NoTarget = void;
}

/// Data alone. It converts from and to the data.
template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;                 ///< what `data` is
  using TargetType = example::NoTarget;  ///< void: there is none

  Example() = default;
  Example(Data data) : data(std::move(data)) {}  ///< of the data
  operator Data&() { return data; }              ///< the data itself
  operator const Data&() const { return data; }  ///< the data itself

  /// What is learnt from: of one example or, behind Stack, of a batch [B, ...].
  Data data;
};

/// A tensor without a target.
using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace torch::taper::data

#pragma GCC visibility pop
