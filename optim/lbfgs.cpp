#include <taper/optim/lbfgs.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/cat.h>
#include <taper/optim/line_search.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>

namespace torch::taper::optim {
namespace detail {

// Read and write the fields that no other optimizer has.
static void write_field(serialize::OutputArchive& archive, const char* name,
                        const std::deque<Tensor>& list) {
  archive.write(name, IValue(std::vector<Tensor>(list.begin(), list.end())));
}
static void read_field(serialize::InputArchive& archive, const char* name,
                       std::deque<Tensor>& list) {
  const auto read = read_value<std::vector<Tensor>>(archive, name);
  list.assign(read.begin(), read.end());
}
template <class List>
static bool same_list(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return same_field(x, y); });
}
static bool same_field(const std::deque<Tensor>& a, const std::deque<Tensor>& b) {
  return same_list(a, b);
}
static bool same_field(const optional<std::vector<Tensor>>& a,
                       const optional<std::vector<Tensor>>& b) {
  return bool(a) == bool(b) && (!a || same_list(*a, *b));
}

}  // namespace detail

#define TAPER_LBFGS_OPTIONS(X) \
  X(lr)                        \
  X(max_iter) X(max_eval) X(tolerance_grad) X(tolerance_change) X(history_size) X(line_search_fn)
#define TAPER_LBFGS_STATE(X) \
  X(func_evals)              \
  X(n_iter) X(t) X(prev_loss) X(d) X(H_diag) X(prev_flat_grad) X(old_dirs) X(old_stps) X(ro) X(al)
#define TAPER_LBFGS_HISTORY(name)                                                \
  LBFGSParamState& LBFGSParamState::name(const std::deque<Tensor>& new_##name) { \
    name##_ = new_##name;                                                        \
    return *this;                                                                \
  }                                                                              \
  LBFGSParamState& LBFGSParamState::name(std::deque<Tensor>&& new_##name) {      \
    name##_ = std::move(new_##name);                                             \
    return *this;                                                                \
  }
TAPER_LBFGS_HISTORY(old_dirs)
TAPER_LBFGS_HISTORY(old_stps)
TAPER_LBFGS_HISTORY(ro)
#undef TAPER_LBFGS_HISTORY

TAPER_OPTIM_CLONES(LBFGS);
TAPER_OPTIM_FIELDS(LBFGSOptions, TAPER_LBFGS_OPTIONS)
TAPER_OPTIM_FIELDS(LBFGSParamState, TAPER_LBFGS_STATE)

namespace {

double number(const Tensor& t) { return t.item().toDouble(); }
double largest(const Tensor& t) { return number(t.abs().max()); }

LBFGSOptions complete(LBFGSOptions o) {
  if (!o.max_eval()) o.max_eval(o.max_iter() * 5 / 4);
  return o;
}

/// Adds the change since the last iteration to the history.
void remember(LBFGSParamState& s, const Tensor& gradient, int64_t history_size) {
  const Tensor y = gradient.sub(s.prev_flat_grad()), change = s.d().mul(s.t());
  const Tensor ys = y.dot(change);
  if (!(number(ys) > 1e-10)) return;
  if (static_cast<int64_t>(s.old_dirs().size()) == history_size) {
    s.old_dirs().pop_front();
    s.old_stps().pop_front();
    s.ro().pop_front();
  }
  s.old_dirs().push_back(y);
  s.old_stps().push_back(change);
  s.ro().push_back(ys.reciprocal());
  s.H_diag(ys.div(y.dot(y)));
}

/// Returns the negative gradient times the approximate inverse Hessian.
Tensor direction(LBFGSParamState& s, const Tensor& gradient) {
  const size_t count = s.old_dirs().size();
  std::vector<Tensor> al(count);
  Tensor q = gradient.neg();
  for (size_t i = count; i-- > 0;) {
    al[i] = s.old_stps()[i].dot(q).mul(s.ro()[i]);
    q.sub_(s.old_dirs()[i].mul(al[i]));
  }
  Tensor r = q.mul(s.H_diag());
  for (size_t i = 0; i < count; ++i) {
    const Tensor be = s.old_dirs()[i].dot(r).mul(s.ro()[i]);
    r.add_(s.old_stps()[i].mul(al[i].sub(be)));
  }
  s.al(std::move(al));
  return r;
}

void start(LBFGSParamState& s, const Tensor& gradient) {
  s.d(gradient.neg());
  s.old_dirs().clear();
  s.old_stps().clear();
  s.ro().clear();
  s.H_diag(gradient.new_ones(IntArrayRef{}));
}

}  // namespace

LBFGS::LBFGS(std::vector<OptimizerParamGroup> param_groups, LBFGSOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<LBFGSOptions>(complete(defaults))) {
  TAPER_CHECK(param_groups_.size() == 1,
              "LBFGS doesn't support per-parameter options (parameter groups)");
  auto* options = dynamic_cast<LBFGSOptions*>(&param_groups_[0].options());
  TAPER_CHECK(options, "LBFGS: expected a parameter group with LBFGSOptions");
  *options = complete(*options);
}
LBFGS::LBFGS(std::vector<Tensor> params, LBFGSOptions defaults)
    : LBFGS(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))},
            std::move(defaults)) {}

const std::vector<Tensor>& LBFGS::params() const { return param_groups_[0].params(); }

int64_t LBFGS::numel() const {
  int64_t count = 0;
  for (const Tensor& p : params()) count += numbers_of(p).numel();
  return count;
}

Tensor LBFGS::flat_gradient() const {
  std::vector<Tensor> parts;
  for (const Tensor& p : params()) {
    const Tensor& g = p.grad();
    const Tensor like = numbers_of(p);
    parts.push_back(g.defined() ? numbers_of(g.detach()).reshape({-1})
                                : like.new_zeros({like.numel()}));
  }
  return cat(parts);
}

void LBFGS::move(double length, const Tensor& direction) {
  int64_t at = 0;
  for (const Tensor& p : params()) {
    const Tensor x = numbers_of(p);
    x.add_(direction.narrow(0, at, x.numel()).view(x.sizes()), length);
    at += x.numel();
  }
}

LBFGSOptions LBFGS::checked_options() const {
  const auto* options = dynamic_cast<const LBFGSOptions*>(&param_groups_[0].options());
  TAPER_CHECK(options && !params().empty(),
              "LBFGS: expected parameters, in a group with LBFGSOptions");
  const auto& search = options->line_search_fn();
  TAPER_CHECK(!search || *search == "strong_wolfe", "only 'strong_wolfe' is supported");
  return complete(*options);
}

LinePoint LBFGS::look(const LossClosure& closure, const Tensor& direction, double t) {
  std::vector<Tensor> before;
  for (const Tensor& p : params()) before.push_back(p.detach().clone());
  move(t, direction);
  LinePoint point{t, number(evaluate(closure)), flat_gradient(), 0};
  for (size_t i = 0; i < before.size(); ++i) params()[i].copy_(before[i]);
  point.slope = number(point.g.dot(direction));
  return point;
}

/// Chooses the direction and the first guess of the step length. Returns the slope.
static double aim(LBFGSParamState& s, const LinePoint& now, const LBFGSOptions& o) {
  s.n_iter(s.n_iter() + 1);
  const bool is_first = s.n_iter() == 1;
  if (is_first) {
    start(s, now.g);
  } else {
    remember(s, now.g, o.history_size());
    s.d(direction(s, now.g));
  }
  s.prev_flat_grad(now.g.clone());
  s.prev_loss(now.f);
  s.t(is_first ? std::min(1.0, 1 / number(now.g.abs().sum())) * o.lr() : o.lr());
  return number(now.g.dot(s.d()));
}

int64_t LBFGS::advance(const LossClosure& closure, LBFGSParamState& s, const LBFGSOptions& o,
                       bool is_last, LinePoint& now) {
  int64_t evaluations = 0;
  if (o.line_search_fn()) {
    const auto evaluate = [&](double t) { return look(closure, s.d(), t); };
    now.t = 0;
    now = strong_wolfe(evaluate, now, s.t(), largest(s.d()), o.tolerance_change(), evaluations);
    s.t(now.t);
    move(s.t(), s.d());
    return evaluations;
  }
  move(s.t(), s.d());
  // The last point is not evaluated. With batches, the next call has another function anyway.
  if (is_last) return 0;
  now.f = number(evaluate(closure));
  now.g = flat_gradient();
  return 1;
}

static bool has_converged(const LBFGSParamState& s, const LBFGSOptions& o, const LinePoint& now) {
  return largest(now.g) <= o.tolerance_grad() ||
         largest(s.d()) * std::fabs(s.t()) <= o.tolerance_change() ||
         std::fabs(now.f - s.prev_loss()) < o.tolerance_change();
}

Tensor LBFGS::step(LossClosure closure) {
  const StepScope recorded("LBFGS.step");
  TAPER_CHECK(closure, "LBFGS requires a closure function");
  const LBFGSOptions o = checked_options();
  const NoGradGuard no_grad;
  LBFGSParamState& s = state_of<LBFGSParamState>(0, params()[0]);
  const Tensor loss = evaluate(closure);
  s.func_evals(s.func_evals() + 1);
  LinePoint now{0, number(loss), flat_gradient(), 0};
  if (largest(now.g) <= o.tolerance_grad()) return loss;
  int64_t evaluations = 1;
  for (int64_t i = 1; i <= o.max_iter(); ++i) {
    now.slope = aim(s, now, o);
    if (now.slope > -o.tolerance_change()) break;
    const int64_t spent = advance(closure, s, o, i == o.max_iter(), now);
    evaluations += spent;
    s.func_evals(s.func_evals() + spent);
    if (evaluations >= *o.max_eval() || has_converged(s, o, now)) break;
  }
  return loss;
}

void LBFGS::save(serialize::OutputArchive& archive) const {
  optim::serialize<LBFGSParamState, LBFGSOptions>(archive, *this);
}

void LBFGS::load(serialize::InputArchive& archive) {
  const auto check = [this](const LBFGSParamState& state, const Tensor&, const std::string& where) {
    const auto fits = [&](const Tensor& t, const char* name) {
      TAPER_CHECK(!t.defined() || t.sizes() == IntArrayRef{numel()}, "load: '", where, ".", name,
                  "': expected a vector of ", numel(), " elements, got sizes ", t.sizes());
    };
    fits(state.d(), "d");
    fits(state.prev_flat_grad(), "prev_flat_grad");
    for (const Tensor& t : state.old_dirs()) fits(t, "old_dirs");
    for (const Tensor& t : state.old_stps()) fits(t, "old_stps");
    TAPER_CHECK(state.old_dirs().size() == state.old_stps().size() &&
                    state.old_dirs().size() == state.ro().size(),
                "load: '", where, "': expected as many old_dirs as old_stps and ro");
  };
  optim::serialize<LBFGSParamState, LBFGSOptions>(archive, *this, check);
}

}  // namespace torch::taper::optim

namespace torch::taper::optim {
namespace {

constexpr double kDecrease = 1e-4, kFlatness = 0.9;
constexpr int kMaxEvaluations = 25;

/// Returns the minimum, within bounds, of the cubic through two points with their slopes.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double least, double most) {
  const LinePoint &left = a.t <= b.t ? a : b, &right = a.t <= b.t ? b : a;
  const double d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const double d2 = std::sqrt(square);
  const double part = (right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2);
  const double t = right.t - (right.t - left.t) * part;
  return std::min(std::max(t, least), most);
}

class StrongWolfe {
 public:
  StrongWolfe(const std::function<LinePoint(double)>& evaluate, const LinePoint& start,
              double largest, double tolerance)
      : evaluate_(evaluate), start_(start), largest_(largest), tolerance_(tolerance) {}

  LinePoint run(double t, int64_t& evaluations) {
    bracket(t);
    if (!done_) zoom();
    evaluations += evaluations_;
    return low_;
  }

 private:
  LinePoint evaluate(double t) {
    ++evaluations_;
    return evaluate_(t);
  }
  bool is_too_high(const LinePoint& p) const {
    return p.f > start_.f + kDecrease * p.t * start_.slope;
  }
  bool is_flat(const LinePoint& p) const { return std::fabs(p.slope) <= -kFlatness * start_.slope; }
  /// Sets the bracket to two points with a good point between them.
  void enclose(const LinePoint& a, const LinePoint& b) {
    low_ = a.f <= b.f ? a : b;
    high_ = a.f <= b.f ? b : a;
  }

  /// Moves outwards until it finds or passes a good point.
  void bracket(double t) {
    LinePoint before = start_, p = evaluate(t);
    for (iterations_ = 0; iterations_ < kMaxEvaluations; ++iterations_) {
      if (is_too_high(p) || (iterations_ > 1 && p.f >= before.f)) return enclose(before, p);
      if (is_flat(p)) {
        low_ = p;
        done_ = true;
        return;
      }
      if (p.slope >= 0) return enclose(before, p);
      const double least = p.t + 0.01 * (p.t - before.t), most = p.t * 10;
      t = cubic_minimum(before, p, least, most);
      before = std::move(p);
      p = evaluate(t);
    }
    enclose(start_, p);
  }

  /// Moves a point inwards if it is too close to an end of the bracket twice in a row.
  double guarded(double t) {
    const double least = std::min(low_.t, high_.t), most = std::max(low_.t, high_.t);
    const double margin = 0.1 * (most - least);
    if (std::min(most - t, t - least) >= margin) {
      slow_ = false;
      return t;
    }
    if (!slow_ && t < most && t > least) {
      slow_ = true;
      return t;
    }
    slow_ = false;
    return std::fabs(t - most) < std::fabs(t - least) ? most - margin : least + margin;
  }

  /// Shrinks the bracket until it finds a good point.
  void zoom() {
    for (; !done_ && iterations_ < kMaxEvaluations; ++iterations_) {
      if (std::fabs(high_.t - low_.t) * largest_ < tolerance_) return;
      const double least = std::min(low_.t, high_.t), most = std::max(low_.t, high_.t);
      LinePoint p = evaluate(guarded(cubic_minimum(low_, high_, least, most)));
      if (is_too_high(p) || p.f >= low_.f) {
        enclose(low_, p);
        continue;
      }
      done_ = is_flat(p);
      if (!done_ && p.slope * (high_.t - low_.t) >= 0) high_ = low_;
      low_ = std::move(p);
    }
  }

  const std::function<LinePoint(double)>& evaluate_;
  const LinePoint& start_;
  const double largest_, tolerance_;
  LinePoint low_, high_;
  int iterations_ = 0;
  int64_t evaluations_ = 0;
  bool done_ = false, slow_ = false;
};

}  // namespace

LinePoint strong_wolfe(const std::function<LinePoint(double t)>& evaluate, const LinePoint& start,
                       double t, double largest, double tolerance_change, int64_t& evaluations) {
  return StrongWolfe(evaluate, start, largest, tolerance_change).run(t, evaluations);
}

}  // namespace torch::taper::optim
