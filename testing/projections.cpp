// Implements the fast mode. It compares random projections of the Jacobians: u^T (J v) by
// differences and (u^T J) v by backward.
#include <cmath>

#include <taper/testing/problem.h>

namespace torch::taper::testing::impl {
namespace {

using Direction = std::vector<double>;

double one_norm(const Direction& v) {
  double sum = 0;
  for (double x : v) sum += std::abs(x);
  return sum;
}
double dot(const double* a, const double* b, size_t n) {
  double sum = 0;
  // Elements that are not varied count as zero, even for an infinite gradient.
  for (size_t i = 0; i < n; ++i)
    if (b[i] != 0) sum += a[i] * b[i];
  return sum;
}

/// Draws a direction with elements of both signs, none of them small.
Direction weights(size_t n, Dice& dice) {
  Direction v(n);
  for (double& x : v) x = dice.weight();
  return v;
}
/// Draws a direction of length 1. A step along it changes fn as much as a step along an axis.
Direction dense(size_t n, Dice& dice) {
  Direction v = weights(n, dice);
  double squares = 0;
  for (double x : v) squares += x * x;
  for (double& x : v) x /= std::sqrt(squares);
  return v;
}
Direction unit(size_t n, size_t i) {
  Direction v(n, 0);
  v[i] = 1;
  return v;
}

/// Returns two directions of all elements, and the two ends, because loops often fail there.
std::vector<Direction> directions(size_t n, Dice& dice) {
  std::vector<Direction> list;
  if (n == 0) return list;
  list.push_back(dense(n, dice));
  list.push_back(dense(n, dice));
  list.push_back(unit(n, n - 1));
  if (n > 1) list.push_back(unit(n, 0));
  if (n > 2)
    list.push_back(unit(n, static_cast<size_t>(dice.integer(1, static_cast<int64_t>(n) - 1))));
  return list;
}

/// Computes J v by central differences, for all floating-point outputs.
std::vector<double> numeric_product(const Problem& p, Elements& x, const Direction& v) {
  std::vector<double> at(v.size()), above, below;
  const double eps = p.options.eps();
  const auto move = [&](double step, std::vector<double>& result) {
    for (size_t i = 0; i < v.size(); ++i) at[i] = x.original(static_cast<int64_t>(i)) + step * v[i];
    x.set_all(at);
    p.values(result);
  };
  move(eps, above);
  move(-eps, below);
  x.restore();
  for (size_t r = 0; r < above.size(); ++r) above[r] = (above[r] - below[r]) / (2 * eps);
  return above;
}

/// Holds u and u^T J for one output and all inputs.
struct Product {
  Direction u;
  std::vector<std::vector<double>> gradients;
};

std::vector<std::vector<double>> backward_of(const Problem& p, size_t output, const Direction& u) {
  const variable_list g = p.gradients({p.outputs[output]}, {write_like(u, p.outputs[output])});
  std::vector<std::vector<double>> list;
  for (size_t k = 0; k < g.size(); ++k) {
    const bool fits = g[k].defined() && check_attributes(p, output, k, g[k]);
    list.push_back(fits ? read(g[k]) : constant_parts(p.wanted[k], 0));
  }
  return list;
}

bool check_reentrance(const Problem& p, size_t output, const Product& first) {
  const auto second = backward_of(p, output, first.u);
  for (size_t k = 0; k < second.size(); ++k)
    for (size_t i = 0; i < second[k].size(); ++i) {
      const double a = first.gradients[k][i], b = second[k][i];
      if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= p.options.nondet_tol())
        continue;
      p.fail(Kind::kNotReentrant,
             concat("Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values: the gradient of ",
                    p.input_place(k, static_cast<int64_t>(i)), " was ", a, " and then ", b,
                    ". The tolerance for nondeterminism was ", p.options.nondet_tol(), "."));
      return false;
    }
  return true;
}

// Limits the entries for which a report builds the slow mode's matrices.
constexpr int64_t kMostEntries = 1 << 20;

/// Finds the wrong entries that make a projection wrong.
void explain(const Problem& p, size_t output, size_t k, double analytic, double numeric,
             double tolerance) {
  const std::string preface = concat("fast mode: u^T J v is ", analytic, " by backward and ",
                                     numeric, " by differences, tolerance ", tolerance);
  const int64_t columns = num_parts(p.wanted[k]);
  const size_t before = p.report.failures.size();
  if (columns * p.num_values <= kMostEntries) {
    const Matrix all = numeric_jacobian(p, k);
    Matrix n(num_parts(p.outputs[output]), columns);
    std::copy(all.v.begin() + p.offset[output] * columns,
              all.v.begin() + (p.offset[output] + n.rows) * columns, n.v.begin());
    compare_jacobians(p, output, k, analytic_jacobian(p, output, false)[k], n, preface);
  }
  if (p.report.failures.size() != before) return;
  p.fail(Kind::kJacobian,
         concat("Jacobian mismatch for ", p.output_name(output), " with respect to ",
                p.input_name(k), "\n  ", preface, "\n  ",
                columns * p.num_values <= kMostEntries
                    ? "every single entry is within its tolerance; fast_mode(false) would pass"
                    : "too many entries to look for the wrong ones; check a smaller input"));
  GradcheckFailure& f = p.report.failures.back();
  f.output = output, f.input = p.wanted_at[k];
  f.analytic = analytic, f.numeric = numeric, f.tolerance = tolerance;
}

class FastCheck {
 public:
  explicit FastCheck(const Problem& p) : p_(p), dice_(p.options.seed()) {
    for (size_t output : p.recorded) {
      const auto n = static_cast<size_t>(num_parts(p.outputs[output]));
      for (int i = 0; i < 2; ++i) {
        Product product{weights(n, dice_), {}};
        product.gradients = backward_of(p, output, product.u);
        products_.push_back(std::move(product));
      }
      if (p.report.passed()) check_reentrance(p, output, products_[products_.size() - 2]);
    }
  }
  void run() {
    for (size_t k = 0; k < p_.wanted.size() && p_.report.passed(); ++k) run(k);
    if (p_.report.passed()) check_not_constant(p_, found_);
  }

 private:
  void run(size_t k) {
    Elements x(p_.wanted[k]);
    const auto list = directions(static_cast<size_t>(x.size()), dice_);
    for (size_t d = 0; d < list.size() && p_.report.passed(); ++d) {
      const std::vector<double> jv = numeric_product(p_, x, list[d]);
      for (double v : jv) found_ = found_ || !(v == 0);
      for (size_t o = 0; o < p_.recorded.size(); ++o) compare(k, o, list[d], jv, d % 2);
      if (p_.options.check_detached_outputs()) check_silent(k, jv);
    }
  }

  void compare(size_t k, size_t o, const Direction& v, const std::vector<double>& jv,
               size_t which) {
    const size_t output = p_.recorded[o];
    const Product& product = products_[2 * o + which];
    const double analytic = dot(product.gradients[k].data(), v.data(), v.size());
    const double numeric = dot(jv.data() + p_.offset[output], product.u.data(), product.u.size());
    found_ = found_ || !(analytic == 0);
    const double atol = p_.options.atol() * one_norm(v) * one_norm(product.u);
    if (is_close(analytic, numeric, atol, p_.options.rtol()) || !p_.report.passed()) return;
    explain(p_, output, k, analytic, numeric, atol + p_.options.rtol() * std::abs(numeric));
  }

  void check_silent(size_t k, const std::vector<double>& jv) {
    for (size_t output : p_.floating) {
      if (p_.outputs[output].requires_grad()) continue;
      for (int64_t r = 0; r < num_parts(p_.outputs[output]) && p_.report.passed(); ++r)
        if (!is_close(jv[static_cast<size_t>(p_.offset[output] + r)], 0, p_.options.atol(), 0))
          p_.fail(Kind::kHistoryLost,
                  concat("Numerical gradient for function expected to be zero: ",
                         p_.output_name(output),
                         " does not require a gradient, but it changes with ", p_.input_name(k),
                         ". Its history was lost (detach, data_ptr, item, or a NoGradGuard)."));
    }
  }

  const Problem& p_;
  Dice dice_;
  std::vector<Product> products_;
  bool found_ = false;
};

}  // namespace

void check_fast(const Problem& p) {
  FastCheck check(p);
  if (p.report.passed()) check.run();
}

}  // namespace torch::taper::testing::impl
