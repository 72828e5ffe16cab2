#include <taper/func/call.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include <taper/framework/core/check.h>
#include <taper/framework/core/warning.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper::func::detail {

using taper::detail::OpCallAccess;
using taper::detail::OpCaller;

Arguments::Arguments(const OpInfo& op, const OpCall& call)
    : op_(&op), at_(OpCallAccess::arguments(call)) {}

void Arguments::set_list(size_t i, std::vector<int64_t> list) {
  auto kept = std::make_shared<Listed<int64_t>>();
  kept->all = std::move(list);
  kept->list = kept->all;
  kept->maybe = kept->list;
  const bool is_optional = get<OptionalIntArrayRef>(i) != nullptr;
  at_[i] = is_optional ? static_cast<const void*>(&kept->maybe) : &kept->list;
  kept_.push_back(std::move(kept));
}

void Arguments::set_list(size_t i, variable_list list) {
  auto kept = std::make_shared<Listed<Tensor>>();
  kept->all = std::move(list);
  kept->list = kept->all;
  at_[i] = &kept->list;
  kept_.push_back(std::move(kept));
}

IValue Arguments::call(const OpInfo& op) const {
  const OpCaller& caller = *op.caller;
  void* const made = caller.call(op.function, at_.data());
  if (!caller.result) return {};
  IValue result = caller.result->box(made);
  caller.result->destroy(made);
  return result;
}

variable_list tensors_of(const IValue& value) {
  variable_list all;
  mapped(value, [&](const Tensor& t) {
    all.push_back(t);
    return t;
  });
  return all;
}

bool changes_argument(const OpInfo& op) {
  const std::string_view name = op.name;
  return !op.caller->result || op.is(OpTrait::kInPlace) ||
         (name.back() == '_' && name.substr(name.size() - 2) != "__");
}

bool returns_number(const OpInfo& op) {
  using Types = taper::detail::ArgumentTypes;
  const auto* result = op.caller->result;
  return result && (result->number == Types::number_of<bool>() ||
                    result->number == Types::number_of<int64_t>() ||
                    result->number == Types::number_of<double>() ||
                    result->number == Types::number_of<Scalar>());
}

void finish_call(const OpInfo& op, OpCall& call, const IValue& result) {
  if (op.caller->result)
    call.set_result(result);
  else
    OpCallAccess::finish(call);
}

void warn_once_of(const OpInfo& op, const char* text, const char* consequence) {
  static std::mutex mutex;
  static std::set<std::pair<std::string_view, std::string_view>> warned;
  const std::lock_guard<std::mutex> lock(mutex);
  if (warned.insert({text, op.name}).second)
    taper::detail::warn_user(taper::detail::concat(text, op.aten_name(), consequence));
}

const OpInfo* functional_form(const OpInfo& op) {
  static const auto forms = [] {
    std::unordered_map<const OpInfo*, const OpInfo*> found;
    std::unordered_multimap<std::string_view, const OpInfo*> named;
    for (const OpInfo* row : all_ops()) named.emplace(row->name, row);
    for (const OpInfo* row : all_ops()) {
      const std::string_view name = row->name;
      if (!row->is(OpTrait::kInPlace)) continue;
      const auto [first, last] = named.equal_range(name.substr(0, name.size() - 1));
      for (auto other = first; other != last; ++other)
        if (other->second->caller->size == row->caller->size &&
            std::equal(row->caller->types, row->caller->types + row->caller->size,
                       other->second->caller->types))
          found[row] = other->second;
    }
    return found;
  }();
  const auto found = forms.find(&op);
  return found == forms.end() ? nullptr : found->second;
}

namespace {

/// Returns the names of the arguments of a schema, in its order.
std::vector<std::string_view> names_of_schema(std::string_view schema) {
  std::vector<std::string_view> names;
  int depth = 0;
  size_t start = schema.find('(') + 1;
  for (size_t i = start; i < schema.size() && depth >= 0; ++i) {
    const char c = schema[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (!(depth < 0 || (depth == 0 && c == ','))) continue;
    std::string_view one = schema.substr(start, i - start);
    start = i + 1;
    size_t end = one.find('=', one.rfind(')') == one.npos ? 0 : one.rfind(')'));
    one = one.substr(0, end);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    const size_t space = one.rfind(' ');
    one = space == one.npos ? one : one.substr(space + 1);
    if (!one.empty() && one != "*") names.push_back(one);
  }
  return names;
}

std::vector<std::string_view> names_in_cpp(const OpInfo& op) {
  std::vector<std::string_view> names = names_of_schema(op.schema);
  for (size_t i = 0; i + 2 < names.size(); ++i)  // TensorOptions are four values
    if (names[i + 1] == "layout" && names[i + 2] == "device")
      names.erase(names.begin() + static_cast<ptrdiff_t>(i) + 1,
                  names.begin() + static_cast<ptrdiff_t>(std::min(i + 4, names.size())));
  if (op.is(OpTrait::kOut)) {
    const auto outs = static_cast<ptrdiff_t>(op.caller->returned);
    std::rotate(names.begin(), names.end() - outs, names.end());
  }
  names.resize(op.caller->size);
  return names;
}

}  // namespace

const std::vector<std::string_view>& argument_names(const OpInfo& op) {
  static std::mutex mutex;
  static std::unordered_map<const OpInfo*, std::vector<std::string_view>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(&op);
  return found != known.end() ? found->second : known.emplace(&op, names_in_cpp(op)).first->second;
}

// ---------------------------------------------------------------- functional_call
struct Substitution::State final : OpMode {
  std::unordered_map<const TensorImpl*, Tensor> with;
  std::optional<OpModeGuard> on;

  void call(const OpInfo& op, OpCall& call) override {
    bool any = false;
    Arguments a(op, call);
    a.for_each([&](size_t, const Tensor& t) { any = any || with.count(&t.impl()) != 0; });
    if (!any) return call.next();
    a.map([&](size_t, const Tensor& t) {
      const auto found = with.find(&t.impl());
      return found == with.end() ? t : found->second;
    });
    finish_call(op, call, a.call());
  }
};

Substitution::Substitution() : state_(std::make_unique<State>()) {}
Substitution::~Substitution() = default;
void Substitution::add(const Tensor& t, const Tensor& with) {
  TAPER_CHECK(with.defined() && with.sizes() == t.sizes(), "functional_call: expected a tensor of ",
              "sizes ", t.sizes(), ", got ", with.defined() ? with.sizes() : IntArrayRef());
  state_->with.emplace(&t.impl(), with);
}
void Substitution::start() { state_->on.emplace(*state_); }

}  // namespace torch::taper::func::detail
