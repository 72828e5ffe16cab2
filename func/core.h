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

/// The products of one function call with vectors from the left. Copies share the graph.
class Pullback {
 public:
  variable_list outputs;  ///< of the function
  size_t count = 0;       ///< how many are differentiated
  /// Returns v^T J for each input. It may be called several times.
  variable_list operator()(const variable_list& v) const;

 private:
  friend Pullback vjp(const ListFunction& f, const variable_list& inputs);
  struct State;
  std::shared_ptr<State> state_;
};
Pullback vjp(const ListFunction& f, const variable_list& inputs);

/// The derivative of one function call, to be multiplied with vectors from the right. Copies share
/// the graph.
class Pushforward {
 public:
  variable_list outputs;
  size_t count = 0;
  /// Returns J t for each differentiated output. It may be called several times.
  variable_list operator()(const variable_list& tangents) const;

 private:
  friend Pushforward linearize(const ListFunction& f, const variable_list& inputs);
  struct State;
  std::shared_ptr<State> state_;
};
Pushforward linearize(const ListFunction& f, const variable_list& inputs);

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
