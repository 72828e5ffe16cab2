// Checks forward mode, and derivatives of batches, by the transformations of func.
#include <cmath>
#include <functional>

#include <taper/func/core.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/problem.h>

namespace torch::taper::testing::impl {
namespace {

using func::detail::BatchDims;
using func::detail::Outputs;
constexpr uint64_t kVectors = 3;

/// Returns fn as a function of the wanted inputs. Closures over them see the given tensors, too.
func::detail::ListFunction function_of(const Problem& p) {
  return [&p](const variable_list& x) {
    variable_list in = p.inputs;
    func::detail::Substitution with;
    for (size_t k = 0; k < x.size(); ++k) {
      in[p.wanted_at[k]] = x[k];
      with.add(p.wanted[k], x[k]);
    }
    with.start();
    const variable_list all = p.call(in);
    variable_list y;
    for (const size_t k : p.floating) y.push_back(all.at(k));
    const size_t count = y.size();
    return Outputs{std::move(y), count};
  };
}

variable_list detached(const variable_list& all) {
  variable_list list;
  for (const Tensor& t : all) list.push_back(t.detach());
  return list;
}

variable_list tangents_of(const Problem& p, const variable_list& v) {
  return func::detail::jvp("jvp", function_of(p), detached(p.wanted), v).tangents;
}

/// Returns tangents of all inputs that are zero but for input k, given more than once perhaps.
variable_list only(const Problem& p, size_t k, const std::vector<double>& v) {
  variable_list list;
  for (const Tensor& x : p.wanted)
    list.push_back(x.is_same(p.wanted[k]) ? write_like(v, x) : zeros_like(x.detach()));
  return list;
}

/// Returns J v for all outputs.
std::vector<double> column(const Problem& p, size_t k, const std::vector<double>& v) {
  const variable_list t = tangents_of(p, only(p, k, v));
  std::vector<double> all(static_cast<size_t>(p.num_values));
  for (size_t i = 0; i < t.size(); ++i) read_into(t[i], all.data() + p.offset[p.floating[i]]);
  return all;
}

void check_each_column(const Problem& p, size_t k) {
  const Matrix numeric = numeric_jacobian(p, k);
  Matrix analytic(numeric.rows, numeric.columns);
  for (int64_t c = 0; c < numeric.columns; ++c) {
    std::vector<double> unit = constant_parts(p.wanted[k], 0);
    unit[static_cast<size_t>(c)] = 1;
    const std::vector<double> Jv = column(p, k, unit);
    for (int64_t r = 0; r < numeric.rows; ++r) analytic.at(r, c) = Jv[static_cast<size_t>(r)];
  }
  const size_t before = p.report.failures.size();
  for (const size_t output : p.floating) {
    const int64_t count = num_parts(p.outputs[output]);
    compare_jacobians(p, output, k, rows_of(analytic, p.offset[output], count),
                      rows_of(numeric, p.offset[output], count),
                      "forward mode: the analytic entries are those of func::jvp\n");
  }
  for (size_t i = before; i < p.report.failures.size(); ++i)
    p.report.failures[i].kind = Kind::kForwardAD;
}

/// Compares J v with the difference quotient along a random v.
void check_direction(const Problem& p, size_t k, uint64_t seed) {
  const std::vector<double> v = read(cotangents_for({p.wanted[k]}, seed)[0]);
  Elements x(p.wanted[k]);
  const double eps = p.options.eps();
  std::vector<double> above, below;
  const auto move = [&](double step, std::vector<double>& to) {
    std::vector<double> at;
    for (int64_t i = 0; i < x.size(); ++i) at.push_back(x.original(i) + step * v[i]);
    x.set_all(at);
    p.values(to);
    x.restore();
  };
  move(eps, above);
  move(-eps, below);
  const std::vector<double> Jv = column(p, k, v);
  for (const size_t output : p.floating)
    for (int64_t i = 0; i < num_parts(p.outputs[output]); ++i) {
      const auto at = static_cast<size_t>(p.offset[output] + i);
      const double numeric = (above[at] - below[at]) / (2 * eps);
      if (is_close(Jv[at], numeric, p.options.atol(), p.options.rtol())) continue;
      return p.fail(Kind::kForwardAD,
                    concat("forward mode: J v by func::jvp, v being a random tangent of ",
                           p.input_name(k), ", is ", Jv[at], " at ", p.output_place(output, i),
                           ", and ", numeric, " by differences"));
    }
}

/// Calls a function for a batch of lists and for each list, and compares the results.
void compare_batch(const Problem& p, Kind kind, const char* what, const variable_list& like,
                   const variable_list& results_like,
                   const std::function<variable_list(const variable_list&)>& f,
                   const std::function<std::string(size_t, int64_t)>& place) {
  std::vector<variable_list> want;
  std::vector<variable_list> columns(like.size());
  for (uint64_t b = 0; b < kVectors; ++b) {
    const variable_list v = cotangents_for(like, p.options.seed() + 40 + b);
    for (size_t k = 0; k < v.size(); ++k) columns[k].push_back(v[k]);
    want.push_back(f(v));
  }
  variable_list batch;
  for (const variable_list& each : columns) batch.push_back(stack(each));
  const auto g = [&](const variable_list& v) {
    variable_list y = f(v);
    const size_t count = y.size();
    return Outputs{std::move(y), count};
  };
  const variable_list got = func::detail::vmap(
      g, batch, BatchDims(batch.size(), optional<int64_t>(0)),
      [](size_t n) { return BatchDims(n, optional<int64_t>(0)); }, func::Randomness::kSame, 0);
  for (size_t k = 0; k < results_like.size(); ++k) {
    const bool wide = toRealValueType(results_like[k].scalar_type()) == kDouble;
    const double atol = (wide ? 1e-8 : 1e-3) + p.options.nondet_tol(), rtol = wide ? 1e-5 : 1e-2;
    for (uint64_t b = 0; b < kVectors; ++b) {
      const auto one = read(got[k].select(0, static_cast<int64_t>(b))), alone = read(want[b][k]);
      for (size_t i = 0; i < alone.size(); ++i) {
        const double g = one.size() == alone.size() ? one[i] : std::nan("");
        if (is_close(g, alone[i], atol, rtol) || (std::isnan(g) && std::isnan(alone[i]))) continue;
        return p.fail(kind, concat(what, " under func::vmap: expected ", alone[i], " at ",
                                   place(k, static_cast<int64_t>(i)), " for vector ", b,
                                   ", as without a batch, got ", g));
      }
    }
  }
}

/// Reports what a check throws.
template <class Check>
void guarded(const Problem& p, Kind kind, const char* what, const Check& check) {
  try {
    check();
  } catch (const std::exception& e) {
    p.fail(kind, concat(what, " throws: ", e.what()));
  }
}

variable_list floating_outputs(const Problem& p) {
  variable_list list;
  for (const size_t k : p.floating) list.push_back(p.outputs[k].detach());
  return list;
}

}  // namespace

void check_forward_ad(const Problem& p) {
  guarded(p, Kind::kForwardAD, "forward mode: func::jvp of fn", [&] {
    for (size_t k = 0; k < p.wanted.size() && p.report.passed(); ++k) {
      if (!p.options.fast_mode())
        check_each_column(p, k);
      else
        for (uint64_t i = 0; i < 2 && p.report.passed(); ++i)
          check_direction(p, k, p.options.seed() + 30 + i);
    }
  });
}

void check_batched_grad(const Problem& p) {
  guarded(p, Kind::kBatched, "check_batched_grad: the gradient under func::vmap", [&] {
    compare_batch(
        p, Kind::kBatched, "the gradient", floating_outputs(p), p.wanted,
        [&](const variable_list& v) {
          return func::detail::vjp(function_of(p), detached(p.wanted)).product(v);
        },
        [&](size_t k, int64_t i) { return p.input_place(k, i); });
  });
}

void check_batched_forward_grad(const Problem& p) {
  guarded(p, Kind::kBatchedForward, "check_batched_forward_grad: func::jvp under func::vmap", [&] {
    compare_batch(
        p, Kind::kBatchedForward, "J v", p.wanted, floating_outputs(p),
        [&](const variable_list& v) { return tangents_of(p, v); },
        [&](size_t k, int64_t i) { return p.output_place(p.floating[k], i); });
  });
}

}  // namespace torch::taper::testing::impl
