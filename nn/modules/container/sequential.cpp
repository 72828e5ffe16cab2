#include <taper/nn/modules/container/sequential.h>

#include <algorithm>
#include <ostream>

#include <taper/nn/modules/activation.h>
#include <taper/nn/modules/conv.h>
#include <taper/nn/modules/pooling.h>
#include <taper/ops/spatial/conv/conv_relu_pool.h>

namespace torch::taper::nn {

namespace {

template <class M>
bool is_plain(const AnyModule& m) {
  return m.maps_tensor() && m.type_info() == typeid(M) && !m.ptr()->has_hooks();
}

template <size_t D>
bool all(const ExpandingArray<D>& a, int64_t value) {
  return std::all_of(a->begin(), a->end(), [value](int64_t v) { return v == value; });
}

/// Returns whether the windows are 2 x 2, side by side.
bool halves(const MaxPool2dOptions& o) {
  return all(o.kernel_size(), 2) && all(o.stride(), 2) && all(o.padding(), 0) &&
         all(o.dilation(), 1);
}

/// Runs a convolution, then a relu and max pooling of 2 x 2 in either order, in one pass, starting
/// with the module `next`. Nothing else sees the values between them. Returns an undefined tensor
/// for other modules, or if no kernel supports the case.
Tensor convolve_and_pool(const AnyModule* next, const Tensor& x) {
  if (!is_plain<Conv2dImpl>(next[0])) return {};
  const AnyModule& pool = next[is_plain<ReLUImpl>(next[1]) ? 2 : 1];
  if (!is_plain<MaxPool2dImpl>(pool) || !is_plain<ReLUImpl>(next[&pool == &next[1] ? 2 : 1]))
    return {};
  const auto& conv = next[0].get<Conv2dImpl>();
  const auto* padding = std::get_if<ExpandingArray<2>>(&conv.options.padding());
  if (!padding || conv.options.padding_mode().index() != 0 || conv.options.groups() != 1 ||
      !all(conv.options.stride(), 1) || !all(conv.options.dilation(), 1) ||
      !halves(pool.get<MaxPool2dImpl>().options) ||
      !taper::detail::takes_conv_relu_max_pool(x, conv.weight, conv.bias, *padding))
    return {};
  const detail::ModuleScope recorded(conv);  // relu and pooling are not timed separately
  return taper::detail::conv_relu_max_pool(x, conv.weight, conv.bias, *padding);
}

/// Returns f(), whose errors say which layer they came from.
template <class F>
auto in_layer(const SequentialImpl& net, size_t i, const F& f) {
  try {
    return f();
  } catch (Error& e) {
    e.add_context(taper::detail::concat("in layer ", i, " of a Sequential, \"",
                                        net.named_children()[i].key(), "\", a ",
                                        net.ptr(i)->name()));
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
    if (x.defined() && x.dim() == 4 && i + 2 < size())
      if (const Tensor y = convolve_and_pool(&modules_[i], x); y.defined()) {
        x = y;
        i += 2;
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
  TAPER_CHECK(index < size(), "Index out of range");
  return index;
}

Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}

template class Cloneable<SequentialImpl>;

}  // namespace torch::taper::nn
