#include "rms_norm.h"

using taper::Tensor;
using taper::autograd::AutogradContext;
using taper::autograd::variable_list;

namespace {

struct RmsNorm : taper::autograd::Function<RmsNorm> {
  static Tensor forward(AutogradContext* ctx, Tensor x, Tensor weight, double eps) {
    ctx->saved_data["eps"] = eps;
    ctx->save_for_backward({x, weight});
    return x * scale(x, eps) * weight;
  }

  // This calls ops, so that it can be differentiated again. With r = scale(x) and h = g * weight:
  // gx = r * h - x * r^3 * mean(h * x), gweight = sum of g * x * r.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &g = grads[0];
    const Tensor r = scale(x, ctx->saved_data["eps"].toDouble()), h = g * weight;
    const Tensor gx = r * h - x * r.pow(3) * (h * x).mean(-1, true);
    return {gx, (g * x * r).sum_to_size(weight.sizes()), Tensor()};
  }

  static Tensor scale(const Tensor& x, double eps) {
    return (x.square().mean(-1, true) + eps).rsqrt();
  }
};

}  // namespace

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  if (x.dim() == 0 || weight.dim() != 1 || weight.size(0) != x.size(-1))
    throw taper::ValueError("rms_norm: expected a weight of the size of the last dimension");
  return RmsNorm::apply(x, weight, eps);
}
