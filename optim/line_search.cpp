#include <taper/optim/line_search.h>

#include <algorithm>
#include <cmath>

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
