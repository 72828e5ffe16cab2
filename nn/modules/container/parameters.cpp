#include <taper/nn/modules/container/parameters.h>

#include <ostream>

#include <taper/framework/autograd/grad_mode.h>

namespace torch::taper::nn {

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
  TAPER_CHECK(index < size(), "Index out of range");
  return index;
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

}  // namespace torch::taper::nn
