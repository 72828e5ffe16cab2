// Programs as text, and what their ops say about the mode of the export.
#include <sstream>

#include <taper/program/mode.h>
#include <taper/program/program.h>

namespace torch::taper::program {
namespace {

// ---------------------------------------------------------------------- mode
/// An op that depends on the mode, and the argument that has it.
struct ModeArgument {
  const char* op;
  const char* argument;
};
constexpr ModeArgument kModeArguments[] = {
    {"batch_norm", "training"},
    {"native_batch_norm", "training"},
    {"_native_batch_norm_legit", "training"},
    {"_native_batch_norm_legit_functional", "training"},
    {"dropout", "train"},
    {"dropout_", "train"},
    {"feature_dropout", "train"},
    {"alpha_dropout", "train"},
    {"feature_alpha_dropout", "train"},
    {"native_dropout", "train"},
    {"rrelu", "training"},
};

const Argument* find(const Node& node, const std::string& name) {
  for (const NamedArgument& a : node.inputs)
    if (a.name == name) return &a.arg;
  return nullptr;
}
/// Returns the argument that has the mode of an op. A layer without dropout or without running
/// statistics computes the same in both modes, and has none.
const Argument* mode_argument(const Node& node, const std::string& op) {
  const Argument* p = find(node, "p");
  if (p && p->is<double>() && p->get<double>() == 0) return nullptr;
  const Argument* mean = find(node, "running_mean");
  if (op.find("batch_norm") != std::string::npos && (!mean || mean->is_none())) return nullptr;
  for (const ModeArgument& m : kModeArguments)
    if (op == m.op) return find(node, m.argument);
  return nullptr;
}

void add_node(const Node& node, ModeOfExport& mode) {
  const std::string begin = "torch.ops.aten.";
  if (node.target.compare(0, begin.size(), begin) != 0) return;
  const size_t end = node.target.find('.', begin.size());
  const std::string op = node.target.substr(begin.size(), end - begin.size());
  const Argument* found = mode_argument(node, op);
  const bool evaluates =
      op == "_native_batch_norm_legit_no_training" || op == "_batch_norm_no_update";
  const bool trains = op.rfind("_batch_norm_with_update", 0) == 0;
  if (!evaluates && !trains && (!found || !found->is<bool>())) return;
  const bool training = trains || (found && found->is<bool>() && found->get<bool>());
  ++(training ? mode.in_training : mode.in_evaluation);
  if (mode.example.empty()) mode.example = op;
}

void add_graph(const Graph& graph, ModeOfExport& mode) {
  for (const Node& node : graph.nodes) {
    add_node(node, mode);
    for (const NamedArgument& a : node.inputs)
      if (const auto* g = std::get_if<GraphArgument>(&a.arg.value)) add_graph(*g->graph, mode);
  }
}

// ---------------------------------------------------------------------- text
/// Writes arguments as Python would.
struct Writer {
  std::ostream& out;

  void operator()(std::monostate) const { out << "None"; }
  void operator()(const TensorArgument& v) const { out << '%' << v.name; }
  void operator()(bool v) const { out << (v ? "True" : "False"); }
  void operator()(int64_t v) const { out << v; }
  void operator()(double v) const { out << v; }
  void operator()(const std::string& v) const { out << '\'' << v << '\''; }
  void operator()(ScalarType v) const { out << v; }
  void operator()(MemoryFormat v) const { out << "memory_format " << static_cast<int>(v); }
  void operator()(Layout v) const { out << "layout " << static_cast<int>(v); }
  void operator()(const DeviceArgument& v) const {
    out << v.type;
    if (v.index) out << ':' << *v.index;
  }
  void operator()(const GraphArgument& v) const { out << '@' << v.name; }
  void operator()(const CustomObjArgument& v) const { out << '%' << v.name; }
  void operator()(const OperatorArgument& v) const { out << v.name; }
  void operator()(const std::complex<double>& v) const { out << v; }
  void operator()(const optional<TensorArgument>& v) const {
    v ? (*this)(*v) : (*this)(std::monostate());
  }
  template <class T>
  void operator()(const SymArgument<T>& v) const {
    if (const auto* name = std::get_if<std::string>(&v.value))
      out << '%' << *name;
    else
      (*this)(std::get<T>(v.value));
  }
  template <class T>
  void operator()(const std::vector<T>& all) const {
    const char* separator = "[";
    for (const auto& v : all) {
      out << separator;
      (*this)(static_cast<const T&>(v));
      separator = ", ";
    }
    out << (all.empty() ? "[]" : "]");
  }
  void operator()(const std::map<std::string, Argument>& all) const {
    const char* separator = "{";
    for (const auto& [key, v] : all) {
      out << separator << key << ": ";
      (*this)(v);
      separator = ", ";
    }
    out << (all.empty() ? "{}" : "}");
  }
  void operator()(const Argument& a) const { std::visit(*this, a.value); }
};

void write_size(std::ostream& out, const SymInt& size) {
  if (const auto* n = std::get_if<int64_t>(&size))
    out << *n;
  else
    out << std::get<SymExpr>(size).text;
}
void write_meta(std::ostream& out, const Graph& graph, const Argument& a) {
  if (!a.is<TensorArgument>()) return;
  const auto at = graph.tensor_values.find(a.get<TensorArgument>().name);
  if (at == graph.tensor_values.end()) return;
  out << ": " << at->second.dtype << '[';
  for (size_t i = 0; i < at->second.sizes.size(); ++i) {
    if (i > 0) out << ", ";
    write_size(out, at->second.sizes[i]);
  }
  out << ']';
}

void write_graph(std::ostream& out, const Graph& graph, const std::string& indent);

void write_node(std::ostream& out, const Graph& graph, const Node& node,
                const std::string& indent) {
  const Writer write{out};
  out << indent;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i > 0) out << ", ";
    write(node.outputs[i]);
    write_meta(out, graph, node.outputs[i]);
  }
  out << (node.outputs.empty() ? "" : " = ") << node.target << '(';
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i > 0) out << ", ";
    if (node.inputs[i].kind == NamedArgument::Kind::kKeyword) out << node.inputs[i].name << '=';
    write(node.inputs[i].arg);
  }
  out << ")\n";
  for (const NamedArgument& a : node.inputs)
    if (const auto* g = std::get_if<GraphArgument>(&a.arg.value)) {
      out << indent << "  @" << g->name << ":\n";
      write_graph(out, *g->graph, indent + "    ");
    }
}

void write_graph(std::ostream& out, const Graph& graph, const std::string& indent) {
  for (const Node& node : graph.nodes) write_node(out, graph, node, indent);
  out << indent << "return ";
  Writer{out}(graph.outputs);
  out << '\n';
}

const char* name_of(InputSpec::Kind kind) {
  constexpr const char* names[] = {"input",  "parameter", "buffer",        "constant",
                                   "object", "token",     "constant input"};
  return names[static_cast<int>(kind)];
}
const char* name_of(OutputSpec::Kind kind) {
  constexpr const char* names[] = {"output",
                                   "loss",
                                   "new value of buffer",
                                   "new value of parameter",
                                   "gradient of parameter",
                                   "gradient of input",
                                   "new value of input",
                                   "token"};
  return names[static_cast<int>(kind)];
}

void write_range(std::ostream& out, const std::string& symbol, const Range& range) {
  out << "symbol " << symbol << " from " << range.min.value_or(0) << " to ";
  if (range.max)
    out << *range.max << '\n';
  else
    out << "infinity\n";
}

/// Writes everything that a file says but its tensors.
void write_program(std::ostream& out, const Program& program) {
  out << "program of PyTorch " << program.torch_version << ", schema " << program.schema_major
      << '.' << program.schema_minor << '\n';
  for (const auto& [symbol, range] : program.ranges) write_range(out, symbol, range);
  for (const InputSpec& spec : program.input_specs) {
    out << name_of(spec.kind) << ' ';
    Writer{out}(spec.arg);
    write_meta(out, program.graph, spec.arg);
    if (!spec.target.empty()) out << " '" << spec.target << '\'';
    if (spec.kind == InputSpec::Kind::kConstantInput) Writer{out << " = "}(spec.constant);
    out << '\n';
  }
  for (const OutputSpec& spec : program.output_specs) {
    out << name_of(spec.kind) << ' ';
    Writer{out}(spec.arg);
    if (!spec.target.empty()) out << " '" << spec.target << '\'';
    out << '\n';
  }
  write_graph(out, program.graph, "  ");
}

}  // namespace

ModeOfExport mode_of_export(const Graph& graph) {
  ModeOfExport mode;
  add_graph(graph, mode);
  mode.training = mode.in_training > 0 || mode.in_evaluation == 0;
  return mode;
}

std::string text_of(const Program& program) {
  std::ostringstream out;
  write_program(out, program);
  return out.str();
}

}  // namespace torch::taper::program

namespace torch::taper {

std::string describe_program(const program::Program& program) { return program::text_of(program); }

}  // namespace torch::taper
