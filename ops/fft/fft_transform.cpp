#include <taper/ops/fft/fft_transform.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/generated/fft_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/fft/fft_kernels.h>
#include <taper/ops/fft/fft_rows.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

// ---------------------------------------------------------------- as they are
namespace detail {
namespace {

// Returns how many dimensions a kernel transforms at once.
int64_t dims_at_once(const Tensor& x) {
  return x.is_cuda() && runs_cuda_kernels() ? kMostFftDims : 1;
}

// Returns the dimensions of x, with `dims` after all others or before them.
Dims order_of(int64_t rank, const Dims& dims, bool first) {
  Dims order;
  const auto chosen = [&](int64_t d) {
    return std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  for (int64_t d = 0; d < rank; ++d)
    if (!chosen(d)) order.push_back(d);
  for (int64_t i = 0; i < dims.size(); ++i)
    first ? order.insert(i, dims[i]) : order.push_back(dims[i]);
  return order;
}
Tensor permuted_back(const Tensor& x, const Dims& order) {
  Dims back(order.size(), 0);
  for (int64_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return x.permute(back);
}

// Computes y by run(y, x) with `dims` after the other dimensions, without history. y has the sizes
// of x, but `last` in the last one of `dims`.
template <class Run>
Tensor by_boxes(const Tensor& x, const Dims& dims, int64_t last, ScalarType dtype, const Run& run) {
  const Dims order = order_of(x.dim(), dims, false);
  Tensor boxes = x.permute(order);
  // Complex numbers in a layout that the CUDA kernel takes are not moved.
  const bool as_they_are = dims_at_once(x) > 1 && dtype == x.scalar_type() &&
                           x.permute(order_of(x.dim(), dims, true)).is_contiguous();
  if (!as_they_are) boxes = boxes.contiguous();
  Dims sizes = boxes.sizes();
  sizes.back() = last;
  const Tensor y = as_they_are ? make_like(boxes) : make_tensor(sizes, dtype, x.device());
  if (y.numel() > 0) run(y, boxes);
  return permuted_back(y, order);
}

// Takes the last dimensions from `dims`, as many as are transformed at once. Only the position of
// the very last one matters. The others go in memory order, which avoids copies.
Dims take_last(Dims& dims, int64_t most) {
  std::sort(dims.begin(), dims.end() - 1);
  const int64_t count = std::min(most, dims.size()), first = dims.size() - count;
  const Dims last(IntArrayRef(dims.data() + first, static_cast<size_t>(count)));
  dims.resize(first);
  return last;
}

Tensor c2c_values(Tensor x, Dims dims, bool inverse, double scale) {
  std::sort(dims.begin(), dims.end());
  while (!dims.empty()) {
    const Dims group = take_last(dims, dims_at_once(x));
    const double factor = dims.empty() ? scale : 1;
    x = by_boxes(x, group, x.size(group.back()), x.scalar_type(),
                 [&](const Tensor& to, const Tensor& from) {
                   TAPER_ON_DEVICE(from, fft_complex, to, from, group.size(), inverse, factor);
                 });
  }
  return x;
}
Tensor r2c_values(const Tensor& x, Dims dims, double scale) {
  const Dims group = take_last(dims, dims_at_once(x));
  const double factor = dims.empty() ? scale : 1;
  const Tensor y = by_boxes(x, group, x.size(group.back()) / 2 + 1, toComplexType(x.scalar_type()),
                            [&](const Tensor& to, const Tensor& from) {
                              TAPER_ON_DEVICE(from, fft_real, to, from, group.size(), factor);
                            });
  return c2c_values(y, dims, false, scale);
}
// Transforms the last dimension separately. A cuFFT plan for several dimensions needs an x that is
// Hermitian in all of them together. A plan for rows ignores imaginary parts that must be zero.
Tensor c2r_values(const Tensor& x, Dims dims, int64_t n, double scale) {
  const Dims last = take_last(dims, 1);
  return by_boxes(c2c_values(x, dims, true, 1), last, n, toRealValueType(x.scalar_type()),
                  [&](const Tensor& to, const Tensor& from) {
                    TAPER_ON_DEVICE(from, fft_hermitian, to, from, scale);
                  });
}

// Returns f(x without history), as a tensor that may get a history.
template <class F>
Tensor values_of(const Tensor& x, const F& f) {
  const NoGradGuard values_only;
  return share_data(f(x.detach()).impl());
}

// Returns 1 for values without a conjugate partner, and 2 for values that also stand for their
// conjugates.
Tensor multiplicity(const Tensor& half, int64_t d, int64_t n) {
  Tensor w = half.new_ones({half.size(d)}, TensorOptions(toRealValueType(half.scalar_type())));
  w.narrow(0, 1, n - half.size(d)).fill_(2);
  Dims sizes(half.dim(), 1);
  sizes[d] = half.size(d);
  return w.view(sizes);
}

}  // namespace

Tensor fft_c2c(const Tensor& x, const Dims& dims, bool inverse, double scale) {
  if (dims.empty()) return x;
  Tensor y = values_of(x, [&](const Tensor& v) { return c2c_values(v, dims, inverse, scale); });
  if (needs_grad(x))
    record("FftC2CBackward0", y, {x},
           [dims, inverse, scale](const Tensor& g) { return fft_c2c(g, dims, !inverse, scale); });
  return y;
}

Tensor fft_r2c(const Tensor& x, const Dims& dims, double scale) {
  const int64_t d = dims.back(), n = x.size(d);
  Tensor y = values_of(x, [&](const Tensor& v) { return r2c_values(v, dims, scale); });
  if (needs_grad(x))
    record("FftR2CBackward0", y, {x}, [dims, d, n, scale](const Tensor& g) {
      return real(fft_c2c(resized(g, d, n), dims, true, scale));
    });
  return y;
}

Tensor fft_c2r(const Tensor& x, const Dims& dims, int64_t n, double scale) {
  Tensor y = values_of(x, [&](const Tensor& v) { return c2r_values(v, dims, n, scale); });
  if (needs_grad(x))
    record("FftC2RBackward0", y, {x}, [dims, n, scale](const Tensor& g) {
      const Tensor half = fft_r2c(g, dims, scale);
      return half.mul(multiplicity(half, dims.back(), n));
    });
  return y;
}

Tensor resized(const Tensor& x, int64_t d, int64_t n) {
  const int64_t size = x.size(d);
  if (size == n) return x;
  if (size > n) return x.narrow(d, 0, n);
  Dims missing = x.sizes();
  missing[d] = n - size;
  return cat({x, x.new_zeros(missing)}, d);
}

}  // namespace detail

namespace fft {
namespace {

void check_points(const char* op, int64_t n) {
  TAPER_CHECK(n >= 1, op, ": Invalid number of data points (", n, ") specified");
}

// Returns the factor of a transform of n points.
double scale_of(const char* op, const Norm& norm, bool forward, int64_t n) {
  const std::string_view name = norm.value_or("backward");
  if (name == "ortho") return 1 / std::sqrt(static_cast<double>(n));
  TAPER_CHECK(name == "forward" || name == "backward", op, ": Invalid normalization mode: \"", name,
              "\"");
  return (name == "forward") == forward ? 1 / static_cast<double>(n) : 1;
}

// Returns x in a dtype that has transforms: complex unless `real`.
Tensor promoted(const char* op, const Tensor& x, bool real) {
  check_defined(op, x, "self");
  TAPER_CHECK(!real || !x.is_complex(), op, " expects a real input tensor, but got ",
              toString(x.scalar_type()));
  const bool kept = isFloatingOrComplexType(x.scalar_type());
  const ScalarType t = kept ? x.scalar_type() : default_dtype();
  TAPER_CHECK(x.is_complex() || t == kFloat || t == kDouble, op, ": Unsupported dtype ",
              toString(t));
  return x.to(real ? t : toComplexType(t));
}

struct Line {
  Tensor x;
  int64_t dim, n;
};

// Returns x cropped or padded along one dimension.
Line line_of(const char* op, const Tensor& x, optional<int64_t> n, int64_t dim) {
  const int64_t d = wrap_dim(op, dim, x.dim());
  const int64_t points = n ? *n : x.size(d);
  check_points(op, points);
  return {detail::resized(x, d, points), d, points};
}

Tensor complex_line(const char* op, const Tensor& self, optional<int64_t> n, int64_t dim,
                    const Norm& norm, bool forward) {
  const Line l = line_of(op, promoted(op, self, false), n, dim);
  return detail::fft_c2c(l.x, {l.dim}, !forward, scale_of(op, norm, forward, l.n));
}

Tensor real_line(const char* op, const Tensor& self, optional<int64_t> n, int64_t dim,
                 const Norm& norm, bool forward) {
  const Line l = line_of(op, promoted(op, self, true), n, dim);
  const Tensor y = detail::fft_r2c(l.x, {l.dim}, scale_of(op, norm, forward, l.n));
  return forward ? y : y.conj();
}

Tensor hermitian_line(const char* op, const Tensor& self, optional<int64_t> n, int64_t dim,
                      const Norm& norm, bool forward) {
  const Tensor x = promoted(op, self, false);
  const int64_t d = wrap_dim(op, dim, x.dim());
  const int64_t points = n ? *n : 2 * (x.size(d) - 1);
  check_points(op, points);
  const Tensor half = detail::resized(x, d, points / 2 + 1);
  return detail::fft_c2r(forward ? half.conj() : half, {d}, points,
                         scale_of(op, norm, forward, points));
}

}  // namespace

Tensor fft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_fft">(self, n, dim, norm)) return done;
  return complex_line("fft", self, n, dim, norm, true);
}
Tensor ifft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_ifft">(self, n, dim, norm)) return done;
  return complex_line("ifft", self, n, dim, norm, false);
}
Tensor rfft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_rfft">(self, n, dim, norm)) return done;
  return real_line("rfft", self, n, dim, norm, true);
}
Tensor irfft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_irfft">(self, n, dim, norm)) return done;
  return hermitian_line("irfft", self, n, dim, norm, false);
}
Tensor hfft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_hfft">(self, n, dim, norm)) return done;
  return hermitian_line("hfft", self, n, dim, norm, true);
}
Tensor ihfft(const Tensor& self, optional<int64_t> n, int64_t dim, Norm norm) {
  if (auto done = at_door<"fft_ihfft">(self, n, dim, norm)) return done;
  return real_line("ihfft", self, n, dim, norm, false);
}

// ---------------------------------------------------------------- more dimensions
namespace {

/// The dimensions of a transform, and the number of points in each.
struct Box {
  Dims dims, points;
};

Dims chosen_dims(const char* op, const Tensor& x, OptionalIntArrayRef s, OptionalIntArrayRef dim) {
  Dims dims;
  if (dim) {
    for (const int64_t d : *dim) dims.push_back(wrap_dim(op, d, x.dim()));
    uint32_t seen = 0;
    for (const int64_t d : dims) {
      TAPER_CHECK(!((seen >> d) & 1u), op, ": FFT dims must be unique");
      seen |= 1u << d;
    }
    return dims;
  }
  const int64_t count = s ? static_cast<int64_t>(s->size()) : x.dim();
  TAPER_CHECK(count <= x.dim(), op, ": Got shape with ", count,
              " values but input tensor only has ", x.dim(), " dimensions.");
  for (int64_t d = x.dim() - count; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

// With `hermitian`, the last dimension of x is half of the result's.
Box box_of(const char* op, const Tensor& x, OptionalIntArrayRef s, OptionalIntArrayRef dim,
           bool hermitian) {
  TAPER_CHECK(!s || !dim || s->size() == dim->size(), op,
              ": When given, dim and shape arguments must have the same length");
  Box box{chosen_dims(op, x, s, dim), {}};
  for (int64_t i = 0; i < box.dims.size(); ++i) {
    const int64_t size = x.size(box.dims[i]);
    const int64_t whole = hermitian && i + 1 == box.dims.size() ? 2 * (size - 1) : size;
    const int64_t points =
        s && (*s)[static_cast<size_t>(i)] != -1 ? (*s)[static_cast<size_t>(i)] : whole;
    check_points(op, points);
    box.points.push_back(points);
  }
  return box;
}

Tensor cropped(Tensor x, const Box& box, bool hermitian) {
  for (int64_t i = 0; i < box.dims.size(); ++i) {
    const bool half = hermitian && i + 1 == box.dims.size();
    x = detail::resized(x, box.dims[i], half ? box.points[i] / 2 + 1 : box.points[i]);
  }
  return x;
}

// Returns the factor of a transform of all points of a box.
double scale_of(const char* op, const Norm& norm, bool forward, const Box& box) {
  double scale = 1;
  for (const int64_t n : box.points) scale *= scale_of(op, norm, forward, n);
  return scale;
}

Tensor complex_box(const char* op, const Tensor& self, OptionalIntArrayRef s,
                   OptionalIntArrayRef dim, const Norm& norm, bool forward) {
  const Tensor x = promoted(op, self, false);
  const Box box = box_of(op, x, s, dim, false);
  const double scale = scale_of(op, norm, forward, box);
  return detail::fft_c2c(cropped(x, box, false), box.dims, !forward, scale);
}

void check_any(const char* op, const Box& box) {
  TAPER_CHECK(!box.dims.empty(), op, " must transform at least one axis");
}

Tensor real_box(const char* op, const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                const Norm& norm, bool forward) {
  TAPER_CHECK(!self.is_complex(), op, " expects a real-valued input tensor, but got ",
              toString(self.scalar_type()));
  const Tensor x = promoted(op, self, true);
  const Box box = box_of(op, x, s, dim, false);
  check_any(op, box);
  const double scale = scale_of(op, norm, forward, box);
  const Tensor half = detail::fft_r2c(cropped(x, box, false), box.dims, scale);
  return forward ? half : half.conj();
}

Tensor hermitian_box(const char* op, const Tensor& self, OptionalIntArrayRef s,
                     OptionalIntArrayRef dim, const Norm& norm, bool forward) {
  const Tensor x = promoted(op, self, false);
  const Box box = box_of(op, x, s, dim, true);
  check_any(op, box);
  const double scale = scale_of(op, norm, forward, box);
  const Tensor half = cropped(x, box, true);
  return detail::fft_c2r(forward ? half.conj() : half, box.dims, box.points.back(), scale);
}

}  // namespace

Tensor fftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_fftn">(self, s, dim, norm)) return done;
  return complex_box("fftn", self, s, dim, norm, true);
}
Tensor ifftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_ifftn">(self, s, dim, norm)) return done;
  return complex_box("ifftn", self, s, dim, norm, false);
}
Tensor rfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_rfftn">(self, s, dim, norm)) return done;
  return real_box("rfftn", self, s, dim, norm, true);
}
Tensor irfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_irfftn">(self, s, dim, norm)) return done;
  return hermitian_box("irfftn", self, s, dim, norm, false);
}
Tensor hfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_hfftn">(self, s, dim, norm)) return done;
  return hermitian_box("hfftn", self, s, dim, norm, true);
}
Tensor ihfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  if (auto done = at_door<"fft_ihfftn">(self, s, dim, norm)) return done;
  return real_box("ihfftn", self, s, dim, norm, false);
}

// ---------------------------------------------------------------- helpers
namespace {

void check_frequencies(const char* op, const TensorOptions& options) {
  TAPER_CHECK(isFloatingType(options.scalar_type()), op,
              " requires a floating point or complex dtype");
}

// Returns the frequencies of n values, with `half` only up to n / 2.
Tensor frequencies(const char* op, int64_t n, double d, const TensorOptions& options, bool half) {
  check_frequencies(op, options);
  TAPER_CHECK(n >= 0, op, ": Trying to create tensor with negative dimension ", n, ": [", n, "]");
  const NoGradGuard values_only;
  Tensor y =
      arange(half ? n / 2 + 1 : n, options.dtype(options.scalar_type()).requires_grad(false));
  if (!half) y.narrow(0, (n + 1) / 2, n / 2).sub_(n);
  y.mul_(1 / (static_cast<double>(n) * d));
  return options.requires_grad() ? y.set_requires_grad(true) : y;
}

Tensor shifted(const char* op, const Tensor& x, OptionalIntArrayRef dim, int64_t round_up) {
  check_defined(op, x, "self");
  Dims dims, shifts;
  for (int64_t d = 0; !dim && d < x.dim(); ++d) dims.push_back(d);
  if (dim)
    for (const int64_t d : *dim) dims.push_back(wrap_dim(op, d, x.dim()));
  for (const int64_t d : dims) shifts.push_back((x.size(d) + round_up) / 2);
  return dims.empty() ? x.clone() : roll(x, shifts, dims);
}

}  // namespace

Tensor fftfreq(int64_t n, double d, const TensorOptions& options) {
  if (auto done = at_door<"fft_fftfreq">(n, d, options)) return done;
  return frequencies("fftfreq", n, d, options, false);
}
Tensor rfftfreq(int64_t n, double d, const TensorOptions& options) {
  if (auto done = at_door<"fft_rfftfreq">(n, d, options)) return done;
  return frequencies("rfftfreq", n, d, options, true);
}
Tensor fftshift(const Tensor& x, OptionalIntArrayRef dim) {
  if (auto done = at_door<"fft_fftshift">(x, dim)) return done;
  return shifted("fftshift", x, dim, 0);
}
Tensor ifftshift(const Tensor& x, OptionalIntArrayRef dim) {
  if (auto done = at_door<"fft_ifftshift">(x, dim)) return done;
  return shifted("ifftshift", x, dim, 1);
}

}  // namespace fft
}  // namespace torch::taper

namespace torch::taper {

// ---------------------------------------------------------------- out forms
#define TAPER_DEFINE_FFT_OUT(name)                                                               \
  TAPER_OUT(fft_##name, (out, self, n, dim, norm), fft_##name(self, n, dim, norm), (self),       \
            const Tensor& self, optional<int64_t> n, int64_t dim, fft::Norm norm)                \
  TAPER_OUT(fft_##name##2, (out, self, s, dim, norm), fft_##name##2(self, s, dim, norm), (self), \
            const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, fft::Norm norm)          \
  TAPER_OUT(fft_##name##n, (out, self, s, dim, norm), fft_##name##n(self, s, dim, norm), (self), \
            const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, fft::Norm norm)
TAPER_DEFINE_FFT_OUT(fft)
TAPER_DEFINE_FFT_OUT(ifft)
TAPER_DEFINE_FFT_OUT(rfft)
TAPER_DEFINE_FFT_OUT(irfft)
TAPER_DEFINE_FFT_OUT(hfft)
TAPER_DEFINE_FFT_OUT(ihfft)

}  // namespace torch::taper
