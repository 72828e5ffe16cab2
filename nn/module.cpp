#include <taper/nn/module.h>

#include <ostream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/warning.h>

namespace torch::taper::nn {

namespace {

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + '.' + name;
}

/// Checks a name to register. `what` is "Parameter", "Buffer" or "Submodule".
void check_name(const char* what, const std::string& name) {
  TAPER_CHECK(!name.empty(), what, " name must not be empty");
  TAPER_CHECK(name.find('.') == std::string::npos, what, " name must not contain a dot (got '",
              name, "')");
}

/// Appends the defined tensors of `from` to a dictionary or a list.
void collect(OrderedDict<std::string, Tensor>& to, const std::string& prefix,
             const OrderedDict<std::string, Tensor>& from) {
  for (const auto& item : from)
    if (item->defined()) to.insert(join(prefix, item.key()), *item);
}
void collect(std::vector<Tensor>& to, const std::string&,
             const OrderedDict<std::string, Tensor>& from) {
  for (const auto& item : from)
    if (item->defined()) to.push_back(*item);
}

}  // namespace

Module::Module() : parameters_("Parameter") {}
Module::Module(std::string name) : Module() { name_ = std::move(name); }
Module::~Module() = default;

const std::string& Module::name() const noexcept {
  if (name_.empty()) name_ = detail::demangle(typeid(*this));
  return name_;
}

std::shared_ptr<Module> Module::clone(const optional<Device>&) const {
  TAPER_CHECK(false, "clone() has not been implemented for ", name(),
              ". Subclass torch::nn::Cloneable<", name(),
              "> instead of torch::nn::Module to inherit the ability to clone.");
}

void Module::clone_(Module&, const optional<Device>&) {}

// ---------------------------------------------------------------------- walking
template <class Function>
void Module::walk(const std::string& prefix, const Function& function) const {
  for (const auto& child : children_) {
    const std::string path = join(prefix, child.key());
    function(path, child.value());
    child.value()->walk(path, function);
  }
}

void Module::apply(const ModuleApplyFunction& function) {
  function(*this);
  walk("", [&](const std::string&, const auto& m) { function(*m); });
}
void Module::apply(const ConstModuleApplyFunction& function) const {
  function(*this);
  walk("", [&](const std::string&, const auto& m) { function(*m); });
}
void Module::apply(const NamedModuleApplyFunction& function, const std::string& name_prefix) {
  function(name_prefix, *this);
  walk(name_prefix, [&](const std::string& path, const auto& m) { function(path, *m); });
}
void Module::apply(const ConstNamedModuleApplyFunction& function,
                   const std::string& name_prefix) const {
  function(name_prefix, *this);
  walk(name_prefix, [&](const std::string& path, const auto& m) { function(path, *m); });
}
void Module::apply(const ModulePointerApplyFunction& function) const {
  function(shared_from_this_checked());
  walk("", [&](const std::string&, const auto& m) { function(m); });
}
void Module::apply(const NamedModulePointerApplyFunction& function,
                   const std::string& name_prefix) const {
  function(name_prefix, shared_from_this_checked());
  walk(name_prefix, function);
}

std::vector<Tensor> Module::parameters(bool recurse) const {
  std::vector<Tensor> r;
  collect(r, "", parameters_);
  if (recurse) walk("", [&](const auto& path, const auto& m) { collect(r, path, m->parameters_); });
  return r;
}
OrderedDict<std::string, Tensor> Module::named_parameters(bool recurse) const {
  OrderedDict<std::string, Tensor> r;
  collect(r, "", parameters_);
  if (recurse) walk("", [&](const auto& path, const auto& m) { collect(r, path, m->parameters_); });
  return r;
}
std::vector<Tensor> Module::buffers(bool recurse) const {
  std::vector<Tensor> r;
  collect(r, "", buffers_);
  if (recurse) walk("", [&](const auto& path, const auto& m) { collect(r, path, m->buffers_); });
  return r;
}
OrderedDict<std::string, Tensor> Module::named_buffers(bool recurse) const {
  OrderedDict<std::string, Tensor> r;
  collect(r, "", buffers_);
  if (recurse) walk("", [&](const auto& path, const auto& m) { collect(r, path, m->buffers_); });
  return r;
}

std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  return named_modules("", include_self).values();
}
OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(
    const std::string& name_prefix, bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> r;
  if (include_self) r.insert(name_prefix, shared_from_this_checked());
  walk(name_prefix, [&](const auto& path, const auto& m) { r.insert(path, m); });
  return r;
}
std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }
OrderedDict<std::string, std::shared_ptr<Module>> Module::named_children() const {
  return children_;
}

std::shared_ptr<Module> Module::shared_from_this_checked() const {
  std::shared_ptr<const Module> self = weak_from_this().lock();
  TAPER_CHECK(
      self,
      "It looks like you attempted to retrieve your top-level module as a shared_ptr, "
      "but it is not stored in a shared_ptr. Use std::make_shared<",
      name(),
      "> instead of creating your module on the stack, or alternatively do not try to access "
      "your top-level module at all by passing /*include_self=*/false to modules() or "
      "named_modules()");
  return std::const_pointer_cast<Module>(self);
}

// ---------------------------------------------------------------------- changing
void Module::train(bool on) {
  for (auto& child : children_) child.value()->train(on);
  is_training_ = on;
}
void Module::eval() { train(/*on=*/false); }
bool Module::is_training() const noexcept { return is_training_; }

template <class Function>
void Module::convert(const Function& function) {
  NoGradGuard no_grad;
  auto replace = [&](const Tensor& t) {
    Tensor converted = function(t);
    if (!converted.is_same(t)) t.set_data(converted);
  };
  for (auto& parameter : parameters_) {
    if (!parameter->defined()) continue;
    const Tensor grad = parameter->grad();
    replace(*parameter);
    if (grad.defined()) replace(grad);
  }
  for (auto& buffer : buffers_)
    if (buffer->defined()) replace(*buffer);
}

void Module::to(Device device, Dtype dtype, bool non_blocking) {
  for (auto& child : children_) child.value()->to(device, dtype, non_blocking);
  convert([&](const Tensor& t) { return t.to(device, dtype, non_blocking); });
}
void Module::to(Dtype dtype, bool non_blocking) {
  for (auto& child : children_) child.value()->to(dtype, non_blocking);
  convert([&](const Tensor& t) { return t.to(dtype, non_blocking); });
}
void Module::to(Device device, bool non_blocking) {
  for (auto& child : children_) child.value()->to(device, non_blocking);
  convert([&](const Tensor& t) { return t.to(device, non_blocking); });
}

void Module::zero_grad(bool set_to_none) {
  for (auto& child : children_) child.value()->zero_grad(set_to_none);
  for (auto& parameter : parameters_) {
    if (!parameter->defined() || !parameter->grad().defined()) continue;
    Tensor& grad = parameter->mutable_grad();
    if (set_to_none) {
      grad.reset();
    } else {
      if (grad.requires_grad()) grad = grad.detach();
      grad.zero_();
    }
  }
}

void Module::forget_registered() {
  parameters_.clear();
  buffers_.clear();
  children_.clear();
}

namespace {

void copy_values(OrderedDict<std::string, Tensor>& to, const OrderedDict<std::string, Tensor>& from,
                 const char* what, const optional<Device>& device) {
  for (const auto& item : from) {
    if (!item->defined()) continue;
    const Tensor& t = *item;
    Tensor copied = device && t.device() != *device ? t.to(*device) : t.clone();
    Tensor& target = to[item.key()];
    TAPER_CHECK(target.defined(), "clone: expected reset() to define ", what, " '", item.key(),
                "', which the original has");
    target.set_data(copied);
    if (target.is_leaf()) target.set_requires_grad(t.requires_grad());
  }
}

void check_same_count(size_t copied, size_t original, const char* what, const char* function) {
  TAPER_CHECK(copied == original, "The cloned module does not have the same number of ", what,
              " as the original module after calling reset(). Are you sure you called ", function,
              "() inside reset() and not the constructor?");
}

}  // namespace

void Module::copy_registered_from(const Module& original, const optional<Device>& device) {
  split_parameters();
  check_same_count(parameters_.size(), original.parameters_.size(), "parameters",
                   "register_parameter");
  copy_values(parameters_, original.parameters_, "parameter", device);
  check_same_count(buffers_.size(), original.buffers_.size(), "buffers", "register_buffer");
  copy_values(buffers_, original.buffers_, "buffer", device);
  check_same_count(children_.size(), original.children_.size(), "child modules", "register_module");
  for (const auto& child : original.children_)
    children_[child.key()]->clone_(*child.value(), device);
  refresh_parameters();
}

// ---------------------------------------------------------------------- registering
Tensor& Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  check_name("Parameter", name);
  if (tensor.defined()) {
    tensor.set_requires_grad(requires_grad);
    tensor.impl().parameter = true;
  } else if (requires_grad) {
    taper::detail::warn_user(
        "An undefined tensor cannot require grad. Ignoring the `requires_grad=true` function "
        "parameter.");
  }
  return parameters_.insert(std::move(name), std::move(tensor));
}
Tensor& Module::register_buffer(std::string name, Tensor tensor) {
  check_name("Buffer", name);
  return buffers_.insert(std::move(name), std::move(tensor));
}
namespace {

bool contains(const Module& whole, const Module& part) {
  if (&whole == &part) return true;
  for (const auto& child : whole.children())
    if (contains(*child, part)) return true;
  return false;
}

}  // namespace

void Module::insert_child(std::string name, std::shared_ptr<Module> module) {
  check_name("Submodule", name);
  TAPER_CHECK(module, "register_module: expected a module under the name '", name,
              "', got an empty pointer");
  TAPER_CHECK(!contains(*module, *this), "register_module: expected a module under the name '",
              name,
              "' that is apart from its parent, got the parent or a module with the parent in it");
  children_.insert(name, module);
  module->registered_name_ = std::move(name);
}
void Module::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  TAPER_CHECK(module, "replace_module: expected a module for the name '", name,
              "', got an empty pointer");
  TAPER_CHECK(!contains(*module, *this), "replace_module: expected a module for the name '", name,
              "' that is apart from its parent, got the parent or a module with the parent in it");
  module->registered_name_ = name;
  children_[name] = std::move(module);
}
void Module::unregister_parameter(const std::string& name) {
  TAPER_CHECK(parameters_.contains(name), "No Parameter with name `", name, "` is registered");
  parameters_.erase(name);
}
void Module::unregister_buffer(const std::string& name) {
  TAPER_CHECK(buffers_.contains(name), "No Buffer with name `", name, "` is registered");
  buffers_.erase(name);
}
void Module::unregister_module(const std::string& name) {
  TAPER_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
  children_.erase(name);
}

// ---------------------------------------------------------------------- printing
void Module::pretty_print(std::ostream& stream) const { stream << name(); }

void Module::pretty_print_recursive(std::ostream& stream, const std::string& indentation) const {
  pretty_print(stream);
  if (children_.is_empty()) return;
  const std::string inner = indentation + "  ";
  stream << "(\n";
  for (const auto& child : children_) {
    stream << inner << "(" << child.key() << "): ";
    child.value()->pretty_print_recursive(stream, inner);
    stream << '\n';
  }
  stream << indentation << ")";
}

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  module.pretty_print_recursive(stream, "");
  return stream;
}

bool Module::is_serializable() const { return true; }

// ---------------------------------------------------------------------- default arguments
unsigned int Module::_forward_num_required_args() {
  TAPER_CHECK(false, "torch::nn::Module subclass that has default arguments in `forward` method ",
              "must override `_forward_num_required_args` method. Please use ",
              "`FORWARD_HAS_DEFAULT_ARGS` macro to do so.");
}
std::vector<AnyValue> Module::_forward_populate_default_args(std::vector<AnyValue>&&) {
  TAPER_CHECK(false, "torch::nn::Module subclass that has default arguments in `forward` method ",
              "must override `_forward_populate_default_args` method. Please use ",
              "`FORWARD_HAS_DEFAULT_ARGS` macro to do so.");
}

}  // namespace torch::taper::nn
