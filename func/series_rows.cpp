// Polynomials of jet as rows of one tensor: linear functions and kernels take all coefficients.
#include <taper/func/series.h>

#include <algorithm>

#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

Tensor as_rows(const variable_list& all) {
  const Tensor& first = all[0];
  const auto follows = [&](size_t k) {
    const Tensor& t = all[k];
    const auto from_first = static_cast<int64_t>(k) * first.numel();
    return !note_of(t) && !t.requires_grad() && t.is_contiguous() && t.sizes() == first.sizes() &&
           t.is_alias_of(first) && t.storage_offset() == first.storage_offset() + from_first;
  };
  for (size_t k = 0; k < all.size(); ++k)
    if (!follows(k)) return stack(all);
  const auto n = static_cast<int64_t>(all.size());
  return first.as_strided(joined({n}, first.sizes()), joined({first.numel()}, first.strides()));
}

IValue linear_by_rows(const SeriesCall& c, Series x, const Tensor& y0,
                      const std::function<Tensor(const Tensor& rows)>& f) {
  variable_list given;
  for (size_t k = 1; k < x.size(); ++k)
    if (x[k].defined()) given.push_back(x[k]);
  variable_list made;
  if (given.size() == 1) made = {f(given[0])};
  if (given.size() > 1) made = f(as_rows(given)).unbind(0);
  Series y{y0};
  size_t next = 0;
  for (size_t k = 1; k < x.size(); ++k) y.push_back(x[k].defined() ? made[next++] : Tensor());
  return c.made(std::move(y));
}

namespace {

/// Returns whether a kernel can take a tensor as it is. `has_series` allows coefficients.
bool is_plain(const Tensor& t, const Tensor& like, bool has_series) {
  const bool recorded = GradMode::is_enabled() && t.requires_grad();
  if (recorded || t.scalar_type() != like.scalar_type() || t.sizes() != like.sizes()) return false;
  const Note* note = note_of(t);
  return !note || (has_series && note->batch_level == 0 && note->tangents.empty() &&
                   note->series.size() == 1);
}

bool takes_kernel(const Series& x, const Tensor& like) {
  const ScalarType dtype = like.scalar_type();
  if ((dtype != kFloat && dtype != kDouble) || static_cast<int64_t>(x.size()) > kMostTaylorRows)
    return false;
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k].defined() && !is_plain(x[k], like, k == 0)) return false;
  return true;
}

/// Returns rows 1, 2, ... with zeros for coefficients that are undefined.
Tensor rows_of(const Series& x, const Tensor& like) {
  variable_list all;
  Tensor zero;
  for (size_t k = 1; k < x.size(); ++k) {
    if (!x[k].defined() && !zero.defined()) zero = zeros_like(like);
    all.push_back(x[k].defined() ? x[k] : zero);
  }
  return as_rows(all).contiguous();
}

/// The operands of a kernel, without their notes.
struct Operand {
  Operand(const Series& x, const Tensor& value)
      : value(taper::detail::share_data(value.impl()).contiguous()),
        rows(rows_of(x, this->value)) {}
  Tensor value, rows;
  Tensor result() const { return empty(rows.sizes(), rows.options().requires_grad(false)); }
};

Series series_of(const Tensor& y0, const Tensor& rows) {
  Series y{y0};
  for (Tensor& t : rows.unbind(0)) y.push_back(std::move(t));
  return y;
}

}  // namespace

Series by_slope_kernel(const Series& x, const Tensor& y0, const TaylorSlope& slope) {
  if (!takes_kernel(x, y0) || !is_plain(y0, y0, false)) return {};
  const Operand in(x, y0);
  const Tensor y = in.result();
  if (y.numel() > 0) TAPER_ON_DEVICE(y, taylor_by_slope, y, in.value, in.rows, slope);
  return series_of(y0, y);
}

std::pair<Series, Series> pair_by_kernel(const Series& x, const Tensor& y0, const Tensor& z0,
                                         double sign) {
  if (!takes_kernel(x, y0) || !is_plain(y0, y0, false) || !is_plain(z0, y0, false)) return {};
  const Operand in(x, y0);
  const Tensor y = in.result(), z = in.result(), other = z0.contiguous();
  if (y.numel() > 0) TAPER_ON_DEVICE(y, taylor_pair, y, z, in.value, other, in.rows, sign);
  return {series_of(y0, y), series_of(z0, z)};
}

Series product_by_kernel(const Series& x, const Series& y, const Tensor& z0) {
  if (!takes_kernel(x, z0) || !takes_kernel(y, z0)) return {};
  const Operand a(x, x[0]), b(y, y[0]);
  const Tensor z = a.result();
  if (z.numel() > 0) TAPER_ON_DEVICE(z, taylor_product, z, a.value, a.rows, b.value, b.rows);
  return series_of(z0, z);
}

}  // namespace torch::taper::func::detail
