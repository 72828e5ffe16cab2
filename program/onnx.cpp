#include <taper/program/onnx.h>

#include <algorithm>
#include <set>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/safetensors.h>
#include <taper/program/onnx_graph.h>
#include <taper/program/onnx_proto.h>
#include <taper/program/symbols.h>

namespace torch::taper {
namespace program {
namespace {

using taper::detail::concat;

// ---------------------------------------------------------------------- translation
class OnnxWriter {
 public:
  OnnxWriter(const Program& program, const OnnxOptions& options)
      : program_(program),
        options_(options),
        lowering_{program, OnnxGraph(options.opset()), {}, {}} {}

  /// Returns the bytes of the model. `data` gets those of the weights, if they go into a file of
  /// their own, named `data_name`.
  std::string write(const std::string& data_name, std::string& data) {
    add_inputs();
    add_nodes();
    add_outputs();
    return model(data_name, data).bytes();
  }

 private:
  void add_inputs();
  void add_nodes();
  void add_size(const Node& node);
  std::string size_operand(const Argument& argument);
  void add_outputs();
  ProtoMessage model(const std::string& data_name, std::string& data) const;
  ProtoMessage graph(const std::string& data_name, std::string& data) const;
  ProtoMessage value_info(const std::string& name, const TensorMeta& meta) const;
  std::string size_name(const SymExpr& size) const;

  const Program& program_;
  const OnnxOptions& options_;
  OnnxLowering lowering_;
  std::vector<std::pair<std::string, TensorMeta>> inputs_, outputs_;
  std::vector<std::pair<std::string, Tensor>> weights_;
};

void OnnxWriter::add_inputs() {
  size_t arguments = 0;
  for (const InputSpec& input : program_.input_specs) {
    TAPER_CHECK_AS(NotImplementedError, input.arg.is<TensorArgument>(),
                   "save_onnx: expected inputs that are tensors, got another kind");
    const std::string& value = input.arg.get<TensorArgument>().name;
    if (input.kind == InputSpec::Kind::kUserInput) {
      const Names& names = options_.input_names();
      const std::string name = arguments < names.size() ? names[arguments] : value;
      ++arguments;
      inputs_.emplace_back(name, program_.graph.tensor_values.at(value));
      lowering_.values[value] = name;
      continue;
    }
    const auto weight = program_.weights.find(input.target),
               constant = program_.constants.find(input.target);
    const bool is_weight = weight != program_.weights.end();
    TAPER_CHECK(is_weight || constant != program_.constants.end(),
                "save_onnx: the program lacks tensor '", input.target, "'");
    weights_.emplace_back(input.target, is_weight ? weight->second : constant->second);
    lowering_.values[value] = input.target;
  }
  TAPER_CHECK_VALUE(options_.input_names().empty() || options_.input_names().size() == arguments,
                    "save_onnx: expected ", arguments, " input names, got ",
                    options_.input_names().size());
}

// Integers are tensors of one element.
std::string OnnxWriter::size_operand(const Argument& argument) {
  if (argument.is<int64_t>()) return lowering_.graph.ints({argument.get<int64_t>()});
  const auto& value = argument.get<SymIntArgument>().value;
  if (const auto* n = std::get_if<int64_t>(&value)) return lowering_.graph.ints({*n});
  return lowering_.sizes.at(std::get<std::string>(value));
}

/// Adds a node that computes an integer.
void OnnxWriter::add_size(const Node& node) {
  std::string& value =
      lowering_.sizes[std::get<std::string>(node.outputs.at(0).get<SymIntArgument>().value)];
  if (node.target == "torch.ops.aten.sym_size.int") {
    const int64_t dim = node.inputs.at(1).arg.get<int64_t>();
    value = lowering_.graph.shape(
        lowering_.values.at(node.inputs[0].arg.get<TensorArgument>().name), dim, dim + 1);
    return;
  }
  const std::map<std::string, std::string> ops = {{"_operator.add", "Add"},
                                                  {"_operator.mul", "Mul"},
                                                  {"_operator.sub", "Sub"},
                                                  {"_operator.floordiv", "Div"}};
  const auto op = ops.find(node.target);
  if (op == ops.end()) throw NotImplementedError(node.target);
  value = lowering_.graph.add(
      op->second, {size_operand(node.inputs.at(0).arg), size_operand(node.inputs.at(1).arg)});
}

bool is_integer(const Node& node) {
  return node.outputs.size() == 1 && node.outputs[0].is<SymIntArgument>();
}

/// Returns why ops have no translation, with the number of nodes of each.
std::string described(const std::map<std::string, int>& missing) {
  std::string text;
  for (const auto& [op, count] : missing)
    text += concat(text.empty() ? "" : ", ", op, " x ", count);
  return text;
}

void OnnxWriter::add_nodes() {
  std::map<std::string, int> missing;
  std::set<std::string> lost;  // values that missing ops would make
  for (const Node& node : program_.graph.nodes) {
    try {
      if (is_integer(node)) {
        add_size(node);
        continue;
      }
      OnnxCall call(lowering_, node);
      const OnnxRule rule = onnx_rule(call.op());
      if (!rule) throw NotImplementedError(call.op());
      rule(call);
    } catch (const NotImplementedError& e) {
      ++missing[e.msg()];
      // Later nodes are translated, too, so that the error lists all.
      for (const Argument& output : node.outputs) {
        if (output.is<TensorArgument>())
          lowering_.values[output.get<TensorArgument>().name] = "/missing";
        if (output.is<std::vector<TensorArgument>>())
          for (const TensorArgument& t : output.get<std::vector<TensorArgument>>())
            lowering_.values[t.name] = "/missing";
        if (output.is<SymIntArgument>())
          lowering_.sizes[std::get<std::string>(output.get<SymIntArgument>().value)] = "/missing";
      }
    }
  }
  TAPER_CHECK_AS(NotImplementedError, missing.empty(),
                 "save_onnx: no translation to ONNX operators of ", described(missing),
                 "; write the model with other ops, or use save_program");
}

void OnnxWriter::add_outputs() {
  Names results;
  for (const OutputSpec& output : program_.output_specs) {
    TAPER_CHECK(output.kind == OutputSpec::Kind::kUserOutput, "save_onnx: the program changes '",
                output.target,
                "', but an ONNX model has no state; call eval() on the module before "
                "export_program, or return "
                "the new value");
    if (output.arg.is<TensorArgument>()) results.push_back(output.arg.get<TensorArgument>().name);
  }
  const Names& names = options_.output_names();
  TAPER_CHECK_VALUE(names.empty() || names.size() == results.size(), "save_onnx: expected ",
                    results.size(), " output names, got ", names.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string name = !names.empty()        ? names[i]
                             : results.size() == 1 ? "y"
                                                   : "y" + std::to_string(i);
    lowering_.graph.nodes.push_back({"Identity", {lowering_.values.at(results[i])}, {name}, {}});
    outputs_.emplace_back(name, program_.graph.tensor_values.at(results[i]));
  }
}

// ---------------------------------------------------------------------- messages
// The numbers of the fields are those of ONNX's schema, onnx.proto.

ProtoMessage attribute_message(const OnnxAttribute& attribute) {
  constexpr int kName = 1, kFloat = 2, kInt = 3, kText = 4, kInts = 8, kTexts = 9, kType = 20;
  constexpr int64_t kIsFloat = 1, kIsInt = 2, kIsText = 3, kIsInts = 7, kIsTexts = 8;
  ProtoMessage m;
  m.put(kName, attribute.name);
  if (const auto* f = std::get_if<float>(&attribute.value))
    return m.put(kFloat, *f).put(kType, kIsFloat);
  if (const auto* i = std::get_if<int64_t>(&attribute.value))
    return m.put(kInt, *i).put(kType, kIsInt);
  if (const auto* s = std::get_if<std::string>(&attribute.value))
    return m.put(kText, *s).put(kType, kIsText);
  if (const auto* list = std::get_if<Ints>(&attribute.value)) {
    for (const int64_t i : *list) m.put(kInts, i);
    return m.put(kType, kIsInts);
  }
  for (const std::string& s : std::get<Names>(attribute.value)) m.put(kTexts, s);
  return m.put(kType, kIsTexts);
}

ProtoMessage node_message(const OnnxNode& node) {
  constexpr int kInput = 1, kOutput = 2, kName = 3, kOp = 4, kAttribute = 5;
  ProtoMessage m;
  for (const std::string& input : node.inputs) m.put(kInput, input);
  for (const std::string& output : node.outputs) m.put(kOutput, output);
  m.put(kName, node.outputs[0]).put(kOp, node.op);
  for (const OnnxAttribute& attribute : node.attributes)
    m.put(kAttribute, attribute_message(attribute));
  return m;
}

ProtoMessage entry(const std::string& key, const std::string& value) {
  return ProtoMessage().put(1, key).put(2, value);
}

/// Returns a tensor, whose bytes follow `data` if that is not null.
ProtoMessage tensor_message(const std::string& name, const Tensor& t, const std::string& data_name,
                            std::string* data) {
  constexpr int kDims = 1, kDtype = 2, kName = 8, kRaw = 9, kExternal = 13, kLocation = 14;
  const Tensor x = t.detach().cpu().contiguous();
  const std::string_view bytes(static_cast<const char*>(x.data_ptr()), x.nbytes());
  ProtoMessage m;
  for (const int64_t size : x.sizes()) m.put(kDims, size);
  m.put(kDtype, onnx_dtype(x.scalar_type())).put(kName, name);
  if (!data) return m.put(kRaw, x.nbytes() == 0 ? std::string_view() : bytes);
  constexpr size_t kPage = 4096;
  data->resize((data->size() + kPage - 1) / kPage * kPage);
  m.put(kExternal, entry("location", data_name));
  m.put(kExternal, entry("offset", std::to_string(data->size())));
  m.put(kExternal, entry("length", std::to_string(bytes.size())));
  data->append(bytes);
  return m.put(kLocation, int64_t{1});
}

/// Returns the name of a symbol. A size that is another expression has none.
std::string OnnxWriter::size_name(const SymExpr& size) const {
  const std::string symbol = Expression(size.text).symbol();
  const auto named = program_.metadata.find("dim:" + symbol);
  return named == program_.metadata.end() ? symbol : named->second;
}

ProtoMessage OnnxWriter::value_info(const std::string& name, const TensorMeta& meta) const {
  constexpr int kName = 1, kType = 2, kTensorType = 1, kDtype = 1, kShape = 2, kDim = 1, kValue = 1,
                kParam = 2;
  ProtoMessage shape;
  for (const SymInt& size : meta.sizes) {
    ProtoMessage dim;
    if (const auto* n = std::get_if<int64_t>(&size))
      dim.put(kValue, *n);
    else if (const std::string text = size_name(std::get<SymExpr>(size)); !text.empty())
      dim.put(kParam, text);
    shape.put(kDim, dim);
  }
  const ProtoMessage tensor = ProtoMessage().put(kDtype, onnx_dtype(meta.dtype)).put(kShape, shape);
  return ProtoMessage().put(kName, name).put(kType, ProtoMessage().put(kTensorType, tensor));
}

ProtoMessage OnnxWriter::graph(const std::string& data_name, std::string& data) const {
  constexpr int kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12;
  ProtoMessage m;
  std::set<std::string> used;
  for (const OnnxNode& node : lowering_.graph.nodes) {
    m.put(kNode, node_message(node));
    used.insert(node.inputs.begin(), node.inputs.end());
  }
  m.put(kName, std::string_view("taper"));
  size_t nbytes = 0;
  for (const auto& [name, t] : weights_) nbytes += used.count(name) ? t.nbytes() : 0;
  std::string* const apart =
      nbytes > static_cast<size_t>(options_.largest_model()) ? &data : nullptr;
  for (const auto& [name, t] : weights_)
    if (used.count(name)) m.put(kInitializer, tensor_message(name, t, data_name, apart));
  for (const auto& [name, t] : lowering_.graph.constants)
    if (used.count(name)) m.put(kInitializer, tensor_message(name, t, "", nullptr));
  for (const auto& [name, meta] : inputs_) m.put(kInput, value_info(name, meta));
  for (const auto& [name, meta] : outputs_) m.put(kOutput, value_info(name, meta));
  return m;
}

ProtoMessage OnnxWriter::model(const std::string& data_name, std::string& data) const {
  constexpr int kIrVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8, kMetadata = 14,
                kOpsetVersion = 2;
  const int64_t opset = options_.opset();
  ProtoMessage m;
  m.put(kIrVersion, opset <= 18 ? int64_t{8} : opset <= 20 ? int64_t{9} : int64_t{10});
  m.put(kProducer, std::string_view("taper"));
  m.put(kGraph, graph(data_name, data));
  m.put(kOpset, ProtoMessage().put(kOpsetVersion, opset));
  for (const auto& [key, value] : options_.metadata()) m.put(kMetadata, entry(key, value));
  return m;
}

void write_bytes(const std::string& path, const std::string& bytes) {
  serialize::detail::write_file(path, [&](const serialize::detail::Sink& sink) {
    TAPER_CHECK(sink(bytes.data(), bytes.size()) == bytes.size(), "save_onnx: cannot write '", path,
                "'");
  });
}

}  // namespace
}  // namespace program

void save_onnx(const std::string& path, const program::Program& program,
               const OnnxOptions& options) {
  TAPER_CHECK_VALUE(options.opset() >= 18 && options.opset() <= 22,
                    "save_onnx: expected an opset from 18 to 22, got ", options.opset());
  const NoGradGuard no_grad;
  std::string data;
  const std::string data_path = path + ".data";
  const std::string model =
      program::OnnxWriter(program, options).write(data_path.substr(data_path.rfind('/') + 1), data);
  if (!data.empty()) program::write_bytes(data_path, data);
  program::write_bytes(path, model);
}

}  // namespace torch::taper
