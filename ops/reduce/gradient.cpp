#include <taper/ops/reduce/gradient.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

/// Returns the requested dimensions, wrapped.
std::vector<int64_t> dims_of(const Tensor& self, const optional<int64_t>& dim) {
  check_defined("gradient", self, "self");
  if (dim) return {wrap_dim("gradient", *dim, self.dim())};
  std::vector<int64_t> all;
  for (int64_t d = 0; d < self.dim(); ++d) all.push_back(d);
  return all;
}
std::vector<int64_t> dims_of(const Tensor& self, IntArrayRef dim) {
  check_defined("gradient", self, "self");
  const Dims wrapped = wrap_dims("gradient", dim, self.dim());
  return {wrapped.begin(), wrapped.end()};
}

void check_points(const Tensor& self, const std::vector<int64_t>& dims, size_t spacings,
                  int64_t edge_order) {
  TAPER_CHECK(edge_order == 1 || edge_order == 2,
              "torch.gradient only supports edge_order=1 and edge_order=2.");
  TAPER_CHECK(spacings == dims.size(),
              "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
              "equal to 'self.dim() - 1', but got a list of length ",
              spacings);
  for (int64_t d : dims)
    TAPER_CHECK(self.size(d) >= edge_order + 1,
                "torch.gradient expected each dimension size to be at least edge_order+1");
}

Tensor in_floats(const Tensor& self) {
  return isFloatingOrComplexType(self.scalar_type()) ? self : self.to(default_dtype());
}

/// Returns the differences of neighbouring coordinates along `dim`, shaped to broadcast with x.
Tensor steps_of(const Tensor& places, const Tensor& x, int64_t dim) {
  TAPER_CHECK(places.dim() == 1 && places.numel() == x.size(dim),
              "torch.gradient expected spacing to be a vector of ", x.size(dim),
              " coordinates, got sizes ", places.sizes());
  const int64_t n = places.numel();
  const Tensor steps =
      (places.narrow(0, 1, n - 1) - places.narrow(0, 0, n - 1)).to(x.scalar_type());
  Dims along(x.dim(), 1);
  along[dim] = n - 1;
  return steps.reshape(along);
}

/// Returns the derivative at an end from the slopes there. h and next are the first two steps
/// inwards.
Tensor at_end(const Tensor& slope, const Tensor& slope_inside, const Tensor& h, const Tensor& next,
              int64_t edge_order) {
  if (edge_order == 1) return slope;
  // The line through the slopes at the midpoints of the two steps.
  return slope + (slope - slope_inside) * (h / (h + next));
}

/// Returns the derivative of x. `steps` has the size of x minus one along dim.
Tensor derivative(const Tensor& x, const Tensor& steps, int64_t dim, int64_t edge_order) {
  const int64_t n = x.size(dim);
  const Tensor slopes = (x.narrow(dim, 1, n - 1) - x.narrow(dim, 0, n - 1)) / steps;
  const auto slope = [&](int64_t i) { return slopes.narrow(dim, i, 1); };
  const auto step = [&](int64_t i) { return steps.narrow(dim, i, 1); };
  const int64_t last = n - 2, inner = n > 2 ? 1 : 0;
  std::vector<Tensor> parts{at_end(slope(0), slope(inner), step(0), step(inner), edge_order)};
  if (n > 2) {
    // The weighted mean of the slopes on both sides. The nearer one has more weight.
    const Tensor before = steps.narrow(dim, 0, n - 2), after = steps.narrow(dim, 1, n - 2);
    parts.push_back((slopes.narrow(dim, 0, n - 2) * after + slopes.narrow(dim, 1, n - 2) * before) /
                    (before + after));
  }
  parts.push_back(
      at_end(slope(last), slope(last - inner), step(last), step(last - inner), edge_order));
  return cat(parts, dim);
}

std::vector<Tensor> by_numbers(const Tensor& self, ArrayRef<Scalar> spacing,
                               const std::vector<int64_t>& dims, int64_t edge_order) {
  check_points(self, dims, spacing.size(), edge_order);
  const Tensor x = in_floats(self);
  std::vector<Tensor> all;
  for (size_t i = 0; i < dims.size(); ++i) {
    Dims along(x.dim(), 1);
    along[dims[i]] = x.size(dims[i]) - 1;
    const Tensor steps = full(along, spacing[i], x.detach().options());
    all.push_back(derivative(x, steps, dims[i], edge_order));
  }
  return all;
}

std::vector<Tensor> by_places(const Tensor& self, TensorList places,
                              const std::vector<int64_t>& dims, int64_t edge_order) {
  check_points(self, dims, places.size(), edge_order);
  const Tensor x = in_floats(self);
  std::vector<Tensor> all;
  for (size_t i = 0; i < dims.size(); ++i)
    all.push_back(derivative(x, steps_of(places[i], x, dims[i]), dims[i], edge_order));
  return all;
}

std::vector<Tensor> by_number(const Tensor& self, const Scalar& spacing,
                              const std::vector<int64_t>& dims, int64_t edge_order) {
  const std::vector<Scalar> each(dims.size(), spacing);
  return by_numbers(self, each, dims, edge_order);
}

}  // namespace

std::vector<Tensor> gradient(const Tensor& self, const optional<Scalar>& spacing,
                             optional<int64_t> dim, int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_number(self, spacing.value_or(Scalar(1)), dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, const Scalar& spacing, IntArrayRef dim,
                             int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_number(self, spacing, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, IntArrayRef dim, int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, dim, edge_order)) return done;
  return by_number(self, 1, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, optional<int64_t> dim,
                             int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_numbers(self, spacing, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, IntArrayRef dim,
                             int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_numbers(self, spacing, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing, optional<int64_t> dim,
                             int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_places(self, spacing, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing, IntArrayRef dim,
                             int64_t edge_order) {
  if (auto done = at_door<"gradient">(self, spacing, dim, edge_order)) return done;
  return by_places(self, spacing, dims_of(self, dim), edge_order);
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const optional<Tensor>& prepend,
            const optional<Tensor>& append) {
  if (auto done = at_door<"diff">(self, n, dim, prepend, append)) return done;
  check_defined("diff", self, "self");
  TAPER_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  std::vector<Tensor> parts;
  if (prepend && prepend->defined()) parts.push_back(*prepend);
  parts.push_back(self);
  if (append && append->defined()) parts.push_back(*append);
  for (const Tensor& t : parts)
    TAPER_CHECK(t.dim() == self.dim(),
                "diff expects prepend or append to be the same dimension as input");
  Tensor y = parts.size() > 1 ? cat(parts, dim) : self;
  for (int64_t i = 0; i < n && y.size(dim) > 0; ++i) {
    const Tensor later = y.narrow(dim, 1, y.size(dim) - 1);
    const Tensor earlier = y.narrow(dim, 0, y.size(dim) - 1);
    y = y.scalar_type() == kBool ? later.logical_xor(earlier) : later - earlier;
  }
  return y.is_same(self) ? self.clone() : y;
}

Tensor Tensor::diff(int64_t n, int64_t dim, const optional<Tensor>& prepend,
                    const optional<Tensor>& append) const {
  return taper::diff(*this, n, dim, prepend, append);
}

}  // namespace torch::taper
