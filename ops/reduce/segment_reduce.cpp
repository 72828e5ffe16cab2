#include <taper/ops/reduce/segment_reduce.h>

#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/scatter_reduce.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Reduction {
  std::string_view name;
  /// The reduction's name for index_reduce, and the value of an empty segment.
  const char* by_index;
  double of_nothing;
};

Reduction reduction_of(std::string_view name) {
  for (const Reduction& r :
       {Reduction{"sum", nullptr, 0}, Reduction{"mean", nullptr, 0}, Reduction{"prod", "prod", 1},
        Reduction{"max", "amax", -kInfinity}, Reduction{"min", "amin", kInfinity}})
    if (r.name == name) return r;
  throw Error(detail::concat("segment_reduce: unsupported reduction given! ", name,
                             "; expected sum, mean, prod, max or min"));
}

bool given(const optional<Tensor>& t) { return t && t->defined(); }

void check_bounds(const Tensor& data, const Tensor& bounds, const char* name, int64_t axis) {
  check_same_device("segment_reduce", data, bounds);
  TAPER_CHECK(isIntegralType(bounds.scalar_type(), false), "segment_reduce(): expected ", name,
              " of an integer dtype, got ", bounds.scalar_type());
  TAPER_CHECK(axis == bounds.dim() - 1,
              "segment_reduce(): Expected axis to be the last dimension of ", name, " but got ",
              axis, ".");
  TAPER_CHECK(bounds.sizes().slice(0, static_cast<size_t>(axis)) ==
                  data.sizes().slice(0, static_cast<size_t>(axis)),
              "segment_reduce(): expected ", name, " to have the dimensions of data ", data.sizes(),
              " in front of axis ", axis, ", got ", bounds.sizes());
}

void check_lengths(const Tensor& lengths, int64_t n) {
  int64_t longest = 0;
  if (lengths.numel() > 0) {
    TAPER_CHECK(lengths.min().item<int64_t>() >= 0,
                "segment_reduce: lengths contains negative value!");
    longest = lengths.max().item<int64_t>();
  }
  // Longer lengths could wrap around to the right sum.
  TAPER_CHECK(longest <= n && lengths.sum({-1}).eq(n).all().item<bool>(),
              "segment_reduce(): Expected all rows of lengths along axis to sum to "
              "data.size(lengths.dim()-1) when !unsafe.");
}

// Returns (B, S + 1): the starts of the segments and the end of the last one.
Tensor offsets_from(const Tensor& lengths) {
  const Tensor ends = lengths.to(kLong).cumsum(-1);
  Dims first = Dims(lengths.sizes());
  first.back() = 1;
  return cat({zeros(first, ends.options()), ends}, -1);
}

// Segments as rows: data (rows, inner) and the row of the result for each. A batch has one row more
// in front and at the end, for elements of no segment.
struct Rows {
  Tensor data, index;
  int64_t batches, segments;
};

Rows as_rows(const Tensor& data, const Tensor& offsets, int64_t axis) {
  int64_t batches = 1;
  for (int64_t d = 0; d < axis; ++d) batches *= data.size(d);
  const int64_t n = data.size(axis), segments = offsets.size(-1) - 1;
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < data.dim(); ++d) inner *= data.size(d);
  const TensorOptions whole = TensorOptions(kLong).device(data.device());
  const Tensor place = arange(n, whole).expand({batches, n}).contiguous();
  const Tensor segment = searchsorted(offsets.reshape({batches, segments + 1}).contiguous(), place,
                                      /*out_int32=*/false, /*right=*/true);
  const Tensor first = arange(batches, whole).mul(segments + 2).unsqueeze(1);
  return {data.reshape({batches * n, inner}), segment.add(first).flatten(), batches, segments};
}

// Returns (batches * (segments + 2), inner), reduced by row of the result.
Tensor reduced_rows(const Rows& r, const Reduction& by, const optional<Scalar>& initial) {
  const double start = initial ? initial->toDouble() : by.of_nothing;
  const Tensor begun = full({r.batches * (r.segments + 2), r.data.size(1)}, start,
                            r.data.options().requires_grad(false));
  if (!by.by_index) return begun.index_add(0, r.index, r.data);
  if (by.name == "prod") return begun.index_reduce(0, r.index, r.data, "prod");
  // Elements equal to `initial` do not share the gradient.
  const Tensor y = begun.index_reduce(0, r.index, r.data, by.by_index, /*include_self=*/false);
  if (!initial) return y;
  return where(by.name == "max" ? y.detach().lt(start) : y.detach().gt(start), begun, y);
}

// Returns (B, S, 1), which divides (B, S, inner). An empty segment keeps its initial value.
Tensor divisors(const Tensor& offsets, const Rows& r, bool begun, ScalarType dtype) {
  const Tensor counts = offsets.diff().reshape({r.batches, r.segments, 1});
  return (begun ? counts.clamp_min(1) : counts).to(dtype);
}

}  // namespace

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const optional<Tensor>& lengths,
                      const optional<Tensor>& indices, const optional<Tensor>& offsets,
                      int64_t axis, bool unsafe, const optional<Scalar>& initial) {
  if (auto done =
          at_door<"segment_reduce">(data, reduce, lengths, indices, offsets, axis, unsafe, initial))
    return done;
  check_defined("segment_reduce", data, "data");
  axis = wrap_dim("segment_reduce", axis, data.dim());
  TAPER_CHECK(!given(indices), "segment_reduce(): indices based reduction is not supported yet.");
  TAPER_CHECK(given(lengths) || given(offsets),
              "segment_reduce(): Either lengths or offsets must be defined.");
  const Reduction by = reduction_of(reduce);
  if (!data.is_floating_point())
    detail::unsupported_dtype("_segment_reduce_cpu", data.scalar_type());
  TAPER_CHECK(data.dim() > 0, "segment_reduce(): expected data of at least one dimension");
  check_bounds(data, given(offsets) ? *offsets : *lengths, given(offsets) ? "offsets" : "lengths",
               axis);
  if (!given(offsets) && !unsafe) check_lengths(*lengths, data.size(axis));
  const ScalarType dtype = data.scalar_type();
  const Tensor x = isReducedFloatingType(dtype) ? data.to(kFloat) : data;
  const Tensor bounds = given(offsets) ? offsets->to(kLong) : offsets_from(*lengths);
  const Rows rows = as_rows(x, bounds, axis);
  Tensor y = reduced_rows(rows, by, initial)
                 .reshape({rows.batches, rows.segments + 2, rows.data.size(1)})
                 .narrow(1, 1, rows.segments);
  if (by.name == "mean") y = y.div(divisors(bounds, rows, initial.has_value(), x.scalar_type()));
  Dims sizes = Dims(data.sizes());
  sizes[axis] = rows.segments;
  return y.reshape(sizes).to(dtype);
}

}  // namespace torch::taper
