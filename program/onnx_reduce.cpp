// Translations of comparisons, reductions and products.
#include <limits>

#include <taper/framework/core/dtype.h>
#include <taper/program/onnx_graph.h>

namespace torch::taper::program {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string as_result(OnnxCall& c, std::string_view name = "self") {
  return c.operand(name, c.result_dtype());
}
std::string times_number(OnnxCall& c, const std::string& x, double factor) {
  return factor == 1 ? x : c.graph().add("Mul", {x, c.graph().number(factor, c.result_dtype())});
}

// ---------------------------------------------------------------------- comparisons
std::string compared(OnnxCall& c, const char* op) {
  const ScalarType dtype = c.common_dtype("self", "other");
  return c.graph().add(op, {c.operand("self", dtype), c.operand("other", dtype)});
}
void eq(OnnxCall& c) { c.set(compared(c, "Equal")); }
void ne(OnnxCall& c) { c.set(c.graph().add("Not", {compared(c, "Equal")})); }
void lt(OnnxCall& c) { c.set(compared(c, "Less")); }
void le(OnnxCall& c) { c.set(compared(c, "LessOrEqual")); }
void gt(OnnxCall& c) { c.set(compared(c, "Greater")); }
void ge(OnnxCall& c) { c.set(compared(c, "GreaterOrEqual")); }
void logical(OnnxCall& c, const char* op) {
  c.set(c.graph().add(op, {c.operand("self", kBool), c.operand("other", kBool)}));
}
void logical_and(OnnxCall& c) { logical(c, "And"); }
void logical_or(OnnxCall& c) { logical(c, "Or"); }
void logical_xor(OnnxCall& c) { logical(c, "Xor"); }
void bitwise_and(OnnxCall& c) {
  c.set(c.graph().add(c.result_dtype() == kBool ? "And" : "BitwiseAnd",
                      {as_result(c), as_result(c, "other")}));
}
void bitwise_or(OnnxCall& c) {
  c.set(c.graph().add(c.result_dtype() == kBool ? "Or" : "BitwiseOr",
                      {as_result(c), as_result(c, "other")}));
}
void bitwise_xor(OnnxCall& c) {
  c.set(c.graph().add(c.result_dtype() == kBool ? "Xor" : "BitwiseXor",
                      {as_result(c), as_result(c, "other")}));
}

void where(OnnxCall& c) {
  const ScalarType dtype = c.result_dtype();
  c.set(c.graph().add("Where", {c.operand("condition", kBool), c.operand("self", dtype),
                                c.operand("other", dtype)}));
}
void masked_fill(OnnxCall& c) {
  c.set(c.graph().add(
      "Where", {c.operand("mask", kBool), c.operand("value", c.result_dtype()), as_result(c)}));
}

// ---------------------------------------------------------------------- reductions
/// Adds a reduction over the dimensions in `dim`, all if there are none.
std::string reduced(OnnxCall& c, const char* op, const std::string& x) {
  const Ints dims = c.has("dim") ? c.dims("dim") : Ints();
  return c.graph().add(op, {x, dims.empty() ? std::string() : c.graph().ints(dims)},
                       {{"keepdims", int64_t{c.flag("keepdim")}}});
}
void reduce(OnnxCall& c, const char* op) { c.set(reduced(c, op, as_result(c))); }
void sum(OnnxCall& c) { reduce(c, "ReduceSum"); }
void mean(OnnxCall& c) { reduce(c, "ReduceMean"); }
void prod(OnnxCall& c) { reduce(c, "ReduceProd"); }
void amax(OnnxCall& c) { reduce(c, "ReduceMax"); }
void amin(OnnxCall& c) { reduce(c, "ReduceMin"); }
void logsumexp(OnnxCall& c) { reduce(c, "ReduceLogSumExp"); }
/// any() and all() of bools, as the largest and the smallest number.
void any(OnnxCall& c) {
  const std::string x = c.graph().cast(c.operand("self", kBool), kInt);
  c.set(c.graph().cast(reduced(c, "ReduceMax", x), kBool));
}
void all(OnnxCall& c) {
  const std::string x = c.graph().cast(c.operand("self", kBool), kInt);
  c.set(c.graph().cast(reduced(c, "ReduceMin", x), kBool));
}
void norm(OnnxCall& c) {
  const double p = c.has(c.has("ord") ? "ord" : "p") ? c.number(c.has("ord") ? "ord" : "p") : 2;
  const std::string x = as_result(c);
  if (p == 1 || p == 2) return c.set(reduced(c, p == 1 ? "ReduceL1" : "ReduceL2", x));
  c.require(p == kInfinity, "p other than 1, 2 and infinity");
  c.set(reduced(c, "ReduceMax", c.graph().add("Abs", {x})));
}

/// max and min along a dimension, with indices.
void extremum(OnnxCall& c, const char* reduce_op, const char* index_op) {
  const int64_t dim = c.dim("dim"), keep = c.flag("keepdim");
  const std::string x = c.tensor("self");
  const std::string values =
      c.graph().add(reduce_op, {x, c.graph().ints({dim})}, {{"keepdims", keep}});
  c.set({values, c.graph().add(index_op, {x}, {{"axis", dim}, {"keepdims", keep}})});
}
void max_dim(OnnxCall& c) { extremum(c, "ReduceMax", "ArgMax"); }
void min_dim(OnnxCall& c) { extremum(c, "ReduceMin", "ArgMin"); }
void index_of(OnnxCall& c, const char* op) {
  std::string x = c.tensor("self");
  if (!c.has("dim")) {
    x = c.graph().add("Reshape", {x, c.graph().ints({-1})});
    return c.set(c.graph().add(op, {x}, {{"axis", int64_t{0}}, {"keepdims", int64_t{0}}}));
  }
  c.set(c.graph().add(op, {x}, {{"axis", c.dim("dim")}, {"keepdims", int64_t{c.flag("keepdim")}}}));
}
void argmax(OnnxCall& c) { index_of(c, "ArgMax"); }
void argmin(OnnxCall& c) { index_of(c, "ArgMin"); }

/// The mean of squared differences, with a correction of the count.
std::string variance(OnnxCall& c) {
  const double correction = c.has("correction") ? c.number("correction")
                            : c.has("unbiased") ? c.flag("unbiased")
                                                : 1;
  const std::string x = as_result(c);
  const Ints dims = c.has("dim") ? c.dims("dim") : Ints();
  const std::string over = dims.empty() ? std::string() : c.graph().ints(dims);
  const std::string mean = c.graph().add("ReduceMean", {x, over}, {{"keepdims", int64_t{1}}});
  const std::string rest = c.graph().add("Sub", {x, mean});
  const std::string sum = reduced(c, "ReduceSumSquare", rest);
  // The count is the product of the reduced sizes.
  std::string sizes = c.graph().shape(x);
  if (!dims.empty()) sizes = c.graph().add("Gather", {sizes, over});
  const std::string count = c.graph().cast(
      c.graph().add("ReduceProd", {sizes}, {{"keepdims", int64_t{0}}}), c.result_dtype());
  return c.graph().add(
      "Div",
      {sum, correction == 0
                ? count
                : c.graph().add("Sub", {count, c.graph().number(correction, c.result_dtype())})});
}
void var(OnnxCall& c) { c.set(variance(c)); }
void stddev(OnnxCall& c) { c.set(c.graph().add("Sqrt", {variance(c)})); }

// ---------------------------------------------------------------------- products
void matmul(OnnxCall& c, const char* a, const char* b) {
  c.set(c.graph().add("MatMul", {c.tensor(a), c.tensor(b)}));
}
void matmul_other(OnnxCall& c) { matmul(c, "self", "other"); }
void mm(OnnxCall& c) { matmul(c, "self", "mat2"); }
void mv(OnnxCall& c) { matmul(c, "self", "vec"); }
void dot(OnnxCall& c) { matmul(c, "self", "tensor"); }
void outer(OnnxCall& c) {
  const std::string a = c.graph().unsqueeze(c.tensor("self"), {1}),
                    b = c.graph().unsqueeze(c.tensor("vec2"), {0});
  c.set(c.graph().add("Mul", {a, b}));
}
/// beta * self + alpha * (a @ b)
void sum_of_product(OnnxCall& c, const char* a, const char* b) {
  const std::string product =
      times_number(c, c.graph().add("MatMul", {c.tensor(a), c.tensor(b)}), c.number("alpha"));
  c.set(c.graph().add("Add", {times_number(c, c.tensor("self"), c.number("beta")), product}));
}
void addmm(OnnxCall& c) { sum_of_product(c, "mat1", "mat2"); }
void baddbmm(OnnxCall& c) { sum_of_product(c, "batch1", "batch2"); }
void einsum(OnnxCall& c) {
  c.set(c.graph().add("Einsum", c.tensors("tensors"), {{"equation", c.text("equation")}}));
}

}  // namespace

const std::map<std::string, OnnxRule, std::less<>>& onnx_reduce_rules() {
  static const std::map<std::string, OnnxRule, std::less<>> rules = {{"eq", eq},
                                                                     {"ne", ne},
                                                                     {"lt", lt},
                                                                     {"le", le},
                                                                     {"gt", gt},
                                                                     {"ge", ge},
                                                                     {"logical_and", logical_and},
                                                                     {"logical_or", logical_or},
                                                                     {"logical_xor", logical_xor},
                                                                     {"bitwise_and", bitwise_and},
                                                                     {"bitwise_or", bitwise_or},
                                                                     {"bitwise_xor", bitwise_xor},
                                                                     {"where", where},
                                                                     {"masked_fill", masked_fill},
                                                                     {"sum", sum},
                                                                     {"mean", mean},
                                                                     {"prod", prod},
                                                                     {"amax", amax},
                                                                     {"amin", amin},
                                                                     {"max", amax},
                                                                     {"min", amin},
                                                                     {"logsumexp", logsumexp},
                                                                     {"any", any},
                                                                     {"all", all},
                                                                     {"norm", norm},
                                                                     {"linalg_vector_norm", norm},
                                                                     {"max.dim", max_dim},
                                                                     {"min.dim", min_dim},
                                                                     {"argmax", argmax},
                                                                     {"argmin", argmin},
                                                                     {"var", var},
                                                                     {"std", stddev},
                                                                     {"matmul", matmul_other},
                                                                     {"mm", mm},
                                                                     {"bmm", mm},
                                                                     {"mv", mv},
                                                                     {"dot", dot},
                                                                     {"outer", outer},
                                                                     {"addmm", addmm},
                                                                     {"baddbmm", baddbmm},
                                                                     {"einsum", einsum}};
  return rules;
}

}  // namespace torch::taper::program
