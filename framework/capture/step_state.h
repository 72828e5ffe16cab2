// Saves the state of the program that a captured step changes, and restores it before the step is
// called again. Not installed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// During its lifetime, notes changes of state by the calling thread, except changes by launches.
/// (While a step is captured, launches do not run and change no memory.)
class StepState {
 public:
  /// `called_again` says that the step will be captured several times, each time from the initial
  /// state.
  explicit StepState(bool called_again = true);
  ~StepState();
  StepState(const StepState&) = delete;
  StepState& operator=(const StepState&) = delete;
  /// Returns the calling thread's newest object while a step is captured, else null.
  static StepState* noting() { return observes_launches() ? current() : nullptr; }
  /// Returns the calling thread's newest object, or null.
  static StepState* current();

  /// Notes that `object` is about to change. put_back() must restore its present state. Returns
  /// true for the first change of the object. Later changes are ignored.
  bool note(const void* object, std::function<void()> put_back);
  /// Forgets `object`, because it is about to be destroyed.
  void forget(const void* object);
  bool called_again() const { return called_again_; }
  /// Restores all noted objects. Later changes are noted again.
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
