#include "nn/util.h"

#include <taper/nn/modules/activation.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/nn/modules/linear.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using nn::Linear;
using nn::Module;
using nn::ReLU;
using nn::Sequential;
using test::message_of;
using test::text_of;

// A parameter, a buffer, a module and a module with modules.
struct Net : Module {
  Net() {
    a = register_module("a", Linear(2, 3));
    s = register_module("s", Sequential(Linear(1, 2), ReLU()));
    w = register_parameter("w", zeros({2}));
    count = register_buffer("count", zeros({}, kLong));
  }
  Linear a{nullptr};
  Sequential s{nullptr};
  Tensor w, count;
};

struct DeepImpl : nn::Cloneable<DeepImpl> {
  DeepImpl() { reset(); }
  void reset() override {
    inner = register_module("inner", Linear(2, 2));
    scale = register_parameter("scale", ones({2}));
    seen = register_buffer("seen", zeros({1}));
  }
  Tensor forward(const Tensor& x) { return inner->forward(x) * scale; }
  Linear inner{nullptr};
  Tensor scale, seen;
};
TAPER_MODULE(Deep);

TEST(Module, NamesAreThePathsInTheOrderOfRegistration) {
  auto net = std::make_shared<Net>();
  EXPECT_EQ(net->named_parameters().keys(),
            (std::vector<std::string>{"w", "a.weight", "a.bias", "s.0.weight", "s.0.bias"}));
  EXPECT_EQ(net->named_parameters(/*recurse=*/false).keys(), (std::vector<std::string>{"w"}));
  EXPECT_EQ(net->named_buffers().keys(), (std::vector<std::string>{"count"}));
  EXPECT_EQ(net->named_children().keys(), (std::vector<std::string>{"a", "s"}));
  EXPECT_EQ(net->named_modules().keys(), (std::vector<std::string>{"", "a", "s", "s.0", "s.1"}));
  EXPECT_EQ(net->named_modules("net", false).keys(),
            (std::vector<std::string>{"net.a", "net.s", "net.s.0", "net.s.1"}));
  EXPECT_EQ(net->parameters().size(), 5u);
  EXPECT_EQ(net->modules().size(), 5u);
  EXPECT_EQ(net->children().size(), 2u);
  EXPECT_TRUE(net->parameters()[1].is_same(net->a->weight));
}

TEST(Module, ParametersAskForGradientsAndBuffersDoNot) {
  Net net;
  EXPECT_TRUE(net.w.requires_grad());
  EXPECT_FALSE(net.count.requires_grad());
  Tensor frozen = net.register_parameter("frozen", zeros({1}), /*requires_grad=*/false);
  EXPECT_FALSE(frozen.requires_grad());
}

TEST(Module, UndefinedTensorsKeepTheirPlaceButAreNotListed) {
  Linear l(nn::LinearOptions(2, 3).bias(false));
  EXPECT_FALSE(l->bias.defined());
  EXPECT_EQ(l->named_parameters().keys(), (std::vector<std::string>{"weight"}));
  EXPECT_EQ(message_of([&] { l->register_parameter("bias", zeros({3})); }),
            "Parameter 'bias' already defined");
}

TEST(Module, NameIsTheClass) {
  Net net;
  EXPECT_NE(net.name().find("Net"), std::string::npos);
  EXPECT_EQ(Linear(1, 2)->name(), "torch::nn::LinearImpl");
  EXPECT_EQ(Module("given").name(), "given");
}

TEST(Module, PrintsAsATree) {
  auto net = std::make_shared<Net>();
  EXPECT_EQ(text_of(*net),
            net->name() +
                "(\n"
                "  (a): torch::nn::Linear(in_features=2, out_features=3, bias=true)\n"
                "  (s): torch::nn::Sequential(\n"
                "    (0): torch::nn::Linear(in_features=1, out_features=2, bias=true)\n"
                "    (1): torch::nn::ReLU()\n"
                "  )\n"
                ")");
}

TEST(Module, RefusesBadNames) {
  Net net;
  const Tensor t = zeros({1});
  EXPECT_EQ(message_of([&] { net.register_parameter("", t); }), "Parameter name must not be empty");
  EXPECT_EQ(message_of([&] { net.register_parameter("a.b", t); }),
            "Parameter name must not contain a dot (got 'a.b')");
  EXPECT_EQ(message_of([&] { net.register_parameter("w", t); }), "Parameter 'w' already defined");
  EXPECT_EQ(message_of([&] { net.register_buffer("", t); }), "Buffer name must not be empty");
  EXPECT_EQ(message_of([&] { net.register_buffer("count", t); }), "Buffer 'count' already defined");
  EXPECT_EQ(message_of([&] { net.register_module("", Linear(1, 2)); }),
            "Submodule name must not be empty");
  EXPECT_EQ(message_of([&] { net.register_module("a", Linear(1, 2)); }),
            "Submodule 'a' already defined");
  EXPECT_EQ(message_of([&] { net.replace_module("zz", Linear(1, 2)); }),
            "Submodule 'zz' is not defined");
  EXPECT_EQ(message_of([&] { net.unregister_module("zz"); }),
            "No Module with name `zz` is registered");
}

TEST(Module, ReplacesAndUnregisters) {
  Net net;
  Linear other(5, 6);
  EXPECT_EQ(net.replace_module("a", other), other.ptr());
  EXPECT_EQ(message_of([&] { net.replace_module("a", std::shared_ptr<Module>()); }),
            "replace_module: expected a module for the name 'a', got an empty pointer");
  const auto whole = std::make_shared<Module>(), part = std::make_shared<Module>();
  whole->register_module("part", part);
  part->register_module("a", Linear(1, 2));
  testing::expect_error("replace_module: expected a module for the name 'a' that is apart",
                        [&] { part->replace_module("a", whole); });
  EXPECT_TRUE(net.named_parameters()["a.weight"].is_same(other->weight));
  net.unregister_module("s");
  EXPECT_EQ(net.named_children().keys(), (std::vector<std::string>{"a"}));
}

TEST(Module, TopLevelPointerNeedsASharedPtr) {
  Net net;
  EXPECT_NE(message_of([&] { net.modules(); }).find("it is not stored in a shared_ptr"),
            std::string::npos);
  EXPECT_EQ(net.modules(/*include_self=*/false).size(), 4u);
}

TEST(Module, ApplyVisitsParentsBeforeChildren) {
  auto net = std::make_shared<Net>();
  std::vector<std::string> names;
  net->apply([&](const std::string& name, Module&) { names.push_back(name); }, "top");
  EXPECT_EQ(names, (std::vector<std::string>{"top", "top.a", "top.s", "top.s.0", "top.s.1"}));
  int count = 0;
  net->apply([&](Module&) { ++count; });
  static_cast<const Net&>(*net).apply([&](const Module&) { ++count; });
  net->apply([&](const std::shared_ptr<Module>&) { ++count; });
  net->apply([&](const std::string&, const std::shared_ptr<Module>&) { ++count; });
  EXPECT_EQ(count, 20);
  std::vector<std::string> constant;
  static_cast<const Net&>(*net).apply(
      [&](const std::string& name, const Module&) { constant.push_back(name); }, "top");
  EXPECT_EQ(constant, names);
}

TEST(Module, DefaultArgumentsAreTheSubclasssToGive) {
  struct Derived : Net {
    using Net::_forward_num_required_args;
    using Net::_forward_populate_default_args;
  } net;
  const std::string want = "that has default arguments in `forward` method must override";
  EXPECT_NE(message_of([&] { net._forward_num_required_args(); }).find(want), std::string::npos);
  EXPECT_NE(message_of([&] { net._forward_populate_default_args({}); }).find(want),
            std::string::npos);
}

TEST(Module, TrainAndEvalReachAllModules) {
  Net net;
  EXPECT_TRUE(net.is_training());
  net.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net.s->ptr(1)->is_training());
  net.train();
  EXPECT_TRUE(net.s->ptr(1)->is_training());
}

TEST(Module, ToConvertsInPlace) {
  Net net;
  const Tensor before = net.a->weight;
  before.mutable_grad() = ones({3, 2});
  const Tensor grad = before.grad();
  net.to(kDouble);
  EXPECT_TRUE(net.a->weight.is_same(before));
  EXPECT_EQ(before.scalar_type(), kDouble);
  EXPECT_TRUE(before.is_leaf() && before.requires_grad());
  EXPECT_TRUE(before.grad().is_same(grad));
  EXPECT_EQ(grad.scalar_type(), kDouble);
  EXPECT_EQ(net.count.scalar_type(), kDouble);  // LibTorch converts every dtype
  net.a->forward(ones({1, 2}, kDouble)).sum().backward();
  test::expect_values(before.grad(), {2, 2, 2, 2, 2, 2});
}

TEST(Module, ZeroGrad) {
  Net net;
  net.w.mutable_grad() = ones({2});
  net.zero_grad();
  test::expect_values(net.w.grad(), {0, 0});
  net.zero_grad(/*set_to_none=*/true);
  EXPECT_FALSE(net.w.grad().defined());
}

TEST(Module, AsCasts) {
  auto net = std::make_shared<Net>();
  std::shared_ptr<Module> m = net->a.ptr();
  EXPECT_EQ(m->as<nn::LinearImpl>(), net->a.get());
  EXPECT_EQ(m->as<Linear>(), net->a.get());
  EXPECT_EQ(m->as<nn::ReLUImpl>(), nullptr);
}

TEST(Module, CloneIsDeepAndKeepsValuesAndModes) {
  Deep deep;
  deep->inner->weight.set_requires_grad(false);
  deep->inner->eval();
  auto copy = std::dynamic_pointer_cast<DeepImpl>(deep->clone());
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->inner->weight.equal(deep->inner->weight));
  EXPECT_TRUE(copy->scale.is_same(copy->named_parameters()["scale"]));
  EXPECT_TRUE(copy->inner->weight.is_same(copy->named_parameters()["inner.weight"]));
  EXPECT_FALSE(copy->inner->weight.requires_grad());
  EXPECT_TRUE(copy->inner->bias.requires_grad());
  EXPECT_FALSE(copy->inner->is_training());
  {
    NoGradGuard no_grad;
    copy->inner->weight.zero_();
    copy->seen.fill_(3);
  }
  EXPECT_FALSE(copy->inner->weight.equal(deep->inner->weight));
  EXPECT_EQ(deep->seen.item<float>(), 0);
}

TEST(Module, CloneNeedsReset) {
  Net net;
  EXPECT_EQ(message_of([&] { net.clone(); }),
            "clone() has not been implemented for " + net.name() +
                ". Subclass torch::nn::Cloneable<" + net.name() +
                "> instead of torch::nn::Module to inherit the ability to clone.");
  struct Wrong : nn::Cloneable<Wrong> {
    Wrong() { register_parameter("w", zeros({1})); }
    void reset() override {}
  };
  EXPECT_EQ(
      message_of([] { Wrong().clone(); }),
      "The cloned module does not have the same number of parameters as the original module "
      "after calling reset(). Are you sure you called register_parameter() inside reset() and "
      "not the constructor?");
}

TEST(ModuleHolder, EmptyOneThrows) {
  Linear empty{nullptr};
  EXPECT_TRUE(empty.is_empty());
  EXPECT_FALSE(empty);
  const std::string message =
      "Accessing empty ModuleHolder of a torch::nn::LinearImpl: assign a module before its first "
      "use";
  EXPECT_EQ(message_of([&] { (void)empty->weight; }), message);
  EXPECT_EQ(message_of([&] { empty.ptr(); }), message);
  EXPECT_EQ(message_of([&] { empty(zeros({1})); }), message);
}

TEST(ModuleHolder, CopiesShareTheModule) {
  Linear a(1, 2);
  Linear b = a;
  EXPECT_EQ(a.ptr(), b.ptr());
  EXPECT_TRUE(Linear(a.ptr())->weight.is_same(b->weight));
}

TEST(Module, AnUndefinedParameterThatRequiresAGradientWarns) {
  Module m;
  const std::string text =
      "An undefined tensor cannot require grad. Ignoring the `requires_grad=true` function "
      "parameter.";
  testing::expect_warning(text, [&] { m.register_parameter("a", Tensor()); });
  EXPECT_TRUE(testing::warnings_of([&] { m.register_parameter("b", Tensor(), false); }).empty());
  EXPECT_EQ(m.named_parameters().size(), 0u);
}

TEST(Module, NamesItselfInErrors) {
  struct Pair : Module {
    Linear fc1 = register_module("fc1", Linear(2, 3)), free{4, 5};
  } net;
  EXPECT_EQ(net.fc1->registered_name(), "fc1");
  EXPECT_NE(message_of([&] {
              net.fc1->forward(ones({6, 4}));
            }).find("(in \"fc1\", a torch::nn::Linear(in_features=2, out_features=3, bias=true))"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              net.free(ones({6, 3}));
            }).find("(in torch::nn::Linear(in_features=4, out_features=5, bias=true))"),
            std::string::npos);
  net.replace_module("fc1", Linear(1, 1));
  EXPECT_EQ(net.children()[0]->registered_name(), "fc1");
}

TEST(Module, BindsNamesAndParameters) {
  Linear fc(2, 3);
  std::vector<std::string> names;
  for (auto& [name, p] : fc->named_parameters()) {
    names.push_back(name);
    NoGradGuard no_grad;
    p.fill_(7);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "bias"}));
  testing::expect_values(fc->bias.detach(), {3}, {7, 7, 7});
}

}  // namespace
}  // namespace torch::taper
