// Functions of users, with faults of users planted in their backward.
#pragma once

#include <taper/framework/autograd/function.h>
#include <taper/testing/gradcheck.h>

#include "test_util.h"

namespace torch::taper::testing {

using autograd::AutogradContext;
using autograd::gradcheck_report;
using autograd::GradcheckFailure;
using autograd::GradcheckOptions;
using autograd::GradcheckReport;
using autograd::gradgradcheck_report;
using autograd::variable_list;
using Kind = GradcheckFailure::Kind;

enum class Planted {
  kNone,
  kZero,
  kTwice,
  kSign,
  kNaN,           // in one lane
  kLastMissed,    // the last element keeps 0
  kReversed,      // elements in the wrong order
  kNoCotangent,   // not multiplied by the gradient of the output
  kSlightlyOff,   // by 1%
  kDetached,      // right, but cannot be differentiated again
  kLayout,        // reads the cotangent's memory as if it were contiguous
  kChangesGiven,  // writes its result into the cotangent
  kBufferAgain,   // returns the same buffer each time
  kOtherCall,     // uses the values of the latest call, not of its own
  kReplaced,      // drops the gradient that the input has
  kRandom,        // another result each time
  kHistoryCut,    // forward returns a detached result
  kNoUndefined,   // fails on undefined gradients
};

/// sin(x), in plain tensors of float64.
struct FaultySine : autograd::Function<FaultySine> {
  static Tensor& latest() {
    static Tensor t;
    return t;
  }
  static Tensor forward(AutogradContext* ctx, Tensor x, int64_t fault) {
    ctx->saved_data["fault"] = fault;
    ctx->set_materialize_grads(static_cast<Planted>(fault) != Planted::kNoUndefined);
    ctx->save_for_backward({x});
    latest() = x.detach().clone();
    return x.sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads);
};

/// FaultySine as a function under test.
inline TensorFunction sine_with(Planted fault) {
  return [fault](const Tensor& x) {
    const Tensor y = FaultySine::apply(x, static_cast<int64_t>(fault));
    return fault == Planted::kHistoryCut ? y.detach() : y;
  };
}

/// Two rows and three columns of float64, away from zeros of sine and cosine.
inline Tensor six() {
  return tensor_of({2, 3}, {0.3, -0.7, 1.1, 0.9, -1.3, 0.2}, kDouble).requires_grad_();
}

inline bool found(const GradcheckReport& report, Kind kind) {
  for (const GradcheckFailure& f : report.failures)
    if (f.kind == kind) return true;
  return false;
}

}  // namespace torch::taper::testing
