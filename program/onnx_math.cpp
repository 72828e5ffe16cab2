// Translations of pointwise functions.
#include <cmath>

#include <taper/framework/core/dtype.h>
#include <taper/program/onnx_graph.h>

namespace torch::taper::program {
namespace {

// ---------------------------------------------------------------------- one operand
/// Returns the tensor with the dtype of the result.
std::string self_as_result(OnnxCall& c, std::string_view name = "self") {
  return c.operand(name, c.result_dtype());
}

// Operators of one input without attributes.
#define TAPER_ONNX_UNARY(Op) \
  void unary_##Op(OnnxCall& c) { c.set(c.graph().add(#Op, {self_as_result(c)})); }
TAPER_ONNX_UNARY(Abs)
TAPER_ONNX_UNARY(Acos)
TAPER_ONNX_UNARY(Acosh)
TAPER_ONNX_UNARY(Asin)
TAPER_ONNX_UNARY(Asinh)
TAPER_ONNX_UNARY(Atan)
TAPER_ONNX_UNARY(Atanh)
TAPER_ONNX_UNARY(Ceil)
TAPER_ONNX_UNARY(Cos)
TAPER_ONNX_UNARY(Cosh)
TAPER_ONNX_UNARY(Erf)
TAPER_ONNX_UNARY(Exp)
TAPER_ONNX_UNARY(Floor)
TAPER_ONNX_UNARY(HardSwish)
TAPER_ONNX_UNARY(Log)
TAPER_ONNX_UNARY(Mish)
TAPER_ONNX_UNARY(Neg)
TAPER_ONNX_UNARY(Reciprocal)
TAPER_ONNX_UNARY(Relu)
TAPER_ONNX_UNARY(Round)
TAPER_ONNX_UNARY(Sigmoid)
TAPER_ONNX_UNARY(Sign)
TAPER_ONNX_UNARY(Sin)
TAPER_ONNX_UNARY(Sinh)
TAPER_ONNX_UNARY(Softsign)
TAPER_ONNX_UNARY(Sqrt)
TAPER_ONNX_UNARY(Tan)
TAPER_ONNX_UNARY(Tanh)
#undef TAPER_ONNX_UNARY

void is_nan(OnnxCall& c) { c.set(c.graph().add("IsNaN", {c.tensor("self")})); }
void is_inf(OnnxCall& c) { c.set(c.graph().add("IsInf", {c.tensor("self")})); }
void logical_not(OnnxCall& c) { c.set(c.graph().add("Not", {c.operand("self", kBool)})); }
void bitwise_not(OnnxCall& c) {
  c.set(c.graph().add(c.result_dtype() == kBool ? "Not" : "BitwiseNot", {c.tensor("self")}));
}
void identity(OnnxCall& c) { c.set(c.tensor(c.has("input") ? "input" : "self")); }
void dropout(OnnxCall& c) {
  c.require(!c.flag("train") || c.number("p") == 0,
            "training mode; call eval() before export_program");
  identity(c);
}

std::string constant_like(OnnxCall& c, double value) {
  return c.graph().number(value, c.result_dtype());
}

/// Returns scale * x.
std::string times(OnnxCall& c, const std::string& x, double scale) {
  return scale == 1 ? x : c.graph().add("Mul", {x, constant_like(c, scale)});
}
std::string plus(OnnxCall& c, const std::string& x, double number) {
  return c.graph().add("Add", {x, constant_like(c, number)});
}

void log1p(OnnxCall& c) { c.set(c.graph().add("Log", {plus(c, self_as_result(c), 1)})); }
void expm1(OnnxCall& c) { c.set(plus(c, c.graph().add("Exp", {self_as_result(c)}), -1)); }
void exp2(OnnxCall& c) {
  c.set(c.graph().add("Exp", {times(c, self_as_result(c), std::log(2.0))}));
}
void log2(OnnxCall& c) {
  c.set(times(c, c.graph().add("Log", {self_as_result(c)}), 1 / std::log(2.0)));
}
void log10(OnnxCall& c) {
  c.set(times(c, c.graph().add("Log", {self_as_result(c)}), 1 / std::log(10.0)));
}
void rsqrt(OnnxCall& c) {
  c.set(c.graph().add("Reciprocal", {c.graph().add("Sqrt", {self_as_result(c)})}));
}
void square(OnnxCall& c) {
  const std::string x = self_as_result(c);
  c.set(c.graph().add("Mul", {x, x}));
}
void erfc(OnnxCall& c) {
  const std::string erf = c.graph().add("Erf", {self_as_result(c)});
  c.set(c.graph().add("Sub", {constant_like(c, 1), erf}));
}
void trunc(OnnxCall& c) {
  const std::string x = self_as_result(c),
                    size = c.graph().add("Floor", {c.graph().add("Abs", {x})});
  c.set(c.graph().add("Mul", {c.graph().add("Sign", {x}), size}));
}

// ---------------------------------------------------------------------- activations
void gelu(OnnxCall& c) {
  const bool is_tanh = c.text("approximate") == "tanh";
  const std::string x = c.tensor("self");
  if (c.graph().opset >= 20)
    return c.set(
        c.graph().add("Gelu", {x}, {{"approximate", std::string(is_tanh ? "tanh" : "none")}}));
  std::string inner;
  if (is_tanh) {
    const std::string cube = c.graph().add("Mul", {x, c.graph().add("Mul", {x, x})});
    const std::string sum = c.graph().add("Add", {x, times(c, cube, 0.044715)});
    inner = c.graph().add("Tanh", {times(c, sum, std::sqrt(2 / M_PI))});
  } else {
    inner = c.graph().add("Erf", {times(c, x, std::sqrt(0.5))});
  }
  c.set(c.graph().add("Mul", {times(c, x, 0.5), plus(c, inner, 1)}));
}
void silu(OnnxCall& c) {
  const std::string x = c.tensor("self");
  c.set(c.graph().add("Mul", {x, c.graph().add("Sigmoid", {x})}));
}
void log_sigmoid(OnnxCall& c) {
  const std::string negative = c.graph().add("Neg", {c.tensor("self")});
  c.set(c.graph().add("Neg", {c.graph().add("Softplus", {negative})}));
}
void leaky_relu(OnnxCall& c) {
  c.set(c.graph().add("LeakyRelu", {c.tensor("self")},
                      {{"alpha", static_cast<float>(c.number("negative_slope"))}}));
}
void elu(OnnxCall& c) {
  c.require(c.number("scale") == 1 && c.number("input_scale") == 1, "scale other than 1");
  c.set(
      c.graph().add("Elu", {c.tensor("self")}, {{"alpha", static_cast<float>(c.number("alpha"))}}));
}
void selu(OnnxCall& c) { c.set(c.graph().add("Selu", {c.tensor("self")})); }
void celu(OnnxCall& c) {
  c.set(c.graph().add("Celu", {c.tensor("self")},
                      {{"alpha", static_cast<float>(c.number("alpha"))}}));
}
void hardsigmoid(OnnxCall& c) {
  c.set(c.graph().add("HardSigmoid", {c.tensor("self")}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}}));
}
void softplus(OnnxCall& c) {
  const double beta = c.number("beta");
  const std::string y = c.graph().add("Softplus", {times(c, c.tensor("self"), beta)});
  c.set(times(c, y, 1 / beta));
}
void prelu(OnnxCall& c) {
  std::string slope = c.tensor("weight");
  Ints shape(static_cast<size_t>(std::max<int64_t>(c.rank("self") - 1, 1)), 1);
  shape[0] = -1;
  c.set(c.graph().add(
      "PRelu", {c.tensor("self"), c.graph().add("Reshape", {slope, c.graph().ints(shape)})}));
}
void threshold(OnnxCall& c) {
  const std::string x = c.tensor("self");
  const std::string over = c.graph().add("Greater", {x, constant_like(c, c.number("threshold"))});
  c.set(c.graph().add("Where", {over, x, constant_like(c, c.number("value"))}));
}
void glu(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const Names halves = c.graph().add_many("Split", {c.tensor("self")}, 2,
                                          {{"axis", dim}, {"num_outputs", int64_t{2}}});
  c.set(c.graph().add("Mul", {halves[0], c.graph().add("Sigmoid", {halves[1]})}));
}
void softmax(OnnxCall& c) {
  c.set(c.graph().add("Softmax", {self_as_result(c)}, {{"axis", c.dim("dim")}}));
}
void log_softmax(OnnxCall& c) {
  c.set(c.graph().add("LogSoftmax", {self_as_result(c)}, {{"axis", c.dim("dim")}}));
}

// ---------------------------------------------------------------------- limits
std::string clipped(OnnxCall& c, const std::string& x, const std::string& low,
                    const std::string& high) {
  if (low.empty() && high.empty()) return x;
  return c.graph().add("Clip", {x, low, high});
}
void clamp(OnnxCall& c) {
  std::string x = self_as_result(c);
  for (const auto& [name, op] : {std::pair("min", "Max"), std::pair("max", "Min")})
    if (c.has(name)) x = c.graph().add(op, {x, c.operand(name, c.result_dtype())});
  c.set(x);
}
void relu6(OnnxCall& c) {
  c.set(clipped(c, c.tensor("self"), constant_like(c, 0), constant_like(c, 6)));
}
void hardtanh(OnnxCall& c) {
  c.set(clipped(c, c.tensor("self"), constant_like(c, c.number("min_val")),
                constant_like(c, c.number("max_val"))));
}

// ---------------------------------------------------------------------- two operands
std::string binary(OnnxCall& c, const char* op, const char* a = "self", const char* b = "other") {
  const ScalarType dtype = c.result_dtype();
  return c.graph().add(op, {c.operand(a, dtype), c.operand(b, dtype)});
}
/// Returns the second operand times alpha.
std::string scaled(OnnxCall& c, const char* name) {
  const std::string x = c.operand(name, c.result_dtype());
  return c.has("alpha") ? times(c, x, c.number("alpha")) : x;
}
/// Sums of bools are disjunctions.
void add(OnnxCall& c) {
  if (c.result_dtype() == kBool) return c.set(binary(c, "Or"));
  c.set(c.graph().add("Add", {self_as_result(c), scaled(c, "other")}));
}
void sub(OnnxCall& c) { c.set(c.graph().add("Sub", {self_as_result(c), scaled(c, "other")})); }
void rsub(OnnxCall& c) {
  const std::string x = scaled(c, "self");
  c.set(c.graph().add("Sub", {c.operand("other", c.result_dtype()), x}));
}
void mul(OnnxCall& c) { c.set(binary(c, c.result_dtype() == kBool ? "And" : "Mul")); }
std::string floor_of_quotient(OnnxCall& c) {
  if (isFloatingType(c.result_dtype())) return c.graph().add("Floor", {binary(c, "Div")});
  // ONNX rounds integers to zero: q - 1 if the remainder has another sign than the divisor.
  const std::string a = self_as_result(c), b = self_as_result(c, "other");
  const std::string rest = c.graph().add("Mod", {a, b});
  return c.graph().add("Div", {c.graph().add("Sub", {a, rest}), b});
}
void floor_divide(OnnxCall& c) { c.set(floor_of_quotient(c)); }
void div(OnnxCall& c) {
  const std::string mode = c.text("rounding_mode");
  if (mode == "floor") return c.set(floor_of_quotient(c));
  const std::string quotient = binary(c, "Div");
  if (mode.empty() || !isFloatingType(c.result_dtype())) return c.set(quotient);
  const std::string size = c.graph().add("Floor", {c.graph().add("Abs", {quotient})});
  c.set(c.graph().add("Mul", {c.graph().add("Sign", {quotient}), size}));
}
void remainder(OnnxCall& c) {
  if (!isFloatingType(c.result_dtype())) return c.set(binary(c, "Mod"));
  const std::string whole =
      c.graph().add("Mul", {floor_of_quotient(c), self_as_result(c, "other")});
  c.set(c.graph().add("Sub", {self_as_result(c), whole}));
}
void fmod(OnnxCall& c) {
  c.set(c.graph().add("Mod", {self_as_result(c), self_as_result(c, "other")},
                      {{"fmod", int64_t{1}}}));
}
void pow(OnnxCall& c) { c.set(binary(c, "Pow", "self", "exponent")); }
void maximum(OnnxCall& c) { c.set(binary(c, "Max")); }
void minimum(OnnxCall& c) { c.set(binary(c, "Min")); }
void addcmul(OnnxCall& c) {
  const std::string p = times(c, binary(c, "Mul", "tensor1", "tensor2"), c.number("value"));
  c.set(c.graph().add("Add", {self_as_result(c), p}));
}
void addcdiv(OnnxCall& c) {
  const std::string q = times(c, binary(c, "Div", "tensor1", "tensor2"), c.number("value"));
  c.set(c.graph().add("Add", {self_as_result(c), q}));
}
void lerp(OnnxCall& c) {
  const std::string x = self_as_result(c), difference = binary(c, "Sub", "end", "self");
  const std::string part =
      c.graph().add("Mul", {difference, c.operand("weight", c.result_dtype())});
  c.set(c.graph().add("Add", {x, part}));
}

}  // namespace

const std::map<std::string, OnnxRule, std::less<>>& onnx_math_rules() {
  static const std::map<std::string, OnnxRule, std::less<>> rules = {
      {"abs", unary_Abs},
      {"acos", unary_Acos},
      {"acosh", unary_Acosh},
      {"asin", unary_Asin},
      {"asinh", unary_Asinh},
      {"atan", unary_Atan},
      {"atanh", unary_Atanh},
      {"ceil", unary_Ceil},
      {"cos", unary_Cos},
      {"cosh", unary_Cosh},
      {"erf", unary_Erf},
      {"exp", unary_Exp},
      {"floor", unary_Floor},
      {"hardswish", unary_HardSwish},
      {"log", unary_Log},
      {"mish", unary_Mish},
      {"neg", unary_Neg},
      {"reciprocal", unary_Reciprocal},
      {"relu", unary_Relu},
      {"round", unary_Round},
      {"sigmoid", unary_Sigmoid},
      {"sign", unary_Sign},
      {"sin", unary_Sin},
      {"sinh", unary_Sinh},
      {"softsign", unary_Softsign},
      {"sqrt", unary_Sqrt},
      {"tan", unary_Tan},
      {"tanh", unary_Tanh},
      {"isnan", is_nan},
      {"isinf", is_inf},
      {"logical_not", logical_not},
      {"bitwise_not", bitwise_not},
      {"alias", identity},
      {"clone", identity},
      {"contiguous", identity},
      {"detach", identity},
      {"detach_", identity},
      {"lift_fresh_copy", identity},
      {"positive", identity},
      {"alpha_dropout", dropout},
      {"dropout", dropout},
      {"feature_alpha_dropout", dropout},
      {"feature_dropout", dropout},
      {"log1p", log1p},
      {"expm1", expm1},
      {"exp2", exp2},
      {"log2", log2},
      {"log10", log10},
      {"rsqrt", rsqrt},
      {"square", square},
      {"erfc", erfc},
      {"trunc", trunc},
      {"gelu", gelu},
      {"silu", silu},
      {"log_sigmoid", log_sigmoid},
      {"leaky_relu", leaky_relu},
      {"elu", elu},
      {"selu", selu},
      {"celu", celu},
      {"hardsigmoid", hardsigmoid},
      {"softplus", softplus},
      {"prelu", prelu},
      {"threshold", threshold},
      {"glu", glu},
      {"softmax", softmax},
      {"log_softmax", log_softmax},
      {"clamp", clamp},
      {"clamp_max", clamp},
      {"clamp_min", clamp},
      {"clip", clamp},
      {"relu6", relu6},
      {"hardtanh", hardtanh},
      {"add", add},
      {"sub", sub},
      {"rsub", rsub},
      {"mul", mul},
      {"div", div},
      {"floor_divide", floor_divide},
      {"remainder", remainder},
      {"fmod", fmod},
      {"pow", pow},
      {"maximum", maximum},
      {"minimum", minimum},
      {"max.other", maximum},
      {"min.other", minimum},
      {"addcmul", addcmul},
      {"addcdiv", addcdiv},
      {"lerp", lerp}};
  return rules;
}

}  // namespace torch::taper::program
