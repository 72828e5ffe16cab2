#include <taper/nn/any_module.h>

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>

namespace torch::taper::nn {

namespace detail {

namespace {

/// Removes the inline namespace: "torch::taper::nn::LinearImpl" becomes LibTorch's
/// "torch::nn::LinearImpl".
void rename_namespace(std::string& text) {
  const std::string from = "torch::taper::", to = "torch::";
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    const unsigned char before = at > 0 ? static_cast<unsigned char>(text[at - 1]) : ' ';
    if (!std::isalnum(before) && before != '_' && before != ':') text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string demangle(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  rename_namespace(result);
  return result;
}

void throw_wrong_any_value(const std::type_info& wanted, const std::type_info& held) {
  TAPER_CHECK(false, "Attempted to cast AnyValue to ", demangle(wanted),
              ", but its actual type is ", demangle(held));
}
void throw_wrong_argument(size_t index, const std::type_info& wanted, const std::type_info& given) {
  TAPER_CHECK(false, "Expected argument #", index, " to be of type ", demangle(wanted),
              ", but received value of type ", demangle(given),
              demangle(given.name()).rfind("std::tuple", 0) == 0
                  ? ". A module such as an LSTM returns a tuple: take its first element by a "
                    "function between"
                  : "");
}
void throw_wrong_module(const std::type_info& held, const std::type_info& wanted) {
  TAPER_CHECK(false, "Attempted to cast module of type ", demangle(held), " to type ",
              demangle(wanted));
}
void throw_empty_holder(const std::type_info& module) {
  TAPER_CHECK(false, "Accessing empty ModuleHolder of a ", demangle(module.name()),
              ": assign a module before its first use");
}

std::vector<AnyValue> with_defaults(std::vector<AnyValue>&& arguments, DefaultArguments defaults) {
  for (auto& [position, value] : defaults)
    if (position >= arguments.size()) arguments.push_back(std::move(value));
  return std::move(arguments);
}

std::vector<AnyValue> complete_arguments(Module& module, std::vector<AnyValue>&& given,
                                         size_t count) {
  const std::string type = given.size() == count ? std::string() : demangle(typeid(module));
  if (!module._forward_has_default_args()) {
    TAPER_CHECK(given.size() == count, type, "'s forward() method expects ", count,
                " argument(s), but received ", given.size(), ".",
                given.size() > count
                    ? std::string()
                    : " If " + type +
                          "'s forward() method has default arguments, please make sure the "
                          "forward() method is declared with a corresponding "
                          "`FORWARD_HAS_DEFAULT_ARGS` macro.");
    return std::move(given);
  }
  const size_t required = module._forward_num_required_args();
  TAPER_CHECK(given.size() >= required && given.size() <= count, type,
              "'s forward() method expects at least ", required, " argument(s) and at most ", count,
              " argument(s), but received ", given.size(), ".");
  std::vector<AnyValue> all = module._forward_populate_default_args(std::move(given));
  TAPER_CHECK(all.size() == count, demangle(typeid(module)), ": expected defaults for all ", count,
              " arguments of forward(), got ", all.size());
  return all;
}

}  // namespace detail

AnyModule AnyModule::clone(optional<Device> device) const {
  AnyModule r;
  if (is_empty()) return r;
  r.module_ = module_->clone(device);
  r.class_ = class_;
  r.self_ = class_->find(r.module_.get());
  if (!r.self_) detail::throw_wrong_module(typeid(*r.module_), class_->type);
  return r;
}

namespace {

using TwoTensors = std::tuple<Tensor, Tensor>;

/// Adds the tensors of a result of one of these types, which the modules of the library return.
template <class... T>
void add_outputs(detail::HookedCall& call, AnyValue& y) {
  const auto add = [&](auto* value) {
    if (value) call.add_output(*value);
  };
  (add(y.try_get<T>()), ...);
}

}  // namespace

AnyValue AnyModule::forward_values(std::vector<AnyValue>&& arguments) {
  TAPER_CHECK(!is_empty(), "Cannot call forward() on an empty AnyModule");
  const detail::ModuleScope recorded(*module_);
  if (!module_->has_hooks()) return class_->forward(*module_, self_, std::move(arguments));
  detail::HookedCall call(*module_);
  for (AnyValue& value : arguments)
    if (Tensor* x = value.try_get<Tensor>()) call.add_input(*x);
  call.before();
  AnyValue y = class_->forward(*module_, self_, std::move(arguments));
  add_outputs<Tensor, TwoTensors, std::tuple<Tensor, TwoTensors>, std::vector<Tensor>>(call, y);
  call.after();
  return y;
}

Tensor AnyModule::map_with_hooks(Tensor x) const {
  detail::HookedCall call(*module_);
  call.add_input(x);
  call.before();
  Tensor y = class_->map(self_, std::move(x));
  call.add_output(y);
  call.after();
  return y;
}

std::shared_ptr<Module> AnyModule::ptr() const {
  TAPER_CHECK(!is_empty(), "Cannot call ptr() on an empty AnyModule");
  return module_;
}

const std::type_info& AnyModule::type_info() const {
  TAPER_CHECK(!is_empty(), "Cannot call type_info() on an empty AnyModule");
  return class_->type;
}

void* AnyModule::checked(const std::type_info& wanted, const char* function) const {
  TAPER_CHECK(!is_empty(), "Cannot call ", function, "() on an empty AnyModule");
  if (class_->type != wanted) detail::throw_wrong_module(class_->type, wanted);
  return self_;
}

}  // namespace torch::taper::nn
