#include <taper/extension/infer_schema.h>

#include <algorithm>
#include <ostream>
#include <sstream>

namespace torch::taper {

optional<std::string> OperatorName::getNamespace() const {
  const size_t end = name.find("::");
  if (end == std::string::npos) return nullopt;
  return name.substr(0, end);
}
std::string toString(const OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}
std::ostream& operator<<(std::ostream& out, const OperatorName& name) {
  return out << toString(name);
}

optional<int> FunctionSchema::argumentIndexWithName(std::string_view name) const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].name() == name) return static_cast<int>(i);
  return nullopt;
}

// ---------------------------------------------------------------------- text
namespace {

void print_value(std::ostream& out, const IValue& v) {
  if (v.isString())
    out << '"' << v.toStringRef() << '"';
  else
    out << v;
}
void print(std::ostream& out, const Argument& a) {
  out << a.type()->annotation_str();
  if (!a.name().empty()) out << " " << a.name();
  if (!a.default_value()) return;
  out << "=";
  print_value(out, *a.default_value());
}
void print_arguments(std::ostream& out, const std::vector<Argument>& arguments) {
  bool keywords = false;
  const char* separator = "";
  for (const Argument& a : arguments) {
    out << separator;
    separator = ", ";
    if (a.kwarg_only() && !keywords) {
      out << "*, ";
      keywords = true;
    }
    print(out, a);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const FunctionSchema& schema) {
  out << schema.operator_name() << "(";
  print_arguments(out, schema.arguments());
  out << ") -> ";
  const std::vector<Argument>& returns = schema.returns();
  if (returns.size() == 1) {
    print(out, returns[0]);
    return out;
  }
  out << "(";
  print_arguments(out, returns);
  return out << ")";
}
std::string toString(const FunctionSchema& schema) {
  std::ostringstream text;
  text << schema;
  return text.str();
}

namespace {

std::string difference_of_lists(const char* what, const std::vector<Argument>& expected,
                                const std::vector<Argument>& inferred) {
  if (expected.size() != inferred.size())
    return detail::concat("The number of ", what, "s is different. ", expected.size(), " vs ",
                          inferred.size(), ".");
  for (size_t i = 0; i < expected.size(); ++i)
    if (*expected[i].type() != *inferred[i].type())
      return detail::concat("Type mismatch in ", what, " ", i + 1, ": ", expected[i].type()->str(),
                            " vs ", inferred[i].type()->str(), ".");
  return "";
}

}  // namespace

std::string difference(const FunctionSchema& expected, const FunctionSchema& inferred) {
  const std::string arguments =
      difference_of_lists("argument", expected.arguments(), inferred.arguments());
  return arguments.empty() ? difference_of_lists("return", expected.returns(), inferred.returns())
                           : arguments;
}

namespace detail {
std::vector<Argument> numbered(const std::vector<std::string>& types) {
  std::vector<Argument> all;
  for (const std::string& type : types)
    all.emplace_back(concat("_", all.size()), std::make_shared<SchemaType>(type, type));
  return all;
}
}  // namespace detail

}  // namespace torch::taper
