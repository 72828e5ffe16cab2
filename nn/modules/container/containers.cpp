// ModuleList, ModuleDict, ParameterList, ParameterDict and Functional.
#include <ostream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/modules/container/functional.h>
#include <taper/nn/modules/container/moduledict.h>
#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/container/parameters.h>

namespace torch::taper::nn {

// ---------------------------------------------------------------------- ModuleList
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
  TAPER_CHECK(index <= size(), "ModuleList: Index out of range: expected at most ", size(),
              ", got ", index);
  push_back(module);
  for (size_t i = size() - 1; i > index; --i) modules_[i] = modules_[i - 1];
  modules_[index] = std::move(module);
  for (size_t i = index; i < size(); ++i) replace_module(std::to_string(i), modules_[i]);
}

size_t ModuleListImpl::checked(size_t index) const {
  return detail::checked_index("ModuleList", index, size());
}

void ModuleListImpl::throw_wrong_class(size_t index, const std::type_info& wanted) const {
  TAPER_CHECK(false, "ModuleList: expected module ", index, " to be a ", detail::demangle(wanted),
              ", got a ", detail::demangle(typeid(*modules_[index])));
}

// ---------------------------------------------------------------------- ModuleDict
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

namespace {

Tensor copy_of(const Tensor& t, const optional<Device>& device) {
  NoGradGuard no_grad;
  Tensor copied = device && t.device() != *device ? t.to(*device) : t.clone();
  return copied.set_requires_grad(t.requires_grad());
}

void print_parameters(std::ostream& stream, const OrderedDict<std::string, Tensor>& parameters) {
  for (const auto& item : parameters) {
    stream << "(" << item.key() << "): Parameter containing: [" << toString(item->scalar_type())
           << " of size " << item->sizes() << "]\n";
  }
}

}  // namespace

// ---------------------------------------------------------------------- ParameterList
TAPER_DEFINE_LIBRARY_MODULE(ParameterList);

std::shared_ptr<Module> ParameterListImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<ParameterListImpl>();
  for (const auto& item : parameters_) copy->append(copy_of(*item, device));
  copy->train(is_training());
  return copy;
}

void ParameterListImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::ParameterList(\n";
  print_parameters(stream, parameters_);
  stream << ")";
}

void ParameterListImpl::append(Tensor param) {
  const bool requires_grad = param.requires_grad();
  register_parameter(std::to_string(size()), std::move(param), requires_grad);
}

size_t ParameterListImpl::checked(size_t index) const {
  return detail::checked_index("ParameterList", index, size());
}

// ---------------------------------------------------------------------- ParameterDict
TAPER_DEFINE_LIBRARY_MODULE(ParameterDict);

std::vector<std::string> ParameterDictImpl::keys() const { return parameters_.keys(); }
std::vector<Tensor> ParameterDictImpl::values() const { return parameters_.values(); }
void ParameterDictImpl::clear() { parameters_.clear(); }

ParameterDictImpl::ParameterDictImpl(const OrderedDict<std::string, Tensor>& params) {
  for (const auto& item : params) insert(item.key(), item.value());
}

std::shared_ptr<Module> ParameterDictImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<ParameterDictImpl>();
  for (const auto& item : parameters_) copy->insert(item.key(), copy_of(*item, device));
  copy->train(is_training());
  return copy;
}

void ParameterDictImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::ParameterDict(\n";
  print_parameters(stream, parameters_);
  stream << ")";
}

Tensor& ParameterDictImpl::insert(std::string key, Tensor param) {
  const bool requires_grad = param.requires_grad();
  return register_parameter(std::move(key), std::move(param), requires_grad);
}

Tensor ParameterDictImpl::pop(const std::string& key) {
  Tensor param = parameters_[key];
  parameters_.erase(key);
  return param;
}

// ---------------------------------------------------------------------- Functional
TAPER_DEFINE_LIBRARY_MODULE(Functional);

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {}
void FunctionalImpl::reset() {}
void FunctionalImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Functional()";
}
Tensor FunctionalImpl::forward(Tensor input) { return function_(std::move(input)); }
bool FunctionalImpl::is_serializable() const { return false; }

}  // namespace torch::taper::nn
