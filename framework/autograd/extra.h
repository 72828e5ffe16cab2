// AutogradExtra: autograd state that few tensors have.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/capture/step_state.h>

namespace torch::taper {

/// Data that a transformation of functions (func/) keeps with a tensor.
struct TensorNote {
  virtual ~TensorNote() = default;
  /// Throws Error if the tensor stands for a batch and so has no elements itself.
  virtual void check_elements(const char* op) const = 0;
};

/// Rare autograd state of a tensor. extra_of() makes it in a block of the pool.
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
  /// A leaf's accumulator, not owned. The accumulator owns the leaf. Its destructor sets this
  /// pointer to null.
  autograd::Node* accumulator = nullptr;
  /// A resting accumulator (AccumulateGrad::rest()), which the leaf's next use takes up. Owned.
  autograd::Node* resting = nullptr;
  std::mutex accumulator_mutex;
  /// Hooks of a leaf. Hooks of other tensors are in their grad_fn.
  std::vector<autograd::Node::TensorHook> hooks;
  unsigned next_hook_id = 0;
  std::unique_ptr<TensorNote> note;
};

namespace detail {

/// Holds a leaf's accumulator_mutex if the process has other threads. Otherwise it locks nothing:
/// two locks for each use of a leaf would cost several percent of a small op's time.
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

/// Returns the tensor's AutogradExtra. The first call makes it.
AutogradExtra& extra_of(TensorImpl& t);
/// Save the current `e.grad` in StepState, so that StepState can restore it. Call them before
/// `grad` is assigned.
///@{
void note_grad_now(AutogradExtra& e);
inline void note_grad(AutogradExtra& e) {
  if (__builtin_expect(observes_launches(), 0)) note_grad_now(e);
}
///@}
}  // namespace detail

namespace autograd {
/// Add the tensor to its grad_fn's list of tensors that keep their gradients, and remove it from
/// this list.
void remember_retained(TensorImpl& t);
void forget_retained(TensorImpl& t);
}  // namespace autograd

}  // namespace torch::taper
