#include <taper/nn/functional/vision.h>

#include <taper/framework/core/warning.h>
#include <taper/nn/functional/fold.h>
#include <taper/nn/functional/padding.h>
#include <taper/nn/functional/pixelshuffle.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/grid_sample.h>
#include <taper/ops/spatial/pad.h>

namespace torch::taper::nn::functional {

// ---------------------------------------------------------------------- vision
Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners) {
  TAPER_CHECK(theta.is_floating_point(), "Expected theta to have floating point type, but got ",
              theta.dtype());
  TAPER_CHECK(size.size() == 4 || size.size() == 5,
              "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
              "respectively. Got size ",
              size);
  const int64_t dims = static_cast<int64_t>(size.size()) - 2;
  TAPER_CHECK(theta.dim() == 3 && theta.size(-2) == dims && theta.size(-1) == dims + 1,
              "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1,
              " for size ", size, ". Got ", theta.sizes(), ".");
  for (int64_t s : size) TAPER_CHECK(s > 0, "Expected non-zero, positive output size. Got ", size);
  return affine_grid_generator(theta, size, align_corners);
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options) {
  const bool linear = holds_alternative<enumtype::kBilinear>(options.mode());
  const bool nearest = holds_alternative<enumtype::kNearest>(options.mode());
  if (!options.align_corners())
    taper::detail::warn_user(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
        "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
        "documentation of grid_sample for details.");
  return grid_sampler(input, grid,
                      linear    ? 0
                      : nearest ? 1
                                : 2,
                      static_cast<int64_t>(options.padding_mode().index()),
                      options.align_corners().value_or(false));
}

// ---------------------------------------------------------------------- padding
Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  const auto& mode = options.mode();
  if (holds_alternative<enumtype::kReflect>(mode))
    return taper::pad(input, options.pad(), "reflect", options.value());
  if (holds_alternative<enumtype::kReplicate>(mode))
    return taper::pad(input, options.pad(), "replicate", options.value());
  if (holds_alternative<enumtype::kCircular>(mode))
    return taper::pad(input, options.pad(), "circular", options.value());
  return taper::constant_pad_nd(input, options.pad(), options.value());
}

// ---------------------------------------------------------------------- pixelshuffle
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options) {
  return taper::pixel_shuffle(input, options.upscale_factor());
}
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options) {
  return taper::pixel_unshuffle(input, options.downscale_factor());
}

// ---------------------------------------------------------------------- fold
Tensor fold(const Tensor& input, const FoldFuncOptions& o) {
  TAPER_CHECK(input.dim() == 3 || input.dim() == 2,
              "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ",
              input.dim(), "D)");
  return col2im(input, o.output_size(), o.kernel_size(), o.dilation(), o.padding(), o.stride());
}

Tensor unfold(const Tensor& input, const UnfoldFuncOptions& o) {
  TAPER_CHECK(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ",
              input.dim(), "D)");
  return im2col(input, o.kernel_size(), o.dilation(), o.padding(), o.stride());
}

}  // namespace torch::taper::nn::functional
