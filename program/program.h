// Programs from Python: files of torch.export.save, loaded as modules that run and train.
//
//   auto net = taper::load_program("model.pt2");
//   Tensor y = net(x);
//   y.sum().backward();
//
// A library of its own, taper::program. docs/programs.md is the guide.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/nn/module_holder.h>
#include <taper/program/graph.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Runs a program that Python exported. Parameters and buffers have Python's names and belong to
/// nested modules: "layer1.0.conv1.weight". The ops record, so gradients, optimizers, autocast and
/// compile work as for any module.
class ProgramModuleImpl : public nn::Module {
 public:
  /// Arguments by name.
  using Named = std::map<std::string, IValue>;

  /// Prepares a program. Throws NotImplementedError that lists all ops that Taper lacks, and Error
  /// for a graph whose values do not fit together.
  explicit ProgramModuleImpl(program::Program program);
  ~ProgramModuleImpl() override;

  /// Returns the only tensor of the result. Takes the inputs of Python's forward in order: tensors,
  /// numbers, lists, tuples and dictionaries. Throws Error for inputs that do not fit, and for a
  /// program with several outputs, which run() returns.
  template <class... T>
  Tensor forward(const T&... inputs) {
    return only_tensor(run({IValue(inputs)...}));
  }
  /// Returns the result of Python's forward: a tensor, or nested tuples, lists and dictionaries.
  /// An object of a class becomes a dictionary or a tuple. Arguments that Python took by name may
  /// also follow in order.
  IValue run(std::vector<IValue> inputs, const Named& named = {});

  /// Returns the contents of the file. Its tensors share their memory with this module's.
  const program::Program& program() const;

  /// Sets the mode of the export. Throws Error for the other mode if the program has ops that
  /// depend on it, because the export fixed it.
  void train(bool on = true) override;
  /// Convert parameters, buffers and constants in place. A dtype applies to floating tensors only.
  /// Devices that the program names for new tensors follow.
  ///@{
  void to(Device device, Dtype dtype, bool non_blocking = false) override;
  void to(Dtype dtype, bool non_blocking = false) override;
  void to(Device device, bool non_blocking = false) override;
  ///@}
  using nn::Module::to;
  /// Returns a deep copy, on `device` if given.
  std::shared_ptr<nn::Module> clone(const optional<Device>& device = nullopt) const override;
  void pretty_print(std::ostream& stream) const override;  ///< prints one line

 private:
  struct State;
  static Tensor only_tensor(const IValue& result);
  void convert_all(optional<Device> device, optional<Dtype> dtype, bool non_blocking);
  std::shared_ptr<State> state_;
};
/// Holds a ProgramModuleImpl, as holders of layers do.
using ProgramModule = nn::ModuleHolder<ProgramModuleImpl>;

/// Loads a file of Python's torch.export.save (PyTorch 2.5 to 2.15). Tensors are made on the CPU.
/// A package with several programs needs the name of one, `model`. Throws Error for a file that is
/// damaged or of another kind, and NotImplementedError that lists all ops that Taper lacks. No code
/// of the file is run.
ProgramModule load_program(const std::string& path, const std::string& model = "");

/// Returns the graph of a file as text: inputs, parameters, nodes and outputs. It needs no op of
/// the program.
std::string describe_program(const std::string& path, const std::string& model = "");
/// Returns the graph of a program as text.
std::string describe_program(const program::Program& program);

}  // namespace torch::taper

#pragma GCC visibility pop
