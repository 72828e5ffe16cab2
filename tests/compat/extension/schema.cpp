// Schemas of operators, and the keys of dispatch. The texts are those that PyTorch 2.15 prints
// (which asks that a class in a schema is registered).
#include <ATen/core/function_schema.h>
#include <c10/core/DispatchKeySet.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/torch.h>

#include <sstream>

#include "expect.h"

static std::string printed(const std::string& schema) {
  std::ostringstream text;
  text << torch::jit::parseSchema(schema);
  return text.str();
}
static bool same(const std::string& schema) { return printed(schema) == schema; }
static std::string error(const std::string& schema) {
  return thrown<c10::Error>([&] { torch::jit::parseSchema(schema); });
}

static void texts() {
  EXPECT(
      same("my::two(Tensor a, int[] dims, Tensor[] ts, *, ScalarType? dt=None, Scalar s=1) -> "
           "(Tensor, int n)"));
  EXPECT(
      same("my::inpl(Tensor(a!) x, int[2] k=[1, 2], str mode=\"a b\", Dict(str, int)? d=None) "
           "-> Tensor(a!)"));
  EXPECT(same("my::none() -> ()"));
  EXPECT(same("my::takes(__torch__.torch.classes.my.Stk s, Tensor x) -> Tensor"));
  EXPECT(printed("add.out(Tensor a,Tensor b, float alpha=1)->Tensor") ==
         "add.out(Tensor a, Tensor b, float alpha=1.) -> Tensor");
}
static void parts() {
  const c10::FunctionSchema s =
      torch::jit::parseSchema("my::f.g(Tensor x, int[2] k=3, *, float by=-1.5e2) -> Tensor y");
  EXPECT(s.name() == "my::f" && s.overload_name() == "g");
  EXPECT(*s.operator_name().getNamespace() == "my");
  EXPECT(s.arguments().size() == 3 && s.returns().size() == 1 && s.returns()[0].name() == "y");
  EXPECT(s.arguments()[1].default_value()->toIntVector() == (std::vector<int64_t>{3, 3}));
  EXPECT(*s.arguments()[1].N() == 2 && !s.arguments()[1].kwarg_only());
  EXPECT(s.arguments()[2].kwarg_only() && s.arguments()[2].default_value()->toDouble() == -150);
  EXPECT(*s.argumentIndexWithName("by") == 2 && !s.argumentIndexWithName("no"));
  EXPECT(torch::jit::parseSchema("f(ScalarType? t) -> ()").arguments()[0].type()->str() == "int?");
}
static void errors() {
  EXPECT(has(error("bad(Tensr a) -> Tensor"), "unknown type specifier"));
  EXPECT(has(error("bad(Tensor a -> Tensor"), "expected"));
  EXPECT(has(error("bad(Tensor a) -> Tensor more of it"), "expected the end"));
  EXPECT(has(error("bad(str s=\"open) -> Tensor"), "expected the end of a string"));
  EXPECT(has(error(""), "expected an operator's name"));
}
static void keys() {
  const c10::DispatchKeySet set{c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU};
  EXPECT(set.highestPriorityTypeId() == c10::DispatchKey::AutogradCPU);
  EXPECT((set & c10::after_autograd_keyset) == c10::DispatchKeySet(c10::DispatchKey::CPU));
  EXPECT(c10::DispatchKeySet().highestPriorityTypeId() == c10::DispatchKey::Undefined);
  EXPECT(std::string(c10::toString(c10::DispatchKey::CompositeExplicitAutograd)) ==
         "CompositeExplicitAutograd");
  std::ostringstream text;
  text << set;
  EXPECT(text.str() == "DispatchKeySet(CPU, AutogradCPU)");
}
static void guards() {
  const auto left_out = [] { return taper::thread_dispatch_keys().excluded; };
  const torch::Tensor x = torch::ones({2}).requires_grad_();
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    EXPECT(left_out().has(c10::DispatchKey::AutogradCPU) && !(x * 2).requires_grad());
    EXPECT(!left_out().has(c10::DispatchKey::CPU));
  }
  EXPECT(left_out().empty() && (x * 2).requires_grad());
}

int main() {
  texts();
  parts();
  errors();
  keys();
  guards();
}
