#include <taper/program/json.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include <taper/program/json_numbers.h>

namespace torch::taper::program {
namespace {

using Json = nlohmann::json;
using taper::detail::concat;

// Graphs lie in graphs, each about eight levels deeper.
constexpr int kMaxNesting = 512;

// ---------------------------------------------------------------------- reading
/// A value of the text with the path to it, for errors.
class Reader {
 public:
  Reader(const Json& json, const std::string& where, std::string path)
      : json_(json), where_(where), path_(std::move(path)) {}

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(concat(where_, ": ", path_.empty() ? "the program" : path_, ": ", parts...));
  }
  const Json& json() const { return json_; }

  Reader at(const char* key) const {
    const Json* found = find(key);
    if (!found) fail("expected a member '", key, "', got none");
    return Reader(*found, where_, path_ + "." + key);
  }
  bool has(const char* key) const {
    const Json* found = find(key);
    return found && !found->is_null();
  }
  /// Calls read(element) for each element of a list.
  template <class F>
  auto list(const F& read) const {
    if (!json_.is_array()) fail("expected a list, got ", json_.type_name());
    std::vector<decltype(read(*this))> all;
    all.reserve(json_.size());
    for (size_t i = 0; i < json_.size(); ++i)
      all.push_back(read(Reader(json_[i], where_, path_ + "[" + std::to_string(i) + "]")));
    return all;
  }
  /// Calls read(value) for each member of an object.
  template <class F>
  auto map(const F& read) const {
    if (!json_.is_object()) fail("expected an object, got ", json_.type_name());
    std::map<std::string, decltype(read(*this))> all;
    for (const auto& [key, value] : json_.items())
      all.emplace(key, read(Reader(value, where_, path_ + "." + key)));
    return all;
  }
  /// Returns the only member of a union: its name and its value.
  std::pair<std::string, Reader> alternative() const {
    if (!json_.is_object() || json_.size() != 1)
      fail("expected an object with one member, got ", json_.type_name(), " of ", json_.size());
    const std::string key = json_.begin().key();
    return {key, Reader(json_.begin().value(), where_, path_ + "." + key)};
  }

  std::string text() const {
    if (!json_.is_string()) fail("expected a text, got ", json_.type_name());
    return json_.get<std::string>();
  }
  bool flag() const {
    if (!json_.is_boolean()) fail("expected true or false, got ", json_.type_name());
    return json_.get<bool>();
  }
  int64_t integer() const {
    if (!json_.is_number_integer()) fail("expected an integer, got ", json_.type_name());
    if (json_.is_number_unsigned() && json_.get<uint64_t>() > INT64_MAX)
      fail("expected an integer of 64 bits, got ", json_.get<uint64_t>());
    return json_.get<int64_t>();
  }
  double real() const {
    if (json_.is_number()) return json_.get<double>();
    const std::string name = text();
    if (name == "Infinity") return std::numeric_limits<double>::infinity();
    if (name == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (name == "NaN") return std::numeric_limits<double>::quiet_NaN();
    fail("expected a number, got '", name, "'");
  }
  /// Returns a limit of a range. Infinite ones are texts, floating numbers or missing.
  optional<int64_t> limit() const {
    if (json_.is_null() || json_.is_string() || json_.is_number_float()) return nullopt;
    return integer();
  }

 private:
  const Json* find(const char* key) const {
    if (!json_.is_object()) fail("expected an object, got ", json_.type_name());
    const auto at = json_.find(key);
    return at == json_.end() ? nullptr : &*at;
  }

  const Json& json_;
  const std::string& where_;
  const std::string path_;
};

ScalarType read_dtype(const Reader& r) {
  const int64_t number = r.integer();
  for (const DtypeNumber& d : kDtypes)
    if (d.number == number) return d.dtype;
  r.fail("expected the number of a dtype, got ", number);
}
MemoryFormat read_memory_format(const Reader& r) {
  const int64_t number = r.integer();
  if (number < 1 || number > 4) r.fail("expected a memory format from 1 to 4, got ", number);
  return kMemoryFormats[number - 1];
}
Layout read_layout(const Reader& r) {
  const int64_t number = r.integer();
  if (number < 0 || number > 7) r.fail("expected a layout from 0 to 7, got ", number);
  return static_cast<Layout>(number);
}
DeviceArgument read_device(const Reader& r) {
  DeviceArgument device{r.at("type").text(), nullopt};
  if (r.has("index")) device.index = r.at("index").integer();
  return device;
}
TensorArgument read_tensor(const Reader& r) { return {r.at("name").text()}; }

SymExpr read_expression(const Reader& r) {
  SymExpr e{r.at("expr_str").text(), {}};
  if (!r.has("hint")) return e;
  const auto [kind, value] = r.at("hint").alternative();
  if (kind == "as_int") e.hint = value.integer();
  if (kind == "as_bool") e.hint = value.flag();
  if (kind == "as_float") e.hint = value.real();
  return e;
}
/// Reads a number or an expression. `read` reads the number.
template <class T, class F>
std::variant<T, SymExpr> read_symbolic(const Reader& r, const F& read) {
  const auto [kind, value] = r.alternative();
  if (kind == "as_expr") return read_expression(value);
  return read(value);
}
SymInt read_sym_int(const Reader& r) {
  return read_symbolic<int64_t>(r, [](const Reader& v) { return v.integer(); });
}
SymBool read_sym_bool(const Reader& r) {
  return read_symbolic<bool>(r, [](const Reader& v) { return v.flag(); });
}
SymFloat read_sym_float(const Reader& r) {
  return read_symbolic<double>(r, [](const Reader& v) { return v.real(); });
}
template <class T, class F>
SymArgument<T> read_sym_argument(const Reader& r, const F& read) {
  const auto [kind, value] = r.alternative();
  if (kind == "as_name") return {value.text()};
  return {read(value)};
}
SymIntArgument read_sym_int_argument(const Reader& r) {
  return read_sym_argument<int64_t>(r, [](const Reader& v) { return v.integer(); });
}
SymFloatArgument read_sym_float_argument(const Reader& r) {
  return read_sym_argument<double>(r, [](const Reader& v) { return v.real(); });
}
SymBoolArgument read_sym_bool_argument(const Reader& r) {
  return read_sym_argument<bool>(r, [](const Reader& v) { return v.flag(); });
}

TensorMeta read_meta(const Reader& r) {
  TensorMeta meta;
  meta.dtype = read_dtype(r.at("dtype"));
  meta.sizes = r.at("sizes").list(read_sym_int);
  meta.requires_grad = r.at("requires_grad").flag();
  meta.device = read_device(r.at("device"));
  meta.strides = r.at("strides").list(read_sym_int);
  meta.storage_offset = read_sym_int(r.at("storage_offset"));
  meta.layout = read_layout(r.at("layout"));
  return meta;
}

Graph read_graph(const Reader& r);
Argument read_argument(const Reader& r);

CustomObjArgument read_object(const Reader& r) {
  return {r.at("name").text(), r.at("class_fqn").text()};
}
optional<TensorArgument> read_optional_tensor(const Reader& r) {
  const auto [kind, value] = r.alternative();
  if (kind == "as_none") return nullopt;
  if (kind == "as_tensor") return read_tensor(value);
  r.fail("expected a tensor or none, got '", kind, "'");
}

using ReadArgument = Argument::Value (*)(const Reader& r);
/// Returns the reader of an alternative of the union, or null.
ReadArgument reader_of(const std::string& kind) {
  static const std::map<std::string, ReadArgument, std::less<>> all = {
      {"as_none", [](const Reader&) { return Argument::Value(); }},
      {"as_tensor", [](const Reader& r) { return Argument::Value(read_tensor(r)); }},
      {"as_tensors", [](const Reader& r) { return Argument::Value(r.list(read_tensor)); }},
      {"as_int", [](const Reader& r) { return Argument::Value(r.integer()); }},
      {"as_ints",
       [](const Reader& r) {
         return Argument::Value(r.list([](const Reader& v) { return v.integer(); }));
       }},
      {"as_float", [](const Reader& r) { return Argument::Value(r.real()); }},
      {"as_floats",
       [](const Reader& r) {
         return Argument::Value(r.list([](const Reader& v) { return v.real(); }));
       }},
      {"as_string", [](const Reader& r) { return Argument::Value(r.text()); }},
      {"as_strings",
       [](const Reader& r) {
         return Argument::Value(r.list([](const Reader& v) { return v.text(); }));
       }},
      {"as_sym_int", [](const Reader& r) { return Argument::Value(read_sym_int_argument(r)); }},
      {"as_sym_ints",
       [](const Reader& r) { return Argument::Value(r.list(read_sym_int_argument)); }},
      {"as_scalar_type", [](const Reader& r) { return Argument::Value(read_dtype(r)); }},
      {"as_memory_format", [](const Reader& r) { return Argument::Value(read_memory_format(r)); }},
      {"as_layout", [](const Reader& r) { return Argument::Value(read_layout(r)); }},
      {"as_device", [](const Reader& r) { return Argument::Value(read_device(r)); }},
      {"as_bool", [](const Reader& r) { return Argument::Value(r.flag()); }},
      {"as_bools",
       [](const Reader& r) {
         const auto all = r.list([](const Reader& v) { return static_cast<char>(v.flag()); });
         return Argument::Value(std::vector<bool>(all.begin(), all.end()));
       }},
      {"as_sym_bool", [](const Reader& r) { return Argument::Value(read_sym_bool_argument(r)); }},
      {"as_sym_bools",
       [](const Reader& r) { return Argument::Value(r.list(read_sym_bool_argument)); }},
      {"as_graph",
       [](const Reader& r) {
         return Argument::Value(GraphArgument{r.at("name").text(),
                                              std::make_shared<Graph>(read_graph(r.at("graph")))});
       }},
      {"as_optional_tensors",
       [](const Reader& r) { return Argument::Value(r.list(read_optional_tensor)); }},
      {"as_custom_obj", [](const Reader& r) { return Argument::Value(read_object(r)); }},
      {"as_operator", [](const Reader& r) { return Argument::Value(OperatorArgument{r.text()}); }},
      {"as_sym_float", [](const Reader& r) { return Argument::Value(read_sym_float_argument(r)); }},
      {"as_sym_floats",
       [](const Reader& r) { return Argument::Value(r.list(read_sym_float_argument)); }},
      {"as_optional_tensor",
       [](const Reader& r) {
         const auto t = read_optional_tensor(r);
         return t ? Argument::Value(*t) : Argument::Value();
       }},
      {"as_complex",
       [](const Reader& r) {
         return Argument::Value(std::complex<double>(r.at("real").real(), r.at("imag").real()));
       }},
      {"as_nested_tensors",
       [](const Reader& r) {
         return Argument::Value(r.list([](const Reader& v) { return v.list(read_tensor); }));
       }},
      {"as_int_lists",
       [](const Reader& r) {
         return Argument::Value(r.list(
             [](const Reader& v) { return v.list([](const Reader& i) { return i.integer(); }); }));
       }},
      {"as_string_to_argument",
       [](const Reader& r) { return Argument::Value(r.map(read_argument)); }},
  };
  const auto at = all.find(kind);
  return at == all.end() ? nullptr : at->second;
}

Argument read_argument(const Reader& r) {
  const auto [kind, value] = r.alternative();
  const ReadArgument read = reader_of(kind);
  if (!read) r.fail("expected a kind of arguments of the schema, got '", kind, "'");
  return {read(value)};
}

NamedArgument read_named_argument(const Reader& r) {
  NamedArgument a{r.at("name").text(), read_argument(r.at("arg"))};
  if (r.has("kind")) {
    const int64_t kind = r.at("kind").integer();
    if (kind < 0 || kind > 2) r.fail("expected a kind from 0 to 2, got ", kind);
    a.kind = static_cast<NamedArgument::Kind>(kind);
  }
  return a;
}

std::map<std::string, std::string> read_texts(const Reader& r) {
  return r.map([](const Reader& v) { return v.text(); });
}

Node read_node(const Reader& r) {
  Node node;
  node.target = r.at("target").text();
  node.inputs = r.at("inputs").list(read_named_argument);
  node.outputs = r.at("outputs").list(read_argument);
  if (r.has("metadata")) node.metadata = read_texts(r.at("metadata"));
  if (r.has("is_hop_single_tensor_return"))
    node.is_hop_single_tensor_return = r.at("is_hop_single_tensor_return").flag();
  if (r.has("name")) node.name = r.at("name").text();
  return node;
}

Graph read_graph(const Reader& r) {
  Graph graph;
  graph.inputs = r.at("inputs").list(read_argument);
  graph.outputs = r.at("outputs").list(read_argument);
  graph.nodes = r.at("nodes").list(read_node);
  graph.tensor_values = r.at("tensor_values").map(read_meta);
  if (r.has("sym_int_values")) graph.sym_int_values = r.at("sym_int_values").map(read_sym_int);
  if (r.has("sym_bool_values")) graph.sym_bool_values = r.at("sym_bool_values").map(read_sym_bool);
  if (r.has("sym_float_values"))
    graph.sym_float_values = r.at("sym_float_values").map(read_sym_float);
  if (r.has("custom_obj_values"))
    graph.custom_obj_values = r.at("custom_obj_values").map(read_object);
  if (r.has("is_single_tensor_return"))
    graph.is_single_tensor_return = r.at("is_single_tensor_return").flag();
  return graph;
}

Argument argument_named(const Reader& r) { return {read_tensor(r.at("arg"))}; }

InputSpec read_input_spec(const Reader& r) {
  using Kind = InputSpec::Kind;
  const auto [kind, v] = r.alternative();
  if (kind == "user_input") return {Kind::kUserInput, read_argument(v.at("arg")), {}, true, {}};
  if (kind == "parameter")
    return {Kind::kParameter, argument_named(v), v.at("parameter_name").text(), true, {}};
  if (kind == "buffer")
    return {Kind::kBuffer,
            argument_named(v),
            v.at("buffer_name").text(),
            !v.has("persistent") || v.at("persistent").flag(),
            {}};
  if (kind == "tensor_constant")
    return {
        Kind::kTensorConstant, argument_named(v), v.at("tensor_constant_name").text(), true, {}};
  if (kind == "custom_obj")
    return {Kind::kCustomObj, {read_object(v.at("arg"))}, v.at("custom_obj_name").text(), true, {}};
  if (kind == "token")
    return {Kind::kToken, {TensorArgument{v.at("arg").at("name").text()}}, {}, true, {}};
  if (kind == "constant_input")
    return {Kind::kConstantInput, {}, v.at("name").text(), true, read_argument(v.at("value"))};
  r.fail("expected a kind of inputs of the schema, got '", kind, "'");
}

OutputSpec read_output_spec(const Reader& r) {
  using Kind = OutputSpec::Kind;
  const auto [kind, v] = r.alternative();
  if (kind == "user_output") return {Kind::kUserOutput, read_argument(v.at("arg")), {}};
  if (kind == "loss_output") return {Kind::kLoss, argument_named(v), {}};
  if (kind == "buffer_mutation")
    return {Kind::kBufferMutation, argument_named(v), v.at("buffer_name").text()};
  if (kind == "parameter_mutation")
    return {Kind::kParameterMutation, argument_named(v), v.at("parameter_name").text()};
  if (kind == "gradient_to_parameter")
    return {Kind::kGradientToParameter, argument_named(v), v.at("parameter_name").text()};
  if (kind == "gradient_to_user_input")
    return {Kind::kGradientToUserInput, argument_named(v), v.at("user_input_name").text()};
  if (kind == "user_input_mutation")
    return {Kind::kUserInputMutation, argument_named(v), v.at("user_input_name").text()};
  if (kind == "token") return {Kind::kToken, {TensorArgument{v.at("arg").at("name").text()}}, {}};
  r.fail("expected a kind of outputs of the schema, got '", kind, "'");
}

ModuleCall read_module_call(const Reader& r) {
  ModuleCall call;
  call.fqn = r.at("fqn").text();
  if (!r.has("signature")) return call;
  const Reader s = r.at("signature");
  call.has_signature = true;
  call.inputs = s.at("inputs").list(read_argument);
  call.outputs = s.at("outputs").list(read_argument);
  call.in_spec = s.at("in_spec").text();
  call.out_spec = s.at("out_spec").text();
  if (s.has("forward_arg_names"))
    call.forward_arg_names =
        s.at("forward_arg_names").list([](const Reader& v) { return v.text(); });
  return call;
}

Range read_range(const Reader& r) { return {r.at("min_val").limit(), r.at("max_val").limit()}; }

void read_version(const Reader& r, Program& program) {
  constexpr int64_t kOldest = 7, kNewest = 8;  // PyTorch 2.5 to 2.15
  program.schema_major = r.at("major").integer();
  program.schema_minor = r.at("minor").integer();
  if (program.schema_major < kOldest || program.schema_major > kNewest)
    r.fail("expected version ", kOldest, " or ", kNewest, " of the schema, got ",
           program.schema_major, "; export the model with PyTorch 2.5 to 2.15");
}

Program read_program(const Reader& r) {
  Program program;
  read_version(r.at("schema_version"), program);
  const Reader module = r.at("graph_module");
  program.graph = read_graph(module.at("graph"));
  program.input_specs = module.at("signature").at("input_specs").list(read_input_spec);
  program.output_specs = module.at("signature").at("output_specs").list(read_output_spec);
  program.module_calls = module.at("module_call_graph").list(read_module_call);
  if (module.has("metadata")) program.metadata = read_texts(module.at("metadata"));
  if (module.has("treespec_namedtuple_fields"))
    program.namedtuple_fields = module.at("treespec_namedtuple_fields").map([](const Reader& v) {
      return v.at("field_names").list([](const Reader& name) { return name.text(); });
    });
  program.ranges = r.at("range_constraints").map(read_range);
  program.opset_version = r.at("opset_version").map([](const Reader& v) { return v.integer(); });
  if (r.has("verifiers"))
    program.verifiers = r.at("verifiers").list([](const Reader& v) { return v.text(); });
  if (r.has("guards_code"))
    program.guards_code = r.at("guards_code").list([](const Reader& v) { return v.text(); });
  if (r.has("torch_version")) program.torch_version = r.at("torch_version").text();
  return program;
}

Payload read_payload(const Reader& r) {
  Payload p;
  p.path = r.at("path_name").text();
  p.is_parameter = r.at("is_param").flag();
  p.is_pickle = r.at("use_pickle").flag();
  p.has_meta = r.has("tensor_meta");
  if (p.has_meta) p.meta = read_meta(r.at("tensor_meta"));
  return p;
}

/// Puts quotes around the infinities and NaN that Python writes and JSON lacks.
std::string quoted_infinities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_text = !in_text;
    if (in_text && text[i] == '\\' && i + 1 < text.size()) out += text[i++];
    const auto take = [&](std::string_view word) {
      if (in_text || text.compare(i, word.size(), word) != 0) return false;
      out.append("\"").append(word).append("\"");
      i += word.size() - 1;
      return true;
    };
    if (take("-Infinity") || take("Infinity") || take("NaN")) continue;
    out += text[i];
  }
  return out;
}

/// Limits the memory of the values to eight times the text and a constant.
void check_density(std::string_view text, const std::string& where) {
  constexpr size_t kBytesPerValue = 4, kFree = 1 << 18;
  const auto values = static_cast<size_t>(std::count(text.begin(), text.end(), ','));
  TAPER_CHECK(values <= kFree + text.size() / kBytesPerValue, where, ": expected at most ",
              kFree + text.size() / kBytesPerValue, " values in so short a text, got ", values);
}

Json parse(std::string_view text, const std::string& where) {
  check_density(text, where);
  int depth = 0;
  const auto limit_depth = [&](int at, Json::parse_event_t, Json&) {
    depth = std::max(depth, at);
    return at < kMaxNesting;  // deeper values are dropped
  };
  try {
    Json json = Json::parse(quoted_infinities(text), limit_depth);
    TAPER_CHECK(depth < kMaxNesting, where, ": its values lie more than ", kMaxNesting,
                " levels deep");
    return json;
  } catch (const Json::exception& e) {
    throw Error(concat(where, ": expected JSON: ", e.what()));
  }
}

}  // namespace

Program program_of_json(std::string_view text, const std::string& where) {
  const Json json = parse(text, where);
  return read_program(Reader(json, where, ""));
}

Payloads payloads_of_json(std::string_view text, const std::string& where) {
  const Json json = parse(text, where);
  return Reader(json, where, "").at("config").map(read_payload);
}

}  // namespace torch::taper::program
