// A load that fails, wherever it does, leaves the options and every state bit for bit as they were,
// and says what was wrong.
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/optim.h>

#include "archive_util.h"
#include "script_archive.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using namespace optim;

/// Three parameters in two groups, the last the largest.
std::vector<OptimizerParamGroup> groups(int64_t last = 4) {
  std::vector<OptimizerParamGroup> list;
  const auto leaf = [](int64_t n) { return numbers({n}).requires_grad_(); };
  list.emplace_back(std::vector<Tensor>{leaf(2), leaf(3)});
  list.emplace_back(std::vector<Tensor>{leaf(last)});
  return list;
}

/// Steps with fixed gradients, from `first` on.
void walk(Optimizer& opt, int first, int steps) {
  for (int t = first; t < first + steps; ++t) {
    for (auto& group : opt.param_groups())
      for (Tensor& p : group.params()) p.mutable_grad() = numbers(p.sizes().vec()) * (t + 1);
    opt.step();
  }
}

/// Whether the entry is the archive of one parameter's state, which a file may lack.
bool is_state(const std::string& name) {
  return name.rfind("state.", 0) == 0 && name.find('.', 6) == std::string::npos;
}

template <class Opt>
void refuses(Opt& opt, const std::string& bytes, const std::string& text) {
  const std::string before = saved(opt);
  std::vector<const void*> states;
  for (const auto& item : opt.state()) states.push_back(item.second.get());
  expect_error(text, [&] { load(opt, bytes.data(), bytes.size()); });
  expect_error(text, [&] {
    serialize::InputArchive archive = opened(bytes);
    opt.load(archive);
  });
  EXPECT_EQ(saved(opt), before) << text;
  size_t i = 0;
  for (const auto& item : opt.state()) EXPECT_EQ(item.second.get(), states[i++]) << text;
}

template <class Opt, class Options>
void refuses_all(Options options) {
  Opt from(groups(), options), to(groups(), options);
  walk(from, 0, 3);
  from.param_groups()[1].options().set_lr(0.5);
  walk(to, 5, 2);
  const std::string good = saved(from);
  const IValue wrong_kind(std::vector<Tensor>{});
  for (const std::string& name : entries_of(good)) {
    SCOPED_TRACE(name);
    if (!is_state(name)) refuses(to, with_entry(good, name, nullopt), "'" + name + "'");
    refuses(to, with_entry(good, name, wrong_kind), "'" + name + "'");
    serialize::InputArchive archive = opened(good);
    Tensor t;
    if (archive.try_read(name, t) && t.defined())
      refuses(to, with_entry(good, name, IValue(numbers({t.numel() + 1}))),
              "load: '" + name + "': expected a tensor of sizes [");
  }
  for (size_t n : {size_t{0}, size_t{7}, size_t{100}, good.size() / 2, good.size() - 1})
    refuses(to, good.substr(0, n), "load: the data: ");
  refuses(to, "epoch,loss\n1,0.5\n2,0.25\n", "expected a safetensors file");
  refuses(to, saved(numbers({3})), "'param_groups'");

  Opt other(groups(5), options);  // the last parameter has another shape
  walk(other, 0, 3);
  refuses(to, saved(other), "load: 'state.2.");

  load(to, good.data(), good.size());
  EXPECT_EQ(saved(to), good);
}

TEST(FailingOptimizerLoad, ChangesNothingSgd) { refuses_all<SGD>(SGDOptions(0.1).momentum(0.9)); }
TEST(FailingOptimizerLoad, ChangesNothingAdam) {
  refuses_all<Adam>(AdamOptions(0.1).amsgrad(true));
  refuses_all<Adam>(AdamOptions(0.1));
}
TEST(FailingOptimizerLoad, ChangesNothingAdamW) { refuses_all<AdamW>(AdamWOptions(0.1)); }
TEST(FailingOptimizerLoad, ChangesNothingAdagrad) {
  refuses_all<Adagrad>(AdagradOptions(0.1).lr_decay(0.1));
}
TEST(FailingOptimizerLoad, ChangesNothingRMSprop) {
  refuses_all<RMSprop>(RMSpropOptions(0.1).centered(true).momentum(0.5));
}

TEST(FailingOptimizerLoad, AnotherOptimizersFileChangesNothing) {
  SGD sgd(groups(), SGDOptions(0.1).momentum(0.9));
  Adam adam(groups(), AdamOptions(0.1));
  walk(sgd, 0, 2);
  walk(adam, 0, 2);
  refuses(adam, saved(sgd), "No such serialized");
  refuses(sgd, saved(adam), "No such serialized");
}

TEST(FailingOptimizerLoad, AParameterWithoutStateMayBeMissing) {
  Adam from(groups(), AdamOptions(0.1)), to(groups(), AdamOptions(0.1));
  walk(from, 0, 2);
  walk(to, 0, 1);
  const std::string bytes = with_entry(saved(from), "state.1", nullopt);
  load(to, bytes.data(), bytes.size());
  EXPECT_EQ(to.state().size(), 2u);
}

/// A group as LibTorch writes it: parameters have the text of an address.
ScriptModule libtorch_group(std::vector<Tensor>& storages, int first, int count, double lr) {
  ScriptModule group(storages), options(storages);
  options.write("lr", lr).write("betas", std::pair(0.8, 0.95)).write("eps", 1e-8);
  options.write("weight_decay", 0.0).write("amsgrad", false);
  group.write("params/size", full({}, count, kLong));
  for (int i = 0; i < count; ++i)
    group.write("params/" + std::to_string(i), "9384797" + std::to_string(first + i));
  return group.write("options", options);
}

/// A file of Adam without amsgrad, which holds no max_exp_avg_sq.
std::string libtorch_adam(int64_t last) {
  std::vector<Tensor> storages;
  ScriptModule adam(storages), states(storages), all(storages);
  for (int i = 0; i < 3; ++i) {
    const Tensor m = numbers({i == 2 ? last : i + 2});
    ScriptModule state(storages);
    state.write("step", int64_t{5}).write("exp_avg", m).write("exp_avg_sq", m * m);
    states.write("9384797" + std::to_string(i), state);
  }
  all.write("param_groups/size", full({}, 2, kLong));
  all.write("param_groups/0", libtorch_group(storages, 0, 2, 0.25));
  all.write("param_groups/1", libtorch_group(storages, 2, 1, 0.5));
  adam.write("pytorch_version", std::string("1.5.0")).write("state", states);
  return script_archive(adam.write("param_groups", all), storages);
}

TEST(FilesOfLibTorch, HoldTheStateOfAnOptimizer) {
  Adam adam(groups(), AdamOptions(0.1));
  const std::string bytes = libtorch_adam(4);
  load(adam, bytes.data(), bytes.size());
  EXPECT_EQ(adam.param_groups()[1].options().get_lr(), 0.5);
  const auto& options = static_cast<AdamOptions&>(adam.param_groups()[0].options());
  EXPECT_EQ(options.betas(), std::make_tuple(0.8, 0.95));
  for (auto& group : adam.param_groups())
    for (Tensor& p : group.params()) {
      auto& state = static_cast<AdamParamState&>(*adam.state().at(p.unsafeGetTensorImpl()));
      EXPECT_EQ(state.step(), 5);
      EXPECT_TRUE(state.exp_avg().equal(numbers(p.sizes().vec())));
      EXPECT_FALSE(state.max_exp_avg_sq().defined());
    }
  walk(adam, 0, 1);
}

TEST(FilesOfLibTorch, OfAnotherOptimizerChangeNothing) {
  Adam adam(groups(), AdamOptions(0.1));
  walk(adam, 0, 2);
  refuses(adam, libtorch_adam(5), "load: 'state.93847972.exp_avg': expected a tensor of sizes [4]");
  SGD sgd(groups(), SGDOptions(0.1).momentum(0.9));
  walk(sgd, 0, 2);
  refuses(sgd, libtorch_adam(4), "No such serialized value");
}

}  // namespace
}  // namespace torch::taper::testing
