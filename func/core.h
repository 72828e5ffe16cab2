// The parts of func that are no templates: functions of lists of tensors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/autograd/autograd.h>

#pragma GCC visibility push(default)

namespace torch::taper::func {

/// How random ops behave inside of vmap.
enum class Randomness {
  kError,      ///< they throw
  kDifferent,  ///< each example gets numbers of its own
  kSame        ///< all examples get the same numbers
};

namespace detail {

using autograd::variable_list;

/// What a function has returned. Those after the first `count` are not differentiated.
struct Outputs {
  variable_list tensors;
  size_t count;
};
using ListFunction = std::function<Outputs(const variable_list&)>;
/// Where batches lie. An element without a value has no batch.
using BatchDims = std::vector<optional<int64_t>>;

/// Calls `f` for all examples at once.
variable_list vmap(const ListFunction& f, const variable_list& inputs, const BatchDims& in_dims,
                   const std::function<BatchDims(size_t count)>& out_dims, Randomness randomness,
                   int64_t chunk_size);

struct ValueAndGrads {
  variable_list outputs;  ///< of the function
  variable_list grads;    ///< one for each differentiated input
};
/// Returns the outputs, the first of which has one element, and its gradients with respect to the
/// inputs at `wanted`.
ValueAndGrads grad(const char* name, const ListFunction& f, const variable_list& inputs,
                   const std::vector<size_t>& wanted);

/// What a function call returned, and products of vectors with its derivative. Copies share the
/// graph.
struct CallWithProduct {
  variable_list outputs;  ///< of the function
  /// Returns the products with a list of vectors. It may be called several times.
  std::function<variable_list(const variable_list& vectors)> product;
};
/// The product is v^T J for each input. It takes a vector for each differentiated output.
CallWithProduct vjp(const ListFunction& f, const variable_list& inputs);
/// The product is J v for each differentiated output. It takes a vector for each input.
CallWithProduct linearize(const ListFunction& f, const variable_list& inputs);

/// Ops inside of the scope get other tensors in place of some.
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
/// products from the left in chunks of `chunk_size` (0: one chunk).
struct OutputsAndJacobians {
  variable_list outputs;
  std::vector<variable_list> jacobians;  ///< [output][input]
};
OutputsAndJacobians jacrev(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, int64_t chunk_size);
/// Does so by products from the right.
OutputsAndJacobians jacfwd(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, Randomness randomness,
                           int64_t chunk_size);
}  // namespace detail
}  // namespace torch::taper::func

#pragma GCC visibility pop
