// Writes of a traced call, as new values.
#include <algorithm>

#include <taper/program/trace_mode.h>

namespace torch::taper::program {
namespace {

const Argument* find_input(const Node& node, std::string_view name) {
  for (const NamedArgument& each : node.inputs)
    if (each.name == name) return &each.arg;
  return nullptr;
}
int64_t int_input(const Node& node, std::string_view name, int64_t fallback = 0) {
  const Argument* found = find_input(node, name);
  return found && found->is<int64_t>() ? found->get<int64_t>() : fallback;
}

/// Returns "aten::add.Tensor" for "aten::add_.Tensor".
std::string without_underscore(std::string_view aten_name) {
  const size_t dot = std::min(aten_name.find('.'), aten_name.size());
  std::string base(aten_name.substr(0, dot));
  if (base.back() == '_') base.pop_back();
  return base + std::string(aten_name.substr(dot));
}

}  // namespace

void Tracer::write(const OpInfo& op, OpCall& call) {
  const std::string name = op.name;
  if (name == "detach_" || name == "requires_grad_") return call.next();
  TAPER_CHECK(!op.is(OpTrait::kRandom),
              "export_program: expected random numbers in new tensors, got ", name,
              "(); use the form without underscore");
  const Tensor target = call.get<Tensor>(0);
  for (Known* k = &known(target); k; k = k->base) value_of(*k);
  const Node node = node_of(op, call);
  set_value(known(target), functional_value(op, call, node));
}

/// Runs the form of the op that makes a new tensor, and records it. Returns the value.
std::string Tracer::functional_value(const OpInfo& op, OpCall& call, const Node& node) {
  const Tensor target = call.get<Tensor>(0);
  const std::string name = op.name;
  if (name == "copy_") {
    call.next();
    return add_op("copy.default", {node.inputs[0], node.inputs[1]}, target);
  }
  if (name == "zero_" || (name == "fill_" && !node.inputs[1].arg.is<TensorArgument>())) {
    call.next();
    const Argument::Value number =
        name == "zero_" ? Argument::Value(int64_t{0}) : node.inputs[1].arg.value;
    return add_op("full_like.default", {node.inputs[0], positional("fill_value", number)}, target);
  }
  return called_value(op, call, node);
}

std::string Tracer::called_value(const OpInfo& op, OpCall& call, const Node& node) {
  const std::string name = without_underscore(op.aten_name());
  const OpInfo* functional = op_of_name(name);
  TAPER_CHECK(functional, "export_program: ", op.schema,
              " has no form that returns a new tensor; "
              "write it with other ops");
  std::vector<IValue> stack;
  for (size_t i = 0; i < call.size(); ++i) stack.push_back(call.argument(i));
  call_op(*functional, stack);
  const Tensor target = call.get<Tensor>(0), made = stack.at(0).toTensor();
  Node made_by = node;
  made_by.target = target_of_name(name);
  std::string value = add_node(std::move(made_by), op.name, made);
  if (made.scalar_type() != target.scalar_type())
    value = add_op(
        "to.dtype",
        {positional("self", TensorArgument{value}), positional("dtype", target.scalar_type())},
        target);
  call.set_result(made);
  return value;
}

/// Gives a tensor a new value, and with it the tensors that it is a view of.
void Tracer::set_value(Known& k, std::string value) {
  const int64_t writes = ++memories_[memory_of(k.tensor)].writes;
  k.value = std::move(value);
  k.writes = writes;
  for (Known* view = &k; view->base; view = view->base) {
    view->base->value = with_view(*view);
    view->base->writes = writes;
  }
}

/// Returns the value of a view's base after a write to the view.
std::string Tracer::with_view(const Known& view) {
  const std::string op = without_overload(traced_op(view.view));
  const Tensor& base = view.base->tensor;
  const NamedArgument whole = positional("self", TensorArgument{view.base->value});
  const NamedArgument part = positional("src", TensorArgument{view.value});
  const NamedArgument self = positional("self", TensorArgument{view.value});
  const int64_t dim = int_input(view.view, "dim");
  if (view.tensor.is_set_to(base)) return view.value;
  if (op == "select")
    return add_op(
        "select_scatter.default",
        {whole, part, positional("dim", dim), positional("index", int_input(view.view, "index"))},
        base);
  if (op == "slice" || op == "narrow" || op == "chunk" || op == "split" ||
      op == "split_with_sizes" || op == "tensor_split")
    return with_slice(view, dim < 0 ? dim + base.dim() : dim);
  if (op == "transpose" || op == "swapaxes" || op == "swapdims")
    return add_op("transpose.int",
                  {self,
                   {"dim0", view.view.inputs[1].arg, NamedArgument::Kind::kPositional},
                   {"dim1", view.view.inputs[2].arg, NamedArgument::Kind::kPositional}},
                  base);
  if (op == "t") return add_op("t.default", {self}, base);
  if (op == "permute") {
    const auto& dims = view.view.inputs[1].arg.get<std::vector<int64_t>>();
    std::vector<int64_t> inverse(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      inverse[static_cast<size_t>(dims[i] < 0 ? dims[i] + base.dim() : dims[i])] =
          static_cast<int64_t>(i);
    return add_op("permute.default", {self, positional("dims", inverse)}, base);
  }
  TAPER_CHECK(
      view.tensor.numel() == base.numel() && op != "as_strided" && op != "unfold" && op != "expand",
      "export_program: cannot write to a result of ", op,
      "(), which is a view of another tensor; "
      "write to the tensor itself, or clone() the view");
  return add_op("reshape.default", {self, positional("shape", base.sizes().vec())}, base);
}

std::string Tracer::with_slice(const Known& view, int64_t dim) {
  const Tensor &base = view.base->tensor, &part = view.tensor;
  const int64_t step = base.stride(dim);
  const int64_t start = step == 0 ? 0 : (part.storage_offset() - base.storage_offset()) / step;
  const int64_t stride = int_input(view.view, "step", 1);
  return add_op("slice_scatter.default",
                {positional("self", TensorArgument{view.base->value}),
                 positional("src", TensorArgument{view.value}), positional("dim", dim),
                 positional("start", start), positional("end", start + part.size(dim) * stride),
                 positional("step", stride)},
                base);
}

}  // namespace torch::taper::program
