#include <taper/ops/unique.h>

#include <taper/framework/grad_mode.h>
#include <taper/framework/shape.h>
#include <taper/ops/factory.h>
#include <taper/ops/index.h>
#include <taper/ops/scan.h>
#include <taper/ops/shape.h>
#include <taper/ops/sort.h>
#include <taper/ops/view.h>

namespace taper {
namespace {

using Unique = std::tuple<Tensor, Tensor, Tensor>;

/// Runs of equal rows: where each starts, and the run of every row.
struct Runs {
  Tensor starts, run_of_row, counts;
};

// rows is (n, length), n > 0.
Runs runs_of(const Tensor& rows) {
  const int64_t n = rows.size(0);
  const Tensor changes = rows.slice(0, 1).ne(rows.slice(0, 0, n - 1)).any(1);
  const Tensor first = cat({ones({1}, changes.options()), changes});
  Runs r;
  r.starts = first.nonzero().flatten();
  r.run_of_row = first.to(kLong).cumsum(0).sub(1);
  const Tensor ends = cat({r.starts.slice(0, 1), full({1}, n, r.starts.options())});
  r.counts = ends.sub(r.starts);
  return r;
}

// The order that sorts the rows lexicographically: stable sorts from the last column to the first.
Tensor row_order(const Tensor& rows) {
  Tensor order = arange(rows.size(0), rows.options().dtype(kLong));
  for (int64_t c = rows.size(1) - 1; c >= 0; --c)
    order = order.index_select(0, argsort(rows.select(1, c).index_select(0, order)));
  return order;
}

// Unique rows; `order` sorts them first where it is defined.
Unique unique_rows(const Tensor& rows, const Tensor& order, bool return_inverse,
                   bool return_counts) {
  const TensorOptions longs = rows.options().dtype(kLong);
  Tensor inverse = empty({0}, longs), counts = empty({0}, longs);
  if (rows.size(0) == 0) return {rows, inverse, counts};
  const Tensor sorted = order.defined() ? rows.index_select(0, order) : rows;
  const Runs runs = runs_of(sorted);
  if (return_inverse)
    inverse = order.defined() ? empty({rows.size(0)}, longs).scatter(0, order, runs.run_of_row)
                              : runs.run_of_row;
  if (return_counts) counts = runs.counts;
  return {sorted.index_select(0, runs.starts), inverse, counts};
}

Unique unique_elements(const char* op, const Tensor& x, bool sort, bool return_inverse,
                       bool return_counts) {
  check_defined(op, x, "self");
  NoGradGuard no_grad;
  const Tensor rows = x.detach().reshape({x.numel(), 1});
  const Tensor order = sort ? row_order(rows) : Tensor();
  auto [values, inverse, counts] = unique_rows(rows, order, return_inverse, return_counts);
  if (return_inverse && x.numel() > 0) inverse = _unsafe_view(inverse, x.sizes());
  return {_unsafe_view(values, {-1}), inverse, counts};
}

Unique unique_slices(const char* op, const Tensor& x, int64_t dim, bool sort, bool return_inverse,
                     bool return_counts) {
  check_defined(op, x, "self");
  NoGradGuard no_grad;
  dim = wrap_dim(dim, x.dim());
  if (x.dim() == 0) return unique_elements(op, x, sort, return_inverse, return_counts);
  const Tensor moved = x.detach().movedim(dim, 0).contiguous();
  Dims size = moved.sizes();
  const int64_t n = size[0];
  TAPER_CHECK(
      n == 0 || x.numel() > 0,
      "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
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

}  // namespace

Unique _unique2(const Tensor& x, bool, bool return_inverse, bool return_counts) {
  return unique_elements("_unique2", x, true, return_inverse, return_counts);
}

std::tuple<Tensor, Tensor> _unique(const Tensor& x, bool, bool return_inverse) {
  auto [values, inverse, counts] = unique_elements("_unique", x, true, return_inverse, false);
  return {values, inverse};
}

Unique unique_dim(const Tensor& x, int64_t dim, bool, bool return_inverse, bool return_counts) {
  return unique_slices("unique_dim", x, dim, true, return_inverse, return_counts);
}

Unique unique_consecutive(const Tensor& x, bool return_inverse, bool return_counts,
                          optional<int64_t> dim) {
  if (!dim) return unique_elements("unique_consecutive", x, false, return_inverse, return_counts);
  return unique_slices("unique_consecutive", x, *dim, false, return_inverse, return_counts);
}

}  // namespace taper
