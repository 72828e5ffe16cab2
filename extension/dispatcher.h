// Dispatcher: the operators of a program by name, each with a schema and kernels by dispatch key.
// Names are LibTorch's. library.h registers them.
//
//   auto add = Dispatcher::singleton()
//                  .findSchemaOrThrow("my::add", "")
//                  .typed<Tensor(const Tensor&, const Tensor&)>();
//   Tensor c = add.call(a, b);
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <taper/extension/kernel.h>
#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// What a definition may say of an operator. Taper keeps it, and does nothing with it.
enum class Tag {
  core,
  data_dependent_output,
  dynamic_output_shape,
  flexible_layout,
  inplace_view,
  needs_exact_strides,
  needs_fixed_stride_order,
  nondeterministic_bitwise,
  nondeterministic_seeded,
  pointwise,
  pt2_compliant_tag,
  view_copy
};

namespace detail {

constexpr int kRuntimeKeys = static_cast<int>(DispatchKey::EndOfRuntimeKeys);
constexpr int kKeys = static_cast<int>(DispatchKey::CompositeExplicitAutograd) + 1;

/// What a library has said of an operator.
struct Definition {
  FunctionSchema schema;
  std::string place;
  std::vector<Tag> tags;
};

/// The kernels of an operator, and the one that each runtime key calls. Kept for ever, so that
/// handles stay valid; changed under the dispatcher's lock, which only `kernels` is read with.
struct OperatorEntry {
  OperatorName name;
  std::string label;  ///< of the operator in errors and profiles
  std::atomic<const Definition*> definition{nullptr};
  std::atomic<const Kernel*> typed_kernel{nullptr};       ///< its C++ signature is the operator's
  std::array<std::vector<const Kernel*>, kKeys> kernels;  ///< by key; the last one counts
  std::array<std::atomic<const Kernel*>, kRuntimeKeys> table{};
  std::atomic<uint64_t> passed_over{0};  ///< keys for which nothing is to be called

  /// The kernel of the first key that has one. Throws NotImplementedError where there is none.
  const Kernel& lookup(DispatchKeySet keys) const {
    const DispatchKeySet left =
        keys - DispatchKeySet::from_raw_repr(passed_over.load(std::memory_order_acquire));
    const DispatchKey key = left.highestPriorityTypeId();
    const Kernel* const found = table[static_cast<int>(key)].load(std::memory_order_acquire);
    return __builtin_expect(found != nullptr, 1) ? *found : lookup_locked(keys);
  }
  /// The same while no kernel comes or goes: in the middle of that a key may seem to have none.
  const Kernel& lookup_locked(DispatchKeySet keys) const;
  [[noreturn]] void throw_no_kernel(DispatchKey key) const;
};

/// The keys of a tensor: its device, and autograd unless it is an inference tensor.
DispatchKeySet keys_of(const Tensor& t);
inline void add_keys(DispatchKeySet& keys, const Tensor& t) {
  if (t.defined()) keys = keys | keys_of(t);
}
inline void add_keys(DispatchKeySet& keys, const optional<Tensor>& t) {
  if (t) add_keys(keys, *t);
}
template <class T>
void add_keys_of_list(DispatchKeySet& keys, const T& list) {
  for (const auto& t : list) add_keys(keys, t);
}
inline void add_keys(DispatchKeySet& keys, const TensorList& list) { add_keys_of_list(keys, list); }
inline void add_keys(DispatchKeySet& keys, const std::vector<Tensor>& list) {
  add_keys_of_list(keys, list);
}
inline void add_keys(DispatchKeySet& keys, const std::vector<optional<Tensor>>& list) {
  add_keys_of_list(keys, list);
}
inline void add_keys(DispatchKeySet& keys, const List<Tensor>& list) {
  add_keys_of_list(keys, list);
}
inline void add_keys(DispatchKeySet& keys, const List<optional<Tensor>>& list) {
  add_keys_of_list(keys, list);
}
template <class T>
void add_keys(DispatchKeySet&, const T&) {}
void add_keys(DispatchKeySet& keys, const IValue& v);

/// With what this thread includes, and without what it leaves out.
DispatchKeySet keys_of_call(DispatchKeySet of_arguments);

template <class... Args>
DispatchKeySet keys_of_arguments(const Args&... args) {
  DispatchKeySet keys;
  (add_keys(keys, args), ...);
  return keys_of_call(keys);
}

/// The first argument, for in-place operators: what a boxed kernel returns a reference to.
template <class R, class First, class... Args>
R first_argument(First& first, Args&...) {
  return static_cast<R>(first);
}

}  // namespace detail

template <class Function>
class TypedOperatorHandle;

/// An operator; valid for ever.
class OperatorHandle {
 public:
  /// "ns::name" and the overload.
  const OperatorName& operator_name() const { return entry_->name; }
  /// Whether a library defines it now.
  bool hasSchema() const { return entry_->definition.load() != nullptr; }
  /// Throws Error for an operator that has kernels only.
  const FunctionSchema& schema() const { return definition().schema; }
  /// Where it was defined: "file:line".
  const std::string& debug() const { return definition().place; }
  /// Whether this very key has a kernel.
  bool hasKernelForDispatchKey(DispatchKey key) const;
  /// The same for one of several keys.
  bool hasKernelForAnyDispatchKey(DispatchKeySet keys) const;
  /// Whether the definition has the tag.
  bool hasTag(Tag tag) const;
  /// All tags of the definition.
  const std::vector<Tag>& getTags() const { return definition().tags; }

  /// The operator as R(Args...). Throws Error where its kernels have another signature.
  template <class Function>
  TypedOperatorHandle<Function> typed() const {
    check_signature(typeid(Function));
    return TypedOperatorHandle<Function>(entry_);
  }
  /// Takes all arguments from the stack, defaults too, and leaves the results there.
  void callBoxed(jit::Stack* stack) const;
  /// The same.
  void callBoxed(jit::Stack& stack) const { callBoxed(&stack); }
  /// The same for the kernel of the first of `keys`.
  void redispatchBoxed(DispatchKeySet keys, jit::Stack* stack) const;

  /// Whether both are one operator.
  friend bool operator==(const OperatorHandle& a, const OperatorHandle& b) {
    return a.entry_ == b.entry_;
  }
  /// Whether they are two.
  friend bool operator!=(const OperatorHandle& a, const OperatorHandle& b) { return !(a == b); }

 protected:
  friend class Dispatcher;
  /// Of an entry of the dispatcher.
  explicit OperatorHandle(detail::OperatorEntry* entry) : entry_(entry) {}
  /// Throws Error for an operator that has kernels only.
  const detail::Definition& definition() const;
  /// Throws Error where the kernels have another signature.
  void check_signature(const std::type_info& signature) const;
  detail::OperatorEntry* entry_;  ///< lives for ever
};

/// An operator as a C++ function of these types.
template <class R, class... Args>
class TypedOperatorHandle<R(Args...)> : public OperatorHandle {
 public:
  /// Calls the kernel of the first key of the arguments. Throws NotImplementedError without one.
  R call(Args... args) const {
    const detail::RunScope scope(detail::RunEvent::kScope, entry_->label);
    const DispatchKeySet keys = detail::keys_of_arguments(args...);  // before these are moved
    return redispatch(keys, std::forward<Args>(args)...);
  }
  /// Calls the kernel of the first of `keys`: from a kernel, with the keys after its own.
  R redispatch(DispatchKeySet keys, Args... args) const {
    const detail::Kernel& kernel = entry_->lookup(keys);
    if (__builtin_expect(kernel.unboxed != nullptr, 1))
      return reinterpret_cast<R (*)(void*, DispatchKeySet, Args...)>(kernel.unboxed)(
          kernel.function.get(), keys, std::forward<Args>(args)...);
    return call_boxed(kernel, keys, args...);
  }

 private:
  friend class OperatorHandle;
  using OperatorHandle::OperatorHandle;

  template <class... A>
  R call_boxed(const detail::Kernel& kernel, DispatchKeySet keys, A&... args) const {
    if constexpr ((detail::kIsBoxable<R> && ... && detail::kIsBoxable<A>)) {
      jit::Stack stack{detail::to_ivalue<detail::Bare<A>>(args)...};
      kernel.boxed(kernel.function.get(), this, keys, &stack);
      if constexpr (std::is_reference_v<R>)
        return detail::first_argument<R>(args...);
      else
        return detail::Popped<R>::from(stack);
    } else {
      detail::throw_not_boxable();
    }
  }
};

/// All operators of the process. Every function may be called by any thread at any time.
class Dispatcher {
 public:
  /// The one of the process.
  static Dispatcher& singleton();

  /// The operator of this name that has been defined.
  optional<OperatorHandle> findSchema(const OperatorName& name);
  /// The same. Throws Error where there is none.
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload_name);
  /// The operator of this name that has been defined, or given a kernel.
  optional<OperatorHandle> findOp(const OperatorName& name);
  /// In the order of their names.
  std::vector<OperatorName> getAllOpNames();

  /// op.call(args...).
  template <class R, class... Args>
  R call(const TypedOperatorHandle<R(Args...)>& op, Args... args) const {
    return op.call(std::forward<Args>(args)...);
  }
  /// op.redispatch(keys, args...).
  template <class R, class... Args>
  R redispatch(const TypedOperatorHandle<R(Args...)>& op, DispatchKeySet keys, Args... args) const {
    return op.redispatch(keys, std::forward<Args>(args)...);
  }
  /// op.callBoxed(stack).
  void callBoxed(const OperatorHandle& op, jit::Stack* stack) const { op.callBoxed(stack); }

  // For library.h. Each takes place at once.
  /// Takes back what returned it.
  using Undo = std::function<void()>;
  /// Throws Error where another library has the namespace.
  Undo add_library(const std::string& ns, const std::string& place);
  /// Throws Error where the operator is defined already, or has kernels of another schema.
  Undo define(FunctionSchema schema, const std::string& place, std::vector<Tag> tags);
  /// Throws Error where the kernel's schema or C++ signature is another than the operator's.
  Undo add_kernel(const OperatorName& name, DispatchKey key, detail::Kernel kernel);
  /// The kernel of a key for all operators that have none for it.
  Undo add_fallback(DispatchKey key, detail::Kernel kernel);

 private:
  friend struct detail::OperatorEntry;
  friend class OperatorHandle;
  struct State;
  Dispatcher();
  ~Dispatcher() = delete;
  State* const state_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
