// Polynomials of jet: the coefficients of a tensor, and calls of ops with polynomials. Not
// installed.
#pragma once

#include <taper/func/rules.h>
#include <taper/ops/shared/taylor_kernels.h>

namespace torch::taper::func::detail {

/// Coefficients of 1, t, t^2, ... An undefined coefficient is zero.
using Series = variable_list;

/// Returns the coefficients of t, t^2, ... that a tensor has at a level, or null.
const variable_list* coefficients(const Tensor& t, LevelId level);
/// Returns t with new coefficients of t, t^2, ... at `level`. They replace the earlier
/// coefficients.
Tensor with_series(const Tensor& t, LevelId level, variable_list coefficients);

/// One call of an op, with the order of the polynomials.
struct SeriesCall {
  const OpInfo& op;
  const Arguments& a;
  LevelId level;
  size_t order = 0;

  SeriesCall(const OpInfo& op, const Arguments& a, LevelId level);
  Series of(const Tensor& t) const;
  Series operand(size_t i) const { return of(*a.get<Tensor>(i)); }
  bool varies(size_t i) const {
    const Tensor* t = a.get<Tensor>(i);
    return t && t->defined() && coefficients(*t, level);
  }
  Tensor made(Series y) const;
};

/// Returns one tensor whose rows are the tensors in `all`. If these are adjacent rows of one tensor
/// already, they are not copied.
Tensor as_rows(const variable_list& all);
/// Applies a linear function f to the coefficients of t, t^2, ... of x, which are the rows of one
/// tensor. y0 is the result for the constant coefficient.
IValue linear_by_rows(const SeriesCall& c, Series x, const Tensor& y0,
                      const std::function<Tensor(const Tensor& rows)>& f);

// Each of the next functions launches one kernel, if nothing is recorded and no other
// transformation sees the coefficients. Otherwise it returns an empty result.
/// Returns y with y' = (constant + linear y + square y^2) x'.
Series by_slope_kernel(const Series& x, const Tensor& y0, const TaylorSlope& slope);
/// Returns y and z with y' = z x' and z' = sign y x'.
std::pair<Series, Series> pair_by_kernel(const Series& x, const Tensor& y0, const Tensor& z0,
                                         double sign);
/// Returns the product of x and y.
Series product_by_kernel(const Series& x, const Series& y, const Tensor& z0);

}  // namespace torch::taper::func::detail
