#include <taper/ops/reduce/trapezoid.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {
namespace {

// Returns the means of neighbours, times their distance.
Tensor strips(const Tensor& y, const Tensor& width, int64_t dim) {
  const Tensor left = slice(y, dim, 0, -1), right = slice(y, dim, 1);
  const Tensor sums = left + right;
  return (width.defined() ? sums * width : sums) / 2;
}

// Returns distances of neighbouring coordinates x, shaped to broadcast with the strips of y.
Tensor widths(const Tensor& y, const Tensor& x, int64_t d) {
  TAPER_CHECK(x.scalar_type() != kBool && y.scalar_type() != kBool,
              "trapezoid: received a bool input for `x` or `y`, but bool is not supported");
  if (x.dim() == 1) {
    TAPER_CHECK(x.size(0) == y.size(d),
                "trapezoid: There must be one `x` value for each sample "
                "point");
    Dims shape(y.dim(), 1);
    shape[d] = x.size(0) - 1;
    return (slice(x, 0, 1) - slice(x, 0, 0, -1)).reshape(shape);
  }
  TAPER_CHECK(x.size(d) == y.size(d),
              "trapezoid: There must be one `x` value for each sample "
              "point");
  return slice(x, d, 1) - slice(x, d, 0, -1);
}

Tensor no_area(const Tensor& y, int64_t d) {
  Dims sizes = y.sizes();
  sizes.erase(d);
  return zeros(sizes, y.options());
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  if (auto done = at_door<"trapezoid">(y, dx, dim)) return done;
  check_defined("trapezoid", y, "y");
  TAPER_CHECK(y.scalar_type() != kBool,
              "trapezoid: received a bool input for `y`, but bool is not supported");
  const int64_t d = wrap_dim("trapezoid", dim, y.dim());
  if (y.size(d) == 0) return no_area(y, d);
  return strips(y, {}, d).sum(IntArrayRef(d)).mul(dx);
}

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  if (auto done = at_door<"trapezoid">(y, x, dim)) return done;
  check_defined("trapezoid", y, "y");
  check_defined("trapezoid", x, "x");
  const int64_t d = wrap_dim("trapezoid", dim, y.dim());
  if (y.size(d) == 0) return no_area(y, d);
  return strips(y, widths(y, x, d), d).sum(IntArrayRef(d));
}

Tensor trapz(const Tensor& y, double dx, int64_t dim) {
  if (auto done = at_door<"trapz">(y, dx, dim)) return done;
  return trapezoid(y, Scalar(dx), dim);
}
Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim) {
  if (auto done = at_door<"trapz">(y, x, dim)) return done;
  return trapezoid(y, x, dim);
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  if (auto done = at_door<"cumulative_trapezoid">(y, dx, dim)) return done;
  check_defined("cumulative_trapezoid", y, "y");
  const int64_t d = wrap_dim("cumulative_trapezoid", dim, y.dim());
  return cumsum(strips(y, {}, d).mul(dx), d);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  if (auto done = at_door<"cumulative_trapezoid">(y, x, dim)) return done;
  check_defined("cumulative_trapezoid", y, "y");
  check_defined("cumulative_trapezoid", x, "x");
  const int64_t d = wrap_dim("cumulative_trapezoid", dim, y.dim());
  return cumsum(strips(y, widths(y, x, d), d), d);
}

}  // namespace torch::taper
