#include <taper/program/program.h>

#include <algorithm>
#include <ostream>
#include <unordered_map>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/program/archive.h>
#include <taper/program/mode.h>
#include <taper/program/pytree.h>
#include <taper/program/run.h>
#include <taper/program/symbols.h>

namespace torch::taper::program {

using taper::detail::concat;
using Named = ProgramModuleImpl::Named;

namespace {

using InputKind = InputSpec::Kind;
using OutputKind = OutputSpec::Kind;

std::string text_of(const MissingOps& missing) {
  std::string text;
  for (const auto& [name, count] : missing)
    text += concat(text.empty() ? "" : ", ", name, " (", count, count == 1 ? " time)" : " times)");
  return text;
}

/// Returns the module of "layer1.0" in `root`, which is made if it is new.
nn::Module& module_at(nn::Module& root, const std::string& path) {
  nn::Module* at = &root;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const auto children = at->named_children();
    const auto* known = children.find(part);
    at = known ? known->get()
               : at->register_module(part, std::make_shared<nn::Module>("Module")).get();
    begin = end + 1;
  }
  return *at;
}

}  // namespace

// ---------------------------------------------------------------------- state
/// A program that is ready to run, and its tensors.
struct ModuleState {
  explicit ModuleState(Program given) : data(std::move(given)), where("program") {}

  Program data;
  const std::string where;
  std::unique_ptr<const Plan> plan;
  std::unique_ptr<const SizeRules> rules;
  ModeOfExport mode;
  TreeSpec arguments, named, result;    ///< the shapes of inputs and of the result
  std::vector<std::string> user_names;  ///< of the leaves of the inputs
  std::vector<Tensor> held;             ///< for each input of the graph, or undefined
  std::vector<size_t> user_inputs;      ///< inputs of the graph that the user gives
  Place place;

  void check_signature() const;
  void read_trees();
  void prepare();
  void hold(nn::Module& root);
  Tensor tensor_of(const InputSpec& spec) const;
  std::vector<IValue> leaves(std::vector<IValue> inputs, const Named& given) const;
  std::vector<Value> graph_inputs(const std::vector<IValue>& leaves) const;
  void check_leaves(const std::vector<IValue>& leaves) const;
  void check_constant(const InputSpec& spec, const IValue& leaf) const;
  IValue finish(std::vector<Value> outputs, const std::vector<IValue>& leaves) const;
  void write_back(const OutputSpec& spec, const Value& value,
                  const std::vector<IValue>& leaves) const;
  const Tensor& held_tensor(InputKind kind, const std::string& name) const;
};

// The JSON may say anything, so that the parts of the program are compared first.
void ModuleState::check_signature() const {
  TAPER_CHECK(data.input_specs.size() == data.graph.inputs.size(), where,
              ": expected as many inputs in the signature as in the graph, got ",
              data.input_specs.size(), " and ", data.graph.inputs.size());
  TAPER_CHECK(data.output_specs.size() == data.graph.outputs.size(), where,
              ": expected as many outputs in the signature as in the graph, got ",
              data.output_specs.size(), " and ", data.graph.outputs.size());
  for (const InputSpec& spec : data.input_specs) {
    TAPER_CHECK(spec.kind != InputKind::kCustomObj, where,
                ": expected no objects of classes, got '", spec.target, "'");
    const bool named = spec.kind == InputKind::kParameter || spec.kind == InputKind::kBuffer ||
                       spec.kind == InputKind::kTensorConstant;
    TAPER_CHECK(!named || (spec.arg.is<TensorArgument>() && !spec.target.empty()), where,
                ": expected the name of a tensor for a parameter, buffer or constant");
  }
  for (const Argument& output : data.graph.outputs)
    TAPER_CHECK(!output.is<std::vector<TensorArgument>>(), where, ": expected no lists as outputs");
}

void ModuleState::read_trees() {
  const auto root =
      std::find_if(data.module_calls.begin(), data.module_calls.end(),
                   [](const ModuleCall& c) { return c.fqn.empty() && c.has_signature; });
  TAPER_CHECK(root != data.module_calls.end(), where, ": expected a signature of the model");
  const TreeSpec all = TreeSpec::parse(root->in_spec, where);
  result = TreeSpec::parse(root->out_spec, where);
  TAPER_CHECK(all.children().size() == 2 && all.children()[1].kind() == TreeSpec::Kind::kDict,
              where, ": expected positional and named inputs");
  arguments = all.children()[0];
  named = all.children()[1];
  size_t inputs = 0, outputs = 0;
  for (const InputSpec& spec : data.input_specs)
    inputs += spec.kind == InputKind::kUserInput || spec.kind == InputKind::kConstantInput;
  for (const OutputSpec& spec : data.output_specs)
    outputs += spec.kind == OutputKind::kUserOutput || spec.kind == OutputKind::kLoss;
  TAPER_CHECK(all.leaves() == inputs, where, ": expected ", all.leaves(),
              " inputs, as its tree has, got ", inputs);
  TAPER_CHECK(result.leaves() == outputs, where, ": expected ", result.leaves(),
              " outputs, as its tree has, got ", outputs);
}

void ModuleState::prepare() {
  check_signature();
  read_trees();
  MissingOps missing;
  plan = std::make_unique<Plan>(data.graph, where, missing);
  if (!missing.empty())
    throw NotImplementedError(concat(
        where, ": Taper lacks ", missing.size(), missing.size() == 1 ? " op" : " ops", " of it: ",
        text_of(missing), "; register them with TORCH_LIBRARY, or export a program without them"));
  rules = std::make_unique<SizeRules>(data);
  mode = mode_of_export(data.graph);
}

Tensor ModuleState::tensor_of(const InputSpec& spec) const {
  const bool is_weight =
      spec.kind == InputKind::kParameter || (spec.kind == InputKind::kBuffer && spec.persistent);
  for (const auto* all :
       {is_weight ? &data.weights : &data.constants, is_weight ? &data.constants : &data.weights}) {
    const auto at = all->find(spec.target);
    if (at != all->end()) return at->second;
  }
  throw Error(concat(where, ": expected a tensor '", spec.target, "' in the file, got none"));
}

/// Checks a tensor of the file against the graph's facts of it.
static void check_meta(const Program& data, const InputSpec& spec, const Tensor& t,
                       const std::string& where) {
  const auto at = data.graph.tensor_values.find(spec.arg.get<TensorArgument>().name);
  if (at == data.graph.tensor_values.end()) return;
  const TensorMeta& meta = at->second;
  bool fits = meta.dtype == t.scalar_type() && static_cast<int64_t>(meta.sizes.size()) == t.dim();
  for (size_t d = 0; fits && d < meta.sizes.size(); ++d)
    if (const auto* size = std::get_if<int64_t>(&meta.sizes[d]))
      fits = *size == t.size(static_cast<int64_t>(d));
  TAPER_CHECK(fits, where, ": tensor '", spec.target, "' of dtype ", t.scalar_type(), " and sizes ",
              t.sizes(), " does not fit the graph");
}

void ModuleState::hold(nn::Module& root) {
  held.resize(data.input_specs.size());
  for (size_t i = 0; i < held.size(); ++i) {
    const InputSpec& spec = data.input_specs[i];
    if (spec.kind == InputKind::kUserInput || spec.kind == InputKind::kConstantInput)
      user_inputs.push_back(i);
    if (spec.kind != InputKind::kParameter && spec.kind != InputKind::kBuffer &&
        spec.kind != InputKind::kTensorConstant)
      continue;
    Tensor t = tensor_of(spec);
    check_meta(data, spec, t, where);
    const size_t dot = spec.target.rfind('.');
    const std::string path = dot == std::string::npos ? "" : spec.target.substr(0, dot);
    const std::string name = dot == std::string::npos ? spec.target : spec.target.substr(dot + 1);
    const auto meta = data.graph.tensor_values.find(spec.arg.get<TensorArgument>().name);
    const bool learns = meta == data.graph.tensor_values.end() || meta->second.requires_grad;
    // As in Python, optimizers get a tied parameter once, and the state_dict has all its names.
    const bool is_tied = std::any_of(held.begin(), held.begin() + static_cast<ptrdiff_t>(i),
                                     [&](const Tensor& known) { return known.is_same(t); });
    if (spec.kind == InputKind::kParameter && !is_tied)
      module_at(root, path).register_parameter(name, t, learns && t.is_floating_point());
    else if (is_tied || (spec.kind == InputKind::kBuffer && spec.persistent))
      module_at(root, path).register_buffer(name, t);
    held[i] = t;
    if (!place.exported) place.exported = t.device();
  }
  place.current = place.exported;
}

// ---------------------------------------------------------------------- inputs
std::vector<IValue> ModuleState::leaves(std::vector<IValue> inputs, const Named& given) const {
  const std::vector<std::string>& keys = named.keys();
  const size_t positional = arguments.children().size();
  TAPER_CHECK(inputs.size() + given.size() == positional + keys.size(), "program: expected ",
              positional + keys.size(), " inputs, got ", inputs.size() + given.size());
  TAPER_CHECK(inputs.size() >= positional, "program: expected ", positional,
              " inputs in order, got ", inputs.size());
  std::vector<IValue> all;
  for (size_t i = 0; i < positional; ++i)
    arguments.children()[i].flatten(inputs[i], std::to_string(i), all);
  size_t next = positional;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto at = given.find(keys[i]);
    TAPER_CHECK(at != given.end() || next < inputs.size(), "program: expected an input named '",
                keys[i], "', got none");
    named.children()[i].flatten(at != given.end() ? at->second : inputs[next++],
                                "'" + keys[i] + "'", all);
  }
  return all;
}

void ModuleState::check_constant(const InputSpec& spec, const IValue& leaf) const {
  const auto text = [](const IValue& v) { return concat(v); };
  const Argument& fixed = spec.kind == InputKind::kConstantInput ? spec.constant : spec.arg;
  IValue expected;
  if (fixed.is<int64_t>()) expected = fixed.get<int64_t>();
  if (fixed.is<double>()) expected = fixed.get<double>();
  if (fixed.is<bool>()) expected = fixed.get<bool>();
  if (fixed.is<std::string>()) expected = fixed.get<std::string>();
  const bool equal = leaf.isScalar() && expected.isScalar()
                         ? leaf.toScalar().toDouble() == expected.toScalar().toDouble()
                         : leaf == expected;
  TAPER_CHECK(equal, "program: input '", spec.target, "': expected ", text(expected),
              ", which the export fixed, got ", text(leaf));
}

void ModuleState::check_leaves(const std::vector<IValue>& leaves) const {
  std::vector<const Tensor*> tensors(leaves.size());
  std::vector<optional<int64_t>> numbers(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    const InputSpec& spec = data.input_specs[user_inputs[i]];
    if (leaves[i].isTensor()) tensors[i] = &leaves[i].toTensor();
    if (leaves[i].isInt()) numbers[i] = leaves[i].toInt();
    if (spec.arg.is<TensorArgument>())
      TAPER_CHECK(leaves[i].isTensor(), "program: input '", spec.arg.get<TensorArgument>().name,
                  "' (", i, "): expected a tensor, got a ", leaves[i].tagKind());
    else if (!spec.arg.is<SymIntArgument>() && !spec.arg.is<SymFloatArgument>() &&
             !spec.arg.is<SymBoolArgument>())
      check_constant(spec, leaves[i]);
  }
  rules->check(tensors, numbers);
}

std::vector<Value> ModuleState::graph_inputs(const std::vector<IValue>& leaves) const {
  std::vector<Value> all(held.begin(), held.end());
  for (size_t i = 0; i < leaves.size(); ++i) all[user_inputs[i]] = value_of(leaves[i]);
  return all;
}

// ---------------------------------------------------------------------- outputs
const Tensor& ModuleState::held_tensor(InputKind kind, const std::string& name) const {
  for (size_t i = 0; i < held.size(); ++i)
    if (data.input_specs[i].kind == kind && data.input_specs[i].target == name) return held[i];
  throw Error(concat("program: the signature changes '", name, "', which it does not have"));
}

void ModuleState::write_back(const OutputSpec& spec, const Value& value,
                             const std::vector<IValue>& leaves) const {
  const auto* t = std::get_if<Tensor>(&value);
  TAPER_CHECK(t && t->defined(), "program: expected a new value of '", spec.target, "'");
  if (spec.kind == OutputKind::kUserInputMutation) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Argument& arg = data.input_specs[user_inputs[i]].arg;
      if (!arg.is<TensorArgument>() || arg.get<TensorArgument>().name != spec.target) continue;
      Tensor input = leaves[i].toTensor();
      if (!input.is_same(*t)) input.copy_(*t);
    }
    return;
  }
  const bool is_buffer = spec.kind == OutputKind::kBufferMutation;
  Tensor to = held_tensor(is_buffer ? InputKind::kBuffer : InputKind::kParameter, spec.target);
  if (to.is_same(*t)) return;
  const NoGradGuard no_grad;
  to.copy_(*t);
}

IValue ModuleState::finish(std::vector<Value> outputs, const std::vector<IValue>& leaves) const {
  std::vector<IValue> results;
  for (size_t i = 0; i < data.output_specs.size(); ++i) {
    const OutputSpec& spec = data.output_specs[i];
    switch (spec.kind) {
      case OutputKind::kUserOutput:
      case OutputKind::kLoss:
        results.push_back(ivalue_of(outputs.at(i)));
        break;
      case OutputKind::kBufferMutation:
      case OutputKind::kParameterMutation:
      case OutputKind::kUserInputMutation:
        write_back(spec, outputs.at(i), leaves);
        break;
      default:
        break;
    }
  }
  auto next = results.begin();
  return result.unflatten(next);
}

}  // namespace torch::taper::program

namespace torch::taper {

// ---------------------------------------------------------------------- the module
struct ProgramModuleImpl::State : program::ModuleState {
  using ModuleState::ModuleState;
};

ProgramModuleImpl::ProgramModuleImpl(program::Program program)
    : Module("ProgramModule"), state_(std::make_shared<State>(std::move(program))) {
  const NoGradGuard no_grad;
  state_->prepare();
  state_->hold(*this);
  Module::train(state_->mode.training);
}
ProgramModuleImpl::~ProgramModuleImpl() = default;

IValue ProgramModuleImpl::run(std::vector<IValue> inputs, const Named& named) {
  const std::vector<IValue> leaves = state_->leaves(std::move(inputs), named);
  state_->check_leaves(leaves);
  std::vector<program::Value> outputs =
      state_->plan->run(state_->graph_inputs(leaves), state_->place);
  return state_->finish(std::move(outputs), leaves);
}

namespace {

void add_tensors(const IValue& value, std::vector<Tensor>& all) {
  if (value.isTensor()) all.push_back(value.toTensor());
  if (value.isTuple())
    for (const IValue& v : value.toTupleRef().elements()) add_tensors(v, all);
  if (value.isList())
    for (const IValue& v : value.toList()) add_tensors(v, all);
  if (value.isGenericDict())
    for (const auto& entry : value.toGenericDict()) add_tensors(entry.value(), all);
}

}  // namespace

Tensor ProgramModuleImpl::only_tensor(const IValue& result) {
  std::vector<Tensor> all;
  add_tensors(result, all);
  TAPER_CHECK(all.size() == 1, "program: forward() expects one tensor as output, got ", all.size(),
              "; run() returns all of them");
  return all[0];
}

const program::Program& ProgramModuleImpl::program() const { return state_->data; }

void ProgramModuleImpl::train(bool on) {
  const program::ModeOfExport& mode = state_->mode;
  TAPER_CHECK(mode.of_mode(on) || !mode.of_mode(!on), "program: expected ",
              on ? "eval()" : "train()", ", got ", on ? "train()" : "eval()",
              ": the export fixed the mode of ", mode.example, " and others; in Python call model.",
              on ? "train()" : "eval()", " before torch.export.export");
  Module::train(on);
}

void ProgramModuleImpl::convert_all(optional<Device> device, optional<Dtype> dtype,
                                    bool non_blocking) {
  const NoGradGuard no_grad;
  const auto converted = [&](const Tensor& t) {
    TensorOptions options = t.options();
    if (device) options = options.device(*device);
    if (dtype && t.is_floating_point()) options = options.dtype(*dtype);
    return t.to(options, non_blocking);
  };
  const auto replace = [&](const Tensor& t) {
    const Tensor other = converted(t);
    if (!other.is_same(t)) t.set_data(other);
  };
  for (const Tensor& t : state_->held) {
    if (!t.defined()) continue;
    const Tensor grad = t.grad();
    replace(t);
    if (grad.defined()) replace(grad);
  }
  if (device) state_->place.current = device;
}
void ProgramModuleImpl::to(Device device, Dtype dtype, bool non_blocking) {
  convert_all(device, dtype, non_blocking);
}
void ProgramModuleImpl::to(Dtype dtype, bool non_blocking) {
  convert_all(nullopt, dtype, non_blocking);
}
void ProgramModuleImpl::to(Device device, bool non_blocking) {
  convert_all(device, nullopt, non_blocking);
}

std::shared_ptr<nn::Module> ProgramModuleImpl::clone(const optional<Device>& device) const {
  const NoGradGuard no_grad;
  program::Program copy = state_->data;
  std::unordered_map<const TensorImpl*, Tensor> copies;  // tied tensors stay tied
  for (auto* all : {&copy.weights, &copy.constants})
    for (auto& [name, t] : *all) {
      Tensor& made = copies[&t.impl()];
      if (!made.defined()) made = t.detach().clone();
      t = made;
    }
  // The dtypes of converted tensors are not those of the file.
  for (const program::InputSpec& spec : copy.input_specs) {
    if (!spec.arg.is<program::TensorArgument>() || spec.target.empty()) continue;
    const auto meta = copy.graph.tensor_values.find(spec.arg.get<program::TensorArgument>().name);
    const auto weight = copy.weights.find(spec.target), constant = copy.constants.find(spec.target);
    if (meta == copy.graph.tensor_values.end()) continue;
    if (weight != copy.weights.end()) meta->second.dtype = weight->second.scalar_type();
    if (constant != copy.constants.end()) meta->second.dtype = constant->second.scalar_type();
  }
  auto other = std::make_shared<ProgramModuleImpl>(std::move(copy));
  other->state_->place = state_->place;
  copy_hooks(*other, *this);
  other->Module::train(is_training());
  if (device) other->to(*device);
  return other;
}

void ProgramModuleImpl::pretty_print(std::ostream& stream) const {
  stream << "taper::ProgramModule(nodes=" << state_->data.graph.nodes.size() << ")";
}

ProgramModule load_program(const std::string& path, const std::string& model) {
  try {
    return ProgramModule(std::make_shared<ProgramModuleImpl>(program::read_program(path, model)));
  } catch (Error& e) {
    if (e.msg().rfind("load: ", 0) != 0) e.add_context("in '" + path + "'");
    throw;
  }
}

std::string describe_program(const std::string& path, const std::string& model) {
  return describe_program(program::read_program(path, model));
}

}  // namespace torch::taper
