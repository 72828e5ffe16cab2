// AutogradExtra: the parts of a tensor's autograd state that few tensors have.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/capture/step_state.h>

namespace torch::taper {

/// Its memory is a block of the pool: see extra_of().
struct AutogradExtra {
  AutogradExtra() = default;
  ~AutogradExtra() {
    if (__builtin_expect(detail::observes_launches(), 0)) forget_notes();
    if (resting) autograd::Node::destroy(resting);
  }
  void forget_notes() const;
  AutogradExtra(const AutogradExtra&) = delete;
  AutogradExtra& operator=(const AutogradExtra&) = delete;
  Tensor grad;
  bool retains_grad = false;
  std::string name;
  /// A leaf's accumulator, not owned: the accumulator owns the leaf, and clears this when it dies.
  autograd::Node* accumulator = nullptr;
  /// One that nobody owned any more, without its leaf, for the leaf's next use; owned.
  autograd::Node* resting = nullptr;
  std::mutex accumulator_mutex;
  /// Hooks of a leaf. Those of other tensors live in the node that made them.
  std::vector<autograd::Node::TensorHook> hooks;
  unsigned next_hook_id = 0;
};

namespace detail {

/// Holds a leaf's accumulator_mutex while there are other threads: each use of a leaf takes it
/// twice, and that is several percent of a small op.
class AccumulatorLock {
 public:
  explicit AccumulatorLock(AutogradExtra& e)
      : mutex_(process_has_one_thread() ? nullptr : &e.accumulator_mutex) {
    if (mutex_) mutex_->lock();
  }
  ~AccumulatorLock() {
    if (mutex_) mutex_->unlock();
  }
  AccumulatorLock(const AccumulatorLock&) = delete;
  AccumulatorLock& operator=(const AccumulatorLock&) = delete;

 private:
  std::mutex* const mutex_;
};

/// The tensor's AutogradExtra, made on first use.
AutogradExtra& extra_of(TensorImpl& t);
/// Called before `grad` may become another tensor: see StepState.
///@{
void note_grad_now(AutogradExtra& e);
inline void note_grad(AutogradExtra& e) {
  if (__builtin_expect(observes_launches(), 0)) note_grad_now(e);
}
///@}
}  // namespace detail

namespace autograd {
/// Registers the tensor at its grad_fn as one that keeps its gradient, and the reverse.
void remember_retained(TensorImpl& t);
void forget_retained(TensorImpl& t);
}  // namespace autograd

}  // namespace torch::taper
