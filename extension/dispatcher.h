// Dispatcher: finds the operators of a program by name. Each operator has a schema, and a kernel
// for each of some dispatch keys. Names are LibTorch's. Use library.h to register operators.
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

/// Tags of an operator's definition. Taper stores the tags, but does not use them.
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

/// A library's definition of an operator.
struct Definition {
  FunctionSchema schema;
  std::string place;
  std::vector<Tag> tags;
};

/// The kernels of an operator, and the kernel that each runtime key calls (`table`). Entries are
/// never destroyed, so that handles stay valid. To change an entry, or to read `kernels`, hold the
/// dispatcher's lock.
struct OperatorEntry {
  OperatorName name;
  std::string label;  ///< name in errors and profiles
  std::atomic<const Definition*> definition{nullptr};
  std::atomic<const Kernel*> typed_kernel{nullptr};  ///< gives the operator its C++ signature
  /// Kernels of each key. The last one of a key is used.
  std::array<std::vector<const Kernel*>, kKeys> kernels;
  std::array<std::atomic<const Kernel*>, kRuntimeKeys> table{};
  std::atomic<uint64_t> passed_over{0};  ///< bit set of keys whose kernel falls through

  /// Returns the kernel of the key of `keys` with the highest priority. Skips keys whose kernel
  /// falls through. Throws NotImplementedError if this key has no kernel.
  const Kernel& lookup(DispatchKeySet keys) const {
    const DispatchKeySet left =
        keys - DispatchKeySet::from_raw_repr(passed_over.load(std::memory_order_acquire));
    const DispatchKey key = left.highestPriorityTypeId();
    const Kernel* const found = table[static_cast<int>(key)].load(std::memory_order_acquire);
    return __builtin_expect(found != nullptr, 1) ? *found : lookup_locked(keys);
  }
  /// Returns what lookup() returns, but holds the dispatcher's lock. Without the lock, a key may
  /// seem to have no kernel while another thread changes the table.
  const Kernel& lookup_locked(DispatchKeySet keys) const;
  [[noreturn]] void throw_no_kernel(DispatchKey key) const;
};

/// Returns the keys of a tensor: the key of its device, and the key of autograd unless it is an
/// inference tensor.
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

/// Returns the keys of a call: `of_arguments`, plus the keys that this thread includes, minus the
/// keys that this thread excludes.
DispatchKeySet keys_of_call(DispatchKeySet of_arguments);

template <class... Args>
DispatchKeySet keys_of_arguments(const Args&... args) {
  DispatchKeySet keys;
  (add_keys(keys, args), ...);
  return keys_of_call(keys);
}

/// Returns the first argument that converts to R. In-place and `out` operators return a reference
/// to this argument. A boxed kernel cannot return a reference, so the caller uses this function.
template <class R, class First, class... Args>
R first_argument(First& first, Args&... others) {
  if constexpr (std::is_convertible_v<First&, R> || sizeof...(Args) == 0)
    return static_cast<R>(first);
  else
    return first_argument<R>(others...);
}

}  // namespace detail

template <class Function>
class TypedOperatorHandle;

/// A reference to an operator, which is valid until the process ends.
class OperatorHandle {
 public:
  /// Returns the name of the operator ("ns::name") and of the overload.
  const OperatorName& operator_name() const { return entry_->name; }
  /// Returns whether a library currently defines the operator.
  bool hasSchema() const { return entry_->definition.load() != nullptr; }
  /// Returns the schema. Throws Error for an operator with kernels but without a schema.
  const FunctionSchema& schema() const { return definition().schema; }
  /// Returns the source position of the definition: "file:line".
  const std::string& debug() const { return definition().place; }
  /// Returns whether the operator has a kernel for `key`.
  bool hasKernelForDispatchKey(DispatchKey key) const;
  /// Returns whether the operator has a kernel for any of `keys`.
  bool hasKernelForAnyDispatchKey(DispatchKeySet keys) const;
  /// Returns whether the definition has the tag.
  bool hasTag(Tag tag) const;
  /// Returns all tags of the definition.
  const std::vector<Tag>& getTags() const { return definition().tags; }

  /// Returns a handle with the C++ type `Function`, R(Args...). Throws Error if the operator's
  /// kernels have another signature.
  template <class Function>
  TypedOperatorHandle<Function> typed() const {
    check_signature(typeid(Function));
    return TypedOperatorHandle<Function>(entry_);
  }
  /// Calls the operator with the arguments on the stack, and replaces them by the results. The
  /// caller must also push default values.
  void callBoxed(jit::Stack* stack) const;
  /// Calls callBoxed with a pointer to the stack.
  void callBoxed(jit::Stack& stack) const { callBoxed(&stack); }
  /// Calls the kernel of the key of `keys` with the highest priority, with the arguments on the
  /// stack.
  void redispatchBoxed(DispatchKeySet keys, jit::Stack* stack) const;

  /// Returns whether `a` and `b` refer to the same operator.
  friend bool operator==(const OperatorHandle& a, const OperatorHandle& b) {
    return a.entry_ == b.entry_;
  }
  /// Returns whether `a` and `b` refer to different operators.
  friend bool operator!=(const OperatorHandle& a, const OperatorHandle& b) { return !(a == b); }

 protected:
  friend class Dispatcher;
  /// Makes a handle of an entry of the dispatcher.
  explicit OperatorHandle(detail::OperatorEntry* entry) : entry_(entry) {}
  /// Returns the definition. Throws Error for an operator with kernels but without a schema.
  const detail::Definition& definition() const;
  /// Throws Error if the kernels have another signature.
  void check_signature(const std::type_info& signature) const;
  detail::OperatorEntry* entry_;  ///< never destroyed
};

/// A reference to an operator whose C++ signature is R(Args...).
template <class R, class... Args>
class TypedOperatorHandle<R(Args...)> : public OperatorHandle {
 public:
  /// Calls the kernel of the arguments' key with the highest priority. Throws NotImplementedError
  /// if this key has no kernel.
  R call(Args... args) const {
    const detail::RunScope scope(detail::RunEvent::kScope, entry_->label);
    const DispatchKeySet keys = detail::keys_of_arguments(args...);  // before these are moved
    return redispatch(keys, std::forward<Args>(args)...);
  }
  /// Calls the kernel of the key of `keys` with the highest priority. A kernel calls this function
  /// with the keys of lower priority than its key.
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

/// Holds all operators of the process. Any thread may call any function at any time.
class Dispatcher {
 public:
  /// Returns the dispatcher of the process.
  static Dispatcher& singleton();

  /// Returns the operator that a program has defined with this name, or the op of Taper's table of
  /// ops. Ops of the table have PyTorch's schemas, names ("aten::add") and overload names
  /// ("Tensor"). If a program registers a kernel for an op of the table, only calls through the
  /// dispatcher use it.
  optional<OperatorHandle> findSchema(const OperatorName& name);
  /// Returns what findSchema() returns. Throws Error if there is no such operator.
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload_name);
  /// Returns the operator with this name if it has a definition or a kernel.
  optional<OperatorHandle> findOp(const OperatorName& name);
  /// Returns the names of all operators, sorted.
  std::vector<OperatorName> getAllOpNames();

  /// Calls op.call(args...).
  template <class R, class... Args>
  R call(const TypedOperatorHandle<R(Args...)>& op, Args... args) const {
    return op.call(std::forward<Args>(args)...);
  }
  /// Calls op.redispatch(keys, args...).
  template <class R, class... Args>
  R redispatch(const TypedOperatorHandle<R(Args...)>& op, DispatchKeySet keys, Args... args) const {
    return op.redispatch(keys, std::forward<Args>(args)...);
  }
  /// Calls op.callBoxed(stack).
  void callBoxed(const OperatorHandle& op, jit::Stack* stack) const { op.callBoxed(stack); }

  // The functions below are for library.h. Each takes effect immediately.
  /// A function that undoes a registration.
  using Undo = std::function<void()>;
  /// Registers a namespace. Throws Error if another library has registered it.
  Undo add_library(const std::string& ns, const std::string& place);
  /// Defines an operator. Throws Error if the operator is already defined, or has kernels of
  /// another schema.
  Undo define(FunctionSchema schema, const std::string& place, std::vector<Tag> tags);
  /// Adds a kernel. Throws Error if its schema or C++ signature differs from the operator's.
  Undo add_kernel(const OperatorName& name, DispatchKey key, detail::Kernel kernel);
  /// Adds a kernel for `key` that all operators without a kernel for `key` use.
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
