// Operators of a program: definitions, kernels by key, calls. What is expected is what PyTorch 2.15
// does with this very program, but for one line.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/op_registration.h>
#include <ATen/core/stack.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <atomic>
#include <thread>

#include "expect.h"

using c10::Dispatcher;
using c10::DispatchKey;
using torch::Tensor;

namespace {

std::string calls;  // which kernels ran

Tensor scale_cpu(const Tensor& x, double by) {
  calls += "cpu ";
  return x * by;
}
// A derivative of its own: ten times the right one.
struct Scale : torch::autograd::Function<Scale> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, double by) {
    ctx->saved_data["by"] = by;
    at::AutoDispatchBelowADInplaceOrView below;
    return Dispatcher::singleton()
        .findSchemaOrThrow("my::scale", "")
        .typed<Tensor(const Tensor&, double)>()
        .call(x, by);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    return {grads[0] * 10 * ctx->saved_data["by"].toDouble(), Tensor()};
  }
};
Tensor scale_autograd(const Tensor& x, double by) {
  calls += "autograd ";
  return Scale::apply(x, by);
}
Tensor twice(const Tensor& x) {  // made of another operator
  calls += "composite ";
  return Dispatcher::singleton()
      .findSchemaOrThrow("my::scale", "")
      .typed<Tensor(const Tensor&, double)>()
      .call(x, 2);
}
Tensor& fill_with(Tensor& x, int64_t v) { return x.fill_(v); }
std::tuple<Tensor, int64_t, std::vector<Tensor>> parts(const Tensor& x, at::IntArrayRef dims,
                                                       at::TensorList more,
                                                       const c10::optional<at::ScalarType>& dtype,
                                                       const at::Scalar& s, c10::string_view mode,
                                                       bool flag, c10::optional<Tensor> maybe) {
  const Tensor sum = dtype ? x.sum(dims, false, *dtype) : x.sum(dims);
  return {sum * s,
          static_cast<int64_t>(more.size() + mode.size() + flag + maybe.has_value()),
          {x, sum}};
}
Tensor on_keys(c10::DispatchKeySet keys, const Tensor& x) {
  calls += keys.has(DispatchKey::AutogradCPU) ? "with autograd " : "below autograd ";
  if (!keys.has(DispatchKey::AutogradCPU)) return x + 1;
  return Dispatcher::singleton()
      .findSchemaOrThrow("my::on_keys", "")
      .typed<Tensor(const Tensor&)>()
      .redispatch(keys & c10::after_autograd_keyset, x);
}
void boxed_sum(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  calls += toString(op.operator_name()) + " ";
  Tensor a, b;
  torch::jit::pop(*stack, a, b);
  torch::jit::push(*stack, a + b);
}

}  // namespace

TORCH_LIBRARY(my, m) {
  m.def("scale(Tensor x, float by=2.) -> Tensor");
  m.def("twice(Tensor x) -> Tensor", twice);
  m.def("fill_with(Tensor(a!) x, int v) -> Tensor(a!)", fill_with);
  m.def(
      "parts(Tensor x, int[] dims, Tensor[] more, *, ScalarType? dtype=None, Scalar s=1, str "
      "mode=\"ab\", bool flag=False, Tensor? maybe=None) -> (Tensor, int, Tensor[])",
      parts);
  m.def("on_keys(Tensor x) -> Tensor");
  m.def("boxed_sum(Tensor a, Tensor b) -> Tensor");
  m.def("explicit_one(Tensor x) -> Tensor",
        torch::dispatch(DispatchKey::CompositeExplicitAutograd, [](const Tensor& x) {
          calls += "explicit ";
          return x.clone();
        }));
  m.def("inferred", [](Tensor a, std::vector<double>, c10::optional<std::string>) { return a; });
  m.def("make(int n) -> Tensor", [](int64_t n) { return torch::zeros({n}); });
  m.def("nowhere(Tensor x) -> Tensor");
  m.def("of_list(Tensor[] all) -> Tensor");
}
TORCH_LIBRARY_IMPL(my, CPU, m) {
  m.impl("scale", scale_cpu);
  m.impl("on_keys", TORCH_FN(on_keys));
  m.impl("my::of_list", [](at::TensorList all) { return all[0].clone(); });
}
TORCH_LIBRARY_IMPL(my, CUDA, m) {
  m.impl("scale", [](const Tensor& x, double by) {
    calls += "cuda ";
    return x * by;
  });
}
TORCH_LIBRARY_IMPL(my, Autograd, m) {
  m.impl("scale", scale_autograd);
  m.impl("on_keys", TORCH_FN(on_keys));
}
TORCH_LIBRARY_IMPL(my, CPU, m) {
  m.impl("boxed_sum", torch::CppFunction::makeFromBoxedFunction<&boxed_sum>());
}
TORCH_LIBRARY_FRAGMENT(my, m) {
  m.def("later(Tensor x) -> Tensor", [](const Tensor& x) { return x + 3; });
}

template <class F>
static c10::TypedOperatorHandle<F> op(const char* name) {
  return Dispatcher::singleton().findSchemaOrThrow(name, "").typed<F>();
}
static std::string called() {
  std::string all;
  all.swap(calls);
  return all;
}
static std::string error_of(const std::function<void()>& work) { return thrown<c10::Error>(work); }

static void kernels_by_key() {
  const auto scale = op<Tensor(const Tensor&, double)>("my::scale");
  const Tensor x = torch::ones({2});
  EXPECT(scale.call(x, 3).equal(x * 3) && called() == "autograd cpu ");
  {
    at::AutoDispatchBelowAutograd below;
    EXPECT(scale.call(x, 3).equal(x * 3) && called() == "cpu ");
  }
  {
    c10::InferenceMode inference;
    EXPECT(scale.call(torch::ones({2}), 3).size(0) == 2 && called() == "cpu ");
  }
  Tensor leaf = torch::ones({2}).requires_grad_();
  scale.call(leaf, 3).sum().backward();
  EXPECT(leaf.grad().equal(torch::full({2}, 30.)) && called() == "autograd cpu ");
  leaf.mutable_grad() = Tensor();
  op<Tensor(const Tensor&)>("my::twice").call(leaf).sum().backward();
  EXPECT(leaf.grad().equal(torch::full({2}, 20.)) && called() == "composite autograd cpu ");
  EXPECT(op<Tensor(const Tensor&)>("my::explicit_one").call(leaf).requires_grad());
  EXPECT(called() == "explicit ");
  EXPECT(op<Tensor(const Tensor&)>("my::on_keys").call(x).equal(x + 1));
  EXPECT(called() == "with autograd below autograd ");
  EXPECT(op<Tensor(const Tensor&)>("my::later").call(x).equal(x + 3));
  EXPECT(op<Tensor(at::TensorList)>("my::of_list").call({x}).equal(x));
  EXPECT(op<Tensor(int64_t)>("my::make").call(3).size(0) == 3);
}
static void devices() {
  if (!torch::cuda::is_available()) return;
  const Tensor x = torch::ones({2}, torch::kCUDA);
  EXPECT((
      op<Tensor(const Tensor&, double)>("my::scale").call(x, 3).cpu().equal(torch::full({2}, 3.))));
  EXPECT(called() == "autograd cuda ");
  EXPECT(
      has(error_of([&] { op<Tensor(const Tensor&, const Tensor&)>("my::boxed_sum").call(x, x); }),
          "Could not run 'my::boxed_sum' with arguments from the 'CUDA' backend"));
}
static void signatures() {
  Tensor x = torch::zeros({2});
  EXPECT(op<Tensor&(Tensor&, int64_t)>("my::fill_with").call(x, 4).is_same(x));
  EXPECT(x.equal(torch::full({2}, 4.)));
  const auto f = op<std::tuple<Tensor, int64_t, std::vector<Tensor>>(
      const Tensor&, at::IntArrayRef, at::TensorList, const c10::optional<at::ScalarType>&,
      const at::Scalar&, c10::string_view, bool, c10::optional<Tensor>)>("my::parts");
  const auto [sum, n, list] = f.call(x, {0}, {x, x}, at::kDouble, 2, "abc", true, x);
  EXPECT(sum.dtype() == torch::kDouble && sum.item<double>() == 16 && n == 7 && list.size() == 2);
  EXPECT(op<Tensor(const Tensor&, const Tensor&)>("my::boxed_sum").call(x, x).equal(x * 2));
  EXPECT(called() == "my::boxed_sum ");
}
static void stacks() {
  const Tensor x = torch::full({2}, 4.);
  torch::jit::Stack stack{1, x, 3.0};  // what lies below stays
  Dispatcher::singleton().callBoxed(Dispatcher::singleton().findSchemaOrThrow("my::scale", ""),
                                    &stack);
  EXPECT(stack.size() == 2 && stack[1].toTensor().equal(x * 3) && called() == "autograd cpu ");
  stack = {x, 7};
  Dispatcher::singleton().findSchemaOrThrow("my::fill_with", "").callBoxed(stack);
  EXPECT(stack.size() == 1 && stack[0].toTensor().is_same(x));
  stack = {x,
           std::vector<int64_t>{0},
           std::vector<Tensor>{x},
           c10::IValue(),
           2,
           "four",
           true,
           c10::IValue()};
  Dispatcher::singleton().findSchemaOrThrow("my::parts", "").callBoxed(stack);
  EXPECT(stack.size() == 3 && stack[0].toTensor().item<float>() == 28 && stack[1].toInt() == 6);
  EXPECT(stack[2].toTensorVector()[0].is_same(x));
  stack = {x, x};
  Dispatcher::singleton().findSchemaOrThrow("my::boxed_sum", "").callBoxed(stack);
  EXPECT(stack.size() == 1 && stack[0].toTensor().equal(x * 2) && called() == "my::boxed_sum ");
  stack = {2, x};
  EXPECT(has(error_of([&] {
               Dispatcher::singleton().findSchemaOrThrow("my::boxed_sum", "").callBoxed(stack);
             }),
             "Tensor"));
  called();
}
static std::string text_of(const char* name) {
  std::ostringstream text;
  text << Dispatcher::singleton().findSchemaOrThrow(name, "").schema();
  return text.str();
}
static void schemas() {
  EXPECT(text_of("my::inferred") == "my::inferred(Tensor _0, float[] _1, str? _2) -> Tensor _0");
  EXPECT(text_of("my::scale") == "my::scale(Tensor x, float by=2.) -> Tensor");
  EXPECT(!Dispatcher::singleton().findSchema({"my::absent", ""}));
  EXPECT(has(error_of([] { Dispatcher::singleton().findSchemaOrThrow("my::scale", "out"); }),
             "Could not find schema for my::scale.out"));
  const auto scale = Dispatcher::singleton().findSchemaOrThrow("my::scale", "");
  EXPECT(scale.hasKernelForDispatchKey(DispatchKey::CPU));
  EXPECT(!scale.hasKernelForDispatchKey(DispatchKey::Meta));
  EXPECT(scale.hasKernelForDispatchKey(DispatchKey::Autograd));
  const c10::DispatchKeySet several{DispatchKey::Meta, DispatchKey::CUDA};
  EXPECT(scale.hasKernelForAnyDispatchKey(several));
}
// Taper's ops are operators of the namespace aten, with PyTorch's schemas.
static void ops_of_aten() {
  const Tensor x = torch::ones({2}), y = torch::full({2}, 3.0);
  const auto add = Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  std::ostringstream text;
  text << add.schema();
  EXPECT(text.str() == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  const auto typed = add.typed<Tensor(const Tensor&, const Tensor&, const at::Scalar&)>();
  EXPECT(typed.call(x, y, 2).equal(torch::full({2}, 7.0)));
  torch::jit::Stack stack{5, x, y, 1};
  add.callBoxed(stack);
  EXPECT(stack.size() == 2 && stack[0].toInt() == 5 && stack[1].toTensor().equal(x + y));
  Tensor out = torch::empty({2});
  const auto add_out = Dispatcher::singleton().findSchemaOrThrow("aten::add", "out");
  Tensor& same =
      add_out.typed<Tensor&(const Tensor&, const Tensor&, const at::Scalar&, Tensor&)>().call(
          x, y, 1, out);
  EXPECT(&same == &out && out.equal(x + y));
  stack = {std::vector<int64_t>{2, 3}, at::kLong, c10::IValue(), at::Device("cpu"), c10::IValue()};
  Dispatcher::singleton().findSchemaOrThrow("aten::ones", "").callBoxed(stack);
  EXPECT(stack.size() == 1 && stack[0].toTensor().scalar_type() == at::kLong);
  stack = {torch::eye(2), true, c10::IValue()};
  Dispatcher::singleton().findSchemaOrThrow("aten::linalg_svd", "").callBoxed(stack);
  EXPECT(stack.size() == 3);
  stack = {x};
  EXPECT(has(error_of([&] { add.callBoxed(stack); }), "aten::add.Tensor"));
  EXPECT(!Dispatcher::singleton().findSchema({"aten::add", "nowhere"}));
}
static void errors() {
  const Tensor x = torch::ones({2});
  EXPECT(has(error_of([&] { op<Tensor(const Tensor&)>("my::nowhere").call(x); }),
             "Could not run 'my::nowhere' with arguments from the 'CPU' backend"));
  EXPECT(has(error_of([&] { op<Tensor(at::TensorList)>("my::of_list").call({}); }),
             "There were no tensor arguments to this function"));
  EXPECT(has(error_of([&] { op<Tensor(Tensor, double)>("my::scale"); }),
             "Tried to access or call an operator with a wrong signature"));
  EXPECT(has(error_of([&] { torch::Library(torch::Library::DEF, "my", c10::nullopt, "f.cpp", 3); }),
             "Only a single TORCH_LIBRARY can be used to register the namespace my"));
}
static void errors_of_registration() {
  torch::Library m(torch::Library::FRAGMENT, "other", c10::nullopt, "f.cpp", 3);
  m.def("f(Tensor x) -> Tensor", [](Tensor x) { return x; });
  const auto of_def = [&](const char* schema) {
    return error_of([&] { m.def(schema, [](Tensor x) { return x; }); });
  };
  EXPECT(has(error_of([&] { m.def("f(Tensor x) -> Tensor"); }), "multiple times"));
  EXPECT(
      has(of_def("g(Tensor x, int y) -> Tensor"), "The number of arguments is different. 2 vs 1."));
  EXPECT(has(of_def("h(Tensor x) -> int"), "Type mismatch in return 1: int vs Tensor."));
  EXPECT(has(of_def("my::g(Tensor x) -> Tensor"), "does not match namespace"));
  EXPECT(!Dispatcher::singleton().findSchema({"other::g", ""}));  // (it is left there by LibTorch)
  EXPECT(has(error_of([&] {
               m.impl("f", torch::dispatch(DispatchKey::CPU, [](const Tensor& x) { return x; }));
             }),
             "Mismatch in kernel C++ signatures"));
  m.def("k(Tensor x) -> Tensor");
  EXPECT(has(error_of([&] { m.impl("k", [](int64_t n) { return n; }); }),
             "Type mismatch in argument 1: Tensor vs int."));
}
static void lifetimes() {
  const Tensor x = torch::ones({2});
  {
    torch::Library m(torch::Library::FRAGMENT, "temp", c10::nullopt, "f.cpp", 3);
    m.def("f(Tensor x) -> Tensor", [](const Tensor& t) { return t + 1; });
    const auto f = op<Tensor(const Tensor&)>("temp::f");
    EXPECT(f.call(x).equal(x + 1));
    {
      torch::Library better(torch::Library::IMPL, "temp", DispatchKey::CPU, "f.cpp", 4);
      better.impl("f", [](const Tensor& t) { return t + 2; });
      EXPECT(f.call(x).equal(x + 2));
    }
    EXPECT(f.call(x).equal(x + 1));
  }
  EXPECT(!Dispatcher::singleton().findSchema({"temp::f", ""}));
  torch::Library m(torch::Library::FRAGMENT, "temp", c10::nullopt, "f.cpp", 5);
  m.def("f(Tensor x, int n) -> Tensor", [](const Tensor& t, int64_t n) { return t + n; });
  EXPECT((op<Tensor(const Tensor&, int64_t)>("temp::f").call(x, 5).equal(x + 5)));
}
static void kernels_before_definitions() {
  torch::Library kernels(torch::Library::IMPL, "early", DispatchKey::CPU, "f.cpp", 3);
  kernels.impl("f", [](const Tensor& t) { return t + 1; });
  EXPECT(Dispatcher::singleton().findOp({"early::f", ""}));
  EXPECT(!Dispatcher::singleton().findSchema({"early::f", ""}));
  torch::Library m(torch::Library::DEF, "early", c10::nullopt, "f.cpp", 4);
  EXPECT(has(error_of([&] { m.def("f(int n) -> Tensor"); }), "Type mismatch in argument 1"));
  m.def("f(Tensor x) -> Tensor");
  const Tensor x = torch::ones({2});
  EXPECT(op<Tensor(const Tensor&)>("early::f").call(x).equal(x + 1));
}
static void keys_that_pass_calls_on() {
  torch::Library m(torch::Library::FRAGMENT, "pass", c10::nullopt, "f.cpp", 3);
  m.def("f(Tensor x) -> Tensor");
  m.impl("f", torch::dispatch(DispatchKey::CPU, [](const Tensor& t) { return t + 1; }));
  m.impl("f", torch::dispatch(DispatchKey::AutogradCPU, torch::CppFunction::makeFallthrough()));
  const Tensor x = torch::ones({2});
  const auto f = op<Tensor(const Tensor&)>("pass::f");
  EXPECT(f.call(x).equal(x + 1));
  // A thread may add keys that no tensor has, and leave out those that it has.
  m.impl("f", torch::dispatch(DispatchKey::PrivateUse1, [](const Tensor& t) { return t; }));
  {
    c10::impl::IncludeDispatchKeyGuard with(DispatchKey::PrivateUse1);
    EXPECT(f.call(x).is_same(x));
  }
  c10::impl::ExcludeDispatchKeyGuard without(DispatchKey::CPU);
  EXPECT(has(error_of([&] { f.call(x); }), "fallback function is registered for schema pass::f"));
}
static void older_way() {
  static auto registry =
      torch::RegisterOperators()
          .op("old::f(Tensor x, int n) -> Tensor", [](Tensor x, int64_t n) { return x * n; })
          .op("old::g", [](Tensor x) { return x + 1; })
          .op("old::h(Tensor x) -> Tensor",
              c10::RegisterOperators::options()
                  .kernel(DispatchKey::CPU, [](Tensor x) { return x + 2; })
                  .kernel(DispatchKey::CUDA, [](Tensor x) { return x + 3; }));
  const Tensor x = torch::ones({2});
  EXPECT((op<Tensor(Tensor, int64_t)>("old::f").call(x, 5).equal(x * 5)));
  EXPECT(op<Tensor(Tensor)>("old::g").call(x).equal(x + 1));
  EXPECT(op<Tensor(Tensor)>("old::h").call(x).equal(x + 2));
  EXPECT(text_of("old::g") == "old::g(Tensor _0) -> Tensor _0");
}
// Calls go on while other operators, and other kernels of this one, come and go.
static void threads() {
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  const Tensor x = torch::ones({2});
  std::vector<std::thread> callers;
  torch::Library m(torch::Library::FRAGMENT, "busy", c10::nullopt, "f.cpp", 3);
  m.def("f(Tensor x) -> Tensor", [](const Tensor& t) { return t + 1; });
  const auto f = op<Tensor(const Tensor&)>("busy::f");
  for (int i = 0; i < 2; ++i)
    callers.emplace_back([&] {
      while (!ends) {
        const float v = f.call(x)[0].item<float>();
        wrong += v != 2 && v != 3;
      }
    });
  for (int i = 0; i < 200; ++i) {
    torch::Library other(torch::Library::IMPL, "busy", DispatchKey::CPU, "f.cpp", 4);
    other.impl("f", [](const Tensor& t) { return t + 2; });
    torch::Library more(torch::Library::FRAGMENT, "busy", c10::nullopt, "f.cpp", 5);
    more.def("g(Tensor x) -> Tensor");
    EXPECT(op<Tensor(const Tensor&)>("busy::g").hasSchema());
  }
  ends = true;
  for (std::thread& t : callers) t.join();
  EXPECT(wrong == 0);
}

int main() {
  kernels_by_key();
  devices();
  signatures();
  stacks();
  schemas();
  ops_of_aten();
  errors();
  errors_of_registration();
  lifetimes();
  kernels_before_definitions();
  keys_that_pass_calls_on();
  older_way();
  threads();
}
