#include <taper/program/trace_schema.h>

#include <unordered_map>

namespace torch::taper::program {
namespace {

/// Returns the text between the parentheses of the parameters.
std::string_view parameters_of(std::string_view schema) {
  const size_t begin = schema.find('(') + 1;
  size_t end = begin;
  for (int depth = 1; end < schema.size(); ++end) {
    depth += (schema[end] == '(') - (schema[end] == ')');
    if (depth == 0) break;
  }
  return schema.substr(begin, end - begin);
}

/// Splits at commas that no bracket and no quotation mark encloses.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"' || c == '\'') quoted = !quoted;
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (i < text.size() && (c != ',' || depth > 0 || quoted)) continue;
    std::string_view part = text.substr(begin, i - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

/// Removes the annotations "(a!)" and the numbers of "int[2]", and writes "int" for "SymInt".
std::string plain_type(std::string_view type) {
  std::string plain;
  for (size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '(') i = type.find(')', i) + 1;
    if (i < type.size() && !(type[i] >= '0' && type[i] <= '9')) plain += type[i];
  }
  if (plain.rfind("Sym", 0) == 0) plain = plain[3] == 'I' ? "int" + plain.substr(6) : plain;
  return plain;
}

SchemaArgument parse(std::string_view text) {
  SchemaArgument argument;
  // A default may hold spaces, the part before it does not but for the one before the name.
  const size_t assign =
      text.find('=', text.rfind(')') == std::string_view::npos ? 0 : text.find(')'));
  if (assign != std::string_view::npos) argument.fallback = text.substr(assign + 1);
  const std::string_view declared = text.substr(0, assign);
  const size_t space = declared.rfind(' ');
  argument.type = plain_type(declared.substr(0, space));
  argument.name = declared.substr(space + 1);
  return argument;
}

}  // namespace

std::vector<SchemaArgument> schema_arguments(std::string_view schema) {
  std::vector<SchemaArgument> all;
  bool keyword_only = false;
  for (const std::string_view part : split_at_commas(parameters_of(schema))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    all.push_back(parse(part));
    all.back().keyword_only = keyword_only;
  }
  return all;
}

std::string target_of_name(std::string_view aten_name) {
  const size_t colons = aten_name.find("::");
  const std::string space(aten_name.substr(0, colons)), name(aten_name.substr(colons + 2));
  const bool has_overload = name.find('.') != std::string::npos;
  return "torch.ops." + space + '.' + name + (has_overload ? "" : ".default");
}

const OpInfo* op_of_name(const std::string& aten_name) {
  return op_of_target(target_of_name(aten_name));
}

const OpInfo* op_of_target(const std::string& target) {
  static const auto* const rows = [] {
    auto* const all = new std::unordered_map<std::string, const OpInfo*>;
    for (const OpInfo* op : all_ops()) all->emplace(target_of_name(op->aten_name()), op);
    return all;
  }();
  const auto found = rows->find(target);
  return found == rows->end() ? nullptr : found->second;
}

}  // namespace torch::taper::program
