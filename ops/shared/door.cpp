#include <taper/framework/autograd/door.h>

#include <array>
#include <utility>
#include <variant>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/check.h>
#include <taper/ops/shared/op_row.h>

// ---------------------------------------------------------------------- autocast
namespace torch::taper::detail {
namespace {

constexpr size_t kMostArguments = 24, kMostCast = 8;

/// A list of tensors after their casts.
struct CastList {
  std::vector<Tensor> tensors;
  TensorList list;
};
/// An argument that autocast has changed.
using CastArgument =
    std::variant<std::monostate, Tensor, optional<Tensor>, CastList, optional<ScalarType>>;

const Tensor& tensor_at(const void* p) { return *static_cast<const Tensor*>(p); }
const optional<Tensor>& maybe_at(const void* p) { return *static_cast<const optional<Tensor>*>(p); }
TensorList list_at(const void* p) { return *static_cast<const TensorList*>(p); }

/// Calls f with each tensor of an argument.
template <class F>
void for_each_tensor(const OpType& type, const void* argument, const F& f) {
  if (type.cast == CastAs::kTensor) f(tensor_at(argument));
  if (type.cast == CastAs::kOptionalTensor && maybe_at(argument)) f(*maybe_at(argument));
  if (type.cast == CastAs::kTensors)
    for (const Tensor& x : list_at(argument)) f(x);
}

/// The casts of the arguments of one call.
struct Casts {
  CastTo to = CastTo::kParts;
  uint8_t kind = 0;  // of the tensors that are cast
  ScalarType lower = kFloat, widest = kFloat;

  /// Throws Error for an op that may not run here. As in PyTorch's dispatcher, CUDA comes first if
  /// tensors are on both kinds of `devices`.
  Casts(const OpInfo& op, uint8_t devices) {
    devices &= autocast_state.casts();
    if (devices == 0) return;
    const bool cuda = devices & kCastsCuda;
    to = static_cast<CastTo>(cuda ? op.cast_cuda : op.cast_cpu);
    kind = cuda ? kCastsCuda : kCastsCpu;
    TAPER_CHECK(
        to != CastTo::kForbidden,
        "binary_cross_entropy: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are "
        "unsafe "
        "to autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
        "layer.\nIn "
        "this case, combine the two layers using "
        "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  "
        "binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.");
    lower = widest = autocast_state.dtypes[cuda];
  }
  static uint8_t device_of(const Tensor& x) {
    return !x.defined() ? 0 : x.is_cuda() ? kCastsCuda : kCastsCpu;
  }
  bool takes(const Tensor& x) const {
    return x.defined() && device_of(x) == kind && x.is_floating_point() &&
           x.scalar_type() != kDouble;
  }

  /// Sets `widest` to f32 if x is f32. Throws Error for a 16-bit dtype other than autocast's.
  void widen(const Tensor& x) {
    if (!takes(x)) return;
    TAPER_CHECK(x.scalar_type() == kFloat || x.scalar_type() == lower,
                "autocast: expected operands of dtype float or ", lower, ", got ", x.scalar_type(),
                " (Unexpected floating ScalarType in at::autocast::prioritize)");
    if (x.scalar_type() == kFloat) widest = kFloat;
  }
  ScalarType target() const {
    return to == CastTo::kLower ? lower : to == CastTo::kWidest ? widest : kFloat;
  }
  bool changes(const Tensor& x) const { return takes(x) && x.scalar_type() != target(); }
  Tensor cast(const Tensor& x) const { return cached_cast(target(), x); }

  /// Returns the argument, or its cast, which `kept` holds.
  const void* operator()(const OpType& type, const void* argument, CastArgument& kept) const {
    if (type.cast == CastAs::kDtype && to == CastTo::kSumFloat) {
      const auto& dtype = *static_cast<const optional<ScalarType>*>(argument);
      return dtype ? argument : &kept.emplace<optional<ScalarType>>(kFloat);
    }
    if (to == CastTo::kSumFloat) return argument;
    if (type.cast == CastAs::kTensor && changes(tensor_at(argument)))
      return &kept.emplace<Tensor>(cast(tensor_at(argument)));
    if (type.cast == CastAs::kOptionalTensor && maybe_at(argument) && changes(*maybe_at(argument)))
      return &kept.emplace<optional<Tensor>>(cast(*maybe_at(argument)));
    if (type.cast != CastAs::kTensors) return argument;
    CastList& all = kept.emplace<CastList>();
    for (const Tensor& x : list_at(argument)) all.tensors.push_back(changes(x) ? cast(x) : x);
    return &(all.list = all.tensors);
  }
};

/// Returns the casts of a call, or those of kParts if autocast leaves it to the op's parts.
Casts casts_of(const OpInfo& op, const void* const* arguments) {
  const OpCaller& caller = *op.caller;
  uint8_t devices = 0;
  for (size_t i = 0; i < caller.size; ++i)
    for_each_tensor(*caller.types[i], arguments[i],
                    [&](const Tensor& x) { devices |= Casts::device_of(x); });
  Casts casts(op, devices);
  if (casts.to == CastTo::kWide && isReducedFloatingType(tensor_at(arguments[0]).scalar_type()))
    casts.to = CastTo::kParts;
  if (casts.to == CastTo::kSumFloat && caller.types[0]->cast == CastAs::kTensor &&
      !casts.takes(tensor_at(arguments[0])))
    casts.to = CastTo::kAsIs;
  if (casts.to == CastTo::kWidest)
    for (size_t i = 0; i < caller.size; ++i)
      for_each_tensor(*caller.types[i], arguments[i], [&](const Tensor& x) { casts.widen(x); });
  return casts;
}

/// Calls the op with cast arguments.
void* call_cast(const OpInfo& op, const void* const* arguments, const Casts& casts) {
  const OpCaller& caller = *op.caller;
  std::array<const void*, kMostArguments> given;
  std::array<CastArgument, kMostCast> kept;
  size_t used = 0;
  for (size_t i = 0; i < caller.size; ++i) {
    const OpType& type = *caller.types[i];
    given[i] =
        type.cast == CastAs::kNothing ? arguments[i] : casts(type, arguments[i], kept.at(used++));
  }
  const AutocastOff inside(casts.kind);
  return caller.call(op.function, given.data());
}

/// Calls the op with cast arguments, and autocast disabled for that kind of device.
void* cast_and_call(const OpInfo& op, const void* const* arguments) {
  const Casts casts = casts_of(op, arguments);
  if (casts.to == CastTo::kParts) return nullptr;
  if (casts.to != CastTo::kAsIs) return call_cast(op, arguments, casts);
  const AutocastOff inside(casts.kind);
  return op.caller->call(op.function, arguments);
}
bool may_cast(const OpInfo& op) {
  constexpr auto kParts = static_cast<uint8_t>(CastTo::kParts);
  return op.cast_cpu != kParts || op.cast_cuda != kParts;
}

}  // namespace
}  // namespace torch::taper::detail

// ---------------------------------------------------------------------- modes
namespace torch::taper {

struct OpCall::Kept {
  const detail::OpType* type;
  void* value;
};

/// The modes of a thread at one time, restored at the end of the scope.
struct [[gnu::visibility("hidden")]] OpModes {
  OpModes(OpModeGuard * first, const OpInfo* passed) : first_(now), passed_(now_passed) {
    set(first, passed);
  }
  ~OpModes() { set(first_, passed_); }
  OpModes(const OpModes&) = delete;
  OpModes& operator=(const OpModes&) = delete;

  static void set(OpModeGuard * first, const OpInfo* passed) {
    now = first;
    now_passed = passed;
    uint8_t& door = detail::autocast_state.door;
    door = static_cast<uint8_t>(first ? door | detail::kModes : door & ~detail::kModes);
  }
  /// Lets the mode handle a call. Returns the result.
  static void* show(const OpInfo& op, const void* const* arguments, OpModeGuard* mode);
  /// Shows a read of an element to all modes.
  static void show_read(const Tensor& t);

  static thread_local OpModeGuard* now;          // the first mode to see an op
  static thread_local const OpInfo* now_passed;  // the op whose door lets the next call pass

 private:
  OpModeGuard* const first_;
  const OpInfo* const passed_;
};
constinit thread_local OpModeGuard* OpModes::now = nullptr;
constinit thread_local const OpInfo* OpModes::now_passed = nullptr;

OpModeGuard* OpModeGuard::enter(OpModeGuard* first) {
  OpModeGuard* const before = OpModes::now;
  OpModes::set(first, OpModes::now_passed);
  return before;
}

void* OpModes::show(const OpInfo& op, const void* const* arguments, OpModeGuard* mode) {
  OpCall call(op, arguments, mode);
  const OpModes before(mode->outer_, nullptr);
  mode->mode_.call(op, call);
  TAPER_CHECK(call.done(), op.name, ": expected that OpMode::call() calls next(), decompose() or ",
              "set_result(), and it did none of these");
  return std::exchange(call.result_, nullptr);
}

void* detail::show_at_door(const OpInfo& op, const void* const* arguments) {
  OpModeGuard* const first = OpModes::now;
  if (!first) return may_cast(op) ? cast_and_call(op, arguments) : nullptr;
  if (OpModes::now_passed != &op) return OpModes::show(op, arguments, first);
  // Autocast calls the op again, which passes again.
  OpModes::now_passed = nullptr;
  const OpModes again(first, &op);
  return may_cast(op) ? cast_and_call(op, arguments) : nullptr;
}

void OpModes::show_read(const Tensor& t) {
  for (OpModeGuard* mode = now; mode; mode = mode->outer_) {
    const OpModes before(mode->outer_, nullptr);
    mode->mode_.read(t);
  }
}
void detail::show_read(const Tensor& t) { OpModes::show_read(t); }

// ---------------------------------------------------------------------- calls
OpCall::OpCall(const OpInfo& op, const void* const* arguments, OpModeGuard* mode)
    : op_(op), mode_(mode), arguments_(arguments, arguments + op.caller->size) {}
OpCall::~OpCall() {
  if (result_ && op_.caller->result) op_.caller->result->destroy(result_);
  for (const Kept& kept : kept_) kept.type->destroy(kept.value);
}

void OpCall::check_index(int index) const {
  TAPER_CHECK_INDEX(index == kResult || static_cast<size_t>(index) < size(), op_.name,
                    ": expected an argument below ", size(), ", got ", index);
  TAPER_CHECK(index != kResult || done(), op_.name,
              ": expected next() or decompose() before the result is read");
}

const void* OpCall::typed(size_t index, int type) const {
  check_index(static_cast<int>(index));
  TAPER_CHECK_TYPE(op_.caller->types[index]->number == type, op_.name, ": argument ", index,
                   " has another type than get() asks for; the schema is ", op_.schema);
  return arguments_[index];
}

IValue OpCall::value(int index) const {
  check_index(index);
  const detail::OpCaller& caller = *op_.caller;
  if (index != kResult) return caller.types[index]->box(arguments_[static_cast<size_t>(index)]);
  if (caller.result) return caller.result->box(result_);
  std::vector<IValue> all;
  for (int i = 0; i < caller.returned; ++i) all.push_back(value(i));
  if (all.empty()) return {};
  return all.size() == 1 ? all[0] : IValue(ivalue::Tuple::create(std::move(all)));
}

void OpCall::set(int index, const IValue& value) {
  const detail::OpCaller& caller = *op_.caller;
  if (index != kResult) {
    check_index(index);
    const detail::OpType* const type = caller.types[index];
    kept_.reserve(kept_.size() + 1);
    kept_.push_back({type, type->unbox(value)});
    arguments_[static_cast<size_t>(index)] = kept_.back().value;
    return;
  }
  if (caller.result) {
    void* const made = caller.result->unbox(value);
    if (result_) caller.result->destroy(result_);
    result_ = made;
    return;
  }
  TAPER_CHECK(caller.returned > 0 || value.isNone(), op_.name,
              ": returns nothing, got a result of kind ", value.tagKind());
  const std::vector<IValue> all =
      caller.returned > 1 ? value.toTupleRef().elements() : std::vector<IValue>{value};
  TAPER_CHECK(caller.returned <= all.size(), op_.name, ": expected ",
              static_cast<int>(caller.returned), " results, got ", all.size());
  for (size_t i = 0; i < caller.returned; ++i)
    detail::tensor_at(arguments_[i]).copy_(all[i].toTensor());
  result_ = this;  // any address
}

IValue OpCall::argument(size_t index) const { return value(static_cast<int>(index)); }
IValue OpCall::result() const { return value(kResult); }
void OpCall::set_argument(size_t index, const IValue& value) {
  set(static_cast<int>(index), value);
}
void OpCall::set_result(const IValue& value) { set(kResult, value); }

std::vector<Tensor> OpCall::all_tensors(bool of_result) const {
  if (of_result) check_index(kResult);
  const detail::OpCaller& caller = *op_.caller;
  std::vector<Tensor> all;
  if (of_result && caller.result) caller.result->tensors(result_, all);
  for (size_t i = 0; i < (of_result ? caller.returned : caller.size); ++i)
    caller.types[i]->tensors(arguments_[i], all);
  return all;
}

void OpCall::run(bool in_parts) {
  TAPER_CHECK(!done(), op_.name, ": expected one result of a call, got a second one");
  const OpModes inside(in_parts ? mode_ : mode_->outer_, in_parts ? &op_ : nullptr);
  result_ = op_.caller->call(op_.function, arguments_.data());
}

}  // namespace torch::taper
