#include <taper/program/export_merge.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <taper/program/trace_sizes.h>

namespace torch::taper::program {
namespace {

using taper::detail::concat;

/// Returns whether two arguments of recordings are equal.
bool is_same(const Argument& a, const Argument& b) {
  if (a.value.index() != b.value.index()) return false;
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        const T& y = b.get<T>();
        if constexpr (std::is_same_v<T, TensorArgument>)
          return x.name == y.name;
        else if constexpr (std::is_same_v<T, std::vector<TensorArgument>>)
          return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                            [](const auto& p, const auto& q) { return p.name == q.name; });
        else if constexpr (std::is_same_v<T, std::vector<optional<TensorArgument>>>)
          return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                            [](const auto& p, const auto& q) {
                              return p.has_value() == q.has_value() && (!p || p->name == q->name);
                            });
        else if constexpr (std::is_same_v<T, DeviceArgument>)
          return x.type == y.type && x.index == y.index;
        else if constexpr (std::is_same_v<T, std::monostate>)
          return true;
        else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                           std::is_same_v<T, std::string> ||
                           std::is_same_v<T, std::vector<int64_t>> ||
                           std::is_same_v<T, std::vector<double>>)
          return x == y;
        else
          return false;
      },
      a.value);
}

class Merge {
 public:
  Merge(const Samples& samples, const std::vector<Symbol>& symbols,
        const std::vector<TraceInput>& inputs)
      : samples_(samples), symbols_(symbols), inputs_(inputs), first_(samples.calls[0]) {
    for (const auto& [name, meta] : first_.values) names_.unique(name);
  }

  Graph graph() {
    check_structure();
    check_constants();
    Graph g;
    for (size_t i = 0; i < first_.nodes.size(); ++i) g.nodes.push_back(node(i));
    for (const auto& [name, meta] : first_.values) g.tensor_values[name] = meta_at(name);
    g.nodes.insert(g.nodes.begin(), size_nodes_.begin(), size_nodes_.end());
    g.sym_int_values = std::move(size_values_);
    return g;
  }

 private:
  std::string sizes_text(size_t k) const;
  void check_structure() const;
  void check_constants() const;
  Node node(size_t i);
  Argument argument(size_t i, size_t j);
  SizeExprPtr fit(const std::vector<int64_t>& values) const {
    return fit_sizes(samples_.points, values);
  }
  SymInt size(const std::vector<int64_t>& values) const;
  TensorMeta meta_at(const std::string& name) const;
  std::string size_value(const SizeExprPtr& e);
  Argument size_argument(const SizeExprPtr& e);
  [[noreturn]] void throw_unfit(size_t i, size_t j, const std::vector<int64_t>& values) const;

  const Samples& samples_;
  const std::vector<Symbol>& symbols_;
  const std::vector<TraceInput>& inputs_;
  const Recording& first_;
  ValueNames names_;
  std::map<std::string, std::string> named_sizes_;  // name of the value of an expression
  std::vector<Node> size_nodes_;
  std::map<std::string, SymInt> size_values_;
};

/// Returns "batch = 3, length = 7" for a call.
std::string Merge::sizes_text(size_t k) const {
  std::string text;
  for (size_t s = 0; s < symbols_.size(); ++s)
    text += concat(s > 0 ? ", " : "",
                   symbols_[s].name.empty() ? "size " + std::to_string(s) : symbols_[s].name, " = ",
                   samples_.points[k][s]);
  return text.empty() ? "other values of the elements" : text;
}

void Merge::check_structure() const {
  for (size_t k = 1; k < samples_.calls.size(); ++k) {
    const Recording& other = samples_.calls[k];
    const size_t count = std::min(first_.nodes.size(), other.nodes.size());
    for (size_t i = 0; i < count; ++i)
      TAPER_CHECK(first_.nodes[i].target == other.nodes[i].target, "export_program: op ", i, " is ",
                  first_.op_names[i], " for the example and ", other.op_names[i], " for ",
                  sizes_text(k), ", but a program makes the same ops in each call");
    TAPER_CHECK(first_.nodes.size() == other.nodes.size(), "export_program: the call makes ",
                first_.nodes.size(), " ops for the example and ", other.nodes.size(), " for ",
                sizes_text(k), ", but a program makes the same ops in each call");
    for (size_t i = 0; i < std::max(first_.outputs.size(), other.outputs.size()); ++i)
      TAPER_CHECK(i < first_.outputs.size() && i < other.outputs.size() &&
                      is_same(first_.outputs[i].arg, other.outputs[i].arg),
                  "export_program: the call returns other results for ", sizes_text(k),
                  " than for the example");
  }
}

bool has_same_bytes(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  const Tensor x = a.cpu().contiguous(), y = b.cpu().contiguous();
  return x.nbytes() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

void Merge::check_constants() const {
  for (size_t k = 1; k < samples_.calls.size(); ++k) {
    const auto &a = first_.constants, &b = samples_.calls[k].constants;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      TAPER_CHECK(i < a.size() && i < b.size() && has_same_bytes(a[i].tensor, b[i].tensor),
                  "export_program: expected constants where the call uses tensors that no op has "
                  "made, but constant ",
                  i, " differs for ", sizes_text(k),
                  "; make it with ops of tensors, not with item(), data_ptr() or torch::tensor()");
  }
}

// ---------------------------------------------------------------------- arguments
void Merge::throw_unfit(size_t i, size_t j, const std::vector<int64_t>& values) const {
  std::string seen;
  for (size_t k = 0; k < values.size(); ++k)
    seen += concat(k > 0 ? "; " : "", values[k], " for ", sizes_text(k));
  throw Error(concat("export_program: found no expression of the dynamic sizes for argument '",
                     first_.nodes[i].inputs[j].name, "' of op ", i, ", ", first_.op_names[i], ": ",
                     seen, "; use -1 for a size that view() computes, or fix the size"));
}

Argument Merge::argument(size_t i, size_t j) {
  const Argument& a = first_.nodes[i].inputs[j].arg;
  const auto at = [&](size_t k) -> const Argument& {
    return samples_.calls[k].nodes[i].inputs[j].arg;
  };
  bool differs = false;
  for (size_t k = 1; k < samples_.calls.size(); ++k) {
    differs |= !is_same(a, at(k));
    const bool is_integer = a.is<int64_t>() || a.is<std::vector<int64_t>>();
    const bool fits = is_same(a, at(k)) ||
                      (is_integer && !symbols_.empty() && a.value.index() == at(k).value.index());
    TAPER_CHECK(
        fits, "export_program: argument '", first_.nodes[i].inputs[j].name, "' of op ", i, ", ",
        first_.op_names[i], ", differs for ", sizes_text(k),
        ", and only integers can follow from dynamic sizes; compute it with ops of tensors");
  }
  if (!differs) return a;
  std::vector<SymIntArgument> list;
  const bool is_list = a.is<std::vector<int64_t>>();
  for (size_t e = 0; e < (is_list ? a.get<std::vector<int64_t>>().size() : 1); ++e) {
    std::vector<int64_t> values;
    for (size_t k = 0; k < samples_.calls.size(); ++k) {
      TAPER_CHECK(!is_list || at(k).get<std::vector<int64_t>>().size() ==
                                  a.get<std::vector<int64_t>>().size(),
                  "export_program: list '", first_.nodes[i].inputs[j].name, "' of op ", i, ", ",
                  first_.op_names[i], ", has another length for ", sizes_text(k));
      values.push_back(is_list ? at(k).get<std::vector<int64_t>>()[e] : at(k).get<int64_t>());
    }
    const SizeExprPtr fitted = fit(values);
    if (!fitted) throw_unfit(i, j, values);
    const Argument one = size_argument(fitted);
    list.push_back(one.is<int64_t>() ? SymIntArgument{one.get<int64_t>()}
                                     : one.get<SymIntArgument>());
  }
  if (is_list) return {list};
  return {list[0]};
}

Node Merge::node(size_t i) {
  Node made = first_.nodes[i];
  for (size_t k = 1; k < samples_.calls.size(); ++k)
    TAPER_CHECK(samples_.calls[k].nodes[i].inputs.size() == made.inputs.size(),
                "export_program: op ", i, ", ", first_.op_names[i], ", has other arguments for ",
                sizes_text(k));
  for (size_t j = 0; j < made.inputs.size(); ++j) made.inputs[j].arg = argument(i, j);
  return made;
}

// ---------------------------------------------------------------------- sizes
Argument Merge::size_argument(const SizeExprPtr& e) {
  if (e->kind == SizeExpr::Kind::kNumber) return {e->number};
  return {SymIntArgument{size_value(e)}};
}

/// Returns the name of the value of an expression, with nodes that compute it.
std::string Merge::size_value(const SizeExprPtr& e) {
  std::string& name = named_sizes_[e->text()];
  if (!name.empty()) return name;
  Node made;
  if (e->kind == SizeExpr::Kind::kSymbol) {
    const auto& [input, dim] = symbols_[static_cast<size_t>(e->number)].dims[0];
    const size_t arguments =
        inputs_.size() -
        static_cast<size_t>(std::count_if(inputs_.begin(), inputs_.end(), [](const TraceInput& t) {
          return t.spec.kind == InputSpec::Kind::kUserInput;
        }));
    made.target = "torch.ops.aten.sym_size.int";
    made.inputs = {{"self", inputs_[arguments + input].spec.arg, NamedArgument::Kind::kPositional},
                   {"dim", {dim}, NamedArgument::Kind::kPositional}};
  } else {
    const char* op = e->kind == SizeExpr::Kind::kSum       ? "add"
                     : e->kind == SizeExpr::Kind::kProduct ? "mul"
                                                           : "floordiv";
    made.target = concat("_operator.", op);
    made.inputs = {{"a", size_argument(e->left), NamedArgument::Kind::kPositional},
                   {"b", size_argument(e->right), NamedArgument::Kind::kPositional}};
  }
  const std::string op =
      made.target.substr(made.target.rfind("aten.") == std::string::npos ? 10 : 15);
  made.name = names_.unique(op);
  made.outputs = {{SymIntArgument{made.name}}};
  size_values_[made.name] = SymExpr{e->text(), e->at(samples_.points[0])};
  size_nodes_.push_back(made);
  return named_sizes_[e->text()] = made.name;
}

/// Returns a size of a value. Sizes that follow from elements are those of the example.
SymInt Merge::size(const std::vector<int64_t>& values) const {
  const SizeExprPtr e = symbols_.empty() ? nullptr : fit(values);
  if (!e || e->kind == SizeExpr::Kind::kNumber) return values[0];
  return SymExpr{e->text(), values[0]};
}

TensorMeta Merge::meta_at(const std::string& name) const {
  TensorMeta meta = first_.values.at(name);
  const auto fit_all = [&](std::vector<SymInt> TensorMeta::*list) {
    for (size_t d = 0; d < (meta.*list).size(); ++d) {
      std::vector<int64_t> values;
      for (const Recording& call : samples_.calls) {
        const auto found = call.values.find(name);
        const bool has = found != call.values.end() && d < (found->second.*list).size();
        values.push_back(std::get<int64_t>(has ? (found->second.*list)[d] : (meta.*list)[d]));
      }
      (meta.*list)[d] = size(values);
    }
  };
  fit_all(&TensorMeta::sizes);
  fit_all(&TensorMeta::strides);
  return meta;
}

}  // namespace

Graph merged_graph(const Samples& samples, const std::vector<Symbol>& symbols,
                   const std::vector<TraceInput>& inputs) {
  return Merge(samples, symbols, inputs).graph();
}

}  // namespace torch::taper::program
