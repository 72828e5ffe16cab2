#include <taper/extension/library.h>

namespace torch::taper {

CppFunction CppFunction::makeFallthrough() {
  CppFunction function;
  function.kernel_.falls_through = true;
  return function;
}

Library::Library(Kind kind, std::string ns, optional<DispatchKey> key, const char* file,
                 uint32_t line)
    : kind_(kind),
      ns_(std::move(ns)),
      place_(detail::concat(file ? file : "(unknown)", ":", line)),
      key_(key) {
  TAPER_CHECK(kind_ == IMPL || ns_ != "_",
              "TORCH_LIBRARY: expected a namespace, got _, which only TORCH_LIBRARY_IMPL takes");
  if (kind_ == DEF)
    undo_.push_back(Dispatcher::singleton().add_library(ns_, "registered at " + place_));
}
Library::~Library() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
}

std::string Library::place() const {
  const char* const macros[] = {"TORCH_LIBRARY", "TORCH_LIBRARY_IMPL", "TORCH_LIBRARY_FRAGMENT"};
  return detail::concat("  (Error occurred while processing ", macros[kind_], " block at ", place_,
                        ")");
}
OperatorName Library::full_name(OperatorName name, const char* what) const {
  const optional<std::string> ns = name.getNamespace();
  if (!ns) {
    name.name = ns_ + "::" + name.name;
    return name;
  }
  TAPER_CHECK(*ns == ns_ || ns_ == "_", "Explicitly provided namespace (", *ns, ") in ", what,
              " does not match namespace of enclosing ", "TORCH_LIBRARY block (", ns_,
              ").  Move this definition to the TORCH_LIBRARY block corresponding to this namespace "
              "(and consider deleting the namespace from your schema string.)",
              place());
  return name;
}
void Library::check_defines(const char* what, const std::string& name) const {
  TAPER_CHECK(kind_ != IMPL, what, "(\"", name,
              "\"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s "
              "should be placed in the (unique) TORCH_LIBRARY block for their namespace.",
              place());
}

Library& Library::define(FunctionSchema schema, std::vector<Tag> tags) {
  undo_.push_back(Dispatcher::singleton().define(std::move(schema), place_, std::move(tags)));
  return *this;
}
void Library::add(const OperatorName& name, CppFunction f) {
  const DispatchKey key = f.key_.value_or(key_.value_or(DispatchKey::CompositeImplicitAutograd));
  f.kernel_.registered_at = place_;
  undo_.push_back(Dispatcher::singleton().add_kernel(name, key, std::move(f.kernel_)));
}

Library& Library::def(FunctionSchema schema, const std::vector<Tag>& tags) & {
  check_defines("def", toString(schema.operator_name()));
  OperatorName name = full_name(schema.operator_name(), "schema string");
  return define(schema.cloneWithName(name.name, name.overload_name), tags);
}
Library& Library::def(FunctionSchema schema, CppFunction f, const std::vector<Tag>& tags) & {
  const OperatorName name = full_name(schema.operator_name(), "schema string");
  def(std::move(schema), tags);
  try {
    add(name, std::move(f));
  } catch (...) {  // discards a definition whose kernel does not fit
    undo_.back()();
    undo_.pop_back();
    throw;
  }
  return *this;
}
Library& Library::def(const char* name_or_schema, CppFunction f, const std::vector<Tag>& tags) & {
  if (is_schema(name_or_schema)) return def(parseSchema(name_or_schema), std::move(f), tags);
  check_defines("def", name_or_schema);
  TAPER_CHECK(f.kernel_.inferred, "def(\"", name_or_schema,
              "\"): expected a schema, since a kernel that takes a stack has none, got a name",
              place());
  const OperatorName name = parseName(name_or_schema);
  return def(f.kernel_.inferred().cloneWithName(name.name, name.overload_name), std::move(f), tags);
}
Library& Library::impl(const char* name, CppFunction f) & {
  TAPER_CHECK(!key_ || !f.key_ || *key_ == *f.key_, "impl(\"", name,
              "\", ...): Explicitly provided dispatch key (", f.key_.value_or(DispatchKey()),
              ") is inconsistent with the dispatch key of the enclosing TORCH_LIBRARY_IMPL block (",
              key_.value_or(DispatchKey()), ").", place());
  add(full_name(parseName(name), "operator name"), std::move(f));
  return *this;
}
Library& Library::fallback(CppFunction f) & {
  TAPER_CHECK(kind_ == IMPL && ns_ == "_",
              "fallback: expected a library of all namespaces, TORCH_LIBRARY_IMPL(_, KEY, m), got ",
              ns_, place());
  TAPER_CHECK(key_ || f.key_, "fallback: expected a dispatch key, got none", place());
  TAPER_CHECK(!f.kernel_.unboxed,
              "fallback: expected a kernel that takes a stack, or makeFallthrough(), got one of a "
              "C++ signature, which not all operators have",
              place());
  f.kernel_.registered_at = place_;
  const DispatchKey key = f.key_ ? *f.key_ : *key_;
  undo_.push_back(Dispatcher::singleton().add_fallback(key, std::move(f.kernel_)));
  return *this;
}

void RegisterOperators::add(const std::string& name_or_schema, Options o) {
  const OperatorName name = parseName(name_or_schema.substr(0, name_or_schema.find('(')));
  const optional<std::string> ns = name.getNamespace();
  TAPER_CHECK(ns, "RegisterOperators: expected a name with a namespace, \"ns::name\", got \"",
              name_or_schema, "\"");
  TAPER_CHECK(is_schema(name_or_schema) || !o.kernels_.empty(),
              "RegisterOperators: expected a schema or a kernel "
              "for ",
              name_or_schema, ", got neither");
  Library library(Library::FRAGMENT, *ns, nullopt, nullptr, 0);
  if (o.kernels_.empty()) library.def(name_or_schema.c_str());
  bool is_defined = false;
  for (CppFunction& kernel : o.kernels_) {
    if (is_defined)
      library.impl(toString(name).c_str(), std::move(kernel));
    else
      library.def(name_or_schema.c_str(), std::move(kernel));
    is_defined = true;
  }
  libraries_.push_back(std::move(library));
}

}  // namespace torch::taper
