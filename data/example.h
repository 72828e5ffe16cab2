// Example: one sample of a data set, or (after Stack) one batch.
#pragma once

#include <utility>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::data {

/// Data and what should be learnt about it.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}

  Data data;
  Target target;
};

namespace example {
using NoTarget = void;
}

/// Data alone. It converts from and to the data.
template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data data) : data(std::move(data)) {}
  operator Data&() { return data; }
  operator const Data&() const { return data; }

  Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace taper::data

#pragma GCC visibility pop
