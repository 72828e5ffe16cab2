// FunctionSchema: the name, arguments and results of an operator. parseSchema() reads it from
// LibTorch's text ("scale(Tensor x, float by=1.) -> Tensor"). It can also be inferred from a C++
// signature.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The type of an argument in a schema.
class SchemaType {
 public:
  /// Makes a type. `text` is the type in the schema's text. `kernel` is the type that kernels get,
  /// for example "int" for "ScalarType".
  SchemaType(std::string text, std::string kernel)
      : text_(std::move(text)), kernel_(std::move(kernel)) {}
  /// Returns the type that kernels get.
  const std::string& str() const { return kernel_; }
  /// Returns str().
  const std::string& repr_str() const { return kernel_; }
  /// Returns the type as written in the schema.
  const std::string& annotation_str() const { return text_; }
  /// Returns whether kernels get the same type for `a` and `b`.
  friend bool operator==(const SchemaType& a, const SchemaType& b) {
    return a.kernel_ == b.kernel_;
  }
  /// Returns whether kernels get different types for `a` and `b`.
  friend bool operator!=(const SchemaType& a, const SchemaType& b) { return !(a == b); }

 private:
  std::string text_, kernel_;
};
/// A shared pointer to a type.
using TypePtr = std::shared_ptr<const SchemaType>;

/// An argument or result of a schema.
class Argument {
 public:
  /// Makes an argument. `count` is the number of elements of a list: 2 for int[2].
  Argument(std::string name, TypePtr type, optional<int32_t> count = nullopt,
           optional<IValue> default_value = nullopt, bool kwarg_only = false)
      : name_(std::move(name)),
        type_(std::move(type)),
        count_(count),
        default_(std::move(default_value)),
        kwarg_only_(kwarg_only) {}
  /// Returns the name, empty for a result without a name.
  const std::string& name() const { return name_; }
  /// Returns the type.
  const TypePtr& type() const { return type_; }
  /// Returns type(). In LibTorch, the two may differ.
  const TypePtr& real_type() const { return type_; }
  /// Returns the number of elements of a list: 2 for int[2].
  optional<int32_t> N() const { return count_; }
  /// Returns the default value, or nullopt if there is none.
  const optional<IValue>& default_value() const { return default_; }
  /// Returns whether the argument follows a * in the schema.
  bool kwarg_only() const { return kwarg_only_; }

 private:
  std::string name_;
  TypePtr type_;
  optional<int32_t> count_;
  optional<IValue> default_;
  bool kwarg_only_;
};

/// The name of an operator and of its overload.
struct OperatorName {
  std::string name;           ///< "ns::name"
  std::string overload_name;  ///< "out" of "ns::name.out"
  /// Returns the part before "::", or nullopt if there is none.
  optional<std::string> getNamespace() const;
  /// Returns whether the names and the overload names are equal.
  friend bool operator==(const OperatorName& a, const OperatorName& b) {
    return a.name == b.name && a.overload_name == b.overload_name;
  }
  /// Returns whether the names or the overload names differ.
  friend bool operator!=(const OperatorName& a, const OperatorName& b) { return !(a == b); }
};
/// Returns the name as text: "ns::name.overload", or "ns::name" without an overload name.
std::string toString(const OperatorName& name);
/// Writes toString(name).
TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, const OperatorName& name);

/// An operator's name, arguments and results.
class FunctionSchema {
 public:
  /// Makes a schema of these parts.
  FunctionSchema(OperatorName name, std::vector<Argument> arguments, std::vector<Argument> returns)
      : name_(std::move(name)), arguments_(std::move(arguments)), returns_(std::move(returns)) {}
  /// Returns the name and the overload.
  const OperatorName& operator_name() const { return name_; }
  /// Returns "ns::name".
  const std::string& name() const { return name_.name; }
  /// Returns "out" of "ns::name.out".
  const std::string& overload_name() const { return name_.overload_name; }
  /// Returns the arguments, in order.
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// Returns the results, in order.
  const std::vector<Argument>& returns() const { return returns_; }
  /// Returns the index of the argument with this name, or nullopt if there is none.
  optional<int> argumentIndexWithName(std::string_view name) const;
  /// Returns this schema with another name.
  FunctionSchema cloneWithName(std::string name, std::string overload_name) const {
    return FunctionSchema({std::move(name), std::move(overload_name)}, arguments_, returns_);
  }

 private:
  OperatorName name_;
  std::vector<Argument> arguments_, returns_;
};
/// Writes toString(schema).
TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, const FunctionSchema& schema);
/// Returns the text that parseSchema reads.
std::string toString(const FunctionSchema& schema);

/// Parses a schema. If the text is invalid, throws Error. The message shows the position of the
/// error.
FunctionSchema parseSchema(const std::string& text);
/// Parses "name" or "name.overload".
OperatorName parseName(const std::string& text);
/// Returns true if the text is a whole schema, and false if it is only a name.
bool is_schema(const std::string& text);
/// Returns the reason why a kernel with the schema `inferred` does not match `expected`, or "" if
/// it matches.
std::string difference(const FunctionSchema& expected, const FunctionSchema& inferred);

}  // namespace torch::taper

#pragma GCC visibility pop
