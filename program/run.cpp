#include <taper/program/run.h>

#include <algorithm>
#include <array>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/shared/op_row.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::program {

using taper::detail::concat;
using taper::detail::OpType;

// ---------------------------------------------------------------------- values
IValue ivalue_of(const Value& value) {
  if (const auto* t = std::get_if<Tensor>(&value)) return t->defined() ? IValue(*t) : IValue();
  if (const auto* s = std::get_if<Scalar>(&value)) return *s;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

Value value_of(const IValue& value) {
  if (value.isTensor()) return value.toTensor();
  if (value.isScalar()) return value.toScalar();
  if (value.isString()) return value.toStringRef();
  TAPER_CHECK(value.isNone(), "program: expected a tensor, a number or a text, got a ",
              value.tagKind());
  return {};
}

namespace {

const Tensor& tensor_in(const Frame& frame, int32_t slot) {
  static const Tensor none;
  if (slot < 0) return none;
  const Value& value = frame.slots[static_cast<size_t>(slot)];
  if (const auto* t = std::get_if<Tensor>(&value)) return *t;
  TAPER_CHECK(std::holds_alternative<std::monostate>(value),
              "expected a tensor, got a number or a text");
  return none;
}

Scalar number_in(const Frame& frame, const Source::Item& item) {
  if (item.slot < 0) return item.number;
  const Value& value = frame.slots[static_cast<size_t>(item.slot)];
  if (const auto* s = std::get_if<Scalar>(&value)) return *s;
  const auto* t = std::get_if<Tensor>(&value);
  TAPER_CHECK(t && t->defined() && t->numel() == 1, "expected a number, got another value");
  return t->item();
}

template <class T, class F>
std::vector<T> each(const std::vector<Source::Item>& items, const F& read) {
  std::vector<T> all;
  all.reserve(items.size());
  for (const Source::Item& item : items) all.push_back(read(item));
  return all;
}

/// Returns a number as a tensor that promotes like the number.
Tensor tensor_of(const Scalar& number) {
  Tensor t = scalar_tensor(number, TensorOptions().dtype(number.type()));
  t.impl().wrapped_number = true;
  return t;
}

}  // namespace

IValue Source::value(const Frame& frame) const {
  const auto number = [&](const Item& item) { return number_in(frame, item); };
  switch (kind) {
    case Kind::kSlot:
      return ivalue_of(frame.slots[static_cast<size_t>(items[0].slot)]);
    case Kind::kInts:
      return each<int64_t>(items, [&](const Item& i) { return number(i).toLong(); });
    case Kind::kFloats:
      return each<double>(items, [&](const Item& i) { return number(i).toDouble(); });
    case Kind::kBools:
      return GenericList(each<IValue>(items, [&](const Item& i) { return number(i).toBool(); }));
    case Kind::kTensors:
      return each<Tensor>(items, [&](const Item& i) { return tensor_in(frame, i.slot); });
    case Kind::kOptionalTensors:
      return GenericList(each<IValue>(items, [&](const Item& i) {
        const Tensor& t = tensor_in(frame, i.slot);
        return t.defined() ? IValue(t) : IValue();
      }));
    case Kind::kDevice:
      return frame.place.device(constant.toDevice());
    case Kind::kConstant:
    case Kind::kGraph:
      break;
  }
  return constant;
}

std::vector<int64_t> AdapterCall::integers(size_t i) const {
  const IValue& v = arguments_[i];
  if (v.isIntList()) return v.toIntVector();
  if (v.isScalar()) return {v.toScalar().toLong()};
  std::vector<int64_t> all;
  for (const IValue& element : v.toList()) all.push_back(element.toScalar().toLong());
  return all;
}

void store(Frame& frame, const std::vector<Target>& outputs, const std::vector<IValue>& results) {
  TAPER_CHECK(results.size() >= outputs.size() || outputs.empty(), "expected ", outputs.size(),
              " results, got ", results.size());
  const auto put = [&](int32_t slot, Value value) {
    if (slot >= 0) frame.slots[static_cast<size_t>(slot)] = std::move(value);
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Target& to = outputs[i];
    if (!to.is_list) {
      put(to.slots[0], value_of(results[i]));
      continue;
    }
    const GenericList all = results[i].toList();
    TAPER_CHECK(all.size() == to.slots.size(), "expected a list of ", to.slots.size(),
                " tensors, got ", all.size());
    for (size_t j = 0; j < to.slots.size(); ++j) put(to.slots[j], value_of(all.get(j)));
  }
}

// ---------------------------------------------------------------------- steps
namespace {

template <class T>
bool is_type(const OpType* type) {
  return type->number == taper::detail::ArgumentTypes::number_of<T>();
}

/// Calls the function of a row of the table of ops. Constant arguments are C++ values already.
class RowStep final : public Step {
 public:
  /// The arguments are those of the schema.
  RowStep(const OpInfo& op, std::vector<Source> arguments, std::vector<Target> outputs)
      : op_(op), outputs_(std::move(outputs)) {
    const auto* types = op.caller->types;
    size_t at = 0;
    for (size_t i = 0; i < op.caller->size; ++i) {
      const size_t count = is_type<TensorOptions>(types[i]) ? kOptions : 1;
      TAPER_CHECK(at + count <= arguments.size(), "expected ", at + count, " arguments, got ",
                  arguments.size());
      add(types[i], std::vector<Source>(arguments.begin() + static_cast<ptrdiff_t>(at),
                                        arguments.begin() + static_cast<ptrdiff_t>(at + count)));
      at += count;
    }
  }

  void run(Frame& frame) const override {
    Arguments given(*this, frame);
    void* const result = op_.caller->call(op_.function, given.pointers.data());
    if (!op_.caller->result) return keep_returned(frame, given);
    if (is_type<Tensor>(op_.caller->result) && outputs_.size() == 1 && !outputs_[0].is_list) {
      if (outputs_[0].slots[0] >= 0)
        frame.slots[static_cast<size_t>(outputs_[0].slots[0])] =
            std::move(*static_cast<Tensor*>(result));
      return op_.caller->result->destroy(result);
    }
    const IValue value = op_.caller->result->box(result);
    op_.caller->result->destroy(result);
    if (value.isTuple())
      store(frame, outputs_, value.toTupleRef().elements());
    else
      store(frame, outputs_, {value});
  }

 private:
  static constexpr size_t kOptions = 4;  // dtype, layout, device, pin_memory
  static constexpr size_t kMostParameters = 24;

  struct Destroy {
    const OpType* type;
    void operator()(void* value) const { type->destroy(value); }
  };
  struct Parameter {
    const OpType* type;
    std::unique_ptr<void, Destroy> constant;
    int32_t tensor = -1;          ///< the slot of a tensor
    std::vector<Source> sources;  ///< of other values that change
  };

  /// The addresses of the arguments of one call, and values that live as long.
  struct Arguments {
    Arguments(const RowStep& step, const Frame& frame) {
      try {
        for (const Parameter& p : step.parameters_) pointers[size++] = pointer(p, frame);
      } catch (...) {
        destroy();
        throw;
      }
    }
    ~Arguments() { destroy(); }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    const void* pointer(const Parameter& p, const Frame& frame) {
      if (p.constant) return p.constant.get();
      if (p.tensor >= 0) return &tensor_in(frame, p.tensor);
      void* const value = unbox(p.type, p.sources, frame);
      made[count++] = {p.type, value};
      return value;
    }
    void destroy() {
      while (count > 0) {
        --count;
        made[count].first->destroy(made[count].second);
      }
    }
    std::array<const void*, kMostParameters> pointers;
    std::array<std::pair<const OpType*, void*>, kMostParameters> made;
    size_t size = 0, count = 0;
  };

  static void* unbox(const OpType* type, const std::vector<Source>& sources, const Frame& frame) {
    if (sources.size() == 1) return type->unbox(fitted(sources[0].value(frame), type));
    std::vector<IValue> values;
    for (const Source& s : sources) values.push_back(s.value(frame));
    return type->unbox(ivalue::Tuple::create(std::move(values)));
  }
  /// Converts a value to another that the type takes.
  static IValue fitted(IValue value, const OpType* type) {
    const bool is_number = value.isScalar();
    if (is_number && (is_type<Tensor>(type) || is_type<optional<Tensor>>(type)))
      return tensor_of(value.toScalar());
    if (is_number && (is_type<IntArrayRef>(type) || is_type<OptionalIntArrayRef>(type)))
      return std::vector<int64_t>{value.toScalar().toLong()};
    if (value.isTensor() && !is_type<Tensor>(type) && !is_type<optional<Tensor>>(type) &&
        !is_type<TensorList>(type))
      return value.toTensor().item();
    if (value.isBool() && (is_type<int64_t>(type) || is_type<optional<int64_t>>(type)))
      return static_cast<int64_t>(value.toBool());
    if (value.isDouble() && is_type<int64_t>(type)) return value.toScalar().toLong();
    if (value.isTensorList() && value.toTensorVector().empty() &&
        (is_type<IntArrayRef>(type) || is_type<OptionalIntArrayRef>(type)))
      return std::vector<int64_t>();
    return value;
  }

  void add(const OpType* type, std::vector<Source> sources) {
    TAPER_CHECK(parameters_.size() < kMostParameters, "expected at most ", kMostParameters,
                " arguments");
    Parameter p{type, {nullptr, Destroy{type}}, -1, {}};
    const bool constant = std::all_of(sources.begin(), sources.end(),
                                      [](const Source& s) { return s.is_constant(); });
    const Place place{};
    if (constant)
      p.constant.reset(unbox(type, sources, Frame{{}, place}));
    else if (is_type<Tensor>(type) && sources[0].kind == Source::Kind::kSlot &&
             !sources[0].is_number)
      p.tensor = sources[0].items[0].slot;
    else
      p.sources = std::move(sources);
    parameters_.push_back(std::move(p));
  }

  /// An op that changes its arguments returns them.
  void keep_returned(Frame& frame, const Arguments& given) const {
    for (size_t i = 0; i < outputs_.size() && i < op_.caller->returned; ++i) {
      if (outputs_[i].is_list || outputs_[i].slots[0] < 0) continue;
      TAPER_CHECK(is_type<Tensor>(op_.caller->types[i]), "expected a tensor to change");
      // The argument may lie in the vector of slots, so it is copied first.
      Tensor changed = *static_cast<const Tensor*>(given.pointers[i]);
      frame.slots[static_cast<size_t>(outputs_[i].slots[0])] = std::move(changed);
    }
  }

  const OpInfo& op_;
  std::vector<Parameter> parameters_;
  std::vector<Target> outputs_;
};

std::vector<IValue> values_of(const std::vector<Source>& sources, const Frame& frame) {
  std::vector<IValue> values;
  values.reserve(sources.size());
  for (const Source& s : sources) values.push_back(s.value(frame));
  return values;
}

/// Calls an operator that the program has registered.
class OperatorStep final : public Step {
 public:
  OperatorStep(OperatorHandle op, std::vector<Source> arguments, std::vector<Target> outputs)
      : op_(op), arguments_(std::move(arguments)), outputs_(std::move(outputs)) {}
  void run(Frame& frame) const override {
    std::vector<IValue> stack = values_of(arguments_, frame);
    op_.callBoxed(&stack);
    store(frame, outputs_, stack);
  }

 private:
  const OperatorHandle op_;
  const std::vector<Source> arguments_;
  const std::vector<Target> outputs_;
};

class AdapterStep final : public Step {
 public:
  AdapterStep(const Adapter& adapter, std::vector<Source> arguments, std::vector<Target> outputs)
      : adapter_(adapter), arguments_(std::move(arguments)), outputs_(std::move(outputs)) {}
  void run(Frame& frame) const override {
    AdapterCall call(values_of(arguments_, frame), frame.place);
    adapter_.run(call);
    store(frame, outputs_, call.results);
  }

 private:
  const Adapter& adapter_;
  const std::vector<Source> arguments_;
  const std::vector<Target> outputs_;
};

}  // namespace

std::unique_ptr<Step> row_step(const OpInfo& op, std::vector<Source> arguments,
                               std::vector<Target> outputs) {
  return std::make_unique<RowStep>(op, std::move(arguments), std::move(outputs));
}
std::unique_ptr<Step> operator_step(const OperatorHandle& op, std::vector<Source> arguments,
                                    std::vector<Target> outputs) {
  return std::make_unique<OperatorStep>(op, std::move(arguments), std::move(outputs));
}
std::unique_ptr<Step> adapter_step(const Adapter& adapter, std::vector<Source> arguments,
                                   std::vector<Target> outputs) {
  return std::make_unique<AdapterStep>(adapter, std::move(arguments), std::move(outputs));
}

// ---------------------------------------------------------------------- runs
std::vector<Value> Plan::run(std::vector<Value> inputs, const Place& place) const {
  TAPER_CHECK(inputs.size() == inputs_.size(), "program: expected ", inputs_.size(),
              " inputs of a graph, got ", inputs.size());
  Frame frame{std::vector<Value>(slots_), place};
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs_[i] >= 0) frame.slots[static_cast<size_t>(inputs_[i])] = std::move(inputs[i]);
  for (const auto& step : steps_) {
    try {
      step->run(frame);
    } catch (Error& e) {
      e.add_context("in node " + step->name);
      throw;
    }
    for (const int32_t slot : step->unused) frame.slots[static_cast<size_t>(slot)] = {};
  }
  std::vector<Value> results;
  for (const Source& output : outputs_) {
    const IValue value = output.value(frame);
    if (value.isList())
      for (const IValue& element : value.toList()) results.push_back(value_of(element));
    else
      results.push_back(value_of(value));
  }
  return results;
}

}  // namespace torch::taper::program
