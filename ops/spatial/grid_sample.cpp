#include <taper/ops/spatial/grid_sample.h>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/spatial/grid_sample_kernels.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

void check_shapes(const Tensor& x, const Tensor& grid) {
  check_defined("grid_sampler", x, "input");
  check_defined("grid_sampler", grid, "grid");
  TAPER_CHECK(x.size(0) == grid.size(0),
              "grid_sampler(): expected grid and input to have same batch size, but got input with "
              "sizes ",
              x.sizes(), " and grid with sizes ", grid.sizes());
  TAPER_CHECK(
      (x.dim() == 4 || x.dim() == 5) && x.dim() == grid.dim(),
      "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
      "got input with sizes ",
      x.sizes(), " and grid with sizes ", grid.sizes());
  TAPER_CHECK(grid.size(-1) == x.dim() - 2, "grid_sampler(): expected grid to have size ",
              x.dim() - 2, " in last dimension, but got grid with sizes ", grid.sizes());
  for (int64_t d = 2; d < x.dim(); ++d)
    TAPER_CHECK(x.size(d) > 0,
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                "has sizes ",
                x.sizes(), " with dimension ", d, " being empty");
}

void check_dtypes(const Tensor& x, const Tensor& grid) {
  const ScalarType t = x.scalar_type();
  if (t != kFloat && t != kDouble)
    detail::unsupported_dtype(x.dim() == 4 ? "grid_sampler_2d_cpu" : "grid_sampler_3d_cpu", t);
  TAPER_CHECK(grid.scalar_type() == t, "grid_sampler: expected scalar type ", toString(t),
              " but found ", toString(grid.scalar_type()));
  check_same_device("grid_sampler", x, grid);
}

// ---------------------------------------------------------------- in public ops, for second
// derivatives

// The pixels of each grid position and their weights (0 outside of the image): [N, P].
struct Pixels {
  Tensor index, weight;
};

// Computes GridAxis (grid_sample_place.h) in ops that can be differentiated.
struct AxisInOps {
  int64_t size;
  GridSampling s;

  std::vector<Pixels> neighbours(const Tensor& g) const {
    const double n = static_cast<double>(size);
    const Tensor place = s.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
    if (s.blend == GridBlend::kCubic) return cubic(place);
    const Tensor padded = safe(pad(place));
    if (s.blend == GridBlend::kNearest) return {at(padded.detach().round(), ones_like(padded))};
    const Tensor whole = padded.detach().floor(), part = padded - whole;
    return {at(whole, 1 - part), at(whole + 1, part)};
  }

 private:
  Pixels at(const Tensor& pixel, const Tensor& weight) const {
    const Tensor inside = pixel.ge(0).logical_and(pixel.lt(size));
    return {pixel.clamp(0, size - 1).to(kLong), weight * inside};
  }
  static Tensor safe(const Tensor& v) {
    return where(v.gt(-1e9).logical_and(v.lt(1e9)), v, Scalar(-100));
  }
  Tensor clip(const Tensor& v) const {
    const Tensor inside = v.gt(0).logical_and(v.lt(size - 1));
    return where(inside, v, v.detach().clamp(0, size - 1));
  }
  Tensor reflect(const Tensor& v) const {
    const double low = s.align_corners ? 0 : -0.5;
    const double span = static_cast<double>(s.align_corners ? size - 1 : size);
    if (!(span > 0)) return v * 0;
    const Tensor far = (v - low).abs(), extra = far.fmod(span);
    const Tensor even = far.detach().div(span).floor().fmod(2).eq(0);
    return where(even, extra + low, span - extra + low);
  }
  Tensor pad(const Tensor& v) const {
    if (s.padding == GridPadding::kZeros) return v;
    return clip(s.padding == GridPadding::kReflection ? reflect(v) : v);
  }
  std::vector<Pixels> cubic(const Tensor& place) const {
    const Tensor whole = place.detach().floor(), t = place - whole;
    const double a = -0.75;
    std::vector<Pixels> r;
    for (int k = 0; k < 4; ++k) {
      const Tensor x = k < 2 ? t - (k - 1) : (k - 1) - t;  // 0 to 2
      const Tensor weight = k == 1 || k == 2 ? ((a + 2) * x - (a + 3)) * x * x + 1
                                             : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
      r.push_back(at(safe(pad(whole + (k - 1))).floor(), weight));
    }
    return r;
  }
};

std::vector<Pixels> crossed(const std::vector<Pixels>& rows, const std::vector<Pixels>& columns,
                            int64_t width) {
  std::vector<Pixels> all;
  for (const Pixels& r : rows)
    for (const Pixels& c : columns) all.push_back({r.index * width + c.index, r.weight * c.weight});
  return all;
}

// Returns the kernel's values, up to rounding.
Tensor sample_in_ops(const Tensor& x, const Tensor& grid, const GridSampling& s,
                     const Dims& sizes) {
  const int64_t dims = x.dim() - 2;
  const Tensor flat = x.flatten(2), places = grid.flatten(1, -2);
  std::vector<Pixels> all;
  for (int64_t d = 0; d < dims; ++d) {
    const int64_t n = x.size(d + 2);
    const auto axis = AxisInOps{n, s}.neighbours(places.select(-1, dims - 1 - d));
    all = d == 0 ? axis : crossed(all, axis, n);
  }
  Tensor y;
  for (const Pixels& p : all) {
    const Tensor index = p.index.unsqueeze(1).expand({x.size(0), x.size(1), places.size(1)});
    const Tensor part = flat.gather(2, index) * p.weight.unsqueeze(1);
    y = y.defined() ? y + part : part;
  }
  return y.view(sizes);
}

std::array<Tensor, 2> sample_backward_in_ops(const Tensor& gy, const Tensor& x, const Tensor& grid,
                                             const GridSampling& s, bool want_x, bool want_grid) {
  std::vector<Tensor> wanted;
  if (want_x) wanted.push_back(x);
  if (want_grid) wanted.push_back(grid);
  std::vector<Tensor> g = autograd::grad({sample_in_ops(x, grid, s, gy.sizes())}, wanted, {gy},
                                         true, true, /*allow_unused=*/true);
  for (size_t i = 0; i < g.size(); ++i)
    if (!g[i].defined()) g[i] = zeros_like(wanted[i]);  // nearest pixels do not depend on the grid
  return {want_x ? g.front() : Tensor(), want_grid ? g.back() : Tensor()};
}

std::array<Tensor, 2> sample_backward(const Tensor& gy, const Tensor& x, const Tensor& grid,
                                      const GridSampling& s, bool want_x, bool want_grid) {
  if (needs_grad(gy, x, grid)) return sample_backward_in_ops(gy, x, grid, s, want_x, want_grid);
  const Tensor g = gy.contiguous(), xc = x.contiguous(), places = grid.contiguous();
  std::array<Tensor, 2> r;
  if (want_x) r[0] = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  if (want_grid) r[1] = detail::make_tensor(grid.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, grid_sample_backward, r[0], r[1], g, xc, places, s);
  return r;
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  if (auto done =
          at_door<"grid_sampler">(input, grid, interpolation_mode, padding_mode, align_corners))
    return done;
  check_shapes(input, grid);
  TAPER_CHECK(
      interpolation_mode >= 0 && interpolation_mode <= 2 && padding_mode >= 0 && padding_mode <= 2,
      "grid_sampler: expected an interpolation mode and a padding mode of 0, 1 or 2, got ",
      interpolation_mode, " and ", padding_mode);
  TAPER_CHECK(input.dim() == 4 || interpolation_mode != 2,
              "grid_sampler(): bicubic interpolation only supports 4D input");
  check_dtypes(input, grid);
  const GridSampling s{static_cast<GridBlend>(interpolation_mode),
                       static_cast<GridPadding>(padding_mode), align_corners};
  Dims sizes = input.sizes();
  for (int64_t d = 2; d < sizes.size(); ++d) sizes[d] = grid.size(d - 1);
  Tensor y = detail::make_tensor(sizes, input.scalar_type(), input.device());
  const Tensor x = input.contiguous(), places = grid.contiguous();
  if (y.numel() > 0) TAPER_ON_DEVICE(y, grid_sample, y, x, places, s);
  if (needs_grad(input, grid))
    record(input.dim() == 4 ? "GridSampler2DBackward0" : "GridSampler3DBackward0", y, {input, grid},
           [x = saved(input), grid = saved(grid), s](Grads& g) {
             return sample_backward(g[0], x.get(), grid.get(), s, g.needs(0), g.needs(1));
           });
  return y;
}

Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  if (auto done =
          at_door<"grid_sampler_2d">(input, grid, interpolation_mode, padding_mode, align_corners))
    return done;
  TAPER_CHECK(input.dim() == 4, "grid_sampler_2d: expected an input of 4 dimensions, got ",
              input.sizes());
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  if (auto done =
          at_door<"grid_sampler_3d">(input, grid, interpolation_mode, padding_mode, align_corners))
    return done;
  TAPER_CHECK(input.dim() == 5, "grid_sampler_3d: expected an input of 5 dimensions, got ",
              input.sizes());
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
  if (auto done = at_door<"affine_grid_generator">(theta, size, align_corners)) return done;
  TAPER_CHECK(
      size.size() == 4 || size.size() == 5,
      "affine_grid_generator: AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  const int64_t dims = static_cast<int64_t>(size.size()) - 2;
  check_defined("affine_grid_generator", theta, "theta");
  TAPER_CHECK(theta.dim() == 3 && theta.size(0) == size[0] && theta.size(1) == dims &&
                  theta.size(2) == dims + 1,
              "affine_grid_generator: expected a theta of [", size[0], ", ", dims, ", ", dims + 1,
              "], got ", theta.sizes());
  // Numbers from -1 to 1 along each dimension, the width first, then ones.
  const TensorOptions options = theta.options().requires_grad(false);
  std::vector<Tensor> columns;
  for (int64_t d = dims; d-- > 0;) {
    const int64_t n = size[d + 2];
    Tensor line = n > 1 ? linspace(-1, 1, n, options) : zeros({n}, options);
    if (!align_corners) line = line * (static_cast<double>(n - 1) / static_cast<double>(n));
    Dims shape(dims, 1);
    shape[d] = n;
    columns.push_back(line.view(shape).expand(size.slice(2)));
  }
  columns.push_back(ones(size.slice(2), options));
  const Tensor base = stack(columns, -1).view({1, -1, dims + 1}).expand({size[0], -1, dims + 1});
  Dims shape{size[0]};
  for (int64_t d = 0; d < dims; ++d) shape.push_back(size[d + 2]);
  shape.push_back(dims);
  return bmm(base, theta.transpose(1, 2)).view(shape);
}

}  // namespace torch::taper
