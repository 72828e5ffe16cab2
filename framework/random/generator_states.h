// Saves and restores the states of all devices' default generators.
#pragma once

#include <memory>
#include <vector>

#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns the default generators of the calling thread: the CPU's first, then those of the CUDA
/// devices.
std::vector<Generator> default_generators();

/// A copy of the states of default_generators() at construction. Copies of this object share the
/// states. The host waits for no device. On each device's current stream, the states are read and
/// restored in the order of the draws. In a captured step, each replay reads and restores them.
class GeneratorStates {
 public:
  GeneratorStates();
  /// Sets the calling thread's default generators to the saved states.
  void restore() const;

 private:
  struct Copies;
  std::shared_ptr<Copies> copies_;
};

/// Sets the default generators to `states` until the end of the scope.
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
