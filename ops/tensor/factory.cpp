#include <taper/ops/tensor/factory.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/capture/capture.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory_finish.h>
#include <taper/ops/tensor/factory_kernels.h>

namespace torch::taper {

using detail::finish;
using detail::strided_numel;

namespace {

__extension__ using Wide = __int128;  // holds each product of two sizes

// Returns memory for a factory's result, page-locked if the options say so.
Tensor new_memory(const char* op, IntArrayRef size, ScalarType dtype, Device device, bool pinned) {
  if (__builtin_expect(!pinned, 1)) return detail::make_tensor(size, dtype, device, op);
  detail::check_may_pin(op, device);
  return detail::make_pinned(op, size, dtype);
}

Tensor uninitialised(const char* op, IntArrayRef size, const TensorOptions& options) {
  return new_memory(op, size, options.scalar_type(), options.device(), options.pinned_memory());
}

void set_strides(const Tensor& y, const Dims& strides) {
  y.impl().strides = strides;
  y.impl().update_geometry();
}

void apply_format(const char* op, const Tensor& y, MemoryFormat format) {
  if (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d)
    set_strides(y, channels_last_strides(op, y.sizes(), format));
}

Tensor uninitialised_like(const Tensor& like, const TensorOptions& options,
                          optional<MemoryFormat> format) {
  check_defined("empty_like", like, "self");
  if (!format) format = options.memory_format_opt();
  const ScalarType dtype = options.has_dtype() ? options.scalar_type() : like.scalar_type();
  const Device device = options.has_device() ? options.device() : like.device();
  const Tensor y = new_memory("empty_like", like.sizes(), dtype, device, options.pinned_memory());
  if (!format || *format == MemoryFormat::Preserve) {
    if (!like.impl().contiguous && like.is_non_overlapping_and_dense())
      set_strides(y, like.impl().strides);
  } else {
    apply_format("empty_like", y, *format);
  }
  return y;
}

void clear(const Tensor& y) { TAPER_ON_DEVICE(y, clear, y); }

TensorOptions with_dtype_of(const Scalar& value, const TensorOptions& options) {
  if (options.has_dtype() || value.isFloatingPoint()) return options;
  if (value.isComplex()) return options.dtype(toComplexType(default_dtype()));
  return options.dtype(value.type());
}

}  // namespace

// ---------------------------------------------------------------- filled with one value
Tensor empty(IntArrayRef size, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"empty">(size, options, format)) return done;
  Tensor y = uninitialised("empty", size, options);
  if (__builtin_expect(format || options.has_memory_format(), 0))
    apply_format("empty", y, format ? *format : *options.memory_format_opt());
  detail::ask_for_gradient(y, options);
  return y;
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
  if (auto done = at_door<"empty_strided">(size, stride, options)) return done;
  const int64_t numel = strided_numel("empty_strided", size, stride, options.scalar_type());
  Tensor y = uninitialised("empty_strided", numel, options);
  y.impl().sizes = size;
  set_strides(y, stride);
  return finish(std::move(y), options);
}

Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options) {
  if (auto done = at_door<"empty_permuted">(size, physical_layout, options)) return done;
  const size_t rank = size.size();
  TAPER_CHECK(rank == physical_layout.size(),
              "empty_permuted: Number of dimensions in size does not match the length of the "
              "physical_layout; i.e. "
              "len(size) = ",
              rank, " is not equal to len(physical_layout) = ", physical_layout.size());
  Dims strides(static_cast<int64_t>(rank), -1);
  int64_t step = 1;
  for (size_t i = rank; i-- > 0;) {
    const int64_t d = physical_layout[i];
    TAPER_CHECK(d >= 0 && d < static_cast<int64_t>(rank),
                "empty_permuted: Dimension out of range (expected to be between 0 and ", rank - 1,
                ", but got ", d, " at index ", i, ").");
    TAPER_CHECK(strides[d] < 0, "empty_permuted: Duplicate dim not allowed");
    strides[d] = step;
    step = detail::checked_mul("empty_permuted", step,
                               std::max<int64_t>(size[static_cast<size_t>(d)], 1));
  }
  return empty_strided(size, strides, options);
}

Tensor zeros(IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"zeros">(size, options)) return done;
  Tensor y = uninitialised("zeros", size, options);
  clear(y);
  if (__builtin_expect(options.has_memory_format(), 0))
    apply_format("zeros", y, *options.memory_format_opt());
  detail::ask_for_gradient(y, options);
  return y;
}

Tensor ones(IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"ones">(size, options)) return done;
  return full(size, 1, options.has_dtype() ? options : options.dtype(default_dtype()));
}

Tensor full(IntArrayRef size, const Scalar& value, TensorOptions options) {
  if (auto done = at_door<"full">(size, value, options)) return done;
  Tensor y = uninitialised("full", size, with_dtype_of(value, options));
  y.fill_(value);
  if (options.has_memory_format()) apply_format("full", y, *options.memory_format_opt());
  return finish(std::move(y), options);
}

Tensor scalar_tensor(const Scalar& value, TensorOptions options) {
  if (auto done = at_door<"scalar_tensor">(value, options)) return done;
  Tensor y = uninitialised("scalar_tensor", {}, options);
  y.fill_(value);
  return finish(std::move(y), options);
}

Tensor eye(int64_t n, TensorOptions options) {
  if (auto done = at_door<"eye">(n, options)) return done;
  return eye(n, n, options);
}

Tensor eye(int64_t n, int64_t m, TensorOptions options) {
  if (auto done = at_door<"eye">(n, m, options)) return done;
  TAPER_CHECK(n >= 0, "eye: n must be greater or equal to 0, got ", n);
  TAPER_CHECK(m >= 0, "eye: m must be greater or equal to 0, got ", m);
  Tensor y = uninitialised("eye", {n, m}, options);
  clear(y);
  if (n > 0 && m > 0) y.as_strided({std::min(n, m)}, {m + 1}).fill_(1);
  return finish(std::move(y), options);
}

Tensor empty_like(const Tensor& like, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"empty_like">(like, options, format)) return done;
  return finish(uninitialised_like(like, options, format), options);
}

Tensor zeros_like(const Tensor& like, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"zeros_like">(like, options, format)) return done;
  Tensor y = uninitialised_like(like, options, format);
  clear(y);
  return finish(std::move(y), options);
}

Tensor ones_like(const Tensor& like, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"ones_like">(like, options, format)) return done;
  return full_like(like, 1, options, format);
}

Tensor full_like(const Tensor& like, const Scalar& value, TensorOptions options,
                 optional<MemoryFormat> format) {
  if (auto done = at_door<"full_like">(like, value, options, format)) return done;
  Tensor y = uninitialised_like(like, options, format);
  y.fill_(value);
  return finish(std::move(y), options);
}

Tensor Tensor::new_empty(IntArrayRef size, TensorOptions options) const {
  if (auto done = at_door<"new_empty">(*this, size, options)) return done;
  return empty(size, this->options().merge_in(options));
}
Tensor Tensor::new_zeros(IntArrayRef size, TensorOptions options) const {
  if (auto done = at_door<"new_zeros">(*this, size, options)) return done;
  return zeros(size, this->options().merge_in(options));
}
Tensor Tensor::new_ones(IntArrayRef size, TensorOptions options) const {
  if (auto done = at_door<"new_ones">(*this, size, options)) return done;
  return ones(size, this->options().merge_in(options));
}
Tensor Tensor::new_full(IntArrayRef size, const Scalar& value, TensorOptions options) const {
  if (auto done = at_door<"new_full">(*this, size, value, options)) return done;
  return full(size, value, this->options().merge_in(options));
}

Tensor Tensor::new_tensor(const detail::TensorDataContainer& data, TensorOptions options) const {
  return tensor(data, this->options().merge_in(options));
}

// ---------------------------------------------------------------- sequences
namespace {

void check_range(const char* op, const Scalar& start, const Scalar& end, const Scalar& step) {
  const double a = start.toDouble(), b = end.toDouble(), by = step.toDouble();
  TAPER_CHECK(by > 0 || by < 0, op, ": step must be nonzero");
  TAPER_CHECK(std::isfinite(a) && std::isfinite(b), op, ": unsupported range: ", start, " -> ",
              end);
  TAPER_CHECK(by > 0 ? b >= a : b <= a, op,
              ": upper bound and larger bound inconsistent with step sign");
}

/// How often a step fits between two integers, and whether there is a remainder.
struct Steps {
  uint64_t whole;
  bool rest;
};

// The distance of two integers may need all 64 bits.
Steps steps_between(const char* op, int64_t start, int64_t end, int64_t step) {
  const auto a = static_cast<uint64_t>(start), b = static_cast<uint64_t>(end);
  const uint64_t distance = step > 0 ? b - a : a - b;
  const uint64_t by = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  TAPER_CHECK(step > 0 ? start <= end : start >= end, op,
              ": upper bound and larger bound inconsistent with step sign");
  return {distance / by, distance % by != 0};
}

int64_t as_size(const char* op, uint64_t count) {
  TAPER_CHECK(count <= static_cast<uint64_t>(INT64_MAX), op, ": invalid size, possible overflow?");
  return static_cast<int64_t>(count);
}

// Returns the number of values in arange, exact for 64-bit integers and in double otherwise.
int64_t arange_count(const Scalar& start, const Scalar& end, const Scalar& step, bool exact) {
  if (exact) {
    const int64_t by = step.toLong();
    TAPER_CHECK(by != 0, "arange: step must be nonzero");
    const Steps s = steps_between("arange", start.toLong(), end.toLong(), by);
    return as_size("arange", s.whole + (s.rest ? 1 : 0));
  }
  const double count = std::ceil((end.toDouble() - start.toDouble()) / step.toDouble());
  TAPER_CHECK(count >= 0 && count <= 9.2e18, "arange: invalid size, possible overflow?");
  return static_cast<int64_t>(count);
}

// Integer sequences truncate their numbers: a step of 0.5 becomes 0.
Scalar as_part_of(ScalarType dtype, const Scalar& v) {
  return isIntegralType(dtype, true) ? Scalar(v.toLong()) : v;
}

// Returns the number of values in range, which includes the end.
int64_t range_count(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (step.isIntegral(true) && start.isIntegral(true) && end.isIntegral(true)) {
    const uint64_t before_last =
        steps_between("range", start.toLong(), end.toLong(), step.toLong()).whole;
    TAPER_CHECK(before_last < UINT64_MAX, "range: invalid size, possible overflow?");
    return as_size("range", before_last + 1);
  }
  const double count = (end.toDouble() - start.toDouble()) / step.toDouble() + 1;
  TAPER_CHECK(count <= 9.2e18, "range: invalid size, possible overflow?");
  return static_cast<int64_t>(count);
}

Tensor sequence(const char* op, int64_t count, const Scalar& start, const Scalar& step,
                const TensorOptions& options) {
  Tensor y = uninitialised(op, count, options);
  TAPER_ON_DEVICE(y, arange, y, start, step);
  return finish(std::move(y), options);
}

// Counts elements on and below a diagonal of a matrix whose first row has `offset` + 1 of them:
// empty rows, then one more per row, then whole rows.
Wide below_count(int64_t rows, int64_t cols, int64_t offset) {
  const Wide none = std::max<Wide>(-Wide(offset) - 1, 0), first = std::max<Wide>(offset, -1) + 1;
  const Wide rest = std::max<Wide>(rows - none, 0);
  const Wide rising = std::min<Wide>(rest, std::max<Wide>(cols - first, 0));
  return rising * first + rising * (rising - 1) / 2 + (rest - rising) * cols;
}

int64_t triangle_count(int64_t rows, int64_t cols, int64_t offset, bool upper) {
  const Wide count = upper ? Wide(rows) * cols - below_count(rows, cols, offset - 1)
                           : below_count(rows, cols, offset);
  TAPER_CHECK(count <= INT64_MAX, upper ? "triu" : "tril",
              "_indices: integer overflow in the number of elements of a matrix of ", rows, " x ",
              cols);
  return static_cast<int64_t>(count);
}

Tensor triangle(int64_t row, int64_t col, int64_t offset, bool upper,
                const TensorOptions& options) {
  TAPER_CHECK(row >= 0, upper ? "triu" : "tril", "_indices: row must be non-negative, got", row);
  TAPER_CHECK(col >= 0, upper ? "triu" : "tril", "_indices: col must be non-negative, got", col);
  const TensorOptions with_dtype = options.has_dtype() ? options : options.dtype(kLong);
  // A diagonal outside the matrix gives the result of the nearest one outside.
  offset = std::clamp(offset, -row, col);
  Tensor y = uninitialised(upper ? "triu_indices" : "tril_indices",
                           {2, triangle_count(row, col, offset, upper)}, with_dtype);
  TAPER_ON_DEVICE(y, triangle_indices, y, row, col, offset, upper);
  return y;
}

}  // namespace

Tensor arange(const Scalar& end, TensorOptions options) {
  if (auto done = at_door<"arange">(end, options)) return done;
  return arange(0, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, TensorOptions options) {
  if (auto done = at_door<"arange">(start, end, options)) return done;
  return arange(start, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
  if (auto done = at_door<"arange">(start, end, step, options)) return done;
  const bool integral = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
  if (!options.has_dtype() && integral) options = options.dtype(kLong);
  const ScalarType t = options.scalar_type();
  const Scalar first = as_part_of(t, start), by = as_part_of(t, step);
  check_range("arange", first, as_part_of(t, end), by);
  return sequence("arange", arange_count(start, end, step, t == kLong), first, by, options);
}

Tensor range(const Scalar& start, const Scalar& end, TensorOptions options) {
  if (auto done = at_door<"range">(start, end, options)) return done;
  return range(start, end, 1, options);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
  if (auto done = at_door<"range">(start, end, step, options)) return done;
  const ScalarType t = options.scalar_type();
  const Scalar first = as_part_of(t, start), last = as_part_of(t, end), by = as_part_of(t, step);
  check_range("range", first, last, by);
  return sequence("range", range_count(first, last, by), first, by, options);
}

namespace {

ScalarType complex_dtype(const char* op, const TensorOptions& options) {
  const ScalarType t = options.has_dtype() ? options.scalar_type() : toComplexType(default_dtype());
  TAPER_CHECK(isComplexType(t), op, "(): inferred dtype ", toComplexType(default_dtype()),
              " can't be safely cast to passed dtype ", t);
  return t;
}

Tensor complex_linspace(const Scalar& start, const Scalar& end, int64_t steps,
                        const TensorOptions& options) {
  const ScalarType t = complex_dtype("linspace", options);
  const auto a = start.toComplexDouble(), b = end.toComplexDouble();
  const TensorOptions of_parts = options.dtype(toRealValueType(t)).requires_grad(false);
  Tensor y = uninitialised("linspace", {steps}, options.dtype(t));
  const Tensor parts = detail::share_as_real(y.impl());
  parts.select(1, 0).copy_(linspace(a.real(), b.real(), steps, of_parts));
  parts.select(1, 1).copy_(linspace(a.imag(), b.imag(), steps, of_parts));
  return finish(std::move(y), options);
}

Tensor complex_logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                        const TensorOptions& options) {
  const ScalarType t = complex_dtype("logspace", options);
  const Tensor exponents =
      complex_linspace(start, end, steps, options.dtype(kComplexDouble).requires_grad(false));
  return finish(pow(Scalar(base), exponents).to(t), options);
}

}  // namespace

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, TensorOptions options) {
  if (auto done = at_door<"linspace">(start, end, steps, options)) return done;
  TAPER_CHECK(steps >= 0, "linspace: number of steps must be non-negative");
  if (start.isComplex() || end.isComplex() || isComplexType(options.scalar_type()))
    return complex_linspace(start, end, steps, options);
  if (steps > 0) detail::check_fits(start, options.scalar_type());
  if (steps > 1) detail::check_fits(end, options.scalar_type());
  Tensor y = uninitialised("linspace", steps, options);
  TAPER_ON_DEVICE(y, linspace, y, start, end);
  return finish(std::move(y), options);
}

namespace {

Scalar end_of(const char* op, const char* name, const Tensor& t) {
  check_defined(op, t, name);
  TAPER_CHECK(t.dim() == 0, op, " only supports 0-dimensional start and end tensors, but got ",
              name, " with ", t.dim(), " dimension(s).");
  return t.detach().item();
}

}  // namespace

Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options) {
  if (auto done = at_door<"linspace">(start, end, steps, options)) return done;
  return linspace(end_of("linspace", "start", start), end_of("linspace", "end", end), steps,
                  options);
}
Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options) {
  if (auto done = at_door<"linspace">(start, end, steps, options)) return done;
  return linspace(end_of("linspace", "start", start), end, steps, options);
}
Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options) {
  if (auto done = at_door<"linspace">(start, end, steps, options)) return done;
  return linspace(start, end_of("linspace", "end", end), steps, options);
}

Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base,
                TensorOptions options) {
  if (auto done = at_door<"logspace">(start, end, steps, base, options)) return done;
  return logspace(end_of("logspace", "start", start), end_of("logspace", "end", end), steps, base,
                  options);
}
Tensor logspace(const Tensor& start, const Scalar& end, int64_t steps, double base,
                TensorOptions options) {
  if (auto done = at_door<"logspace">(start, end, steps, base, options)) return done;
  return logspace(end_of("logspace", "start", start), end, steps, base, options);
}
Tensor logspace(const Scalar& start, const Tensor& end, int64_t steps, double base,
                TensorOptions options) {
  if (auto done = at_door<"logspace">(start, end, steps, base, options)) return done;
  return logspace(start, end_of("logspace", "end", end), steps, base, options);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                TensorOptions options) {
  if (auto done = at_door<"logspace">(start, end, steps, base, options)) return done;
  TAPER_CHECK(steps >= 0, "logspace: number of steps must be non-negative");
  if (start.isComplex() || end.isComplex() || isComplexType(options.scalar_type()))
    return complex_logspace(start, end, steps, base, options);
  Tensor y = uninitialised("logspace", steps, options);
  TAPER_ON_DEVICE(y, logspace, y, start.toDouble(), end.toDouble(), base);
  return finish(std::move(y), options);
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, TensorOptions options) {
  if (auto done = at_door<"tril_indices">(row, col, offset, options)) return done;
  return triangle(row, col, offset, false, options);
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, TensorOptions options) {
  if (auto done = at_door<"triu_indices">(row, col, offset, options)) return done;
  return triangle(row, col, offset, true, options);
}

Tensor Tensor::new_empty_strided(IntArrayRef size, IntArrayRef stride,
                                 TensorOptions options) const {
  if (auto done = at_door<"new_empty_strided">(*this, size, stride, options)) return done;
  const Tensor like = new_empty({0}, options);
  return empty_strided(size, stride, like.options().requires_grad(options.requires_grad()));
}

// ---------------------------------------------------------------- out forms
Tensor& zeros_out(Tensor& out, IntArrayRef size) {
  if (at_door<"zeros_out">(out, size)) return out;
  return sized_out("zeros", out, size).zero_();
}
Tensor& ones_out(Tensor& out, IntArrayRef size) {
  if (at_door<"ones_out">(out, size)) return out;
  return sized_out("ones", out, size).fill_(1);
}
Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& value) {
  if (at_door<"full_out">(out, size, value)) return out;
  return sized_out("full", out, size).fill_(value);
}
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat> format) {
  if (at_door<"empty_out">(out, size, format)) return out;
  check_defined("empty", out, "out");
  check_out_gradient("empty", out, {});
  return out.resize_(size, format);
}
Tensor& eye_out(Tensor& out, int64_t n) {
  if (at_door<"eye_out">(out, n)) return out;
  return eye_out(out, n, n);
}
Tensor& eye_out(Tensor& out, int64_t n, int64_t m) {
  if (at_door<"eye_out">(out, n, m)) return out;
  return store_out("eye", out, eye(n, m, options_of_out(out)), {});
}
Tensor& arange_out(Tensor& out, const Scalar& end) {
  if (at_door<"arange_out">(out, end)) return out;
  return arange_out(out, 0, end);
}
Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  if (at_door<"arange_out">(out, start, end, step)) return out;
  return store_out("arange", out, arange(start, end, step, options_of_out(out)), {});
}
Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  if (at_door<"range_out">(out, start, end, step)) return out;
  return store_out("range", out, range(start, end, step, options_of_out(out)), {});
}
Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps) {
  if (at_door<"linspace_out">(out, start, end, steps)) return out;
  return store_out("linspace", out, linspace(start, end, steps, options_of_out(out)), {});
}
Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps,
                     double base) {
  if (at_door<"logspace_out">(out, start, end, steps, base)) return out;
  return store_out("logspace", out, logspace(start, end, steps, base, options_of_out(out)), {});
}

}  // namespace torch::taper
