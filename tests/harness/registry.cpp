#include <algorithm>

#include "harness/op_case.h"

namespace torch::taper::testing {
namespace {

std::vector<OpCase>& cases() {
  static std::vector<OpCase> list;
  return list;
}

}  // namespace

OpCase::OpCase() = default;
OpCase::OpCase(const OpCase&) = default;
OpCase::OpCase(OpCase&&) noexcept = default;
OpCase& OpCase::operator=(const OpCase&) = default;
OpCase& OpCase::operator=(OpCase&&) noexcept = default;
OpCase::~OpCase() = default;

std::vector<std::string>& repeated_names() {
  static std::vector<std::string> list;
  return list;
}

bool register_case(OpCase c) {
  // Registration happens before main: a throw here would end the whole program.
  const bool is_new = std::none_of(cases().begin(), cases().end(),
                                   [&](const OpCase& other) { return other.name == c.name; });
  if (is_new)
    cases().push_back(std::move(c));
  else
    repeated_names().push_back(c.name);
  return is_new;
}

void register_cases(std::vector<OpCase> list) {
  for (OpCase& c : list) register_case(std::move(c));
}

OpCase& case_in(std::vector<OpCase>& list, const std::string& name) {
  for (OpCase& c : list)
    if (c.name == name) return c;
  throw Error("case_in: there is no case named " + name + " in this list");
}

const std::vector<OpCase>& all_cases() { return cases(); }

const OpCase& find_case(const std::string& name) {
  for (const OpCase& c : cases())
    if (c.name == name) return c;
  throw Error("find_case: there is no case named " + name);
}

namespace {

const OpCase* search(const std::string& name) {
  for (const OpCase& c : cases())
    if (c.name == name || std::find(c.covers.begin(), c.covers.end(), name) != c.covers.end())
      return &c;
  return nullptr;
}

}  // namespace

bool has_case(const std::string& name) { return search(name) != nullptr; }

const OpCase& case_of(const std::string& name) {
  const OpCase* c = search(name);
  if (!c) throw Error("case_of: there is no case of " + name);
  return *c;
}

}  // namespace torch::taper::testing
