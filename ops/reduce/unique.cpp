#include <taper/ops/reduce/unique.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/reduce/count_kernels.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/rearrange_kernels.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

using Unique = std::tuple<Tensor, Tensor, Tensor>;

/// Groups of equal neighbouring rows: the start of each group, and the group of every row.
struct Runs {
  Tensor starts, run_of_row, counts;
};

// Finds the groups of rows, which is (n, length) with n > 0. Starts are always computed. Counts are
// computed if counts or groups are wanted, because groups of rows are derived from them.
Runs runs_of(const Tensor& rows, bool want_runs, bool want_counts) {
  const int64_t n = rows.size(0);
  const Tensor numbers = rows.is_complex() ? view_as_real(rows.contiguous()) : rows.contiguous();
  const Tensor first = empty({n}, rows.options().dtype(kBool));
  TAPER_ON_DEVICE(first, mark_runs, first, numbers);
  Runs r;
  r.starts = true_positions(first);
  if (!want_runs && !want_counts) return r;
  if (r.starts.size(0) == n) {  // all rows differ from the row before
    r.counts = ones_like(r.starts);
    r.run_of_row = r.starts;
    return r;
  }
  const Tensor ends = cat({r.starts.slice(0, 1), full({1}, n, r.starts.options())});
  r.counts = ends.sub(r.starts);
  if (want_runs) {
    r.run_of_row = empty({n}, r.starts.options());
    TAPER_ON_DEVICE(r.counts, repeat_indices, r.run_of_row, r.counts);
  }
  return r;
}

// Returns the order that sorts the rows lexicographically, by stable sorts from the last column on.
Tensor row_order(const Tensor& rows) {
  Tensor order = arange(rows.size(0), rows.options().dtype(kLong));
  for (int64_t c = rows.size(1) - 1; c >= 0; --c)
    order = order.index_select(0, argsort(rows.select(1, c).index_select(0, order)));
  return order;
}

// Returns unique rows. `order`, if defined, sorts them first.
Unique unique_rows(const Tensor& rows, const Tensor& order, bool return_inverse,
                   bool return_counts) {
  const TensorOptions longs = rows.options().dtype(kLong);
  Tensor inverse = empty({0}, longs), counts = empty({0}, longs);
  if (rows.size(0) == 0) return {rows, inverse, counts};
  const Tensor sorted = order.defined() ? rows.index_select(0, order) : rows;
  const Runs runs = runs_of(sorted, return_inverse, return_counts);
  if (return_inverse)
    inverse = order.defined() ? empty({rows.size(0)}, longs).scatter(0, order, runs.run_of_row)
                              : runs.run_of_row;
  if (return_counts) counts = runs.counts;
  const bool all = runs.starts.size(0) == rows.size(0);
  return {all ? sorted.clone() : sorted.index_select(0, runs.starts), inverse, counts};
}

// Counts integers in [low, low + places), which is less work than sorting.
Unique unique_by_counting(const Tensor& x, int64_t low, int64_t places, bool return_inverse,
                          bool return_counts) {
  const TensorOptions longs = x.options().dtype(kLong);
  const Tensor counts = zeros({places}, longs);
  TAPER_ON_DEVICE(x, count_values, counts, x, low);
  const Tensor there = true_positions(counts);
  Tensor inverse = empty({0}, longs);
  if (return_inverse)
    inverse = counts.ne(0).to(kLong).cumsum(0).sub_(1).gather(0, x.to(kLong).sub(low));
  return {there.add(low).to(x.scalar_type()), inverse,
          return_counts ? counts.index_select(0, there) : empty({0}, longs)};
}

// Returns the number of buckets for counting, or 0 if sorting is faster. x is flat.
int64_t places_to_count(const Tensor& x, int64_t& low) {
  if (!isIntegralType(x.scalar_type(), /*includeBool=*/false) || x.numel() < 256) return 0;
  low = x.min().item().to<int64_t>();
  const uint64_t above =
      static_cast<uint64_t>(x.max().item().to<int64_t>()) - static_cast<uint64_t>(low);
  return above < static_cast<uint64_t>(x.numel()) ? static_cast<int64_t>(above) + 1 : 0;
}

Unique unique_elements(const char* op, const Tensor& x, bool sort, bool return_inverse,
                       bool return_counts) {
  check_defined(op, x, "self");
  NoGradGuard no_grad;
  const Tensor flat = x.detach().contiguous().view({-1});
  int64_t low = 0;
  const int64_t places = sort ? places_to_count(flat, low) : 0;
  const Tensor rows = flat.unsqueeze(1);
  const Tensor order = sort && places == 0 ? row_order(rows) : Tensor();
  auto [values, inverse, counts] =
      places > 0 ? unique_by_counting(flat, low, places, return_inverse, return_counts)
                 : unique_rows(rows, order, return_inverse, return_counts);
  if (return_inverse) inverse = _unsafe_view(inverse, x.sizes());
  return {_unsafe_view(values, {-1}), inverse, counts};
}

Unique unique_slices(const char* op, const Tensor& x, int64_t dim, bool sort, bool return_inverse,
                     bool return_counts) {
  check_defined(op, x, "self");
  NoGradGuard no_grad;
  dim = wrap_dim(op, dim, x.dim());
  if (x.dim() == 0) return unique_elements(op, x, sort, return_inverse, return_counts);
  const Tensor moved = x.detach().movedim(dim, 0).contiguous();
  Dims size = moved.sizes();
  const int64_t n = size[0];
  TAPER_CHECK(
      n == 0 || x.numel() > 0, op,
      ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  if (n == 0) {
    const TensorOptions longs = x.options().dtype(kLong);
    return {x.detach().clone(), zeros({0}, longs), zeros({0}, longs)};
  }
  const Tensor rows = moved.view({n, x.numel() / n});
  const Tensor order = sort ? row_order(rows) : Tensor();
  auto [values, inverse, counts] = unique_rows(rows, order, return_inverse, return_counts);
  size[0] = values.size(0);
  const Tensor y = values.view(size).movedim(0, dim).contiguous();
  return {detail::share_data(y.impl()), inverse, counts};
}

// Returns y with values that refuse backward.
Unique refusing_backward(const char* op, const Tensor& x, Unique y) {
  std::get<0>(y) = detail::without_derivative(op, std::get<0>(y), {x});
  return y;
}

}  // namespace

Unique _unique2(const Tensor& x, bool sorted, bool return_inverse, bool return_counts) {
  if (auto done = at_door<"_unique2">(x, sorted, return_inverse, return_counts)) return done;
  return refusing_backward("_unique2", x,
                           unique_elements("_unique2", x, true, return_inverse, return_counts));
}

std::tuple<Tensor, Tensor> _unique(const Tensor& x, bool sorted, bool return_inverse) {
  if (auto done = at_door<"_unique">(x, sorted, return_inverse)) return done;
  auto [values, inverse, counts] =
      refusing_backward("_unique", x, unique_elements("_unique", x, true, return_inverse, false));
  return {values, inverse};
}

Unique unique_dim(const Tensor& x, int64_t dim, bool sorted, bool return_inverse,
                  bool return_counts) {
  if (auto done = at_door<"unique_dim">(x, dim, sorted, return_inverse, return_counts)) return done;
  return refusing_backward(
      "unique_dim", x, unique_slices("unique_dim", x, dim, true, return_inverse, return_counts));
}

Unique unique_consecutive(const Tensor& x, bool return_inverse, bool return_counts,
                          optional<int64_t> dim) {
  if (auto done = at_door<"unique_consecutive">(x, return_inverse, return_counts, dim)) return done;
  const char* op = "unique_consecutive";
  return refusing_backward(op, x,
                           dim ? unique_slices(op, x, *dim, false, return_inverse, return_counts)
                               : unique_elements(op, x, false, return_inverse, return_counts));
}

}  // namespace torch::taper
