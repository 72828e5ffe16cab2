// Arguments: the arguments of a call of an op. They can be replaced. Not installed.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/func/core.h>
#include <taper/ops/shared/op_row.h>

namespace torch::taper::func::detail {

/// The arguments of a call. A copy shares the arguments that it does not replace. The original
/// arguments must outlive this object.
class Arguments {
 public:
  Arguments(const OpInfo& op, const OpCall& call);

  size_t size() const { return at_.size(); }
  /// Returns argument i, or null if its type is not T.
  template <class T>
  const T* get(size_t i) const {
    constexpr int number = taper::detail::ArgumentTypes::number_of<T>();
    return op_->caller->types[i]->number == number ? static_cast<const T*>(at_[i]) : nullptr;
  }
  /// Replaces argument i. T must be its type.
  template <class T>
  void set(size_t i, T value) {
    keep(i, std::make_shared<T>(std::move(value)));
  }
  void set_list(size_t i, std::vector<int64_t> list);
  void set_list(size_t i, variable_list list);
  /// Calls f(index of the argument, tensor) for all defined tensors.
  template <class F>
  void for_each(const F& f) const;
  /// Replaces all defined tensors by the results of f(index, tensor).
  template <class F>
  void map(const F& f);
  /// Calls the op. Returns its result, or None if the op returns its arguments or nothing.
  IValue call() const { return call(*op_); }
  /// Calls another op, whose parameters have the same types.
  IValue call(const OpInfo& op) const;

 private:
  template <class T>
  struct Listed {
    std::vector<T> all;
    ArrayRef<T> list;
    OptionalIntArrayRef maybe;
  };
  template <class T>
  void keep(size_t i, std::shared_ptr<T> value) {
    at_[i] = value.get();
    kept_.push_back(std::move(value));
  }
  const OpInfo* op_;
  std::vector<const void*> at_;
  std::vector<std::shared_ptr<const void>> kept_;
};

template <class F>
void Arguments::for_each(const F& f) const {
  for (size_t i = 0; i < size(); ++i) {
    if (const auto* t = get<Tensor>(i); t && t->defined()) f(i, *t);
    if (const auto* t = get<optional<Tensor>>(i); t && *t && (*t)->defined()) f(i, **t);
    if (const auto* list = get<TensorList>(i))
      for (const Tensor& t : *list)
        if (t.defined()) f(i, t);
    if (const auto* list = get<std::vector<optional<Tensor>>>(i))
      for (const auto& t : *list)
        if (t && t->defined()) f(i, *t);
  }
}

template <class F>
void Arguments::map(const F& f) {
  for (size_t i = 0; i < size(); ++i) {
    if (const auto* t = get<Tensor>(i); t && t->defined()) set<Tensor>(i, f(i, *t));
    if (const auto* t = get<optional<Tensor>>(i); t && *t && (*t)->defined())
      set<optional<Tensor>>(i, f(i, **t));
    if (const auto* list = get<TensorList>(i)) {
      variable_list all;
      for (const Tensor& t : *list) all.push_back(t.defined() ? f(i, t) : t);
      set_list(i, std::move(all));
    }
    if (const auto* list = get<std::vector<optional<Tensor>>>(i)) {
      std::vector<optional<Tensor>> all;
      for (const auto& t : *list) all.push_back(t && t->defined() ? optional<Tensor>(f(i, *t)) : t);
      set<std::vector<optional<Tensor>>>(i, std::move(all));
    }
  }
}

/// Returns a copy of `value` with each tensor t replaced by f(t), in order.
template <class F>
IValue mapped(const IValue& value, const F& f) {
  if (value.isTensor()) return f(value.toTensor());
  if (value.isTensorList()) {
    variable_list all;
    for (const Tensor& t : value.toTensorVector()) all.push_back(f(t));
    return all;
  }
  if (!value.isTuple()) return value;
  std::vector<IValue> all;
  for (const IValue& v : value.toTupleRef().elements()) all.push_back(mapped(v, f));
  return ivalue::Tuple::create(std::move(all));
}
/// Returns the tensors of a value, in order.
variable_list tensors_of(const IValue& value);
/// Returns the value with its tensors replaced by `tensors`.
inline IValue with_tensors_of(const IValue& value, const variable_list& tensors) {
  size_t next = 0;
  return mapped(value, [&](const Tensor&) { return tensors[next++]; });
}
/// Sets the result of a call. `result` is None if the op returns its arguments or nothing.
void finish_call(const OpInfo& op, OpCall& call, const IValue& result);

/// Warns that an op has no rule, once for each `text` and op. The warning consists of `text`, the
/// op's name and `consequence`.
void warn_once_of(const OpInfo& op, const char* text, const char* consequence);

/// Returns whether an op changes its first argument.
bool changes_argument(const OpInfo& op);
/// Returns whether the result is a number or a bool.
bool returns_number(const OpInfo& op);
/// Returns the op that has the name of `op` without "_" at the end, and arguments of equal types.
/// Returns null if there is none.
const OpInfo* functional_form(const OpInfo& op);
/// Returns the names of an op's arguments from its schema, in the order of the C++ function.
const std::vector<std::string_view>& argument_names(const OpInfo& op);

}  // namespace torch::taper::func::detail
