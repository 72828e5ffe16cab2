// export_program: makes a program of a module by tracing its call, for save_program and save_onnx.
// Not part of <taper/taper.h>.
//
//   model->eval();
//   const auto program = taper::export_program(model, {torch::rand({2, 3, 224, 224})}, {{0, 0,
//   "batch"}}); taper::save_program("model.pt2", program);
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/nn/module_hooks.h>
#include <taper/program/graph.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A dimension of an argument whose size may differ between calls.
struct DynamicSize {
  int64_t input = 0;          ///< number of the argument
  int64_t dim = 0;            ///< its dimension, from the end if negative
  std::string name;           ///< dimensions of one name have one size; an empty name is its own
  optional<int64_t> min = 1;  ///< smallest size that callers may use
  optional<int64_t> max = nullopt;  ///< largest size
};

namespace program::detail {

/// A call from flat arguments to flat results.
struct FlatCall {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> body;
  std::shared_ptr<std::string> out_spec;     ///< the results' structure, set by the first call
  std::shared_ptr<const nn::Module> module;  ///< null for a function
};

/// Flattens results, and appends their structure as PyTorch's text.
///@{
inline void flatten(const Tensor& y, std::vector<Tensor>& all, std::string& spec) {
  all.push_back(y);
  spec += R"({"type": null, "context": null, "children_spec": []})";
}
template <class... T>
void flatten(const std::tuple<T...>& y, std::vector<Tensor>& all, std::string& spec);
template <class A, class B>
void flatten(const std::pair<A, B>& y, std::vector<Tensor>& all, std::string& spec);
template <class T>
void flatten(const std::vector<T>& y, std::vector<Tensor>& all, std::string& spec) {
  spec += R"({"type": "builtins.list", "context": "null", "children_spec": [)";
  for (size_t i = 0; i < y.size(); ++i) {
    if (i > 0) spec += ", ";
    flatten(y[i], all, spec);
  }
  spec += "]}";
}
template <class... T>
void flatten(const std::tuple<T...>& y, std::vector<Tensor>& all, std::string& spec) {
  spec += R"({"type": "builtins.tuple", "context": "null", "children_spec": [)";
  size_t i = 0;
  std::apply(
      [&](const T&... each) { ((spec += i++ > 0 ? ", " : "", flatten(each, all, spec)), ...); }, y);
  spec += "]}";
}
template <class A, class B>
void flatten(const std::pair<A, B>& y, std::vector<Tensor>& all, std::string& spec) {
  flatten(std::tuple<A, B>(y), all, spec);
}
///@}

[[noreturn]] void throw_argument_count(size_t count);

template <class F, size_t... I>
std::vector<Tensor> call_flat(const F& f, const std::vector<Tensor>& x, std::string& spec,
                              std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<const F&, decltype((void)I, x[0])...>) {
    std::vector<Tensor> all;
    spec.clear();
    flatten(f(x[I]...), all, spec);
    return all;
  } else {
    throw_argument_count(x.size());
  }
}
/// Calls f with one to six tensors.
template <class F>
std::vector<Tensor> call_flat(const F& f, const std::vector<Tensor>& x, std::string& spec) {
  switch (x.size()) {
    case 1:
      return call_flat(f, x, spec, std::make_index_sequence<1>());
    case 2:
      return call_flat(f, x, spec, std::make_index_sequence<2>());
    case 3:
      return call_flat(f, x, spec, std::make_index_sequence<3>());
    case 4:
      return call_flat(f, x, spec, std::make_index_sequence<4>());
    case 5:
      return call_flat(f, x, spec, std::make_index_sequence<5>());
    case 6:
      return call_flat(f, x, spec, std::make_index_sequence<6>());
    default:
      throw_argument_count(x.size());
  }
}

template <class M>
std::shared_ptr<M> pointer_of(const std::shared_ptr<M>& module) {
  return module;
}
template <class Holder>
auto pointer_of(const Holder& module) -> decltype(module.ptr()) {
  return module.ptr();
}

template <class C, class = void>
struct IsModule : std::false_type {};
template <class C>
struct IsModule<C, std::void_t<decltype(std::declval<const C&>()->named_parameters())>>
    : std::true_type {};

template <class Callable>
FlatCall flat_call(const Callable& callable) {
  FlatCall flat;
  flat.out_spec = std::make_shared<std::string>();
  const auto set = [&flat](auto f) {
    flat.body = [f, spec = flat.out_spec](const std::vector<Tensor>& x) {
      return call_flat(f, x, *spec);
    };
  };
  if constexpr (IsModule<Callable>::value) {
    const auto module = pointer_of(callable);
    flat.module = module;
    set([module](const auto&... x) -> decltype(module->forward(x...)) {
      return nn::detail::call_module(*module, x...);
    });
  } else {
    set(callable);
  }
  return flat;
}

/// Traces the call.
Program export_call(const FlatCall& call, const std::vector<Tensor>& example_inputs,
                    const std::vector<DynamicSize>& dynamic);

}  // namespace program::detail

/// Returns the program of a module (a holder or a shared_ptr), or of a function of tensors. It has
/// one to six arguments, all tensors, and returns a tensor, or tuples and vectors of tensors.
///
/// The call is traced without gradients, several times, with sizes and values near those of the
/// examples. All calls must make the same ops. A size is a number in the program, unless it follows
/// from a size in `dynamic`. Afterwards the module's buffers have their old values. The weights of
/// the program share their memory with those of the module.
///
/// The program has the module's mode: call eval() first, unless it shall train. Throws Error for
/// calls that depend on the values of elements, and for changes of memory that no graph can say.
/// docs/programs.md lists the limits.
template <class Callable>
program::Program export_program(const Callable& callable, const std::vector<Tensor>& example_inputs,
                                const std::vector<DynamicSize>& dynamic = {}) {
  return program::detail::export_call(program::detail::flat_call(callable), example_inputs,
                                      dynamic);
}

/// Writes a file for Python: `torch.export.load(path).module()(x)`. Weights are stored on the CPU.
/// The file is replaced completely or not at all. Throws Error if it cannot be written.
void save_program(const std::string& path, const program::Program& program);

}  // namespace torch::taper

#pragma GCC visibility pop
