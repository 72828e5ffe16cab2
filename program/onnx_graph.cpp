#include <taper/program/onnx_graph.h>

#include <algorithm>
#include <cstdlib>

#include <taper/framework/core/check.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::program {

using taper::detail::concat;

// ---------------------------------------------------------------------- dtypes
int64_t onnx_dtype(ScalarType dtype) {
  switch (dtype) {
    case kFloat:
      return 1;
    case kByte:
      return 2;
    case kChar:
      return 3;
    case kUInt16:
      return 4;
    case kShort:
      return 5;
    case kInt:
      return 6;
    case kLong:
      return 7;
    case kBool:
      return 9;
    case kHalf:
      return 10;
    case kDouble:
      return 11;
    case kUInt32:
      return 12;
    case kUInt64:
      return 13;
    case kBFloat16:
      return 16;
    default:
      throw NotImplementedError(
          concat("save_onnx: ONNX operators take no tensors of dtype ", dtype));
  }
}

// ---------------------------------------------------------------------- graph
std::string OnnxGraph::name_for(const std::string& op) {
  return '/' + op + '_' + std::to_string(counts_[op]++);
}

Names OnnxGraph::add_many(const std::string& op, Names inputs, size_t count,
                          OnnxAttributes attributes) {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();  // trailing ones are absent
  Names outputs;
  for (size_t i = 0; i < count; ++i) outputs.push_back(name_for(op));
  nodes.push_back({op, std::move(inputs), outputs, std::move(attributes)});
  return outputs;
}
std::string OnnxGraph::add(const std::string& op, Names inputs, OnnxAttributes attributes) {
  return add_many(op, std::move(inputs), 1, std::move(attributes))[0];
}

std::string OnnxGraph::constant(const Tensor& value) {
  std::string name = name_for("constant");
  constants.emplace_back(name, value);
  return name;
}
std::string OnnxGraph::ints(const Ints& values) {
  std::string key = "ints";
  for (const int64_t v : values) key += ' ' + std::to_string(v);
  std::string& name = known_[key];
  if (name.empty()) {
    const Tensor t = empty({static_cast<int64_t>(values.size())}, kLong);
    std::copy(values.begin(), values.end(), static_cast<int64_t*>(t.data_ptr()));
    name = constant(t);
  }
  return name;
}
std::string OnnxGraph::full(double value, ScalarType dtype, Ints sizes) {
  std::string key = concat("full ", value, ' ', dtype);
  for (const int64_t size : sizes) key += ' ' + std::to_string(size);
  std::string& name = known_[key];
  if (name.empty()) name = constant(taper::full(sizes, value, dtype));
  return name;
}
std::string OnnxGraph::number(double value, ScalarType dtype) { return full(value, dtype, {}); }

std::string OnnxGraph::cast(const std::string& x, ScalarType dtype) {
  return add("Cast", {x}, {{"to", onnx_dtype(dtype)}});
}
std::string OnnxGraph::shape(const std::string& x, int64_t start, optional<int64_t> end) {
  OnnxAttributes attributes;
  if (start != 0) attributes.push_back({"start", start});
  if (end) attributes.push_back({"end", *end});
  return add("Shape", {x}, std::move(attributes));
}
std::string OnnxGraph::unsqueeze(const std::string& x, const Ints& dims) {
  return add("Unsqueeze", {x, ints(dims)});
}
std::string OnnxGraph::squeeze(const std::string& x, const Ints& dims) {
  return add("Squeeze", {x, ints(dims)});
}
std::string OnnxGraph::transpose(const std::string& x, const Ints& dims) {
  return add("Transpose", {x}, {{"perm", dims}});
}
std::string OnnxGraph::slice(const std::string& x, int64_t dim, const std::string& start,
                             const std::string& end, int64_t step) {
  return add("Slice", {x, start, end, ints({dim}), ints({step})});
}

// ---------------------------------------------------------------------- defaults
namespace {

/// Returns the value of a default in a schema.
Argument default_of(const SchemaArgument& a) {
  const std::string& text = a.fallback;
  if (text.empty() || text == "None") return {};
  if (text == "True" || text == "False") return {text == "True"};
  if (text[0] == '\'' || text[0] == '"') return {text.substr(1, text.size() - 2)};
  if (text == "Mean") return {int64_t{1}};
  if (text == "long") return {kLong};
  if (text[0] == '[') {
    Ints values;
    for (const char* p = text.c_str() + 1; *p && *p != ']';) {
      char* end = nullptr;
      values.push_back(std::strtoll(p, &end, 10));
      p = *end == ',' ? end + 1 : end;
    }
    return {values};
  }
  if (a.type.find("[]") != std::string::npos)
    return {Ints{std::strtoll(text.c_str(), nullptr, 10)}};
  if (a.is("float") || text.find_first_of(".e") != std::string::npos)
    return {std::strtod(text.c_str(), nullptr)};
  return {static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10))};
}

}  // namespace

// ---------------------------------------------------------------------- calls
OnnxCall::OnnxCall(OnnxLowering& lowering, const Node& node) : lowering_(lowering), node_(node) {
  if (const OpInfo* op = op_of_target(node.target))
    for (const SchemaArgument& a : schema_arguments(op->schema)) arguments_[a.name] = default_of(a);
  for (const NamedArgument& a : node.inputs) arguments_[a.name] = a.arg;
}

std::string OnnxCall::op() const {
  const std::string begin = "torch.ops.aten.", end = ".default";
  std::string name = node_.target;
  if (name.rfind(begin, 0) == 0) name.erase(0, begin.size());
  if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
    name.resize(name.size() - end.size());
  return name;
}

void OnnxCall::unsupported(const std::string& reason) const {
  throw NotImplementedError(op() + " (" + reason + ")");
}

const Argument& OnnxCall::argument(std::string_view name) const {
  static const Argument none;
  const auto found = arguments_.find(name);
  return found == arguments_.end() ? none : found->second;
}
bool OnnxCall::has(std::string_view name) const { return !argument(name).is_none(); }
bool OnnxCall::is_tensor(std::string_view name) const {
  return argument(name).is<TensorArgument>();
}

std::string OnnxCall::tensor(std::string_view name) {
  if (!has(name)) return "";
  require(is_tensor(name), "expected a tensor");
  return lowering_.values.at(argument(name).get<TensorArgument>().name);
}
Names OnnxCall::tensors(std::string_view name) {
  Names all;
  const Argument& a = argument(name);
  if (a.is<std::vector<TensorArgument>>())
    for (const TensorArgument& t : a.get<std::vector<TensorArgument>>())
      all.push_back(lowering_.values.at(t.name));
  else if (a.is<std::vector<optional<TensorArgument>>>())
    for (const optional<TensorArgument>& t : a.get<std::vector<optional<TensorArgument>>>())
      all.push_back(t ? lowering_.values.at(t->name) : "");
  else if (!a.is<Ints>() || !a.get<Ints>().empty())
    unsupported("expected a list of tensors");
  return all;
}

bool OnnxCall::has_bools(std::string_view name) const {
  const auto is_bool = [&](const TensorArgument& t) {
    return lowering_.program.graph.tensor_values.at(t.name).dtype == kBool;
  };
  const Argument& a = argument(name);
  if (a.is<std::vector<TensorArgument>>()) {
    const auto& list = a.get<std::vector<TensorArgument>>();
    return std::any_of(list.begin(), list.end(), is_bool);
  }
  if (!a.is<std::vector<optional<TensorArgument>>>()) return false;
  const auto& list = a.get<std::vector<optional<TensorArgument>>>();
  return std::any_of(list.begin(), list.end(), [&](const auto& t) { return t && is_bool(*t); });
}

const TensorMeta& OnnxCall::meta(std::string_view name) const {
  const Argument& a = argument(name);
  if (a.is<TensorArgument>())
    return lowering_.program.graph.tensor_values.at(a.get<TensorArgument>().name);
  if (a.is<std::vector<TensorArgument>>())
    return lowering_.program.graph.tensor_values.at(
        a.get<std::vector<TensorArgument>>().at(0).name);
  unsupported("expected a tensor as " + std::string(name));
}

int64_t OnnxCall::fixed_size(std::string_view name, int64_t dim) const {
  const SymInt& size = meta(name).sizes.at(static_cast<size_t>(dim < 0 ? dim + rank(name) : dim));
  if (!std::holds_alternative<int64_t>(size)) unsupported("a dynamic size");
  return std::get<int64_t>(size);
}

int64_t OnnxCall::integer(std::string_view name) const {
  const Argument& a = argument(name);
  if (a.is<bool>()) return a.get<bool>();
  if (!a.is<int64_t>()) unsupported("a dynamic " + std::string(name));
  return a.get<int64_t>();
}
Ints OnnxCall::integers(std::string_view name) const {
  const Argument& a = argument(name);
  if (a.is_none()) return {};
  if (a.is<int64_t>()) return {a.get<int64_t>()};
  if (!a.is<Ints>()) unsupported("a dynamic " + std::string(name));
  return a.get<Ints>();
}
Ints OnnxCall::integers(std::string_view name, size_t count) const {
  Ints all = integers(name);
  if (all.size() == 1) all.resize(count, all[0]);
  return all;
}
double OnnxCall::number(std::string_view name) const {
  const Argument& a = argument(name);
  if (a.is<double>()) return a.get<double>();
  return static_cast<double>(integer(name));
}
bool OnnxCall::flag(std::string_view name) const { return has(name) && integer(name) != 0; }
std::string OnnxCall::text(std::string_view name) const {
  return argument(name).is<std::string>() ? argument(name).get<std::string>() : "";
}
ScalarType OnnxCall::dtype(std::string_view name, ScalarType fallback) const {
  return argument(name).is<ScalarType>() ? argument(name).get<ScalarType>() : fallback;
}
int64_t OnnxCall::dim(std::string_view name, std::string_view of, int64_t extra) const {
  const int64_t d = integer(name);
  return d < 0 ? d + rank(of) + extra : d;
}
Ints OnnxCall::dims(std::string_view name, std::string_view of) const {
  Ints all = integers(name);
  for (int64_t& d : all) d = d < 0 ? d + rank(of) : d;
  for (int64_t d = 0; all.size() < static_cast<size_t>(rank(of)) && integers(name).empty(); ++d)
    all.push_back(d);
  return all;
}

// ---------------------------------------------------------------------- sizes
std::string OnnxCall::size_of(const std::variant<std::string, int64_t>& size) {
  if (const auto* n = std::get_if<int64_t>(&size)) return graph().ints({*n});
  return lowering_.sizes.at(std::get<std::string>(size));
}
std::string OnnxCall::size(std::string_view name) {
  const Argument& a = argument(name);
  if (a.is<SymIntArgument>()) return size_of(a.get<SymIntArgument>().value);
  return graph().ints({integer(name)});
}
std::string OnnxCall::size_list(std::string_view name) {
  const Argument& a = argument(name);
  if (!a.is<std::vector<SymIntArgument>>()) return graph().ints(integers(name));
  Names parts;
  for (const SymIntArgument& each : a.get<std::vector<SymIntArgument>>())
    parts.push_back(size_of(each.value));
  return parts.size() == 1 ? parts[0] : graph().add("Concat", parts, {{"axis", int64_t{0}}});
}

// ---------------------------------------------------------------------- operands
std::string OnnxCall::operand(std::string_view name, ScalarType dtype) {
  const Argument& a = argument(name);
  if (is_tensor(name))
    return meta(name).dtype == dtype ? tensor(name) : graph().cast(tensor(name), dtype);
  if (a.is<SymIntArgument>()) {
    const std::string size = graph().squeeze(size_of(a.get<SymIntArgument>().value), {0});
    return dtype == kLong ? size : graph().cast(size, dtype);
  }
  return graph().number(number(name), dtype);
}

ScalarType OnnxCall::common_dtype(std::string_view a, std::string_view b) const {
  const auto is_number = [&](std::string_view name) {
    return !is_tensor(name) || meta(name).sizes.empty();
  };
  const auto is_float = [&](std::string_view name) {
    return is_tensor(name) ? isFloatingType(meta(name).dtype) : argument(name).is<double>();
  };
  const auto dtype_of = [&](std::string_view name) {
    return is_tensor(name)               ? meta(name).dtype
           : argument(name).is<double>() ? kFloat
           : argument(name).is<bool>()   ? kBool
                                         : kLong;
  };
  // A number does not change the dtype of a tensor with dimensions, unless it is of another kind.
  if (is_number(a) != is_number(b)) {
    const std::string_view tensor = is_number(a) ? b : a, number = is_number(a) ? a : b;
    if (is_float(tensor) || !is_float(number))
      return dtype_of(tensor) == kBool ? promoteTypes(kBool, dtype_of(number)) : dtype_of(tensor);
  }
  return promoteTypes(dtype_of(a), dtype_of(b));
}

// ---------------------------------------------------------------------- results
Names OnnxCall::result_names() const {
  Names names;
  for (const Argument& output : node_.outputs) {
    if (output.is<TensorArgument>()) names.push_back(output.get<TensorArgument>().name);
    if (output.is<std::vector<TensorArgument>>())
      for (const TensorArgument& t : output.get<std::vector<TensorArgument>>())
        names.push_back(t.name);
  }
  return names;
}
const TensorMeta& OnnxCall::result_meta(size_t i) const {
  return lowering_.program.graph.tensor_values.at(result_names().at(i));
}
void OnnxCall::set(const Names& values) {
  const Names names = result_names();
  for (size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    lowering_.values[names[i]] = values[i];
}

OnnxRule onnx_rule(const std::string& op) {
  for (const auto* rules :
       {&onnx_math_rules(), &onnx_reduce_rules(), &onnx_shape_rules(), &onnx_layer_rules()}) {
    auto found = rules->find(op);
    if (found == rules->end()) found = rules->find(op.substr(0, op.find('.')));
    if (found != rules->end()) return found->second;
  }
  return nullptr;
}

}  // namespace torch::taper::program
