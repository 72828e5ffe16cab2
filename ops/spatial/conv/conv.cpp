#include <taper/ops/spatial/conv/conv.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/recompute.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/spatial/conv/conv_kernels.h>
#include <taper/ops/spatial/conv/conv_relu_pool.h>
#include <taper/ops/spatial/conv/conv_shape.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {

using detail::checked_add;
using detail::checked_mul;
using detail::checked_sub;

namespace {

// ---------------------------------------------------------------------- three maps
// A convolution is linear in the input and in the weight. Three maps, each the adjoint of another,
// are closed under differentiation: forward (x, w) -> y, to_input (y, w) -> x, to_weight (x, y) ->
// w.
Tensor forward(const Tensor& x, const Tensor& w, const Tensor& b, const Dims& y_sizes,
               const ConvSteps& steps);
Tensor to_input(const Tensor& y, const Tensor& w, const Dims& x_sizes, const ConvSteps& steps);
Tensor to_weight(const Tensor& x, const Tensor& y, const Dims& w_sizes, const ConvSteps& steps);

constexpr const char* kNode = "ConvolutionBackward0";

Tensor sum_to_channels(const Tensor& g) {
  Dims dims;
  for (int64_t d = 0; d < g.dim(); ++d)
    if (d != 1) dims.push_back(d);
  return g.sum(dims.ref());
}

// Fills the result of a convolution without channels, which is the bias.
void fill_channels(Tensor& y, const Tensor& b) {
  NoGradGuard no_grad;
  Dims channels(y.dim(), 1);
  channels[1] = -1;
  b.defined() ? y.copy_(b.view(channels)) : y.zero_();
}

Tensor forward(const Tensor& x, const Tensor& w, const Tensor& b, const Dims& y_sizes,
               const ConvSteps& steps) {
  Tensor y = detail::make_tensor(y_sizes, x.scalar_type(), x.device());
  const Tensor xc = x.contiguous(), wc = w.contiguous();
  const Tensor bc = b.defined() ? b.contiguous() : b;
  if (w.numel() > 0)
    TAPER_ON_DEVICE(y, conv_forward, y, xc, wc, bc, steps);
  else
    fill_channels(y, bc);
  if (needs_grad(x, w, b))
    record(kNode, y, {x, w, b},
           [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w),
            x_sizes = x.impl().sizes, w_sizes = w.impl().sizes, steps](Grads& g) {
             std::array<Tensor, 3> r;
             if (g.needs(0)) r[0] = to_input(g[0], ws.get(), x_sizes, steps);
             if (g.needs(1)) r[1] = to_weight(xs.get(), g[0], w_sizes, steps);
             if (g.needs(2)) r[2] = sum_to_channels(g[0]);
             return r;
           });
  return y;
}

Tensor to_input(const Tensor& y, const Tensor& w, const Dims& x_sizes, const ConvSteps& steps) {
  Tensor x = detail::make_tensor(x_sizes, y.scalar_type(), y.device());
  const Tensor yc = y.contiguous(), wc = w.contiguous();
  if (y.numel() > 0 && w.numel() > 0)
    TAPER_ON_DEVICE(x, conv_input_gradient, x, yc, wc, steps);
  else
    x.zero_();
  if (needs_grad(y, w))
    record(kNode, x, {y, w},
           [ys = saved_if(w.requires_grad(), y), ws = saved_if(y.requires_grad(), w),
            y_sizes = y.impl().sizes, w_sizes = w.impl().sizes, steps](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = forward(g[0], ws.get(), {}, y_sizes, steps);
             if (g.needs(1)) r[1] = to_weight(g[0], ys.get(), w_sizes, steps);
             return r;
           });
  return x;
}

Tensor to_weight(const Tensor& x, const Tensor& y, const Dims& w_sizes, const ConvSteps& steps) {
  Tensor w = detail::make_tensor(w_sizes, x.scalar_type(), x.device());
  const Tensor xc = x.contiguous(), yc = y.contiguous();
  if (x.numel() > 0 && y.numel() > 0)
    TAPER_ON_DEVICE(w, conv_weight_gradient, w, xc, yc, steps);
  else
    w.zero_();
  if (needs_grad(x, y))
    record(kNode, w, {x, y},
           [xs = saved_if(y.requires_grad(), x), ys = saved_if(x.requires_grad(), y),
            x_sizes = x.impl().sizes, y_sizes = y.impl().sizes, steps](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = to_input(ys.get(), g[0], x_sizes, steps);
             if (g.needs(1)) r[1] = forward(xs.get(), g[0], {}, y_sizes, steps);
             return r;
           });
  return w;
}

// ---------------------------------------------------------------------- checks and shapes
// Reads one number for all dimensions, or one for each.
void spread(const char* op, int64_t* to, IntArrayRef from, int64_t spatial, const char* what,
            int64_t least) {
  TAPER_CHECK(from.size() == 1 || static_cast<int64_t>(from.size()) == spatial, op, ": expected ",
              what, " to be a single integer value or a list of ", spatial,
              " values to match the convolution dimensions, but got ", what, "=", from);
  for (int64_t d = 0; d < spatial; ++d) {
    to[3 - spatial + d] = from.size() == 1 ? from[0] : from[d];
    TAPER_CHECK(to[3 - spatial + d] >= least, op, ": ", least ? "non-positive " : "negative ", what,
                " is not supported");
  }
}

ConvSteps steps_from(const char* op, int64_t spatial, IntArrayRef stride, IntArrayRef padding,
                     IntArrayRef dilation, int64_t groups) {
  ConvSteps s;
  spread(op, s.padding, padding, spatial, "padding", 0);
  spread(op, s.stride, stride, spatial, "stride", 1);
  spread(op, s.dilation, dilation, spatial, "dilation", 1);
  TAPER_CHECK(groups > 0, op, ": non-positive groups is not supported");
  s.groups = groups;
  return s;
}

void check_tensors(const char* op, const Tensor& x, const Tensor& w, const Tensor& b) {
  check_same_device("convolution", x, w);
  TAPER_CHECK(x.scalar_type() == w.scalar_type(), op, ": expected scalar type ",
              toString(x.scalar_type()), " but found ", toString(w.scalar_type()));
  if (!b.defined()) return;
  check_same_device("convolution", x, b);
  TAPER_CHECK(x.scalar_type() == b.scalar_type(), op, ": Input type (", x.toString(),
              ") and bias type (", b.toString(), ") should be the same");
}

void check_shapes(const char* op, const Tensor& x, const Tensor& w, const Tensor& b,
                  const ConvSteps& s, bool transposed) {
  const int64_t groups = s.groups, out = transposed ? w.size(1) * groups : w.size(0);
  const int64_t in = transposed ? w.size(0) : w.size(1) * groups;
  TAPER_CHECK(w.size(0) >= groups, op, ": Given groups=", groups,
              ", expected weight to be at least ", groups,
              " at dimension 0, but got weight of size ", w.sizes(), " instead");
  TAPER_CHECK(w.size(0) % groups == 0, op, ": Given groups=", groups,
              ", expected weight to be divisible by ", groups,
              " at dimension 0, but got weight of size ", w.sizes(), " instead");
  TAPER_CHECK(x.size(1) == in, op, ": Given ",
              transposed ? "transposed=1, " : detail::concat("groups=", groups, ", "),
              "weight of size ", w.sizes(), ", expected input", x.sizes(), " to have ", in,
              " channels, but got ", x.size(1), " channels instead");
  TAPER_CHECK(!b.defined() || (b.dim() == 1 && b.size(0) == out), op, ": Given ",
              transposed ? "transposed=1, " : "", "weight of size ", w.sizes(),
              ", expected bias to be 1-dimensional with ", out, " elements, but got bias of size ",
              b.sizes(), " instead");
}

std::string times(const Dims& sizes) {
  std::string text;
  for (int64_t s : sizes) text += (text.empty() ? "" : " x ") + std::to_string(s);
  return text;
}

// Returns the sizes of a convolution's result, with padding s.padding before and `after` after the
// image.
Dims forward_sizes(const char* op, const Tensor& x, const Tensor& w, const ConvSteps& s,
                   const int64_t* after) {
  Dims y{x.size(0), w.size(0)}, padded, reach;
  const int64_t first = 5 - x.dim();
  bool fits = true;
  for (int64_t d = first; d < 3; ++d) {
    const int64_t i = d - first + 2;
    padded.push_back(checked_add(op, checked_add(op, x.size(i), s.padding[d]), after[d]));
    reach.push_back(checked_add(op, checked_mul(op, s.dilation[d], w.size(i) - 1), 1));
    fits = fits && reach.back() <= padded.back() && w.size(i) > 0;
    y.push_back((padded.back() - reach.back()) / s.stride[d] + 1);
  }
  TAPER_CHECK(fits, op, ": Calculated padded input size per channel: (", times(padded),
              "). Kernel size: (", times(reach),
              "). Kernel size can't be greater than actual input size");
  return y;
}

Dims transposed_sizes(const char* op, const Tensor& x, const Tensor& w, const ConvSteps& s,
                      const int64_t* output_padding) {
  Dims y{x.size(0), w.size(1) * s.groups};
  const int64_t first = 5 - x.dim();
  for (int64_t d = first; d < 3; ++d) {
    const int64_t i = d - first + 2;
    TAPER_CHECK(w.size(i) > 0, op,
                ": kernel size should be greater than zero, but got a weight of size ", w.sizes());
    TAPER_CHECK(output_padding[d] < s.stride[d] || output_padding[d] < s.dilation[d], op,
                ": output padding must be smaller than either stride or dilation, but got "
                "output_padding ",
                output_padding[d], ", stride ", s.stride[d], " and dilation ", s.dilation[d]);
    const int64_t last = checked_mul(op, x.size(i) - 1, s.stride[d]);
    const int64_t reach = checked_mul(op, s.dilation[d], w.size(i) - 1);
    const int64_t whole = checked_add(op, checked_add(op, last, reach), output_padding[d]);
    y.push_back(checked_add(op, checked_sub(op, whole, checked_mul(op, 2, s.padding[d])), 1));
    TAPER_CHECK(y.back() > 0 && x.size(i) > 0, op, ": Given input size per channel: ", x.sizes(),
                ". Calculated output size per channel: ", y, ". Output size is too small");
  }
  return y;
}

int64_t spatial_dims(const char* op, const Tensor& w) {
  check_defined(op, w, "weight");
  TAPER_CHECK(w.dim() >= 3 && w.dim() <= 5, op, ": expected a weight of 3 to 5 dimensions, got ",
              w.sizes());
  return w.dim() - 2;
}

// Adds a batch dimension if `x` has none. Throws if its rank is neither a batch's nor an image's.
Tensor batched(const char* op, const Tensor& x, const Tensor& w, int64_t spatial) {
  TAPER_CHECK(w.dim() == spatial + 2, op, ": Expected ", spatial + 2, "-dimensional weight for ",
              op, ", but got weight of size: ", w.sizes());
  TAPER_CHECK(x.dim() == spatial + 1 || x.dim() == spatial + 2, op, ": Expected ", spatial + 1,
              "D (unbatched) or ", spatial + 2, "D (batched) input to ", op,
              ", but got input of size: ", x.sizes());
  return x.dim() == spatial + 2 ? x : x.unsqueeze(0);
}

// Computes (a + ib)(c + id) by three real convolutions conv(x, w, b): ac, bd and (a + b)(c + d).
template <class Conv>
Tensor of_complex(const Tensor& x, const Tensor& w, const Tensor& b, const Conv& conv) {
  const Tensor xr = real(x), xi = imag(x), wr = real(w), wi = imag(w);
  const Tensor b_re = b.defined() ? real(b) : b, b_sum = b.defined() ? b_re + imag(b) : b;
  const Tensor re = conv(xr, wr, b_re), im = conv(xi, wi, Tensor());
  return complex(re - im, conv(xr + xi, wr + wi, b_sum) - re - im);
}

/// Returns x with its padding, as far as the windows reach.
Tensor padded(const Tensor& x, const Tensor& w, const Dims& y_sizes, const ConvSteps& s) {
  Dims pads;
  const int64_t first = 5 - w.dim();
  for (int64_t d = 2; d >= first; --d) {
    const size_t i = static_cast<size_t>(d - first) + 2;
    const int64_t reach = (y_sizes[i] - 1) * s.stride[d] + s.dilation[d] * (w.sizes()[i] - 1) + 1;
    pads.push_back(s.padding[d]);
    pads.push_back(reach - x.sizes()[i] - s.padding[d]);
  }
  return constant_pad_nd(x, pads).contiguous();
}

/// Returns a copy of the padded x's windows: (N, groups, C / groups * kernel elements, positions).
Tensor windows_of(const Tensor& x, const Tensor& w, const Dims& y_sizes, const ConvSteps& s) {
  const Tensor p = padded(x, w, y_sizes, s);
  const int64_t channels = w.size(1), apart = p.stride(1), first = 5 - w.dim();
  Dims sizes = {x.size(0), s.groups, channels}, strides = {p.stride(0), channels * apart, apart};
  for (int64_t d = first; d < 3; ++d) {
    sizes.push_back(w.size(d - first + 2));
    strides.push_back(p.stride(d - first + 2) * s.dilation[d]);
  }
  for (int64_t d = first; d < 3; ++d) {
    sizes.push_back(y_sizes[static_cast<size_t>(d - first) + 2]);
    strides.push_back(p.stride(d - first + 2) * s.stride[d]);
  }
  const int64_t places = checked_numel(y_sizes.ref().slice(2));
  return as_strided(p, sizes, strides)
      .reshape({x.size(0), s.groups, checked_numel(w.sizes().slice(1)), places});
}

// Integer convolutions are rare, so windows are copied and multiplied as matrices.
Tensor of_integers(const Tensor& x, const Tensor& w, const Tensor& b, const Dims& y_sizes,
                   const ConvSteps& s) {
  const NoGradGuard values_only;
  const Tensor matrices =
      w.reshape({1, s.groups, w.size(0) / s.groups, checked_numel(w.sizes().slice(1))});
  const Tensor y = matmul(matrices, windows_of(x, w, y_sizes, s)).view(y_sizes);
  if (!b.defined()) return y;
  Dims shape(w.dim(), 1);
  shape[1] = b.size(0);
  return y.add_(b.view(shape));
}

/// Returns the sizes of the result for an input with a batch, after all checks.
Dims checked_sizes(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                   const ConvSteps& s, const int64_t* after) {
  check_shapes(op, x, weight, bias, s, false);
  check_tensors(op, x, weight, bias);
  const Dims sizes = forward_sizes(op, x, weight, s, after);
  TAPER_CHECK(
      x.numel() > 0 || x.size(0) == 0 || x.size(1) == 0, op,
      ": Only zero batch or zero channel inputs are supported, but got input shape: ", x.sizes());
  return sizes;
}

Tensor convolve(const char* op, int64_t spatial, const Tensor& input, const Tensor& weight,
                const Tensor& bias, const ConvSteps& s, const int64_t* after) {
  const Tensor x = batched(op, input, weight, spatial);
  const Dims sizes = checked_sizes(op, x, weight, bias, s, after);
  const auto real_conv = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return forward(x, w, b, sizes, s);
  };
  const bool integers = isIntegralType(x.scalar_type(), /*includeBool=*/false);
  const Tensor y = x.is_complex() ? of_complex(x, weight, bias, real_conv)
                   : integers     ? of_integers(x, weight, bias, sizes, s)
                                  : real_conv(x, weight, bias);
  return input.dim() == x.dim() ? y : y.squeeze(0);
}

Tensor convolve(const char* op, int64_t spatial, const Tensor& input, const Tensor& weight,
                const Tensor& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                int64_t groups) {
  const ConvSteps s = steps_from(op, spatial, stride, padding, dilation, groups);
  return convolve(op, spatial, input, weight, bias, s, s.padding);
}

Tensor convolve_transposed(const char* op, int64_t spatial, const Tensor& input,
                           const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                           IntArrayRef padding, IntArrayRef output_padding, int64_t groups,
                           IntArrayRef dilation) {
  const ConvSteps s = steps_from(op, spatial, stride, padding, dilation, groups);
  int64_t extra[3] = {0, 0, 0};
  spread(op, extra, output_padding, spatial, "output_padding", 0);
  const Tensor x = batched(op, input, weight, spatial);
  check_shapes(op, x, weight, bias, s, true);
  check_tensors(op, x, weight, bias);
  const Dims sizes = transposed_sizes(op, x, weight, s, extra);
  const auto real_conv = [&](const Tensor& x, const Tensor& w, const Tensor&) {
    return to_input(x, w, sizes, s);
  };
  Tensor y =
      x.is_complex() ? of_complex(x, weight, Tensor(), real_conv) : to_input(x, weight, sizes, s);
  if (bias.defined()) {
    Dims channel(spatial + 1, 1);
    channel[0] = bias.size(0);
    y = y.add(bias.view(channel));
  }
  return input.dim() == x.dim() ? y : y.squeeze(0);
}

// ---------------------------------------------------------------------- with a relu behind it
/// Describes how z is added to a convolution before the relu. z may be undefined.
struct Addend {
  Tensor z;
  Scalar alpha;
};

void check_addend(const char* op, const Addend& add, const Tensor& x, const Dims& sizes) {
  check_same_device(op, x, add.z);
  TAPER_CHECK(add.z.scalar_type() == x.scalar_type(), op, ": expected z of dtype ",
              toString(x.scalar_type()), ", got ", toString(add.z.scalar_type()));
  TAPER_CHECK(add.z.sizes() == sizes.ref(), op, ": expected z of sizes ", sizes.ref(), ", got ",
              add.z.sizes());
}

// Returns the result of one engine on a GPU, or an undefined tensor if there is none.
Tensor relu_by_engine(const Tensor& x, const Tensor& w, const Tensor& b, const Addend& add,
                      const Dims& sizes, const ConvSteps& steps) {
  if (!x.is_cuda() || !detail::on_gpu() || !isFloatingType(x.scalar_type()) ||
      add.alpha.isComplex())
    return {};
  const auto make = [&](const Dims& of) {
    return detail::make_tensor(of, x.scalar_type(), x.device());
  };
  const Tensor y = make(sizes), bias = b.defined() ? b.contiguous() : make({w.size(0)}).zero_();
  const Tensor z = add.z.defined() ? add.z.contiguous() : add.z;
  bool done = false;
  detail::launch("conv_forward_relu", y.device(), &cuda::cudnn_forward_relu, &done, y,
                 x.contiguous(), w.contiguous(), bias, z, add.alpha.toDouble(), steps);
  return done ? y : Tensor();
}

// Records one node, whoever computed the result. The relu's mask follows from the result, and the
// rest is linear. x has a batch, as y does. z may lack it.
void record_relu(const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& b,
                 const Addend& add, const ConvSteps& steps) {
  const bool batched_z = !add.z.defined() || add.z.dim() == y.dim();
  record("CudnnConvolutionReluBackward0", y, {x, w, b, add.z},
         [ys = saved_output(y), xs = saved_if(w.requires_grad(), x),
          ws = saved_if(x.requires_grad(), w), x_sizes = x.impl().sizes, w_sizes = w.impl().sizes,
          steps, alpha = add.alpha, batched_z](Grads& g) {
           const Tensor gy = relu_backward(g[0], ys.get());
           std::array<Tensor, 4> r;
           if (g.needs(0)) r[0] = to_input(gy, ws.get(), x_sizes, steps);
           if (g.needs(1)) r[1] = to_weight(xs.get(), gy, w_sizes, steps);
           if (g.needs(2)) r[2] = sum_to_channels(gy);
           if (g.needs(3)) r[3] = (batched_z ? gy : gy.squeeze(0)).mul(alpha);
           return r;
         });
}

Tensor convolve_relu(const char* op, const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Addend& add, const ConvSteps& s, int64_t spatial) {
  const Tensor x = batched(op, input, weight, spatial);
  const bool is_batch = input.dim() == x.dim();
  const Dims sizes = checked_sizes(op, x, weight, bias, s, s.padding);
  Dims of_result = sizes;
  if (!is_batch) of_result.erase(0);
  if (add.z.defined()) check_addend(op, add, x, of_result);
  Tensor y;
  {
    const NoGradGuard values_only;
    y = relu_by_engine(x, weight, bias, add, sizes, s);
    if (!y.defined()) {
      y = convolve(op, spatial, x, weight, bias, s, s.padding);
      if (add.z.defined()) y.add_(is_batch ? add.z : add.z.unsqueeze(0), add.alpha);
      y.relu_();
    }
  }
  if (needs_grad(x, weight, bias, add.z)) record_relu(y, x, weight, bias, add, s);
  return is_batch ? y : y.squeeze(0);
}

Tensor convolve_relu(const char* op, const Tensor& input, const Tensor& weight,
                     const optional<Tensor>& bias, const Addend& add, IntArrayRef stride,
                     IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  const int64_t spatial = spatial_dims(op, weight);
  const ConvSteps s = steps_from(op, spatial, stride, padding, dilation, groups);
  return convolve_relu(op, input, weight, bias.value_or(Tensor()), add, s, spatial);
}

}  // namespace

// ---------------------------------------------------------------------- public
namespace detail {

Tensor conv_with_mode(int64_t spatial, const Tensor& input, const Tensor& weight,
                      const Tensor& bias, IntArrayRef stride, std::string_view padding,
                      IntArrayRef dilation, int64_t groups) {
  const auto at = [&](auto door) {
    return door(input, weight, bias, stride, padding, dilation, groups);
  };
  if (auto done = spatial == 1   ? at([](const auto&... a) { return at_door<"conv1d">(a...); })
                  : spatial == 2 ? at([](const auto&... a) { return at_door<"conv2d">(a...); })
                                 : at([](const auto&... a) { return at_door<"conv3d">(a...); }))
    return done;
  const char* const names[] = {"conv1d", "conv2d", "conv3d"};
  TAPER_CHECK(padding == "same" || padding == "valid", names[spatial - 1],
              ": Invalid padding string: '", padding, "'; expected 'same' or 'valid'");
  ConvSteps s = steps_from(names[spatial - 1], spatial, stride, 0, dilation, groups);
  int64_t after[3] = {0, 0, 0};
  if (padding == "same")
    for (int64_t d = 3 - spatial; d < 3; ++d) {
      TAPER_CHECK(s.stride[d] == 1, names[spatial - 1],
                  ": padding='same' is not supported for strided convolutions");
      TAPER_CHECK(weight.dim() == spatial + 2, names[spatial - 1], ": Expected ", spatial + 2,
                  "-dimensional weight for ", names[spatial - 1],
                  ", but got weight of size: ", weight.sizes());
      const int64_t total = checked_mul(names[spatial - 1], s.dilation[d], weight.size(d - 3) - 1);
      s.padding[d] = total / 2;
      after[d] = total - total / 2;
    }
  return convolve(names[spatial - 1], spatial, input, weight, bias, s, after);
}

}  // namespace detail

#define TAPER_DEFINE_CONV(D)                                                                       \
  Tensor conv##D##d(const Tensor& input, const Tensor& weight, const Tensor& bias,                 \
                    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,                 \
                    int64_t groups) {                                                              \
    if (auto done =                                                                                \
            at_door<"conv" #D "d">(input, weight, bias, stride, padding, dilation, groups))        \
      return done;                                                                                 \
    return convolve("conv" #D "d", D, input, weight, bias, stride, padding, dilation, groups);     \
  }                                                                                                \
  Tensor conv_transpose##D##d(const Tensor& input, const Tensor& weight, const Tensor& bias,       \
                              IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, \
                              int64_t groups, IntArrayRef dilation) {                              \
    if (auto done = at_door<"conv_transpose" #D "d">(input, weight, bias, stride, padding,         \
                                                     output_padding, groups, dilation))            \
      return done;                                                                                 \
    return convolve_transposed("conv_transpose" #D "d", D, input, weight, bias, stride, padding,   \
                               output_padding, groups, dilation);                                  \
  }
TAPER_DEFINE_CONV(1)
TAPER_DEFINE_CONV(2)
TAPER_DEFINE_CONV(3)
#undef TAPER_DEFINE_CONV

Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups) {
  if (auto done = at_door<"convolution">(input, weight, bias, stride, padding, dilation, transposed,
                                         output_padding, groups))
    return done;
  const int64_t spatial = spatial_dims("convolution", weight);
  if (transposed)
    return convolve_transposed("convolution", spatial, input, weight, bias, stride, padding,
                               output_padding, groups, dilation);
  return convolve("convolution", spatial, input, weight, bias, stride, padding, dilation, groups);
}

Tensor cudnn_convolution_relu(const Tensor& self, const Tensor& weight,
                              const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                              IntArrayRef dilation, int64_t groups) {
  if (auto done =
          at_door<"cudnn_convolution_relu">(self, weight, bias, stride, padding, dilation, groups))
    return done;
  return convolve_relu("cudnn_convolution_relu", self, weight, bias, {}, stride, padding, dilation,
                       groups);
}

Tensor cudnn_convolution_add_relu(const Tensor& self, const Tensor& weight, const Tensor& z,
                                  const optional<Scalar>& alpha, const optional<Tensor>& bias,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  int64_t groups) {
  if (auto done = at_door<"cudnn_convolution_add_relu">(self, weight, z, alpha, bias, stride,
                                                        padding, dilation, groups))
    return done;
  check_defined("cudnn_convolution_add_relu", z, "z");
  return convolve_relu("cudnn_convolution_add_relu", self, weight, bias,
                       {z, alpha.value_or(Scalar(1))}, stride, padding, dilation, groups);
}

Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t pad) {
  if (auto done = at_door<"conv_tbc">(input, weight, bias, pad)) return done;
  check_defined("conv_tbc", input, "input");
  check_defined("conv_tbc", weight, "weight");
  TAPER_CHECK(input.dim() == 3, "conv_tbc: Input must have 3 dims: time, batch, in_channel; got ",
              input.sizes());
  TAPER_CHECK(weight.dim() == 3,
              "conv_tbc: Weight tensor must have 3 dims: kernel_width, in_channels, ",
              "out_channels; got ", weight.sizes());
  return conv1d(input.permute({1, 2, 0}), weight.permute({2, 1, 0}), bias, 1, pad)
      .permute({2, 0, 1});
}

Tensor thnn_conv2d(const Tensor& input, const Tensor& weight, IntArrayRef kernel_size,
                   const Tensor& bias, IntArrayRef stride, IntArrayRef padding) {
  if (auto done = at_door<"thnn_conv2d">(input, weight, kernel_size, bias, stride, padding))
    return done;
  check_defined("thnn_conv2d", weight, "weight");
  TAPER_CHECK(weight.dim() == 4 && kernel_size == weight.sizes().slice(2),
              "thnn_conv2d: expected a weight of 4 dimensions with a kernel of ", kernel_size,
              ", got ", weight.sizes());
  return conv2d(input, weight, bias, stride, padding);
}

}  // namespace torch::taper

#include <taper/ops/spatial/conv/conv_relu_pool.inc>
