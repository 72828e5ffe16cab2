// Guards like Python's torch.amp.custom_fwd and custom_bwd for custom functions: backward runs
// under the autocast state of forward, even if the program calls backward outside of that scope.
//
//   struct Product : autograd::Function<Product> {
//     static Tensor forward(AutogradContext* ctx, Tensor a, Tensor b) {
//       const amp::custom_fwd guard(ctx, kCUDA);
//       ctx->save_for_backward({a, b});
//       return a.mm(b);
//     }
//     static variable_list backward(AutogradContext* ctx, variable_list g) {
//       const amp::custom_bwd guard(ctx, kCUDA);
//       ...
//
// With a dtype, `custom_fwd guard(ctx, kCUDA, kFloat)`, forward and backward run without autocast.
// Forward casts its tensors to the dtype with guard(a).
#pragma once

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/function.h>

#pragma GCC visibility push(default)

namespace torch::taper::amp {

/// Saves the autocast state in forward. Construct it at the start of forward.
class custom_fwd {
 public:
  /// Stores in `ctx` the autocast state for devices of this kind, for custom_bwd. With
  /// `cast_inputs` autocast is off for these devices until the end of the scope.
  explicit custom_fwd(autograd::AutogradContext* ctx, Device device,
                      optional<ScalarType> cast_inputs = nullopt);
  /// Returns `x` cast to cast_inputs if autocast is on and x is floating, not f64, and on a device
  /// of this kind. Returns other tensors unchanged.
  Tensor operator()(const Tensor& x) const;

 private:
  const DeviceType type_;
  const optional<ScalarType> cast_to_;
  const autocast scope_;
};

/// Restores forward's autocast state in backward until the end of the scope. Throws Error if
/// forward had no custom_fwd.
class custom_bwd {
 public:
  /// Sets autocast for devices of this kind to custom_fwd's state: on or off, and its dtype.
  explicit custom_bwd(const autograd::AutogradContext* ctx, Device device);

 private:
  const autocast scope_;
};

}  // namespace torch::taper::amp

#pragma GCC visibility pop
