// Program graphs: the data of a file of Python's torch.export.save, with the names of PyTorch's
// schema (torch/_export/serde/schema.py).
//
// A Program has a graph of nodes, a signature, and tensors. A value has a name: an input of the
// graph or an output of a node. Arguments refer to values by name.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::program {

struct Argument;
struct Graph;

/// The schema's numbers of layouts.
enum class Layout : int64_t {
  kUnknown = 0,
  kSparseCoo,
  kSparseCsr,
  kSparseCsc,
  kSparseBsr,
  kSparseBsc,
  kMkldnn,
  kStrided
};

/// A tensor value, by its name.
struct TensorArgument {
  std::string name;
};
/// A token that orders effects. It has no value.
struct TokenArgument {
  std::string name;
};
/// A symbolic value by its name, or a constant.
template <class T>
struct SymArgument {
  std::variant<std::string, T> value;
};
using SymIntArgument = SymArgument<int64_t>;
using SymFloatArgument = SymArgument<double>;
using SymBoolArgument = SymArgument<bool>;
/// A graph that a higher-order op runs.
struct GraphArgument {
  std::string name;
  std::shared_ptr<Graph> graph;
};
/// An object of a class of TorchScript, by its name.
struct CustomObjArgument {
  std::string name;
  std::string class_name;
};
/// The name of an operator.
struct OperatorArgument {
  std::string name;
};
/// A device as the file names it. This machine may not have it.
struct DeviceArgument {
  std::string type = "cpu";
  optional<int64_t> index;
};

/// An argument of a node, or one of its outputs. Its alternatives follow the schema's union.
struct Argument {
  using Value = std::variant<std::monostate,  // as_none, and as_optional_tensor without one
                             TensorArgument,  // as_tensor, as_optional_tensor
                             std::vector<TensorArgument>,               // as_tensors
                             int64_t,                                   // as_int
                             std::vector<int64_t>,                      // as_ints
                             double,                                    // as_float
                             std::vector<double>,                       // as_floats
                             std::string,                               // as_string
                             std::vector<std::string>,                  // as_strings
                             SymIntArgument,                            // as_sym_int
                             std::vector<SymIntArgument>,               // as_sym_ints
                             ScalarType,                                // as_scalar_type
                             MemoryFormat,                              // as_memory_format
                             Layout,                                    // as_layout
                             DeviceArgument,                            // as_device
                             bool,                                      // as_bool
                             std::vector<bool>,                         // as_bools
                             SymBoolArgument,                           // as_sym_bool
                             std::vector<SymBoolArgument>,              // as_sym_bools
                             GraphArgument,                             // as_graph
                             std::vector<optional<TensorArgument>>,     // as_optional_tensors
                             CustomObjArgument,                         // as_custom_obj
                             OperatorArgument,                          // as_operator
                             SymFloatArgument,                          // as_sym_float
                             std::vector<SymFloatArgument>,             // as_sym_floats
                             std::complex<double>,                      // as_complex
                             std::vector<std::vector<TensorArgument>>,  // as_nested_tensors
                             std::vector<std::vector<int64_t>>,         // as_int_lists
                             std::map<std::string, Argument>>;          // as_string_to_argument
  Value value;

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value);
  }
  template <class T>
  const T& get() const {
    return std::get<T>(value);
  }
  bool is_none() const { return is<std::monostate>(); }
};

/// An argument with the name that the operator's schema gives it.
struct NamedArgument {
  enum class Kind { kUnknown = 0, kPositional = 1, kKeyword = 2 };
  std::string name;
  Argument arg;
  Kind kind = Kind::kUnknown;
};

/// A call of an operator: "torch.ops.aten.add.Tensor", "_operator.mul".
struct Node {
  std::string target;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::map<std::string, std::string> metadata;  ///< stack traces and the like
  optional<bool> is_hop_single_tensor_return;   ///< of higher-order ops
  std::string name;                             ///< empty in files of older versions
};

/// An expression of symbols: "2*s0". The hint is its value for the example inputs.
struct SymExpr {
  std::string text;
  std::variant<std::monostate, int64_t, bool, double> hint;
};
/// A number, or an expression.
using SymInt = std::variant<int64_t, SymExpr>;
using SymBool = std::variant<bool, SymExpr>;
using SymFloat = std::variant<double, SymExpr>;

/// Facts of a tensor value.
struct TensorMeta {
  ScalarType dtype = kFloat;
  std::vector<SymInt> sizes;
  bool requires_grad = false;
  DeviceArgument device;
  std::vector<SymInt> strides;
  SymInt storage_offset = int64_t{0};
  Layout layout = Layout::kStrided;
};

/// Nodes in the order of execution, with their values.
struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> tensor_values;
  std::map<std::string, SymInt> sym_int_values;
  std::map<std::string, SymBool> sym_bool_values;
  std::map<std::string, SymFloat> sym_float_values;
  std::map<std::string, CustomObjArgument> custom_obj_values;
  /// A subgraph returns a tensor, not a list of one.
  bool is_single_tensor_return = false;
};

/// An input of the program's graph.
struct InputSpec {
  enum class Kind {
    kUserInput,
    kParameter,
    kBuffer,
    kTensorConstant,
    kCustomObj,
    kToken,
    kConstantInput
  };
  Kind kind = Kind::kUserInput;
  Argument arg;            ///< the input of the graph; none for kConstantInput
  std::string target;      ///< name of the parameter, buffer, constant, object or constant input
  bool persistent = true;  ///< of a buffer: it is in the state_dict
  Argument constant;       ///< value of a kConstantInput
};

/// An output of the program's graph.
struct OutputSpec {
  enum class Kind {
    kUserOutput,
    kLoss,
    kBufferMutation,
    kParameterMutation,
    kGradientToParameter,
    kGradientToUserInput,
    kUserInputMutation,
    kToken
  };
  Kind kind = Kind::kUserOutput;
  Argument arg;
  std::string target;  ///< name of the buffer, parameter or user input
};

/// How a module is called. The program's own has an empty name.
struct ModuleCall {
  std::string fqn;
  bool has_signature = false;
  std::vector<Argument> inputs, outputs;
  std::string in_spec, out_spec;  ///< pytree specs, as JSON text
  optional<std::vector<std::string>> forward_arg_names;
};

/// Limits of a symbol's value. A missing limit is infinite.
struct Range {
  optional<int64_t> min, max;
};

/// The contents of a file. Weights and constants have the names of the signature's targets. Tied
/// parameters are one tensor.
struct Program {
  Graph graph;
  std::vector<InputSpec> input_specs;
  std::vector<OutputSpec> output_specs;
  std::vector<ModuleCall> module_calls;
  std::map<std::string, Range> ranges;  ///< of symbols
  std::map<std::string, int64_t> opset_version;
  int64_t schema_major = 8;
  int64_t schema_minor = 0;
  std::vector<std::string> verifiers;    ///< "TRAINING", "ATEN", ...
  std::vector<std::string> guards_code;  ///< Python text of checks of the inputs; it is not run
  std::string torch_version;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::vector<std::string>> namedtuple_fields;
  std::map<std::string, Tensor> weights;    ///< parameters and persistent buffers
  std::map<std::string, Tensor> constants;  ///< tensor constants and other buffers
};

}  // namespace torch::taper::program

#pragma GCC visibility pop
