// The parts of func that are not templates: functions of lists of tensors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/autograd/autograd.h>

#pragma GCC visibility push(default)

namespace torch::taper::func {

/// How random ops behave inside of vmap.
enum class Randomness {
  kError,      ///< random ops throw
  kDifferent,  ///< each example gets different numbers
  kSame        ///< all examples get the same numbers
};

namespace detail {

using autograd::variable_list;

/// The tensors that a function has returned. The tensors after the first `count` are not
/// differentiated.
struct Outputs {
  variable_list tensors;
  size_t count;
};
using ListFunction = std::function<Outputs(const variable_list&)>;
/// The dimension of the batch in each tensor. nullopt means that the tensor has no batch.
using BatchDims = std::vector<optional<int64_t>>;

/// Calls `f` with tensors that stand for batches, so that it computes all examples at once.
variable_list vmap(const ListFunction& f, const variable_list& inputs, const BatchDims& in_dims,
                   const std::function<BatchDims(size_t count)>& out_dims, Randomness randomness,
                   int64_t chunk_size);

struct ValueAndGrads {
  variable_list outputs;  ///< of the call of f
  variable_list grads;    ///< one for each differentiated input
};
/// Returns the outputs, and the gradients of the first output with respect to the inputs at
/// `wanted`. The first output must have one element.
ValueAndGrads grad(const char* name, const ListFunction& f, const variable_list& inputs,
                   const std::vector<size_t>& wanted);

/// The outputs of a function call, and products of vectors with its derivative. Copies share the
/// graph.
struct CallWithProduct {
  variable_list outputs;  ///< of the call of f
  /// Returns the products of the derivative with `vectors`. It may be called several times.
  std::function<variable_list(const variable_list& vectors)> product;
};
/// Calls f. `product` takes a vector v for each differentiated output, and returns v^T J for each
/// input. J is the Jacobian.
CallWithProduct vjp(const ListFunction& f, const variable_list& inputs);
/// Calls f. `product` takes a vector v for each input, and returns J v for each differentiated
/// output. J is the Jacobian.
CallWithProduct linearize(const ListFunction& f, const variable_list& inputs);

/// Replaces tensors in the arguments of this thread's ops until the end of the scope.
class Substitution {
 public:
  Substitution();
  ~Substitution();
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;
  /// After start(), ops get `with` in place of `t`.
  void add(const Tensor& t, const Tensor& with);
  void start();

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

struct OutputsAndTangents {
  variable_list outputs, tangents;
};
OutputsAndTangents jvp(const char* name, const ListFunction& f, const variable_list& inputs,
                       const variable_list& tangents);

struct OutputsAndSeries {
  variable_list outputs;
  std::vector<variable_list> series;  ///< [output][order - 1]
};
/// Returns the outputs and their derivatives with respect to t at t = 0. The inputs are functions
/// of t: `series[i][k - 1]` is derivative k of input i at t = 0.
OutputsAndSeries jet(const ListFunction& f, const variable_list& inputs,
                     const std::vector<variable_list>& series);

/// The outputs of a function, and the Jacobian of each differentiated output with respect to each
/// wanted input.
struct OutputsAndJacobians {
  variable_list outputs;
  std::vector<variable_list> jacobians;  ///< [output][input]
};
/// Computes the Jacobians with respect to the inputs at `wanted` by products v^T J. It computes
/// `chunk_size` products at once, or all if chunk_size is 0.
OutputsAndJacobians jacrev(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, int64_t chunk_size);
/// Computes the Jacobians of jacrev by products J v.
OutputsAndJacobians jacfwd(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, Randomness randomness,
                           int64_t chunk_size);
}  // namespace detail
}  // namespace torch::taper::func

#pragma GCC visibility pop
