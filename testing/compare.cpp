#include <taper/testing/compare.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/testing/memory.h>

namespace torch::taper::testing {

using taper::detail::concat;

Tolerance default_tolerance(ScalarType a, ScalarType b) {
  const auto of = [](ScalarType t) -> Tolerance {
    switch (toRealValueType(t)) {
      case kDouble:
        return {1e-7, 1e-7};
      case kFloat:
        return {1.3e-6, 1e-5};
      case kHalf:
        return {1e-3, 1e-5};
      case kBFloat16:
        return {1.6e-2, 1e-5};
      default:
        return {0, 0};
    }
  };
  const Tolerance x = of(a), y = of(b);
  return {std::max(x.rtol, y.rtol), std::max(x.atol, y.atol)};
}

std::string Verdict::text() const {
  std::string text;
  for (const std::string& f : failures) text += f + (f.empty() || f.back() != '\n' ? "\n" : "");
  for (const std::string& n : notes) text += "note: " + n + "\n";
  return text;
}

namespace {

struct Different {
  size_t at;
  double excess;
};

bool equals(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Holds the elements of a tensor as complex numbers. A real number has no imaginary part.
struct Numbers {
  using Number = std::complex<double>;
  explicit Numbers(const Tensor& t)
      : v(impl::read(t)), size(static_cast<size_t>(t.numel())), is_complex(t.is_complex()) {}
  Number operator[](size_t i) const {
    return is_complex ? Number(v[2 * i], v[2 * i + 1]) : Number(v[i]);
  }
  std::string text(size_t i) const;

  std::vector<double> v;
  size_t size;
  bool is_complex;
};

bool equals(Numbers::Number a, Numbers::Number b) {
  return equals(a.real(), b.real()) && equals(a.imag(), b.imag());
}
bool is_finite(Numbers::Number z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

std::string number(double v, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, v);
  return text;
}

std::string Numbers::text(size_t i) const {
  if (!is_complex) return number(v[i], "%.9g");
  return number(v[2 * i], "%.6g") + number(v[2 * i + 1], "%+.6g") + "j";
}

std::string row(const std::string& index, const std::string& got, const std::string& want,
                const std::string& d, const std::string& tolerance) {
  char text[200];
  std::snprintf(text, sizeof text, "    %-14s %16s %16s %12s %12s\n", index.c_str(), got.c_str(),
                want.c_str(), d.c_str(), tolerance.c_str());
  return text;
}

constexpr size_t kMostRows = 6;

/// Writes the table of the first wrong elements, in order.
std::string table(const Numbers& got, const Numbers& want, IntArrayRef sizes,
                  std::vector<Different> wrong, Tolerance tol) {
  std::sort(wrong.begin(), wrong.end(),
            [](const Different& a, const Different& b) { return a.at < b.at; });
  std::string text = row("index", "got", "want", "difference", "tolerance");
  for (size_t i = 0; i < std::min(kMostRows, wrong.size()); ++i) {
    const size_t at = wrong[i].at;
    text += row(impl::index_text(static_cast<int64_t>(at), sizes), got.text(at), want.text(at),
                number(std::abs(got[at] - want[at]), "%.4g"),
                number(tol.atol + tol.rtol * std::abs(want[at]), "%.4g"));
  }
  if (wrong.size() > kMostRows) text += concat("    ... and ", wrong.size() - kMostRows, " more\n");
  return text;
}

std::string describe(const Numbers& got, const Numbers& want, const Tensor& t,
                     const std::vector<Different>& wrong, Tolerance tol) {
  const auto worst =
      std::max_element(wrong.begin(), wrong.end(),
                       [](const Different& a, const Different& b) { return a.excess < b.excess; });
  const Numbers::Number w = want[worst->at], g = got[worst->at];
  return concat(wrong.size(), " of ", want.size, " elements differ (", t.scalar_type(), " ",
                t.sizes(), ", rtol ", tol.rtol, ", atol ", tol.atol, ")\n  worst at ",
                impl::index_text(static_cast<int64_t>(worst->at), t.sizes()), ": got ",
                got.text(worst->at), ", want ", want.text(worst->at), ": difference ",
                number(std::abs(g - w), "%.4g"), ", tolerance ",
                number(tol.atol + tol.rtol * std::abs(w), "%.4g"), "\n",
                table(got, want, t.sizes(), wrong, tol));
}

/// Describes a difference that prevents a comparison by elements. Returns an empty text if there is
/// none.
std::string different_kind(const Tensor& got, const Tensor& want) {
  if (got.defined() != want.defined())
    return concat("expected ", want.defined() ? "a defined" : "an undefined", " tensor, got ",
                  got.defined() ? "a defined" : "an undefined", " one");
  if (want.defined() && got.sizes() != want.sizes())
    return concat("expected sizes ", want.sizes(), ", got ", got.sizes());
  if (want.defined() && got.is_complex() != want.is_complex())
    return concat("expected dtype ", want.scalar_type(), ", got ", got.scalar_type());
  return "";
}

template <class IsRight>
std::string compare(const Tensor& got, const Tensor& want, Tolerance tol, const IsRight& is_right) {
  const Numbers g(got), w(want);
  std::vector<Different> wrong;
  for (size_t i = 0; i < w.size; ++i) {
    if (is_right(g[i], w[i])) continue;
    const double d = std::abs(g[i] - w[i]);
    wrong.push_back({i, std::isfinite(d) ? d : INFINITY});
  }
  return wrong.empty() ? "" : describe(g, w, want, wrong, tol);
}

/// Describes differences of 64-bit integers that doubles cannot distinguish. Returns an empty text
/// for other dtypes.
std::string different_bits(const Tensor& got, const Tensor& want) {
  const ScalarType t = want.scalar_type();
  if (got.scalar_type() != t || (t != kLong && t != kUInt64)) return "";
  const Tensor g = got.cpu().flatten(), w = want.cpu().flatten(), wrong = g.ne(w).nonzero();
  if (wrong.numel() == 0) return "";
  const int64_t at = wrong[0][0].item<int64_t>();
  return concat(wrong.size(0), " of ", w.numel(), " elements differ (", t, " ", want.sizes(),
                "); the first is ", g[at].item(), ", want ", w[at].item(), " at ",
                impl::index_text(at, want.sizes()));
}

}  // namespace

std::string difference(const Tensor& got, const Tensor& want, Tolerance tol) {
  const std::string kind = different_kind(got, want);
  if (!kind.empty() || !want.defined()) return kind;
  return compare(got, want, tol, [&](Numbers::Number g, Numbers::Number w) {
    // `error > tolerance` would let a NaN pass.
    return g == w || (is_finite(w) && std::abs(g - w) <= tol.atol + tol.rtol * std::abs(w));
  });
}

std::string difference(const Tensor& got, const Tensor& want) {
  const std::string found =
      difference(got, want, default_tolerance(got.scalar_type(), want.scalar_type()));
  return !found.empty() || !want.defined() ? found : different_bits(got, want);
}

std::string inequality(const Tensor& got, const Tensor& want) {
  const std::string kind = different_kind(got, want);
  if (!kind.empty() || !want.defined()) return kind;
  if (got.scalar_type() != want.scalar_type())
    return concat("expected dtype ", want.scalar_type(), ", got ", got.scalar_type());
  const std::string found =
      compare(got, want, {0, 0}, [](Numbers::Number g, Numbers::Number w) { return equals(g, w); });
  return found.empty() ? different_bits(got, want) : found;
}

std::string not_finite(const Tensor& t) {
  if (!t.defined()) return "expected a defined tensor, got an undefined one";
  const Numbers v(t);
  size_t count = 0, first = 0;
  for (size_t i = v.size; i-- > 0;)
    if (!is_finite(v[i])) ++count, first = i;
  if (count == 0) return "";
  return concat(count, " of ", v.size, " elements are not finite; the first is ", v.text(first),
                " at ", impl::index_text(static_cast<int64_t>(first), t.sizes()));
}

}  // namespace torch::taper::testing
