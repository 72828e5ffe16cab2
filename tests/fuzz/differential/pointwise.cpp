// Functions of one, two and three elements.
#include "program.h"

namespace fuzz {
namespace {

// What a function's argument must be for its result to say something: above 0, within (-1, 1), off
// the multiples of 1/4 where slopes have kinks, whose subgradients differ from one LibTorch to the
// next, or free of rounding because the function jumps.
enum class Domain { kAll, kPositive, kUnit, kOffKinks, kExact };

struct Unary {
  const char* name;
  Tensor (*run)(const Tensor&);
  bool rounds;
  Domain domain;
};

#define UNARY(name, rounds, domain)                                            \
  Unary {                                                                      \
#name, [](const Tensor& x) { return at::name(x); }, rounds, Domain::domain \
  }

const std::vector<Unary>& unary() {
  static const std::vector<Unary> list{UNARY(neg, false, kAll),
                                       UNARY(abs, false, kAll),
                                       UNARY(relu, false, kAll),
                                       UNARY(positive, false, kAll),
                                       UNARY(hardtanh, false, kAll),
                                       UNARY(isnan, false, kAll),
                                       UNARY(isfinite, false, kAll),
                                       UNARY(isinf, false, kAll),
                                       UNARY(isposinf, false, kAll),
                                       UNARY(nan_to_num, false, kAll),
                                       UNARY(conj_physical, false, kAll),
                                       UNARY(clone, false, kAll),
                                       UNARY(zeros_like, false, kAll),
                                       UNARY(ones_like, false, kAll),
                                       UNARY(square, true, kAll),
                                       UNARY(exp, true, kAll),
                                       UNARY(exp2, true, kAll),
                                       UNARY(expm1, true, kAll),
                                       UNARY(sin, true, kAll),
                                       UNARY(cos, true, kAll),
                                       UNARY(tan, true, kAll),
                                       UNARY(sinh, true, kAll),
                                       UNARY(cosh, true, kAll),
                                       UNARY(tanh, true, kAll),
                                       UNARY(atan, true, kAll),
                                       UNARY(asinh, true, kAll),
                                       UNARY(erf, true, kAll),
                                       UNARY(erfc, true, kAll),
                                       UNARY(sigmoid, true, kAll),
                                       UNARY(sinc, true, kAll),
                                       UNARY(i0, true, kAll),
                                       UNARY(log_sigmoid, true, kAll),
                                       UNARY(silu, true, kAll),
                                       UNARY(mish, true, kAll),
                                       UNARY(selu, true, kAll),
                                       UNARY(hardsigmoid, true, kOffKinks),
                                       UNARY(hardswish, true, kOffKinks),
                                       UNARY(deg2rad, true, kAll),
                                       UNARY(rad2deg, true, kAll),
                                       UNARY(log, true, kPositive),
                                       UNARY(log2, true, kPositive),
                                       UNARY(log10, true, kPositive),
                                       UNARY(log1p, true, kPositive),
                                       UNARY(sqrt, true, kPositive),
                                       UNARY(rsqrt, true, kPositive),
                                       UNARY(reciprocal, true, kPositive),
                                       UNARY(lgamma, true, kPositive),
                                       UNARY(digamma, true, kPositive),
                                       UNARY(acosh, true, kPositive),
                                       UNARY(asin, true, kUnit),
                                       UNARY(acos, true, kUnit),
                                       UNARY(atanh, true, kUnit),
                                       UNARY(erfinv, true, kUnit),
                                       UNARY(floor, false, kExact),
                                       UNARY(ceil, false, kExact),
                                       UNARY(round, false, kExact),
                                       UNARY(trunc, false, kExact),
                                       UNARY(frac, false, kExact),
                                       UNARY(sign, false, kExact),
                                       UNARY(signbit, false, kExact),
                                       UNARY(logical_not, false, kExact),
                                       UNARY(bitwise_not, false, kExact),
                                       UNARY(angle, true, kExact),
                                       UNARY(sgn, true, kAll)};
  return list;
}

#undef UNARY

// An argument within the domain, made of any item's values.
Tensor within(Domain domain, const Item& x) {
  // Complex: off the branch cuts, on whose sides the sign of a zero decides.
  if (domain != Domain::kAll && x.t.is_complex())
    return at::complex(at::real(x.t).abs() + 1.5, at::imag(x.t) + 0.3);
  if (domain == Domain::kOffKinks) return off_quarters(x.t);
  if (domain == Domain::kPositive) return x.t.abs().add(1.5);
  if (domain == Domain::kUnit)
    return x.t.to(at::kDouble).tanh().mul(0.75).to(at::result_type(x.t, at::ones({1})));
  return x.t;
}

void one_argument(Program& p) {
  const Unary& f = p.random().of(unary());
  const Item x = p.pick(f.domain == Domain::kExact ? exact : any);
  p.made(f.name, f.rounds ? kInexact : x.bits, [&] { return f.run(within(f.domain, x)); });
}

void with_parameters(Program& p) {
  const Item x = p.pick(floating);
  const at::Scalar a = p.scalar(x), b = p.scalar(x);
  switch (p.random().below(12)) {
    case 0:
      return p.made("leaky_relu", kInexact, [&] { return at::leaky_relu(x.t, a); });
    case 1:
      return p.made("elu", kInexact, [&] { return at::elu(x.t, a); });
    case 2:
      return p.made("celu", kInexact, [&] { return at::celu(x.t, 1.5); });
    case 3:
      return p.made("softplus", kInexact, [&] { return at::softplus(x.t, 1.5, 10); });
    case 4:
      return p.made("hardshrink", x.bits, [&] { return at::hardshrink(x.t, 0.6); });
    case 5:
      return p.made("softshrink", kInexact, [&] { return at::softshrink(x.t, 0.6); });
    case 6:
      return p.made("threshold", x.bits, [&] { return at::threshold(x.t, 0.3, b); });
    case 7:
      return p.made("gelu", kInexact, [&] { return at::gelu(x.t, p.maybe(2) ? "tanh" : "none"); });
    case 8:
      return p.made("logit", kInexact,
                    [&] { return at::logit(x.t.tanh().mul(0.4).add(0.5), 1e-2); });
    case 9:
      return p.made("polygamma", kInexact, [&] { return at::polygamma(2, x.t.abs() + 1); });
    case 10:
      return p.made("prelu", kInexact, [&] {
        const Tensor off = off_quarters(x.t);
        return at::prelu(off, at::full({1}, 0.25, off.options().requires_grad(false)));
      });
    default:
      return p.made("round decimals", kInexact, [&] { return at::round(x.t * 0 + 1.25, 1); });
  }
}

void clamped(Program& p) {
  const Item x = p.pick();
  // Floats: bounds that no element meets, where versions of LibTorch give different gradients.
  const double off = differentiable(x) ? 0.1 : 0;
  const auto bound = [&] {
    return off > 0 ? at::Scalar(p.scalar(x).toDouble() + off) : p.scalar(x);
  };
  const at::Scalar low = bound(), high = bound();
  switch (p.random().below(5)) {
    case 0:
      return p.made("clamp", x.bits, [&] { return at::clamp(x.t, low, high); });
    case 1:
      return p.made("clamp_min", x.bits, [&] { return at::clamp_min(x.t, low); });
    case 2:
      return p.made("clamp_max", x.bits, [&] { return at::clamp_max(x.t, high); });
    case 3:
      return p.made("clip", x.bits, [&] { return at::clip(x.t, c10::nullopt, high); });
    default: {
      const Item middle = p.partner(x, real);
      return p.made("clamp tensors", kInexact,
                    [&] { return at::clamp(x.t, middle.t - 0.1, middle.t + 0.1); });
    }
  }
}

struct Binary {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&);
  Domain domain;  // of the second argument
  enum Bits { kSame, kAdd, kProduct, kRound, kJump } bits;
};

#define BINARY(name, domain, bits)                                                          \
  Binary {                                                                                  \
#name, [](const Tensor& x, const Tensor& y) { return at::name(x, y); }, Domain::domain, \
                                                                         Binary::bits       \
  }

const std::vector<Binary>& binary() {
  static const std::vector<Binary> list{BINARY(add, kAll, kAdd),
                                        BINARY(sub, kAll, kAdd),
                                        BINARY(mul, kAll, kProduct),
                                        BINARY(div, kPositive, kRound),
                                        BINARY(maximum, kAll, kSame),
                                        BINARY(minimum, kAll, kSame),
                                        BINARY(fmax, kOffKinks, kRound),
                                        BINARY(fmin, kOffKinks, kRound),
                                        BINARY(pow, kUnit, kRound),
                                        BINARY(atan2, kPositive, kRound),
                                        BINARY(hypot, kPositive, kRound),
                                        BINARY(fmod, kExact, kJump),
                                        BINARY(remainder, kExact, kJump),
                                        BINARY(floor_divide, kExact, kJump),
                                        BINARY(eq, kExact, kJump),
                                        BINARY(ne, kExact, kJump),
                                        BINARY(lt, kExact, kJump),
                                        BINARY(le, kExact, kJump),
                                        BINARY(gt, kExact, kJump),
                                        BINARY(ge, kExact, kJump),
                                        BINARY(logical_and, kExact, kJump),
                                        BINARY(logical_or, kExact, kJump),
                                        BINARY(logical_xor, kExact, kJump),
                                        BINARY(bitwise_and, kExact, kJump),
                                        BINARY(bitwise_or, kExact, kJump),
                                        BINARY(bitwise_xor, kExact, kJump),
                                        BINARY(gcd, kExact, kJump),
                                        BINARY(lcm, kExact, kJump),
                                        BINARY(copysign, kExact, kJump),
                                        BINARY(heaviside, kExact, kJump),
                                        BINARY(xlogy, kPositive, kRound),
                                        BINARY(logaddexp, kAll, kRound),
                                        BINARY(logaddexp2, kAll, kRound),
                                        BINARY(float_power, kUnit, kRound),
                                        BINARY(rsub, kAll, kAdd),
                                        BINARY(subtract, kAll, kAdd),
                                        BINARY(true_divide, kPositive, kRound),
                                        BINARY(isclose, kExact, kJump),
                                        BINARY(special_xlog1py, kPositive, kRound),
                                        BINARY(complex, kAll, kSame),
                                        BINARY(polar, kAll, kRound),
                                        BINARY(dist, kAll, kRound)};
  return list;
}

#undef BINARY

int bits_of(Binary::Bits kind, const Item& x, const Item& y) {
  switch (kind) {
    case Binary::kSame:
    case Binary::kJump:
      return std::max(x.bits, y.bits);
    case Binary::kAdd:
      return add_bits(widest(x, y), 0);
    case Binary::kProduct:
      return add_bits(x.bits, y.bits);
    default:
      return kInexact;
  }
}

void two_arguments(Program& p) {
  const Binary& f = p.random().of(binary());
  const bool jumps = f.bits == Binary::kJump;
  const Item x = p.pick(jumps ? exact : any), y = p.partner(x, jumps ? exact : any);
  const std::string name = f.name;
  // Of atan2 also because LibTorch squares a byte as a byte in its derivative.
  const bool positive =
      name == "pow" || name == "float_power" || name == "polar" || name == "atan2";
  p.made(f.name, bits_of(f.bits, x, y),
         [&] { return f.run(positive ? within(Domain::kPositive, x) : x.t, within(f.domain, y)); });
}

void with_number(Program& p) {
  const Item x = p.pick(), e = p.pick(exact);
  const at::Scalar s = p.scalar(x), t = p.scalar(e);
  switch (p.random().below(20)) {
    case 0:
      return p.made("add number", add_bits(x.bits, 2), [&] { return x.t + s; });
    case 1:
      return p.made("sub number", add_bits(x.bits, 2), [&] { return x.t - s; });
    case 2:
      return p.made("mul number", add_bits(x.bits, 4), [&] { return x.t * s; });
    case 3:
      return p.made("div number", kInexact, [&] { return x.t / s; });
    case 4:
      return p.made("number minus", add_bits(x.bits, 2), [&] { return s - x.t; });
    case 5:
      return p.made("number over", kInexact, [&] { return s / within(Domain::kPositive, x); });
    case 6:
      return p.made("pow 2", kInexact, [&] { return x.t.pow(2); });
    case 7:
      return p.made("pow number", kInexact, [&] { return within(Domain::kPositive, x).pow(s); });
    case 8:
      return p.made("number pow", kInexact, [&] { return at::pow(s, x.t); });
    case 9:
      return p.made("lt number", e.bits, [&] { return e.t < t; });
    case 10:
      return p.made("ge number", e.bits, [&] { return e.t >= t; });
    case 11:
      return p.made("eq number", e.bits, [&] { return e.t == t; });
    case 12:
      return p.made("fmod number", e.bits, [&] { return e.t.fmod(t); });
    case 13:
      return p.made("remainder number", e.bits, [&] { return e.t.remainder(t); });
    case 14:
      return p.made("floor_divide number", e.bits, [&] { return e.t.floor_divide(t); });
    case 15:
      return p.made("div trunc", e.bits, [&] { return e.t.div(t, "trunc"); });
    case 16:
      return p.made("bitwise_and number", e.bits, [&] { return e.t.bitwise_and(t); });
    case 17:
      return p.made("shift", e.bits, [&] { return e.t.bitwise_left_shift(1); });
    case 18:
      return p.made("add alpha", add_bits(x.bits, 5),
                    [&] { return at::add(x.t, p.partner(x).t, s); });
    default:
      return p.made("div floor", e.bits, [&] { return e.t.div(p.partner(e, exact).t, "floor"); });
  }
}

void three_arguments(Program& p) {
  const Item x = p.pick(), y = p.partner(x), z = p.partner(x);
  const at::Scalar s = p.scalar(x);
  const int bits = add_bits(std::max(x.bits, y.bits) + 5, z.bits);
  const Tensor mask = p.mask(x.t.sizes().vec());
  switch (p.random().below(6)) {
    case 0:
      return p.made("where", std::max(x.bits, y.bits), [&] { return at::where(mask, x.t, y.t); });
    case 1:
      return p.made("addcmul", bits, [&] { return at::addcmul(x.t, y.t, z.t, s); });
    case 2:
      return p.made("addcdiv", kInexact,
                    [&] { return at::addcdiv(x.t, y.t * 1.0, within(Domain::kPositive, z), s); });
    case 3:
      return p.made("lerp number", kInexact, [&] { return at::lerp(x.t, y.t, s); });
    case 4:
      return p.made("lerp", kInexact, [&] { return at::lerp(x.t, y.t, z.t); });
    default:
      return p.made("where number", x.bits, [&] { return at::where(mask, x.t, s); });
  }
}

void converted(Program& p) {
  const Item x = p.pick(exact);
  const at::ScalarType dtype = p.dtype();
  // A negative number has no value of an unsigned dtype that the standard names.
  const bool unsigned_dtype = dtype == at::kByte;
  p.made("to", x.bits, [&] { return (unsigned_dtype ? x.t.to(at::kInt).abs() : x.t).to(dtype); });
}

// The result goes into a tensor of the program's choice.
void into_out(Program& p) {
  const Item x = p.pick(), y = p.partner(x);
  Tensor out = at::zeros(p.maybe(2) ? Sizes{0} : x.t.sizes().vec(),
                         at::TensorOptions().dtype(p.maybe(3) ? p.dtype() : x.t.scalar_type()));
  switch (p.random().below(5)) {
    case 0:
      return p.made("add_out", add_bits(widest(x, y), 0),
                    [&] { return at::add_out(out, x.t, y.t); });
    case 1:
      return p.made("mul_out", add_bits(x.bits, y.bits),
                    [&] { return at::mul_out(out, x.t, y.t); });
    case 2:
      return p.made("neg_out", x.bits, [&] { return at::neg_out(out, x.t); });
    case 3:
      return p.made("sin_out", kInexact, [&] { return at::sin_out(out, x.t); });
    default: {
      const Item e = p.pick(exact), f = p.partner(e, exact);
      return p.made("lt_out", e.bits, [&] { return at::lt_out(out, e.t, f.t); });
    }
  }
}

}  // namespace

void add_pointwise(Steps& steps) {
  steps.add(8, one_argument);
  steps.add(2, with_parameters);
  steps.add(2, clamped);
  steps.add(9, two_arguments);
  steps.add(4, with_number);
  steps.add(3, three_arguments);
  steps.add(1, converted);
  steps.add(2, into_out);
}

}  // namespace fuzz
