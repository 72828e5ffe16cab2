// FunctionSchema: the name, arguments and results of an operator, read from LibTorch's text
// ("scale(Tensor x, float by=1.) -> Tensor") or inferred from a C++ signature.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The type of an argument, as a schema writes it.
class SchemaType {
 public:
  /// `text` is what is printed, `kernel` the type that kernels see ("int" of a ScalarType).
  SchemaType(std::string text, std::string kernel)
      : text_(std::move(text)), kernel_(std::move(kernel)) {}
  /// The type that kernels see.
  const std::string& str() const { return kernel_; }
  /// The same.
  const std::string& repr_str() const { return kernel_; }
  /// The type as the schema writes it.
  const std::string& annotation_str() const { return text_; }
  /// Whether kernels see the same.
  friend bool operator==(const SchemaType& a, const SchemaType& b) {
    return a.kernel_ == b.kernel_;
  }
  /// Whether they do not.
  friend bool operator!=(const SchemaType& a, const SchemaType& b) { return !(a == b); }

 private:
  std::string text_, kernel_;
};
/// A type, shared by the arguments that have it.
using TypePtr = std::shared_ptr<const SchemaType>;

/// An argument or result of a schema.
class Argument {
 public:
  /// `count` is the 2 of int[2].
  Argument(std::string name, TypePtr type, optional<int32_t> count = nullopt,
           optional<IValue> default_value = nullopt, bool kwarg_only = false)
      : name_(std::move(name)),
        type_(std::move(type)),
        count_(count),
        default_(std::move(default_value)),
        kwarg_only_(kwarg_only) {}
  /// Empty for a result without a name.
  const std::string& name() const { return name_; }
  /// Its type.
  const TypePtr& type() const { return type_; }
  /// The same: LibTorch tells apart what kernels do not see.
  const TypePtr& real_type() const { return type_; }
  /// The 2 of int[2].
  optional<int32_t> N() const { return count_; }
  /// None where a value must be given.
  const optional<IValue>& default_value() const { return default_; }
  /// Whether it stands behind a *.
  bool kwarg_only() const { return kwarg_only_; }

 private:
  std::string name_;
  TypePtr type_;
  optional<int32_t> count_;
  optional<IValue> default_;
  bool kwarg_only_;
};

/// "ns::name" and what tells its overloads apart.
struct OperatorName {
  std::string name;           ///< "ns::name"
  std::string overload_name;  ///< "out" of "ns::name.out"
  /// What stands before "::"; none without it.
  optional<std::string> getNamespace() const;
  /// Whether both parts are equal.
  friend bool operator==(const OperatorName& a, const OperatorName& b) {
    return a.name == b.name && a.overload_name == b.overload_name;
  }
  /// Whether one is not.
  friend bool operator!=(const OperatorName& a, const OperatorName& b) { return !(a == b); }
};
/// "ns::name.overload".
std::string toString(const OperatorName& name);
/// Writes toString(name).
TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, const OperatorName& name);

/// An operator's name, arguments and results.
class FunctionSchema {
 public:
  /// A schema of these parts.
  FunctionSchema(OperatorName name, std::vector<Argument> arguments, std::vector<Argument> returns)
      : name_(std::move(name)), arguments_(std::move(arguments)), returns_(std::move(returns)) {}
  /// The name and the overload.
  const OperatorName& operator_name() const { return name_; }
  /// "ns::name".
  const std::string& name() const { return name_.name; }
  /// "out" of "ns::name.out".
  const std::string& overload_name() const { return name_.overload_name; }
  /// In their order.
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// The results, in their order.
  const std::vector<Argument>& returns() const { return returns_; }
  /// The place of the argument; none of that name gives no number.
  optional<int> argumentIndexWithName(std::string_view name) const;
  /// The same with another name.
  FunctionSchema cloneWithName(std::string name, std::string overload_name) const {
    return FunctionSchema({std::move(name), std::move(overload_name)}, arguments_, returns_);
  }

 private:
  OperatorName name_;
  std::vector<Argument> arguments_, returns_;
};
/// Writes toString(schema).
TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, const FunctionSchema& schema);
/// The text that parseSchema reads.
std::string toString(const FunctionSchema& schema);

/// Reads a schema. Throws Error for text that is none, pointing at the place.
FunctionSchema parseSchema(const std::string& text);
/// Reads "name" or "name.overload".
OperatorName parseName(const std::string& text);
/// Whether the text is a whole schema, or a name alone.
bool is_schema(const std::string& text);
/// Why a kernel of the inferred schema cannot be one of `expected`; empty when it can.
std::string difference(const FunctionSchema& expected, const FunctionSchema& inferred);

}  // namespace torch::taper

#pragma GCC visibility pop
