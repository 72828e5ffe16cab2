#include <taper/program/trace.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/program/trace_mode.h>

namespace torch::taper::program {

// ---------------------------------------------------------------------- names
namespace {

// Names of Python that a value's name would hide.
constexpr std::array<std::string_view, 33> kPythonNames = {
    "abs",   "all",  "and",   "any",    "as",    "bool", "complex", "divmod", "filter",
    "float", "hash", "if",    "in",     "input", "int",  "is",      "lambda", "list",
    "map",   "max",  "min",   "not",    "or",    "pow",  "range",   "repr",   "reversed",
    "round", "set",  "slice", "sorted", "sum",   "type"};

bool is_python(std::string_view name) {
  return std::find(kPythonNames.begin(), kPythonNames.end(), name) != kPythonNames.end();
}

}  // namespace

std::string ValueNames::unique(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  name.erase(0, name.find_first_not_of('_'));
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "v" + name;
  std::string given = name;
  for (int& count = counts_[name]; is_python(given) || !used_.insert(given).second;)
    given = name + '_' + std::to_string(++count);
  return given;
}

// ---------------------------------------------------------------------- values
TensorMeta meta_of(const Tensor& t) {
  TensorMeta meta;
  meta.dtype = t.scalar_type();
  meta.sizes.assign(t.sizes().begin(), t.sizes().end());
  meta.strides.assign(t.strides().begin(), t.strides().end());
  meta.requires_grad = t.requires_grad();
  if (!t.is_cpu()) {
    meta.device.type = t.device().str().substr(0, t.device().str().find(':'));
    meta.device.index = t.device().index();
  }
  return meta;
}

const void* memory_of(const Tensor& t) {
  const void* const storage = t.numel() == 0 ? nullptr : t.storage().unsafeGetStorageImpl();
  return storage ? storage : t.unsafeGetTensorImpl();
}

std::string traced_op(const Node& node) {
  const std::string space = "torch.ops.aten.";
  return node.target.substr(node.target.rfind(space, 0) == 0 ? space.size() : 0);
}

Tracer::Tracer(const std::vector<TraceInput>& inputs) : inputs_(inputs) {
  for (const TraceInput& input : inputs) {
    const std::string& name = input.spec.arg.get<TensorArgument>().name;
    names_.unique(name);
    record_.values[name] = meta_of(input.tensor);
    know(input.tensor, name);
  }
}

// ---------------------------------------------------------------------- values of tensors
Known& Tracer::know(const Tensor& t, std::string value) {
  std::unique_ptr<Known>& known = known_[t.unsafeGetTensorImpl()];
  known = std::make_unique<Known>();
  known->tensor = t;
  known->value = std::move(value);
  Memory& memory = memories_[memory_of(t)];
  known->writes = memory.writes;
  memory.views.push_back(known.get());
  return *known;
}

Known& Tracer::known(const Tensor& t) {
  const auto found = known_.find(t.unsafeGetTensorImpl());
  return found == known_.end() ? lift(t) : *found->second;
}

/// Returns a tensor with the same elements, or null. Throws Error for an unknown view of memory
/// that the trace knows.
Known* Tracer::alias_of(const Tensor& t) {
  const auto found = memories_.find(memory_of(t));
  if (found == memories_.end()) return nullptr;
  for (Known* other : found->second.views)
    if (other->tensor.is_set_to(t) && other->tensor.scalar_type() == t.scalar_type()) return other;
  throw Error(taper::detail::concat(
      "export_program: expected tensors that ops have made, got a view of sizes ", t.sizes(),
      " of a traced tensor that no op has made; make it with view(), "
      "slice() or another op"));
}

/// Makes a constant of a tensor that comes from outside of the trace.
Known& Tracer::lift(const Tensor& t) {
  if (Known* other = alias_of(t)) {
    Known& k = know(t, value_of(*other));
    k.base = other;
    k.view.target = "torch.ops.aten.alias.default";
    k.view.inputs = {positional("self", TensorArgument{other->value})};
    return k;
  }
  const std::string target = "lifted_tensor_" + std::to_string(record_.constants.size());
  InputSpec spec;
  spec.kind = InputSpec::Kind::kTensorConstant;
  spec.target = target;
  spec.arg.value = TensorArgument{names_.unique("c_" + target)};
  const std::string name = spec.arg.get<TensorArgument>().name;
  record_.constants.push_back({spec, t.detach()});
  record_.values[name] = meta_of(t);
  return know(t, name);
}

/// Returns the value of a tensor, made again if its memory has changed since.
const std::string& Tracer::value_of(Known& k) {
  const Memory& memory = memories_[memory_of(k.tensor)];
  if (k.writes == memory.writes || !k.base) return k.value;
  const std::string base = value_of(*k.base);
  if (k.base->tensor.is_set_to(k.tensor)) {
    k.value = base;
  } else {
    TAPER_CHECK(k.view.outputs.size() == 1 && k.view.outputs[0].is<TensorArgument>(),
                "export_program: the call writes to memory that parts of ", traced_op(k.view),
                "() share, and reads another part later; use narrow() or select() for the parts");
    k.view.inputs[0].arg.value = TensorArgument{base};
    k.value = add_node(k.view, "view", k.tensor);
  }
  k.writes = memory.writes;
  return k.value;
}

// ---------------------------------------------------------------------- arguments
namespace {

std::vector<optional<TensorArgument>> optional_names(const std::vector<std::string>& names) {
  std::vector<optional<TensorArgument>> all;
  for (const std::string& name : names)
    all.push_back(name.empty() ? optional<TensorArgument>() : TensorArgument{name});
  return all;
}

DeviceArgument device_argument(Device device) {
  DeviceArgument argument;
  argument.type = device.str().substr(0, device.str().find(':'));
  if (device.has_index()) argument.index = device.index();
  return argument;
}

}  // namespace

Argument Tracer::argument_of(const SchemaArgument& parameter, const IValue& v) {
  if (v.isNone()) return {};
  if (v.isTensor()) return {TensorArgument{value_of(v.toTensor())}};
  if (parameter.is("Tensor?[]")) {
    std::vector<std::string> names;
    for (const IValue& each : v.toListRef())
      names.push_back(each.isNone() ? "" : value_of(each.toTensor()));
    return {optional_names(names)};
  }
  if (v.isTensorList() || parameter.is("Tensor[]")) {
    std::vector<TensorArgument> list;
    for (const Tensor& t : v.toTensorVector()) list.push_back({value_of(t)});
    return {list};
  }
  if (parameter.is("ScalarType")) return {static_cast<ScalarType>(v.toInt())};
  if (parameter.is("MemoryFormat")) return {static_cast<MemoryFormat>(v.toInt())};
  if (v.isDevice()) return {device_argument(v.toDevice())};
  if (v.isBool()) return {v.toBool()};
  if (v.isInt())
    return parameter.is("float") ? Argument{static_cast<double>(v.toInt())} : Argument{v.toInt()};
  if (v.isDouble()) return {v.toDouble()};
  if (v.isString()) return {v.toStringRef()};
  if (v.isIntList()) return {v.toIntVector()};
  if (v.isDoubleList()) return {v.toDoubleVector()};
  throw Error(taper::detail::concat("export_program: cannot write argument ", parameter.name,
                                    " of type ", parameter.type));
}

/// Adds dtype, layout, device and pin_memory, if they are set.
void Tracer::add_options(Node& node, const IValue& options) {
  const std::vector<IValue>& all = options.toTupleRef().elements();
  const auto add = [&](const char* name, Argument::Value value) {
    node.inputs.push_back({name, {std::move(value)}, NamedArgument::Kind::kKeyword});
  };
  if (!all[0].isNone()) add("dtype", static_cast<ScalarType>(all[0].toInt()));
  if (!all[2].isNone()) add("device", device_argument(all[2].toDevice()));
  if (!all[3].isNone() && all[3].toBool()) add("pin_memory", true);
}

Node Tracer::node_of(const OpInfo& op, const OpCall& call) {
  Node node;
  node.target = target_of_name(op.aten_name());
  const std::vector<SchemaArgument> parameters = schema_arguments(op.schema);
  size_t p = 0;
  for (size_t i = 0; i < call.size(); ++i, ++p) {
    TAPER_ASSERT(p < parameters.size(), op.schema, " names all arguments");
    const SchemaArgument& parameter = parameters[p];
    const IValue value = parameter.is("Generator") ? IValue() : call.argument(i);
    if (value.isTuple()) {
      add_options(node, value);
      p += 3;
      continue;
    }
    Argument argument = argument_of(parameter, value);
    if (parameter.keyword_only && argument.is_none()) continue;
    node.inputs.push_back({parameter.name, std::move(argument),
                           parameter.keyword_only ? NamedArgument::Kind::kKeyword
                                                  : NamedArgument::Kind::kPositional});
  }
  return node;
}

// ---------------------------------------------------------------------- nodes
/// Appends a node with one new value. Returns its name.
std::string Tracer::add_node(Node node, const char* op, const Tensor& like) {
  node.name = names_.unique(without_overload(traced_op(node)));
  node.outputs = {{TensorArgument{node.name}}};
  record_.values[node.name] = meta_of(like);
  record_.nodes.push_back(std::move(node));
  record_.op_names.push_back(op);
  return record_.nodes.back().name;
}
std::string Tracer::add_op(const std::string& op, std::vector<NamedArgument> inputs,
                           const Tensor& like) {
  Node node;
  node.target = "torch.ops.aten." + op;
  node.inputs = std::move(inputs);
  return add_node(std::move(node), op.c_str(), like);
}

/// Records a result under its name, as a view if it shares memory with the first input.
std::string Tracer::add_output(const Tensor& t, const std::string& name, const Node& node,
                               const std::vector<Tensor>& inputs) {
  record_.values[name] = meta_of(t);
  if (known_.count(t.unsafeGetTensorImpl())) return name;  // an argument, beside new results
  Known& k = know(t, name);
  if (!inputs.empty() && memory_of(inputs[0]) == memory_of(t)) {
    k.base = &known(inputs[0]);
    k.view = node;
  }
  return name;
}

Argument Tracer::add_result(const OpInfo& op, const IValue& result, const Node& node,
                            const std::vector<Tensor>& inputs, bool is_only) {
  if (result.isNone()) return {};
  if (result.isTensor())
    return {TensorArgument{add_output(
        result.toTensor(), is_only ? node.name : names_.unique("getitem"), node, inputs)}};
  if (!result.isTensorList())
    throw Error(
        taper::detail::concat("export_program: ", op.name, " returns a value that is no tensor"));
  std::vector<TensorArgument> list;
  for (const Tensor& t : result.toTensorVector())
    list.push_back({add_output(t, names_.unique("getitem"), node, inputs)});
  return {list};
}

namespace {

// Ops that change what a tensor is, not its elements.
bool changes_layout(std::string_view op) {
  for (const std::string_view name : {"as_strided_", "resize_", "resize_as_", "set_", "squeeze_",
                                      "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"})
    if (op == name) return true;
  return false;
}
// Ops that return a fact of the elements.
bool reads_elements(std::string_view op) {
  return op == "allclose" || op == "equal" || op == "is_nonzero";
}
[[noreturn]] void throw_read(const std::string& op) {
  throw Error(
      taper::detail::concat("export_program: ", op,
                            "() reads elements, and the call may depend on them, but a "
                            "graph has no such choices; use where() or other ops of tensors",
                            "; TAPER_SHOW_CALLER=1 shows the line"));
}

}  // namespace

/// Records the node of a call that has run.
void Tracer::add_results(const OpInfo& op, OpCall& call, Node node) {
  const IValue result = call.result();
  const bool is_tuple = result.isTuple();
  const std::vector<Tensor> results = call.result_tensors(), inputs = call.tensors();
  if (results.empty()) {
    if (reads_elements(op.name)) throw_read(op.name);
    return;  // a fact of the tensor: its dtype or its sizes
  }
  if (std::all_of(results.begin(), results.end(),
                  [&](const Tensor& t) { return known_.count(t.unsafeGetTensorImpl()) > 0; }))
    return;  // it has returned its argument
  node.name = names_.unique(without_overload(traced_op(node)));
  std::vector<Argument> outputs;
  if (is_tuple)
    for (const IValue& each : result.toTupleRef().elements())
      outputs.push_back(add_result(op, each, node, inputs, false));
  else
    outputs.push_back(add_result(op, result, node, inputs, true));
  node.outputs = outputs;
  for (const Tensor& t : results) known(t).view.outputs = outputs;
  record_.nodes.push_back(std::move(node));
  record_.op_names.push_back(op.name);
}

// ---------------------------------------------------------------------- calls
void Tracer::call(const OpInfo& op, OpCall& call) {
  if (op.aten_name().substr(0, 6) != "aten::") return decompose(op, call);
  const std::string name = op.name;
  TAPER_CHECK(!op.is(OpTrait::kOut), "export_program: expected ops without `out`, got ", op.schema,
              "; use the result of the op");
  TAPER_CHECK(!changes_layout(name),
              "export_program: expected tensors that keep their sizes and memory, got ", name,
              "(); use the form without underscore");
  if (op.is(OpTrait::kInPlace)) return write(op, call);
  Node node = node_of(op, call);
  call.next();
  add_results(op, call, std::move(node));
}

void Tracer::read(const Tensor& t) {
  // Constants are equal in all calls.
  if (known_.count(t.unsafeGetTensorImpl())) throw_read("item");
}

/// Records the parts of an op that PyTorch does not have.
void Tracer::decompose(const OpInfo& op, OpCall& call) {
  const size_t before = record_.nodes.size();
  call.decompose();
  for (const Tensor& t : call.result_tensors())
    TAPER_CHECK(known_.count(t.unsafeGetTensorImpl()) && record_.nodes.size() > before,
                "export_program: ", op.name,
                " has no name in PyTorch, and is not made of ops that have one");
}

// ---------------------------------------------------------------------- end
/// Adds the changes of tensors that the call was given.
void Tracer::add_mutations(Recording& record) {
  for (const TraceInput& constant : record.constants) {
    Known& k = known(constant.tensor);
    TAPER_CHECK(value_of(k) == constant.spec.arg.get<TensorArgument>().name,
                "export_program: the call writes to a tensor of sizes ", constant.tensor.sizes(),
                " that is no buffer, parameter or argument; register it with register_buffer()");
  }
  for (const TraceInput& input : inputs_) {
    const std::string& value = value_of(input.tensor);
    const std::string& name = input.spec.arg.get<TensorArgument>().name;
    if (value == name) continue;
    OutputSpec output;
    const bool is_parameter = input.spec.kind == InputSpec::Kind::kParameter;
    output.kind = input.spec.kind == InputSpec::Kind::kBuffer ? OutputSpec::Kind::kBufferMutation
                  : is_parameter                              ? OutputSpec::Kind::kParameterMutation
                                 : OutputSpec::Kind::kUserInputMutation;
    output.target = input.spec.kind == InputSpec::Kind::kUserInput ? name : input.spec.target;
    output.arg.value = TensorArgument{value};
    record.outputs.push_back(output);
  }
}

Recording Tracer::finish(const std::vector<Tensor>& results) {
  std::vector<OutputSpec> outputs;
  for (const Tensor& t : results) {
    OutputSpec output;
    if (t.defined()) output.arg.value = TensorArgument{value_of(t)};
    outputs.push_back(output);
  }
  add_mutations(record_);
  record_.outputs.insert(record_.outputs.end(), outputs.begin(), outputs.end());
  return std::move(record_);
}

Recording record_call(const TraceBody& body, const std::vector<TraceInput>& inputs) {
  const NoGradGuard no_grad;
  std::vector<Tensor> arguments, results;
  for (const TraceInput& input : inputs)
    if (input.spec.kind == InputSpec::Kind::kUserInput) arguments.push_back(input.tensor);
  Tracer tracer(inputs);
  {
    const OpModeGuard on(tracer);
    results = body(arguments);
  }
  return tracer.finish(results);
}

}  // namespace torch::taper::program
