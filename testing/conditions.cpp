// Checks conditions beside a right Jacobian. fn and backward are functions. backward is linear in
// the cotangents, takes them in any layout, and accumulates.
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/function.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/testing/problem.h>

namespace torch::taper::testing::impl {
namespace {

using Values = std::vector<double>;

/// Compares sums that were rounded in another order. The tolerance depends on the dtype.
bool same_sum(const Tensor& like, double got, double want, double more) {
  const bool wide = toRealValueType(like.scalar_type()) == kDouble;
  const double rtol = wide ? 1e-9 : 1e-2, atol = (wide ? 1e-10 : 1e-3) + more;
  return (std::isnan(got) && std::isnan(want)) || got == want || is_close(got, want, atol, rtol);
}

Values values_of(const Tensor& g, const Tensor& input) {
  return g.defined() ? read(g) : constant_parts(input, 0);
}
std::vector<Values> values_of(const variable_list& gradients, const variable_list& inputs) {
  std::vector<Values> list;
  for (size_t k = 0; k < gradients.size(); ++k) list.push_back(values_of(gradients[k], inputs[k]));
  return list;
}

/// Reports the first wrong element of the wanted inputs' gradients.
void compare(const Problem& p, Kind kind, const char* what, const std::vector<Values>& got,
             const std::vector<Values>& want) {
  for (size_t k = 0; k < want.size(); ++k)
    for (size_t i = 0; i < want[k].size(); ++i) {
      const double g = got[k].size() == want[k].size() ? got[k][i] : std::nan("");
      if (same_sum(p.wanted[k], g, want[k][i], p.options.nondet_tol())) continue;
      return p.fail(kind, concat(what, ": expected a gradient of ", want[k][i], " at ",
                                 p.input_place(k, static_cast<int64_t>(i)), ", got ", g));
    }
}

}  // namespace

// ---------------------------------------------------------------------- forward
void check_forward(const Problem& p) {
  std::vector<Values> before;
  for (const Tensor& x : p.wanted) before.push_back(read(x));
  Values first(static_cast<size_t>(p.num_values)), second;
  for (size_t k : p.floating) read_into(p.outputs[k], first.data() + p.offset[k]);
  p.values(second);
  for (size_t k = 0; k < p.wanted.size(); ++k) {
    const Values after = read(p.wanted[k]);
    for (size_t i = 0; i < after.size(); ++i)
      if (!(after[i] == before[k][i]) && !(std::isnan(after[i]) && std::isnan(before[k][i])))
        return p.fail(Kind::kForward,
                      concat("fn changes its inputs: ", p.input_place(k, static_cast<int64_t>(i)),
                             " was ", before[k][i], " before a call and ", after[i], " after"));
  }
  for (size_t k : p.floating)
    for (int64_t i = 0; i < num_parts(p.outputs[k]); ++i) {
      const double a = first[p.offset[k] + i], b = second[p.offset[k] + i];
      if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= p.options.nondet_tol())
        continue;
      return p.fail(
          Kind::kForward,
          concat("fn is not deterministic: ", p.output_place(k, i), " was ", a, ", and ", b,
                 " in a second call with the same inputs (nondet_tol ", p.options.nondet_tol(),
                 "). Where it draws random numbers, same_random_numbers(true) lets each call draw "
                 "the same."));
    }
}

// ---------------------------------------------------------------------- cotangents
namespace {

variable_list zeros_for(const variable_list& outputs) {
  variable_list list;
  for (const Tensor& y : outputs) list.push_back(write_like(constant_parts(y, 0), y));
  return list;
}

void check_zero_cotangents(const Problem& p, const variable_list& outputs) {
  const variable_list g = p.gradients(outputs, zeros_for(outputs));
  for (size_t k = 0; k < g.size(); ++k) {
    const Values v = values_of(g[k], p.wanted[k]);
    for (size_t i = 0; i < v.size(); ++i)
      if (!(v[i] == 0))
        return p.fail(Kind::kCotangent,
                      concat("backward not multiplied by grad_output: where all gradients of the "
                             "outputs are zero, that of ",
                             p.input_place(k, static_cast<int64_t>(i)), " is ", v[i]));
  }
}

/// Copies a tensor into every second element of a buffer, from an odd offset. The gaps hold NaN.
Tensor with_gaps(const Tensor& t) {
  const NoGradGuard no_grad;
  std::vector<int64_t> strides(static_cast<size_t>(t.dim()));
  int64_t step = 2;
  for (int64_t d = t.dim(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(t.size(d), 1);
  }
  Tensor buffer =
      taper::detail::make_tensor({2 * t.numel() + 3}, t.scalar_type(), t.device()).fill_(NAN);
  Tensor spread = buffer.as_strided(t.sizes(), strides, 1);
  spread.copy_(t);
  return spread;
}

/// Returns a constant tensor. If expanded, it stores the value once, as the gradient of sum() does.
Tensor constant(const Tensor& like, bool expanded) {
  const NoGradGuard no_grad;
  if (!expanded) return write_like(constant_parts(like, 1.5), like);
  const Values one(like.is_complex() ? 2 : 1, 1.5);
  return write(one, {}, like.scalar_type()).to(like.device()).expand(like.sizes());
}

void check_layouts(const Problem& p, const variable_list& outputs) {
  variable_list plain = cotangents_for(outputs, p.options.seed()), spread;
  std::vector<Values> before;
  for (const Tensor& v : plain) {
    spread.push_back(with_gaps(v));
    before.push_back(read(v));
  }
  const auto want = values_of(p.gradients(outputs, plain), p.wanted);
  for (size_t k = 0; k < plain.size(); ++k)
    if (read(plain[k]) != before[k])
      return p.fail(Kind::kCotangent,
                    "backward changes the gradient that it is given, in place: others who get the "
                    "same gradient then see the changed values");
  compare(p, Kind::kCotangent, "backward reads a gradient with gaps in memory as if it had none",
          values_of(p.gradients(outputs, spread), p.wanted), want);
  variable_list full, expanded;
  for (const Tensor& y : outputs) {
    full.push_back(constant(y, false));
    expanded.push_back(constant(y, true));
  }
  const auto of_full = values_of(p.gradients(outputs, full), p.wanted);
  compare(p, Kind::kCotangent,
          "backward reads an expanded gradient (as sum() gives it) as if it were not",
          values_of(p.gradients(outputs, expanded), p.wanted), of_full);
}

/// Checks backward(a + b) = backward(a) + backward(b) over one graph.
void check_batched(const Problem& p, const variable_list& outputs) {
  const variable_list a = cotangents_for(outputs, p.options.seed() + 1);
  const variable_list b = cotangents_for(outputs, p.options.seed() + 2);
  variable_list sums;
  for (size_t k = 0; k < a.size(); ++k) {
    Values sum = read(a[k]);
    const Values other = read(b[k]);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
    sums.push_back(write_like(sum, a[k]));
  }
  auto want = values_of(p.gradients(outputs, a), p.wanted);
  const auto of_b = values_of(p.gradients(outputs, b), p.wanted);
  for (size_t k = 0; k < want.size(); ++k)
    for (size_t i = 0; i < want[k].size(); ++i) want[k][i] += of_b[k][i];
  compare(p, Kind::kBatched, "backward of a sum is not the sum of the backwards",
          values_of(p.gradients(outputs, sums), p.wanted), want);
}

// ---------------------------------------------------------------------- undefined gradients
/// Is the identity with an undefined gradient.
struct UndefinedGradient : autograd::Function<UndefinedGradient> {
  static Tensor forward(autograd::AutogradContext*, Tensor x) { return x.detach(); }
  static autograd::variable_list backward(autograd::AutogradContext*, autograd::variable_list) {
    return {Tensor()};
  }
};

/// Passes undefined gradients for the outputs in `which` and zeros for the others, and checks that
/// all gradients are zero.
void check_undefined(const Problem& p, const std::vector<bool>& which) {
  variable_list outputs = recorded_of(p.call(p.inputs));
  for (size_t k = 0; k < outputs.size() && k < which.size(); ++k)
    if (which[k]) outputs[k] = UndefinedGradient::apply(outputs[k]);
  variable_list g;
  try {
    g = p.gradients(outputs, zeros_for(outputs));
  } catch (const std::exception& e) {
    return p.fail(Kind::kUndefined,
                  concat("Expected backward function to handle undefined output grads, but it "
                         "threw: ",
                         e.what()));
  }
  for (size_t k = 0; k < g.size(); ++k)
    for (double v : values_of(g[k], p.wanted[k]))
      if (!(v == 0))
        return p.fail(Kind::kUndefined,
                      concat("Expected all input grads to be undefined or zero when all output "
                             "grads are undefined or zero, but the gradient of ",
                             p.input_name(k), " is ", v));
}

void check_undefined(const Problem& p) {
  const size_t n = p.recorded.size();
  check_undefined(p, std::vector<bool>(n, true));
  for (size_t k = 0; n > 1 && k < n && p.report.passed(); ++k) {
    std::vector<bool> one(n, false);
    one[k] = true;
    check_undefined(p, one);
  }
}

// ---------------------------------------------------------------------- accumulation
/// Keeps the gradients of the inputs, and restores them at the end.
class KeptGradients {
 public:
  explicit KeptGradients(const variable_list& inputs) : inputs_(inputs) {
    for (const Tensor& x : inputs) kept_.push_back(x.grad());
  }
  ~KeptGradients() {
    for (size_t k = 0; k < kept_.size(); ++k) inputs_[k].mutable_grad() = kept_[k];
  }
  KeptGradients(const KeptGradients&) = delete;
  KeptGradients& operator=(const KeptGradients&) = delete;

 private:
  variable_list inputs_;
  variable_list kept_;
};

/// Calls fn with other values. Their effects must not reach the graphs of earlier calls.
void call_elsewhere(const Problem& p) {
  variable_list others = p.inputs;
  for (size_t k = 0; k < p.wanted.size(); ++k) {
    Values v = read(p.wanted[k]);
    for (double& x : v) x *= 1 + 1e-3;
    others[p.wanted_at[k]] = write_like(v, p.wanted[k]).requires_grad_();
  }
  try {
    p.call(others);
  } catch (const std::exception&) {
    // fn may reject other values, and then has no effects.
  }
}

void add(std::vector<Values>& sums, const std::vector<Values>& more) {
  for (size_t k = 0; k < sums.size(); ++k)
    for (size_t i = 0; i < sums[k].size(); ++i) sums[k][i] += more[k][i];
}

/// Checks one backward over two calls, which adds to existing gradients.
void check_accumulation(const Problem& p, const variable_list& outputs) {
  const variable_list a = cotangents_for(outputs, p.options.seed() + 3);
  const variable_list b = cotangents_for(outputs, p.options.seed() + 4);
  auto want = values_of(p.gradients(outputs, a), p.wanted);
  add(want, values_of(p.gradients(outputs, b), p.wanted));

  variable_list roots = recorded_of(p.call(p.inputs)), cotangents = a;
  for (const Tensor& y : recorded_of(p.call(p.inputs))) roots.push_back(y);
  cotangents.insert(cotangents.end(), b.begin(), b.end());
  if (roots.size() != cotangents.size())
    return p.fail(Kind::kForward,
                  "fn is not deterministic: other outputs require gradients in "
                  "another call");
  call_elsewhere(p);
  const KeptGradients kept(p.wanted);
  const variable_list there = cotangents_for(p.wanted, p.options.seed() + 5);
  for (size_t k = 0; k < p.wanted.size(); ++k) {
    p.wanted[k].mutable_grad() = there[k];
    for (size_t before = 0; before < k; ++before)
      if (p.wanted[before].is_same(p.wanted[k])) return;  // given twice: the sum is ambiguous
  }
  add(want, values_of(cotangents_for(p.wanted, p.options.seed() + 5), p.wanted));
  autograd::backward(roots, cotangents, false, false, p.wanted);
  variable_list got;
  for (const Tensor& x : p.wanted) got.push_back(x.grad());
  compare(p, Kind::kAccumulation,
          "backward() over two calls does not add to the gradient that is there (a buffer used "
          "again, a value of another call, or a gradient written in place of added)",
          values_of(got, p.wanted), want);
}

}  // namespace

void check_conditions(const Problem& p) {
  variable_list outputs;
  for (size_t k : p.recorded) outputs.push_back(p.outputs[k]);
  if (outputs.empty()) return;
  check_zero_cotangents(p, outputs);
  if (p.options.check_layouts() && p.report.passed()) check_layouts(p, outputs);
  if (p.options.check_batched_grad() && p.report.passed()) check_batched(p, outputs);
  if (p.options.check_undefined_grad() && p.report.passed()) check_undefined(p);
  if (p.options.check_accumulation() && p.report.passed()) check_accumulation(p, outputs);
}

}  // namespace torch::taper::testing::impl
