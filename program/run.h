// Runs graphs. A Plan has one step for each node, with the op and the constant arguments found when
// the program is loaded. Not installed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <taper/extension/dispatcher.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/shared/op_mode.h>
#include <taper/program/graph.h>

namespace torch::taper::program {

/// A value during a run: nothing, a tensor, a number or a text.
using Value = std::variant<std::monostate, Tensor, Scalar, std::string>;

IValue ivalue_of(const Value& value);
Value value_of(const IValue& value);

/// Where a program runs. Devices that the file names follow the program's tensors.
struct Place {
  optional<Device> exported;  ///< the device of the program's tensors in the file
  optional<Device> current;   ///< the device of the program's tensors now

  /// Returns the device to use for one of the file.
  Device device(Device in_file) const {
    return exported && current && in_file.type() == exported->type() ? *current : in_file;
  }
};

/// The values of one run, by slot.
struct Frame {
  std::vector<Value> slots;
  const Place& place;
};

class Plan;

/// An argument: a constant, or where its value comes from.
struct Source {
  enum class Kind : uint8_t {
    kConstant,
    kSlot,  // one item
    kInts,  // lists of items
    kFloats,
    kBools,
    kTensors,
    kOptionalTensors,
    kDevice,  // constant
    kGraph
  };
  /// A slot, or a constant in a list.
  struct Item {
    int32_t slot = -1;
    Scalar number;
  };
  Kind kind = Kind::kConstant;
  bool is_number = false;  ///< of a slot: it has no tensor
  IValue constant;
  std::vector<Item> items;
  std::shared_ptr<const Plan> graph;

  bool is_constant() const { return kind == Kind::kConstant; }
  /// Returns the value in a run.
  IValue value(const Frame& frame) const;
};

/// An output of a node: one slot, or those of a list of tensors. -1 is no slot.
struct Target {
  std::vector<int32_t> slots;
  bool is_list = false;
};

/// One node.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Frame& frame) const = 0;

  std::string name;             ///< the node, for errors
  std::vector<int32_t> unused;  ///< slots that no later step needs
};

/// Counts the ops that a program needs and Taper lacks, by name.
using MissingOps = std::map<std::string, int>;

/// A graph that is ready to run. It is constant, so several threads may run it.
class Plan {
 public:
  /// Prepares a graph. Adds the names of unknown ops to `missing`. Throws Error that begins with
  /// `where` for a graph whose values do not fit together.
  Plan(const Graph& graph, const std::string& where, MissingOps& missing);
  ~Plan();

  /// Returns the values of the graph's outputs for those of its inputs. An output that is a list
  /// gives several.
  std::vector<Value> run(std::vector<Value> inputs, const Place& place) const;
  size_t inputs() const { return inputs_.size(); }

 private:
  friend class PlanBuilder;
  std::vector<int32_t> inputs_;  ///< the slot of each input, or -1
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<Source> outputs_;
  size_t slots_ = 0;
};

// ---------------------------------------------------------------------- adapters
/// The arguments of an adapter by position, and its results.
class AdapterCall {
 public:
  AdapterCall(std::vector<IValue> arguments, const Place& place)
      : place(place), arguments_(std::move(arguments)) {}

  const IValue& operator[](size_t i) const { return arguments_[i]; }
  size_t size() const { return arguments_.size(); }
  bool has(size_t i) const { return !arguments_[i].isNone(); }
  /// Returns a tensor. None is an undefined tensor.
  Tensor tensor(size_t i) const { return has(i) ? arguments_[i].toTensor() : Tensor(); }
  int64_t integer(size_t i) const { return arguments_[i].toScalar().toLong(); }
  double real(size_t i) const { return arguments_[i].toScalar().toDouble(); }
  bool flag(size_t i) const { return arguments_[i].toBool(); }
  std::vector<int64_t> integers(size_t i) const;
  optional<double> maybe_real(size_t i) const {
    return has(i) ? optional<double>(real(i)) : nullopt;
  }
  optional<ScalarType> maybe_dtype(size_t i) const {
    return has(i) ? optional<ScalarType>(arguments_[i].to<ScalarType>()) : nullopt;
  }

  const Place& place;
  std::vector<IValue> results;

 private:
  std::vector<IValue> arguments_;
};

/// An op that Taper has under another name, or that other ops make.
struct Adapter {
  /// PyTorch's schema, or the name of a function of Python.
  const char* schema;
  void (*run)(AdapterCall& call);
};

/// Returns the adapter of "aten::sym_size.int" or "_operator.add", or null.
const Adapter* find_adapter(const std::string& name);

// ---------------------------------------------------------------------- steps
/// Return a step that calls an op. Arguments are those of its schema.
///@{
std::unique_ptr<Step> row_step(const OpInfo& op, std::vector<Source> arguments,
                               std::vector<Target> outputs);
std::unique_ptr<Step> operator_step(const OperatorHandle& op, std::vector<Source> arguments,
                                    std::vector<Target> outputs);
std::unique_ptr<Step> adapter_step(const Adapter& adapter, std::vector<Source> arguments,
                                   std::vector<Target> outputs);
///@}
/// Returns the name of an op that computes the same, or a name without an op.
std::string other_name(const std::string& name);

/// Returns whether there is a step for a higher-order op.
bool is_higher_order(const std::string& name);
/// Returns a step for a higher-order op: "cond", "while_loop", ...
std::unique_ptr<Step> higher_order_step(const std::string& name, std::vector<Source> arguments,
                                        std::vector<Target> outputs);
/// Stores the results of a node.
void store(Frame& frame, const std::vector<Target>& outputs, const std::vector<IValue>& results);

}  // namespace torch::taper::program
