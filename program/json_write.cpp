#include <taper/program/json.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <taper/program/json_numbers.h>

namespace torch::taper::program {
namespace {

using Json = nlohmann::json;

template <class T, class F>
Json write_list(const std::vector<T>& all, const F& write) {
  Json list = Json::array();
  for (const auto& v : all) list.push_back(write(v));
  return list;
}
template <class T, class F>
Json write_map(const std::map<std::string, T>& all, const F& write) {
  Json map = Json::object();
  for (const auto& [key, v] : all) map[key] = write(v);
  return map;
}
template <class T>
Json write_plain(const T& v) {
  return Json(v);
}
Json write_optional(const optional<int64_t>& v) { return v ? Json(*v) : Json(); }
Json write_real(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  return v;
}
Json write_tensor(const TensorArgument& t) { return {{"name", t.name}}; }
Json write_device(const DeviceArgument& d) {
  return {{"type", d.type}, {"index", write_optional(d.index)}};
}
int64_t number_of(MemoryFormat format) {
  int64_t number = 1;
  for (const MemoryFormat f : kMemoryFormats) {
    if (f == format) return number;
    ++number;
  }
  return 0;
}

Json write_expression(const SymExpr& e) {
  Json hint;
  if (const auto* i = std::get_if<int64_t>(&e.hint)) hint = {{"as_int", *i}};
  if (const auto* b = std::get_if<bool>(&e.hint)) hint = {{"as_bool", *b}};
  if (const auto* f = std::get_if<double>(&e.hint)) hint = {{"as_float", write_real(*f)}};
  return {{"expr_str", e.text}, {"hint", hint}};
}
template <class T>
Json write_symbolic(const std::variant<T, SymExpr>& v, const char* kind) {
  if (const auto* e = std::get_if<SymExpr>(&v)) return {{"as_expr", write_expression(*e)}};
  return {{kind, std::get<T>(v)}};
}
Json write_sym_int(const SymInt& v) { return write_symbolic(v, "as_int"); }
template <class T>
Json write_sym_argument(const SymArgument<T>& v, const char* kind) {
  if (const auto* name = std::get_if<std::string>(&v.value)) return {{"as_name", *name}};
  return {{kind, std::get<T>(v.value)}};
}

Json write_meta(const TensorMeta& m) {
  return {{"dtype", number_of_dtype(m.dtype)},
          {"sizes", write_list(m.sizes, write_sym_int)},
          {"requires_grad", m.requires_grad},
          {"device", write_device(m.device)},
          {"strides", write_list(m.strides, write_sym_int)},
          {"storage_offset", write_sym_int(m.storage_offset)},
          {"layout", static_cast<int64_t>(m.layout)}};
}

Json write_graph(const Graph& graph);
Json write_argument(const Argument& a);

Json write_optional_tensor(const optional<TensorArgument>& t) {
  return t ? Json{{"as_tensor", write_tensor(*t)}} : Json{{"as_none", true}};
}

/// Writes each alternative of the union.
struct WriteArgument {
  Json operator()(std::monostate) const { return {{"as_none", true}}; }
  Json operator()(const TensorArgument& v) const { return {{"as_tensor", write_tensor(v)}}; }
  Json operator()(const std::vector<TensorArgument>& v) const {
    return {{"as_tensors", write_list(v, write_tensor)}};
  }
  Json operator()(int64_t v) const { return {{"as_int", v}}; }
  Json operator()(const std::vector<int64_t>& v) const { return {{"as_ints", v}}; }
  Json operator()(double v) const { return {{"as_float", write_real(v)}}; }
  Json operator()(const std::vector<double>& v) const {
    return {{"as_floats", write_list(v, write_real)}};
  }
  Json operator()(const std::string& v) const { return {{"as_string", v}}; }
  Json operator()(const std::vector<std::string>& v) const { return {{"as_strings", v}}; }
  Json operator()(const SymIntArgument& v) const {
    return {{"as_sym_int", write_sym_argument(v, "as_int")}};
  }
  Json operator()(const std::vector<SymIntArgument>& all) const {
    return {{"as_sym_ints",
             write_list(all, [](const auto& v) { return write_sym_argument(v, "as_int"); })}};
  }
  Json operator()(ScalarType v) const { return {{"as_scalar_type", number_of_dtype(v)}}; }
  Json operator()(MemoryFormat v) const { return {{"as_memory_format", number_of(v)}}; }
  Json operator()(Layout v) const { return {{"as_layout", static_cast<int64_t>(v)}}; }
  Json operator()(const DeviceArgument& v) const { return {{"as_device", write_device(v)}}; }
  Json operator()(bool v) const { return {{"as_bool", v}}; }
  Json operator()(const std::vector<bool>& v) const { return {{"as_bools", v}}; }
  Json operator()(const SymBoolArgument& v) const {
    return {{"as_sym_bool", write_sym_argument(v, "as_bool")}};
  }
  Json operator()(const std::vector<SymBoolArgument>& all) const {
    return {{"as_sym_bools",
             write_list(all, [](const auto& v) { return write_sym_argument(v, "as_bool"); })}};
  }
  Json operator()(const GraphArgument& v) const {
    return {{"as_graph", {{"name", v.name}, {"graph", write_graph(*v.graph)}}}};
  }
  Json operator()(const std::vector<optional<TensorArgument>>& v) const {
    return {{"as_optional_tensors", write_list(v, write_optional_tensor)}};
  }
  Json operator()(const CustomObjArgument& v) const {
    return {{"as_custom_obj", {{"name", v.name}, {"class_fqn", v.class_name}}}};
  }
  Json operator()(const OperatorArgument& v) const { return {{"as_operator", v.name}}; }
  Json operator()(const SymFloatArgument& v) const {
    return {{"as_sym_float", write_sym_argument(v, "as_float")}};
  }
  Json operator()(const std::vector<SymFloatArgument>& all) const {
    return {{"as_sym_floats",
             write_list(all, [](const auto& v) { return write_sym_argument(v, "as_float"); })}};
  }
  Json operator()(const std::complex<double>& v) const {
    return {{"as_complex", {{"real", write_real(v.real())}, {"imag", write_real(v.imag())}}}};
  }
  Json operator()(const std::vector<std::vector<TensorArgument>>& v) const {
    return {{"as_nested_tensors",
             write_list(v, [](const auto& list) { return write_list(list, write_tensor); })}};
  }
  Json operator()(const std::vector<std::vector<int64_t>>& v) const {
    return {{"as_int_lists", v}};
  }
  Json operator()(const std::map<std::string, Argument>& v) const {
    return {{"as_string_to_argument", write_map(v, write_argument)}};
  }
};
Json write_argument(const Argument& a) { return std::visit(WriteArgument(), a.value); }

Json write_named_argument(const NamedArgument& a) {
  return {{"name", a.name}, {"arg", write_argument(a.arg)}, {"kind", static_cast<int>(a.kind)}};
}

Json write_node(const Node& node) {
  Json json = {{"target", node.target},
               {"inputs", write_list(node.inputs, write_named_argument)},
               {"outputs", write_list(node.outputs, write_argument)},
               {"metadata", node.metadata},
               {"is_hop_single_tensor_return", Json()}};
  if (node.is_hop_single_tensor_return)
    json["is_hop_single_tensor_return"] = *node.is_hop_single_tensor_return;
  if (!node.name.empty()) json["name"] = node.name;
  return json;
}

Json write_object(const CustomObjArgument& v) {
  return {{"name", v.name}, {"class_fqn", v.class_name}};
}

Json write_graph(const Graph& graph) {
  return {
      {"inputs", write_list(graph.inputs, write_argument)},
      {"outputs", write_list(graph.outputs, write_argument)},
      {"nodes", write_list(graph.nodes, write_node)},
      {"tensor_values", write_map(graph.tensor_values, write_meta)},
      {"sym_int_values", write_map(graph.sym_int_values, write_sym_int)},
      {"sym_bool_values", write_map(graph.sym_bool_values,
                                    [](const SymBool& v) { return write_symbolic(v, "as_bool"); })},
      {"is_single_tensor_return", graph.is_single_tensor_return},
      {"custom_obj_values", write_map(graph.custom_obj_values, write_object)},
      {"sym_float_values", write_map(graph.sym_float_values, [](const SymFloat& v) {
         return write_symbolic(v, "as_float");
       })}};
}

Json write_input_spec(const InputSpec& spec) {
  using Kind = InputSpec::Kind;
  const auto named = [&](const char* kind, const char* key) {
    return Json{
        {kind, {{"arg", write_tensor(spec.arg.get<TensorArgument>())}, {key, spec.target}}}};
  };
  switch (spec.kind) {
    case Kind::kParameter:
      return named("parameter", "parameter_name");
    case Kind::kBuffer: {
      Json json = named("buffer", "buffer_name");
      json["buffer"]["persistent"] = spec.persistent;
      return json;
    }
    case Kind::kTensorConstant:
      return named("tensor_constant", "tensor_constant_name");
    case Kind::kCustomObj:
      return {{"custom_obj",
               {{"arg", write_object(spec.arg.get<CustomObjArgument>())},
                {"custom_obj_name", spec.target}}}};
    case Kind::kToken:
      return {{"token", {{"arg", write_tensor(spec.arg.get<TensorArgument>())}}}};
    case Kind::kConstantInput:
      return {
          {"constant_input", {{"name", spec.target}, {"value", write_argument(spec.constant)}}}};
    case Kind::kUserInput:
      break;
  }
  return {{"user_input", {{"arg", write_argument(spec.arg)}}}};
}

Json write_output_spec(const OutputSpec& spec) {
  using Kind = OutputSpec::Kind;
  const auto named = [&](const char* kind, const char* key) {
    Json value = {{"arg", write_tensor(spec.arg.get<TensorArgument>())}};
    if (key) value[key] = spec.target;
    return Json{{kind, value}};
  };
  switch (spec.kind) {
    case Kind::kLoss:
      return named("loss_output", nullptr);
    case Kind::kBufferMutation:
      return named("buffer_mutation", "buffer_name");
    case Kind::kParameterMutation:
      return named("parameter_mutation", "parameter_name");
    case Kind::kGradientToParameter:
      return named("gradient_to_parameter", "parameter_name");
    case Kind::kGradientToUserInput:
      return named("gradient_to_user_input", "user_input_name");
    case Kind::kUserInputMutation:
      return named("user_input_mutation", "user_input_name");
    case Kind::kToken:
      return named("token", nullptr);
    case Kind::kUserOutput:
      break;
  }
  return {{"user_output", {{"arg", write_argument(spec.arg)}}}};
}

Json write_module_call(const ModuleCall& call) {
  Json json = {{"fqn", call.fqn}, {"signature", Json()}};
  if (!call.has_signature) return json;
  json["signature"] = {{"inputs", write_list(call.inputs, write_argument)},
                       {"outputs", write_list(call.outputs, write_argument)},
                       {"in_spec", call.in_spec},
                       {"out_spec", call.out_spec},
                       {"forward_arg_names", Json()}};
  if (call.forward_arg_names) json["signature"]["forward_arg_names"] = *call.forward_arg_names;
  return json;
}

Json write_program(const Program& program) {
  const Json module = {
      {"graph", write_graph(program.graph)},
      {"signature",
       {{"input_specs", write_list(program.input_specs, write_input_spec)},
        {"output_specs", write_list(program.output_specs, write_output_spec)}}},
      {"module_call_graph", write_list(program.module_calls, write_module_call)},
      {"metadata", program.metadata},
      {"treespec_namedtuple_fields", write_map(program.namedtuple_fields, [](const auto& names) {
         return Json{{"field_names", names}};
       })}};
  return {
      {"graph_module", module},
      {"opset_version", program.opset_version},
      {"range_constraints",
       write_map(
           program.ranges,
           [](const Range& r) {
             return Json{{"min_val", write_optional(r.min)}, {"max_val", write_optional(r.max)}};
           })},
      {"schema_version", {{"major", program.schema_major}, {"minor", program.schema_minor}}},
      {"verifiers", program.verifiers},
      {"torch_version", program.torch_version},
      {"guards_code", program.guards_code}};
}

}  // namespace

int64_t number_of_dtype(ScalarType dtype) {
  for (const DtypeNumber& d : kDtypes)
    if (d.dtype == dtype) return d.number;
  throw TypeError(
      taper::detail::concat("save: expected a dtype that torch.export has, got ", dtype));
}

std::string json_of_program(const Program& program) { return write_program(program).dump(); }

std::string json_of_payloads(const Payloads& payloads) {
  const auto write = [](const Payload& p) {
    return Json{{"path_name", p.path},
                {"is_param", p.is_parameter},
                {"use_pickle", p.is_pickle},
                {"tensor_meta", p.has_meta ? write_meta(p.meta) : Json()}};
  };
  return Json{{"config", write_map(payloads, write)}}.dump();
}

}  // namespace torch::taper::program
