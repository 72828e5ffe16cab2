// Tangents and batches of every op: func::jvp beside difference quotients and the gradient, and
// func::vmap beside a loop.
#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/func/core.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {
namespace {

using func::detail::BatchDims;
using func::detail::Outputs;
using List = std::vector<Tensor>;
using Function = std::function<List(const List&)>;

func::detail::ListFunction outputs_of(const Function& f) {
  return [f](const List& x) {
    List y = f(x);
    const size_t count = y.size();
    return Outputs{std::move(y), count};
  };
}

bool is_floating(const Tensor& t) {
  return t.defined() && isFloatingOrComplexType(t.scalar_type());
}
List floating_of(const List& all) {
  List kept;
  for (const Tensor& t : all)
    if (is_floating(t)) kept.push_back(t);
  return kept;
}

List random_like(const List& all, uint64_t seed) {
  Random random(seed);
  return cotangents_for(Results(all), random);
}

/// The real inner product.
double inner(const List& a, const List& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() || !b[i].defined()) continue;
    const Tensor x = a[i].detach(), y = b[i].detach();
    const Tensor z = x.is_complex() || y.is_complex() ? real(x.conj().mul(y)) : x.mul(y);
    sum += z.sum().item<double>();
  }
  return sum;
}

// ---------------------------------------------------------------- tangents
/// The inputs with a gradient, and the op as a function of them.
struct Differentiated {
  List inputs;
  Function call, change;  // change: the in-place form, on a copy

  Differentiated(const OpCase& c, const Args& args) {
    std::vector<size_t> which;
    for (size_t j = 0; j < args.t.size(); ++j)
      if (wants_gradient(c, args, j)) {
        which.push_back(j);
        inputs.push_back(copy(args).t[j]);
      }
    const auto with = [args, which](const List& x) {
      Args own = args;
      for (size_t k = 0; k < which.size(); ++k) own.t[which[k]] = x[k];
      return own;
    };
    call = [&c, with](const List& x) { return floating_of(c.call(with(x))); };
    if (!c.inplace || !fits_in_place(c.call(args)[0], args)) return;
    change = [&c, with](const List& x) {
      Args own = with(x);
      own.t[0] = own.t[0].clone();
      return floating_of({c.inplace(own)});
    };
  }
};

List moved(const List& x, const List& v, double step) {
  List y;
  for (size_t i = 0; i < x.size(); ++i) y.push_back(x[i].add(v[i], step));
  return y;
}

void compare_tangents(const Function& f, const List& x, double factor, const char* what, Log& log) {
  const List v = random_like(x, 7);
  const List dy = func::detail::jvp("jvp", outputs_of(f), x, v).tangents;
  constexpr double kStep = 1e-5;
  const List up = f(moved(x, v, kStep)), down = f(moved(x, v, -kStep));
  for (size_t i = 0; i < dy.size(); ++i) {
    const Tensor slope = up[i].sub(down[i]).div(2 * kStep);
    log.compare(what, read(dy[i]), read(slope), {2e-4 * factor, 2e-5 * factor});
  }
  List leaves;
  for (const Tensor& t : x) leaves.push_back(t.detach().clone().requires_grad_());
  List y, u, du;
  const List all = f(leaves);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].requires_grad()) y.push_back(all[i]), du.push_back(dy[i]);
  if (y.empty()) return;
  u = random_like(y, 11);
  const double by_rows = inner(autograd::grad(y, leaves, u, nullopt, false, true), v);
  const double by_columns = inner(u, du);
  if (std::abs(by_rows - by_columns) > 1e-6 * factor * std::max(1.0, std::abs(by_rows)))
    log.add(what, ": u.(J v) is ", by_columns, ", and v.(J^T u) is ", by_rows);
}

/// The derivative along a direction of the derivative along another one.
void compare_second_tangents(const Function& f, const List& x, double factor, Log& log) {
  const List v = random_like(x, 13), w = random_like(x, 17);
  const Function first = [&](const List& at) {
    return func::detail::jvp("jvp", outputs_of(f), at, v).tangents;
  };
  const List got = func::detail::jvp("jvp", outputs_of(first), x, w).tangents;
  constexpr double kStep = 1e-5;
  const List up = first(moved(x, w, kStep)), down = first(moved(x, w, -kStep));
  for (size_t i = 0; i < got.size(); ++i)
    log.compare("second tangent", read(got[i]), read(up[i].sub(down[i]).div(2 * kStep)),
                {5e-4 * factor, 5e-5 * factor});
}

/// The derivative of a gradient along a direction.
void compare_tangents_of_gradient(const Function& f, const List& x, double factor, Log& log) {
  List y = f(x);
  const List u = random_like(y, 19);
  const auto loss = [&](const List& at) {
    const List all = f(at);
    Tensor sum;
    for (size_t i = 0; i < all.size(); ++i) {
      const Tensor part =
          all[i].is_complex() ? real(all[i].mul(u[i].conj())).sum() : all[i].mul(u[i]).sum();
      sum = sum.defined() ? sum.add(part) : part;
    }
    return Outputs{{sum}, 1};
  };
  std::vector<size_t> wanted(x.size());
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
  const Function gradient = [&](const List& at) {
    return func::detail::grad("grad", loss, at, wanted).grads;
  };
  const List v = random_like(x, 23);
  const List got = func::detail::jvp("jvp", outputs_of(gradient), x, v).tangents;
  constexpr double kStep = 1e-5;
  const List up = gradient(moved(x, v, kStep)), down = gradient(moved(x, v, -kStep));
  for (size_t i = 0; i < got.size(); ++i)
    log.compare("tangent of the gradient", read(got[i]), read(up[i].sub(down[i]).div(2 * kStep)),
                {5e-4 * factor, 5e-5 * factor});
}

// ---------------------------------------------------------------- batches
/// Examples of an op's arguments: the given values, and others that it takes as well.
std::vector<Args> examples_of(const OpCase& c, const Args& args, size_t count) {
  std::vector<Args> all{copy(args)};
  while (all.size() < count) {
    Args next = copy(all.back());
    for (Tensor& t : next.t)
      if (t.defined() && t.numel() > 1) t = t.reshape({-1}).roll(1).reshape(t.sizes()).clone();
    try {
      const Results first = c.call(args), other = c.call(next);
      bool equal = first.size() == other.size();
      for (size_t i = 0; equal && i < first.size(); ++i)
        equal = first[i].defined() == other[i].defined() &&
                (!first[i].defined() || first[i].sizes() == other[i].sizes());
      if (!equal) next = copy(args);
    } catch (const std::exception&) {
      next = copy(args);
    }
    all.push_back(next);
  }
  return all;
}

bool can_be_batched(const Args& args, size_t j) { return args.t[j].defined(); }

/// Calls the op for a batch of the tensors in `which`, and for each example.
struct BatchCheck {
  const OpCase& c;
  const std::vector<Args>& examples;
  Log& log;
  std::string* refused;

  Args example(const std::vector<size_t>& which, size_t b) const {
    Args a = examples[0];
    for (const size_t j : which) a.t[j] = examples[b].t[j];
    return a;
  }
  static Function mapped(const Args& like, const std::vector<size_t>& which,
                         const std::function<List(const Args&)>& call) {
    return [like, which, call](const List& x) {
      Args a = like;
      for (size_t k = 0; k < which.size(); ++k) a.t[which[k]] = x[k];
      return call(a);
    };
  }
  List vmap(const Function& f, const List& x, int64_t dim) const {
    return func::detail::vmap(
        outputs_of(f), x, BatchDims(x.size(), optional<int64_t>(dim)),
        [](size_t n) { return BatchDims(n, optional<int64_t>(0)); }, func::Randomness::kError, 0);
  }

  void operator()(const std::vector<size_t>& which, bool last_dim, bool nested) const {
    const auto call = [&](const Args& a) { return List(c.call(a)); };
    List x;
    for (const size_t j : which) {
      List each;
      for (const Args& a : examples) each.push_back(a.t[j]);
      Tensor all = stack(each);
      if (nested) all = all.unflatten(0, {2, -1});
      if (last_dim) all = all.movedim(0, -1).contiguous();
      x.push_back(all);
    }
    std::vector<List> want;
    for (size_t b = 0; b < examples.size(); ++b) want.push_back(call(example(which, b)));
    const Function f = mapped(examples[0], which, call);
    List got = nested ? vmap([&](const List& part) { return vmap(f, part, 0); }, x, 0)
                      : vmap(f, x, last_dim ? -1 : 0);
    for (size_t i = 0; i < got.size(); ++i) {
      if (!want[0][i].defined()) continue;
      if (nested) got[i] = got[i].flatten(0, 1);
      for (size_t b = 0; b < want.size(); ++b) {
        const Tensor one = got[i].select(0, static_cast<int64_t>(b));
        if (one.scalar_type() != want[b][i].scalar_type())
          return log.add("batch: expected ", toString(want[b][i].scalar_type()), ", got ",
                         toString(one.scalar_type()));
        log.compare(nested ? "batch of batches" : "batch", read(one), read(want[b][i]),
                    scaled({1e-9, 1e-10}, c.tolerance));
      }
    }
  }

  /// Gradients through a batch are those of the examples.
  void gradients(const std::vector<size_t>& which) const {
    std::vector<size_t> wanted;
    for (const size_t j : which)
      if (wants_gradient(c, examples[0], j)) wanted.push_back(j);
    if (wanted.empty()) return;
    List x;
    for (const size_t j : wanted) {
      List each;
      for (const Args& a : examples) each.push_back(a.t[j]);
      x.push_back(stack(each).requires_grad_());
    }
    const auto call = [&](const Args& a) { return floating_of(c.call(a)); };
    const List got = vmap(mapped(examples[0], wanted, call), x, 0);
    List y, u;
    const List v = random_like(got, 29);
    for (size_t i = 0; i < got.size(); ++i)
      if (got[i].requires_grad()) y.push_back(got[i]), u.push_back(v[i]);
    const List gx = y.empty() ? List(x.size()) : autograd::grad(y, x, u, nullopt, false, true);
    for (size_t b = 0; b < examples.size(); ++b) {
      Args a = example(wanted, b);
      List leaves;
      for (const size_t j : wanted) leaves.push_back(a.t[j] = a.t[j].clone().requires_grad_());
      const List all = call(a);
      List yb, ub;
      for (size_t i = 0; i < all.size(); ++i)
        if (all[i].requires_grad())
          yb.push_back(all[i]), ub.push_back(v[i].select(0, static_cast<int64_t>(b)));
      if (yb.empty()) continue;
      const List want = autograd::grad(yb, leaves, ub, nullopt, false, true);
      for (size_t k = 0; k < want.size(); ++k)
        if (want[k].defined() && !gx[k].defined())
          log.compare("gradient of a batch", Array(want[k].sizes().vec()), read(want[k]), {});
        else if (want[k].defined())
          log.compare("gradient of a batch", read(gx[k].select(0, static_cast<int64_t>(b))),
                      read(want[k]), scaled({1e-8, 1e-9}, c.tolerance));
    }
  }

  void in_place(const std::vector<size_t>& which) const {
    if (!c.inplace || !fits_in_place(c.call(examples[0])[0], examples[0])) return;
    const auto call = [&](const Args& a) {
      Args own = a;
      own.t[0] = own.t[0].clone();
      return List{c.inplace(own)};
    };
    List x;
    for (const size_t j : which) {
      List each;
      for (const Args& a : examples) each.push_back(a.t[j]);
      x.push_back(stack(each));
    }
    const List got = vmap(mapped(examples[0], which, call), x, 0);
    for (size_t b = 0; b < examples.size(); ++b)
      log.compare("batch of the in-place form", read(got[0].select(0, static_cast<int64_t>(b))),
                  read(call(example(which, b))[0]), scaled({1e-9, 1e-10}, c.tolerance));
  }

  /// Runs a check. An op may refuse batches for what it cannot do.
  template <class Body>
  void guarded(const Body& body) const {
    try {
      body();
    } catch (const std::exception& e) {
      const std::string text = e.what();
      const bool says_so = text.find("vmap: the sizes of the result of") != text.npos ||
                           text.find("draws random numbers") != text.npos ||
                           text.find("stands for a batch") != text.npos ||
                           text.find("expected at most 12 dimensions") != text.npos;
      if (says_so)
        *refused = text;
      else
        log.add("batch threw: ", text);
    }
  }
};

/// Ops whose derivative takes logarithms of gradients, which have no derivative at 0.
bool has_second_tangents(const OpCase& c) {
  return c.twice_differentiable && c.name.rfind("logcumsumexp", 0) != 0;
}

std::vector<Args> small_samples(const OpCase& c) {
  std::vector<Args> kept;
  for (const Args& a : c.differentiable ? gradient_samples(c) : c.samples(widest_dtype(c)))
    if (is_small(a) && kept.size() < 6) kept.push_back(a);
  return kept;
}

}  // namespace

Failures check_tangent(const OpCase& c) {
  Failures failures;
  if (!c.differentiable) return failures;
  Log log(failures);
  for (const Args& args : small_samples(c)) {
    log.sample(args);
    log.guarded([&] {
      const Differentiated d(c, args);
      if (d.inputs.empty()) return;
      compare_tangents(d.call, d.inputs, c.tolerance, "tangent", log);
      if (d.change)
        compare_tangents(d.change, d.inputs, c.tolerance, "tangent of the in-place form", log);
      if (!has_second_tangents(c) || numel_of(args) > 60) return;
      compare_tangents_of_gradient(d.call, d.inputs, c.tolerance, log);
      compare_second_tangents(d.call, d.inputs, c.tolerance, log);
    });
  }
  return failures;
}

Failures check_batched(const OpCase& c, std::string* refused) {
  Failures failures;
  Log log(failures);
  for (const Args& args : small_samples(c)) {
    log.sample(args);
    const std::vector<Args> examples = examples_of(c, args, 4);
    const BatchCheck check{c, examples, log, refused};
    std::vector<size_t> all;
    for (size_t j = 0; j < args.t.size(); ++j)
      if (can_be_batched(args, j)) all.push_back(j);
    if (all.empty()) continue;
    check.guarded([&] { check(all, false, false); });
    check.guarded([&] { check(all, true, false); });
    check.guarded([&] { check(all, false, true); });
    check.guarded([&] { check.in_place(all); });
    if (c.differentiable) check.guarded([&] { check.gradients(all); });
    if (all.size() > 1)
      for (const size_t j : all) {
        log.sample(args, concat("batch in operand ", j));
        check.guarded([&] { check({j}, false, false); });
        if (c.differentiable) check.guarded([&] { check.gradients({j}); });
      }
  }
  return failures;
}

}  // namespace torch::taper::testing
