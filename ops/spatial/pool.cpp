#include <taper/ops/spatial/pool.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/spatial/pool_kernels.h>

namespace torch::taper {

namespace {

// ---------------------------------------------------------------------- maximum
Tensor gather_maxima(const Tensor& x, const Tensor& codes, int64_t spatial, const PoolWindows& w,
                     const char* node);

// The gradient of a maximum is linear. Its adjoint reads the positions that it wrote.
Tensor scatter_maxima(const Tensor& gy, const Tensor& codes, const Dims& sizes, int64_t spatial,
                      const PoolWindows& w, const char* node) {
  Tensor gx = detail::make_tensor(sizes, gy.scalar_type(), gy.device());
  const Tensor g = gy.contiguous();
  TAPER_ON_DEVICE(gx, max_pool_scatter, gx, g, codes, spatial, w);
  if (needs_grad(gy))
    record(node, gx, {gy}, [codes = saved(codes), spatial, w, node](const Tensor& gg) {
      return gather_maxima(gg, codes.get(), spatial, w, node);
    });
  return gx;
}

Tensor gather_maxima(const Tensor& x, const Tensor& codes, int64_t spatial, const PoolWindows& w,
                     const char* node) {
  Tensor y = detail::make_tensor(codes.sizes(), x.scalar_type(), x.device());
  const Tensor xc = x.contiguous();
  TAPER_ON_DEVICE(y, max_pool_gather, y, xc, codes, spatial, w);
  if (needs_grad(x))
    record(node, y, {x},
           [codes = saved(codes), sizes = x.impl().sizes, spatial, w, node](const Tensor& g) {
             return scatter_maxima(g, codes.get(), sizes, spatial, w, node);
           });
  return y;
}

struct Maxima {
  Tensor values, codes;
};

Maxima pool_maxima(const Tensor& x, const Dims& sizes, int64_t spatial, const PoolWindows& w,
                   bool want_codes, const char* node) {
  const int64_t elements = w.kernel[0] * w.kernel[1] * w.kernel[2];
  Maxima m;
  m.values = detail::make_tensor(sizes, x.scalar_type(), x.device());
  if (want_codes || needs_grad(x))
    m.codes = detail::make_tensor(sizes, w.adaptive || elements > 256 ? kLong : kByte, x.device());
  const Tensor xc = x.contiguous();
  TAPER_ON_DEVICE(x, max_pool_forward, m.values, m.codes, xc, spatial, w);
  if (needs_grad(x))
    record(node, m.values, {x},
           [codes = saved(m.codes), sizes = x.impl().sizes, spatial, w, node](const Tensor& g) {
             return scatter_maxima(g, codes.get(), sizes, spatial, w, node);
           });
  return m;
}

Tensor positions_of(const Tensor& codes, const Dims& image, int64_t spatial, const PoolWindows& w) {
  if (codes.scalar_type() == kLong) return codes;
  Tensor positions = detail::make_tensor(codes.sizes(), kLong, codes.device());
  TAPER_ON_DEVICE(positions, max_pool_positions, positions, codes, image, spatial, w);
  return positions;
}

// ---------------------------------------------------------------------- mean
Tensor pool_means(const Tensor& x, const Dims& sizes, int64_t spatial, const PoolWindows& w,
                  const char* node);

Tensor scatter_means(const Tensor& gy, const Dims& sizes, int64_t spatial, const PoolWindows& w,
                     const char* node) {
  Tensor gx = detail::make_tensor(sizes, gy.scalar_type(), gy.device());
  const Tensor g = gy.contiguous();
  TAPER_ON_DEVICE(gx, avg_pool_scatter, gx, g, spatial, w);
  if (needs_grad(gy))
    record(node, gx, {gy}, [y_sizes = gy.impl().sizes, spatial, w, node](const Tensor& gg) {
      return pool_means(gg, y_sizes, spatial, w, node);
    });
  return gx;
}

Tensor pool_means(const Tensor& x, const Dims& sizes, int64_t spatial, const PoolWindows& w,
                  const char* node) {
  Tensor y = detail::make_tensor(sizes, x.scalar_type(), x.device());
  const Tensor xc = x.contiguous();
  TAPER_ON_DEVICE(y, avg_pool_forward, y, xc, spatial, w);
  if (needs_grad(x))
    record(node, y, {x}, [x_sizes = x.impl().sizes, spatial, w, node](const Tensor& g) {
      return scatter_means(g, x_sizes, spatial, w, node);
    });
  return y;
}

// ---------------------------------------------------------------------- checks and shapes
void spread(const char* op, const char* what, int64_t* to, IntArrayRef from, int64_t spatial) {
  static const char* const counts[] = {"one int", "two ints", "three ints"};
  TAPER_CHECK(from.size() == 1 || static_cast<int64_t>(from.size()) == spatial, op, ": ", what,
              " must either be a single int, or a tuple of ", counts[spatial - 1]);
  for (int64_t d = 0; d < spatial; ++d) to[3 - spatial + d] = from.size() == 1 ? from[0] : from[d];
}

PoolWindows windows_from(const char* op, int64_t spatial, IntArrayRef kernel, IntArrayRef stride,
                         IntArrayRef padding, IntArrayRef dilation) {
  PoolWindows w;
  spread(op, "kernel_size", w.kernel, kernel, spatial);
  spread(op, "stride", w.stride, stride.empty() ? kernel : stride, spatial);
  spread(op, "padding", w.padding, padding, spatial);
  spread(op, "dilation", w.dilation, dilation, spatial);
  for (int64_t d = 3 - spatial; d < 3; ++d) {
    TAPER_CHECK(w.stride[d] != 0, op, ": stride should not be zero");
    TAPER_CHECK(w.kernel[d] > 0 && w.stride[d] > 0, op,
                ": expected kernel_size and stride to be positive, got kernel_size ", w.kernel[d],
                " and stride ", w.stride[d]);
    TAPER_CHECK(w.dilation[d] > 0, op, ": dilation should be greater than zero, but got dilation ",
                w.dilation[d]);
    if (w.kernel[d] == 1) w.dilation[d] = 1;  // nothing to spread, and no position to overflow
    TAPER_CHECK(w.padding[d] >= 0, op, ": pad must be non-negative, but got pad: ", w.padding[d]);
    TAPER_CHECK(w.padding[d] <= w.kernel[d] / 2, op,
                ": pad should be at most half of kernel size, but got pad=", w.padding[d],
                " and kernel_size=", w.kernel[d]);
  }
  return w;
}

void check_input(const char* op, const Tensor& x, int64_t spatial) {
  TAPER_CHECK(
      x.dim() == spatial + 1 || x.dim() == spatial + 2, op, ": Expected ", spatial + 1, "D or ",
      spatial + 2,
      "D (batch mode) tensor with optional 0 dim batch size for input, but got:", x.sizes());
  for (int64_t d = x.dim() - spatial; d < x.dim(); ++d)
    TAPER_CHECK(x.size(d) > 0, op,
                ": Expected input to have non-zero size for non-batch "
                "dimensions, but got ",
                x.sizes());
  if (!x.is_floating_point()) detail::unsupported_dtype(op, x.scalar_type());
}

int64_t pooled_size(const char* op, int64_t in, int64_t pad, int64_t kernel, int64_t stride,
                    int64_t dilation, bool ceil_mode) {
  const int64_t reach = detail::checked_add(op, detail::checked_mul(op, dilation, kernel - 1), 1);
  const int64_t spare = detail::checked_add(op, in, 2 * pad) - reach;
  const int64_t room = detail::checked_add(op, spare, ceil_mode ? stride - 1 : 0);
  if (room < 0) return 0;
  int64_t out = room / stride + 1;
  if (ceil_mode && (out - 1) * stride >= in + pad) --out;
  return out;
}

std::string by(IntArrayRef sizes) {
  std::string text;
  for (int64_t s : sizes) text += (text.empty() ? "" : "x") + std::to_string(s);
  return text;
}

Dims pooled_sizes(const char* op, const Tensor& x, int64_t spatial, const PoolWindows& w,
                  bool ceil_mode) {
  Dims y = x.sizes();
  bool fits = true;
  for (int64_t d = 3 - spatial; d < 3; ++d) {
    int64_t& size = y[x.dim() + d - 3];
    size = pooled_size(op, size, w.padding[d], w.kernel[d], w.stride[d], w.dilation[d], ceil_mode);
    fits = fits && size > 0;
  }
  const size_t from = static_cast<size_t>(x.dim() - spatial - 1);
  TAPER_CHECK(fits, op, ": Given input size: (", by(x.sizes().slice(from)),
              "). Calculated output size: (", by(y.ref().slice(from)),
              "). Output size is too small");
  return y;
}

struct Adaptive {
  PoolWindows w;
  Dims sizes;
};

Adaptive adapt(const char* op, const Tensor& x, int64_t spatial, IntArrayRef output_size) {
  TAPER_CHECK(x.dim() == spatial + 1 || x.dim() == spatial + 2, op, "(): Expected ", spatial + 1,
              "D or ", spatial + 2, "D tensor, but got ", x.sizes());
  check_input(op, x, spatial);
  TAPER_CHECK(output_size.size() == 1 || static_cast<int64_t>(output_size.size()) == spatial, op,
              ": expected an output_size of 1 or ", spatial, " values, got ", output_size);
  Adaptive a;
  a.w.adaptive = true;
  a.sizes = x.sizes();
  for (int64_t d = 0; d < spatial; ++d) {
    const int64_t size = output_size.size() == 1 ? output_size[0] : output_size[d];
    TAPER_CHECK(size >= 0, op, ": expected a non-negative output_size, got ", output_size);
    a.sizes[x.dim() - spatial + d] = size;
  }
  return a;
}

/// Converts integers to doubles, which hold all up to 2^53.
Tensor as_doubles(const char* op, const Tensor& x) {
  constexpr int64_t most = int64_t{1} << 53;
  if (x.scalar_type() == kLong && x.numel() > 0)
    TAPER_CHECK(x.min().item<int64_t>() >= -most && x.max().item<int64_t>() <= most, op,
                ": expected integers of at most 2^53, which a double holds");
  return x.to(kDouble);
}

Maxima max_pool(const char* op, const char* node, const Tensor& x, int64_t spatial,
                IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                bool ceil_mode, Tensor* positions = nullptr) {
  if (isIntegralType(x.scalar_type(), /*includeBool=*/false)) {
    Maxima m = max_pool(op, node, as_doubles(op, x), spatial, kernel, stride, padding, dilation,
                        ceil_mode, positions);
    m.values = m.values.to(x.scalar_type());
    return m;
  }
  const PoolWindows w = windows_from(op, spatial, kernel, stride, padding, dilation);
  check_input(op, x, spatial);
  const Dims sizes = pooled_sizes(op, x, spatial, w, ceil_mode);
  Maxima m = pool_maxima(x, sizes, spatial, w, positions != nullptr, node);
  if (positions) *positions = positions_of(m.codes, x.impl().sizes, spatial, w);
  return m;
}

Tensor avg_pool(const char* op, const char* node, const Tensor& x, int64_t spatial,
                IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                bool count_include_pad, optional<int64_t> divisor) {
  TAPER_CHECK(!divisor || *divisor != 0, op, ": divisor must be not zero");
  PoolWindows w = windows_from(op, spatial, kernel, stride, padding, 1);
  check_input(op, x, spatial);
  // As in LibTorch, only for three dimensions, and without regard to padding and ceil_mode.
  for (int64_t d = 0; spatial == 3 && d < 3; ++d)
    TAPER_CHECK(x.size(d - 3) >= kernel[kernel.size() == 1 ? 0 : static_cast<size_t>(d)], op,
                ": input image ", x.sizes().slice(x.dim() - 3), " smaller than kernel size ",
                kernel);
  w.count_include_pad = count_include_pad;
  w.divisor = divisor.value_or(0);
  return pool_means(x, pooled_sizes(op, x, spatial, w, ceil_mode), spatial, w, node);
}

constexpr const char* kMaxNodes[] = {"MaxPool2DWithIndicesBackward0",
                                     "MaxPool2DWithIndicesBackward0",
                                     "MaxPool3DWithIndicesBackward0"};

std::tuple<Tensor, Tensor> with_indices(const char* op, const Tensor& x, int64_t spatial,
                                        IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                                        IntArrayRef dilation, bool ceil_mode) {
  Tensor positions;
  const Maxima m = max_pool(op, kMaxNodes[spatial - 1], x, spatial, kernel, stride, padding,
                            dilation, ceil_mode, &positions);
  return {m.values, positions};
}

std::tuple<Tensor, Tensor> adaptive_max(const char* op, const char* node, const Tensor& x,
                                        int64_t spatial, IntArrayRef output_size) {
  const Adaptive a = adapt(op, x, spatial, output_size);
  const Maxima m = pool_maxima(x, a.sizes, spatial, a.w, true, node);
  return {m.values, m.codes};
}

Tensor adaptive_avg(const char* op, const char* node, const Tensor& x, int64_t spatial,
                    IntArrayRef output_size) {
  if (x.is_complex())
    return detail::of_parts(
        x, [&](const Tensor& part) { return adaptive_avg(op, node, part, spatial, output_size); });
  const Adaptive a = adapt(op, x, spatial, output_size);
  return pool_means(x, a.sizes, spatial, a.w, node);
}

}  // namespace

// ---------------------------------------------------------------------- public
Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool1d">(self, kernel_size, stride, padding, dilation, ceil_mode))
    return done;
  return max_pool("max_pool1d", kMaxNodes[0], self, 1, kernel_size, stride, padding, dilation,
                  ceil_mode)
      .values;
}
Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool2d">(self, kernel_size, stride, padding, dilation, ceil_mode))
    return done;
  return max_pool("max_pool2d", kMaxNodes[1], self, 2, kernel_size, stride, padding, dilation,
                  ceil_mode)
      .values;
}
Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool3d">(self, kernel_size, stride, padding, dilation, ceil_mode))
    return done;
  return max_pool("max_pool3d", kMaxNodes[2], self, 3, kernel_size, stride, padding, dilation,
                  ceil_mode)
      .values;
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool1d_with_indices">(self, kernel_size, stride, padding, dilation,
                                                     ceil_mode))
    return done;
  return with_indices("max_pool1d", self, 1, kernel_size, stride, padding, dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool2d_with_indices">(self, kernel_size, stride, padding, dilation,
                                                     ceil_mode))
    return done;
  return with_indices("max_pool2d", self, 2, kernel_size, stride, padding, dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  if (auto done = at_door<"max_pool3d_with_indices">(self, kernel_size, stride, padding, dilation,
                                                     ceil_mode))
    return done;
  return with_indices("max_pool3d", self, 3, kernel_size, stride, padding, dilation, ceil_mode);
}

Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad) {
  if (auto done =
          at_door<"avg_pool1d">(self, kernel_size, stride, padding, ceil_mode, count_include_pad))
    return done;
  return avg_pool("avg_pool1d", "AvgPool2DBackward0", self, 1, kernel_size, stride, padding,
                  ceil_mode, count_include_pad, nullopt);
}
Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                  optional<int64_t> divisor_override) {
  if (auto done = at_door<"avg_pool2d">(self, kernel_size, stride, padding, ceil_mode,
                                        count_include_pad, divisor_override))
    return done;
  return avg_pool("avg_pool2d", "AvgPool2DBackward0", self, 2, kernel_size, stride, padding,
                  ceil_mode, count_include_pad, divisor_override);
}
Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                  optional<int64_t> divisor_override) {
  if (auto done = at_door<"avg_pool3d">(self, kernel_size, stride, padding, ceil_mode,
                                        count_include_pad, divisor_override))
    return done;
  return avg_pool("avg_pool3d", "AvgPool3DBackward0", self, 3, kernel_size, stride, padding,
                  ceil_mode, count_include_pad, divisor_override);
}

Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_avg_pool1d">(self, output_size)) return done;
  return adaptive_avg("adaptive_avg_pool1d", "AdaptiveAvgPool2DBackward0", self, 1, output_size);
}
Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_avg_pool2d">(self, output_size)) return done;
  return adaptive_avg("adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0", self, 2, output_size);
}
Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_avg_pool3d">(self, output_size)) return done;
  return adaptive_avg("adaptive_avg_pool3d", "AdaptiveAvgPool3DBackward0", self, 3, output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_max_pool1d">(self, output_size)) return done;
  return adaptive_max("adaptive_max_pool1d", "AdaptiveMaxPool2DBackward0", self, 1, output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_max_pool2d">(self, output_size)) return done;
  return adaptive_max("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0", self, 2, output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size) {
  if (auto done = at_door<"adaptive_max_pool3d">(self, output_size)) return done;
  return adaptive_max("adaptive_max_pool3d", "AdaptiveMaxPool3DBackward0", self, 3, output_size);
}

}  // namespace torch::taper
