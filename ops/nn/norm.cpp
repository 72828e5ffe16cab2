#include <taper/ops/nn/norm.h>

#include <limits>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/nn/norm_kernels.h>

namespace torch::taper {

namespace {

ScalarType statistics_dtype(const Tensor& x) {
  return x.scalar_type() == kDouble ? kDouble : kFloat;
}

void check_floating(const char* op, const Tensor& x) {
  if (!x.is_floating_point()) detail::unsupported_dtype(op, x.scalar_type());
}

Tensor contiguous_or_none(const Tensor& t) { return t.defined() ? t.contiguous() : t; }

// ---------------------------------------------------------------------- second derivatives
// Describes a fused backward, so that it can be written again in public ops: the dimensions of x
// viewed as `view`, the shape of the weight, whether the statistics came from x, and whether the
// mean is subtracted.
struct Composite {
  Dims view, weight_view, dims;
  double eps;
  bool own_statistics;
  bool centers = true;
  Dims bias_shape = {};  // of the bias or, without a bias, of its gradient
  ScalarType bias_dtype = ScalarType::Undefined;
};

// Returns gx, gw, gb of y = (x - mean) scale w + b.
std::array<Tensor, 3> composite_gradient(const Composite& c, const Tensor& gy, const Tensor& x,
                                         const Tensor& weight, const Tensor& mean,
                                         const Tensor& scale) {
  const Tensor xv = x.reshape(c.view), gv = gy.reshape(c.view);
  const Tensor w = weight.defined() ? weight.reshape(c.weight_view) : weight;
  const Tensor gw_y = w.defined() ? gv.mul(w) : gv;
  Tensor d, s, gx;
  if (c.own_statistics) {
    const auto centered = [&](const Tensor& t) {
      return c.centers ? t.sub(t.mean(c.dims.ref(), true)) : t;
    };
    d = centered(xv);
    s = d.mul(d).mean(c.dims.ref(), true).add(c.eps).rsqrt();
    const Tensor h = d.mul(s);
    gx = centered(gw_y).sub(h.mul(gw_y.mul(h).mean(c.dims.ref(), true))).mul(s);
  } else {
    d = xv.sub(mean.reshape(c.weight_view));
    s = scale.reshape(c.weight_view);
    gx = gw_y.mul(s);
  }
  std::array<Tensor, 3> r = {gx.reshape(x.sizes()), Tensor(), Tensor()};
  const auto summed = [&](const Tensor& g, IntArrayRef sizes, ScalarType dtype) {
    return g.sum_to_size(c.weight_view).reshape(sizes).to(dtype);
  };
  if (weight.defined()) r[1] = summed(gv.mul(d.mul(s)), weight.sizes(), weight.scalar_type());
  r[2] = summed(gv, c.bias_shape, c.bias_dtype);
  return r;
}

// Computes the fused gradient. Its derivative is the derivative of the composite one.
template <class Kernel>
std::array<Tensor, 3> fused_gradient(const char* node, const Composite& c, const Tensor& gy,
                                     const Tensor& x, const Tensor& weight, const Tensor& mean,
                                     const Tensor& scale, const std::array<bool, 3>& needed,
                                     const Kernel& kernel) {
  std::array<Tensor, 3> r;
  if (needed[0]) r[0] = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  if (needed[1]) r[1] = detail::make_tensor(weight.sizes(), weight.scalar_type(), x.device());
  if (needed[2]) r[2] = detail::make_tensor(c.bias_shape, c.bias_dtype, x.device());
  kernel(r[0], r[1], r[2], gy.contiguous(), x.contiguous(), contiguous_or_none(weight));
  if (!needs_grad(gy, x, weight)) return r;
  record(node, {r[0], r[1], r[2]}, {gy, x, weight},
         [c, gy = saved(gy), x = saved(x), weight = weight.defined() ? saved(weight) : Saved(),
          mean = saved(mean), scale = saved(scale)](Grads& g) {
           const bool higher = GradMode::is_enabled();
           AutoGradMode on(true);
           Tensor in[3] = {gy.get(), x.get(), weight.defined() ? weight.get() : Tensor()};
           // Gradients stop at these views, because gy may itself depend on x.
           for (size_t i = 0; i < 3; ++i)
             if (g.needs(i)) in[i] = in[i].view(in[i].sizes());
           auto out = composite_gradient(c, in[0], in[1], in[2], mean.get(), scale.get());
           std::vector<Tensor> inputs, outputs, cotangents;
           for (size_t i = 0; i < 3; ++i)
             if (g.needs(i)) inputs.push_back(in[i]);
           for (size_t i = 0; i < 3; ++i)
             if (g[i].defined() && out[i].defined() && out[i].requires_grad()) {
               outputs.push_back(out[i]);
               cotangents.push_back(g[i]);
             }
           std::array<Tensor, 3> result;
           if (outputs.empty()) return result;
           const auto grads = autograd::grad(outputs, inputs, cotangents, nullopt, higher, true);
           size_t next = 0;
           for (size_t i = 0; i < 3; ++i)
             if (g.needs(i)) result[i] = grads[next++];
           return result;
         });
  return r;
}

// Records y's derivative: `kernel` computes gx, gw, gb from (gy, x, weight).
template <class Kernel>
void record_norm(const char* node, const Tensor& y, Composite c, const Tensor& x,
                 const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& scale,
                 Kernel kernel) {
  c.bias_shape = bias.defined() ? bias.impl().sizes : c.weight_view;
  c.bias_dtype = bias.defined() ? bias.scalar_type() : x.scalar_type();
  record(node, y, {x, weight, bias},
         [node, c, kernel, x = saved(x), weight = weight.defined() ? saved(weight) : Saved(),
          mean = saved(mean), scale = saved(scale)](Grads& g) {
           const Tensor m = mean.get(), s = scale.get();
           return fused_gradient(node, c, g[0], x.get(), weight.defined() ? weight.get() : Tensor(),
                                 m, s, {g.needs(0), g.needs(1), g.needs(2)},
                                 [&](Out gx, Out gw, Out gb, const Tensor& gy, const Tensor& v,
                                     const Tensor& w) { kernel(gx, gw, gb, gy, v, w, m, s); });
         });
}

void check_channels(const char* name, const Tensor& t, int64_t channels) {
  TAPER_CHECK(!t.defined() || t.numel() == channels, "batch_norm: ", name, " should contain ",
              channels, " elements not ", t.defined() ? t.numel() : 0);
}

}  // namespace

// ---------------------------------------------------------------------- batch norm
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps, bool cudnn) {
  if (auto done = at_door<"batch_norm">(input, weight, bias, running_mean, running_var, training,
                                        momentum, eps, cudnn))
    return done;
  check_floating("batch_norm", input);
  TAPER_CHECK(input.dim() >= 2, "batch_norm: expected an input of at least 2 dimensions, got ",
              input.sizes());
  const int64_t channels = input.size(1);
  TAPER_CHECK(training || running_mean.defined(),
              "batch_norm: running_mean must be defined in evaluation mode");
  TAPER_CHECK(training || running_var.defined(),
              "batch_norm: running_var must be defined in evaluation mode");
  check_channels("running_mean", running_mean, channels);
  check_channels("running_var", running_var, channels);
  check_channels("weight", weight, channels);
  check_channels("bias", bias, channels);
  for (const Tensor* t : {&weight, &bias, &running_mean, &running_var})
    if (t->defined()) check_same_device("batch_norm", input, *t);
  if (training && running_mean.defined()) autograd::check_inplace("batch_norm", running_mean);
  if (training && running_var.defined()) autograd::check_inplace("batch_norm", running_var);

  Tensor y = detail::make_tensor(input.sizes(), input.scalar_type(), input.device());
  Tensor mean = detail::make_tensor({channels}, statistics_dtype(input), input.device());
  Tensor scale = detail::make_tensor({channels}, statistics_dtype(input), input.device());
  const Tensor x = input.contiguous();
  const Tensor w = contiguous_or_none(weight), b = contiguous_or_none(bias);

  if (training) {
    // An empty batch has no statistics, so the running ones stay.
    const bool seen = input.numel() > 0;
    const Tensor run_mean = seen ? running_mean : Tensor(), run_var = seen ? running_var : Tensor();
    TAPER_ON_DEVICE(y, batch_norm_training, y, mean, scale, run_mean, run_var, x, w, b, momentum,
                    eps);
    if (run_mean.defined()) autograd::mark_changed(run_mean);
    if (run_var.defined()) autograd::mark_changed(run_var);
  } else {
    TAPER_ON_DEVICE(y, batch_norm_inference, y, mean, scale, running_mean, running_var, x, w, b,
                    eps);
  }

  if (needs_grad(input, weight, bias)) {
    Composite c{input.impl().sizes, Dims(input.dim(), 1), {}, eps, training};
    c.weight_view[1] = channels;
    for (int64_t d = 0; d < input.dim(); ++d)
      if (d != 1) c.dims.push_back(d);
    record_norm("NativeBatchNormBackward0", y, c, input, weight, bias, mean, scale,
                [eps, training](Out gx, Out gw, Out gb, const Tensor& gy, const Tensor& v,
                                const Tensor& wt, const Tensor& m, const Tensor& s) {
                  TAPER_ON_DEVICE(v, batch_norm_gradient, gx, gw, gb, gy, v, m, s, wt, eps,
                                  training);
                });
  }
  return y;
}

// ---------------------------------------------------------------------- layer norm
namespace {

// Checks the arguments and returns the number of normalised elements.
int64_t check_layer_norm(const char* op, const Tensor& x, IntArrayRef shape, const Tensor& w,
                         const Tensor& b) {
  check_floating(op, x);
  TAPER_CHECK(!shape.empty(), op,
              ": Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
              "one element, but got normalized_shape = ",
              shape);
  TAPER_CHECK(!w.defined() || w.sizes() == shape, op,
              ": Expected weight to be of same shape as normalized_shape, but got weight of shape ",
              w.sizes(), " and normalized_shape = ", shape);
  TAPER_CHECK(!b.defined() || b.sizes() == shape, op,
              ": Expected bias to be of same shape as normalized_shape, but got bias of shape ",
              b.sizes(), " and normalized_shape = ", shape);
  const int64_t k = static_cast<int64_t>(shape.size());
  TAPER_CHECK(x.dim() >= k && x.sizes().slice(static_cast<size_t>(x.dim() - k)) == shape, op,
              ": Given normalized_shape=", shape, ", expected input with shape [*, ",
              detail::concat(shape).substr(1), ", but got input of size", x.sizes());
  if (w.defined()) check_same_device(op, x, w);
  if (b.defined()) check_same_device(op, x, b);
  int64_t width = 1;
  for (int64_t s : shape) width *= s;
  return width;
}

// Computes layer norm, or RMS norm if not `centers`. The arguments are checked.
Tensor row_norm(const char* node, const Tensor& input, int64_t width, const Tensor& weight,
                const Tensor& bias, double eps, bool centers) {
  const int64_t rows = width ? input.numel() / width : 0;
  Tensor y = detail::make_tensor(input.sizes(), input.scalar_type(), input.device());
  Tensor mean = detail::make_tensor({rows}, statistics_dtype(input), input.device());
  Tensor scale = detail::make_tensor({rows}, statistics_dtype(input), input.device());
  const Tensor x = input.contiguous();
  const Tensor w = contiguous_or_none(weight), b = contiguous_or_none(bias);
  TAPER_ON_DEVICE(y, layer_norm_forward, y, mean, scale, x, w, b, width, eps, centers);
  if (needs_grad(input, weight, bias))
    record_norm(node, y, Composite{{rows, width}, {1, width}, {1}, eps, true, centers}, input,
                weight, bias, mean, scale,
                [width, centers](Out gx, Out gw, Out gb, const Tensor& gy, const Tensor& v,
                                 const Tensor& wt, const Tensor& m, const Tensor& s) {
                  TAPER_ON_DEVICE(v, layer_norm_gradient, gx, gw, gb, gy, v, m, s, wt, width,
                                  centers);
                });
  return y;
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps, bool cudnn) {
  if (auto done = at_door<"layer_norm">(input, normalized_shape, weight, bias, eps, cudnn))
    return done;
  const int64_t width = check_layer_norm("layer_norm", input, normalized_shape, weight, bias);
  return row_norm("NativeLayerNormBackward0", input, width, weight, bias, eps, true);
}

// ---------------------------------------------------------------------- RMS norm
namespace {

double epsilon_of(ScalarType t) {
  double v = 0;
  switch_dtype<dtypes::Floating>(t, "rms_norm", [&]<class scalar_t>() {
    v = static_cast<double>(std::numeric_limits<scalar_t>::epsilon());
  });
  return v;
}

}  // namespace

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                optional<double> eps) {
  if (auto done = at_door<"rms_norm">(input, normalized_shape, weight, eps)) return done;
  const int64_t width = check_layer_norm("rms_norm", input, normalized_shape, weight, {});
  const double epsilon = eps.value_or(epsilon_of(input.scalar_type()));
  return row_norm("FusedRmsNormBackward0", input, width, weight, {}, epsilon, false);
}

// ---------------------------------------------------------------------- group norm
namespace {

void check_group_norm(const Tensor& x, int64_t groups, const Tensor& w, const Tensor& b) {
  check_floating("group_norm", x);
  TAPER_CHECK(x.dim() >= 2,
              "group_norm: Expected at least 2 dimensions for input tensor but received ", x.dim());
  TAPER_CHECK(x.size(1) > 0, "group_norm: Expected number of channels to be greater than 0, got ",
              x.size(1));
  TAPER_CHECK(groups > 0, "group_norm: Expected num groups to be greater than 0, got ", groups);
  for (int64_t d = 2; d < x.dim(); ++d)
    TAPER_CHECK(x.size(d) > 0,
                "group_norm: Expected HxW to be greater than 0, got 0 in an input of shape ",
                x.sizes());
  TAPER_CHECK(x.size(1) % groups == 0,
              "group_norm: Expected number of channels in input to be divisible by num_groups, but "
              "got input "
              "of shape ",
              x.sizes(), " and num_groups=", groups);
  for (const auto& [name, t] : {std::pair<const char*, const Tensor&>{"weight", w}, {"bias", b}}) {
    if (!t.defined()) continue;
    TAPER_CHECK(t.dim() == 1 && t.numel() == x.size(1), "group_norm: Expected ", name,
                " to be a vector of size equal to the number of channels in input, but got ", name,
                " of shape ", t.sizes(), " and input of shape ", x.sizes());
    check_same_device("group_norm", x, t);
  }
}

}  // namespace

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps, bool cudnn) {
  if (auto done = at_door<"group_norm">(input, num_groups, weight, bias, eps, cudnn)) return done;
  check_group_norm(input, num_groups, weight, bias);
  const int64_t batch = input.size(0), channels = input.size(1), width = channels / num_groups;
  Tensor y = detail::make_tensor(input.sizes(), input.scalar_type(), input.device());
  Tensor mean = detail::make_tensor({batch, num_groups}, statistics_dtype(input), input.device());
  Tensor scale = detail::make_tensor({batch, num_groups}, statistics_dtype(input), input.device());
  const Tensor x = input.contiguous();
  const Tensor w = contiguous_or_none(weight), b = contiguous_or_none(bias);
  TAPER_ON_DEVICE(y, group_norm_forward, y, mean, scale, x, w, b, num_groups, eps);
  if (needs_grad(input, weight, bias)) {
    const int64_t planes = batch * channels, pixels = planes == 0 ? 0 : input.numel() / planes;
    record_norm(
        "NativeGroupNormBackward0", y,
        Composite{{batch, num_groups, width, pixels}, {1, num_groups, width, 1}, {2, 3}, eps, true},
        input, weight, bias, mean, scale,
        [num_groups](Out gx, Out gw, Out gb, const Tensor& gy, const Tensor& v, const Tensor& wt,
                     const Tensor& m, const Tensor& s) {
          TAPER_ON_DEVICE(v, group_norm_gradient, gx, gw, gb, gy, v, m, s, wt, num_groups);
        });
  }
  return y;
}

// ---------------------------------------------------------------------- instance norm
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn) {
  if (auto done = at_door<"instance_norm">(input, weight, bias, running_mean, running_var,
                                           use_input_stats, momentum, eps, cudnn))
    return done;
  check_floating("instance_norm", input);
  TAPER_CHECK(input.dim() >= 2, "instance_norm: expected an input of at least 2 dimensions, got ",
              input.sizes());
  TAPER_CHECK(use_input_stats || (running_mean.defined() && running_var.defined()),
              "instance_norm: Expected running_mean and running_var to be defined when "
              "use_input_stats is false");
  // The input becomes a batch of one sample with the channels of all.
  const int64_t batch = input.size(0), channels = input.size(1);
  Dims folded = input.sizes();
  folded[0] = 1;
  folded[1] = batch * channels;
  const auto repeated = [batch](const Tensor& t) { return t.defined() ? t.repeat({batch}) : t; };
  const Tensor mean = repeated(running_mean), var = repeated(running_var);
  const Tensor y = batch_norm(input.reshape(folded), repeated(weight), repeated(bias), mean, var,
                              use_input_stats, momentum, eps);
  const auto give_back = [&](const Tensor& running, const Tensor& each) {
    if (use_input_stats && running.defined())
      running.copy_(each.view({batch, channels}).mean(0, false));
  };
  give_back(running_mean, mean);
  give_back(running_var, var);
  return y.view(input.sizes());
}

}  // namespace torch::taper
