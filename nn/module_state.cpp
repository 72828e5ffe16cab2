#include <sstream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module.h>

namespace torch::taper::nn {
namespace {

using StateDict = OrderedDict<std::string, Tensor>;

/// Shortens "torch::nn::LinearImpl" to "Linear", the name of the class in Python.
std::string short_name(const std::string& name) {
  const size_t colons = name.rfind("::");
  std::string last = colons == std::string::npos ? name : name.substr(colons + 2);
  if (last.size() > 4 && last.compare(last.size() - 4, 4, "Impl") == 0)
    last.resize(last.size() - 4);
  return last;
}

std::string python_size(IntArrayRef sizes) {
  std::string text = "torch.Size([";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "])";
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

/// Returns the value of the dictionary in the shape of the target. Old files store a number as a
/// vector of one element.
Tensor fitting(const Tensor& value, const Tensor& target) {
  const bool is_number = target.dim() == 0 && value.dim() == 1 && value.numel() == 1;
  return is_number
             ? taper::detail::share_data(*value.impl_ptr(), Dims(), Dims(), value.storage_offset())
             : value;
}

/// Compares a dictionary with the state of a module and collects the differences.
struct Comparison {
  std::vector<std::pair<Tensor, Tensor>> copies;
  std::vector<std::string> missing, mismatches;

  void compare(const std::string& name, const Tensor& target, const StateDict& given) {
    const Tensor* found = given.find(name);
    if (!found) return missing.push_back(name);
    TAPER_CHECK(found->defined(), "load_state_dict: '", name,
                "': expected a defined tensor, got an undefined one");
    const Tensor value = fitting(*found, target);
    if (value.sizes() == target.sizes())
      copies.emplace_back(target, value);
    else
      mismatches.push_back("size mismatch for " + name + ": copying a param with shape " +
                           python_size(value.sizes()) +
                           " from checkpoint, the shape in current model is " +
                           python_size(target.sizes()) + ".");
  }
};

}  // namespace

void Module::add_state(const std::string& prefix, StateDict& state) const {
  for (const auto& parameter : named_parameters(/*recurse=*/false))
    state.insert(prefix + parameter.key(), parameter->detach());
  for (const auto& buffer : named_buffers(/*recurse=*/false))
    state.insert(prefix + buffer.key(), buffer->detach());
  for (const auto& child : children_) (*child)->add_state(prefix + child.key() + ".", state);
}

StateDict Module::state_dict(const std::string& prefix) const {
  StateDict state;
  add_state(prefix, state);
  return state;
}

// As in PyTorch, a name is unexpected if its next part is neither a tensor nor a child.
void Module::find_unexpected(const std::string& prefix, const StateDict& state,
                             std::vector<std::string>& names) const {
  for (const auto& item : state) {
    const std::string& name = item.key();
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string part =
        name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size());
    const auto is_defined = [&](const OrderedDict<std::string, Tensor>& tensors) {
      const Tensor* t = tensors.find(part);
      return t && t->defined();
    };
    if (!is_defined(parameters_) && !is_defined(buffers_) && !children_.contains(part))
      names.push_back(name);
  }
  for (const auto& child : children_)
    (*child)->find_unexpected(prefix + child.key() + ".", state, names);
}

IncompatibleKeys Module::load_state_dict(const StateDict& given, bool strict) {
  Comparison found;
  for (const auto& item : state_dict()) found.compare(item.key(), item.value(), given);
  IncompatibleKeys keys{std::move(found.missing), {}};
  find_unexpected("", given, keys.unexpected_keys);

  std::string errors;
  if (strict && !keys.missing_keys.empty())
    errors += "\n\tMissing key(s) in state_dict: " + quoted_list(keys.missing_keys) + ". ";
  if (strict && !keys.unexpected_keys.empty())
    errors += "\n\tUnexpected key(s) in state_dict: " + quoted_list(keys.unexpected_keys) + ". ";
  for (const std::string& text : found.mismatches) errors += "\n\t" + text;
  TAPER_CHECK(errors.empty(), "Error(s) in loading state_dict for ", short_name(name()), ":",
              errors);

  NoGradGuard no_grad;
  for (auto& [target, value] : found.copies) target.copy_(value);
  return keys;
}

// ---------------------------------------------------------------------- guards of captured calls
namespace {

void add_words(std::string& to, const int64_t* words, size_t count) {
  to.append(reinterpret_cast<const char*>(words), count * sizeof *words);
}

void add_tensor(std::string& to, const Tensor& t) {
  int64_t words[3 + 2 * kMaxDims] = {reinterpret_cast<intptr_t>(t.unsafeGetTensorImpl())};
  size_t count = 1;
  if (t.defined()) {
    words[count++] = reinterpret_cast<intptr_t>(t.data_ptr());
    words[count++] = 2 * static_cast<int64_t>(t.scalar_type()) + t.requires_grad();
    for (int64_t size : t.sizes()) words[count++] = size;
    for (int64_t stride : t.strides()) words[count++] = stride;
  }
  add_words(to, words, count);
}

}  // namespace

std::string detail::bytes_without_base(const void* object, size_t nbytes, const Module& base) {
  const auto* begin = static_cast<const char*>(object);
  const auto* within = reinterpret_cast<const char*>(&base);
  std::string bytes(begin, within);
  return bytes.append(within + sizeof(Module), begin + nbytes);
}

std::string Module::members_or_text() const {
  // Members that are computed before each call differ from call to call, but carry no state.
  std::string members = has_parametrizations() ? std::string() : member_bytes();
  if (members.empty() && members_of_ && !has_parametrizations()) members = members_of_(*this);
  if (!members.empty()) return members;
  std::ostringstream text;
  pretty_print(text);
  return text.str();
}

void Module::add_guards(std::string& guards) const {
  const int64_t words[] = {reinterpret_cast<intptr_t>(this), is_training_,
                           reinterpret_cast<intptr_t>(hooks_.get())};
  add_words(guards, words, 3);
  for (const auto& item : parameters_) add_tensor(guards, item.value());
  for (const auto& item : buffers_) add_tensor(guards, item.value());
  guards += members_or_text();
  for (const auto& item : children_)
    if (item.value()) item.value()->add_guards(guards);
}

std::string detail::guards_of(const Module& module) {
  std::string guards;
  guards.reserve(2048);
  module.add_guards(guards);
  return guards;
}

}  // namespace torch::taper::nn
