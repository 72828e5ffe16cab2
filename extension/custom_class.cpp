#include <taper/extension/custom_class.h>

#include <mutex>
#include <typeindex>

#include <taper/framework/debug/backtrace.h>

namespace torch::taper {
namespace {

struct Classes {
  std::mutex mutex;
  std::map<std::string, ClassTypePtr> by_name;
  std::map<std::type_index, ClassTypePtr> by_type;
};
Classes& classes() {
  static Classes* const all = new Classes;  // the program's objects are destroyed later
  return *all;
}

}  // namespace

ClassTypePtr detail::add_class(const std::string& ns, const std::string& name,
                               const std::type_info& type) {
  const std::string full = "__torch__.torch.classes." + ns + "." + name;
  Classes& all = classes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  TAPER_CHECK(!all.by_name.count(full), "Custom class with name ", full,
              " is already registered. Ensure that registration with torch::class_ is only called "
              "once.");
  const ClassTypePtr added = std::make_shared<ClassType>(full);
  all.by_type[type] = added;  // the newest name counts, as in LibTorch
  all.by_name.emplace(full, added);
  return added;
}
ClassTypePtr getCustomClassType(const std::type_info& type) {
  Classes& all = classes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto at = all.by_type.find(type);
  TAPER_CHECK(at != all.by_type.end(),
              "Trying to instantiate a class that isn't a registered custom class: ",
              detail::demangled(type.name()));
  return at->second;
}
ClassTypePtr getCustomClass(const std::string& full_name) {
  Classes& all = classes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto at = all.by_name.find(full_name);
  return at == all.by_name.end() ? nullptr : at->second;
}
std::string detail::name_of_class(const std::type_info& type) {
  return getCustomClassType(type)->str();
}

void ClassType::add(Functions& to, const std::string& name, detail::Kernel kernel) {
  FunctionSchema schema = kernel.inferred().cloneWithName(name, "");
  const bool is_new = to.emplace(name, jit::Function(std::move(schema), std::move(kernel))).second;
  TAPER_CHECK(is_new, "class_: expected methods of different names, got ", name, " of ", name_,
              " twice");
}
const jit::Function& ClassType::getMethod(const std::string& name) const {
  const jit::Function* const method = findMethod(name);
  TAPER_CHECK(method, name_, ": expected the name of a method, got ", name);
  return *method;
}

void jit::Function::run(Stack& stack) const {
  const size_t count = schema_.arguments().size();
  detail::check_stack(name(), stack, count);
  kernel_.boxed(kernel_.function.get(), nullptr, DispatchKeySet(), &stack);
  if (schema_.returns().empty()) stack.emplace_back();
}

}  // namespace torch::taper
