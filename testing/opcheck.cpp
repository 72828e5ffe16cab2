#include <taper/testing/opcheck.h>

#include <algorithm>

#include <taper/func/core.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/testing/gradcheck.h>

namespace torch::taper::testing {
namespace {

using autograd::variable_list;
using taper::detail::concat;
using Values = std::vector<IValue>;

const char* const kSuccess = "SUCCESS";

/// A call of the operator with copies of the arguments.
struct Call {
  Values arguments, results;
};

// ---------------------------------------------------------------- values
void add_tensors(const IValue& v, variable_list& to) {
  if (v.isTensor()) {
    if (v.toTensor().defined()) to.push_back(v.toTensor());
  } else if (v.isTensorList()) {
    for (const Tensor& t : v.toTensorVector())
      if (t.defined()) to.push_back(t);
  }
}
variable_list tensors_of(const IValue& v) {
  variable_list all;
  add_tensors(v, all);
  return all;
}
variable_list tensors_of(const Values& values) {
  variable_list all;
  for (const IValue& v : values) add_tensors(v, all);
  return all;
}

/// Returns the values with their tensors replaced by those of a list, in order.
Values with_tensors(const Values& values, const variable_list& tensors) {
  size_t next = 0;
  const auto replaced = [&](const Tensor& t) { return t.defined() ? tensors.at(next++) : t; };
  Values all;
  for (const IValue& v : values) {
    if (v.isTensor()) {
      all.push_back(replaced(v.toTensor()));
    } else if (v.isTensorList()) {
      variable_list list;
      for (const Tensor& t : v.toTensorVector()) list.push_back(replaced(t));
      all.push_back(list);
    } else {
      all.push_back(v);
    }
  }
  return all;
}

variable_list copies_of(const variable_list& tensors) {
  variable_list all;
  for (const Tensor& t : tensors) {
    const NoGradGuard values_only;
    all.push_back(t.detach().clone().requires_grad_(t.requires_grad()));
  }
  return all;
}

bool are_equal(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  return a.eq(b).logical_or(a.ne(a).logical_and(b.ne(b))).all().item<bool>();  // NaN as NaN
}

// ---------------------------------------------------------------- calls
/// Adds the defaults of arguments that are not given.
Values with_defaults(const FunctionSchema& schema, Values arguments) {
  const auto& all = schema.arguments();
  TAPER_CHECK(arguments.size() <= all.size(), "opcheck: ", schema.name(), " takes ", all.size(),
              " arguments, got ", arguments.size());
  for (size_t i = arguments.size(); i < all.size(); ++i) {
    TAPER_CHECK(all[i].default_value(), "opcheck: ", schema.name(), ": expected a value for '",
                all[i].name(), "', which has no default");
    arguments.push_back(*all[i].default_value());
  }
  return arguments;
}

Values results_of(const OperatorHandle& op, const Values& arguments) {
  jit::Stack stack(arguments.begin(), arguments.end());
  op.callBoxed(stack);
  return Values(stack.begin(), stack.end());
}

Call call_with_copies(const OperatorHandle& op, const Values& arguments) {
  Call c;
  c.arguments = with_tensors(arguments, copies_of(tensors_of(arguments)));
  // An in-place operator cannot change a leaf that requires a gradient.
  for (size_t i = 0; i < c.arguments.size(); ++i)
    if (op.schema().arguments()[i].type()->annotation_str().find('!') != std::string::npos)
      for (Tensor t : tensors_of(c.arguments[i])) t.requires_grad_(false);
  c.results = results_of(op, c.arguments);
  return c;
}

// ---------------------------------------------------------------- schema
/// Returns the letter of "Tensor(a!)", or 0.
char alias_set(const Argument& a) {
  const std::string& text = a.type()->annotation_str();
  const size_t at = text.find('(');
  return at == std::string::npos || at + 1 >= text.size() ? '\0' : text[at + 1];
}

void check_results(const FunctionSchema& schema, const Call& c) {
  TAPER_CHECK_AS(testing::OpCheckError, c.results.size() == schema.returns().size(), "expected ",
                 schema.returns().size(), " results, as the schema says, got ", c.results.size());
}

void check_changes(const FunctionSchema& schema, const Call& c, const Values& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument& a = schema.arguments()[i];
    if (a.type()->annotation_str().find('!') != std::string::npos) continue;
    const variable_list before = tensors_of(given[i]), after = tensors_of(c.arguments[i]);
    for (size_t k = 0; k < before.size(); ++k)
      TAPER_CHECK_AS(testing::OpCheckError, are_equal(before[k].detach(), after[k].detach()),
                     "argument '", a.name(), "' has been changed, but its type is ",
                     a.type()->annotation_str(), ". Declare Tensor(a!), or change a copy");
  }
}

void check_aliases(const FunctionSchema& schema, const Call& c) {
  for (size_t r = 0; r < c.results.size(); ++r) {
    const Argument& result = schema.returns()[r];
    for (const Tensor& t : tensors_of(c.results[r]))
      for (size_t i = 0; i < c.arguments.size(); ++i)
        for (const Tensor& x : tensors_of(c.arguments[i])) {
          const Argument& a = schema.arguments()[i];
          const bool declared = alias_set(result) && alias_set(result) == alias_set(a);
          TAPER_CHECK_AS(testing::OpCheckError, declared || !t.is_alias_of(x), "result ", r,
                         " shares memory with argument '", a.name(), "', but its type is ",
                         result.type()->annotation_str(),
                         ". Declare Tensor(a) for both, or return a copy");
        }
  }
}

std::string test_schema(const OperatorHandle& op, const Values& arguments, const OpcheckOptions&) {
  const Call c = call_with_copies(op, arguments);
  check_results(op.schema(), c);
  check_changes(op.schema(), c, arguments);
  check_aliases(op.schema(), c);
  return kSuccess;
}

// ---------------------------------------------------------------- derivatives
bool wants_gradient(const Tensor& t) { return t.requires_grad(); }

std::string test_autograd_registration(const OperatorHandle& op, const Values& arguments,
                                       const OpcheckOptions&) {
  const Call c = call_with_copies(op, arguments);
  const variable_list inputs = tensors_of(c.arguments);
  if (std::none_of(inputs.begin(), inputs.end(), wants_gradient))
    return "SKIPPED: no argument requires a gradient";
  for (size_t r = 0; r < c.results.size(); ++r)
    for (const Tensor& t : tensors_of(c.results[r]))
      TAPER_CHECK_AS(testing::OpCheckError, !t.is_floating_point() || t.requires_grad(), "result ",
                     r,
                     " has no history, but an argument requires a gradient. Register a kernel for "
                     "Autograd, or write the operator with ops");
  return kSuccess;
}

/// The operator as a function of all its tensors.
variable_list call_list(const OperatorHandle& op, const Values& arguments,
                        const variable_list& tensors) {
  return tensors_of(results_of(op, with_tensors(arguments, tensors)));
}

std::string test_gradients(const OperatorHandle& op, const Values& arguments,
                           const OpcheckOptions& options) {
  const variable_list inputs = copies_of(tensors_of(call_with_copies(op, arguments).arguments));
  if (std::none_of(inputs.begin(), inputs.end(), wants_gradient))
    return "SKIPPED: no argument requires a gradient";
  for (const Tensor& t : inputs)
    if (t.requires_grad() && t.scalar_type() != kDouble)
      return "SKIPPED: an argument that requires a gradient is not of dtype double";
  const auto f = [&](const variable_list& x) { return call_list(op, arguments, x); };
  autograd::gradcheck(f, inputs,
                      autograd::GradcheckOptions().atol(options.atol()).rtol(options.rtol()));
  return kSuccess;
}

// ---------------------------------------------------------------- vmap
bool changes_arguments(const FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const Argument& a) {
    return a.type()->annotation_str().find('!') != std::string::npos;
  });
}

/// Compares a batch of two examples with two calls. The second example has half of each number.
std::string test_vmap(const OperatorHandle& op, const Values& arguments,
                      const OpcheckOptions& options) {
  if (changes_arguments(op.schema())) return "SKIPPED: the operator changes an argument";
  const NoGradGuard values_only;
  variable_list first, second, batch;
  func::detail::BatchDims dims;
  for (const Tensor& t : tensors_of(arguments)) {
    const bool varies = t.is_floating_point() || t.is_complex();
    first.push_back(t.detach());
    second.push_back(varies ? t.detach().mul(0.5) : t.detach());
    batch.push_back(varies ? stack({first.back(), second.back()}) : t.detach());
    dims.push_back(varies ? optional<int64_t>(0) : nullopt);
  }
  if (std::none_of(dims.begin(), dims.end(), [](const auto& d) { return d.has_value(); }))
    return "SKIPPED: no argument is a floating or complex tensor";
  const auto f = [&](const variable_list& x) {
    variable_list y = call_list(op, arguments, x);
    const size_t count = y.size();
    return func::detail::Outputs{std::move(y), count};
  };
  const variable_list got = func::detail::vmap(
      f, batch, dims, [](size_t n) { return func::detail::BatchDims(n, optional<int64_t>(0)); },
      func::Randomness::kSame, 0);
  const variable_list one = call_list(op, arguments, first), two = call_list(op, arguments, second);
  for (size_t r = 0; r < got.size(); ++r)
    TAPER_CHECK_AS(testing::OpCheckError,
                   allclose(got[r], stack({one[r], two[r]}), options.rtol(), options.atol(), true),
                   "result ", r, " under func::vmap differs from that of two calls");
  return kSuccess;
}

// ---------------------------------------------------------------- all of them
using Check = std::string (*)(const OperatorHandle& op, const Values& arguments,
                              const OpcheckOptions& options);

Check check_named(const std::string& name) {
  if (name == "test_schema") return test_schema;
  if (name == "test_autograd_registration") return test_autograd_registration;
  if (name == "test_gradients") return test_gradients;
  if (name == "test_vmap") return test_vmap;
  throw Error(
      concat("opcheck: expected test_schema, test_autograd_registration, test_gradients or ",
             "test_vmap, got \"", name, "\""));
}

}  // namespace

std::map<std::string, std::string> opcheck(const OperatorHandle& op,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options) {
  const Values all = with_defaults(op.schema(), arguments);
  std::vector<std::pair<std::string, Check>> checks;
  for (const std::string& name : options.test_utils()) checks.emplace_back(name, check_named(name));
  std::map<std::string, std::string> found;
  for (const auto& [name, check] : checks) {
    try {
      found[name] = check(op, all, options);
    } catch (const std::exception& error) {
      const std::string text =
          concat("opcheck: ", toString(op.operator_name()), ": ", name, ": ", error.what());
      if (options.raise_exception()) throw OpCheckError(text);
      found[name] = text;
    }
  }
  return found;
}

std::map<std::string, std::string> opcheck(const std::string& name,
                                           const std::vector<IValue>& arguments,
                                           const OpcheckOptions& options) {
  const OperatorName parsed = parseName(name);
  return opcheck(
      Dispatcher::singleton().findSchemaOrThrow(parsed.name.c_str(), parsed.overload_name.c_str()),
      arguments, options);
}

}  // namespace torch::taper::testing
