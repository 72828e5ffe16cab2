// What a step that is being captured changes of the program's own state, so that it can be put
// back before the step is called once more. Not installed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// Notes such changes of the calling thread as long as it lives: those that no launch makes. (What
/// launches change does not change while a step is captured.)
class StepState {
 public:
  /// `called_again`: the step will be captured several times, each time as if it were the first.
  explicit StepState(bool called_again = true);
  ~StepState();
  StepState(const StepState&) = delete;
  StepState& operator=(const StepState&) = delete;
  /// The calling thread's while it captures such a step, else null.
  static StepState* noting() { return observes_launches() ? current() : nullptr; }
  /// The calling thread's newest; null without one.
  static StepState* current();

  /// `object` is about to change; `put_back` makes it what it is. Only the first change counts, for
  /// which it returns true.
  bool note(const void* object, std::function<void()> put_back);
  /// The object goes.
  void forget(const void* object);
  bool called_again() const { return called_again_; }
  /// Puts all back. The next changes are noted anew.
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
