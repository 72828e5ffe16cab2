#include "nn/util.h"

#include <taper/nn/init.h>
#include <taper/nn/modules/activation.h>
#include <taper/nn/modules/container/functional.h>
#include <taper/nn/modules/container/moduledict.h>
#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/container/parameters.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/nn/modules/embedding.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/modules/rnn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;
using test::text_of;

struct SumImpl : Module {
  Tensor forward(Tensor x, Tensor y) { return x + y; }
};
TAPER_MODULE(Sum);
struct TimesImpl : Cloneable<TimesImpl> {
  void reset() override {}
  Tensor forward(Tensor x, int k) { return x * k; }
  TAPER_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(3)})
};
TAPER_MODULE(Times);
struct CountImpl : Module {
  int forward(const Tensor& x) { return static_cast<int>(x.numel()); }
};
TAPER_MODULE(Count);

TEST(Sequential, CallsOneAfterAnother) {
  Sequential s(Linear(2, 3), Tanh(), Linear(3, 1));
  const Tensor x = rand({4, 2});
  const Tensor y = s->forward(x);
  EXPECT_EQ(y.sizes(), IntArrayRef({4, 1}));
  const Tensor by_hand = s[2]->as<Linear>()->forward(s[0]->as<Linear>()->forward(x).tanh());
  EXPECT_TRUE(y.equal(by_hand));
  EXPECT_EQ(s->named_parameters().keys(),
            (std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"}));
  EXPECT_TRUE(s(x).equal(y));
}

TEST(Sequential, ErrorsNameTheLayer) {
  Sequential net({{"first", Linear(4, 3)}, {"second", Linear(2, 5)}});
  EXPECT_EQ(message_of([&] {
              net(ones({6, 4}));
            }),
            "linear: mat1 and mat2 shapes cannot be multiplied (6x3 and 2x5): the input has 3 "
            "features, but the weight takes in_features = 2 (in \"second\", a torch::nn::Linear("
            "in_features=2, out_features=5, bias=true)) (in layer 1 of a Sequential)");
  // The type of the error stays.
  Sequential words{Embedding(3, 2)};
  EXPECT_EQ(message_of<IndexError>([&] { words(full({1}, 7, kLong)); }),
            "embedding: index out of range in self: expected at least 0 and below 3, but got 7 (in "
            "\"0\", a torch::nn::Embedding(num_embeddings=3, embedding_dim=2)) (in layer 0 of a "
            "Sequential)");
  Sequential recurrent{LSTM(4, 4), Linear(4, 2)};
  EXPECT_NE(message_of([&] {
              recurrent(ones({2, 1, 4}));
            })
                .find("A module such as an LSTM returns a tuple: take its first element by a "
                      "function between"),
            std::string::npos);
}

TEST(Sequential, PassesSeveralArgumentsAndOtherTypes) {
  Sequential s{Sum(), Count()};
  EXPECT_EQ(s->forward<int>(ones({2, 3}), ones({2, 3})), 6);
  EXPECT_EQ(message_of([&] { s->forward(ones({1}), ones({1})); }),
            "The type of the return value is int, but you asked for type torch::Tensor");
  EXPECT_NE(
      message_of([&] { s->forward<int>(ones({1}), 3); })
          .find("Expected argument #1 to be of type torch::Tensor, but received value of type "
                "int (in layer 0 of a Sequential, \"0\", a "),
      std::string::npos);
  EXPECT_NE(message_of([&] {
              s->forward<int>(ones({1}));
            }).find("SumImpl's forward() method expects 2 argument(s), but received 1. If "),
            std::string::npos);
}

TEST(Sequential, FillsDefaultArguments) {
  Sequential s;
  s->push_back(Times());
  expect_values(s->forward(ones({1})), {3});
  expect_values(s->forward(ones({1}), 5), {5});
  EXPECT_NE(message_of([&] {
              s->forward(ones({1}), 1, 2);
            }).find("expects at least 1 argument(s) and at most 2 argument(s), but received 3."),
            std::string::npos);
}

TEST(Sequential, TakesNames) {
  Sequential s({{"fc", Linear(1, 2)}, {"act", ReLU()}});
  EXPECT_EQ(text_of(s),
            "torch::nn::Sequential(\n"
            "  (fc): torch::nn::Linear(in_features=1, out_features=2, bias=true)\n"
            "  (act): torch::nn::ReLU()\n"
            ")");
  OrderedDict<std::string, AnyModule> dict;
  dict.insert("x", AnyModule(Linear(1, 1)));
  EXPECT_EQ(Sequential(std::move(dict))->named_children().keys(), (std::vector<std::string>{"x"}));
  s->push_back("more", Sigmoid());
  EXPECT_EQ(s->named_children().keys().back(), "more");
}

TEST(Sequential, GrowsAndIterates) {
  Sequential a(Linear(1, 1)), b{ReLU(), Tanh()};
  a->extend(*b);
  a->push_back(std::make_shared<SigmoidImpl>());
  a->push_back(LinearImpl(1, 2));
  EXPECT_EQ(a->size(), 5u);
  EXPECT_EQ(a->at<LinearImpl>(0).options.in_features(), 1);
  EXPECT_EQ(a->ptr(2), b->ptr(1));
  int count = 0;
  for (auto& module : *a) count += !module.is_empty();
  EXPECT_EQ(count, 5);
  EXPECT_EQ(message_of([&] { a->ptr(7); }),
            "Sequential: Index out of range: expected an index below 5, got 7");
  EXPECT_EQ(message_of([&] { a->at<LinearImpl>(1); }),
            "Attempted to cast module of type torch::nn::ReLUImpl to type torch::nn::LinearImpl");
}

TEST(Sequential, IsExtendedByItself) {
  Sequential s{ReLU(), Tanh()};
  s->extend(*s);
  EXPECT_EQ(s->size(), 4u);
  EXPECT_EQ(s->ptr(3), s->ptr(1));
  EXPECT_EQ(s->named_children().keys(), (std::vector<std::string>{"0", "1", "2", "3"}));
  ModuleList list{ReLU(), Tanh()};
  list->extend(*list);
  EXPECT_EQ(list->size(), 4u);
  EXPECT_EQ(list->ptr(3), list->ptr(1));
}

TEST(Sequential, EmptyOneThrows) {
  Sequential s;
  EXPECT_TRUE(s->is_empty());
  EXPECT_EQ(message_of([&] { s->forward(ones({1})); }),
            "Cannot call forward() on an empty Sequential");
}

TEST(Sequential, CloneIsDeep) {
  Sequential s({{"fc", Linear(2, 2)}});
  s->eval();
  auto copy = std::dynamic_pointer_cast<SequentialImpl>(s->clone());
  const Tensor x = rand({1, 2});
  EXPECT_TRUE(copy->forward(x).equal(s->forward(x)));
  EXPECT_FALSE(copy->is_training());
  EXPECT_EQ(copy->named_parameters().keys(), (std::vector<std::string>{"fc.weight", "fc.bias"}));
  init::zeros_(copy->at<LinearImpl>(0).weight);
  EXPECT_FALSE(s->at<LinearImpl>(0).weight.equal(copy->at<LinearImpl>(0).weight));
}

TEST(AnyModule, KnowsItsModule) {
  Linear l(2, 1);
  AnyModule any(l);
  EXPECT_EQ(any.get<Linear>().ptr(), l.ptr());
  EXPECT_EQ(&any.get<LinearImpl>(), l.get());
  EXPECT_EQ(any.ptr<LinearImpl>(), l.ptr());
  EXPECT_EQ(any.type_info(), typeid(LinearImpl));
  EXPECT_TRUE(any.forward(ones({1, 2})).equal(l(ones({1, 2}))));
  EXPECT_NE(any.clone().ptr(), any.ptr());
  AnyModule shared = any;
  EXPECT_EQ(shared.ptr(), any.ptr());
  AnyModule empty;
  EXPECT_EQ(message_of([&] { empty.forward(1); }), "Cannot call forward() on an empty AnyModule");
  EXPECT_EQ(message_of([&] { empty.ptr(); }), "Cannot call ptr() on an empty AnyModule");
  EXPECT_EQ(message_of([&] { empty.get<LinearImpl>(); }),
            "Cannot call get() on an empty AnyModule");
  AnyModule null{std::shared_ptr<ReLUImpl>()}, from{ReLU()};
  const AnyModule to = std::move(from);
  for (const AnyModule* any : {&empty, &null, &from}) {
    EXPECT_TRUE(any->is_empty() && !any->maps_tensor());
    EXPECT_NE(message_of([&] { any->map(ones({1})); }).find("maps a tensor"), std::string::npos);
  }
  EXPECT_TRUE(to.maps_tensor() && to.map(ones({1})).equal(ones({1})));
}

TEST(AnyValue, GivesBackOnlyItsOwnType) {
  AnyValue v(3);
  EXPECT_EQ(v.get<int>(), 3);
  EXPECT_EQ(v.try_get<float>(), nullptr);
  EXPECT_EQ(message_of([&] { v.get<float>(); }),
            "Attempted to cast AnyValue to float, but its actual type is int");
  AnyValue copy = v;
  *copy.try_get<int>() = 4;
  EXPECT_EQ(v.get<int>(), 3);
}

TEST(ModuleList, HoldsInsertsAndPrints) {
  ModuleList list(Linear(1, 2), ReLU());
  list->insert(1, Tanh());
  EXPECT_EQ(text_of(list),
            "torch::nn::ModuleList(\n"
            "  (0): torch::nn::Linear(in_features=1, out_features=2, bias=true)\n"
            "  (1): torch::nn::Tanh()\n"
            "  (2): torch::nn::ReLU()\n"
            ")");
  EXPECT_EQ(list->at<LinearImpl>(0).options.out_features(), 2);
  EXPECT_EQ(list->ptr<TanhImpl>(1), list[1]);
  EXPECT_EQ(list->clone()->named_parameters().keys(),
            (std::vector<std::string>{"0.weight", "0.bias"}));
  EXPECT_EQ(message_of([&] { list->ptr(3); }),
            "ModuleList: Index out of range: expected an index below 3, got 3");
  EXPECT_NE(message_of([&] { list->at<LinearImpl>(1); }).find("torch::nn::TanhImpl"),
            std::string::npos);
}

TEST(ModuleDict, HoldsUnderNames) {
  ModuleDict dict;
  dict->update({{"a", Linear(1, 2).ptr()}, {"b", ReLU().ptr()}});
  EXPECT_EQ(dict->keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(dict->named_parameters().keys(), (std::vector<std::string>{"a.weight", "a.bias"}));
  EXPECT_EQ(dict->at<LinearImpl>("a").options.out_features(), 2);
  dict->update({{"a", Tanh().ptr()}});
  EXPECT_EQ(dict->size(), 2u);
  EXPECT_EQ(text_of(*dict->pop("a")), "torch::nn::Tanh()");
  EXPECT_FALSE(dict->contains("a"));
  EXPECT_EQ(message_of([&] { dict->pop("a"); }), "Key 'a' is not defined");
  dict->clear();
  EXPECT_TRUE(dict->empty() && dict->children().empty());
}

TEST(ParameterList, HoldsAndPrints) {
  ParameterList list(zeros({2}), ones({2, 3}).requires_grad_());
  EXPECT_EQ(text_of(list),
            "torch::nn::ParameterList(\n"
            "(0): Parameter containing: [Float of size [2]]\n"
            "(1): Parameter containing: [Float of size [2, 3]]\n"
            ")");
  EXPECT_FALSE(list[0].requires_grad());
  EXPECT_TRUE(list->at(1).requires_grad());
  EXPECT_EQ(message_of([&] { list->at(2); }),
            "ParameterList: Index out of range: expected an index below 2, got 2");
  auto copy = std::dynamic_pointer_cast<ParameterListImpl>(list->clone());
  EXPECT_FALSE(copy->at(1).is_same(list->at(1)));
  EXPECT_TRUE(copy->at(1).equal(list->at(1)));
}

TEST(ParameterList, GrowsByLists) {
  ParameterList a(zeros({1}), ones({1}).requires_grad_()), b(full({1}, 2));
  EXPECT_EQ(&(*a += *b), a.get());
  (*a += std::vector<Tensor>{full({1}, 3)}) += *a;
  EXPECT_EQ(a->size(), 8u);
  EXPECT_EQ(b->size(), 1u);
  EXPECT_EQ(a->named_parameters().keys().back(), "7");
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(a[i].item<float>(), static_cast<float>(i % 4)) << i;
  EXPECT_TRUE(a[5].requires_grad());
  EXPECT_FALSE(a[6].requires_grad());
}

TEST(ParameterDict, HoldsUnderNames) {
  ParameterDict dict;
  dict->insert("k", zeros({3}));
  EXPECT_EQ(text_of(dict),
            "torch::nn::ParameterDict(\n(k): Parameter containing: [Float of size [3]]\n)");
  EXPECT_EQ(dict->pop("k").numel(), 3);
  EXPECT_TRUE(dict->empty());
}

TEST(Functional, BindsFurtherArguments) {
  Functional plain([](Tensor x) { return x + 1; });
  expect_values(plain(ones({1})), {2});
  Functional bound([](const Tensor& x, double a, int b) { return x * a + b; }, 2.0, 3);
  expect_values(bound(ones({1})), {5});
  EXPECT_EQ(text_of(bound), "torch::nn::Functional()");
  EXPECT_FALSE(bound->is_serializable());
  expect_values(Sequential(bound, plain)->forward(ones({1})), {6});
}

TEST(ModuleDict, IsMadeFromPairsOrADictionary) {
  const std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>> pairs = {
      {"fc", Linear(2, 3).ptr()}, {"act", ReLU().ptr()}};
  ModuleDict dict(pairs);
  EXPECT_EQ(dict->items(), pairs);
  EXPECT_EQ(dict->values()[1], pairs[1].second);
  EXPECT_EQ(dict->ptr<ReLUImpl>("act"), pairs[1].second);
  EXPECT_EQ(dict->ptr<ReLUImpl>("fc"), nullptr);
  EXPECT_NE(message_of([&] { dict->at<ReLUImpl>("fc"); }).find("torch::nn::LinearImpl"),
            std::string::npos);
  EXPECT_EQ(text_of(dict),
            "torch::nn::ModuleDict(\n"
            "  (fc): torch::nn::Linear(in_features=2, out_features=3, bias=true)\n"
            "  (act): torch::nn::ReLU()\n"
            ")");
  ModuleDictImpl::Dict named;
  for (const auto& [key, module] : pairs) named.insert(key, module);
  EXPECT_EQ(ModuleDict(named)->keys(), dict->keys());
}

TEST(ModuleDict, CloneHasItsOwnModules) {
  ModuleDict dict;
  dict->update({{"fc", Linear(2, 3).ptr()}});
  dict->eval();
  const auto copy = std::dynamic_pointer_cast<ModuleDictImpl>(dict->clone());
  const Tensor weight = copy->at<LinearImpl>("fc").weight;
  EXPECT_FALSE(weight.is_same(dict->at<LinearImpl>("fc").weight));
  EXPECT_TRUE(weight.equal(dict->at<LinearImpl>("fc").weight));
  EXPECT_FALSE(copy->is_training());
}

TEST(ParameterDict, UpdatesClearsAndClones) {
  OrderedDict<std::string, Tensor> first;
  first.insert("a", zeros({2}));
  first.insert("b", ones({1}).requires_grad_());
  ParameterDict dict(first);
  EXPECT_EQ(dict->keys(), (std::vector<std::string>{"a", "b"}));
  OrderedDict<std::string, Tensor> second;
  second.insert("a", full({2}, 5));
  second.insert("c", zeros({}));
  EXPECT_NE(message_of([&] { dict->update(second); }).find("Parameter 'c' is not defined"),
            std::string::npos);
  expect_values(dict->get("a"), {0, 0});  // nothing was replaced
  second.erase("c");
  dict->update(second);
  expect_values(dict->get("a"), {5, 5});
  EXPECT_EQ(dict->values().size(), 2u);
  const auto copy = std::dynamic_pointer_cast<ParameterDictImpl>(dict->clone());
  EXPECT_FALSE((*copy)["b"].is_same(dict["b"]));
  EXPECT_TRUE((*copy)["b"].equal(dict["b"]) && (*copy)["b"].requires_grad());
  dict->clear();
  EXPECT_TRUE(dict->empty() && dict->parameters().empty());
}

struct Chain : nn::SequentialImpl {
  using nn::SequentialImpl::SequentialImpl;
  Tensor forward(Tensor x) { return nn::SequentialImpl::forward(std::move(x)); }
};

TEST(Sequential, RefusesToContainItself) {
  const auto net = std::make_shared<Chain>(nn::Linear(2, 2));
  const auto inner = std::make_shared<Chain>(nn::Linear(2, 2));
  const char* const words =
      "register_module: expected a module under the name '1' that is apart from its parent";
  testing::expect_error(words, [&] { net->push_back(net); });
  net->push_back(inner);
  testing::expect_error(words, [&] { inner->push_back(net); });
  EXPECT_EQ(net->size(), 2u);
  EXPECT_EQ(inner->size(), 1u);
  EXPECT_EQ(net->parameters().size(), 4u);
}

Tensor doubled(const Tensor& x) { return x * 2; }

TEST(Sequential, TakesFunctions) {
  const std::function<Tensor(Tensor)> held = doubled;
  Sequential s(
      doubled, [](Tensor x) { return x + 1; }, [](const auto& x) { return x * 3; }, held,
      [](const Tensor& x) noexcept { return x; });
  expect_values(s->forward(ones({1})), {18});
  expect_values(s->clone()->as<Sequential>()->forward(ones({1})), {18});
  s->push_back("last", [](Tensor x) { return -x; });
  expect_values(s(ones({1})), {-18});
  Sequential named({{"fc", Linear(1, 2)}, {"twice", doubled}});
  EXPECT_EQ(text_of(named),
            "torch::nn::Sequential(\n"
            "  (fc): torch::nn::Linear(in_features=1, out_features=2, bias=true)\n"
            "  (twice): torch::nn::Functional()\n"
            ")");
  AnyModule any(doubled), copy(any);
  expect_values(copy.forward(ones({1})), {2});
}

TEST(Sequential, TakesFunctionsOfOtherTypes) {
  using Output = std::tuple<Tensor, std::tuple<Tensor, Tensor>>;
  const auto first = [](Output y) { return std::get<0>(y); };
  Sequential s(LSTM(4, 5), first, Linear(5, 1));
  EXPECT_EQ(s->forward(ones({3, 2, 4})).sizes(), IntArrayRef({3, 2, 1}));
  EXPECT_EQ(s->clone()->as<Sequential>()->forward(ones({3, 2, 4})).sizes(), IntArrayRef({3, 2, 1}));
  EXPECT_EQ(s->parameters().size(), 6u);
  EXPECT_EQ(s[1]->name(), "torch::nn::Functional()");
  Sequential count([](Tensor x) { return static_cast<int>(x.numel()); });
  EXPECT_EQ(count->forward<int>(ones({3})), 3);
}

}  // namespace
}  // namespace torch::taper
