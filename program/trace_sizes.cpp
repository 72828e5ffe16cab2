#include <taper/program/trace_sizes.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace torch::taper::program {
namespace {

using ExprKind = SizeExpr::Kind;
using Points = std::vector<std::vector<int64_t>>;
using Values = std::vector<int64_t>;

SizeExprPtr number(int64_t n) {
  return std::make_shared<SizeExpr>(SizeExpr{ExprKind::kNumber, n, nullptr, nullptr});
}
SizeExprPtr symbol(size_t i) {
  return std::make_shared<SizeExpr>(
      SizeExpr{ExprKind::kSymbol, static_cast<int64_t>(i), nullptr, nullptr});
}
SizeExprPtr binary(ExprKind kind, SizeExprPtr a, SizeExprPtr b) {
  return std::make_shared<SizeExpr>(SizeExpr{kind, 0, std::move(a), std::move(b)});
}
bool is_number(const SizeExprPtr& e, int64_t n) {
  return e->kind == ExprKind::kNumber && e->number == n;
}

SizeExprPtr sum(SizeExprPtr a, SizeExprPtr b) {
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  return binary(ExprKind::kSum, std::move(a), std::move(b));
}
SizeExprPtr product(SizeExprPtr a, SizeExprPtr b) {
  if (is_number(a, 0) || is_number(b, 0)) return number(0);
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  return binary(ExprKind::kProduct, std::move(a), std::move(b));
}

int64_t floor_division(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

int64_t SizeExpr::at(const std::vector<int64_t>& symbols) const {
  switch (kind) {
    case ExprKind::kNumber:
      return number;
    case ExprKind::kSymbol:
      return symbols[static_cast<size_t>(number)];
    case ExprKind::kSum:
      return left->at(symbols) + right->at(symbols);
    case ExprKind::kProduct:
      return left->at(symbols) * right->at(symbols);
    default:
      return floor_division(left->at(symbols), right->at(symbols));
  }
}

std::string SizeExpr::text() const {
  if (kind == ExprKind::kNumber) return "Integer(" + std::to_string(number) + ')';
  if (kind == ExprKind::kSymbol)
    return "Symbol('s" + std::to_string(number) + "', positive=True, integer=True)";
  const char* const name = kind == ExprKind::kSum       ? "Add("
                           : kind == ExprKind::kProduct ? "Mul("
                                                        : "FloorDiv(";
  return name + left->text() + ", " + right->text() + ')';
}

// ---------------------------------------------------------------------- fits of one symbol
namespace {

/// The values of one symbol and of the size, without other changes.
struct Line {
  Values s, v;
};

/// A term of one symbol that is `factor` times an expression without common factor.
struct Term {
  int64_t factor = 1;
  SizeExprPtr rest;
};

bool fits_line(const SizeExpr& e, size_t i, const Line& line) {
  Values at(i + 1);
  for (size_t k = 0; k < line.s.size(); ++k) {
    at[i] = line.s[k];
    if (e.at(at) != line.v[k]) return false;
  }
  return true;
}

SizeExprPtr term_of(const Term& t) { return product(number(t.factor), t.rest); }

/// a * s + b
bool fit_linear(size_t i, const Line& line, Term& term) {
  const int64_t ds = line.s[1] - line.s[0], dv = line.v[1] - line.v[0];
  if (dv % ds != 0) return false;
  const int64_t a = dv / ds, b = line.v[0] - a * line.s[0];
  term.factor = a == 0 ? b : std::gcd(a, b);
  if (term.factor == 0) return false;
  term.rest = sum(product(number(a / term.factor), symbol(i)), number(b / term.factor));
  return fits_line(*term_of(term), i, line);
}

/// c * s * s + a * s + b, by divided differences
bool fit_square(size_t i, const Line& line, Term& term) {
  if (line.s.size() < 4) return false;
  const auto slope = [&](size_t j, size_t k) {
    return std::make_pair(line.v[k] - line.v[j], line.s[k] - line.s[j]);
  };
  const auto [v01, s01] = slope(0, 1);
  const auto [v12, s12] = slope(1, 2);
  if (v01 % s01 != 0 || v12 % s12 != 0) return false;
  const int64_t twice = v12 / s12 - v01 / s01, across = line.s[2] - line.s[0];
  if (twice % across != 0) return false;
  const int64_t c = twice / across, a = v01 / s01 - c * (line.s[0] + line.s[1]);
  const int64_t b = line.v[0] - (c * line.s[0] + a) * line.s[0];
  term.factor = std::gcd(std::gcd(c, a), b);
  if (c == 0) return false;
  const SizeExprPtr s = symbol(i);
  term.rest = sum(product(sum(product(number(c / term.factor), s), number(a / term.factor)), s),
                  number(b / term.factor));
  return fits_line(*term_of(term), i, line);
}

/// factor * ((s + b) // k), for the first k for which there is a b
bool fit_quotient(size_t i, const Line& line, int64_t factor, Term& term) {
  term.factor = factor;
  for (int64_t k = 2; k <= 64 && factor != 0; ++k) {
    int64_t low = INT64_MIN, high = INT64_MAX;
    for (size_t j = 0; j < line.s.size(); ++j) {
      const int64_t least = line.v[j] / factor * k - line.s[j];
      low = std::max(low, least);
      high = std::min(high, least + k - 1);
    }
    if (low > high) continue;
    const int64_t b = low > 0 ? low : high < 0 ? high : 0;
    term.rest = binary(ExprKind::kQuotient, sum(symbol(i), number(b)), number(k));
    return fits_line(*term_of(term), i, line);
  }
  return false;
}
int64_t common_factor(const Values& values) {
  int64_t factor = 0;
  for (const int64_t v : values) factor = std::gcd(factor, v);
  return factor;
}

bool fit_line(size_t i, const Line& line, Term& term) {
  return fit_linear(i, line, term) || fit_square(i, line, term) || fit_quotient(i, line, 1, term) ||
         fit_quotient(i, line, common_factor(line.v), term);
}

// ---------------------------------------------------------------------- fits of several symbols
bool fits(const SizeExpr& e, const Points& points, const Values& values) {
  for (size_t k = 0; k < points.size(); ++k)
    if (e.at(points[k]) != values[k]) return false;
  return true;
}

/// Returns the points that differ from the example in symbol i only, and the example.
Line line_of(size_t i, const Points& points, const Values& values) {
  Line line;
  for (size_t k = 0; k < points.size(); ++k) {
    std::vector<int64_t> moved = points[k];
    moved[i] = points[0][i];
    if (moved != points[0] || (k > 0 && points[k][i] == points[0][i])) continue;
    line.s.push_back(points[k][i]);
    line.v.push_back(values[k]);
  }
  return line;
}

bool is_constant(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// Returns the product of the terms, scaled so that it fits the example.
SizeExprPtr product_of(const std::vector<Term>& terms, const std::vector<int64_t>& example,
                       int64_t value) {
  SizeExprPtr all = number(1);
  for (const Term& t : terms) all = product(all, t.rest);
  const int64_t at = all->at(example);
  if (at == 0 || value % at != 0) return nullptr;
  return product(number(value / at), all);
}

SizeExprPtr sum_of(const std::vector<Term>& terms, int64_t value) {
  SizeExprPtr all = number(-static_cast<int64_t>(terms.size() - 1) * value);
  for (const Term& t : terms) all = sum(term_of(t), all);
  return all;
}

}  // namespace

SizeExprPtr fit_sizes(const Points& points, const Values& values) {
  if (is_constant(values)) return number(values[0]);
  std::vector<Term> terms;
  for (size_t i = 0; i < points[0].size(); ++i) {
    const Line line = line_of(i, points, values);
    if (line.s.size() < 2 || is_constant(line.v)) continue;
    Term term;
    if (!fit_line(i, line, term)) return nullptr;
    terms.push_back(term);
  }
  if (terms.empty()) return nullptr;
  const SizeExprPtr multiplied = product_of(terms, points[0], values[0]);
  if (multiplied && fits(*multiplied, points, values)) return multiplied;
  const SizeExprPtr added = sum_of(terms, values[0]);
  return fits(*added, points, values) ? added : nullptr;
}

}  // namespace torch::taper::program
