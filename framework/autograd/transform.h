// Transform: the interface by which transformations of functions (func/) replace autograd on their
// thread.
#pragma once

#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/function.h>

namespace torch::taper::autograd {

/// The functions of a thread's transformations that the tape calls. func/ implements the class.
class Transform {
 public:
  virtual ~Transform() = default;
  /// Throws Error for a backward pass through tensors that have a batch or a tangent.
  virtual void check_pass(const BackwardPass& pass) = 0;
  /// Implement the functions of these names in function.h.
  ///@{
  virtual bool is_transformed(const variable_list& inputs) = 0;
  virtual variable_list call_transformed(const detail::CustomCall& call) = 0;
  ///@}
};

/// The transformations that are on for this thread, or null.
inline thread_local Transform* transform = nullptr;

}  // namespace torch::taper::autograd
