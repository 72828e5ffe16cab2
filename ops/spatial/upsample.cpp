#include <taper/ops/spatial/upsample.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/spatial/upsample_kernels.h>

namespace torch::taper {

namespace {

// ---------------------------------------------------------------------- the pair of adjoints
Tensor adjoint(const Tensor& gy, const Dims& sizes, const Resampling& r, const char* node);

Tensor resample(const Tensor& x, const Dims& sizes, const Resampling& r, const char* node) {
  Tensor y = detail::make_tensor(sizes, x.scalar_type(), x.device());
  const Tensor xc = x.contiguous();
  if (y.numel() > 0) TAPER_ON_DEVICE(y, upsample, y, xc, r);
  if (needs_grad(x))
    record(node, y, {x}, [x_sizes = x.impl().sizes, r, node](const Tensor& g) {
      return adjoint(g, x_sizes, r, node);
    });
  return y;
}

Tensor adjoint(const Tensor& gy, const Dims& sizes, const Resampling& r, const char* node) {
  Tensor gx = detail::make_tensor(sizes, gy.scalar_type(), gy.device());
  const Tensor g = gy.contiguous();
  if (gx.numel() > 0) TAPER_ON_DEVICE(gx, upsample_adjoint, gx, g, r);
  if (needs_grad(gy))
    record(node, gx, {gy}, [y_sizes = gy.impl().sizes, r, node](const Tensor& gg) {
      return resample(gg, y_sizes, r, node);
    });
  return gx;
}

// ---------------------------------------------------------------------- check, shape
Dims output_sizes(const char* op, const Tensor& x, IntArrayRef size, int64_t spatial) {
  check_defined(op, x, "input");
  TAPER_CHECK(static_cast<int64_t>(size.size()) == spatial, op,
              ": It is expected output_size equals to ", spatial, ", but got size ", size.size());
  TAPER_CHECK(x.dim() == spatial + 2, op, ": It is expected input_size equals to ", spatial + 2,
              ", but got size ", x.dim());
  Dims y = x.sizes();
  for (int64_t d = 0; d < spatial; ++d) {
    TAPER_CHECK(x.size(d + 2) > 0 && size[d] > 0, op,
                ": Input and output sizes should be greater than 0, but got input ",
                x.sizes().slice(2), " and output ", size);
    y[d + 2] = size[d];
  }
  TAPER_CHECK(x.size(1) > 0, op, ": Non-empty ", spatial + 2,
              "D data tensor expected but got a tensor with sizes ", x.sizes());
  return y;
}

struct Name {
  const char* op;
  const char* node;
};

/// In two dimensions, LibTorch uses only the sizes if they are equal or one is twice the other.
void by_size_where_plain(Resampling& r, const Tensor& x, IntArrayRef size) {
  for (int64_t d = 0; d < 2; ++d)
    if (size[d] == x.size(d + 2) || size[d] == 2 * x.size(d + 2)) r.factors[d + 1] = 0;
}

Tensor upsampled(const Name& name, const Tensor& x, IntArrayRef size, Resampling r,
                 std::initializer_list<optional<double>> factors) {
  const int64_t spatial = static_cast<int64_t>(factors.size());
  const Dims sizes = output_sizes(name.op, x, size, spatial);
  int64_t d = 3 - spatial;
  for (const optional<double>& f : factors) r.factors[d++] = f.value_or(0);
  if (r.kind == Interpolation::kNearest && spatial == 2) by_size_where_plain(r, x, size);
  const bool nearest = r.kind == Interpolation::kNearest || r.kind == Interpolation::kNearestExact;
  const ScalarType t = x.scalar_type();
  if (!x.is_floating_point() && !(nearest && t == kByte)) detail::unsupported_dtype(name.op, t);
  if (t == kFloat || t == kDouble) return resample(x, sizes, r, name.node);
  return resample(x.to(kFloat), sizes, r, name.node).to(t);
}

constexpr Resampling kNearestPixel{Interpolation::kNearest};
constexpr Resampling kExactPixel{Interpolation::kNearestExact};

}  // namespace

Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size, optional<double> scales) {
  if (auto done = at_door<"upsample_nearest1d">(self, output_size, scales)) return done;
  return upsampled({"upsample_nearest1d", "UpsampleNearest1DBackward0"}, self, output_size,
                   kNearestPixel, {scales});
}
Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size, optional<double> scales_h,
                          optional<double> scales_w) {
  if (auto done = at_door<"upsample_nearest2d">(self, output_size, scales_h, scales_w)) return done;
  return upsampled({"upsample_nearest2d", "UpsampleNearest2DBackward0"}, self, output_size,
                   kNearestPixel, {scales_h, scales_w});
}
Tensor upsample_nearest3d(const Tensor& self, IntArrayRef output_size, optional<double> scales_d,
                          optional<double> scales_h, optional<double> scales_w) {
  if (auto done = at_door<"upsample_nearest3d">(self, output_size, scales_d, scales_h, scales_w))
    return done;
  return upsampled({"upsample_nearest3d", "UpsampleNearest3DBackward0"}, self, output_size,
                   kNearestPixel, {scales_d, scales_h, scales_w});
}
Tensor _upsample_nearest_exact1d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales) {
  if (auto done = at_door<"_upsample_nearest_exact1d">(self, output_size, scales)) return done;
  return upsampled({"_upsample_nearest_exact1d", "UpsampleNearestExact1DBackward0"}, self,
                   output_size, kExactPixel, {scales});
}
Tensor _upsample_nearest_exact2d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales_h, optional<double> scales_w) {
  if (auto done = at_door<"_upsample_nearest_exact2d">(self, output_size, scales_h, scales_w))
    return done;
  return upsampled({"_upsample_nearest_exact2d", "UpsampleNearestExact2DBackward0"}, self,
                   output_size, kExactPixel, {scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales_d, optional<double> scales_h,
                                 optional<double> scales_w) {
  if (auto done =
          at_door<"_upsample_nearest_exact3d">(self, output_size, scales_d, scales_h, scales_w))
    return done;
  return upsampled({"_upsample_nearest_exact3d", "UpsampleNearestExact3DBackward0"}, self,
                   output_size, kExactPixel, {scales_d, scales_h, scales_w});
}
Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                         optional<double> scales) {
  if (auto done = at_door<"upsample_linear1d">(self, output_size, align_corners, scales))
    return done;
  return upsampled({"upsample_linear1d", "UpsampleLinear1DBackward0"}, self, output_size,
                   {Interpolation::kLinear, align_corners}, {scales});
}
Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                           optional<double> scales_h, optional<double> scales_w) {
  if (auto done =
          at_door<"upsample_bilinear2d">(self, output_size, align_corners, scales_h, scales_w))
    return done;
  return upsampled({"upsample_bilinear2d", "UpsampleBilinear2DBackward0"}, self, output_size,
                   {Interpolation::kLinear, align_corners}, {scales_h, scales_w});
}
Tensor upsample_trilinear3d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                            optional<double> scales_d, optional<double> scales_h,
                            optional<double> scales_w) {
  if (auto done = at_door<"upsample_trilinear3d">(self, output_size, align_corners, scales_d,
                                                  scales_h, scales_w))
    return done;
  return upsampled({"upsample_trilinear3d", "UpsampleTrilinear3DBackward0"}, self, output_size,
                   {Interpolation::kLinear, align_corners}, {scales_d, scales_h, scales_w});
}
Tensor upsample_bicubic2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                          optional<double> scales_h, optional<double> scales_w) {
  if (auto done =
          at_door<"upsample_bicubic2d">(self, output_size, align_corners, scales_h, scales_w))
    return done;
  return upsampled({"upsample_bicubic2d", "UpsampleBicubic2DBackward0"}, self, output_size,
                   {Interpolation::kCubic, align_corners}, {scales_h, scales_w});
}
Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               optional<double> scales_h, optional<double> scales_w) {
  if (auto done =
          at_door<"_upsample_bilinear2d_aa">(self, output_size, align_corners, scales_h, scales_w))
    return done;
  return upsampled({"_upsample_bilinear2d_aa", "UpsampleBilinear2DAaBackward0"}, self, output_size,
                   {Interpolation::kLinear, align_corners, true}, {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              optional<double> scales_h, optional<double> scales_w) {
  if (auto done =
          at_door<"_upsample_bicubic2d_aa">(self, output_size, align_corners, scales_h, scales_w))
    return done;
  return upsampled({"_upsample_bicubic2d_aa", "UpsampleBicubic2DAaBackward0"}, self, output_size,
                   {Interpolation::kCubic, align_corners, true}, {scales_h, scales_w});
}

}  // namespace torch::taper
