// The program's state that a captured step changes, so that it can be restored before the step is
// called again. Not installed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// Notes state changes of the calling thread during its lifetime, except changes by launches.
/// (Memory that launches write does not change while a step is captured.)
class StepState {
 public:
  /// `called_again`: the step will be captured several times, each time from the initial state.
  explicit StepState(bool called_again = true);
  ~StepState();
  StepState(const StepState&) = delete;
  StepState& operator=(const StepState&) = delete;
  /// Returns the calling thread's object while it captures a step, else null.
  static StepState* noting() { return observes_launches() ? current() : nullptr; }
  /// Returns the calling thread's newest object, or null.
  static StepState* current();

  /// Notes that `object` is about to change. `put_back` restores it. Returns true for the first
  /// change of the object. Later changes are ignored.
  bool note(const void* object, std::function<void()> put_back);
  /// Forgets the object, which is about to be destroyed.
  void forget(const void* object);
  bool called_again() const { return called_again_; }
  /// Restores everything. Later changes are noted anew.
  void put_back();

 private:
  struct Change {
    const void* object;
    std::function<void()> put_back;
  };
  StepState* const before_;
  const bool called_again_;
  std::vector<Change> all_;
};

}  // namespace torch::taper::detail
