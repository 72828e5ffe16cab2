#include <taper/nn/functional/vision.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/core/warning.h>
#include <taper/nn/functional/fold.h>
#include <taper/nn/functional/padding.h>
#include <taper/nn/functional/pixelshuffle.h>
#include <taper/nn/functional/upsampling.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/grid_sample.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/spatial/upsample.h>

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

namespace torch::taper::nn::functional {

namespace {

using Options = InterpolateFuncOptions;

template <class Mode>
bool is(const Options& o) {
  return holds_alternative<Mode>(o.mode());
}

std::vector<int64_t> output_size(const Tensor& input, const Options& o) {
  TAPER_CHECK(o.size() || o.scale_factor(), "either size or scale_factor should be defined");
  TAPER_CHECK(!o.size() || !o.scale_factor(), "only one of size or scale_factor should be defined");
  if (o.size()) return *o.size();
  const std::vector<double>& factors = *o.scale_factor();
  const int64_t spatial = input.dim() - 2;
  TAPER_CHECK(static_cast<int64_t>(factors.size()) == spatial,
              "scale_factor shape must match input shape. Input is ", spatial,
              "D, scale_factor size is ", ArrayRef<double>(factors));
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < factors.size(); ++d)
    sizes.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(input.size(static_cast<int64_t>(d) + 2)) * factors[d])));
  return sizes;
}

// Throws Error if the mode does not fit the number of dimensions.
void check_mode(const Tensor& input, const Options& o) {
  const auto needs = [&](bool chosen, const char* mode, int64_t dims) {
    TAPER_CHECK(!chosen || input.dim() == dims, "Got ", input.dim(), "D input, but ", mode,
                " mode needs ", dims, "D input");
  };
  const bool known = input.dim() >= 3 && input.dim() <= 5;
  TAPER_CHECK(known && (input.dim() == 4 || !is<enumtype::kBicubic>(o)),
              "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", input.dim(),
              "D) for the modes: nearest | linear | bilinear | bicubic | trilinear (got ",
              enumtype::get_enum_name(o.mode()), ")");
  needs(is<enumtype::kLinear>(o), "linear", 3);
  needs(is<enumtype::kBilinear>(o), "bilinear", 4);
  needs(is<enumtype::kTrilinear>(o), "trilinear", 5);
}

void check_options(const Tensor& input, const Options& o) {
  const bool blends =
      !is<enumtype::kNearest>(o) && !is<enumtype::kArea>(o) && !is<enumtype::kNearestExact>(o);
  TAPER_CHECK(
      blends || !o.align_corners(),
      "align_corners option can only be set with the interpolating modes: linear | bilinear "
      "| bicubic | trilinear");
  TAPER_CHECK(!o.antialias() ||
                  (input.dim() == 4 && (is<enumtype::kBilinear>(o) || is<enumtype::kBicubic>(o))),
              "Anti-alias option is only supported for bilinear and bicubic modes");
}

/// Warns about the default of an option that is not given and has changed between versions of
/// PyTorch.
void warn_of_defaults(const Options& o) {
  const bool blends = is<enumtype::kLinear>(o) || is<enumtype::kBilinear>(o) ||
                      is<enumtype::kBicubic>(o) || is<enumtype::kTrilinear>(o);
  if (blends && !o.align_corners())
    taper::detail::warn_user(taper::detail::concat(
        "Default upsampling behavior when mode=", enumtype::get_enum_name(o.mode()),
        " is changed to align_corners=False since 0.4.0. Please specify align_corners=True if the "
        "old behavior is desired. See the documentation of nn.Upsample for details."));
  if (!o.scale_factor() || o.recompute_scale_factor()) return;
  const auto whole = [](double f) { return std::floor(f) == f; };
  if (!std::all_of(o.scale_factor()->begin(), o.scale_factor()->end(), whole))
    taper::detail::warn_user(
        "The default behavior for interpolate/upsample with float scale_factor changed in 1.6.0 to "
        "align with other frameworks/libraries, and uses scale_factor directly, instead of relying "
        "on the computed output size. If you wish to keep the old behavior, please set "
        "recompute_scale_factor=True. See the documentation of nn.Upsample for details. ");
}

Tensor area(const Tensor& x, const std::vector<int64_t>& size) {
  if (x.dim() == 3) return adaptive_avg_pool1d(x, size);
  return x.dim() == 4 ? adaptive_avg_pool2d(x, size) : adaptive_avg_pool3d(x, size);
}

using Factors = std::vector<optional<double>>;

Tensor nearest(const Tensor& x, const std::vector<int64_t>& size, const Factors& f) {
  if (x.dim() == 3) return upsample_nearest1d(x, size, f[0]);
  return x.dim() == 4 ? upsample_nearest2d(x, size, f[0], f[1])
                      : upsample_nearest3d(x, size, f[0], f[1], f[2]);
}
Tensor nearest_exact(const Tensor& x, const std::vector<int64_t>& size, const Factors& f) {
  if (x.dim() == 3) return _upsample_nearest_exact1d(x, size, f[0]);
  return x.dim() == 4 ? _upsample_nearest_exact2d(x, size, f[0], f[1])
                      : _upsample_nearest_exact3d(x, size, f[0], f[1], f[2]);
}

}  // namespace

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& o) {
  check_options(input, o);
  check_mode(input, o);
  const std::vector<int64_t> size = output_size(input, o);
  warn_of_defaults(o);
  Factors f(static_cast<size_t>(input.dim() - 2));
  if (o.scale_factor() && !o.recompute_scale_factor().value_or(false))
    f.assign(o.scale_factor()->begin(), o.scale_factor()->end());
  const bool corners = o.align_corners().value_or(false);
  if (is<enumtype::kNearest>(o)) return nearest(input, size, f);
  if (is<enumtype::kNearestExact>(o)) return nearest_exact(input, size, f);
  if (is<enumtype::kArea>(o)) return area(input, size);
  if (is<enumtype::kLinear>(o)) return upsample_linear1d(input, size, corners, f[0]);
  if (is<enumtype::kTrilinear>(o))
    return upsample_trilinear3d(input, size, corners, f[0], f[1], f[2]);
  if (is<enumtype::kBilinear>(o))
    return o.antialias() ? _upsample_bilinear2d_aa(input, size, corners, f[0], f[1])
                         : upsample_bilinear2d(input, size, corners, f[0], f[1]);
  return o.antialias() ? _upsample_bicubic2d_aa(input, size, corners, f[0], f[1])
                       : upsample_bicubic2d(input, size, corners, f[0], f[1]);
}

}  // namespace torch::taper::nn::functional
