// Whole trainings by several ranks give the losses of one process; communication goes on while
// backward does.
#ifdef TAPER_WITH_GLOO
#ifdef TAPER_WITH_UTILS
#include <taper/utils/profiler/profiler.h>
#endif

#include <taper/framework/autograd/engine.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <regex>

#ifdef TAPER_WITH_MPI
#include <taper/distributed/process_group_mpi.h>
#endif

#include "distributed/ranks.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

void fill(nn::Module& module, double size) {
  const NoGradGuard off;
  double start = 0.1;
  for (auto& item : module.named_parameters()) {
    Tensor p = item.value();
    if (item.key().find("norm") != std::string::npos) continue;
    p.copy_(arange(p.numel(), kDouble).mul(1.7).add(start += 0.9).cos().view(p.sizes()) * size);
  }
}

// ---------------------------------------------------------------------- images
struct DigitsImpl : nn::Module {
  static constexpr int64_t kSamples = 16;
  DigitsImpl() { fill(*this, 0.15); }
  Tensor loss(const Tensor& x, const Tensor& target) {
    Tensor y = max_pool2d(first(x).relu(), 2);
    y = max_pool2d(norm(second(y)).relu(), 2);
    return cross_entropy_loss(fc(y.flatten(1)), target);
  }
  Tensor forward(const Tensor& x, const Tensor& target) { return loss(x, target); }
  /// What is gathered by itself where parameters are sharded.
  std::vector<nn::Module*> blocks() { return {&*second, &*fc}; }
  static std::pair<Tensor, Tensor> batch(int64_t step) {
    const Tensor x =
        arange(kSamples * 144, kDouble).mul(0.11 + 0.01 * static_cast<double>(step)).sin();
    return {x.view({kSamples, 1, 12, 12}).to(kFloat), arange(kSamples, kLong).remainder(10)};
  }
  nn::Conv2d first = register_module("first", nn::Conv2d(nn::Conv2dOptions(1, 6, 3).padding(1)));
  nn::Conv2d second = register_module("second", nn::Conv2d(nn::Conv2dOptions(6, 8, 3).padding(1)));
  nn::BatchNorm2d norm = register_module("norm", nn::BatchNorm2d(8));
  nn::Linear fc = register_module("fc", nn::Linear(8 * 3 * 3, 10));
};
TAPER_MODULE(Digits);

// ---------------------------------------------------------------------- text
struct BlockImpl : nn::Module {
  Tensor forward(const Tensor& x) {
    const int64_t n = x.size(0), length = x.size(1);
    const std::vector<Tensor> parts = in(norm1(x)).split(16, 2);
    const auto heads = [&](const Tensor& t) {
      return t.reshape({n, length, 2, 8}).transpose(1, 2);
    };
    const Tensor y = scaled_dot_product_attention(heads(parts[0]), heads(parts[1]), heads(parts[2]),
                                                  {}, 0.0, true);
    const Tensor z = x + out(y.transpose(1, 2).reshape({n, length, 16}));
    return z + down(gelu(up(norm2(z))));
  }
  nn::LayerNorm norm1 = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({16})));
  nn::LayerNorm norm2 = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({16})));
  nn::Linear in = register_module("in", nn::Linear(16, 48));
  nn::Linear out = register_module("out", nn::Linear(16, 16));
  nn::Linear up = register_module("up", nn::Linear(16, 64));
  nn::Linear down = register_module("down", nn::Linear(64, 16));
};
TAPER_MODULE(Block);

struct TextImpl : nn::Module {
  static constexpr int64_t kSamples = 8, kLength = 12, kWords = 23;
  TextImpl() { fill(*this, 0.1); }
  Tensor forward(const Tensor& tokens, const Tensor& targets) {
    Tensor x = words(tokens) + places(arange(kLength, kLong));
    x = second(first(x));
    const Tensor y = norm(x).matmul(words->weight.t());  // the embedding once more
    return cross_entropy_loss(y.view({-1, kWords}), targets.reshape({-1}));
  }
  std::vector<nn::Module*> blocks() { return {&*first, &*second}; }
  static std::pair<Tensor, Tensor> batch(int64_t step) {
    const Tensor all = arange(kSamples * (kLength + 1), kLong).mul(7 + step).remainder(kWords);
    const Tensor rows = all.view({kSamples, kLength + 1});
    return {rows.narrow(1, 0, kLength), rows.narrow(1, 1, kLength)};
  }
  nn::Embedding words = register_module("words", nn::Embedding(kWords, 16));
  nn::Embedding places = register_module("places", nn::Embedding(kLength, 16));
  Block first = register_module("first", Block());
  Block second = register_module("second", Block());
  nn::LayerNorm norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({16})));
};
TAPER_MODULE(Text);

// ---------------------------------------------------------------------- ways to train
enum class Way { kReplicas, kShardedState, kShardedParameters };

constexpr int64_t kSteps = 8;

/// Mean losses over the ranks, one for each step, of the same batches by however many.
template <class Net>
std::vector<double> losses_of(int ranks, Way way) {
  std::vector<double> losses;
  in_groups(ranks, [&](ProcessGroup& group) {
    const intrusive_ptr<ProcessGroup> pointer(&group);
    Net net;
    nn::convert_sync_batchnorm(net, pointer);
    std::unique_ptr<DistributedDataParallel<typename Net::Impl>> replicas;
    if (way == Way::kShardedParameters) {
      for (nn::Module* block : net->blocks())
        fully_shard(*block, FullyShardOptions().process_group(pointer));
      fully_shard(net, FullyShardOptions().process_group(pointer));
    } else {
      replicas = std::make_unique<DistributedDataParallel<typename Net::Impl>>(
          net, DistributedDataParallelOptions().process_group(pointer).bucket_cap_mb(0.002));
    }
    const auto options = optim::AdamWOptions(3e-3);
    std::unique_ptr<optim::Optimizer> optimizer;
    if (way == Way::kShardedState)
      optimizer =
          optim::ZeroRedundancyOptimizer::of<optim::AdamW>(net->parameters(), options, pointer);
    else
      optimizer = std::make_unique<optim::AdamW>(net->parameters(), options);
    for (int64_t step = 0; step < kSteps; ++step) {
      const auto [x, target] = Net::Impl::batch(step);
      const int64_t n = x.size(0) / ranks, begin = n * group.getRank();
      const Tensor own = x.narrow(0, begin, n), own_target = target.narrow(0, begin, n);
      optimizer->zero_grad();
      const Tensor loss = replicas ? (*replicas)(own, own_target) : net(own, own_target);
      loss.backward();
      optimizer->step();
      std::vector<Tensor> mean = {loss.detach().clone()};
      AllreduceOptions average;
      average.reduceOp = ReduceOp::AVG;
      group.allreduce(mean, average)->wait();
      if (group.getRank() == 0) losses.push_back(mean[0].item<double>());
    }
  });
  return losses;
}

template <class Net>
std::vector<double> losses_alone() {
  Net net;
  optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(3e-3));
  std::vector<double> losses;
  for (int64_t step = 0; step < kSteps; ++step) {
    const auto [x, target] = Net::Impl::batch(step);
    optimizer.zero_grad();
    const Tensor loss = net(x, target);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

template <class Net>
void expect_losses_of_one_process() {
  const std::vector<double> alone = losses_alone<Net>();
  EXPECT_GT(std::abs(alone.back() - alone.front()), 0.01);
  for (const Way way : {Way::kReplicas, Way::kShardedState, Way::kShardedParameters})
    for (const int ranks : {1, 2, 4}) {
      const std::vector<double> losses = losses_of<Net>(ranks, way);
      for (size_t i = 0; i < alone.size(); ++i)
        EXPECT_NEAR(losses[i], alone[i], 2e-4)
            << "step " << i << ", " << ranks << " ranks, way " << static_cast<int>(way);
    }
}

TEST(Training, OfImagesGivesTheLossesOfOneProcess) { expect_losses_of_one_process<Digits>(); }
TEST(Training, OfTextGivesTheLossesOfOneProcess) { expect_losses_of_one_process<Text>(); }

// ---------------------------------------------------------------------- faults
/// What a rank gets when rank 1 throws in `where` of the second of four steps.
std::string error_of_steps(ProcessGroup& group, const std::string& where) {
  const intrusive_ptr<ProcessGroup> pointer(&group);
  Text net;
  DistributedDataParallel replicas(net, DistributedDataParallelOptions().process_group(pointer));
  optim::SGD optimizer(net->parameters(), 0.01);
  int64_t step = 0;
  const auto throws_in = [&](const char* place) {
    if (group.getRank() == 1 && step == 1 && where == place) throw Error("this one has enough");
  };
  net->second->register_forward_hook(
      [&](nn::Module&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
        throws_in("forward");
        if (outputs[0].requires_grad())
          outputs[0].register_hook([&](const Tensor&) { throws_in("backward"); });
      });
  return error_of([&] {
    for (; step < 4; ++step) {
      const auto [x, target] = TextImpl::batch(step);
      optimizer.zero_grad();
      replicas(x, target).backward();
      throws_in("step");
      optimizer.step();
    }
  });
}

// A graph's replays would not gather; the module goes on outside of it.
TEST(Training, ShardedModulesAreNotCaptured) {
  in_groups(2, [](ProcessGroup& group) {
    nn::Linear net(4, 4);
    fully_shard(net, FullyShardOptions().process_group(intrusive_ptr<ProcessGroup>(&group)));
    Graph graph{Device(kCPU)};
    graph.capture_begin();
    const std::string message = error_of([&] { net(ones({2, 4})); });
    graph.capture_end();
    EXPECT_NE(message.find("expected no capture under way"), std::string::npos) << message;
    net(ones({2, 4})).sum().backward();
    EXPECT_EQ(net->weight.grad().sizes(), net->weight.sizes());
  });
}

// Every other rank throws within the limit, and names the one that is gone.
TEST(Training, ARankThatThrowsEndsTheOthers) {
  for (const char* where : {"forward", "backward", "step"})
    in_groups(
        3,
        [&](ProcessGroup& group) {
          const std::string message = error_of_steps(group, where);
          if (group.getRank() == 1) {
            EXPECT_EQ(message.find("this one has enough"), 0u) << message;
            return;
          }
          const std::string own = "rank " + std::to_string(group.getRank()) + " of 3: allreduce of";
          EXPECT_NE(message.find(own), std::string::npos) << where << ": " << message;
          const std::regex silent("Ranks? (0, )?1(, 2)? ha(s|ve) said nothing");  // slow ones, too
          EXPECT_TRUE(std::regex_search(message, silent)) << message;
        },
        2s);
}

TEST(Training, ModulesWithOtherNumbersOfParameters) {
  in_groups(2, [](ProcessGroup& group) {
    const auto options =
        DistributedDataParallelOptions().process_group(intrusive_ptr<ProcessGroup>(&group));
    nn::Sequential net(nn::Linear(4, 4));
    if (group.getRank() == 1) net->push_back(nn::Linear(4, 4));
    const std::string message = error_of([&] { DistributedDataParallel replicas(net, options); });
    EXPECT_NE(message.find("rank 1 has parameter 1.weight Float[4, 4] that requires a gradient "
                           "where rank 0 has nothing"),
              std::string::npos)
        << message;
  });
}

// ---------------------------------------------------------------------- early gradients
/// What runs in a backward pass of a * 2 * 3 * b, in order; the accumulators have been in use
/// before, and may forget that.
std::vector<std::string> order_of_pass(bool forget) {
  const Tensor a = ones({2}).requires_grad_(), b = ones({2}).requires_grad_();
  const autograd::NodePtr of_a = autograd::gradient_edge(a).function,
                          of_b = autograd::gradient_edge(b).function;
  const Tensor before = a * b;
  if (forget) {
    autograd::early_accumulation(*of_a);
    autograd::early_accumulation(*of_b);
  }
  const Tensor twice = a * 2, more = twice * 3, product = more * b;
  std::vector<std::string> order;
  const auto note = [&order](const autograd::NodePtr& node, const char* name) {
    node->add_post_hook(
        [&order, name](const autograd::variable_list& g, const autograd::variable_list&) {
          order.push_back(name);
          return g;
        });
  };
  note(of_a, "a");
  note(of_b, "b");
  note(autograd::gradient_edge(twice).function, "twice");
  note(autograd::gradient_edge(more).function, "more");
  note(autograd::gradient_edge(product).function, "product");
  product.sum().backward();
  EXPECT_TRUE(a.grad().equal(full({2}, 6.0)) && b.grad().equal(full({2}, 6.0)));
  return order;
}

TEST(EarlyAccumulation, ComesBehindTheOldestUser) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(order_of_pass(true), (Names{"product", "more", "b", "twice", "a"}));
  EXPECT_EQ(order_of_pass(false)[2], "twice");
  // A leaf that is used twice waits for its first user.
  const Tensor w = ones({2}).requires_grad_();
  const autograd::NodePtr of_w = autograd::gradient_edge(w).function;
  autograd::early_accumulation(*of_w);
  int came = 0;
  of_w->add_post_hook([&](const autograd::variable_list& g, const autograd::variable_list&) {
    ++came;
    return g;
  });
  (((w * 2) + 1) * w).sum().backward();
  EXPECT_EQ(came, 1);
  EXPECT_TRUE(w.grad().equal(full({2}, 5.0)));
}

TEST(QueueCallback, ComesAtTheEndOfTheOutermostPass) {
  EXPECT_THROW(autograd::queue_callback([] {}), Error);
  std::vector<std::string> order;
  const Tensor x = ones({2}).requires_grad_();
  const auto note = [&](const char* name) {
    return [&order, name](const Tensor&) {
      order.push_back(name);
      return Tensor();
    };
  };
  const auto inner = [&](const autograd::variable_list& in) {
    Tensor y = in[0] * 2;
    if (y.requires_grad())
      y.register_hook([&](const Tensor&) {
        autograd::queue_callback([&] { order.push_back("callback"); });
        order.push_back("inner");
        return Tensor();
      });
    return autograd::variable_list{y};
  };
  const Tensor outer = x * 3;
  outer.register_hook(note("outer"));
  autograd::checkpoint(inner, {outer})[0].sum().backward();
  EXPECT_EQ(order, (std::vector<std::string>{"inner", "outer", "callback"}));
  // A pass that throws drops them.
  order.clear();
  const Tensor y = x * 2;
  y.register_hook([&](const Tensor&) -> Tensor {
    autograd::queue_callback([&] { order.push_back("callback"); });
    throw Error("no");
  });
  EXPECT_THROW(y.sum().backward(), Error);
  (x * 2).sum().backward();
  EXPECT_TRUE(order.empty());
}

// ---------------------------------------------------------------------- overlap
#ifdef TAPER_WITH_UTILS
using utils::profiler::Event;
using utils::profiler::EventKind;

struct DeepImpl : nn::Module {
  DeepImpl() {
    for (int i = 0; i < 8; ++i)
      layers.push_back(register_module(std::to_string(i), nn::Linear(256, 256)));
  }
  Tensor forward(Tensor x) {
    for (nn::Linear& layer : layers) x = layer(x).relu();
    return x;
  }
  std::vector<nn::Linear> layers;
};
TAPER_MODULE(Deep);

/// How many operations of a name begin before the last derivative of an op has ended. (Whether two
/// intervals meet depends on what else the machine does; without early gradients none begins so
/// early.)
int64_t begun_in_backward(const std::vector<Event>& events, const std::string& operation) {
  int64_t end_ns = 0, count = 0;
  for (const Event& e : events)
    if (e.kind == EventKind::kBackwardNode && e.name.find("Accumulate") == std::string::npos)
      end_ns = std::max(end_ns, e.end_ns);
  for (const Event& e : events)
    count += e.name.compare(0, operation.size(), operation) == 0 && e.begin_ns < end_ns;
  return count;
}

RANK_PROGRAM(traces_a_step) {
  const auto group = init_process_group("gloo", 20s);
  const bool sharded = std::getenv("TEST_SHARDED") != nullptr;
  Deep net;
  std::unique_ptr<DistributedDataParallel<DeepImpl>> replicas;
  if (sharded)
    for (nn::Linear& layer : net->layers) fully_shard(layer);
  else
    replicas = std::make_unique<DistributedDataParallel<DeepImpl>>(
        net, DistributedDataParallelOptions().bucket_cap_mb(0.25));
  const Tensor x = rand({256, 256});
  const auto step = [&] { (replicas ? (*replicas)(x) : net(x)).sum().backward(); };
  for (int i = 0; i < 2; ++i) step();  // after the first, buckets have their order
  int64_t most = 0;
  const auto all_saw = [&] {
    std::vector<Tensor> saw{full({1}, most >= 3 ? 1.0 : 0.0)};
    group->allreduce(saw)->wait();
    return saw[0].item<double>() == group->getSize();
  };
  // On a busy machine the thread of the operations may begin late, so there are many tries.
  for (int i = 0; i < 300 && !all_saw(); ++i) {
    utils::profiler::Profile profile;
    step();
    profile.stop();
    if (const char* file = std::getenv("TEST_TRACE")) profile.export_chrome_trace(file);
    most = std::max(most,
                    begun_in_backward(profile.events(), sharded ? "reduce_scatter" : "allreduce"));
  }
  std::cout << "begun in backward: " << most << std::endl;
  group->barrier()->wait();
  destroy_process_group();
}

TEST(Training, GradientsAreReducedWhileBackwardGoesOn) {
  for (const bool sharded : {false, true}) {
    const int port = free_port();
    std::vector<std::unique_ptr<RankProcess>> ranks;
    for (int r = 0; r < 2; ++r) {
      std::map<std::string, std::string> environment = environment_of(r, 2, port);
      if (sharded) environment["TEST_SHARDED"] = "1";
      if (const char* trace = std::getenv("TEST_TRACE"); trace && r == 0 && !sharded)
        environment["TEST_TRACE"] = trace;
      ranks.push_back(std::make_unique<RankProcess>("traces_a_step", environment));
    }
    for (const auto& rank : ranks) {
      EXPECT_EQ(rank->wait(), 0) << rank->output();
      int count = 0;
      const std::string text = rank->output();
      const size_t at = text.find("begun in backward: ");
      ASSERT_NE(at, std::string::npos) << text;
      count = std::atoi(text.c_str() + at + 19);
      EXPECT_GE(count, 3) << "of about 7, " << (sharded ? "sharded" : "replicas");
    }
  }
}
#endif

// ---------------------------------------------------------------------- times
// By hand, for docs/distributed.md:
//   TAPER_RANK_PROGRAM=times OMP_NUM_THREADS=1 mpirun -np 4 build/tests/distributed_tests
// and times_of_passes.
using Clock = std::chrono::steady_clock;
double milliseconds_of(ProcessGroup& group, int calls, const std::function<void()>& call) {
  group.barrier()->wait();
  const auto begun = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count() / calls;
}

double time_of_allreduce(ProcessGroup& group, int64_t bytes) {
  std::vector<Tensor> t = {ones({std::max<int64_t>(bytes / 4, 1)})};
  const int calls = bytes <= (1 << 20) ? 5 : 1;  // few: something else runs at times
  return milliseconds_of(group, calls, [&] { group.allreduce(t)->wait(); });
}

/// The least of rounds in which the groups take turns.
void times_of_allreduce(const std::vector<intrusive_ptr<ProcessGroup>>& groups) {
  for (const int64_t bytes : {4, 1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26}) {
    std::vector<double> least(groups.size(), 1e9);
    for (int round = 0; round < 60; ++round)
      for (size_t g = 0; g < groups.size(); ++g)
        least[g] = std::min(least[g], time_of_allreduce(*groups[g], bytes));
    if (groups[0]->getRank() != 0) continue;
    std::cout << "allreduce of " << bytes << " bytes:";
    for (size_t g = 0; g < groups.size(); ++g)
      std::cout << " " << groups[g]->getBackendName() << " " << least[g] << " ms";
    std::cout << std::endl;
  }
}

/// Steps with batches that make up 256 samples together: all of a step, the same in a join, and
/// without averages.
void times_of_steps(const intrusive_ptr<ProcessGroup>& group) {
  nn::Sequential net(nn::Linear(784, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(),
                     nn::Linear(1024, 10));
  DistributedDataParallel parallel(
      net, DistributedDataParallelOptions().process_group(group).bucket_cap_mb(4));
  const int64_t n = 256 / group->getSize();
  const Tensor x = ones({n, 784}), target = zeros({n}, kLong);
  const auto pass = [&] {
    net->zero_grad();
    cross_entropy_loss(parallel(x), target).backward();
  };
  double whole = 1e9, joined = 1e9, alone = 1e9;
  for (int round = 0; round < 60; ++round) {
    whole = std::min(whole, milliseconds_of(*group, 1, pass));
    parallel.join([&] { joined = std::min(joined, milliseconds_of(*group, 1, pass)); });
    const auto local = parallel.no_sync();
    alone = std::min(alone, milliseconds_of(*group, 1, pass));
  }
  if (group->getRank() == 0)
    std::cout << group->getBackendName() << ", " << group->getSize() << " ranks: pass " << whole
              << " ms, in a join " << joined << " ms, without averages " << alone << " ms"
              << std::endl;
}

std::vector<intrusive_ptr<ProcessGroup>> groups_to_time() {
  std::vector<intrusive_ptr<ProcessGroup>> groups = {init_process_group("gloo", 60s)};
#ifdef TAPER_WITH_MPI
  if (std::getenv("OMPI_COMM_WORLD_RANK"))
    groups.emplace_back(distributed::ProcessGroupMPI::createProcessGroupMPI({}, 60s));
#endif
  return groups;
}

RANK_PROGRAM(times) {
  const auto groups = groups_to_time();
  if (groups[0]->getSize() > 1) times_of_allreduce(groups);
  for (const auto& group : groups) group->barrier()->wait();
}
RANK_PROGRAM(times_of_passes) {
  const auto groups = groups_to_time();
  for (const auto& group : groups) times_of_steps(group);
  for (const auto& group : groups) group->barrier()->wait();
}

}  // namespace
}  // namespace torch::taper::testing
#endif
