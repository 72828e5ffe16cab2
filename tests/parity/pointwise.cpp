// Every form of the pointwise ops (plain, in place, out; tensors and numbers): values, dtypes, what
// is refused and in which words, the history that is left.
#include <parity.h>

#include <functional>

using namespace parity;
using torch::optional;
using torch::Scalar;
using torch::Tensor;

namespace {

using Plain = std::function<Tensor(const Tensor&, const Tensor&)>;
using InPlace = std::function<Tensor&(Tensor&, const Tensor&)>;
using Out = std::function<Tensor&(Tensor&, const Tensor&, const Tensor&)>;

struct Forms {
  const char* name;
  Plain plain;
  InPlace inplace;
  Out out;
};

// The second operand as a number: its first element.
Scalar first(const Tensor& y) {
  const Tensor v = y.reshape({-1})[0];
  return y.is_floating_point() ? Scalar(v.item<double>()) : Scalar(v.item<int64_t>());
}

#define PLAIN(...) [](const Tensor& x, const Tensor& y) { return (void)y, __VA_ARGS__; }
#define IN_PLACE(...) [](Tensor& x, const Tensor& y) -> Tensor& { return (void)y, __VA_ARGS__; }
#define OUT(...) \
  [](Tensor& z, const Tensor& x, const Tensor& y) -> Tensor& { return (void)y, __VA_ARGS__; }
#define UNARY(op) \
  Forms { #op, PLAIN(x.op()), IN_PLACE(x.op##_()), OUT(torch::op##_out(z, x)) }
#define TENSORS(op) \
  Forms { #op, PLAIN(x.op(y)), IN_PLACE(x.op##_(y)), OUT(torch::op##_out(z, x, y)) }
#define NUMBER(op)                                                     \
  Forms {                                                              \
#op ".number", PLAIN(x.op(first(y))), IN_PLACE(x.op##_(first(y))), \
        OUT(torch::op##_out(z, x, first(y)))                           \
  }
#define NUMBER_NO_OUT(op) \
  Forms { #op ".number", PLAIN(x.op(first(y))), IN_PLACE(x.op##_(first(y))), nullptr }
#define BOTH(op) TENSORS(op), NUMBER(op)
#define BOTH_NO_OUT(op) TENSORS(op), NUMBER_NO_OUT(op)
#define ROUNDED(mode)                                                                           \
  Forms{"div." mode, PLAIN(x.div(y, mode)), IN_PLACE(x.div_(y, mode)),                          \
        OUT(torch::div_out(z, x, y, mode))},                                                    \
      Forms {                                                                                   \
    "div.number." mode, PLAIN(x.div(first(y), mode)), IN_PLACE(x.div_(first(y), mode)), nullptr \
  }

const std::vector<Forms>& arithmetic() {
  static const std::vector<Forms> list = {
      BOTH_NO_OUT(add),
      BOTH_NO_OUT(sub),
      BOTH_NO_OUT(mul),
      BOTH_NO_OUT(div),
      BOTH_NO_OUT(subtract),
      BOTH_NO_OUT(multiply),
      BOTH_NO_OUT(divide),
      BOTH_NO_OUT(true_divide),
      ROUNDED("trunc"),
      ROUNDED("floor"),
      BOTH(remainder),
      BOTH(fmod),
      TENSORS(pow),
      NUMBER_NO_OUT(pow),
      TENSORS(atan2),
      TENSORS(arctan2),
      BOTH(copysign),
      BOTH(clamp_min),
      TENSORS(clamp_max),
      UNARY(exp),
      UNARY(sqrt),
      UNARY(sigmoid),
      UNARY(reciprocal),
      UNARY(neg),
      UNARY(abs),
      UNARY(absolute),
      UNARY(sign),
      UNARY(floor),
      UNARY(round),
      UNARY(trunc),
      UNARY(fix),
      UNARY(arctan),
      Forms{"maximum", PLAIN(x.maximum(y)), nullptr, OUT(torch::maximum_out(z, x, y))},
      Forms{"minimum", PLAIN(x.minimum(y)), nullptr, OUT(torch::minimum_out(z, x, y))},
      Forms{"add.alpha", PLAIN(x.add(y, 3)), IN_PLACE(x.add_(y, 3)),
            OUT(torch::add_out(z, x, y, 3))},
      Forms{"sub.alpha", PLAIN(x.sub(y, 3)), IN_PLACE(x.sub_(y, 3)),
            OUT(torch::sub_out(z, x, y, 3))},
      Forms{"clamp", PLAIN(x.clamp(optional<Tensor>(y))), IN_PLACE(x.clamp_(optional<Tensor>(y))),
            OUT(torch::clamp_out(z, x, optional<Tensor>(y)))},
      Forms{"clamp.number", PLAIN(x.clamp(first(y), 4)), IN_PLACE(x.clamp_(first(y), 4)),
            OUT(torch::clamp_out(z, x, first(y), 4))},
  };
  return list;
}

/// Of floating tensors only, all of one dtype.
const std::vector<Forms>& floating() {
  static const std::vector<Forms> list = {
      Forms{"lerp", PLAIN(x.lerp(y, 0.25)), IN_PLACE(x.lerp_(y, 0.25)),
            OUT(torch::lerp_out(z, x, y, 0.25))},
      Forms{"lerp.tensor", PLAIN(x.lerp(y, y)), IN_PLACE(x.lerp_(y, y)),
            OUT(torch::lerp_out(z, x, y, y))},
      Forms{"addcmul", PLAIN(x.addcmul(y, y, 2)), IN_PLACE(x.addcmul_(y, y, 2)),
            OUT(torch::addcmul_out(z, x, y, y, 2))},
      Forms{"addcdiv", PLAIN(x.addcdiv(y, y, 2)), IN_PLACE(x.addcdiv_(y, y, 2)),
            OUT(torch::addcdiv_out(z, x, y, y, 2))},
      UNARY(nan_to_num),
      UNARY(frac),
  };
  return list;
}

const std::vector<Forms>& tests() {
  static const std::vector<Forms> list = {
      BOTH(eq),        BOTH(ne),   BOTH(lt),         BOTH(le),      BOTH(gt),           BOTH(ge),
      BOTH(not_equal), BOTH(less), BOTH(less_equal), BOTH(greater), BOTH(greater_equal)};
  return list;
}

/// Without any history.
const std::vector<Forms>& truth_and_bits() {
  static const std::vector<Forms> list = {
      TENSORS(logical_and), TENSORS(logical_or), TENSORS(logical_xor), UNARY(logical_not),
      BOTH(bitwise_and),    BOTH(bitwise_or),    BOTH(bitwise_xor),    UNARY(bitwise_not)};
  return list;
}

/// The first line of an error's text; its type is left out, which LibTorch changed between versions
/// for dtypes that a kernel lacks.
template <class Body>
void words(const std::string& key, const Body& body) {
  try {
    body();
    show(key, "no error");
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    line(key, "error", text.substr(0, text.find('\n')));
  }
}

// Positive operands that no dtype rounds.
Tensor left(torch::ScalarType t) { return torch::tensor({3., 5., 2., 8.}).to(t); }
Tensor right(torch::ScalarType t) { return torch::tensor({2., 3., 2., 1.}).to(t); }

std::string join(const std::string& a, const std::string& b) { return a + "." + b; }

void dtypes(const Forms& f, torch::ScalarType a, torch::ScalarType b) {
  const std::string key = join(join(f.name, torch::toString(a)), torch::toString(b));
  words(key + ".plain", [&] { show(key + ".plain.value", f.plain(left(a), right(b))); });
  if (f.inplace)
    words(key + ".inplace", [&] {
      Tensor x = left(a);
      show(key + ".inplace.value", f.inplace(x, right(b)));
    });
  for (auto c : {torch::kLong, torch::kFloat})
    if (f.out)
      words(join(key + ".out", torch::toString(c)), [&] {
        Tensor z = torch::ones({4}, c);
        show(join(key + ".out.value", torch::toString(c)), f.out(z, left(a), right(b)));
      });
}

/// What shapes and memory an in-place form refuses, and that it changes nothing then.
void inplace_shapes(const Forms& f, torch::ScalarType t) {
  const std::string key = join(f.name, torch::toString(t)) + ".inplace";
  Tensor x = left(t);
  const auto version = x._version();
  words(key + ".grow", [&] { f.inplace(x, right(t).reshape({4, 1})); });
  words(key + ".mismatch", [&] { f.inplace(x, right(t).narrow(0, 0, 3)); });
  show(key + ".version", static_cast<int64_t>(x._version() - version));
  show(key + ".value", x);
  Tensor expanded = torch::ones({1}, t).expand({4});
  words(key + ".expanded", [&] { f.inplace(expanded, right(t)); });
  const Tensor all = left(t).repeat({2});
  Tensor head = all.narrow(0, 0, 4);
  words(key + ".overlap", [&] { f.inplace(head, all.narrow(0, 1, 4)); });
  show(key + ".overlap.value", all);
  const Tensor wide = torch::ones({4, 2}, t);
  Tensor strided = wide.select(1, 1);
  words(key + ".strided", [&] { f.inplace(strided, right(t)); });
  show(key + ".strided.value", wide);
  Tensor same = left(t);
  words(key + ".same", [&] { f.inplace(same, same); });
  show(key + ".same.value", same);
  Tensor none = torch::ones({0}, t);
  words(key + ".empty", [&] { f.inplace(none, torch::ones({1}, t)); });
}

void out_shapes(const Forms& f, torch::ScalarType t) {
  const std::string key = join(f.name, torch::toString(t)) + ".out";
  Tensor z = torch::empty({0}, t);
  words(key + ".resize", [&] {
    show(key + ".resize.value", f.out(z, left(t), right(t).reshape({4, 1})));
  });
  Tensor expanded = torch::ones({1}, t).expand({4});
  words(key + ".expanded", [&] { f.out(expanded, left(t), left(t)); });
  Tensor own = left(t);
  words(key + ".same", [&] { show(key + ".same.value", f.out(own, own, right(t))); });
  const Tensor all = left(t).repeat({2});
  Tensor head = all.narrow(0, 0, 4);
  words(key + ".overlap", [&] { f.out(head, all.narrow(0, 1, 4), right(t)); });
  const Tensor wide = torch::ones({4, 2}, t);
  Tensor strided = wide.select(1, 1);
  words(key + ".strided", [&] { f.out(strided, left(t), right(t)); });
  show(key + ".strided.value", wide);
}

// ---------------------------------------------------------------------- history
std::string node(const Tensor& t) { return t.grad_fn() ? t.grad_fn()->name() : "none"; }

std::vector<Tensor> gradients(const Tensor& y, const Tensor& a, const Tensor& b) {
  return torch::autograd::grad({y}, {a, b}, {right(torch::kDouble)}, true, false, true);
}

void plain_history(const Forms& f, const Tensor& a, const Tensor& b) {
  const std::string key = std::string(f.name) + ".grad";
  const Tensor y = f.plain(a, b);
  show(key + ".name", node(y));
  if (y.requires_grad()) show(key, gradients(y, a, b));
}

void inplace_history(const Forms& f, Tensor a, const Tensor& b) {
  const std::string key = std::string(f.name) + ".grad.inplace";
  words(key + ".leaf", [&] { f.inplace(a, b); });
  Tensor part = a.narrow(0, 0, 4);
  words(key + ".view_of_leaf", [&] { f.inplace(part, b); });
  Tensor x = a * 1;
  f.inplace(x, b);
  show(key + ".name", node(x));
  show(key, gradients(x, a, b));
  Tensor constant = left(torch::kDouble);
  f.inplace(constant, b);
  show(key + ".constant.name", node(constant));
  Tensor base = a * 1, view = base.narrow(0, 0, 4);
  f.inplace(view, b);
  show(key + ".view.name", node(view));
  show(key + ".base.name", node(base));
  show(key + ".base", gradients(base, a, b));
  const torch::NoGradGuard no_grad;
  Tensor leaf = left(torch::kDouble).requires_grad_();
  f.inplace(leaf, b);
  show(key + ".no_grad", leaf.is_leaf());
}

void out_history(const Forms& f, const Tensor& a, const Tensor& b) {
  const std::string key = std::string(f.name) + ".grad.out";
  Tensor z = torch::empty({4}, torch::kDouble);
  words(key, [&] { f.out(z, a, b); });
  Tensor leaf = torch::empty({4}, torch::kDouble).requires_grad_();
  words(key + ".leaf", [&] { f.out(leaf, a.detach(), b.detach()); });
  const torch::NoGradGuard no_grad;
  words(key + ".no_grad", [&] { show(key + ".no_grad.value", f.out(z, a, b)); });
}

void history(const Forms& f) {
  const Tensor a = left(torch::kDouble).requires_grad_();
  const Tensor b = right(torch::kDouble).add(0.25).requires_grad_();
  plain_history(f, a, b);
  if (f.inplace) inplace_history(f, a, b);
  if (f.out) out_history(f, a, b);
}

void shapes(const Forms& f, torch::ScalarType t) {
  if (f.inplace) inplace_shapes(f, t);
  if (f.out) out_shapes(f, t);
}

// ---------------------------------------------------------------------- further arguments
void divisors() {
  Tensor a = torch::tensor({4, 5});
  const Tensor b = torch::tensor({0, 1});
  words("zero.remainder", [&] { a.remainder(b); });
  words("zero.remainder_", [&] { a.remainder_(0); });
  words("zero.fmod_", [&] { a.fmod_(b); });
  words("zero.div_", [&] { a.div_(b, "floor"); });
  words("zero.div", [&] { a.div(0, "trunc"); });
  words("zero.floor_divide_", [&] { a.floor_divide_(b); });
  words("mode", [&] { a.div_(1, "round"); });
  words("pow.negative", [&] { a.pow(-1); });
  words("pow.negative_", [&] { a.pow_(-1); });
  show("pow.negative.tensor", torch::tensor({1, 2, -1}).pow(torch::tensor({-1, -2, -3})));
  words("alpha", [&] { a.add_(a, 0.5); });
  words("alpha.number", [&] { a.add_(2, 0.5); });
  words("alpha.bool", [&] { a.add(2, true); });
  words("out.grow", [&] { torch::add_out(a, a, a.reshape({2, 1})); });
  show("unchanged", a);
}

void numbers_first() {
  const Tensor x = left(torch::kFloat).requires_grad_(), n = torch::tensor({1, 2, 4});
  const std::pair<const char*, Tensor> results[] = {{"2+x", 2 + x},
                                                    {"2-x", 2 - x},
                                                    {"2*x", 2 * x},
                                                    {"2/x", 2 / x},
                                                    {"2%x", 2 % x},
                                                    {"x%2", x % 2},
                                                    {"pow", torch::pow(2, x)},
                                                    {"rsub", torch::rsub(x, 2)},
                                                    {"rsub.tensor", torch::rsub(x, x)}};
  for (const auto& [key, y] : results) {
    show(key, y);
    show(std::string(key) + ".name", node(y));
    show(std::string(key) + ".grad", torch::autograd::grad({y.sum()}, {x}, {}, true)[0]);
  }
  show("3&n", torch::bitwise_and(Scalar(3), n));
  show("8|n", 8 | n);
  show("n^5", n ^ 5);
  show("remainder", torch::remainder(Scalar(7), n));
}

}  // namespace

int main() {
  constexpr torch::ScalarType own[] = {torch::kLong, torch::kInt, torch::kFloat};
  for (const auto& list : {arithmetic(), tests()})
    for (const Forms& f : list) {
      for (auto a : own)
        for (auto b : {torch::kLong, torch::kFloat, torch::kDouble}) dtypes(f, a, b);
      shapes(f, torch::kFloat);
      shapes(f, torch::kLong);
      history(f);
    }
  for (const Forms& f : floating()) {
    dtypes(f, torch::kFloat, torch::kFloat);
    shapes(f, torch::kFloat);
    history(f);
  }
  for (const Forms& f : truth_and_bits()) {
    for (auto a : {torch::kBool, torch::kLong})
      for (auto b : {torch::kBool, torch::kLong, torch::kFloat}) dtypes(f, a, b);
    shapes(f, torch::kLong);
  }
  divisors();
  numbers_first();
}
