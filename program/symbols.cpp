#include <taper/program/symbols.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

namespace torch::taper::program {

using taper::detail::concat;

// ---------------------------------------------------------------------- parsing
/// Reads sums, products, powers, comparisons, calls and literals of Python.
class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, Expression& out) : text_(text), out_(out) {}

  void parse() {
    comparison();
    skip();
    if (at_ != text_.size()) fail("an operator");
  }

 private:
  static constexpr int kMostNesting = 200;

  [[noreturn]] void fail(const char* expected) const {
    throw Error(
        concat("expected ", expected, " at position ", at_, " of the expression '", text_, "'"));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(const std::string& token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  /// Returns the first of the tokens that comes next, or an empty text.
  std::string take_any(std::initializer_list<const char*> tokens) {
    for (const char* token : tokens)
      if (take(token)) return token;
    return {};
  }
  char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  size_t add(Expression::Term term) {
    out_.terms_.push_back(std::move(term));
    return out_.terms_.size() - 1;
  }
  size_t call(std::string op, std::vector<size_t> arguments) {
    return add({std::move(op), {}, 0, std::move(arguments)});
  }

  size_t comparison() {
    if (++depth_ > kMostNesting) fail("less nesting");
    size_t a = sum();
    for (std::string op; !(op = take_any({"<=", ">=", "==", "!=", "<", ">"})).empty();)
      a = call(op, {a, sum()});
    --depth_;
    return a;
  }
  size_t sum() {
    size_t a = product();
    for (std::string op; !(op = take_any({"+", "-"})).empty();) a = call(op, {a, product()});
    return a;
  }
  size_t product() {
    size_t a = negated();
    for (std::string op; next_is_product() && !(op = take_any({"//", "/", "*", "%"})).empty();)
      a = call(op, {a, negated()});
    return a;
  }
  bool next_is_product() {
    return next() != '*' || at_ + 1 >= text_.size() || text_[at_ + 1] != '*';
  }
  size_t negated() {
    if (!take("-")) return power();
    if (++depth_ > kMostNesting) fail("less nesting");
    const size_t a = call("neg", {negated()});
    --depth_;
    return a;
  }
  size_t power() {
    const size_t a = primary();
    if (!take("**")) return a;
    if (++depth_ > kMostNesting) fail("less nesting");
    const size_t b = call("**", {a, negated()});
    --depth_;
    return b;
  }
  size_t primary() {
    if (take("(")) {
      const size_t a = comparison();
      if (!take(")")) fail("')'");
      return a;
    }
    if (std::isdigit(static_cast<unsigned char>(next()))) return number();
    if (next() == '\'' || next() == '"') return quoted();
    return name_or_call();
  }
  size_t number() {
    Expression::Term term;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      if (__builtin_mul_overflow(term.number, 10, &term.number) ||
          __builtin_add_overflow(term.number, text_[at_++] - '0', &term.number))
        fail("a number of 64 bits");
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e')) return real();
    return add(std::move(term));
  }
  // Sizes are integers. A floating number only makes the value unknown.
  size_t real() {
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
      ++at_;
    return call("float", {});
  }
  size_t quoted() {
    const char quote = text_[at_++];
    const size_t end = text_.find(quote, at_);
    if (end == std::string::npos) fail("the end of a text");
    Expression::Term term{"'", text_.substr(at_, end - at_), 0, {}};
    at_ = end + 1;
    return add(std::move(term));
  }
  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    if (at_ == begin) fail("a number, a symbol or a function");
    return text_.substr(begin, at_ - begin);
  }
  size_t name_or_call() {
    const std::string name = word();
    if (name == "True") return add({"", {}, 1, {}});
    if (name == "False") return add({"", {}, 0, {}});
    if (!take("(")) return add({"'", name, 0, {}});
    std::vector<size_t> arguments;
    for (bool first = true; !take(")"); first = false) {
      if (!first && !take(",")) fail("',' or ')'");
      if (first || next() != ')') argument(arguments);
    }
    // These only mark the kind of their argument.
    if ((name == "Symbol" || name == "Integer" || name == "Identity") && !arguments.empty())
      return call("Identity", {arguments[0]});
    return call(name, std::move(arguments));
  }
  /// Reads an argument. One with a name is a fact of a symbol, and is dropped.
  void argument(std::vector<size_t>& arguments) {
    const size_t before = out_.terms_.size();
    const size_t value = comparison();
    if (!take("=")) return arguments.push_back(value);
    comparison();
    out_.terms_.resize(before);
  }

  const std::string& text_;
  Expression& out_;
  size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(const std::string& text) : text_(text) {
  ExpressionParser(text_, *this).parse();
}

// ---------------------------------------------------------------------- values
/// A fraction in lowest terms, with a positive denominator.
struct Expression::Fraction {
  int64_t p = 0, q = 1;

  __extension__ using Wide = __int128;
  static optional<Fraction> of(Wide p, Wide q) {
    if (q == 0) return nullopt;
    Wide a = p < 0 ? -p : p, b = q < 0 ? -q : q;
    while (b != 0) a = std::exchange(b, a % b);
    if (q < 0) a = -a;
    p /= a;
    q /= a;
    if (p > INT64_MAX || p < INT64_MIN || q > INT64_MAX) return nullopt;
    return Fraction{static_cast<int64_t>(p), static_cast<int64_t>(q)};
  }
  int64_t floor() const { return p / q - (p % q < 0 ? 1 : 0); }
  static int compare(const Fraction& a, const Fraction& b) {
    const Wide left = static_cast<Wide>(a.p) * b.q, right = static_cast<Wide>(b.p) * a.q;
    return left < right ? -1 : left > right ? 1 : 0;
  }
};

namespace {

/// Returns the common name of the ways to write an operation.
std::string canonical(const std::string& op) {
  static const std::map<std::string, std::string> all = {{"Add", "+"},
                                                         {"Mul", "*"},
                                                         {"Pow", "**"},
                                                         {"PowByNatural", "**"},
                                                         {"FloorDiv", "//"},
                                                         {"CleanDiv", "//"},
                                                         {"Mod", "%"},
                                                         {"PythonMod", "%"},
                                                         {"IntTrueDiv", "/"},
                                                         {"Rational", "/"},
                                                         {"FloorToInt", "floor"},
                                                         {"CeilToInt", "ceiling"},
                                                         {"TruncToInt", "trunc"},
                                                         {"Eq", "=="},
                                                         {"Equality", "=="},
                                                         {"Ne", "!="},
                                                         {"Unequality", "!="},
                                                         {"Lt", "<"},
                                                         {"StrictLessThan", "<"},
                                                         {"Le", "<="},
                                                         {"LessThan", "<="},
                                                         {"Gt", ">"},
                                                         {"StrictGreaterThan", ">"},
                                                         {"Ge", ">="},
                                                         {"GreaterThan", ">="}};
  const auto at = all.find(op);
  return at == all.end() ? op : at->second;
}

}  // namespace

optional<Expression::Fraction> Expression::apply(const Term& term,
                                                 const std::vector<Fraction>& values) {
  using F = Fraction;
  using Wide = F::Wide;
  const std::string op = canonical(term.op);
  std::vector<F> v;
  for (const size_t i : term.arguments) v.push_back(values[i]);
  if (v.empty()) return nullopt;
  const auto fold = [&](const auto& join) {
    optional<F> all = v[0];
    for (size_t i = 1; i < v.size() && all; ++i) all = join(*all, v[i]);
    return all;
  };
  if (op == "+")
    return fold([](F a, F b) {
      return F::of(static_cast<Wide>(a.p) * b.q + static_cast<Wide>(b.p) * a.q,
                   static_cast<Wide>(a.q) * b.q);
    });
  if (op == "*")
    return fold(
        [](F a, F b) { return F::of(static_cast<Wide>(a.p) * b.p, static_cast<Wide>(a.q) * b.q); });
  if (op == "Max") return fold([](F a, F b) { return optional<F>(F::compare(a, b) < 0 ? b : a); });
  if (op == "Min") return fold([](F a, F b) { return optional<F>(F::compare(a, b) > 0 ? b : a); });
  if (op == "Identity" || op == "ToFloat") return v[0];
  if (op == "neg") return F::of(-static_cast<Wide>(v[0].p), v[0].q);
  if (op == "floor") return F::of(v[0].floor(), 1);
  if (op == "ceiling") return F::of(v[0].floor() + (v[0].q != 1), 1);
  if (op == "trunc") return F::of(v[0].p / v[0].q, 1);
  if (v.size() != 2) return nullopt;

  const F a = v[0], b = v[1];
  const auto quotient = [&] {
    return F::of(static_cast<Wide>(a.p) * b.q, static_cast<Wide>(a.q) * b.p);
  };
  if (op == "-")
    return F::of(static_cast<Wide>(a.p) * b.q - static_cast<Wide>(b.p) * a.q,
                 static_cast<Wide>(a.q) * b.q);
  if (op == "/") return quotient();
  if (op == "//" || op == "CeilDiv" || op == "%") {
    const optional<F> exact = quotient();
    if (!exact) return nullopt;
    const int64_t down = exact->floor();
    if (op == "//") return F::of(down, 1);
    if (op == "CeilDiv") return F::of(static_cast<Wide>(down) + (exact->q != 1), 1);
    if (a.q != 1 || b.q != 1) return nullopt;
    return F::of(a.p - static_cast<Wide>(down) * b.p, 1);
  }
  if (op == "**") {
    if (b.q != 1 || b.p < -64 || b.p > 64) return nullopt;
    optional<F> all = F{1, 1};
    for (int64_t i = 0; i < std::abs(b.p) && all; ++i)
      all = F::of(static_cast<Wide>(all->p) * a.p, static_cast<Wide>(all->q) * a.q);
    return all && b.p < 0 ? F::of(all->q, all->p) : all;
  }
  const int order = F::compare(a, b);
  const auto truth = [](bool yes) { return optional<F>(F{yes ? 1 : 0, 1}); };
  if (op == "==") return truth(order == 0);
  if (op == "!=") return truth(order != 0);
  if (op == "<") return truth(order < 0);
  if (op == "<=") return truth(order <= 0);
  if (op == ">") return truth(order > 0);
  if (op == ">=") return truth(order >= 0);
  return nullopt;
}

optional<int64_t> Expression::value(const Bindings& symbols) const {
  std::vector<Fraction> values;
  for (const Term& term : terms_) {
    optional<Fraction> v;
    if (term.op.empty()) {
      v = Fraction{term.number, 1};
    } else if (term.op == "'") {
      const auto at = symbols.find(term.name);
      v = at == symbols.end() ? Fraction{0, 0} : Fraction{at->second, 1};
    } else {
      for (const size_t i : term.arguments)
        if (values[i].q == 0) v = Fraction{0, 0};
      if (!v) v = apply(term, values);
    }
    values.push_back(v.value_or(Fraction{0, 0}));
  }
  const Fraction& result = values.back();
  return result.q == 1 ? optional<int64_t>(result.p) : nullopt;
}

std::string Expression::symbol() const {
  size_t at = terms_.size() - 1;
  while (terms_[at].op == "Identity") at = terms_[at].arguments[0];
  return terms_[at].op == "'" ? terms_[at].name : "";
}

std::vector<std::string> Expression::unknown(const Bindings& symbols) const {
  std::set<std::string> all;
  for (const Term& term : terms_)
    if (term.op == "'" && !symbols.count(term.name)) all.insert(term.name);
  return {all.begin(), all.end()};
}

// ---------------------------------------------------------------------- rules
SizeRules::SizeRules(const Program& program) : ranges_(program.ranges) {
  size_t index = 0;
  for (const InputSpec& spec : program.input_specs) {
    if (spec.kind == InputSpec::Kind::kConstantInput) ++index;
    if (spec.kind != InputSpec::Kind::kUserInput) continue;
    if (spec.arg.is<TensorArgument>()) {
      const std::string& name = spec.arg.get<TensorArgument>().name;
      const auto at = program.graph.tensor_values.find(name);
      if (at != program.graph.tensor_values.end()) add_tensor(index, name, at->second);
    } else if (spec.arg.is<SymIntArgument>()) {
      const auto* name = std::get_if<std::string>(&spec.arg.get<SymIntArgument>().value);
      const auto at = program.graph.sym_int_values.find(name ? *name : "");
      if (at != program.graph.sym_int_values.end()) add_number(index, *name, at->second);
    }
    ++index;
  }
}

void SizeRules::add_tensor(size_t index, const std::string& name, const TensorMeta& meta) {
  Input input{index, name, true, {}};
  for (const SymInt& size : meta.sizes) {
    if (const auto* n = std::get_if<int64_t>(&size)) {
      input.sizes.emplace_back(*n);
    } else {
      input.sizes.emplace_back(Expression(std::get<SymExpr>(size).text));
      has_symbols_ = true;
    }
  }
  inputs_.push_back(std::move(input));
}

void SizeRules::add_number(size_t index, const std::string& name, const SymInt& value) {
  Input input{index, name, false, {}};
  if (const auto* n = std::get_if<int64_t>(&value))
    input.sizes.emplace_back(*n);
  else
    input.sizes.emplace_back(Expression(std::get<SymExpr>(value).text));
  has_symbols_ = true;
  inputs_.push_back(std::move(input));
}

void SizeRules::check_range(const Input& input, size_t dim, const std::string& symbol,
                            int64_t size) const {
  const auto at = ranges_.find(symbol);
  if (at == ranges_.end()) return;
  // As in PyTorch, sizes 0 and 1 are tried even if the export assumed 2 or more.
  const bool low = at->second.min && *at->second.min > 2 && size < *at->second.min;
  const bool high = at->second.max && size > *at->second.max;
  if (!low && !high) return;
  const std::string what = input.is_tensor ? concat("size in dimension ", dim) : "value";
  throw Error(concat("program: input '", input.name, "' (", input.index, "): expected a ", what,
                     low ? " of at least " : " of at most ",
                     low ? *at->second.min : *at->second.max, ", got ", size));
}

void SizeRules::bind(const Input& input, size_t dim, int64_t size, Bindings& symbols) const {
  const auto* e = std::get_if<Expression>(&input.sizes[dim]);
  if (!e) {
    const int64_t expected = std::get<int64_t>(input.sizes[dim]);
    TAPER_CHECK(size == expected, "program: input '", input.name, "' (", input.index,
                "): expected ",
                input.is_tensor ? concat("size ", expected, " in dimension ", dim)
                                : std::to_string(expected),
                ", got ", size, "; the export fixed it: export with dynamic_shapes to vary it");
    return;
  }
  const std::string symbol = e->symbol();
  if (symbol.empty()) return;
  check_range(input, dim, symbol, size);
  const auto [at, is_new] = symbols.emplace(symbol, size);
  TAPER_CHECK(at->second == size, "program: input '", input.name, "' (", input.index,
              "): expected size ", at->second, " in dimension ", dim, ", as other sizes '", symbol,
              "', got ", size);
}

void SizeRules::check_expression(const Input& input, size_t dim, int64_t size,
                                 Bindings& symbols) const {
  const auto* e = std::get_if<Expression>(&input.sizes[dim]);
  if (!e || !e->symbol().empty()) return;
  const std::vector<std::string> unknown = e->unknown(symbols);
  if (unknown.size() == 1) {  // a line through the values at 0 and 1
    Bindings zero = symbols, one = symbols;
    zero[unknown[0]] = 0;
    one[unknown[0]] = 1;
    const optional<int64_t> at0 = e->value(zero), at1 = e->value(one);
    int64_t slope = 0, rise = 0;
    if (at0 && at1 && !__builtin_sub_overflow(*at1, *at0, &slope) && slope > 0 &&
        !__builtin_sub_overflow(size, *at0, &rise) && rise % slope == 0) {
      symbols[unknown[0]] = rise / slope;
      check_range(input, dim, unknown[0], symbols[unknown[0]]);
    }
  }
  const optional<int64_t> expected = e->value(symbols);
  TAPER_CHECK(!expected || *expected == size, "program: input '", input.name, "' (", input.index,
              "): expected size ", *expected, " in dimension ", dim, ", '", e->text(), "', got ",
              size);
}

void SizeRules::check(const std::vector<const Tensor*>& tensors,
                      const std::vector<optional<int64_t>>& numbers) const {
  Bindings symbols;
  for (const Input& input : inputs_) {
    if (!input.is_tensor) {
      if (numbers[input.index]) bind(input, 0, *numbers[input.index], symbols);
      continue;
    }
    const Tensor* t = tensors[input.index];
    TAPER_CHECK(t && t->defined(), "program: input '", input.name, "' (", input.index,
                "): expected a tensor");
    TAPER_CHECK(t->dim() == static_cast<int64_t>(input.sizes.size()), "program: input '",
                input.name, "' (", input.index, "): expected ", input.sizes.size(),
                " dimensions, got sizes ", t->sizes());
    for (size_t d = 0; d < input.sizes.size(); ++d)
      bind(input, d, t->size(static_cast<int64_t>(d)), symbols);
  }
  if (!has_symbols_) return;
  for (const Input& input : inputs_)
    if (input.is_tensor)
      for (size_t d = 0; d < input.sizes.size(); ++d)
        check_expression(input, d, tensors[input.index]->size(static_cast<int64_t>(d)), symbols);
}

}  // namespace torch::taper::program
