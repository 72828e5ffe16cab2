// The mode that traces a call. Not installed.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/program/trace.h>
#include <taper/program/trace_schema.h>

namespace torch::taper::program {

/// What the trace knows of a tensor.
struct Known {
  Tensor tensor;
  std::string value;      // name of its value in the graph
  int64_t writes = 0;     // number of writes to its memory that the value has seen
  Known* base = nullptr;  // the tensor that it is a view of
  Node view;              // the node that made the view
};

/// The memory of one or more tensors.
struct Memory {
  int64_t writes = 0;
  std::vector<Known*> views;  // in the order in which the trace met them
};

/// Records the ops of a call.
class Tracer final : public OpMode {
 public:
  explicit Tracer(const std::vector<TraceInput>& inputs);
  void call(const OpInfo& op, OpCall& call) override;
  void read(const Tensor& t) override;
  Recording finish(const std::vector<Tensor>& results);

 private:
  // Values of tensors.
  Known& know(const Tensor& t, std::string value);
  Known& known(const Tensor& t);
  Known& lift(const Tensor& t);
  Known* alias_of(const Tensor& t);
  const std::string& value_of(Known& k);
  const std::string& value_of(const Tensor& t) { return value_of(known(t)); }

  // Nodes.
  Argument argument_of(const SchemaArgument& parameter, const IValue& value);
  void add_options(Node& node, const IValue& options);
  Node node_of(const OpInfo& op, const OpCall& call);
  std::string add_node(Node node, const char* op, const Tensor& like);
  std::string add_op(const std::string& op, std::vector<NamedArgument> inputs, const Tensor& like);
  void add_results(const OpInfo& op, OpCall& call, Node node);
  Argument add_result(const OpInfo& op, const IValue& result, const Node& node,
                      const std::vector<Tensor>& inputs, bool is_only);
  std::string add_output(const Tensor& t, const std::string& name, const Node& node,
                         const std::vector<Tensor>& inputs);

  // Writes.
  void decompose(const OpInfo& op, OpCall& call);
  void write(const OpInfo& op, OpCall& call);
  std::string functional_value(const OpInfo& op, OpCall& call, const Node& node);
  std::string called_value(const OpInfo& op, OpCall& call, const Node& node);
  void set_value(Known& k, std::string value);
  std::string with_view(const Known& view);
  std::string with_slice(const Known& view, int64_t dim);

  void add_mutations(Recording& record);

  const std::vector<TraceInput>& inputs_;
  Recording record_;
  ValueNames names_;
  std::unordered_map<const TensorImpl*, std::unique_ptr<Known>> known_;
  std::unordered_map<const void*, Memory> memories_;
};

/// Returns the identity of a tensor's memory. A tensor without elements has its own.
const void* memory_of(const Tensor& t);
/// Returns the op of a node: "add.Tensor".
std::string traced_op(const Node& node);
inline std::string without_overload(const std::string& op) { return op.substr(0, op.find('.')); }
inline NamedArgument positional(std::string name, Argument::Value value) {
  return {std::move(name), {std::move(value)}, NamedArgument::Kind::kPositional};
}

}  // namespace torch::taper::program
