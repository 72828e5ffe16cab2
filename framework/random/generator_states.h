// Saves and restores the states of all devices' default generators.
#pragma once

#include <memory>
#include <vector>

#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns the default generators of the calling thread: first the CPU's, then one for each CUDA
/// device.
std::vector<Generator> default_generators();

/// The states of default_generators() at construction. Copies of this object share the states. The
/// host waits for no device. Instead, the states are read and restored on each device's current
/// stream, in order with the draws. If a step is captured, each of its replays reads and restores
/// the states.
class GeneratorStates {
 public:
  GeneratorStates();
  /// Sets the calling thread's default generators to the saved states.
  void restore() const;

 private:
  struct Copies;
  std::shared_ptr<Copies> copies_;
};

/// Sets the default generators to `states`. At the end of the scope, restores their previous
/// states.
class GeneratorScope {
 public:
  explicit GeneratorScope(const GeneratorStates& states) { states.restore(); }
  ~GeneratorScope() { before_.restore(); }
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  const GeneratorStates before_;
};

}  // namespace torch::taper::detail

#pragma GCC visibility pop
