// Tracing: a mode that records the ops of one call as the nodes of a graph. Not installed.
//
// A tensor is known by its TensorImpl. Its memory may have several views. Nodes have no side
// effects: after a write to a view, the trace makes new values for the memory and for its views.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include <taper/ops/shared/op_mode.h>
#include <taper/program/graph.h>

namespace torch::taper::program {

/// A tensor that the traced call gets from outside: a parameter, buffer or argument.
struct TraceInput {
  InputSpec spec;  ///< its argument is a tensor, with the name of the value
  Tensor tensor;
};

/// The record of one call, with all sizes as numbers.
struct Recording {
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> values;
  std::vector<TraceInput> constants;  ///< tensors that the call has not made and not been given
  std::vector<OutputSpec> outputs;    ///< mutations, then the results
  std::vector<std::string> op_names;  ///< of each node: "add_", for messages
};

/// A call that is traced, from arguments to results.
using TraceBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Calls `body` with the inputs of kind kUserInput and records its ops. The call runs without
/// gradients. Throws Error for what a graph cannot say.
Recording record_call(const TraceBody& body, const std::vector<TraceInput>& inputs);

/// Returns the facts of a tensor as numbers.
TensorMeta meta_of(const Tensor& t);

/// Makes names unique, and valid in Python.
class ValueNames {
 public:
  std::string unique(std::string name);

 private:
  std::set<std::string> used_;
  std::unordered_map<std::string, int> counts_;
};

}  // namespace torch::taper::program
