// Functions of numbers: trigonometric, logarithms, those of torch.special; what joins and parts
// tensors; integers.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using List = std::vector<Tensor>;
namespace special = torch::special;

using Unary = Tensor (*)(const Tensor&);
using Table = std::vector<std::pair<const char*, Unary>>;
#define ROW(name, ...)                                          \
  {                                                             \
    name, [](const Tensor& x) -> Tensor { return __VA_ARGS__; } \
  }
#define NAMED(f) ROW(#f, f(x))
#define METHOD(f) ROW(#f, x.f())
// In double: the two compute some of these in different precision for float.
static void with_gradient(const Tensor& x, const Table& table) {
  for (const auto& row : table)
    with_gradients(row.first, {x.to(torch::kDouble)}, [&](List& t) { return row.second(t[0]); });
}
static void without_gradient(const Tensor& x, const Table& table) {
  for (const auto& row : table) show(row.first, row.second(x));
}

static void elementary() {
  const Tensor x = numbers({3, 4}, 1);
  with_gradient(x, {METHOD(acos),
                    METHOD(asin),
                    METHOD(atan),
                    METHOD(atanh),
                    METHOD(asinh),
                    METHOD(cos),
                    METHOD(cosh),
                    METHOD(sin),
                    METHOD(sinh),
                    METHOD(tan),
                    METHOD(tanh),
                    METHOD(arccos),
                    METHOD(arcsin),
                    METHOD(arcsinh),
                    METHOD(arctanh),
                    METHOD(expm1),
                    METHOD(exp2),
                    METHOD(deg2rad),
                    METHOD(rad2deg),
                    METHOD(positive),
                    ROW("sgn", x.sgn() * x),
                    METHOD(ceil),
                    METHOD(erf),
                    METHOD(erfc),
                    METHOD(erfinv),
                    METHOD(sinc),
                    METHOD(i0),
                    ROW("hypot", x.hypot(x + 1)),
                    ROW("fmax", torch::fmax(x, -x)),
                    ROW("fmin", torch::fmin(x, x * 2)),
                    ROW("float_power", (x + 2).float_power(x)),
                    ROW("ldexp", torch::ldexp(x, x.floor())),
                    ROW("logit", x.logit(1e-3)),
                    ROW("nextafter", x + torch::nextafter(x, x + 1).detach())});
  with_gradient(x + 2.5,
                {METHOD(acosh), METHOD(arccosh), METHOD(log10), METHOD(log1p), METHOD(log2),
                 METHOD(lgamma), METHOD(digamma), METHOD(rsqrt), ROW("polygamma", x.polygamma(2)),
                 ROW("mvlgamma", x.mvlgamma(3)), ROW("frexp", std::get<0>(x.frexp()))});
  without_gradient(x, {METHOD(signbit), METHOD(isfinite), METHOD(isinf), METHOD(isnan),
                       METHOD(isneginf), METHOD(isposinf), METHOD(isreal),
                       ROW("heaviside", x.heaviside(x)), ROW("exponent", std::get<1>(x.frexp()))});
}

static void of_special() {
  with_gradient(
      numbers({3, 4}, 2) * 3,
      {NAMED(special::ndtr), NAMED(special::log_ndtr), NAMED(special::erfcx), NAMED(special::i0e),
       NAMED(special::i1), NAMED(special::i1e), NAMED(special::expit), NAMED(special::sinc),
       ROW("special::logsumexp", special::logsumexp(x, {1}, true)),
       ROW("special::log_softmax", special::log_softmax(x, 1, c10::nullopt))});
  with_gradient((numbers({3, 4}, 3) + 1.2) * 0.45,
                {NAMED(special::entr), NAMED(special::ndtri), NAMED(special::logit),
                 NAMED(special::gammaln), NAMED(special::psi), NAMED(special::log1p),
                 ROW("special::xlog1py", special::xlog1py(x, x * 2)),
                 ROW("special::xlogy", special::xlogy(x, x + 1)),
                 ROW("special::gammainc", special::gammainc(x.detach() + 1, x)),
                 ROW("special::gammaincc", special::gammaincc(x.detach() + 1, x)),
                 ROW("special::zeta", special::zeta(x.detach() + 2, x)),
                 ROW("special::multigammaln", special::multigammaln(x + 1, 2))});
  const Tensor x = (numbers({8}, 4, torch::kDouble) + 1.01) * 3;
  without_gradient(
      x, {NAMED(special::airy_ai), NAMED(special::bessel_j0), NAMED(special::bessel_j1),
          NAMED(special::bessel_y0), NAMED(special::bessel_y1), NAMED(special::modified_bessel_i0),
          NAMED(special::modified_bessel_i1), NAMED(special::modified_bessel_k0),
          NAMED(special::modified_bessel_k1), NAMED(special::scaled_modified_bessel_k0),
          NAMED(special::scaled_modified_bessel_k1), NAMED(special::spherical_bessel_j0),
          NAMED(special::round)});
}

static void polynomials() {
  const Tensor x = numbers({5, 1}, 5, torch::kDouble), n = torch::arange(6).to(torch::kDouble);
  show("chebyshev.t", special::chebyshev_polynomial_t(x, n));
  show("chebyshev.u", special::chebyshev_polynomial_u(x, n));
  show("chebyshev.v", special::chebyshev_polynomial_v(x, n));
  show("chebyshev.w", special::chebyshev_polynomial_w(x, n));
  show("shifted.t", special::shifted_chebyshev_polynomial_t(x, n));
  show("shifted.u", special::shifted_chebyshev_polynomial_u(x, n));
  show("shifted.v", special::shifted_chebyshev_polynomial_v(x, n));
  show("shifted.w", special::shifted_chebyshev_polynomial_w(x, n));
  show("hermite.h", special::hermite_polynomial_h(x, n));
  show("hermite.he", special::hermite_polynomial_he(x, n));
  show("laguerre.l", special::laguerre_polynomial_l(x, n));
  show("legendre.p", special::legendre_polynomial_p(x, n));
}

static void integers() {
  const Tensor x = torch::tensor({-12, 7, 0, 30}), y = torch::tensor({8, -21, 5, 18});
  show("gcd", x.gcd(y));
  show("lcm", x.lcm(y));
  show("shift.left", x.bitwise_left_shift(torch::tensor({1, 2, 3, 0})));
  show("shift.right", torch::bitwise_right_shift(x, 2));
  show("floor_divide", x.floor_divide(y));
  show("floor_divide.number", torch::floor_divide(x, -5));
  show("erf.long", x.erf());
  show("exp2.bool", (x > 0).exp2());
  show("bincount", torch::bincount(torch::tensor({1, 4, 1}), torch::tensor({0.5, 1., 2.}), 6));
  show("isin", torch::isin(x, y));
  show("promote", torch::toString(torch::promote_types(torch::kInt, torch::kHalf)));
  show("result_type", torch::toString(torch::result_type(x, 1.5)));
  throws("gcd.float", [] { torch::gcd(numbers({2}), numbers({2})); });
  throws("shift.float", [] { torch::bitwise_left_shift(numbers({2}), numbers({2})); });
  error("polygamma.n", [] { torch::polygamma(-1, numbers({2})); });
  throws("mvlgamma.p", [] { torch::mvlgamma(numbers({2}), 0); });
}

static void joined_and_parted() {
  const Tensor x = numbers({4, 6}, 6), v = numbers({3}, 7);
  show("hstack", torch::hstack({x, x}));
  show("vstack", torch::vstack({v, v}));
  show("dstack", torch::dstack({v, v}));
  show("column_stack", torch::column_stack({v, v}));
  show("row_stack", torch::row_stack({v, v}));
  show("hsplit", torch::hsplit(x, 3));
  show("vsplit", torch::vsplit(x, {1, 3}));
  show("dsplit", torch::dsplit(x.unsqueeze(0), 2));
  show("tensor_split", torch::tensor_split(x, 4, 1));
  show("split_with_sizes", torch::split_with_sizes(x, {1, 5}, 1));
  show("unsafe_split", torch::unsafe_split(x, 3));
  show("unsafe_chunk", torch::unsafe_chunk(x, 3, 1));
  show("block_diag", torch::block_diag({v, x}));
  show("atleast", torch::atleast_3d(v));
  show("diagflat", torch::diagflat(v, -1));
  show("argwhere", torch::argwhere(x > 0.3));
  show("tril_indices", torch::tril_indices(3, 4, 1));
  show("triu_indices", torch::triu_indices(3, 4, -1));
  show("aminmax", std::get<1>(torch::aminmax(x)));
  show("std_mean", std::get<0>(torch::std_mean(x, 1)));
  show("histogram", std::get<0>(torch::histogram(x, 5)));
  show("unique_dim", std::get<1>(torch::unique_dim(x.round(), 0, true, true)));
  show("logspace", torch::logspace(0, 2, 5, 2));
  error("hstack.shapes", [&] { torch::hstack({x, numbers({3, 2})}); });
  error("hsplit.sections", [&] { torch::hsplit(x, 4); });
  error("split.sizes", [&] { torch::split_with_sizes(x, {1, 4}, 1); });
  error("argument.dim", [&] { torch::tensor_split(x, 0); });
}

int main() {
  elementary();
  of_special();
  polynomials();
  integers();
  joined_and_parted();
}
