#include <taper/nn/modules/container/moduledict.h>

#include <ostream>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(ModuleDict);

ModuleDictImpl::ModuleDictImpl(
    const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
  update(modules);
}
ModuleDictImpl::ModuleDictImpl(const Dict& modules) { update(modules); }

std::vector<std::string> ModuleDictImpl::keys() const { return modules_.keys(); }
std::vector<std::shared_ptr<Module>> ModuleDictImpl::values() const { return modules_.values(); }

std::shared_ptr<Module> ModuleDictImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<ModuleDictImpl>();
  copy_hooks(*copy, *this);
  copy->train(is_training());  // before children are added, so they keep their mode
  for (const auto& item : modules_) copy->set(item.key(), item.value()->clone(device));
  return copy;
}

void ModuleDictImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::ModuleDict"; }

std::vector<std::pair<std::string, std::shared_ptr<Module>>> ModuleDictImpl::items() const {
  return modules_.pairs();
}

void ModuleDictImpl::clear() {
  for (const auto& item : modules_) unregister_module(item.key());
  modules_.clear();
}

std::shared_ptr<Module> ModuleDictImpl::pop(const std::string& key) {
  std::shared_ptr<Module> module = modules_[key];
  unregister_module(key);
  modules_.erase(key);
  return module;
}

void ModuleDictImpl::update(
    const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
  for (const auto& item : modules) set(item.first, item.second);
}

void ModuleDictImpl::set(const std::string& key, std::shared_ptr<Module> module) {
  if (contains(key)) {
    replace_module(key, module);
    modules_[key] = std::move(module);
  } else {
    register_module(key, module);
    modules_.insert(key, std::move(module));
  }
}

void ModuleDictImpl::throw_wrong_class(const std::string& key, const std::type_info& wanted) const {
  TAPER_CHECK(false, "ModuleDict: expected module '", key, "' to be a ", detail::demangle(wanted),
              ", got a ", detail::demangle(typeid(*modules_[key])));
}

}  // namespace torch::taper::nn
