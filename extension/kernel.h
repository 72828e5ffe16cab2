// Kernel: one class for kernels of all signatures. A Kernel is called with C++ arguments, or with a
// stack of IValues.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <taper/extension/infer_schema.h>
#include <taper/framework/core/dispatch_key.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class OperatorHandle;
namespace jit {
/// A stack of arguments. A call replaces them by its results. The last value is on top.
using Stack = std::vector<IValue>;
}  // namespace jit

namespace detail {

/// A kernel. To call it, call `boxed`, or cast `unboxed` to its function type and call it. Pass
/// function.get() as the first argument.
struct Kernel {
  std::shared_ptr<void> function;
  /// An R (*)(void*, DispatchKeySet, Args...), null for a kernel that is only boxed.
  void (*unboxed)() = nullptr;
  /// Takes the arguments from the stack, and puts the results there. The operator is null for
  /// methods of classes.
  void (*boxed)(void*, const OperatorHandle*, DispatchKeySet, jit::Stack*) = nullptr;
  const std::type_info* signature = nullptr;  ///< type of R(Args...)
  FunctionSchema (*inferred)() = nullptr;
  bool falls_through = false;
  std::string registered_at;
};

// ---------------------------------------------------------------------- values of a stack
/// Converts an argument of type T from the stack. `type` stores its value during the call.
template <class T>
struct Kept {
  using type = T;
  static T from(const IValue& v) { return v.to<T>(); }
};
template <class T>
struct Kept<ArrayRef<T>> : Kept<std::vector<T>> {};
template <class T>
struct Kept<optional<ArrayRef<T>>> : Kept<optional<std::vector<T>>> {};
template <>
struct Kept<OptionalIntArrayRef> {
  // A new list that converts to a view of itself.
  struct type {
    optional<std::vector<int64_t>> values;
    operator OptionalIntArrayRef() const {
      return values ? OptionalIntArrayRef(*values) : OptionalIntArrayRef();
    }
  };
  static type from(const IValue& v) { return {v.to<optional<std::vector<int64_t>>>()}; }
};
template <>
struct Kept<std::string_view> : Kept<std::string> {};
template <>
struct Kept<MemoryFormat> {
  using type = MemoryFormat;
  static type from(const IValue& v) { return static_cast<MemoryFormat>(v.toInt()); }
};
template <>
struct Kept<Layout> {
  using type = Layout;
  static type from(const IValue& v) { return static_cast<Layout>(v.toInt()); }
};
template <class T, size_t N>
struct Kept<std::array<T, N>> {
  using type = std::array<T, N>;
  static type from(const IValue& v) {
    const std::vector<T> all = v.to<std::vector<T>>();
    TAPER_CHECK(all.size() == N, "operator: expected a list of ", N, " values, got ", all.size());
    type array;
    std::copy(all.begin(), all.end(), array.begin());
    return array;
  }
};
template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;
/// Whether a stack can hold a T. An IValue can hold any argument except a generator.
template <class T>
constexpr bool kIsBoxable =
    !std::is_same_v<Bare<T>, Generator> && !std::is_same_v<Bare<T>, optional<Generator>>;

/// Converts a stored argument to the kernel's parameter type T.
template <class T, class K>
decltype(auto) as_parameter(K& kept) {
  if constexpr (std::is_lvalue_reference_v<T> && std::is_same_v<Bare<T>, K>)
    return static_cast<T>(kept);
  else if constexpr (std::is_same_v<Bare<T>, K>)
    return std::move(kept);
  else
    return Bare<T>(kept);
}
template <class T>
IValue to_ivalue(const T& v) {
  if constexpr (std::is_same_v<T, MemoryFormat> || std::is_same_v<T, Layout>)
    return static_cast<int64_t>(v);
  else if constexpr (std::is_same_v<T, std::string_view>)
    return std::string(v);
  else
    return v;
}
template <class T>
IValue to_ivalue(const ArrayRef<T>& v) {
  return v.vec();
}
template <class T>
IValue to_ivalue(const optional<ArrayRef<T>>& v) {
  return v ? to_ivalue(*v) : IValue();
}
inline IValue to_ivalue(const OptionalIntArrayRef& v) {
  return v.has_value() ? IValue(v->vec()) : IValue();
}
template <class T, size_t N>
IValue to_ivalue(const std::array<T, N>& v) {
  return std::vector<T>(v.begin(), v.end());
}
template <class T>
void push_result(jit::Stack& stack, T&& v) {
  stack.push_back(to_ivalue<Bare<T>>(v));
}
template <class... T>
void push_result(jit::Stack& stack, std::tuple<T...>&& all) {
  std::apply([&](auto&... each) { (stack.push_back(to_ivalue<Bare<decltype(each)>>(each)), ...); },
             all);
}
/// Reads the result of type R, which a boxed kernel has put on the stack.
template <class R>
struct Popped {
  static R from(jit::Stack& stack) { return Kept<R>::from(stack.at(0)); }
};
template <>
struct Popped<void> {
  static void from(jit::Stack&) {}
};
template <class... R>
struct Popped<std::tuple<R...>> {
  static std::tuple<R...> from(jit::Stack& stack) {
    return from(stack, std::index_sequence_for<R...>());
  }
  template <size_t... I>
  static std::tuple<R...> from(jit::Stack& stack, std::index_sequence<I...>) {
    return {Kept<R>::from(stack.at(I))...};
  }
};

/// Throws Error if the stack has fewer values than `arguments`, the number of arguments of the
/// function `name`.
void check_stack(const std::string& name, const jit::Stack& stack, size_t arguments);
[[noreturn]] void throw_not_boxable();

// ---------------------------------------------------------------------- any callable
template <bool kTakesKeys, class F, class R, class... Args>
struct KernelOf {
  using Function = R(Args...);

  static R call(void* f, DispatchKeySet keys, Args... args) {
    if constexpr (kTakesKeys)
      return (*static_cast<F*>(f))(keys, std::forward<Args>(args)...);
    else
      return (*static_cast<F*>(f))(std::forward<Args>(args)...);
  }
  static void call_boxed(void* f, const OperatorHandle*, DispatchKeySet keys, jit::Stack* stack) {
    if constexpr ((kIsBoxable<R> && ... && kIsBoxable<Args>))
      call_with(f, keys, *stack, std::index_sequence_for<Args...>());
    else
      throw_not_boxable();
  }
  template <size_t... I>
  static void call_with(void* f, DispatchKeySet keys, jit::Stack& stack,
                        std::index_sequence<I...>) {
    [[maybe_unused]] const size_t first = stack.size() - sizeof...(Args);
    std::tuple<typename Kept<Bare<Args>>::type...> kept{
        Kept<Bare<Args>>::from(stack[first + I])...};
    if constexpr (std::is_void_v<R>) {
      call(f, keys, as_parameter<Args>(std::get<I>(kept))...);
      stack.resize(first);
    } else {
      // A result may refer to an argument, which `kept` holds.
      std::conditional_t<std::is_reference_v<R>, R, Bare<R>> result =
          call(f, keys, as_parameter<Args>(std::get<I>(kept))...);
      stack.resize(first);
      push_result(stack, std::move(result));
    }
  }
};
template <class F, class Signature>
struct KernelOfSignature;
template <class F, class R, class... Args>
struct KernelOfSignature<F, R(Args...)> : KernelOf<false, F, R, Args...> {
  static FunctionSchema inferred() { return inferred_schema<R, Args...>(); }
};
template <class F, class R, class... Args>
struct KernelOfSignature<F, R(DispatchKeySet, Args...)> : KernelOf<true, F, R, Args...> {
  static FunctionSchema inferred() { return inferred_schema<R, Args...>(); }
};

template <class F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...)> {
  using type = R(Args...);
};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...)> {
  using type = R(Args...);
};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...) const> {
  using type = R(Args...);
};

/// Makes a kernel of a function pointer, lambda or other callable.
template <class F>
Kernel make_kernel(F f) {
  using Callee = KernelOfSignature<F, typename SignatureOf<F>::type>;
  Kernel kernel;
  kernel.function = std::make_shared<F>(std::move(f));
  kernel.unboxed = reinterpret_cast<void (*)()>(&Callee::call);
  kernel.boxed = &Callee::call_boxed;
  kernel.signature = &typeid(typename Callee::Function);
  kernel.inferred = &Callee::inferred;
  return kernel;
}

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
