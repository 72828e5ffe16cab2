// The ONNX graph of a program while it is built, and how an op's translation reads its arguments.
// Not installed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <taper/program/graph.h>
#include <taper/program/trace_schema.h>

namespace torch::taper::program {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

/// A named constant of an operator.
struct OnnxAttribute {
  std::string name;
  std::variant<int64_t, float, std::string, Ints, Names> value;
};
using OnnxAttributes = std::vector<OnnxAttribute>;

struct OnnxNode {
  std::string op;
  Names inputs, outputs;
  OnnxAttributes attributes;
};

/// Returns ONNX's number of a dtype. Throws NotImplementedError if it has none.
int64_t onnx_dtype(ScalarType dtype);

/// Nodes and constants. Values have names. The names that the graph makes start with '/'.
class OnnxGraph {
 public:
  explicit OnnxGraph(int64_t opset) : opset(opset) {}

  /// Adds a node and returns its output, or its outputs.
  std::string add(const std::string& op, Names inputs, OnnxAttributes attributes = {});
  Names add_many(const std::string& op, Names inputs, size_t count, OnnxAttributes attributes = {});
  /// Returns a constant.
  ///@{
  std::string constant(const Tensor& value);
  std::string ints(const Ints& values);                ///< of one dimension
  std::string number(double value, ScalarType dtype);  ///< without dimensions
  std::string full(double value, ScalarType dtype, Ints sizes);
  ///@}
  std::string cast(const std::string& x, ScalarType dtype);
  /// Returns sizes of x as int64, of one dimension.
  std::string shape(const std::string& x, int64_t start = 0, optional<int64_t> end = nullopt);
  std::string unsqueeze(const std::string& x, const Ints& dims);
  std::string squeeze(const std::string& x, const Ints& dims);
  std::string transpose(const std::string& x, const Ints& dims);
  std::string slice(const std::string& x, int64_t dim, const std::string& start,
                    const std::string& end, int64_t step = 1);

  const int64_t opset;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> constants;

 private:
  std::string name_for(const std::string& op);
  std::map<std::string, int> counts_;
  std::map<std::string, std::string> known_;  // constants by their contents
};

/// What the translation of one program needs: the graph, and the ONNX value of each of its values.
struct OnnxLowering {
  const Program& program;
  OnnxGraph graph;
  std::map<std::string, std::string> values;  // of tensors
  std::map<std::string, std::string> sizes;   // of integers, as tensors of sizes {1}
};

/// A node of the program, for its translation. Arguments have the names of the schema. An argument
/// that the node lacks has the schema's default.
class OnnxCall {
 public:
  OnnxCall(OnnxLowering& lowering, const Node& node);

  OnnxGraph& graph() { return lowering_.graph; }
  /// Throws NotImplementedError with the op's name.
  [[noreturn]] void unsupported(const std::string& reason) const;
  void require(bool condition, const char* reason) const {
    if (!condition) unsupported(reason);
  }

  bool has(std::string_view name) const;  ///< the argument exists and is not None
  bool is_tensor(std::string_view name) const;
  std::string tensor(std::string_view name);    ///< "" for None
  Names tensors(std::string_view name);         ///< "" for None
  bool has_bools(std::string_view name) const;  ///< a tensor of the list has dtype kBool
  const TensorMeta& meta(std::string_view name) const;
  int64_t rank(std::string_view name) const {
    return static_cast<int64_t>(meta(name).sizes.size());
  }
  /// Returns a size that does not change between calls.
  int64_t fixed_size(std::string_view name, int64_t dim) const;
  int64_t integer(std::string_view name) const;
  Ints integers(std::string_view name) const;
  /// Returns `count` integers, repeating a single one.
  Ints integers(std::string_view name, size_t count) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  ScalarType dtype(std::string_view name, ScalarType fallback) const;
  int64_t dim(std::string_view name, std::string_view of = "self",
              int64_t extra = 0) const;                                  ///< not negative
  Ints dims(std::string_view name, std::string_view of = "self") const;  ///< all if None or empty
  /// Return integers, which may be symbols, as a tensor of one dimension.
  ///@{
  std::string size(std::string_view name);
  std::string size_list(std::string_view name);
  ///@}
  /// Returns a tensor or a number with a dtype.
  std::string operand(std::string_view name, ScalarType dtype);
  /// Returns the dtype in which two operands are compared.
  ScalarType common_dtype(std::string_view a, std::string_view b) const;

  const Node& node() const { return node_; }
  std::string op() const;  ///< "add.Tensor"
  const TensorMeta& result_meta(size_t i = 0) const;
  ScalarType result_dtype() const { return result_meta().dtype; }
  size_t result_rank() const { return result_meta().sizes.size(); }
  /// Give the results their ONNX values.
  ///@{
  void set(const std::string& value) { set(Names{value}); }
  void set(const Names& values);
  ///@}

 private:
  const Argument& argument(std::string_view name) const;
  std::string size_of(const std::variant<std::string, int64_t>& size);
  Names result_names() const;

  OnnxLowering& lowering_;
  const Node& node_;
  std::map<std::string, Argument, std::less<>> arguments_;
};

using OnnxRule = void (*)(OnnxCall& call);
/// Returns the translation of an op, "add.Tensor", or null.
OnnxRule onnx_rule(const std::string& op);
/// Returns translations by the op's name, with or without overload.
///@{
const std::map<std::string, OnnxRule, std::less<>>& onnx_math_rules();
const std::map<std::string, OnnxRule, std::less<>>& onnx_reduce_rules();
const std::map<std::string, OnnxRule, std::less<>>& onnx_shape_rules();
const std::map<std::string, OnnxRule, std::less<>>& onnx_layer_rules();
///@}

}  // namespace torch::taper::program
