// Computes Jacobians by central differences and by backward, and checks every entry.
#include <cmath>

#include <taper/testing/problem.h>

namespace torch::taper::testing::impl {

bool is_close(double got, double want, double atol, double rtol) {
  // `error > tolerance` would let a NaN pass. Infinity is not close to itself, because inf - inf is
  // NaN.
  return std::abs(got - want) <= atol + rtol * std::abs(want) && std::isfinite(want);
}

Matrix rows_of(const Matrix& j, int64_t begin, int64_t count) {
  Matrix part(count, j.columns);
  std::copy(j.v.begin() + begin * j.columns, j.v.begin() + (begin + count) * j.columns,
            part.v.begin());
  return part;
}

Matrix numeric_jacobian(const Problem& p, size_t k) {
  Elements x(p.wanted[k]);
  Matrix j(p.num_values, x.size());
  std::vector<double> above, below;
  const double eps = p.options.eps();
  for (int64_t i = 0; i < x.size(); ++i) {
    const double high = x.set(i, x.original(i) + eps);
    p.values(above);
    const double low = x.set(i, x.original(i) - eps);
    p.values(below);
    x.restore(i);
    const bool varied = high != low || std::isnan(x.original(i)) || std::isinf(x.original(i));
    TAPER_CHECK_VALUE(varied, "gradcheck: eps ", eps, " does not change ", p.input_place(k, i),
                      ", which is ", x.original(i), " (", p.wanted[k].scalar_type(),
                      "). Choose a larger eps, or smaller inputs.");
    for (int64_t r = 0; r < j.rows; ++r) j.at(r, i) = (above[r] - below[r]) / (high - low);
  }
  return j;
}

bool check_attributes(const Problem& p, size_t output, size_t k, const Tensor& g) {
  const Tensor& x = p.wanted[k];
  if (g.sizes() != x.sizes()) {
    p.fail(Kind::kGradient, concat("Analytical gradient has incorrect size: the gradient of ",
                                   p.output_name(output), " with respect to ", p.input_name(k),
                                   " has sizes ", g.sizes(), ", the input has ", x.sizes()));
    return false;
  }
  if (!p.options.check_grad_dtypes() && g.is_complex() == x.is_complex()) return true;
  if (g.scalar_type() == x.scalar_type() && g.device() == x.device()) return true;
  p.fail(Kind::kGradient,
         concat("Gradient has dtype mismatch: the gradient of ", p.output_name(output),
                " with respect to ", p.input_name(k), " is ", g.scalar_type(), " on ", g.device(),
                ", the input is ", x.scalar_type(), " on ", x.device()));
  return false;
}

namespace {

bool same(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance;
}

/// Computes rows of the Jacobians of an output: one backward from one element each.
class Rows {
 public:
  Rows(const Problem& p, size_t output)
      : p_(p),
        output_(output),
        cotangent_(write_like(constant_parts(p.outputs[output], 0), p.outputs[output])),
        element_(cotangent_) {}
  /// Returns the gradients of row r. They may share the cotangent's memory, so they are valid until
  /// clear().
  variable_list row(int64_t r) {
    element_.set(r, 1);
    const auto version = cotangent_._version();
    variable_list g = p_.gradients({p_.outputs[output_]}, {cotangent_});
    if (cotangent_._version() != version) changed_ = true;
    return g;
  }
  void clear(int64_t r) { changed_ ? element_.restore() : element_.restore(r); }
  bool changed() const { return changed_; }

 private:
  const Problem& p_;
  size_t output_;
  Tensor cotangent_;
  Elements element_;
  bool changed_ = false;
};

void report_reentrance(const Problem& p, size_t output, size_t k, int64_t r, int64_t c,
                       double first, double second) {
  p.fail(
      Kind::kNotReentrant,
      concat("Backward is not reentrant, i.e., running backward with same input and grad_output "
             "multiple times gives different values: d ",
             p.output_place(output, r), " / d ", p.input_place(k, c), " was ", first, " and then ",
             second, ". The tolerance for nondeterminism was ", p.options.nondet_tol(), "."));
}

/// Copies a gradient to a row, or compares on the second pass. Returns false for an error.
bool take(const Problem& p, size_t output, size_t k, int64_t r, const Tensor& g, Matrix& j,
          bool second) {
  double* row = j.v.data() + r * j.columns;
  if (!second) {
    if (g.defined()) read_into(g, row);
    return true;
  }
  const std::vector<double> again =
      g.defined() ? read(g) : std::vector<double>(static_cast<size_t>(j.columns), 0);
  for (int64_t c = 0; c < j.columns; ++c) {
    if (same(row[c], again[c], p.options.nondet_tol())) continue;
    report_reentrance(p, output, k, r, c, row[c], again[c]);
    return false;
  }
  return true;
}

bool fill_rows(const Problem& p, size_t output, std::vector<Matrix>& all, bool second) {
  Rows rows(p, output);
  for (int64_t r = 0; r < num_parts(p.outputs[output]); ++r) {
    const variable_list g = rows.row(r);
    for (size_t k = 0; k < g.size(); ++k) {
      if (g[k].defined() && !check_attributes(p, output, k, g[k])) return false;
      if (!take(p, output, k, r, g[k], all[k], second)) return false;
    }
    rows.clear(r);
  }
  if (!rows.changed()) return true;
  p.fail(Kind::kCotangent, concat("backward of ", p.output_name(output),
                                  " changes the gradient that it is given, in place: others who "
                                  "get the same gradient then see the changed values"));
  return false;
}

}  // namespace

std::vector<Matrix> analytic_jacobian(const Problem& p, size_t output, bool checked) {
  std::vector<Matrix> all;
  for (const Tensor& x : p.wanted) all.emplace_back(num_parts(p.outputs[output]), num_parts(x));
  if (fill_rows(p, output, all, false) && checked) fill_rows(p, output, all, true);
  return all;
}

namespace {

bool has_nonzero(const Matrix& j) {
  for (double v : j.v)
    if (!(v == 0)) return true;
  return false;
}

/// Checks that an output without history does not change with the inputs.
void check_silent(const Problem& p, size_t output, size_t k, const Matrix& numeric) {
  for (int64_t r = 0; r < numeric.rows; ++r)
    for (int64_t c = 0; c < numeric.columns; ++c) {
      if (is_close(numeric.at(r, c), 0, p.options.atol(), 0)) continue;
      return p.fail(
          Kind::kHistoryLost,
          concat("Numerical gradient for function expected to be zero: ", p.output_name(output),
                 " does not require a gradient, but it changes with ", p.input_name(k), ": d ",
                 p.output_place(output, r), " / d ", p.input_place(k, c), " is ", numeric.at(r, c),
                 ". Its history was lost (detach, data_ptr, item, or a NoGradGuard)."));
    }
}

}  // namespace

void check_not_constant(const Problem& p, bool found_nonzero) {
  if (found_nonzero || p.options.allow_constant() || p.num_values == 0) return;
  int64_t varied = 0;
  for (const Tensor& x : p.wanted) varied += x.numel();
  if (varied == 0) return;
  p.fail(
      Kind::kConstant,
      "no output depends on any input that requires a gradient, so nothing was compared. If that "
      "is right at this point, say so with allow_constant(true).");
}

void check_slowly(const Problem& p) {
  std::vector<Matrix> numeric;
  bool found = false;
  for (size_t k = 0; k < p.wanted.size(); ++k) {
    numeric.push_back(numeric_jacobian(p, k));
    found = found || has_nonzero(numeric.back());
  }
  for (size_t output : p.floating) {
    const bool silent = !p.outputs[output].requires_grad();
    if (silent && !p.options.check_detached_outputs()) continue;
    const size_t before = p.report.failures.size();
    const std::vector<Matrix> analytic =
        silent ? std::vector<Matrix>() : analytic_jacobian(p, output, true);
    for (size_t k = 0; k < p.wanted.size(); ++k) {
      const Matrix n = rows_of(numeric[k], p.offset[output], num_parts(p.outputs[output]));
      if (silent) {
        check_silent(p, output, k, n);
        continue;
      }
      found = found || has_nonzero(analytic[k]);
      if (p.report.failures.size() == before || p.report.failures[before].kind == Kind::kJacobian)
        compare_jacobians(p, output, k, analytic[k], n, "");
    }
  }
  if (p.report.passed()) check_not_constant(p, found);
}

}  // namespace torch::taper::testing::impl
