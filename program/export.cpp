#include <taper/program/export.h>

#include <algorithm>
#include <set>
#include <utility>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module.h>
#include <taper/ops/tensor/factory.h>
#include <taper/program/export_merge.h>

namespace torch::taper::program {

void detail::throw_argument_count(size_t count) {
  throw Error(taper::detail::concat(
      "export_program: expected a call with as many tensors as example inputs, one to six, got ",
      count, " example inputs; forward() must take them all as tensors"));
}

// ---------------------------------------------------------------------- inputs
namespace {

using detail::FlatCall;
using taper::detail::concat;

/// Parameters and buffers by their names, then the arguments.
class Inputs {
 public:
  Inputs(const FlatCall& call, const std::vector<Tensor>& examples) {
    if (call.module) {
      for (const auto& p : call.module->named_parameters())
        add(InputSpec::Kind::kParameter, "p_" + p.key(), p.key(), p.value());
      for (const auto& b : call.module->named_buffers())
        add(InputSpec::Kind::kBuffer, "b_" + b.key(), b.key(), b.value());
    }
    for (size_t i = 0; i < examples.size(); ++i)
      add(InputSpec::Kind::kUserInput, examples.size() == 1 ? "x" : "x" + std::to_string(i), "",
          examples[i]);
  }
  const std::vector<TraceInput>& all() const { return all_; }
  /// Returns the inputs with other arguments.
  std::vector<TraceInput> with(const std::vector<Tensor>& arguments) const {
    std::vector<TraceInput> changed = all_;
    const size_t state = changed.size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i) changed[state + i].tensor = arguments[i];
    return changed;
  }

 private:
  void add(InputSpec::Kind kind, const std::string& name, const std::string& target,
           const Tensor& t) {
    if (kind != InputSpec::Kind::kUserInput && !met_.insert(t.unsafeGetTensorImpl()).second) return;
    InputSpec spec;
    spec.kind = kind;
    spec.target = target;
    spec.arg.value = TensorArgument{names_.unique(name)};
    all_.push_back({spec, t});
  }
  std::vector<TraceInput> all_;
  std::set<const TensorImpl*> met_;
  ValueNames names_;
};

/// Gives the buffers their values back at the end of the scope.
class StateGuard {
 public:
  explicit StateGuard(const std::vector<TraceInput>& inputs) {
    for (const TraceInput& input : inputs)
      if (input.spec.kind == InputSpec::Kind::kBuffer)
        kept_.emplace_back(input.tensor, input.tensor.detach().clone());
  }
  ~StateGuard() {
    const NoGradGuard no_grad;
    for (auto& [buffer, values] : kept_)
      if (!buffer.equal(values)) buffer.copy_(values);
  }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  std::vector<std::pair<Tensor, Tensor>> kept_;
};

// ---------------------------------------------------------------------- symbols
void check_inputs(const std::vector<Tensor>& examples) {
  for (size_t i = 0; i < examples.size(); ++i)
    TAPER_CHECK(examples[i].defined(), "export_program: example input ", i,
                " is undefined; give a tensor");
}

Symbol& symbol_of(const DynamicSize& size, std::vector<Symbol>& symbols) {
  for (Symbol& s : symbols)
    if (!size.name.empty() && s.name == size.name) return s;
  symbols.push_back({size.name, {}, 0, {size.min, size.max}});
  return symbols.back();
}

std::vector<Symbol> symbols_of(const std::vector<Tensor>& examples,
                               const std::vector<DynamicSize>& dynamic) {
  std::vector<Symbol> symbols;
  for (const DynamicSize& size : dynamic) {
    TAPER_CHECK_INDEX(size.input >= 0 && size.input < static_cast<int64_t>(examples.size()),
                      "export_program: expected a dynamic size of an input below ", examples.size(),
                      ", got input ", size.input);
    const auto input = static_cast<size_t>(size.input);
    const Tensor& x = examples[input];
    TAPER_CHECK_INDEX(size.dim >= -x.dim() && size.dim < x.dim(), "export_program: input ", input,
                      " has ", x.dim(), " dimensions, got a dynamic size of dimension ", size.dim);
    const int64_t dim = size.dim < 0 ? size.dim + x.dim() : size.dim;
    Symbol& symbol = symbol_of(size, symbols);
    TAPER_CHECK_VALUE(symbol.dims.empty() || symbol.example == x.size(dim),
                      "export_program: the sizes named '", size.name,
                      "' are one, but the examples have ", symbol.example, " and ", x.size(dim));
    symbol.example = x.size(dim);
    TAPER_CHECK_VALUE(symbol.allows(symbol.example),
                      "export_program: expected an example within the limits of '", size.name,
                      "', got ", symbol.example);
    symbol.dims.emplace_back(input, dim);
  }
  return symbols;
}

/// Returns other sizes to call with: up to three, then one for the call in which all sizes differ.
/// Multiples of the example come second: a network may need them.
std::vector<int64_t> other_sizes(const Symbol& symbol, bool multiples) {
  const int64_t e = symbol.example;
  std::vector<int64_t> found;
  const std::vector<int64_t> wanted =
      multiples ? std::vector<int64_t>{2 * e, 3 * e, 4 * e}
                : std::vector<int64_t>{e + 1, e + 2, 2 * e + 1, e + 3, e - 1, e - 2, e - 3};
  for (const int64_t n : wanted)
    if (found.size() < 4 && symbol.allows(n) &&
        std::find(found.begin(), found.end(), n) == found.end())
      found.push_back(n);
  if (!found.empty() && found.size() < 4) found.push_back(found[0]);
  return found;
}

/// Returns the argument with another size, its elements repeated.
Tensor resized(const Tensor& x, int64_t dim, int64_t size) {
  return x.index_select(
      dim, arange(size, TensorOptions(kLong).device(x.device())).remainder(x.size(dim)));
}

/// Returns other elements within the limits of those of x.
Tensor with_other_values(const Tensor& x) {
  if (x.numel() == 0) return x;
  if (!x.is_floating_point()) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
    return x.flip(dims);
  }
  const Tensor least = x.min();
  const Tensor moved = x.sub(least).mul(0.75).add(least);
  return moved.isfinite().all().item<bool>() ? moved.to(x.scalar_type()) : x.clone();
}

std::vector<Tensor> arguments_at(const std::vector<Tensor>& examples,
                                 const std::vector<Symbol>& symbols,
                                 const std::vector<int64_t>& point, bool other_values) {
  const NoGradGuard no_grad;
  std::vector<Tensor> arguments;
  for (const Tensor& x : examples) arguments.push_back(other_values ? with_other_values(x) : x);
  for (size_t s = 0; s < symbols.size(); ++s)
    for (const auto& [input, dim] : symbols[s].dims)
      if (point[s] != symbols[s].example)
        arguments[input] = resized(arguments[input], dim, point[s]);
  return arguments;
}

bool is_refusal(const Error& e) { return e.msg().rfind("export_program", 0) == 0; }

// ---------------------------------------------------------------------- calls
class Sampler {
 public:
  Sampler(const FlatCall& call, const std::vector<Tensor>& examples,
          const std::vector<Symbol>& symbols, const Inputs& inputs)
      : call_(call), examples_(examples), symbols_(symbols), inputs_(inputs) {}

  Samples run() {
    for (const Symbol& s : symbols_) example_.push_back(s.example);
    samples_.points.push_back(example_);
    samples_.calls.push_back(record(examples_));
    std::vector<int64_t> last = example_;
    for (size_t s = 0; s < symbols_.size(); ++s) last[s] = add_sizes(s);
    add(last);
    return std::move(samples_);
  }

 private:
  Recording record(const std::vector<Tensor>& arguments) {
    const StateGuard guard(inputs_.all());
    std::vector<Tensor> copies;
    for (const Tensor& x : arguments) copies.push_back(x.clone());
    return record_call(call_.body, inputs_.with(copies));
  }
  void add_call(const std::vector<int64_t>& point, bool other_values) {
    samples_.calls.push_back(record(arguments_at(examples_, symbols_, point, other_values)));
    samples_.points.push_back(point);
  }
  /// Calls with other elements, or with those of the example if the module throws for others.
  void add(const std::vector<int64_t>& point) {
    try {
      add_call(point, true);
    } catch (const Error& e) {
      if (is_refusal(e)) throw;
      add_call(point, false);
    }
  }
  /// Calls with all but the last of the sizes.
  void add_each(size_t s, const std::vector<int64_t>& sizes) {
    TAPER_CHECK(!sizes.empty(), "export_program: the limits of size '", symbols_[s].name,
                "' allow only ", example_[s], "; give it as a fixed size");
    const size_t before = samples_.calls.size();
    std::vector<int64_t> point = example_;
    try {
      for (size_t i = 0; i + 1 < sizes.size(); ++i) {
        point[s] = sizes[i];
        add(point);
      }
    } catch (Error& e) {
      samples_.calls.resize(before);
      samples_.points.resize(before);
      e.add_context(concat("in a call with ", symbols_[s].name, " = ", point[s]));
      throw;
    }
  }
  /// Calls with other sizes of a symbol. Returns the one for the last call.
  int64_t add_sizes(size_t s) {
    std::vector<int64_t> sizes = other_sizes(symbols_[s], false);
    try {
      add_each(s, sizes);
    } catch (const Error& e) {
      if (is_refusal(e)) throw;
      sizes = other_sizes(symbols_[s], true);
      add_each(s, sizes);
    }
    return sizes.back();
  }

  const FlatCall& call_;
  const std::vector<Tensor>& examples_;
  const std::vector<Symbol>& symbols_;
  const Inputs& inputs_;
  std::vector<int64_t> example_;
  Samples samples_;
};

// ---------------------------------------------------------------------- program
constexpr const char* kLeaf = R"({"type": null, "context": null, "children_spec": []})";

/// Returns the structure of arguments without keywords.
std::string in_spec(size_t count) {
  std::string children;
  for (size_t i = 0; i < count; ++i) children += concat(i > 0 ? ", " : "", kLeaf);
  return R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [{"type": "builtins.tuple", "context": "null", "children_spec": [)" +
         children + R"(]}, {"type": "builtins.dict", "context": "[]", "children_spec": []}]}])";
}

void add_inputs(Program& p, const std::vector<TraceInput>& inputs) {
  for (const TraceInput& input : inputs) {
    p.graph.inputs.push_back(input.spec.arg);
    p.input_specs.push_back(input.spec);
    const bool is_constant = input.spec.kind == InputSpec::Kind::kTensorConstant;
    if (input.spec.kind != InputSpec::Kind::kUserInput)
      (is_constant ? p.constants : p.weights)[input.spec.target] = input.tensor.detach();
  }
}

void add_signature(Program& p, const std::vector<TraceInput>& inputs, const std::string& out_spec) {
  ModuleCall call;
  call.has_signature = true;
  call.forward_arg_names.emplace();
  for (const TraceInput& input : inputs)
    if (input.spec.kind == InputSpec::Kind::kUserInput) {
      call.inputs.push_back(input.spec.arg);
      call.forward_arg_names->push_back(input.spec.arg.get<TensorArgument>().name);
    }
  for (const OutputSpec& output : p.output_specs)
    if (output.kind == OutputSpec::Kind::kUserOutput) call.outputs.push_back(output.arg);
  call.in_spec = in_spec(call.inputs.size());
  call.out_spec = "[1, " + out_spec + "]";
  p.module_calls.push_back(call);
}

void add_symbols(Program& p, const std::vector<Symbol>& symbols) {
  for (size_t s = 0; s < symbols.size(); ++s) {
    const std::string name = "s" + std::to_string(s);
    p.ranges[name] = symbols[s].range;
    if (!symbols[s].name.empty()) p.metadata["dim:" + name] = symbols[s].name;
  }
}

}  // namespace

Program detail::export_call(const FlatCall& call, const std::vector<Tensor>& given,
                            const std::vector<DynamicSize>& dynamic) {
  check_inputs(given);
  // Copies are no two names of one tensor, and the call may change them.
  std::vector<Tensor> examples;
  for (const Tensor& x : given) examples.push_back(x.detach().clone());
  const std::vector<Symbol> symbols = symbols_of(examples, dynamic);
  const Inputs inputs(call, examples);
  Samples samples = Sampler(call, examples, symbols, inputs).run();
  Program p;
  p.graph = merged_graph(samples, symbols, inputs.all());
  // As in PyTorch: parameters, buffers, constants, arguments.
  std::vector<TraceInput> all = inputs.all();
  const Recording& first = samples.calls[0];
  all.insert(all.end() - static_cast<std::ptrdiff_t>(examples.size()), first.constants.begin(),
             first.constants.end());
  add_inputs(p, all);
  p.output_specs = first.outputs;
  for (const OutputSpec& output : p.output_specs) p.graph.outputs.push_back(output.arg);
  add_signature(p, all, *call.out_spec);
  add_symbols(p, symbols);
  p.opset_version = {{"aten", 10}};
  p.verifiers = {"TRAINING"};
  p.torch_version = "taper";
  return p;
}

}  // namespace torch::taper::program
