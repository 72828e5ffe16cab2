// Sizes that are symbols: expressions of them, and checks of inputs. Not installed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <taper/program/graph.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::program {

/// The values of symbols that are known.
using Bindings = std::map<std::string, int64_t>;

/// An expression of symbols, as sympy prints it: "2*s0 + 1", "s0//2", "Max(1, s0)", or
/// "Mul(Integer(2), Symbol('s0', integer=True))".
class Expression {
 public:
  /// Parses a text. Throws Error for a text that is no expression.
  explicit Expression(const std::string& text);

  /// Returns the value, or nothing: a symbol has none, a function is unknown, the value is no
  /// integer, or it exceeds 64 bits.
  optional<int64_t> value(const Bindings& symbols) const;
  /// Returns the name if the expression is one symbol, else an empty text.
  std::string symbol() const;
  /// Returns the symbols without a value, each once.
  std::vector<std::string> unknown(const Bindings& symbols) const;
  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;
  /// One operation on earlier terms.
  struct Term {
    std::string op;    ///< "+", "Max", ..., "" for a number, "'" for a symbol
    std::string name;  ///< of a symbol
    int64_t number = 0;
    std::vector<size_t> arguments;
  };
  struct Fraction;
  static optional<Fraction> apply(const Term& term, const std::vector<Fraction>& values);

  std::string text_;
  std::vector<Term> terms_;  ///< the last one is the result
};

/// Checks the inputs of a program: constant sizes, symbols with their limits, expressions.
class SizeRules {
 public:
  explicit SizeRules(const Program& program);

  /// Throws Error for a user input that does not fit. `tensors` has null for other inputs, and
  /// `numbers` has the inputs that are integers.
  void check(const std::vector<const Tensor*>& tensors,
             const std::vector<optional<int64_t>>& numbers) const;

 private:
  /// A user input, by its index.
  struct Input {
    size_t index;
    std::string name;
    bool is_tensor;
    std::vector<std::variant<int64_t, Expression>> sizes;  ///< one expression for an integer
  };
  void add_tensor(size_t index, const std::string& name, const TensorMeta& meta);
  void add_number(size_t index, const std::string& name, const SymInt& value);
  void bind(const Input& input, size_t dim, int64_t size, Bindings& symbols) const;
  void check_range(const Input& input, size_t dim, const std::string& symbol, int64_t size) const;
  void check_expression(const Input& input, size_t dim, int64_t size, Bindings& symbols) const;

  std::vector<Input> inputs_;
  std::map<std::string, Range> ranges_;
  bool has_symbols_ = false;
};

}  // namespace torch::taper::program

#pragma GCC visibility pop
