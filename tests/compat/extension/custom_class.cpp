// A program's classes: their objects in IValues and as arguments of operators, and their methods.
// What is expected is what PyTorch 2.15 does with this very program.
#include <torch/custom_class.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "expect.h"

namespace {

struct Counter : torch::CustomClassHolder {
  explicit Counter(int64_t from) : n(from) {}
  int64_t next() { return n++; }
  int64_t skip(int64_t count) {
    n += count;
    return n;
  }
  void reset() { n = 0; }
  int64_t n;
};
struct Unknown : torch::CustomClassHolder {};

const char* const kName = "__torch__.torch.classes.shop.Counter";

}  // namespace

TORCH_LIBRARY(shop, m) {
  m.class_<Counter>("Counter")
      .def(torch::init<int64_t>())
      .def("next", &Counter::next)
      .def("skip", &Counter::skip)
      .def("reset", &Counter::reset)
      .def("twice", [](const c10::intrusive_ptr<Counter>& self) { return 2 * self->n; })
      .def_readwrite("n", &Counter::n)
      .def_static("zero", [] { return c10::make_intrusive<Counter>(0); });
  m.def("plus(__torch__.torch.classes.shop.Counter c, Tensor x) -> Tensor",
        [](const c10::intrusive_ptr<Counter>& c, torch::Tensor x) { return x + c->next(); });
  m.def("counters", [](int64_t n) {
    std::vector<c10::intrusive_ptr<Counter>> all;
    for (int64_t i = 0; i < n; ++i) all.push_back(c10::make_intrusive<Counter>(i));
    return all;
  });
}

static c10::OperatorHandle find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

static void objects() {
  const c10::IValue v = torch::make_custom_class<Counter>(int64_t{4});
  EXPECT(v.isCustomClass() && !v.isTensor() && v.toCustomClass<Counter>()->n == 4);
  EXPECT(has(thrown<c10::Error>([] { torch::make_custom_class<Unknown>(); }),
             "Trying to instantiate a class that isn't a registered custom class"));
  EXPECT(has(thrown<c10::Error>([&] { v.toInt(); }), "xpected"));
}
static void arguments() {
  const auto counter = c10::make_intrusive<Counter>(4);
  const torch::Tensor x = torch::ones({2});
  const auto plus =
      find("shop::plus").typed<torch::Tensor(const c10::intrusive_ptr<Counter>&, torch::Tensor)>();
  EXPECT(plus.call(counter, x).equal(x + 4) && counter->n == 5);
  torch::jit::Stack stack{counter, x};
  plus.callBoxed(stack);
  EXPECT(stack[0].toTensor().equal(x + 5) && counter->n == 6);
  stack = {1, x};
  EXPECT(has(thrown<c10::Error>([&] { plus.callBoxed(stack); }), "Object"));
  std::ostringstream text;
  text << find("shop::counters").schema();
  EXPECT(text.str() == "shop::counters(int _0) -> __torch__.torch.classes.shop.Counter[] _0");
  stack = {3};
  find("shop::counters").callBoxed(stack);
  EXPECT(stack[0].toListRef()[2].toCustomClass<Counter>()->n == 2);
}
static void methods() {
  const auto type = torch::getCustomClass(kName);
  EXPECT(type && !torch::getCustomClass("__torch__.torch.classes.shop.Absent"));
  EXPECT(type->findMethod("absent") == nullptr);
  const auto counter = c10::make_intrusive<Counter>(4);
  EXPECT((*type->findMethod("next"))({counter}).toInt() == 4 && counter->n == 5);
  EXPECT((*type->findMethod("skip"))({counter, 10}).toInt() == 15);
  EXPECT((*type->findMethod("twice"))({counter}).toInt() == 30);
  torch::jit::Stack stack{counter};
  type->findMethod("reset")->run(stack);
  EXPECT(stack.size() == 1 && stack[0].isNone() && counter->n == 0);
  EXPECT(has(thrown<std::exception>([&] { (*type->findMethod("skip"))({counter}); }), "skip"));
  EXPECT(has(thrown<std::exception>([&] {
               (*type->findMethod("skip"))({counter, "a"});
             }),
             "xpected"));
  EXPECT((*type->findStaticMethod("zero"))({}).toCustomClass<Counter>()->n == 0);
}
static void registration() {
  EXPECT(has(thrown<c10::Error>([] { torch::class_<Counter>("shop", "Counter"); }),
             "is already registered"));
}

int main() {
  objects();
  arguments();
  methods();
  registration();
}
