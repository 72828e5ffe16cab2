// What Python's torch.amp.custom_fwd and custom_bwd do for custom functions: backward runs under
// the autocast that forward had, wherever the program calls it from.
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
// With a dtype, `custom_fwd guard(ctx, kCUDA, kFloat)`, forward runs without autocast and takes its
// tensors by guard(a), which casts them to it; so does backward.
#pragma once

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/function.h>

#pragma GCC visibility push(default)

namespace torch::taper::amp {

/// In forward, until the end of the scope.
class custom_fwd {
 public:
  /// Notes in `ctx` how autocast stands for devices of this kind, for custom_bwd. With
  /// `cast_inputs` autocast is off for them until the end of the scope.
  explicit custom_fwd(autograd::AutogradContext* ctx, Device device,
                      optional<ScalarType> cast_inputs = nullopt);
  /// `x`, cast to cast_inputs where autocast is on and x is floating, not f64, and on such a
  /// device.
  Tensor operator()(const Tensor& x) const;

 private:
  const DeviceType type_;
  const optional<ScalarType> cast_to_;
  const autocast scope_;
};

/// In backward, until the end of the scope. Throws Error where forward had no custom_fwd.
class custom_bwd {
 public:
  /// Sets autocast for devices of this kind as custom_fwd noted it: on or off, and its dtype.
  explicit custom_bwd(const autograd::AutogradContext* ctx, Device device);

 private:
  const autocast scope_;
};

}  // namespace torch::taper::amp

#pragma GCC visibility pop
