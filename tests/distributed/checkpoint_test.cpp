// Checkpoints of which each rank writes a part.
#ifdef TAPER_WITH_GLOO
#include <filesystem>
#include <fstream>
#include <limits>

#include "distributed/sharding.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;

struct Folder {
  std::string path = ::testing::TempDir() + "checkpoint_" + std::to_string(::getpid());
  Folder() { std::filesystem::remove_all(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::vector<std::string> shards() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().filename().string().rfind("shard-", 0) == 0)
        all.push_back(entry.path().string());
    std::sort(all.begin(), all.end());
    return all;
  }
};

void step_of(Net& net, optim::Optimizer& optimizer, const Tensor& x) {
  optimizer.zero_grad();
  loss_of(net(x), x).backward();
  optimizer.step();
}
void add_all(checkpoint::State& state, Net& net, optim::Optimizer& optimizer) {
  state.add("net", *net);
  state.add("optimizer", optimizer);
}
/// Trains sharded steps from `from`, if wanted from a checkpoint; whole parameters in the end.
StateDict train_sharded(int ranks, const std::string& folder, int from, int to, bool loads,
                        bool saves) {
  StateDict all;
  in_groups(ranks, [&](ProcessGroup& group) {
    Net net;
    fill(*net, loads ? 3 : 0.4);
    shard_all(net, options_for(group));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(loads ? 0.5 : 0.01));
    checkpoint::State state;
    add_all(state, net, optimizer);
    if (loads) {
      checkpoint::load(folder, state, pointer_to(group));
      EXPECT_EQ(state.text("step"), std::to_string(from));
    }
    for (int step = from; step < to; ++step) step_of(net, optimizer, batch(step, 12));
    state.set_text("step", std::to_string(to));
    if (saves) checkpoint::save(folder, state, pointer_to(group));
    StateDict whole = full_state_dict(*net);
    if (group.getRank() == 0) all = whole;
  });
  return all;
}

TEST(Checkpoint, AnyNumberOfRanksGoesOn) {
  const Folder folder;
  train_sharded(3, folder.path, 0, 3, false, true);
  EXPECT_EQ(folder.shards().size(), 3u);
  const StateDict undisturbed = train_sharded(1, "", 0, 6, false, false);
  for (int ranks : {3, 2, 1, 4}) {
    const StateDict resumed = train_sharded(ranks, folder.path, 3, 6, true, false);
    for (const auto& item : undisturbed)
      EXPECT_TRUE(resumed[item.key()].allclose(item.value(), 1e-5, 1e-6)) << ranks << item.key();
  }
  // The same number of ranks: the same bits.
  const StateDict straight = train_sharded(3, "", 0, 6, false, false),
                  resumed = train_sharded(3, folder.path, 3, 6, true, true);
  for (const auto& item : straight) EXPECT_TRUE(resumed[item.key()].equal(item.value()));
  EXPECT_EQ(folder.shards().size(), 3u);  // the former ones went
}

TEST(Checkpoint, OfWholeModulesIsWrittenOnce) {
  const Folder folder;
  in_groups(2, [&](ProcessGroup& group) {
    Net net;
    fill(*net);
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    step_of(net, optimizer, batch(0, 4));
    checkpoint::State state;
    add_all(state, net, optimizer);
    state.add("bytes", full({3}, 7, kByte));
    state.add("rows", full({2 + group.getRank(), 2}, group.getRank(), kLong),
              {{5, 2}, group.getRank() ? 2 : 0, 2 + group.getRank(), pointer_to(group)});
    checkpoint::save(folder.path, state, pointer_to(group));
  });
  int64_t numbers = 0;
  for (const std::string& path : folder.shards()) {
    int64_t here = 0;
    for (const auto& item : load_safetensors(path)) here += item.value().numel();
    EXPECT_GT(here, 300);  // both write about as much
    numbers += here;
  }
  Net net;
  int64_t parameters = 0;
  for (const Tensor& p : net->parameters()) parameters += p.numel();
  EXPECT_EQ(numbers, 2 * parameters + 3 + 10);
  in_groups(1, [&](ProcessGroup& group) {
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.5));
    checkpoint::State state;
    add_all(state, net, optimizer);
    const Tensor rows = zeros({5, 2}, kLong), bytes = zeros({3}, kByte);
    state.add("rows", rows);
    state.add("bytes", bytes);
    checkpoint::load(folder.path, state, pointer_to(group));
    EXPECT_EQ(rows.sum().item<int64_t>(), 6);
    EXPECT_EQ(bytes.sum().item<int64_t>(), 21);
    EXPECT_EQ(optimizer.param_groups()[0].options().get_lr(), 0.1);
    EXPECT_THROW(state.text("absent"), Error);
    EXPECT_THROW(state.add("rows", rows), ValueError);
    EXPECT_THROW(state.add("two\nlines", rows), ValueError);
  });
}

/// What ranks say to a checkpoint that `damage` has been done to; nothing may change.
std::string error_of_loading(const std::string& folder, const std::function<void()>& damage) {
  train_sharded(3, folder, 0, 2, false, true);
  damage();
  std::string first;
  in_groups(2, [&](ProcessGroup& group) {
    Net net, twin;
    fill(*net, 5);
    fill(*twin, 5);
    shard_all(net, options_for(group));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.3));
    checkpoint::State state;
    add_all(state, net, optimizer);
    const std::string message =
        error_of([&] { checkpoint::load(folder, state, pointer_to(group)); });
    EXPECT_NE(message, "");
    EXPECT_TRUE(optimizer.state().empty());
    EXPECT_EQ(optimizer.param_groups()[0].options().get_lr(), 0.3);
    const StateDict all = full_state_dict(*net);
    for (const auto& item : twin->state_dict()) EXPECT_TRUE(all[item.key()].equal(item.value()));
    if (group.getRank() == 0) first = message;
  });
  return first;
}

TEST(Checkpoint, DamageIsAnErrorBeforeAnythingChanges) {
  const Folder folder;
  const auto damaged = [&](const std::function<void()>& damage) {
    return error_of_loading(folder.path, damage);
  };
  EXPECT_NE(damaged([&] { std::filesystem::remove(folder.shards()[1]); }).find("cannot open"),
            std::string::npos);
  const std::string flipped = damaged([&] {
    std::fstream file(folder.shards()[2], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('\x55');
  });
  EXPECT_NE(flipped.find("is damaged"), std::string::npos) << flipped;
  const std::string cut = damaged([&] { std::filesystem::resize_file(folder.shards()[0], 100); });
  EXPECT_NE(cut.find("on rank 0"), std::string::npos) << cut;
  const std::string swapped = damaged([&] {
    std::filesystem::copy_file(folder.shards()[0], folder.shards()[1],
                               std::filesystem::copy_options::overwrite_existing);
  });
  EXPECT_NE(swapped.find("to be file 1 of"), std::string::npos) << swapped;
  EXPECT_NE(damaged([&] { std::filesystem::resize_file(folder.path + "/manifest.taper", 50); }),
            "");
  EXPECT_NE(damaged([&] { std::filesystem::remove(folder.path + "/manifest.taper"); }), "");
}

TEST(Checkpoint, OfAnotherModel) {
  const Folder folder;
  train_sharded(2, folder.path, 0, 2, false, true);
  in_groups(2, [&](ProcessGroup& group) {
    Block block;
    fill(*block, 5);
    const Tensor before = block->up->weight.detach().clone();
    checkpoint::State absent, other;
    absent.add("net.first", *block);
    absent.add("net.third", zeros({2}));
    other.add("net.first", *block);
    other.add("net.head.bias", zeros({4}));
    for (checkpoint::State* state : {&absent, &other}) {
      const std::string message =
          error_of([&] { checkpoint::load(folder.path, *state, pointer_to(group)); });
      EXPECT_NE(
          message.find(state == &absent ? "expected 'net.third'" : "expected 'net.head.bias'"),
          std::string::npos)
          << message;
      EXPECT_TRUE(block->up->weight.equal(before));
    }
  });
}

TEST(Checkpoint, ASaveThatFailsLeavesTheFormer) {
  const Folder folder;
  train_sharded(2, folder.path, 0, 2, false, true);
  const std::vector<std::string> former = folder.shards();
  // Ranks with other tensors.
  in_groups(2, [&](ProcessGroup& group) {
    checkpoint::State state;
    state.add("x", zeros({2 + group.getRank()}));
    EXPECT_NE(error_of([&] {
                checkpoint::save(folder.path, state, pointer_to(group));
              }).find("rank 1 has x of sizes [3]"),
              std::string::npos);
  });
  // Of another dtype, and parts of one tensor that differ.
  for (const bool parts : {false, true})
    for (const bool sizes : {false, true})
      in_groups(2, [&](ProcessGroup& group) {
        checkpoint::State state;
        const int rank = group.getRank();
        const Tensor rows = zeros({2, 2 + (sizes ? rank : 0)}, sizes || !rank ? kFloat : kDouble);
        if (parts)
          state.add("x", rows, {{4, rows.size(1)}, 2 * rank, 2, pointer_to(group)});
        else
          state.add("x", rows);
        const std::string message =
            error_of([&] { checkpoint::save(folder.path, state, pointer_to(group)); });
        EXPECT_NE(message.find(parts ? "parts of one tensor as 'x', but rank 1 has those of another"
                               : sizes ? "rank 1 has x of sizes [2, 3] and dtype Float where"
                                       : "[2, 2] and dtype Double where rank 0 has x"),
                  std::string::npos)
            << message;
      });
  // A rank that cannot write.
  in_groups(2, [&](ProcessGroup& group) {
    checkpoint::State state;
    state.add("x", zeros({2}));
    const std::string own = group.getRank() ? "/dev/null/nowhere" : folder.path;
    const std::string message = error_of([&] { checkpoint::save(own, state, pointer_to(group)); });
    EXPECT_NE(message.find("on rank 1"), std::string::npos) << message;
  });
  // A rank that leaves in the midst.
  in_groups(
      2,
      [&](ProcessGroup& group) {
        checkpoint::State state;
        state.add("x", zeros({2}));
        group.barrier()->wait();  // all are connected
        if (group.getRank() == 1) return;
        const std::string message =
            error_of([&] { checkpoint::save(folder.path, state, pointer_to(group)); });
        EXPECT_NE(message.find("ProcessGroupGloo"), std::string::npos) << message;
      },
      3s);
  EXPECT_EQ(folder.shards(), former);
  EXPECT_FALSE(train_sharded(2, folder.path, 2, 3, true, false).is_empty());
}

}  // namespace
}  // namespace torch::taper::testing
#endif
