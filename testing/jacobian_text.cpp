// Writes a report of two different Jacobians.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include <taper/testing/problem.h>

namespace torch::taper::testing::impl {
namespace {

std::string number(double v, const char* format = "%.6g") {
  char text[40];
  std::snprintf(text, sizeof text, format, v);
  return text;
}
std::string padded(std::string text, size_t width, bool left = false) {
  if (text.size() < width) text.insert(left ? text.size() : 0, width - text.size(), ' ');
  return text;
}

struct Entry {
  int64_t row, column;
  double excess;  ///< the difference, infinite for what is not finite
};

std::vector<Entry> wrong_entries(const Matrix& a, const Matrix& n, double atol, double rtol) {
  std::vector<Entry> list;
  for (int64_t r = 0; r < n.rows; ++r)
    for (int64_t c = 0; c < n.columns; ++c) {
      if (is_close(a.at(r, c), n.at(r, c), atol, rtol)) continue;
      const double d = std::abs(a.at(r, c) - n.at(r, c));
      list.push_back({r, c, std::isfinite(d) ? d : INFINITY});
    }
  std::stable_sort(list.begin(), list.end(),
                   [](const Entry& x, const Entry& y) { return x.excess > y.excess; });
  return list;
}

// ---------------------------------------------------------------------- patterns
struct Counts {
  int64_t analytic_nan = 0, numeric_not_finite = 0, wrong = 0, zero = 0;
  std::set<int64_t> rows, columns;
};

Counts count(const Matrix& a, const Matrix& n, double atol, double rtol) {
  Counts k;
  for (const Entry& e : wrong_entries(a, n, atol, rtol)) {
    ++k.wrong;
    k.analytic_nan += !std::isfinite(a.at(e.row, e.column));
    k.numeric_not_finite += !std::isfinite(n.at(e.row, e.column));
    k.zero += a.at(e.row, e.column) == 0;
    k.rows.insert(e.row);
    k.columns.insert(e.column);
  }
  return k;
}

/// Returns k if a = k * n in every entry.
std::optional<double> common_factor(const Matrix& a, const Matrix& n, double atol) {
  double an = 0, nn = 0;
  for (size_t i = 0; i < n.v.size(); ++i) {
    an += a.v[i] * n.v[i];
    nn += n.v[i] * n.v[i];
  }
  if (!(nn > 0) || !std::isfinite(an)) return std::nullopt;
  const double k = an / nn;
  for (size_t i = 0; i < n.v.size(); ++i)
    if (!is_close(a.v[i], k * n.v[i], atol * (1 + std::abs(k)), 1e-3)) return std::nullopt;
  return k;
}

/// Returns whether -a = n for the entries in `is_other`, and a = n for all others.
template <class F>
bool other_sign(const Matrix& a, const Matrix& n, double atol, double rtol, const F& is_other) {
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < a.columns; ++c)
      if (!is_close(is_other(r, c) ? -a.at(r, c) : a.at(r, c), n.at(r, c), atol, rtol))
        return false;
  return true;
}

bool is_transposed(const Matrix& a, const Matrix& n, double atol, double rtol) {
  if (a.rows != a.columns || a.rows < 2) return false;
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < a.columns; ++c)
      if (!is_close(a.at(c, r), n.at(r, c), atol, rtol)) return false;
  return true;
}

}  // namespace

std::string pattern_of(const Matrix& a, const Matrix& n, double atol, double rtol) {
  const Counts k = count(a, n, atol, rtol);
  if (k.numeric_not_finite)
    return "fn is not finite beside the input: the point lies at the edge of where it is defined";
  if (k.analytic_nan == k.wrong) return "every wrong entry of the analytic gradient is not finite";
  if (k.analytic_nan) return concat(k.analytic_nan, " analytic entries are not finite");
  if (std::all_of(a.v.begin(), a.v.end(), [](double v) { return v == 0; }))
    return "the analytic gradient is zero everywhere: backward gives nothing, or the history is "
           "cut";
  if (is_transposed(a, n, atol, rtol)) return "the analytic Jacobian is the transposed numeric one";
  if (const auto factor = common_factor(a, n, atol)) {
    if (std::abs(*factor + 1) < 1e-3) return "the analytic gradient has the wrong sign everywhere";
    return concat("the analytic gradient is ", number(*factor, "%.4g"),
                  " times the numeric one everywhere");
  }
  if (k.columns.size() == 1 && n.columns > 1)
    return concat(*k.columns.begin() == n.columns - 1 ? "only the last" : "only one",
                  " element of the input has a wrong gradient",
                  k.zero == k.wrong ? " (0): it is left out" : "");
  if (k.rows.size() == 1 && n.rows > 1)
    return concat(*k.rows.begin() == n.rows - 1 ? "only the last" : "only one",
                  " element of the output is differentiated wrongly");
  if (k.zero == k.wrong)
    return "every wrong entry is zero in the analytic gradient: parts of it are left out";
  return "";
}

std::string complex_pattern_of(const Matrix& a, const Matrix& n, bool complex_rows,
                               bool complex_columns, double atol, double rtol) {
  const auto odd = [](int64_t r, int64_t c) { return (r + c) % 2 == 1; };
  const auto imaginary = [](int64_t, int64_t c) { return c % 2 == 1; };
  if (complex_rows && complex_columns && other_sign(a, n, atol, rtol, odd))
    return "a conjugate is missing: the gradient of z with w = f(z) is grad_w * conj(f'(z))";
  if (complex_columns && other_sign(a, n, atol, rtol, imaginary))
    return "the analytic gradient is the conjugate of what it should be: dL/da + i dL/db";
  return "";
}

// ---------------------------------------------------------------------- matrices
namespace {

constexpr size_t kMostRows = 8, kMostColumns = 4;

/// Returns up to `most` rows (or columns) with the worst entries, in increasing order.
template <class Pick>
std::vector<int64_t> shown(const std::vector<Entry>& wrong, int64_t all, size_t most, Pick pick) {
  std::set<int64_t> chosen;
  for (const Entry& e : wrong)
    if (chosen.size() < most) chosen.insert(pick(e));
  for (int64_t i = 0; i < all && chosen.size() < std::min<size_t>(most, all); ++i) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

std::string label(int64_t i, const Tensor& t) {
  const std::string text = part_text(i, t);
  return text.empty() ? "[]" : text;
}

}  // namespace

std::string side_by_side(const Matrix& a, const Matrix& n, const Tensor& output,
                         const Tensor& input, double atol, double rtol) {
  const std::vector<Entry> wrong = wrong_entries(a, n, atol, rtol);
  const auto rows = shown(wrong, n.rows, kMostRows, [](const Entry& e) { return e.row; });
  const auto columns =
      shown(wrong, n.columns, kMostColumns, [](const Entry& e) { return e.column; });
  const auto line = [&](const std::string& name, const auto& cell) {
    std::string text = "    " + padded(name, 10, true);
    for (int64_t c : columns) text += padded(cell(a, c, true), 12);
    text += "  |";
    for (int64_t c : columns) text += padded(cell(n, c, false), 12);
    return text + "\n";
  };
  const std::string title = padded("analytic", 12 * columns.size());
  std::string text =
      "    " + padded("", 10) + title + "  |" + padded("numeric", 12 * columns.size()) + "\n";
  text += line("", [&](const Matrix&, int64_t c, bool) { return label(c, input) + " "; });
  for (int64_t r : rows)
    text += line(label(r, output), [&](const Matrix& m, int64_t c, bool is_analytic) {
      const bool right = is_close(a.at(r, c), n.at(r, c), atol, rtol);
      return number(m.at(r, c), "%.5g") + (is_analytic && !right ? "*" : " ");
    });
  const bool all = static_cast<int64_t>(rows.size()) == n.rows &&
                   static_cast<int64_t>(columns.size()) == n.columns;
  if (!all)
    text += concat("    (", rows.size(), " of ", n.rows, " rows and ", columns.size(), " of ",
                   n.columns, " columns, around the worst entries)\n");
  return text;
}

// ---------------------------------------------------------------------- the whole failure
namespace {

/// Reports whether the differences to both sides disagree. fn then has a kink and no derivative.
std::string kink_text(const Problem& p, size_t output, size_t k, const Entry& e) {
  Elements x(p.wanted[k]);
  std::vector<double> here, above, below;
  const double eps = p.options.eps();
  const auto at = static_cast<size_t>(p.offset[output] + e.row);
  p.values(here);
  x.set(e.column, x.original(e.column) + eps);
  p.values(above);
  x.set(e.column, x.original(e.column) - eps);
  p.values(below);
  const double right = (above[at] - here[at]) / eps, left = (here[at] - below[at]) / eps;
  if (is_close(left, right, 1e-3, 1e-2)) return "";
  return concat("  the differences to both sides disagree (", number(left), " below, ",
                number(right), " above): fn has a kink or a jump there\n");
}

}  // namespace

void compare_jacobians(const Problem& p, size_t output, size_t k, const Matrix& a, const Matrix& n,
                       const std::string& preface) {
  const double atol = p.options.atol(), rtol = p.options.rtol();
  const std::vector<Entry> wrong = wrong_entries(a, n, atol, rtol);
  if (wrong.empty()) return;
  const Entry worst = wrong.front();
  GradcheckFailure f;
  f.kind = Kind::kJacobian;
  f.output = output, f.input = p.wanted_at[k];
  f.output_element = worst.row, f.input_element = worst.column;
  f.analytic = a.at(worst.row, worst.column), f.numeric = n.at(worst.row, worst.column);
  f.tolerance = atol + rtol * std::abs(f.numeric);
  f.message = concat("Jacobian mismatch for ", p.output_name(output), " with respect to ",
                     p.input_name(k), ": ", wrong.size(), " of ", n.v.size(),
                     n.v.size() == 1 ? " entry differs\n" : " entries differ\n");
  if (!preface.empty()) f.message += "  " + preface + "\n";
  f.message += concat("  worst: d ", p.output_place(output, worst.row), " / d ",
                      p.input_place(k, worst.column), ": analytic ", number(f.analytic, "%.9g"),
                      ", numeric ", number(f.numeric, "%.9g"), ", difference ",
                      number(std::abs(f.analytic - f.numeric)), ", tolerance ", number(f.tolerance),
                      " (", number(atol), " + ", number(rtol), " * |numeric|)\n");
  std::string pattern = complex_pattern_of(a, n, p.outputs[output].is_complex(),
                                           p.wanted[k].is_complex(), atol, rtol);
  if (pattern.empty()) pattern = pattern_of(a, n, atol, rtol);
  if (!pattern.empty()) f.message += "  " + pattern + "\n";
  f.message += kink_text(p, output, k, worst);
  f.message += concat("  rows: ", p.outputs[output].is_complex() ? "parts of " : "", "elements of ",
                      p.output_name(output), " ", p.outputs[output].sizes(),
                      "; columns: ", p.wanted[k].is_complex() ? "parts of " : "", "elements of ",
                      p.input_name(k), " ", p.wanted[k].sizes(), "; * differs\n");
  f.message += side_by_side(a, n, p.outputs[output], p.wanted[k], atol, rtol);
  p.report.failures.push_back(std::move(f));
}

}  // namespace torch::taper::testing::impl
