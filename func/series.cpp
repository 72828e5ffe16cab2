// Taylor mode: ops of polynomials. Coefficients follow from recurrences (Griewank and Walther,
// Evaluating Derivatives, 2nd edition, section 13.2).
#include <cmath>
#include <unordered_map>

#include <taper/framework/core/check.h>
#include <taper/func/series.h>
#include <taper/func/tape_frame.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

const variable_list* coefficients(const Tensor& t, LevelId level) {
  if (const Note* note = note_of(t))
    for (const auto& [id, all] : note->series)
      if (id == level) return &all;
  return nullptr;
}

Tensor with_series(const Tensor& t, LevelId level, variable_list coefficients) {
  Note& note = make_note(t);
  std::erase_if(note.series, [&](const auto& each) { return each.first == level; });
  note.series.emplace_back(level, std::move(coefficients));
  return t;
}

SeriesCall::SeriesCall(const OpInfo& op, const Arguments& a, LevelId level)
    : op(op), a(a), level(level) {
  a.for_each([&](size_t, const Tensor& t) {
    if (const auto* all = coefficients(t, level)) order = all->size();
  });
}

Series SeriesCall::of(const Tensor& t) const {
  Series all{t};
  if (const auto* more = coefficients(t, level)) all.insert(all.end(), more->begin(), more->end());
  all.resize(order + 1);
  return all;
}

Tensor SeriesCall::made(Series y) const {
  // The history of the coefficients may save the value. With a note on it, that would be a cycle.
  const Tensor value = y[0].requires_grad() ? y[0].alias() : y[0];
  y.erase(y.begin());
  return with_series(value, level, std::move(y));
}

namespace {

void add_to(Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum.add(term) : term; }
Tensor scaled(const Tensor& t, double factor) { return t.defined() ? t.mul(factor) : t; }

/// Returns the sum over i in [first, last] of weight(i) x_i y_{k - i}.
template <class Weight>
Tensor products(const Series& x, const Series& y, size_t k, size_t first, size_t last,
                const Weight& weight) {
  Tensor sum;
  for (size_t i = first; i <= last; ++i)
    if (x[i].defined() && y[k - i].defined()) {
      const double w = weight(i);
      if (sum.defined() && sum.requires_grad())
        sum = sum.addcmul(x[i], y[k - i], w);
      else if (sum.defined())
        sum.addcmul_(x[i], y[k - i], w);  // nothing else refers to it
      else
        sum = w == 1 ? x[i].mul(y[k - i]) : x[i].mul(y[k - i]).mul(w);
    }
  return sum;
}
Tensor products(const Series& x, const Series& y, size_t k, size_t first, size_t last) {
  return products(x, y, k, first, last, [](size_t) { return 1.0; });
}
/// Returns coefficient k of the square of y, times a factor.
Tensor square_of(const Series& y, size_t k, double factor) {
  Tensor sum = products(y, y, k, 0, (k - 1) / 2, [&](size_t) { return 2 * factor; });
  if (k % 2 == 0 && y[k / 2].defined()) add_to(sum, y[k / 2].mul(y[k / 2]).mul(factor));
  return sum;
}
/// Returns coefficient k of y, whose derivative is g x'.
Tensor integrated(const Series& x, const Series& g, size_t k) {
  const auto n = static_cast<double>(k);
  return products(x, g, k, 1, k, [n](size_t i) { return static_cast<double>(i) / n; });
}

// ---------------------------------------------------------------- linear ops
IValue linear_in_series(const SeriesCall& c, unsigned linear_in) {
  const IValue value = c.a.call(c.op);
  variable_list results = tensors_of(value);
  std::vector<variable_list> all(results.size());
  for (size_t k = 1; k <= c.order; ++k) {
    Arguments with = c.a;
    bool any = false;
    with.map([&](size_t i, const Tensor& t) {
      if ((linear_in >> i & 1u) == 0 || !isFloatingOrComplexType(t.scalar_type())) return t;
      const auto* series = coefficients(t, c.level);
      const Tensor one = series ? (*series)[k - 1] : Tensor();
      any = any || one.defined();
      return one.defined() ? one : zeros({}, t.options()).expand(t.sizes());
    });
    for (size_t i = 0; i < with.size(); ++i)
      if ((linear_in >> i & 1u) != 0 && with.get<Scalar>(i)) with.set<Scalar>(i, Scalar(0));
    const variable_list y = any ? tensors_of(with.call(c.op)) : variable_list(results.size());
    for (size_t i = 0; i < results.size(); ++i) all[i].push_back(y[i]);
  }
  size_t next = 0;
  return mapped(value, [&](const Tensor& t) {
    const size_t i = next++;
    return isFloatingOrComplexType(t.scalar_type()) ? with_series(t, c.level, all[i]) : t;
  });
}

IValue bilinear_in_series(const SeriesCall& c) {
  std::vector<size_t> in;
  for (size_t i = 0; i < c.a.size(); ++i)
    if ((c.op.linear_in >> i & 1u) != 0 && c.a.get<Tensor>(i)) in.push_back(i);
  if (in.size() == 1) return linear_in_series(c, 1u << in[0]);  // the other one is a number
  const Series x = c.operand(in[0]), y = c.operand(in[1]);
  const std::string_view name = c.op.name;
  if (!c.varies(in[1]) && y[0].dim() == 2 && x[0].dim() > 1 && (name == "matmul" || name == "mm"))
    return linear_by_rows(c, x, tensors_of(c.a.call(c.op)).at(0),
                          [&](const Tensor& rows) { return rows.matmul(y[0]); });
  if (name == "mul" && c.varies(in[0]) && c.varies(in[1]) && x[0].sizes() == y[0].sizes())
    if (Series z = product_by_kernel(x, y, tensors_of(c.a.call(c.op)).at(0)); !z.empty())
      return c.made(std::move(z));
  Series z(c.order + 1);
  for (size_t k = 0; k <= c.order; ++k)
    for (size_t i = 0; i <= k; ++i) {
      if (!x[i].defined() || !y[k - i].defined()) continue;
      Arguments with = c.a;
      with.set<Tensor>(in[0], x[i]);
      with.set<Tensor>(in[1], y[k - i]);
      add_to(z[k], tensors_of(with.call(c.op)).at(0));
    }
  return c.made(std::move(z));
}

// ---------------------------------------------------------------- functions of one operand
using SeriesRule = IValue (*)(const SeriesCall& c);

/// y' = g x' with g = constant + linear y + square y^2.
IValue by_own_slope(const SeriesCall& c, const TaylorSlope& slope) {
  const Series x = c.operand(0);
  const Tensor y0 = tensors_of(c.a.call(c.op)).at(0);
  if (Series y = by_slope_kernel(x, y0, slope); !y.empty()) return c.made(std::move(y));
  Series y(c.order + 1), g(c.order + 1);
  y[0] = y0;
  // A factor of 0 must not meet an infinite value.
  if (slope.square != 0) g[0] = y0.square().mul(slope.square);
  if (slope.linear != 0) add_to(g[0], y0.mul(slope.linear));
  if (slope.constant != 0) g[0] = g[0].add(slope.constant);
  for (size_t k = 1; k <= c.order; ++k) {
    y[k] = integrated(x, g, k);
    if (k == c.order) break;
    if (slope.square != 0) g[k] = square_of(y, k, slope.square);
    if (slope.linear != 0 && y[k].defined()) add_to(g[k], y[k].mul(slope.linear));
  }
  return c.made(std::move(y));
}
/// y' = g x', and the polynomial g is known.
IValue by_slope(const SeriesCall& c, const Tensor& y0, const Tensor& slope) {
  const Series x = c.operand(0), g = c.of(slope);
  Series y(c.order + 1);
  y[0] = y0;
  for (size_t k = 1; k <= c.order; ++k) y[k] = integrated(x, g, k);
  return c.made(std::move(y));
}

const Tensor& x0(const SeriesCall& c) { return *c.a.get<Tensor>(0); }
/// Returns the value of the op, without coefficients.
Tensor value(const SeriesCall& c) { return tensors_of(c.a.call(c.op)).at(0); }
/// The polynomial itself, for rules that are made of ops.
struct AsPolynomial {
  const Temporarily<LevelId> visible;
  explicit AsPolynomial(const SeriesCall& c) : visible(levels().limit, c.level + 1) {}
};

IValue exp_rule(const SeriesCall& c) { return by_own_slope(c, {0, 1, 0}); }
IValue tanh_rule(const SeriesCall& c) { return by_own_slope(c, {1, 0, -1}); }
IValue tan_rule(const SeriesCall& c) { return by_own_slope(c, {1, 0, 1}); }
IValue sigmoid_rule(const SeriesCall& c) { return by_own_slope(c, {0, 1, -1}); }
/// Two functions that are each other's derivative, up to a sign.
template <class F, class G>
IValue by_pair(const SeriesCall& c, const F& f, const G& g, double sign, bool first) {
  const Series x = c.operand(0);
  Series y(c.order + 1), z(c.order + 1);
  y[0] = f(x0(c));
  z[0] = g(x0(c));
  if (auto [ys, zs] = pair_by_kernel(x, y[0], z[0], sign); !ys.empty())
    return c.made(std::move(first ? ys : zs));
  for (size_t k = 1; k <= c.order; ++k) {
    y[k] = integrated(x, z, k);
    z[k] = scaled(integrated(x, y, k), sign);
  }
  return c.made(std::move(first ? y : z));
}
IValue sin_rule(const SeriesCall& c) {
  return by_pair(
      c, [](const Tensor& t) { return t.sin(); }, [](const Tensor& t) { return t.cos(); }, -1,
      true);
}
IValue cos_rule(const SeriesCall& c) {
  return by_pair(
      c, [](const Tensor& t) { return t.sin(); }, [](const Tensor& t) { return t.cos(); }, -1,
      false);
}
IValue sinh_rule(const SeriesCall& c) {
  return by_pair(
      c, [](const Tensor& t) { return t.sinh(); }, [](const Tensor& t) { return t.cosh(); }, 1,
      true);
}
IValue cosh_rule(const SeriesCall& c) {
  return by_pair(
      c, [](const Tensor& t) { return t.sinh(); }, [](const Tensor& t) { return t.cosh(); }, 1,
      false);
}
/// y' = x' / (x + shift)
IValue logarithm(const SeriesCall& c, double shift) {
  const Series x = c.operand(0);
  Series y(c.order + 1);
  y[0] = value(c);
  const Tensor scale = x[0].add(shift).reciprocal();
  for (size_t k = 1; k <= c.order; ++k) {
    const auto n = static_cast<double>(k);
    Tensor sum = x[k];
    const Tensor less =
        products(y, x, k, 1, k - 1, [n](size_t i) { return -static_cast<double>(i) / n; });
    if (less.defined()) add_to(sum, less);
    if (sum.defined()) y[k] = sum.mul(scale);
  }
  return c.made(std::move(y));
}
IValue log_rule(const SeriesCall& c) { return logarithm(c, 0); }
IValue log1p_rule(const SeriesCall& c) { return logarithm(c, 1); }
IValue sqrt_rule(const SeriesCall& c) {
  const Series x = c.operand(0);
  Series y(c.order + 1);
  y[0] = value(c);
  const Tensor scale = y[0].mul(2).reciprocal();
  for (size_t k = 1; k <= c.order; ++k) {
    Tensor sum = x[k];
    const Tensor less = products(y, y, k, 1, k - 1);
    if (less.defined()) add_to(sum, less.neg());
    if (sum.defined()) y[k] = sum.mul(scale);
  }
  return c.made(std::move(y));
}
IValue reciprocal_rule(const SeriesCall& c) {
  const Series x = c.operand(0);
  Series y(c.order + 1);
  y[0] = value(c);
  for (size_t k = 1; k <= c.order; ++k) {
    const Tensor sum = products(x, y, k, 1, k);
    if (sum.defined()) y[k] = sum.mul(y[0]).neg();
  }
  return c.made(std::move(y));
}
// ---------------------------------------------------------------- rules made of ops
IValue expm1_rule(const SeriesCall& c) {
  const Tensor y = value(c);
  const AsPolynomial on(c);
  return with_series(y, c.level, *coefficients(x0(c).exp(), c.level));
}
IValue square_rule(const SeriesCall& c) {
  const AsPolynomial on(c);
  return x0(c).mul(x0(c));
}
IValue rsqrt_rule(const SeriesCall& c) {
  const AsPolynomial on(c);
  return x0(c).sqrt().reciprocal();
}
IValue erf_rule(const SeriesCall& c) {
  const Tensor y = value(c);
  const Tensor slope = [&] {
    const AsPolynomial on(c);
    return x0(c).mul(x0(c)).neg().exp().mul(2 / std::sqrt(M_PI));
  }();
  return by_slope(c, y, slope);
}
IValue atan_rule(const SeriesCall& c) {
  const Tensor y = value(c);
  const Tensor slope = [&] {
    const AsPolynomial on(c);
    return x0(c).mul(x0(c)).add(1).reciprocal();
  }();
  return by_slope(c, y, slope);
}
IValue silu_rule(const SeriesCall& c) {
  const AsPolynomial on(c);
  return x0(c).mul(x0(c).sigmoid());
}
IValue log_sigmoid_rule(const SeriesCall& c) {
  const Tensor y = value(c);
  const Tensor slope = [&] {
    const AsPolynomial on(c);
    return x0(c).neg().sigmoid();
  }();
  return by_slope(c, y, slope);
}
IValue softmax_rule(const SeriesCall& c) {
  const int64_t dim = *c.a.get<int64_t>(1);
  const Tensor largest = x0(c).detach().amax(dim, true);
  const AsPolynomial on(c);
  const Tensor e = x0(c).sub(largest).exp();
  return e.div(e.sum(dim, true));
}
IValue log_softmax_rule(const SeriesCall& c) {
  const int64_t dim = *c.a.get<int64_t>(1);
  const Tensor largest = x0(c).detach().amax(dim, true);
  const AsPolynomial on(c);
  const Tensor z = x0(c).sub(largest);
  return z.sub(z.exp().sum(dim, true).log());
}
IValue linear_rule(const SeriesCall& c) {
  if (!c.varies(1) && !c.varies(2)) {  // products of all coefficients
    const Tensor w = *c.a.get<Tensor>(1);
    return linear_by_rows(c, c.operand(0), value(c),
                          [&](const Tensor& rows) { return linear(rows, w, Tensor()); });
  }
  const AsPolynomial on(c);
  const Tensor y = x0(c).matmul(c.a.get<Tensor>(1)->t());
  const Tensor* bias = c.a.get<Tensor>(2);
  return bias && bias->defined() ? y.add(*bias) : y;
}

IValue div_rule(const SeriesCall& c) {
  if (!c.varies(1)) return linear_in_series(c, 1u);  // by a number, or by a constant tensor
  const Series a = c.operand(0), b = c.operand(1);
  Series y(c.order + 1);
  y[0] = value(c);
  const Tensor scale = b[0].reciprocal();
  for (size_t k = 1; k <= c.order; ++k) {
    Tensor sum = a[k];
    const Tensor less = products(b, y, k, 1, k);
    if (less.defined()) add_to(sum, less.neg());
    if (sum.defined()) y[k] = sum.mul(scale);
  }
  return c.made(std::move(y));
}

IValue by_nested_tangents(const SeriesCall& c);

/// Computes x^r for a number r.
IValue pow_rule(const SeriesCall& c) {
  const Scalar* exponent = c.a.get<Scalar>(1);
  if (!exponent || !c.varies(0)) return by_nested_tangents(c);
  const double r = exponent->toDouble();
  if (r >= 1 && r <= 16 && r == std::floor(r)) {  // exact at 0
    const AsPolynomial on(c);
    auto n = static_cast<int>(r);
    Tensor power, base = x0(c);
    for (; n > 0; n /= 2) {
      if (n % 2) power = power.defined() ? power.mul(base) : base;
      if (n > 1) base = base.mul(base);
    }
    return r == 1 ? power.clone() : power;
  }
  const Series x = c.operand(0);
  Series y(c.order + 1);
  y[0] = value(c);
  const Tensor scale = x[0].reciprocal();
  for (size_t k = 1; k <= c.order; ++k) {
    const auto n = static_cast<double>(k);
    const Tensor sum = products(x, y, k, 1, k, [n, r](size_t i) {
      const auto at = static_cast<double>(i);
      return (r * at - (n - at)) / n;
    });
    if (sum.defined()) y[k] = sum.mul(scale);
  }
  return c.made(std::move(y));
}

// ---------------------------------------------------------------- other ops
/// Linear functions on each side of a corner: the coefficients are those of the operand, times the
/// slope at the value.
IValue by_pieces(const SeriesCall& c) {
  variable_list slopes, operands;
  {
    const AutoGradMode recording(true);
    const Temporarily<bool> off(levels().off, true);
    Arguments with = c.a;
    with.map([&](size_t, const Tensor& t) {
      if (!coefficients(t, c.level)) return t.detach();
      operands.push_back(t);
      return t.detach().requires_grad_();
    });
    variable_list leaves;
    with.for_each([&](size_t, const Tensor& t) {
      if (t.requires_grad()) leaves.push_back(t);
    });
    const Tensor z = tensors_of(with.call(c.op)).at(0);
    for (Tensor& leaf : leaves)
      if (leaf.sizes() != z.sizes()) leaf = Tensor();
    for (const Tensor& leaf : leaves)
      slopes.push_back(leaf.defined() ? autograd::grad({z}, {leaf}, {ones_like(z)}, true)[0]
                                      : Tensor());
  }
  for (const Tensor& slope : slopes)
    if (!slope.defined()) return by_nested_tangents(c);  // operands that broadcast
  Series all(c.order + 1);
  all[0] = value(c);
  for (size_t j = 0; j < operands.size(); ++j) {
    const Series x = c.of(operands[j]);
    for (size_t k = 1; k <= c.order; ++k)
      if (x[k].defined()) add_to(all[k], x[k].mul(slopes[j]));
  }
  return c.made(std::move(all));
}

/// Differentiates the op along the curve, again and again.
IValue by_nested_tangents(const SeriesCall& c) {
  warn_once_of(
      c.op, "jet: ",
      " has no rule for polynomials. It is differentiated by nested jvp, whose cost doubles "
      "with each order");
  const IValue first = c.a.call(c.op);
  const size_t count = tensors_of(first).size();
  // Operands without the tangents that are hidden here, so that later levels need not be.
  Arguments values = c.a;
  std::vector<Series> curves;
  values.map([&](size_t, const Tensor& x) {
    Series all = coefficients(x, c.level) ? c.of(x) : Series{x};
    for (Tensor& t : all)
      if (t.defined()) t = t.alias();
    curves.push_back(all);
    return all[0];
  });
  const Temporarily<LevelId> all_visible(levels().limit, kAllLevels);
  // Returns the results and all derivatives up to `order`, as a function of t.
  std::function<variable_list(const Tensor& t, size_t order)> derivatives =
      [&](const Tensor& t, size_t order) -> variable_list {
    if (order == 0) {
      Arguments with = values;
      size_t next = 0;
      with.map([&](size_t, const Tensor&) {
        const Series& x = curves[next++];
        Tensor sum = x[0], power = t;
        for (size_t k = 1; k < x.size(); ++k) {
          if (x[k].defined()) sum = sum.add(x[k].mul(power));
          power = power.mul(t);
        }
        return sum;
      });
      return tensors_of(with.call(c.op));
    }
    const auto below = [&](const variable_list& at) {
      variable_list y = derivatives(at[0], order - 1);
      const size_t n = y.size();
      return Outputs{std::move(y), n};
    };
    OutputsAndTangents r = jvp("jet", below, {t}, {ones_like(t)});
    variable_list all = std::move(r.outputs);
    // The last derivatives are new.
    all.insert(all.end(), r.tangents.end() - static_cast<ptrdiff_t>(count), r.tangents.end());
    return all;
  };
  const variable_list all = derivatives(zeros({}, x0(c).options()), c.order);
  size_t next = 0;
  return mapped(first, [&](const Tensor& t) {
    const size_t i = next++;
    if (!isFloatingOrComplexType(t.scalar_type())) return t;
    variable_list more;
    double factorial = 1;
    for (size_t k = 1; k <= c.order; ++k) {
      factorial *= static_cast<double>(k);
      more.push_back(all[k * count + i].div(factorial));
    }
    return with_series(t, c.level, std::move(more));
  });
}

SeriesRule series_rule(std::string_view name) {
  // clang-format off
  static const std::unordered_map<std::string_view, SeriesRule> rules{
      {"exp", exp_rule}, {"expm1", expm1_rule}, {"log", log_rule}, {"log1p", log1p_rule},
      {"sin", sin_rule}, {"cos", cos_rule}, {"sinh", sinh_rule}, {"cosh", cosh_rule},
      {"tan", tan_rule}, {"tanh", tanh_rule}, {"sigmoid", sigmoid_rule}, {"sqrt", sqrt_rule},
      {"rsqrt", rsqrt_rule}, {"reciprocal", reciprocal_rule}, {"square", square_rule},
      {"pow", pow_rule}, {"erf", erf_rule}, {"atan", atan_rule}, {"arctan", atan_rule},
      {"silu", silu_rule}, {"log_sigmoid", log_sigmoid_rule}, {"softmax", softmax_rule},
      {"log_softmax", log_softmax_rule}, {"linear", linear_rule}, {"div", div_rule},
      {"divide", div_rule}, {"true_divide", div_rule}, {"relu", by_pieces}, {"abs", by_pieces},
      {"leaky_relu", by_pieces}, {"relu6", by_pieces}, {"hardtanh", by_pieces},
      {"clamp", by_pieces}, {"threshold", by_pieces}, {"maximum", by_pieces},
      {"minimum", by_pieces}, {"where", by_pieces}};
  // clang-format on
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : found->second;
}

/// Returns `t` as a polynomial, as a new tensor over its memory.
Tensor make_curve(const Tensor& t, const variable_list& derivatives, LevelId level) {
  LevelId batch = batch_level(t);
  for (const Tensor& d : derivatives)
    if (d.defined()) batch = std::max(batch, batch_level(d));
  if (batch) {
    const Level of = *levels().find(batch);
    variable_list batches;
    for (const Tensor& d : derivatives) batches.push_back(d.defined() ? batch_of(d, of) : d);
    return stand_in(make_curve(batch_of(t, of), batches, level), batch);
  }
  variable_list coefficients;
  double factorial = 1;
  for (size_t k = 0; k < derivatives.size(); ++k) {
    factorial *= static_cast<double>(k + 1);
    coefficients.push_back(scaled(derivatives[k], 1 / factorial));
  }
  const Tensor x = resolved_in_frames(t);
  return with_series(x.view_as(x), level, std::move(coefficients));
}

variable_list derivatives_of(const Tensor& t, LevelId level, size_t order) {
  variable_list all;
  if (const LevelId batch = batch_level(t)) {
    for (const Tensor& d : derivatives_of(note_of(t)->batch, level, order))
      all.push_back(stand_in(d, batch));
    return all;
  }
  const auto* series = coefficients(t, level);
  double factorial = 1;
  for (size_t k = 0; k < order; ++k) {
    factorial *= static_cast<double>(k + 1);
    const bool given = series && (*series)[k].defined();
    all.push_back(given ? (*series)[k].mul(factorial) : zeros_like(t.detach()));
  }
  if (Note* note = note_of(t))
    std::erase_if(note->series, [&](const auto& each) { return each.first == level; });
  return all;
}

}  // namespace

IValue call_series(const OpInfo& op, const Arguments& a, LevelId level) {
  TAPER_CHECK(!changes_argument(op), op.name,
              ": expected the form that is not in place inside of func::jet");
  const SeriesCall c(op, a, level);
  const Temporarily<LevelId> below(levels().limit, level);
  if (op.name == std::string_view("detach")) return a.call();
  if (op.is(OpTrait::kLinear)) return linear_in_series(c, op.linear_in);
  if (op.is(OpTrait::kView)) return linear_in_series(c, 1u);
  if (op.is(OpTrait::kBilinear)) return bilinear_in_series(c);
  if (const SeriesRule rule = series_rule(op.name)) return rule(c);
  return by_nested_tangents(c);
}

OutputsAndSeries jet(const ListFunction& f, const variable_list& inputs,
                     const std::vector<variable_list>& series) {
  TAPER_CHECK(inputs.size() == series.size(), "jet: expected derivatives of each input");
  const size_t order = series.empty() ? 0 : series[0].size();
  TAPER_CHECK(order > 0, "jet: expected at least one derivative");
  for (size_t i = 0; i < inputs.size(); ++i) {
    TAPER_CHECK(series[i].size() == order, "jet: expected ", order, " derivatives of input ", i,
                ", got ", series[i].size());
    for (const Tensor& t : series[i])
      if (t.defined()) check_tangent("jet", inputs[i], t, i);
  }
  const LevelScope level(0);
  variable_list curves;
  for (size_t i = 0; i < inputs.size(); ++i)
    curves.push_back(make_curve(inputs[i], series[i], level.id()));
  const Outputs y = f(curves);
  OutputsAndSeries result;
  for (size_t i = 0; i < y.tensors.size(); ++i) {
    result.outputs.push_back(y.tensors[i]);
    if (i < y.count) result.series.push_back(derivatives_of(y.tensors[i], level.id(), order));
  }
  return result;
}

}  // namespace torch::taper::func::detail
