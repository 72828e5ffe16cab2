#include <taper/nn/modules/container/modulelist.h>

#include <ostream>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(ModuleList);

std::shared_ptr<Module> ModuleListImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<ModuleListImpl>();
  copy_hooks(*copy, *this);
  copy->train(is_training());  // before children are added, so they keep their mode
  for (const auto& module : modules_) copy->push_back(module->clone(device));
  return copy;
}

void ModuleListImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::ModuleList"; }

void ModuleListImpl::push_back(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), module);
  modules_.push_back(std::move(module));
}

void ModuleListImpl::insert(size_t index, std::shared_ptr<Module> module) {
  TAPER_CHECK(index <= size(), "Index out of range");
  push_back(module);
  for (size_t i = size() - 1; i > index; --i) modules_[i] = modules_[i - 1];
  modules_[index] = std::move(module);
  for (size_t i = index; i < size(); ++i) replace_module(std::to_string(i), modules_[i]);
}

size_t ModuleListImpl::checked(size_t index) const {
  TAPER_CHECK(index < size(), "Index out of range");
  return index;
}

void ModuleListImpl::throw_wrong_class(size_t index, const std::type_info& wanted) const {
  TAPER_CHECK(false, "ModuleList: expected module ", index, " to be a ", detail::demangle(wanted),
              ", got a ", detail::demangle(typeid(*modules_[index])));
}

}  // namespace torch::taper::nn
