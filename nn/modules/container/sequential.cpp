#include <taper/nn/modules/container/sequential.h>

#include <ostream>

#include <taper/nn/modules/common.h>
#include <taper/nn/modules/container/patterns.h>

namespace torch::taper::nn {

namespace {

/// Returns f(), whose errors say which layer they came from. The layer may have named itself.
template <class F>
auto in_layer(const SequentialImpl& net, size_t i, const F& f) {
  try {
    return f();
  } catch (Error& e) {
    const std::string at = taper::detail::concat("in layer ", i, " of a Sequential");
    const bool named = e.msg() != e.what_without_backtrace();
    const std::string layer =
        taper::detail::concat(", \"", net.named_children()[i].key(), "\", a ", net.ptr(i)->name());
    e.add_context(named ? at : at + layer);
    throw;
  }
}

}  // namespace

SequentialImpl::SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
  modules_.reserve(modules.size());
  for (auto& item : modules) push_back(item.key(), std::move(item.value()));
}

SequentialImpl::SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
  modules_.reserve(modules.size());
  for (const NamedAnyModule& item : modules) push_back(item.name(), item.module());
}

std::shared_ptr<Module> SequentialImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<SequentialImpl>();
  copy_hooks(*copy, *this);
  copy->train(is_training());  // before children are added, so they keep their mode
  const std::vector<std::string> names = named_children().keys();
  for (size_t i = 0; i < size(); ++i) copy->push_back(names[i], modules_[i].clone(device));
  return copy;
}

void SequentialImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Sequential"; }

void SequentialImpl::push_back(std::string name, AnyModule any_module) {
  register_module(std::move(name), any_module.ptr());
  modules_.push_back(std::move(any_module));
}

Tensor SequentialImpl::forward_tensor(Tensor x) {
  TAPER_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
  for (size_t i = 0; i < size(); ++i) {
    if (const size_t done = detail::run_pattern(&modules_[i], size() - i, x)) {
      i += done - 1;
      continue;
    }
    if (modules_[i].maps_tensor()) {
      x = in_layer(*this, i, [&] { return modules_[i].map(std::move(x)); });
      continue;
    }
    AnyValue y = in_layer(*this, i, [&] { return modules_[i].any_forward(std::move(x)); });
    for (++i; i < size(); ++i)
      y = in_layer(*this, i, [&] { return modules_[i].any_forward(std::move(y)); });
    if (Tensor* result = y.try_get<Tensor>()) return std::move(*result);
    throw_wrong_result(y.type_info(), typeid(Tensor));
  }
  return x;
}

AnyValue SequentialImpl::forward_values(std::vector<AnyValue>&& inputs) {
  TAPER_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
  AnyValue y = in_layer(*this, 0, [&] { return modules_[0].forward_values(std::move(inputs)); });
  for (size_t i = 1; i < size(); ++i)
    y = in_layer(*this, i, [&] { return modules_[i].any_forward(std::move(y)); });
  return y;
}

void SequentialImpl::throw_wrong_result(const std::type_info& held, const std::type_info& wanted) {
  TAPER_CHECK(false, "The type of the return value is ", detail::demangle(held),
              ", but you asked for type ", detail::demangle(wanted));
}

size_t SequentialImpl::checked(size_t index) const {
  return detail::checked_index("Sequential", index, size());
}

Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}

template class Cloneable<SequentialImpl>;

}  // namespace torch::taper::nn
