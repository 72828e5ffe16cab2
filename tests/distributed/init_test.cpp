// Ranks that launchers start; training that is killed again and again goes on from its checkpoint
// as if nothing had been.
#ifdef TAPER_WITH_GLOO
#include "distributed/ranks.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;

// ---------------------------------------------------------------------- starting
RANK_PROGRAM(sum_of_ranks) {
  auto group = init_process_group("gloo", 60s);
  EXPECT_THROW(init_process_group("gloo"), Error);
  std::vector<Tensor> t = {full({1}, static_cast<double>(get_rank()))};
  default_group()->allreduce(t)->wait();
  auto odd = new_group({1, 3});
  std::vector<Tensor> of_odd = {ones({1})};
  if (odd.defined()) odd->allreduce(of_odd)->wait();
  std::cout << "rank " << get_rank() << " of " << get_world_size() << ": " << t[0].item<float>()
            << " " << of_odd[0].item<float>() << std::endl;
  default_group()->barrier()->wait();
  group = {};
  destroy_process_group();
  TAPER_CHECK(!is_initialized(), "still there");
}

TEST(InitProcessGroup, FromTheEnvironmentOfLaunchers) {
  const int port = free_port();
  std::vector<std::unique_ptr<RankProcess>> ranks;
  for (int r = 0; r < 4; ++r) {
    auto environment = environment_of(r, 4, port);
    if (r % 2) {  // as mpirun says it
      environment["OMPI_COMM_WORLD_RANK"] = environment["RANK"];
      environment["OMPI_COMM_WORLD_SIZE"] = environment["WORLD_SIZE"];
      environment["RANK"] = environment["WORLD_SIZE"] = "";
    }
    ranks.push_back(std::make_unique<RankProcess>("sum_of_ranks", environment));
  }
  for (int r = 0; r < 4; ++r) {
    auto& rank = *ranks[static_cast<size_t>(r)];
    EXPECT_EQ(rank.wait(), 0) << rank.output();
    EXPECT_NE(rank.output().find("rank " + std::to_string(r) + " of 4: 6 " + (r % 2 ? "2" : "1")),
              std::string::npos)
        << rank.output();
  }
}

// srun sets these alone; rank 0's host is the first of the list.
TEST(InitProcessGroup, FromTheEnvironmentOfSlurm) {
  const int port = free_port();
  std::vector<std::unique_ptr<RankProcess>> ranks;
  for (int r = 0; r < 4; ++r)
    ranks.push_back(std::make_unique<RankProcess>(
        "sum_of_ranks",
        std::map<std::string, std::string>{{"SLURM_PROCID", std::to_string(r)},
                                           {"SLURM_NTASKS", "4"},
                                           {"SLURM_LOCALID", std::to_string(r % 2)},
                                           {"SLURM_NODELIST", "127.0.0.[1-3,7],elsewhere"},
                                           {"MASTER_PORT", std::to_string(port)},
                                           {"GLOO_SOCKET_IFNAME", "lo"},
                                           {"OMP_NUM_THREADS", "1"}}));
  for (int r = 0; r < 4; ++r) {
    auto& rank = *ranks[static_cast<size_t>(r)];
    EXPECT_EQ(rank.wait(), 0) << rank.output();
    EXPECT_NE(rank.output().find("rank " + std::to_string(r) + " of 4: 6 "), std::string::npos)
        << rank.output();
  }
}

/// Variables of the environment until the end of the scope.
class Variables {
 public:
  using Values = std::vector<std::pair<const char*, const char*>>;
  explicit Variables(Values values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) ::setenv(name, value, 1);
  }
  ~Variables() {
    for (const auto& [name, value] : values_) ::unsetenv(name);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  const Values values_;
};

TEST(InitProcessGroup, ReadsListsOfHosts) {
  const std::pair<const char*, const char*> lists[] = {
      {"node7", "node7"},
      {"a,b,c", "a"},
      {"node[07-09,12],login", "node07"},
      {"node[12,3-4]", "node12"},
      {"rack[1-2]-node[30-31].example.org,x", "rack1-node30.example.org"},
      {"10.0.0.[5-6]", "10.0.0.5"}};
  for (const auto& [list, first] : lists) {
    const Variables slurm(Variables::Values{{"SLURM_PROCID", "2"},
                                            {"SLURM_NTASKS", "3"},
                                            {"SLURM_LOCALID", "1"},
                                            {"SLURM_NODELIST", list}});
    const Environment e = Environment::read();
    EXPECT_EQ(e.master_addr, first);
    EXPECT_EQ(e.rank, 2);
    EXPECT_EQ(e.world_size, 3);
    EXPECT_EQ(e.local_rank, 1);
  }
  {  // newer versions' name; of a step rather than of the whole job
    const Variables slurm(Variables::Values{
        {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_NODELIST", "a[1-4]"}});
    EXPECT_EQ(Environment::read().master_addr, "a1");
    const Variables step(Variables::Values{{"SLURM_STEP_NODELIST", "a[3-4]"}});
    EXPECT_EQ(Environment::read().master_addr, "a3");
    const Variables given(Variables::Values{{"MASTER_ADDR", "b"}});
    EXPECT_EQ(Environment::read().master_addr, "b");
  }
  {  // torchrun and mpirun know better
    const Variables slurm(Variables::Values{
        {"SLURM_PROCID", "0"}, {"SLURM_NODELIST", "a[1-4]"}, {"RANK", "0"}, {"WORLD_SIZE", "1"}});
    EXPECT_EQ(Environment::read().master_addr, "127.0.0.1");
  }
  for (const char* bad : {"[1-2]", ",a", "a[", "a[]", "a[-3]"}) {
    const Variables slurm(
        Variables::Values{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_NODELIST", bad}});
    const std::string message = error_of([] { Environment::read(); });
    EXPECT_NE(message.find("SLURM_NODELIST"), std::string::npos) << bad << ": " << message;
  }
}

// torchrun serves the store, on a port of its own; ranks of an attempt do not meet those of
// another.
TEST(InitProcessGroup, AtTheStoreOfAnAgent) {
  TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  TCPStore agent("127.0.0.1", options);
  for (const char* attempt : {"0", "1"}) {
    std::vector<std::unique_ptr<RankProcess>> ranks;
    for (int r = 0; r < 4; ++r) {
      auto environment = environment_of(r, 4, agent.getPort());
      environment["TORCHELASTIC_USE_AGENT_STORE"] = "True";
      environment["TORCHELASTIC_RESTART_COUNT"] = attempt;
      ranks.push_back(std::make_unique<RankProcess>("sum_of_ranks", environment));
    }
    for (auto& rank : ranks) EXPECT_EQ(rank->wait(), 0) << rank->output();
  }
}

TEST(InitProcessGroup, RefusesWhatIsWrong) {
  EXPECT_THROW(init_process_group("carrier pigeon"), ValueError);
  EXPECT_THROW(default_group(), Error);
  ::setenv("RANK", "two", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  const std::string message = error_of([] { init_process_group("gloo"); });
  EXPECT_NE(message.find("RANK"), std::string::npos) << message;
  ::setenv("RANK", "3", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  EXPECT_THROW(init_process_group("gloo"), ValueError);
  ::unsetenv("WORLD_SIZE");
  EXPECT_NE(error_of([] { init_process_group("gloo"); }).find("got RANK alone"), std::string::npos);
  ::unsetenv("RANK");
  ::setenv("WORLD_SIZE", "2", 1);
  EXPECT_NE(error_of([] { Environment::read(); }).find("got WORLD_SIZE alone"), std::string::npos);
  ::unsetenv("WORLD_SIZE");
  EXPECT_EQ(get_rank(), 0);
  EXPECT_EQ(get_world_size(), 1);
}

// ---------------------------------------------------------------------- restarts
constexpr int64_t kSteps = 200, kStepsToCheckpoint = 10;

struct NetImpl : nn::Module {
  Tensor forward(const Tensor& x) { return second(first(x).tanh()); }
  nn::Linear first = register_module("first", nn::Linear(8, 32));
  nn::Linear second = register_module("second", nn::Linear(32, 1));
};
TAPER_MODULE(Net);

void save_checkpoint(const std::string& file, Net& net, optim::Optimizer& optimizer, int64_t step) {
  serialize::OutputArchive all, of_net, of_optimizer;
  net->save(of_net);
  optimizer.save(of_optimizer);
  all.write("net", of_net);
  all.write("optimizer", of_optimizer);
  all.write("step", IValue(step));
  all.save_to(file);  // the old one stays until the new one is whole
}
/// The step to go on with.
int64_t load_checkpoint(const std::string& file, Net& net, optim::Optimizer& optimizer) {
  if (!std::filesystem::exists(file)) return 0;
  serialize::InputArchive all, of_net, of_optimizer;
  all.load_from(file);
  all.read("net", of_net);
  all.read("optimizer", of_optimizer);
  net->load(of_net);
  optimizer.load(of_optimizer);
  IValue step;
  all.read("step", step);
  return step.toInt() + 1;
}

RANK_PROGRAM(trains_from_its_checkpoint) {
  const std::string folder = std::getenv("TEST_FOLDER");
  const char* const given = std::getenv("TEST_STEPS");
  const int64_t steps = given ? std::stoll(given) : kSteps;
  const auto group = init_process_group("gloo", 10s);
  manual_seed(1);
  Net net;
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.01));
  int64_t step = load_checkpoint(folder + "/checkpoint.pt", net, optimizer);
  nn::parallel::DistributedDataParallel parallel(net);
  std::ofstream losses(folder + "/losses", std::ios::app);
  for (; step < steps; ++step) {
    manual_seed(static_cast<uint64_t>(1000 * step + group->getRank()));
    const Tensor x = randn({16, 8});
    optimizer.zero_grad();
    const Tensor loss = mse_loss(parallel(x), x.sin().sum(1, true));
    loss.backward();
    optimizer.step();
    if (group->getRank() != 0) continue;
    losses << step << " " << std::hexfloat << loss.item<double>() << std::endl;
    if (step % kStepsToCheckpoint == 0)
      save_checkpoint(folder + "/checkpoint.pt", net, optimizer, step);
    std::this_thread::sleep_for(1ms);
  }
  group->barrier()->wait();
  destroy_process_group();
}

/// The loss of each step, as text. Fails where a step that was made again gave another one.
std::map<int64_t, std::string> read_losses(const std::string& folder) {
  std::map<int64_t, std::string> all;
  std::ifstream in(folder + "/losses");
  int64_t step = 0;
  std::string loss;
  while (in >> step >> loss) EXPECT_EQ(all.emplace(step, loss).first->second, loss) << step;
  return all;
}

int64_t steps_made(const std::string& folder) {
  std::ifstream in(folder + "/losses");
  return std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
}
void wait_for_steps(const std::string& folder, int64_t count) {
  for (int i = 0; i < 20000 && steps_made(folder) < count; ++i) std::this_thread::sleep_for(1ms);
}

/// Starts two ranks until they end well; in each of the first `kills` starts one of them is killed,
/// some of them before they have met, and the other is ended, as launchers do.
std::map<int64_t, std::string> losses_after(int kills) {
  const std::string folder =
      ::testing::TempDir() + "restarts_" + std::to_string(::getpid()) + "_" + std::to_string(kills);
  std::filesystem::create_directory(folder);
  std::minstd_rand random(7);
  bool ended_well = false;
  for (int start = 0; start < kills + 20 && !ended_well; ++start) {
    const int port = free_port();
    const int64_t steps_before = steps_made(folder);
    std::vector<std::unique_ptr<RankProcess>> ranks;
    for (int r = 0; r < 2; ++r) {
      std::map<std::string, std::string> environment = environment_of(r, 2, port);
      environment["TEST_FOLDER"] = folder;
      ranks.push_back(std::make_unique<RankProcess>("trains_from_its_checkpoint", environment));
    }
    if (start < kills) {
      wait_for_steps(folder, steps_before + static_cast<int64_t>(random() % 16));
      ranks[random() % 2]->signal(SIGKILL);
      for (const auto& rank : ranks) rank->signal(SIGTERM);
    }
    ended_well = true;
    for (const auto& rank : ranks) ended_well = rank->wait() == 0 && ended_well;
  }
  EXPECT_TRUE(ended_well);
  EXPECT_EQ(steps_made(folder) > kSteps, kills > 0);  // steps were made again
  const std::map<int64_t, std::string> losses = read_losses(folder);
  std::filesystem::remove_all(folder);
  return losses;
}

// As restarts.sh does it at length.
TEST(Restarts, UnderTorchrun) {
  if (std::system("command -v \"${TAPER_TORCHRUN:-torchrun}\" >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "PyTorch's torchrun is neither in PATH nor named by TAPER_TORCHRUN";
  char program[4096] = "";
  ASSERT_GT(::readlink("/proc/self/exe", program, sizeof program - 1), 0);
  const std::string command =
      std::string(TAPER_TEST_FOLDER "/restarts.sh '") + program + "' 2 2 2500 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Restarts, TwentyKillsChangeNoLoss) {
  const std::map<int64_t, std::string> undisturbed = losses_after(0);
  EXPECT_EQ(undisturbed.size(), static_cast<size_t>(kSteps));
  EXPECT_EQ(losses_after(20), undisturbed);
}

}  // namespace
}  // namespace torch::taper::testing
#endif
