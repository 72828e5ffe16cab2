#include <taper/ops/spatial/grid_sample.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/shared/autocast.h>
#include <taper/ops/spatial/grid_sample_kernels.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace taper {

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

[[noreturn]] void refuse_second_derivative(bool flat) {
  throw NotImplementedError(detail::concat("grid_sampler: derivative for aten::grid_sampler_",
                                           flat ? "2d" : "3d", "_backward is not implemented"));
}

std::array<Tensor, 2> sample_backward(const Tensor& gy, const Tensor& x, const Tensor& grid,
                                      const GridSampling& s, bool want_x, bool want_grid) {
  const Tensor g = gy.contiguous(), xc = x.contiguous(), places = grid.contiguous();
  std::array<Tensor, 2> r;
  if (want_x) r[0] = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  if (want_grid) r[1] = detail::make_tensor(grid.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, grid_sample_backward, r[0], r[1], g, xc, places, s);
  if (needs_grad(gy, x, grid))
    record(
        "GridSamplerBackwardBackward0", {r[0], r[1]}, {gy, x, grid},
        [flat = x.dim() == 4](Grads&) -> std::array<Tensor, 3> { refuse_second_derivative(flat); });
  return r;
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  if (auto cast = autocast_call("grid_sampler", grid_sampler, input, grid, interpolation_mode,
                                padding_mode, align_corners))
    return *cast;
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
  if (auto cast = autocast_call("grid_sampler_2d", grid_sampler_2d, input, grid, interpolation_mode,
                                padding_mode, align_corners))
    return *cast;
  TAPER_CHECK(input.dim() == 4, "grid_sampler_2d: expected an input of 4 dimensions, got ",
              input.sizes());
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  if (auto cast = autocast_call("grid_sampler_3d", grid_sampler_3d, input, grid, interpolation_mode,
                                padding_mode, align_corners))
    return *cast;
  TAPER_CHECK(input.dim() == 5, "grid_sampler_3d: expected an input of 5 dimensions, got ",
              input.sizes());
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
  TAPER_CHECK(
      size.size() == 4 || size.size() == 5,
      "affine_grid_generator: AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  const int64_t dims = static_cast<int64_t>(size.size()) - 2;
  check_defined("affine_grid_generator", theta, "theta");
  TAPER_CHECK(theta.dim() == 3 && theta.size(0) == size[0] && theta.size(1) == dims &&
                  theta.size(2) == dims + 1,
              "affine_grid_generator: expected a theta of [", size[0], ", ", dims, ", ", dims + 1,
              "], got ", theta.sizes());
  // Numbers from -1 to 1 along each dimension, the width first, and ones.
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

}  // namespace taper
