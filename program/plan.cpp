// Makes plans: finds the op of each node, and where its arguments come from.
#include <algorithm>
#include <unordered_map>

#include <taper/ops/shared/op_row.h>
#include <taper/program/run.h>

namespace torch::taper::program {

using taper::detail::concat;

namespace {

/// Returns the row of "aten::add.Tensor", or null. Ops with an `out` argument have none.
const OpInfo* find_row(const std::string& name) {
  static const auto* const rows = [] {
    auto* all = new std::unordered_map<std::string, const OpInfo*>;
    for (const OpInfo* op : all_ops())
      if (!op->is(OpTrait::kOut)) all->emplace(op->aten_name(), op);
    return all;
  }();
  auto at = rows->find(name);
  if (at == rows->end()) at = rows->find(other_name(name));
  return at == rows->end() ? nullptr : at->second;
}

/// Returns "aten::add.Tensor" for "torch.ops.aten.add.Tensor". Other names are unchanged.
std::string operator_name(const std::string& target) {
  const std::string begin = "torch.ops.";
  if (target.compare(0, begin.size(), begin) != 0) return target;
  std::string name = target.substr(begin.size());
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return target;
  name.replace(dot, 1, "::");
  const std::string end = ".default";
  if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
    name.resize(name.size() - end.size());
  return name;
}

OperatorName parts_of(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return {name, ""};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

/// Makes the plan of a graph.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, const std::string& where, MissingOps& missing, Plan& plan)
      : graph_(graph), where_(where), missing_(missing), plan_(plan) {}

  void build() {
    for (const Argument& input : graph_.inputs) plan_.inputs_.push_back(input_slot(input));
    for (const Node& node : graph_.nodes) add(node);
    for (const Argument& output : graph_.outputs) plan_.outputs_.push_back(source(output));
    plan_.slots_ = uses_.size();
    free_unused();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(concat(where_, ": ", parts...));
  }

  // ------------------------------------------------------------------ names
  int32_t define(const std::string& name) {
    const auto slot = static_cast<int32_t>(uses_.size());
    if (!slots_.emplace(name, slot).second) fail("the graph defines '", name, "' twice");
    uses_.push_back(static_cast<int64_t>(plan_.steps_.size()));
    return slot;
  }
  int32_t use(const std::string& name) {
    const auto at = slots_.find(name);
    if (at == slots_.end()) fail("the graph uses '", name, "' before it is made");
    uses_[static_cast<size_t>(at->second)] = static_cast<int64_t>(plan_.steps_.size());
    return at->second;
  }
  template <class T>
  Source::Item item(const SymArgument<T>& a) {
    if (const auto* name = std::get_if<std::string>(&a.value)) return {use(*name), {}};
    return {-1, std::get<T>(a.value)};
  }

  int32_t input_slot(const Argument& input) {
    if (const auto* t = std::get_if<TensorArgument>(&input.value)) return define(t->name);
    const std::string* name = nullptr;
    if (const auto* s = std::get_if<SymIntArgument>(&input.value))
      name = std::get_if<std::string>(&s->value);
    if (const auto* s = std::get_if<SymFloatArgument>(&input.value))
      name = std::get_if<std::string>(&s->value);
    if (const auto* s = std::get_if<SymBoolArgument>(&input.value))
      name = std::get_if<std::string>(&s->value);
    if (const auto* s = std::get_if<CustomObjArgument>(&input.value)) name = &s->name;
    return name ? define(*name) : -1;
  }

  // ------------------------------------------------------------------ arguments
  static Source constant(IValue value) {
    Source s;
    s.constant = std::move(value);
    return s;
  }
  template <class List, class Read>
  static Source listed(Source::Kind kind, const List& all, const Read& read) {
    Source s;
    s.kind = kind;
    for (const auto& element : all) s.items.push_back(read(element));
    return s;
  }
  template <class T>
  Source of_symbolic(const SymArgument<T>& a) {
    const Source::Item i = item(a);
    if (i.slot < 0) return constant(i.number);
    Source s = listed(Source::Kind::kSlot, std::vector<Source::Item>{i},
                      [](const Source::Item& v) { return v; });
    s.is_number = true;
    return s;
  }
  template <class T>
  Source of_symbolics(Source::Kind kind, const std::vector<SymArgument<T>>& all) {
    return listed(kind, all, [&](const auto& a) { return item(a); });
  }
  Source of(const TensorArgument& t) {
    return listed(Source::Kind::kSlot, std::vector<TensorArgument>{t}, [&](const auto& a) {
      return Source::Item{use(a.name), {}};
    });
  }
  Source of(const std::vector<TensorArgument>& all) {
    return listed(Source::Kind::kTensors, all, [&](const auto& a) {
      return Source::Item{use(a.name), {}};
    });
  }
  Source of(const std::vector<optional<TensorArgument>>& all) {
    return listed(Source::Kind::kOptionalTensors, all, [&](const auto& a) {
      return a ? Source::Item{use(a->name), {}} : Source::Item{};
    });
  }
  Source of(const GraphArgument& g) {
    Source s;
    s.kind = Source::Kind::kGraph;
    s.graph = std::make_shared<const Plan>(*g.graph, where_, missing_);
    return s;
  }
  Source of(const SymIntArgument& a) { return of_symbolic(a); }
  Source of(const SymFloatArgument& a) { return of_symbolic(a); }
  Source of(const SymBoolArgument& a) { return of_symbolic(a); }
  Source of(const std::vector<SymIntArgument>& a) { return of_symbolics(Source::Kind::kInts, a); }
  Source of(const std::vector<SymFloatArgument>& a) {
    return of_symbolics(Source::Kind::kFloats, a);
  }
  Source of(const std::vector<SymBoolArgument>& a) { return of_symbolics(Source::Kind::kBools, a); }
  Source of(std::monostate) { return {}; }
  Source of(bool v) { return constant(v); }
  Source of(int64_t v) { return constant(v); }
  Source of(double v) { return constant(v); }
  Source of(const std::string& v) { return constant(v); }
  Source of(const std::vector<int64_t>& v) { return constant(v); }
  Source of(const std::vector<double>& v) { return constant(v); }
  Source of(const std::vector<bool>& v) {
    return constant(GenericList(std::vector<IValue>(v.begin(), v.end())));
  }
  Source of(const std::vector<std::string>& v) {
    return constant(GenericList(std::vector<IValue>(v.begin(), v.end())));
  }
  Source of(ScalarType v) { return constant(v); }
  Source of(MemoryFormat v) { return constant(static_cast<int64_t>(v)); }
  Source of(Layout v) {
    if (v != Layout::kStrided) fail("expected strided tensors, got another layout");
    return {};
  }
  Source of(const DeviceArgument& d) {
    Source s = constant(Device(d.index ? d.type + ":" + std::to_string(*d.index) : d.type));
    s.kind = Source::Kind::kDevice;
    return s;
  }
  Source of(const CustomObjArgument& o) {
    fail("the program uses an object of the class ", o.class_name, ", which Taper lacks");
  }
  Source of(const OperatorArgument& o) { return constant(o.name); }
  template <class T>
  Source of(const T&) {
    fail("the program has an argument of a kind that no op of Taper takes");
  }
  Source source(const Argument& a) {
    return std::visit([this](const auto& v) { return of(v); }, a.value);
  }

  // ------------------------------------------------------------------ nodes
  void add(const Node& node) {
    const std::string name = operator_name(node.target);
    const std::string hop = "higher_order::";
    std::unique_ptr<Step> step = name.compare(0, hop.size(), hop) == 0
                                     ? make_higher_order(node, name.substr(hop.size()))
                                     : make_step(node, name);
    if (!step) {
      ++missing_[name];
      for (const Argument& output : node.outputs) target(output);
      return;
    }
    step->name = label(node);
    plan_.steps_.push_back(std::move(step));
  }
  static std::string label(const Node& node) {
    std::string name = node.name;
    if (name.empty() && !node.outputs.empty())
      if (const auto* t = std::get_if<TensorArgument>(&node.outputs[0].value)) name = t->name;
    return name.empty() ? node.target : name + " = " + node.target;
  }

  std::unique_ptr<Step> make_step(const Node& node, const std::string& name) {
    if (const Adapter* adapter = find_adapter(name)) {
      std::vector<Source> arguments = adapter_arguments(node, *adapter);
      return adapter_step(*adapter, std::move(arguments), targets(node));
    }
    if (const OpInfo* row = row_for(node, name)) {
      std::vector<Source> arguments = in_order(node, parseSchema(row->schema));
      return make_row(node, *row, std::move(arguments));
    }
    const optional<OperatorHandle> op = Dispatcher::singleton().findSchema(parts_of(name));
    if (!op || !op->hasSchema()) return nullptr;
    std::vector<Source> arguments = in_order(node, op->schema());
    return operator_step(*op, std::move(arguments), targets(node));
  }
  std::unique_ptr<Step> make_row(const Node& node, const OpInfo& row,
                                 std::vector<Source> arguments) {
    try {
      return row_step(row, std::move(arguments), targets(node));
    } catch (const Error& e) {
      fail("node '", label(node), "': ", e.what());
    }
  }
  std::unique_ptr<Step> make_higher_order(const Node& node, const std::string& name) {
    if (!is_higher_order(name)) return nullptr;
    std::vector<Source> arguments;
    for (const NamedArgument& a : node.inputs) arguments.push_back(source(a.arg));
    return higher_order_step(name, std::move(arguments), targets(node));
  }

  static bool is_number(const Argument& a) {
    return a.is<int64_t>() || a.is<double>() || a.is<bool>() || a.is<SymIntArgument>() ||
           a.is<SymFloatArgument>() || a.is<SymBoolArgument>();
  }
  /// Returns the row of an op. If a number stands for its second tensor, returns the op of numbers.
  static const OpInfo* row_for(const Node& node, const std::string& name) {
    const OpInfo* row = find_row(name);
    if (!row || node.inputs.size() < 2 || !is_number(node.inputs[1].arg)) return row;
    const size_t dot = name.find(".Tensor");
    if (dot == std::string::npos) return row;
    std::string of_number = name;
    if (name.compare(dot, std::string::npos, ".Tensor_Tensor") == 0)
      of_number.resize(dot + 7), of_number += "_Scalar";
    else
      of_number.replace(dot, 7, ".Scalar");
    const OpInfo* found = find_row(of_number);
    return found && takes_number(*found) ? found : row;
  }
  static bool takes_number(const OpInfo& op) {
    return op.caller->size >= 2 &&
           op.caller->types[1]->number == taper::detail::ArgumentTypes::number_of<Scalar>();
  }

  /// Returns an argument for each parameter of the schema.
  std::vector<Source> in_order(const Node& node, const FunctionSchema& schema) {
    std::vector<Source> arguments;
    std::vector<bool> used(node.inputs.size());
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const taper::Argument& parameter = schema.arguments()[i];
      const NamedArgument* given = nullptr;
      for (size_t j = 0; j < node.inputs.size(); ++j)
        if (!used[j] && fits(node.inputs[j], parameter, i, j)) {
          given = &node.inputs[j];
          used[j] = true;
          break;
        }
      if (given)
        arguments.push_back(source(given->arg));
      else if (parameter.default_value())
        arguments.push_back(constant(*parameter.default_value()));
      else if (parameter.type()->annotation_str().find('?') != std::string::npos)
        arguments.emplace_back();
      else
        fail("node '", label(node), "': expected an argument '", parameter.name(), "', got none");
      if (arguments.back().is_constant()) expand(arguments.back(), parameter);
    }
    const auto rest = std::find(used.begin(), used.end(), false);
    if (rest != used.end())
      fail("node '", label(node), "': expected no argument '",
           node.inputs[static_cast<size_t>(rest - used.begin())].name, "' of ",
           toString(schema.operator_name()));
    return arguments;
  }
  /// Returns whether the j-th argument is for the i-th parameter. Arguments without a name go by
  /// position.
  static bool fits(const NamedArgument& a, const taper::Argument& parameter, size_t i, size_t j) {
    if (a.name == parameter.name()) return true;
    return i == j && (a.name.empty() || (i == 0 && a.kind != NamedArgument::Kind::kKeyword));
  }
  // One number for an int[2] stands twice.
  static void expand(Source& s, const taper::Argument& parameter) {
    if (parameter.N() && s.constant.isInt())
      s.constant = std::vector<int64_t>(static_cast<size_t>(*parameter.N()), s.constant.toInt());
  }

  std::vector<Source> adapter_arguments(const Node& node, const Adapter& adapter) {
    if (is_schema(adapter.schema)) return in_order(node, parseSchema(adapter.schema));
    std::vector<Source> arguments;  // a function of Python
    for (const NamedArgument& a : node.inputs) arguments.push_back(source(a.arg));
    return arguments;
  }

  // ------------------------------------------------------------------ outputs
  Target target(const Argument& output) {
    if (const auto* all = std::get_if<std::vector<TensorArgument>>(&output.value)) {
      Target list{{}, true};
      for (const TensorArgument& t : *all) list.slots.push_back(define(t.name));
      return list;
    }
    return {{input_slot(output)}, false};
  }
  std::vector<Target> targets(const Node& node) {
    std::vector<Target> all;
    for (const Argument& output : node.outputs) all.push_back(target(output));
    return all;
  }
  void free_unused() {
    const auto last = static_cast<int64_t>(plan_.steps_.size());
    for (size_t slot = 0; slot < uses_.size(); ++slot)
      if (uses_[slot] < last)
        plan_.steps_[static_cast<size_t>(uses_[slot])]->unused.push_back(
            static_cast<int32_t>(slot));
  }

  const Graph& graph_;
  const std::string& where_;
  MissingOps& missing_;
  Plan& plan_;
  std::unordered_map<std::string, int32_t> slots_;
  std::vector<int64_t> uses_;  ///< for each slot, the last step that uses it
};

Plan::Plan(const Graph& graph, const std::string& where, MissingOps& missing) {
  PlanBuilder(graph, where, missing, *this).build();
}
Plan::~Plan() = default;

}  // namespace torch::taper::program
