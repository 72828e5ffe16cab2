// Pooling composed of other ops: unpooling, and windows at random positions.
#include <taper/ops/spatial/pool_unpool.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

// ---------------------------------------------------------------------- maxima put back
namespace {

Tensor unpool(const Tensor& x, const Tensor& indices, IntArrayRef size, int64_t spatial) {
  const char* const op = spatial == 2 ? "max_unpooling2d" : "max_unpooling3d";
  check_defined(op, x, "input");
  check_defined(op, indices, "indices");
  TAPER_CHECK(indices.scalar_type() == kLong, op,
              ": elements in indices should be int64 but got: ", indices.dtype());
  TAPER_CHECK(
      static_cast<int64_t>(size.size()) == spatial, op, ": There should be exactly ",
      spatial == 2 ? "two elements (height, width)" : "three elements (depth, height, width)",
      " in output_size, but got ", size.size(), " elements.");
  TAPER_CHECK(x.dim() == spatial + 1 || x.dim() == spatial + 2, op, ": Input to ", op,
              " should be a ", spatial + 1, "d or ", spatial + 2,
              "d Tensor, but got a tensor with ", x.dim(), " dimensions");
  TAPER_CHECK(x.sizes() == indices.sizes(), op,
              ": Expected shape of indices to be same as that of the input tensor (", x.sizes(),
              ") but got indices tensor with shape: ", indices.sizes());
  Dims sizes = x.sizes();
  int64_t pixels = 1;
  for (int64_t d = 0; d < spatial; ++d) pixels *= sizes[x.dim() - spatial + d] = size[d];
  const int64_t first = x.dim() - spatial;
  Dims planes = x.sizes().slice(0, static_cast<size_t>(first));
  planes.push_back(pixels);
  return scatter(x.new_zeros(planes), -1, indices.flatten(first), x.flatten(first)).view(sizes);
}

}  // namespace

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  if (auto done = at_door<"max_unpool2d">(self, indices, output_size)) return done;
  return unpool(self, indices, output_size, 2);
}
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding) {
  if (auto done = at_door<"max_unpool3d">(self, indices, output_size, stride, padding)) return done;
  TAPER_CHECK(stride.size() == 3,
              "max_unpool3d: There should be exactly three elements (depth, height, width) in "
              "stride, but got: ",
              stride.size(), " elements.");
  TAPER_CHECK(padding.size() == 3,
              "max_unpool3d: There should be exactly three elements (depth, height, width) "
              "in padding, but got: ",
              padding.size(), " elements.");
  for (int64_t s : stride)
    TAPER_CHECK(s > 0,
                "max_unpool3d: strides should be greater than zero, but got stride: ", stride);
  return unpool(self, indices, output_size, 3);
}

// ---------------------------------------------------------------------- windows at random
namespace {

/// Returns the starts of the windows along one dimension: (N, C, out).
Tensor starts(const Tensor& samples, int64_t in, int64_t kernel, int64_t out) {
  const TensorOptions whole = samples.options().dtype(kLong);
  Dims sizes = samples.sizes();
  sizes.push_back(out);
  if (out == 1) return full(sizes, in - kernel, whole);
  const double step = static_cast<double>(in - kernel) / static_cast<double>(out - 1);
  const Tensor u = samples.unsqueeze(-1), at = arange(out, samples.options());
  const Tensor places = ((at + u) * step).to(kLong) - (u * step).to(kLong);
  // The last window ends with the image.
  return places.masked_fill(at.eq(out - 1), in - kernel);
}

struct Fractional {
  int64_t spatial;
  Dims kernel, out;
};

Fractional fractional_sizes(const char* op, const Tensor& x, IntArrayRef kernel, IntArrayRef out,
                            const Tensor& samples, int64_t spatial) {
  check_defined(op, x, "input");
  check_defined(op, samples, "random_samples");
  TAPER_CHECK(kernel.size() == 1 || static_cast<int64_t>(kernel.size()) == spatial, op,
              ": kernel_size must either be a single Int or tuple of Ints");
  TAPER_CHECK(out.size() == 1 || static_cast<int64_t>(out.size()) == spatial, op,
              ": output_size must either be a single Int or tuple of Ints");
  TAPER_CHECK(x.dim() == spatial + 2, op, "(): Expected ", spatial + 1, "D or ", spatial + 2,
              "D tensor, but got: ", x.sizes());
  Fractional f{spatial, {}, {}};
  for (int64_t d = 0; d < spatial; ++d) {
    f.kernel.push_back(kernel.size() == 1 ? kernel[0] : kernel[d]);
    f.out.push_back(out.size() == 1 ? out[0] : out[d]);
    TAPER_CHECK(f.kernel[d] > 0 && f.out[d] > 0 && f.out[d] + f.kernel[d] - 1 <= x.size(d + 2), op,
                "(): pool size ", f.kernel[d], " too large relative to input size ", x.size(d + 2));
  }
  TAPER_CHECK(samples.dim() == 3 && samples.size(0) == x.size(0) && samples.size(1) == x.size(1) &&
                  samples.size(2) == spatial,
              op, ": expected random_samples of [", x.size(0), ", ", x.size(1), ", ", spatial,
              "], got ", samples.sizes());
  return f;
}

/// Returns the positions of all elements of all windows: (N, C, out..., elements of a window).
Tensor window_places(const Tensor& x, const Fractional& f, const Tensor& samples) {
  const NoGradGuard values_only;
  Tensor places;
  for (int64_t d = 0; d < f.spatial; ++d) {
    // In 2d the samples start with the width, in 3d with the depth.
    const int64_t column = f.spatial == 2 ? 1 - d : d;
    const int64_t in = x.size(d + 2), k = f.kernel[d];
    const Tensor first = starts(samples.detach().select(-1, column), in, k, f.out[d]);
    Dims shape{x.size(0), x.size(1)};
    for (int64_t i = 0; i < 2 * f.spatial; ++i) shape.push_back(1);
    Dims elements(shape.size(), 1);
    shape[2 + d] = f.out[d];
    elements[2 + f.spatial + d] = k;
    const Tensor at = first.view(shape) + arange(k, first.options()).view(elements);
    places = places.defined() ? places * in + at : at;
  }
  return places.flatten(2 + f.spatial);
}

std::tuple<Tensor, Tensor> fractional(const char* op, const Tensor& given, IntArrayRef kernel,
                                      IntArrayRef out, const Tensor& samples, int64_t spatial) {
  check_defined(op, given, "input");
  const bool batch = given.dim() != spatial + 1;
  const Tensor x = batch ? given : given.unsqueeze(0);
  const Fractional f = fractional_sizes(op, x, kernel, out, samples, spatial);
  const Tensor places = window_places(x, f, samples);
  const Tensor values = gather(x.flatten(2), 2, places.flatten(2)).view(places.sizes());
  const auto [maxima, which] = values.max(-1);
  const Tensor found = gather(places, -1, which.unsqueeze(-1)).squeeze(-1);
  if (batch) return {maxima, found};
  return {maxima.squeeze(0), found.squeeze(0)};
}

}  // namespace

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples) {
  if (auto done = at_door<"fractional_max_pool2d">(self, kernel_size, output_size, random_samples))
    return done;
  return fractional("fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2);
}
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples) {
  if (auto done = at_door<"fractional_max_pool3d">(self, kernel_size, output_size, random_samples))
    return done;
  return fractional("fractional_max_pool3d", self, kernel_size, output_size, random_samples, 3);
}

}  // namespace torch::taper
