// Parses schemas with the grammar: name ( arguments ) -> results.
#include <taper/extension/schema.h>

#include <cctype>
#include <cstdlib>
#include <set>

#include <taper/framework/core/options.h>

namespace torch::taper {
namespace {

// The sets are in functions, because schemas are parsed while a program's globals are made.
bool is_integer(const std::string& type) {  // for kernels
  static const std::set<std::string> all = {"int", "SymInt", "ScalarType", "Layout",
                                            "MemoryFormat"};
  return all.count(type) != 0;
}
bool is_type(const std::string& type) {
  static const std::set<std::string> all = {
      "Tensor", "float",  "bool",    "str",    "Scalar",       "complex",  "Device",
      "Any",    "Stream", "Storage", "number", "AnyClassType", "Generator"};
  return is_integer(type) || all.count(type) != 0;
}

struct ParsedType {
  std::string text, kernel;
  optional<int32_t> count;
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  OperatorName name() {
    OperatorName name;
    name.name = word("an operator's name");
    while (take("::")) name.name += "::" + word("an operator's name");
    if (take(".")) name.overload_name = word("an overload's name");
    return name;
  }
  FunctionSchema schema() {
    OperatorName op = name();
    std::vector<Argument> in = arguments();
    expect("->");
    std::vector<Argument> out = results();
    end();
    return FunctionSchema(std::move(op), std::move(in), std::move(out));
  }
  void end() {
    skip();
    if (at_ != text_.size()) fail("the end of the schema");
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(const char* token) {
    skip();
    const size_t n = std::char_traits<char>::length(token);
    if (text_.compare(at_, n, token) != 0) return false;
    at_ += n;
    return true;
  }
  void expect(const char* token) {
    if (!take(token)) fail(token);
  }
  [[noreturn]] void fail(const std::string& expected) {
    skip();
    const std::string got = at_ < text_.size() ? text_.substr(at_, 1) : "the end";
    point("expected " + expected + " but found '" + got + "' here:");
  }
  [[noreturn]] void point(const std::string& message) {
    throw Error(message + "\n" + text_ + "\n" + std::string(at_, ' ') + "~ <--- HERE\n");
  }
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string word(const char* what) {
    skip();
    const size_t from = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    if (at_ == from) fail(what);
    return text_.substr(from, at_ - from);
  }
  bool at_word() {
    skip();
    return at_ < text_.size() && in_word(text_[at_]);
  }

  // ------------------------------------------------------------------ types
  ParsedType type() {
    ParsedType t = base_type();
    for (;;) {
      if (take("?")) {
        t.text += "?";
        t.kernel += "?";
      } else if (take("[")) {
        list_of(t);
      } else {
        return t;
      }
    }
  }
  void list_of(ParsedType& t) {
    std::string number;
    if (at_word()) number = word("a length");
    expect("]");
    t.text += "[" + number + "]";
    t.kernel += "[]";
    if (!number.empty()) t.count = std::atoi(number.c_str());
  }
  ParsedType base_type() {
    if (take("(")) return tuple_type();
    skip();
    const size_t from = at_;
    std::string name = word("a type");
    if (name == "Dict" || name == "Future") return generic_type(name);
    if (name == "__torch__") {
      while (take(".")) name += "." + word("a class");
      return {name, name, nullopt};
    }
    if (!is_type(name)) {
      at_ = from;
      point("unknown type specifier '" + name +
            "'. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar:");
    }
    ParsedType t{name, is_integer(name) ? "int" : name, nullopt};
    if (name == "Tensor" && take("(")) t.text += alias();
    return t;
  }
  // Reads the text after "Tensor(": an alias set, and whether the tensor is written.
  std::string alias() {
    std::string text = "(";
    while (at_ < text_.size() && text_[at_] != ')') text += text_[at_++];
    expect(")");
    return text + ")";
  }
  ParsedType tuple_type() { return types_until("(", ")"); }
  ParsedType generic_type(const std::string& name) {
    expect("(");
    return types_until(name + "(", ")");
  }
  ParsedType types_until(const std::string& begin, const char* close) {
    ParsedType all{begin, begin, nullopt};
    const char* separator = "";
    while (!take(close)) {
      if (*separator) expect(",");
      const ParsedType t = type();
      all.text += separator + t.text;
      all.kernel += separator + t.kernel;
      separator = ", ";
    }
    all.text += close;
    all.kernel += close;
    return all;
  }

  // -------------------------------------------------------------- arguments
  std::vector<Argument> arguments() {
    std::vector<Argument> all;
    bool keywords = false;
    expect("(");
    while (!take(")")) {
      if (!all.empty() || keywords) expect(",");
      if (!keywords && take("*"))
        keywords = true;
      else
        all.push_back(argument(keywords));
    }
    return all;
  }
  Argument argument(bool keyword) {
    const ParsedType t = type();
    std::string name = word("an argument's name");
    optional<IValue> value;
    if (take("=")) value = fitted(default_value(), t);
    return Argument(std::move(name), std::make_shared<SchemaType>(t.text, t.kernel), t.count,
                    std::move(value), keyword);
  }
  std::vector<Argument> results() {
    std::vector<Argument> all;
    if (!take("(")) return {result()};
    while (!take(")")) {
      if (!all.empty()) expect(",");
      all.push_back(result());
    }
    return all;
  }
  Argument result() {
    const ParsedType t = type();
    std::string name = at_word() ? word("a name") : "";
    return Argument(std::move(name), std::make_shared<SchemaType>(t.text, t.kernel), t.count);
  }

  // --------------------------------------------------------- default values
  IValue default_value() {
    skip();
    if (take("[")) return list();
    if (take("\"")) return string('"');
    if (take("'")) return string('\'');
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.') return number();
    return named(word("a default value"));
  }
  IValue string(char quote) {
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) text += text_[at_++];
    if (at_++ >= text_.size()) fail("the end of a string");
    return text;
  }
  IValue list() {
    std::vector<IValue> all;
    while (!take("]")) {
      if (!all.empty()) expect(",");
      all.push_back(default_value());
    }
    return GenericList(std::move(all));
  }
  IValue number() {
    const char* const from = text_.c_str() + at_;
    char *integer_end, *real_end;
    const long long integer = std::strtoll(from, &integer_end, 10);
    const double real = std::strtod(from, &real_end);
    if (real_end == from) fail("a number");
    at_ += static_cast<size_t>(real_end - from);
    if (integer_end == real_end) return static_cast<int64_t>(integer);
    return real;
  }
  IValue named(const std::string& name) {
    if (name == "None") return IValue();
    if (name == "True" || name == "False") return name == "True";
    if (name == "contiguous_format") return static_cast<int64_t>(MemoryFormat::Contiguous);
    if (name == "preserve_format") return static_cast<int64_t>(MemoryFormat::Preserve);
    if (name == "strided") return static_cast<int64_t>(Layout::Strided);
    if (name == "long") return IValue(kLong);
    if (name == "float") return IValue(kFloat);
    if (name == "Mean") return int64_t{1};
    if (name == "Sum") return int64_t{2};
    fail("a default value");
  }
  // Converts a default to the argument's type. For a float, 1 becomes 1., and for an int[2] it
  // becomes [1, 1].
  static IValue fitted(const IValue& v, const ParsedType& t) {
    if (v.isNone()) return v;
    const std::string kernel = t.kernel.substr(0, t.kernel.find_last_not_of('?') + 1);
    if (kernel == "float" && v.isInt()) return static_cast<double>(v.toInt());
    if (kernel == "int[]") {
      if (v.isInt())
        return std::vector<int64_t>(static_cast<size_t>(t.count.value_or(1)), v.toInt());
      return integers(v.toListRef());
    }
    if (kernel == "float[]" && v.isList()) return doubles(v.toListRef());
    return v;
  }
  static IValue integers(const std::vector<IValue>& all) {
    std::vector<int64_t> values;
    for (const IValue& v : all) values.push_back(v.toInt());
    return values;
  }
  static IValue doubles(const std::vector<IValue>& all) {
    std::vector<double> values;
    for (const IValue& v : all) values.push_back(v.toScalar().toDouble());
    return values;
  }

  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

FunctionSchema parseSchema(const std::string& text) { return Parser(text).schema(); }
OperatorName parseName(const std::string& text) {
  Parser parser(text);
  OperatorName name = parser.name();
  parser.end();
  return name;
}
bool is_schema(const std::string& text) { return text.find('(') != std::string::npos; }

}  // namespace torch::taper
