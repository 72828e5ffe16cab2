// Function: a program's differentiable op, written as a pair of static functions.
//
//   struct Square : autograd::Function<Square> {
//     static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
//       ctx->save_for_backward({x});
//       return x * x;
//     }
//     static autograd::variable_list backward(autograd::AutogradContext* ctx,
//                                             autograd::variable_list grads) {
//       return {grads[0] * 2 * ctx->get_saved_variables()[0]};
//     }
//   };
//   Tensor y = Square::apply(x);
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/autograd/saved.h>
#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// LibTorch's name of a variable_list in custom functions.
using tensor_list = variable_list;

/// A range of inputs: the index of the first, and the index after the last.
using IndexRange = std::pair<size_t, size_t>;

namespace detail {
struct FunctionNode;
}

/// Carries values from forward to backward. Each call of Function::apply makes one.
class AutogradContext {
 public:
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Values of other kinds for backward: numbers, bools, strings, lists.
  std::unordered_map<std::string, IValue> saved_data;

  /// Keeps tensors until after backward, or longer if the graph is retained. Call it in forward,
  /// with inputs or outputs.
  void save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
  /// Keeps tensors for jvp. It is another name of save_for_backward.
  void save_for_forward(variable_list to_save) { save_for_backward(std::move(to_save)); }
  /// Returns the kept tensors. Throws if one was changed in-place, or if they were dropped already.
  variable_list get_saved_variables() const;
  /// Declares the inputs that forward changed in-place.
  void mark_dirty(const variable_list& inputs);
  /// Declares outputs that never have a gradient.
  void mark_non_differentiable(const variable_list& outputs);
  /// Sets whether undefined gradients reach backward as zeros. True by default. With false they
  /// stay undefined.
  void set_materialize_grads(bool v) { materialize_grads_ = v; }
  /// Returns whether the gradient of input number `input` is needed. Only tensors are counted, as
  /// in LibTorch: arguments of other kinds, and optional tensors that were not given, have no
  /// number.
  bool needs_input_grad(size_t input) const;
  /// Returns whether the gradient of any input in the ranges is needed:
  /// ctx->needs_input_grad({IndexRange{0, 2}}) tests the first two inputs.
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

 private:
  friend struct detail::FunctionNode;
  variable_list to_save_;
  std::vector<Saved> saved_;
  std::vector<TensorImpl*> dirty_, non_differentiable_;
  bool materialize_grads_ = true;
  const detail::FunctionNode* node_ = nullptr;
  bool released_ = false;
};

namespace detail {

using BackwardFunction = variable_list (*)(AutogradContext*, variable_list);

/// One call of a custom function. Its node is defined elsewhere, because many programs include this
/// header.
class FunctionCall {
 public:
  FunctionCall(const char* type_name, BackwardFunction f);
  AutogradContext& context();
  /// Makes edges to the tensor arguments, in order, and remembers their sizes.
  void set_inputs(const variable_list& tensors, const std::vector<bool>& is_tensor);
  /// Makes the node the history of forward's outputs. The rules differ for views, for tensors that
  /// forward changed in-place, and for other tensors.
  variable_list wrap_outputs(variable_list outputs, const variable_list& inputs, bool recording);
  /// Lets the context return the kept tensors, for jvp.
  void keep_saved();

 private:
  intrusive_ptr<Node> node_;
};

inline void collect(variable_list& tensors, std::vector<bool>& is_tensor, const Tensor& t) {
  tensors.push_back(t);
  is_tensor.push_back(true);
}
inline void collect(variable_list& tensors, std::vector<bool>& is_tensor,
                    const optional<Tensor>& t) {
  const bool given = t && t->defined();
  if (given) tensors.push_back(*t);
  is_tensor.push_back(given);
}
inline void collect(variable_list& tensors, std::vector<bool>& is_tensor, const TensorList& list) {
  for (const Tensor& t : list) collect(tensors, is_tensor, t);
}
inline void collect(variable_list& tensors, std::vector<bool>& is_tensor,
                    const variable_list& list) {
  collect(tensors, is_tensor, TensorList(list));
}
template <class T>
void collect(variable_list&, std::vector<bool>& is_tensor, const T&) {
  is_tensor.push_back(false);
}

/// Replaces the tensors of an argument by the next tensors of a list.
inline void replace(Tensor& t, const Tensor*& next) { t = *next++; }
inline void replace(optional<Tensor>& t, const Tensor*& next) {
  if (t && t->defined()) t = *next++;
}
inline void replace(variable_list& list, const Tensor*& next) {
  for (Tensor& t : list) t = *next++;
}
template <class T>
void replace(T&, const Tensor*&) {}
/// The type of a copy of an argument that owns its value.
template <class T>
struct OwnArgument {
  using type = T;
};
template <>
struct OwnArgument<TensorList> {
  using type = variable_list;
};

/// One call of a custom function inside of func::vmap or func::jvp. `jvp` and `vmap` are empty if
/// the class does not define them.
struct CustomCall {
  const char* type_name;
  const variable_list& inputs;  ///< the tensors among the arguments, in their order
  /// Calls the custom function with other tensors.
  std::function<variable_list(const variable_list& inputs)> call;
  /// Returns outputs and their tangents. An undefined tangent means zero.
  std::function<std::pair<variable_list, variable_list>(const variable_list& inputs,
                                                        const variable_list& tangents)>
      jvp;
  /// Calls the class's vmap. in_dims are the batch dimensions of the inputs.
  std::function<std::pair<variable_list, std::vector<optional<int64_t>>>(
      int64_t batch_size, const variable_list& inputs,
      const std::vector<optional<int64_t>>& in_dims)>
      vmap;
};
/// Returns whether a transformation of functions (func/) handles calls with these tensors.
bool is_transformed(const variable_list& inputs);
/// Calls a custom function under the transformations of this thread.
variable_list call_transformed(const CustomCall& call);
template <class T, class = void>
struct HasJvp : std::false_type {};
template <class T>
struct HasJvp<T, std::void_t<decltype(&T::jvp)>> : std::true_type {};
template <class T, class = void>
struct HasVmap : std::false_type {};
template <class T>
struct HasVmap<T, std::void_t<decltype(&T::vmap)>> : std::true_type {};

inline variable_list to_list(Tensor&& t) { return {std::move(t)}; }
inline variable_list to_list(variable_list&& l) { return std::move(l); }
inline void from_list(Tensor& t, variable_list&& l) { t = std::move(l[0]); }
inline void from_list(variable_list& out, variable_list&& l) { out = std::move(l); }

}  // namespace detail

/// Base of a custom function T (see the top of this file). `forward` takes the context and any
/// arguments, returns a Tensor or a variable_list and runs without recording. `backward` gets one
/// gradient for each output. It returns one gradient for each argument of forward, undefined for
/// arguments that are no tensors.
///
/// Two more static functions are optional. They serve transformations of functions (func/func.h):
///
///     static variable_list jvp(AutogradContext* ctx, variable_list tangents);
///     static std::pair<variable_list, std::vector<optional<int64_t>>> vmap(
///         int64_t batch_size, const std::vector<optional<int64_t>>& in_dims, ...);
///
/// `jvp` gets one tangent for each tensor among the arguments and returns one tangent for each
/// output. By default the tangents follow from backward. `vmap` gets the arguments of forward and
/// their batch dimensions. It returns the outputs and the batch dimensions of the outputs. By
/// default the function is called for each example.
template <class T>
struct Function {
  /// Calls X::forward(context, args...) with a new context, and returns its result. The result gets
  /// backward as its history if gradient mode is on and a tensor among `args` (also in optionals
  /// and lists) requires a gradient.
  template <class X = T, class... Args>
  static auto apply(Args&&... args)
      -> std::decay_t<decltype(X::forward(nullptr, std::forward<Args>(args)...))> {
    detail::FunctionCall call(typeid(T).name(), &T::backward);
    variable_list tensors;
    std::vector<bool> is_tensor;
    (detail::collect(tensors, is_tensor, args), ...);
    using Result = std::decay_t<decltype(X::forward(nullptr, std::forward<Args>(args)...))>;
    if (taper::detail::has_modes() && detail::is_transformed(tensors))
      return transformed<X, Result>(tensors, args...);
    const bool recording = needs_grad_list(tensors);
    if (recording) call.set_inputs(tensors, is_tensor);
    Result result = [&] {
      const NoGradGuard no_grad;
      return X::forward(&call.context(), std::forward<Args>(args)...);
    }();
    detail::from_list(result,
                      call.wrap_outputs(detail::to_list(std::move(result)), tensors, recording));
    return result;
  }

 private:
  /// Calls apply under the transformations of this thread.
  template <class X, class Result, class... Args>
  static Result transformed(const variable_list& tensors, const Args&... args) {
    using Own = std::tuple<typename detail::OwnArgument<std::decay_t<Args>>::type...>;
    const auto with = [&args...](const variable_list& inputs, const auto& f) {
      Own own(args...);
      const Tensor* next = inputs.data();
      std::apply([&](auto&... a) { (detail::replace(a, next), ...); }, own);
      return std::apply(f, own);
    };
    detail::CustomCall custom{typeid(T).name(), tensors, nullptr, nullptr, nullptr};
    custom.call = [&with](const variable_list& inputs) {
      return with(inputs, [](auto&... a) { return detail::to_list(apply<X>(a...)); });
    };
    if constexpr (detail::HasJvp<T>::value)
      custom.jvp = [&with](const variable_list& inputs, const variable_list& tangents) {
        detail::FunctionCall call(typeid(T).name(), &T::backward);
        const NoGradGuard no_grad;
        variable_list y = with(
            inputs, [&](auto&... a) { return detail::to_list(X::forward(&call.context(), a...)); });
        call.keep_saved();
        variable_list dy = T::jvp(&call.context(), tangents);
        return std::make_pair(std::move(y), std::move(dy));
      };
    if constexpr (detail::HasVmap<T>::value)
      custom.vmap = [&with](int64_t batch_size, const variable_list& inputs,
                            const std::vector<optional<int64_t>>& in_dims) {
        return with(inputs, [&](auto&... a) { return T::vmap(batch_size, in_dims, a...); });
      };
    Result result;
    detail::from_list(result, detail::call_transformed(custom));
    return result;
  }
  static bool needs_grad_list(const variable_list& tensors) {
    if (!GradMode::is_enabled()) return false;
    for (const Tensor& t : tensors)
      if (t.defined() && t.requires_grad()) return true;
    return false;
  }
};

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
