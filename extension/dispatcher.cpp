#include <taper/extension/dispatcher.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/backtrace.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper {

// ---------------------------------------------------------------------- keys of a call
namespace detail {
namespace {

constexpr int kDeviceToAutograd =
    static_cast<int>(DispatchKey::AutogradCPU) - static_cast<int>(DispatchKey::CPU);
static_assert(static_cast<int>(DispatchKey::AutogradPrivateUse1) ==
              static_cast<int>(DispatchKey::PrivateUse1) + kDeviceToAutograd);

DispatchKey autograd_of(DispatchKey device) {
  return static_cast<DispatchKey>(static_cast<int>(device) + kDeviceToAutograd);
}
/// Returns the device key of an autograd key. It is Undefined for AutogradOther.
DispatchKey device_of(DispatchKey autograd) {
  return static_cast<DispatchKey>(static_cast<int>(autograd) - kDeviceToAutograd);
}

}  // namespace

DispatchKeySet keys_of(const Tensor& t) {
  const DeviceType type = t.device().type();
  const bool cuda = type == kCUDA;
  const DispatchKey device = cuda ? DispatchKey::CUDA : DispatchKey::CPU;
  DispatchKeySet keys(device);
  if (!t.is_inference()) keys = keys.add(autograd_of(device)).add(DispatchKey::ADInplaceOrView);
  if (autocast::is_autocast_enabled(type))
    keys = keys.add(cuda ? DispatchKey::AutocastCUDA : DispatchKey::AutocastCPU);
  return keys;
}
void add_keys(DispatchKeySet& keys, const IValue& v) {
  if (v.isTensor())
    add_keys(keys, v.toTensor());
  else if (v.isTensorList())
    add_keys(keys, v.toTensorVector());
  else if (v.isList() && !v.isIntList() && !v.isDoubleList())
    for (const IValue& each : v.toListRef()) add_keys(keys, each);
}
DispatchKeySet keys_of_call(DispatchKeySet of_arguments) {
  const ThreadDispatchKeys& thread = thread_dispatch_keys();
  DispatchKeySet left_out = thread.excluded;
  if (InferenceMode::is_enabled()) left_out = left_out | autograd_dispatch_keyset;
  return (of_arguments | thread.included).add(DispatchKey::BackendSelect) - left_out;
}

// ---------------------------------------------------------------------- errors
namespace {

std::string places_of_kernels(const OperatorEntry& op) {
  std::string all;
  for (size_t k = 0; k < op.kernels.size(); ++k)
    if (!op.kernels[k].empty())
      all += concat(static_cast<DispatchKey>(k), ": registered at ",
                    op.kernels[k].back()->registered_at, " [kernel]\n");
  return all;
}
std::string keys_with_kernels(const OperatorEntry& op) {
  std::string all;
  for (size_t k = 0; k < op.kernels.size(); ++k)
    if (!op.kernels[k].empty()) all += concat(all.empty() ? "" : ", ", static_cast<DispatchKey>(k));
  return all;
}
std::string described(const OperatorEntry& op) {
  const Definition* const known = op.definition.load();
  if (!known) return concat("\n  operator: ", op.label, "\n    which no library has defined");
  return concat("\n  operator: ", known->schema, "\n    registered at ", known->place);
}

}  // namespace

void OperatorEntry::throw_no_kernel(DispatchKey key) const {
  if (key == DispatchKey::Undefined)
    throw NotImplementedError(concat(
        "There were no tensor arguments to this function (e.g., you passed an empty list of "
        "Tensors), but no fallback function is registered for schema ",
        label,
        ".  This usually means that this function requires a non-empty list of Tensors, or that "
        "you (the operator writer) forgot to register a fallback function.  Available functions "
        "are [",
        keys_with_kernels(*this), "].\n\n", places_of_kernels(*this)));
  throw NotImplementedError(
      concat("Could not run '", label, "' with arguments from the '", key,
             "' backend. This could be because the operator doesn't exist for this backend. '",
             label, "' is only available for these backends: [", keys_with_kernels(*this), "].\n\n",
             places_of_kernels(*this)));
}
void check_stack(const std::string& name, const jit::Stack& stack, size_t arguments) {
  TAPER_CHECK(stack.size() >= arguments, name, ": expected ", arguments,
              " arguments on the stack, got ", stack.size());
}
void throw_not_boxable() {
  throw Error(
      "callBoxed: expected an operator whose arguments a stack of IValues can hold, got one "
      "with a Generator: call it by typed<>()");
}
}  // namespace detail

using detail::concat;
using detail::Kernel;
using detail::OperatorEntry;

// ---------------------------------------------------------------------- which kernel for a key
namespace {

constexpr DispatchKeySet kBackends{DispatchKey::CPU, DispatchKey::CUDA, DispatchKey::XPU,
                                   DispatchKey::MPS, DispatchKey::Meta, DispatchKey::PrivateUse1};

const Kernel* newest(const OperatorEntry& op, DispatchKey key) {
  const auto& all = op.kernels[static_cast<size_t>(key)];
  return all.empty() ? nullptr : all.back();
}
// Searches in LibTorch's order: the key's own kernel, a kernel for all backends, a composite
// kernel, and a kernel for autograd on any device. For autograd a composite kernel counts only if
// the backend has no kernel of its own.
const Kernel* own_kernel(const OperatorEntry& op, DispatchKey key) {
  if (const Kernel* const k = newest(op, key)) return k;
  const bool of_backend = key == DispatchKey::Undefined || kBackends.has(key);
  const bool of_autograd = autograd_dispatch_keyset.has(key);
  const Kernel* const explicit_kernel = newest(op, DispatchKey::CompositeExplicitAutograd);
  if (of_backend && explicit_kernel) return explicit_kernel;
  if (of_backend || (of_autograd && !explicit_kernel && !newest(op, detail::device_of(key))))
    if (const Kernel* const k = newest(op, DispatchKey::CompositeImplicitAutograd)) return k;
  return of_autograd ? newest(op, DispatchKey::Autograd) : nullptr;
}
void check_inferred(const detail::Definition& defined, const Kernel& kernel) {
  if (!kernel.inferred) return;
  const FunctionSchema inferred = kernel.inferred();
  const std::string reason = difference(defined.schema, inferred);
  TAPER_CHECK(reason.empty(),
              "Inferred operator schema for a C++ kernel function doesn't match the expected "
              "function schema.\n  operator: ",
              defined.schema.operator_name(), "\n  expected schema: ", defined.schema,
              "\n    registered at ", defined.place, "\n  inferred schema: ", inferred,
              "\n    registered at ", kernel.registered_at, "\n  reason: ", reason);
}
void check_cpp_signature(const OperatorEntry& op, const Kernel& kernel) {
  const Kernel* const known = op.typed_kernel.load();
  if (!known || !kernel.signature) return;
  TAPER_CHECK(*known->signature == *kernel.signature, "\nMismatch in kernel C++ signatures",
              detail::described(op), "\n  kernel 1: ", detail::demangled(known->signature->name()),
              "\n    registered at ", known->registered_at,
              "\n  kernel 2: ", detail::demangled(kernel.signature->name()), "\n    registered at ",
              kernel.registered_at, "\n");
}
void warn_of_another_kernel(const OperatorEntry& op, DispatchKey key, const Kernel& before,
                            const Kernel& after) {
  static std::atomic<bool> has_warned{false};
  if (has_warned.exchange(true)) return;
  detail::warn_user(concat(
      "Warning only once for all operators,  other operators may also be overridden.\n"
      "  Overriding a previously registered kernel for the same operator and the same "
      "dispatch key",
      detail::described(op), "\n  dispatch key: ", key, "\n  previous kernel: registered at ",
      before.registered_at, "\n       new kernel: registered at ", after.registered_at));
}

/// Returns the row of the table of ops with this name, or null.
const OpInfo* op_of_table(const std::string& name) {
  static const auto* const by_name = [] {
    auto* const made = new std::map<std::string_view, const OpInfo*>;
    for (const OpInfo* const op : all_ops()) made->emplace(op->aten_name(), op);
    return made;
  }();
  const auto at = by_name->find(name);
  return at == by_name->end() ? nullptr : at->second;
}

}  // namespace

// ---------------------------------------------------------------------- handles
const detail::Definition& OperatorHandle::definition() const {
  const detail::Definition* const known = entry_->definition.load();
  TAPER_CHECK(known, entry_->label,
              ": expected an operator with a schema, got one that has kernels only: define it in "
              "TORCH_LIBRARY");
  return *known;
}
bool OperatorHandle::hasKernelForDispatchKey(DispatchKey key) const {
  return hasKernelForAnyDispatchKey(DispatchKeySet(key));
}
bool OperatorHandle::hasTag(Tag tag) const {
  const std::vector<Tag>& all = definition().tags;
  return std::find(all.begin(), all.end(), tag) != all.end();
}
void OperatorHandle::check_signature(const std::type_info& signature) const {
  const Kernel* const known = entry_->typed_kernel.load();
  if (!known) return;
  TAPER_CHECK(
      *known->signature == signature,
      "\nTried to access or call an operator with a wrong signature.", detail::described(*entry_),
      "\n  correct signature:  ", detail::demangled(known->signature->name()),
      "\n    registered at ", known->registered_at,
      "\n  accessed/called as: ", detail::demangled(signature.name()),
      "\nThis likely happened in a call to OperatorHandle::typed<Return (Args...)>(). Please make "
      "sure that the function signature matches the signature in the operator registration call.");
}
void OperatorHandle::callBoxed(jit::Stack* stack) const {
  const size_t arguments = schema().arguments().size();
  detail::check_stack(entry_->label, *stack, arguments);
  DispatchKeySet keys;
  for (size_t i = stack->size() - arguments; i < stack->size(); ++i)
    detail::add_keys(keys, (*stack)[i]);
  const detail::RunScope scope(detail::RunEvent::kScope, entry_->label);
  redispatchBoxed(detail::keys_of_call(keys), stack);
}
void OperatorHandle::redispatchBoxed(DispatchKeySet keys, jit::Stack* stack) const {
  const Kernel& kernel = entry_->lookup(keys);
  kernel.boxed(kernel.function.get(), this, keys, stack);
}

// ---------------------------------------------------------------------- the dispatcher
struct Dispatcher::State {
  std::mutex mutex;
  std::map<std::string, OperatorEntry> operators;  // keyed by "ns::name.overload"
  std::map<std::string, std::string> libraries;    // the place where each namespace was begun
  std::array<std::vector<const Kernel*>, detail::kRuntimeKeys> fallbacks;
  // A call may still run a kernel, or read a definition, that was withdrawn.
  std::deque<Kernel> all_kernels;
  std::deque<detail::Definition> all_definitions;

  OperatorEntry& entry(const OperatorName& name) {
    const auto [at, is_new] = operators.try_emplace(toString(name));
    if (is_new) {
      at->second.name = name;
      at->second.label = at->first;
      fill_table(at->second);
    }
    return at->second;
  }
  const Kernel* kernel_for(const OperatorEntry& op, DispatchKey key) const {
    if (const Kernel* const k = own_kernel(op, key)) return k;
    const auto& all = fallbacks[static_cast<size_t>(key)];
    return all.empty() ? nullptr : all.back();
  }
  void fill_table(OperatorEntry& op) const {
    DispatchKeySet passed_over;
    for (int i = 0; i < detail::kRuntimeKeys; ++i) {
      const DispatchKey key = static_cast<DispatchKey>(i);
      const Kernel* const kernel = kernel_for(op, key);
      const bool falls_through = kernel ? kernel->falls_through : !kBackends.has(key);
      if (falls_through) passed_over = passed_over.add(key);
      op.table[static_cast<size_t>(i)].store(falls_through ? nullptr : kernel,
                                             std::memory_order_release);
    }
    op.passed_over.store(passed_over.raw_repr(), std::memory_order_release);
  }
  const Kernel* keep(Kernel kernel) {
    all_kernels.push_back(std::move(kernel));
    return &all_kernels.back();
  }
  /// Returns the entry of an op of the table, made when it is first looked up.
  OperatorEntry& entry_of(const OpInfo& row, const OperatorName& name) {
    const std::lock_guard<std::mutex> lock(mutex);
    OperatorEntry& op = entry(name);
    if (op.definition.load()) return op;
    all_definitions.push_back({parseSchema(row.schema), "the table of ops", {}});
    Kernel kernel;
    kernel.function = std::shared_ptr<void>(const_cast<OpInfo*>(&row), [](void*) {});
    kernel.boxed = [](void* f, const OperatorHandle*, DispatchKeySet, jit::Stack* stack) {
      call_op(*static_cast<const OpInfo*>(f), *stack);
    };
    kernel.registered_at = "the table of ops";
    op.kernels[static_cast<size_t>(DispatchKey::CompositeImplicitAutograd)].push_back(
        keep(std::move(kernel)));
    fill_table(op);
    op.definition.store(&all_definitions.back());
    return op;
  }
};

const Kernel& detail::OperatorEntry::lookup_locked(DispatchKeySet keys) const {
  const std::lock_guard<std::mutex> lock(Dispatcher::singleton().state_->mutex);
  const DispatchKey key =
      (keys - DispatchKeySet::from_raw_repr(passed_over.load())).highestPriorityTypeId();
  const Kernel* const found = table[static_cast<size_t>(key)].load();
  if (!found) throw_no_kernel(key);
  return *found;
}

bool OperatorHandle::hasKernelForAnyDispatchKey(DispatchKeySet keys) const {
  const std::lock_guard<std::mutex> lock(Dispatcher::singleton().state_->mutex);
  for (size_t k = 0; k < entry_->kernels.size(); ++k)
    if (keys.has(static_cast<DispatchKey>(k)) && newest(*entry_, static_cast<DispatchKey>(k)))
      return true;
  return false;
}

Dispatcher::Dispatcher() : state_(new State) {}
Dispatcher& Dispatcher::singleton() {
  static Dispatcher* const dispatcher = new Dispatcher;  // libraries of a program end later
  return *dispatcher;
}

optional<OperatorHandle> Dispatcher::findOp(const OperatorName& name) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const auto at = state_->operators.find(toString(name));
  if (at == state_->operators.end()) return nullopt;
  return OperatorHandle(&at->second);
}
optional<OperatorHandle> Dispatcher::findSchema(const OperatorName& name) {
  const optional<OperatorHandle> op = findOp(name);
  if (op && op->hasSchema()) return op;
  const OpInfo* const row = op_of_table(toString(name));
  return row ? OperatorHandle(&state_->entry_of(*row, name)) : optional<OperatorHandle>();
}
OperatorHandle Dispatcher::findSchemaOrThrow(const char* name, const char* overload_name) {
  const optional<OperatorHandle> op = findSchema({name, overload_name});
  TAPER_CHECK(op, "Could not find schema for ", name, ".", overload_name);
  return *op;
}
std::vector<OperatorName> Dispatcher::getAllOpNames() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::vector<OperatorName> all;
  for (const auto& [label, op] : state_->operators) all.push_back(op.name);
  return all;
}

Dispatcher::Undo Dispatcher::add_library(const std::string& ns, const std::string& place) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const auto [at, is_new] = state_->libraries.emplace(ns, place);
  TAPER_CHECK(is_new, "Only a single TORCH_LIBRARY can be used to register the namespace ", ns,
              "; please put all of your definitions in a single TORCH_LIBRARY block.  If you were "
              "trying to specify implementations, consider using TORCH_LIBRARY_IMPL (which can be "
              "duplicated).  If you really intended to define operators for a single namespace in "
              "a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  "
              "Previous registration of TORCH_LIBRARY was ",
              at->second, "; latest registration was ", place);
  return [this, ns] {
    const std::lock_guard<std::mutex> undo_lock(state_->mutex);
    state_->libraries.erase(ns);
  };
}

Dispatcher::Undo Dispatcher::define(FunctionSchema schema, const std::string& place,
                                    std::vector<Tag> tags) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  OperatorEntry& op = state_->entry(schema.operator_name());
  const detail::Definition* const known = op.definition.load();
  TAPER_CHECK(!known, "Tried to register an operator (", schema,
              ") with the same name and overload name multiple times. Each overload's schema "
              "should only be registered with a single call to def(). Duplicate registration: "
              "registered at ",
              place, ". Original registration: registered at ", known->place);
  detail::Definition added{std::move(schema), place, std::move(tags)};
  for (const auto& kernels : op.kernels)
    for (const Kernel* const kernel : kernels) check_inferred(added, *kernel);
  state_->all_definitions.push_back(std::move(added));
  op.definition.store(&state_->all_definitions.back());
  return [this, &op] {
    const std::lock_guard<std::mutex> undo_lock(state_->mutex);
    op.definition.store(nullptr);
  };
}

Dispatcher::Undo Dispatcher::add_kernel(const OperatorName& name, DispatchKey key, Kernel kernel) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  OperatorEntry& op = state_->entry(name);
  check_cpp_signature(op, kernel);
  if (const detail::Definition* const known = op.definition.load()) check_inferred(*known, kernel);
  auto& of_key = op.kernels[static_cast<size_t>(key)];
  const Kernel* const kept = state_->keep(std::move(kernel));
  if (!of_key.empty()) warn_of_another_kernel(op, key, *of_key.back(), *kept);
  of_key.push_back(kept);
  if (kept->signature && !op.typed_kernel.load()) op.typed_kernel.store(kept);
  state_->fill_table(op);
  return [this, &op, &of_key, kept] {
    const std::lock_guard<std::mutex> undo_lock(state_->mutex);
    of_key.erase(std::find(of_key.begin(), of_key.end(), kept));
    const auto is_empty = [](const auto& kernels) { return kernels.empty(); };
    if (std::all_of(op.kernels.begin(), op.kernels.end(), is_empty)) op.typed_kernel.store(nullptr);
    state_->fill_table(op);
  };
}

Dispatcher::Undo Dispatcher::add_fallback(DispatchKey key, Kernel kernel) {
  TAPER_CHECK(static_cast<int>(key) < detail::kRuntimeKeys,
              "fallback: expected the key of a call, got ", key);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  auto& of_key = state_->fallbacks[static_cast<size_t>(key)];
  const Kernel* const kept = state_->keep(std::move(kernel));
  of_key.push_back(kept);
  for (auto& [label, op] : state_->operators) state_->fill_table(op);
  return [this, &of_key, kept] {
    const std::lock_guard<std::mutex> undo_lock(state_->mutex);
    of_key.erase(std::find(of_key.begin(), of_key.end(), kept));
    for (auto& [label, op] : state_->operators) state_->fill_table(op);
  };
}

}  // namespace torch::taper
