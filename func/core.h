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

/// Calls `f` for all examples at once.
variable_list vmap(const ListFunction& f, const variable_list& inputs, const BatchDims& in_dims,
                   const std::function<BatchDims(size_t count)>& out_dims, Randomness randomness,
                   int64_t chunk_size);

struct ValueAndGrads {
  variable_list outputs;  ///< of the function
  variable_list grads;    ///< one for each differentiated input
};
/// Returns the outputs, and the gradients of the first output with respect to the inputs at
/// `wanted`. The first output must have one element.
ValueAndGrads grad(const char* name, const ListFunction& f, const variable_list& inputs,
                   const std::vector<size_t>& wanted);

/// The outputs of a function call, and products of vectors with its derivative. Copies share the
/// graph.
struct CallWithProduct {
  variable_list outputs;  ///< of the function
  /// Returns the products with a list of vectors. It may be called several times.
  std::function<variable_list(const variable_list& vectors)> product;
};
/// Calls f. The product is v^T J for each input. It takes a vector for each differentiated output.
CallWithProduct vjp(const ListFunction& f, const variable_list& inputs);
/// Calls f. The product is J v for each differentiated output. It takes a vector for each input.
CallWithProduct linearize(const ListFunction& f, const variable_list& inputs);

/// Replaces tensors in the arguments of ops, until the end of the scope.
class Substitution {
 public:
  Substitution();
  ~Substitution();
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;
  /// Ops get `with` in place of `t`, from start() on.
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
/// Returns the outputs and their derivatives with respect to t at 0. `series[i][k - 1]` is
/// derivative k of input i.
OutputsAndSeries jet(const ListFunction& f, const variable_list& inputs,
                     const std::vector<variable_list>& series);

/// Returns the Jacobian of each differentiated output with respect to each input at `wanted`, by
/// products v^T J. It computes `chunk_size` products at once, or all if chunk_size is 0.
struct OutputsAndJacobians {
  variable_list outputs;
  std::vector<variable_list> jacobians;  ///< [output][input]
};
OutputsAndJacobians jacrev(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, int64_t chunk_size);
/// Computes the same Jacobians by products J v.
OutputsAndJacobians jacfwd(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, Randomness randomness,
                           int64_t chunk_size);
}  // namespace detail
}  // namespace torch::taper::func

#pragma GCC visibility pop
