#include <taper/distributed/init.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include <taper/distributed/tcp_store.h>
#ifdef TAPER_WITH_GLOO
#include <taper/distributed/process_group_gloo.h>
#endif
#ifdef TAPER_WITH_MPI
#include <taper/distributed/process_group_mpi.h>
#endif
#ifdef TAPER_WITH_NCCL
#include <taper/distributed/process_group_nccl.h>
#endif

namespace torch::taper::distributed {

namespace {

/// Are the variables of torchrun, Open MPI, other MPIs and SLURM.
constexpr auto kRanks = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
constexpr auto kSizes = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

/// Returns the value of the first variable that is set.
const char* variable(std::initializer_list<const char*> names, const char** which = nullptr) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text && *text) {
      if (which) *which = name;
      return text;
    }
  return nullptr;
}

int number(std::initializer_list<const char*> names, int otherwise, int most) {
  const char* name = nullptr;
  const char* text = variable(names, &name);
  if (!text) return otherwise;
  int n = 0;
  const auto parsed = std::from_chars(text, text + std::strlen(text), n);
  TAPER_CHECK_VALUE(parsed.ec == std::errc() && !*parsed.ptr && n >= 0 && n <= most,
                    "init_process_group: expected ", name, " to be a number up to ", most,
                    ", got '", text, "'");
  return n;
}

/// Returns the first host that SLURM names: node07 for "node[07-09,12],login".
std::string first_host(const char* name, const std::string& list) {
  std::string host;
  bool good = true;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      host += list[i];
      continue;
    }
    const size_t end = list.find(']', i), number = list.find_first_of("-,]", i);
    good = good && end != std::string::npos && number > i + 1;
    if (!good) break;
    host += list.substr(i + 1, number - i - 1);
    i = end;
  }
  TAPER_CHECK_VALUE(good && !host.empty() && list[0] != '[', "init_process_group: expected ", name,
                    " to be a list of hosts as SLURM writes it, got '", list, "'");
  return host;
}

/// Returns the address of rank 0, as far as launchers tell.
std::string master_address() {
  if (const char* address = variable({"MASTER_ADDR"})) return address;
  const bool by_other = variable({"RANK", "OMPI_COMM_WORLD_RANK"});
  const char* name = nullptr;
  const char* hosts =
      variable({"SLURM_STEP_NODELIST", "SLURM_NODELIST", "SLURM_JOB_NODELIST"}, &name);
  if (by_other || !hosts || !variable({"SLURM_PROCID"})) return "127.0.0.1";
  return first_host(name, hosts);
}

struct Group {
  intrusive_ptr<Store> store;
  intrusive_ptr<ProcessGroup> group;
  std::string backend;
  std::chrono::milliseconds timeout;
  int64_t made = 0;  // groups of some ranks
};
std::mutex mutex;
std::unique_ptr<Group>& current() {
  static std::unique_ptr<Group> group;
  return group;
}

/// Describes the group to make: its ranks and its store.
struct Plan {
  intrusive_ptr<Store> store;  // none for MPI
  int rank, size;
  std::vector<int> ranks;  // none: all
  std::chrono::milliseconds timeout;
};

/// Explains why this build lacks the backend. Returns an empty text if it has it.
std::string why_absent(const std::string& backend) {
#ifndef TAPER_WITH_GLOO
  if (backend == "gloo")
    return "this build has no gloo; install Debian's libgloo-dev and configure again";
#endif
#ifndef TAPER_WITH_MPI
  if (backend == "mpi")
    return "this build has no MPI; install Debian's libopenmpi-dev and configure again";
#endif
#ifndef TAPER_WITH_NCCL
  if (backend == "nccl")
    return "this build has no NCCL; install the CUDA toolkit's NCCL and configure again";
#endif
  if (backend == "gloo" || backend == "mpi" || backend == "nccl") return "";
  return "expected the backend gloo, mpi or nccl, got '" + backend + "'";
}

intrusive_ptr<ProcessGroup> make_group(const std::string& backend, const Plan& plan) {
#ifdef TAPER_WITH_GLOO
  if (backend == "gloo")
    return make_intrusive<ProcessGroupGloo>(plan.store, plan.rank, plan.size,
                                            ProcessGroupGloo::Options::create(plan.timeout));
#endif
#ifdef TAPER_WITH_NCCL
  if (backend == "nccl")
    return make_intrusive<ProcessGroupNCCL>(plan.store, plan.rank, plan.size,
                                            ProcessGroupNCCL::Options::create(plan.timeout));
#endif
#ifdef TAPER_WITH_MPI
  if (backend == "mpi") return ProcessGroupMPI::createProcessGroupMPI(plan.ranks, plan.timeout);
#endif
  throw ValueError("init_process_group: " + why_absent(backend));
}

// torchrun's agent serves the store itself. After a restart the keys differ.
intrusive_ptr<Store> store_of(const Environment& e, std::chrono::milliseconds timeout) {
  const char* agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  const bool of_agent = agent && std::string(agent) == "True";
  TCPStoreOptions options;
  options.port = e.master_port;
  options.isServer = e.rank == 0 && !of_agent;
  options.numWorkers = static_cast<size_t>(e.world_size);
  options.timeout = timeout;
  auto store = make_intrusive<TCPStore>(e.master_addr, options);
  if (!of_agent) return store;
  const char* attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return make_intrusive<PrefixStore>(std::string("/worker/attempt_") + (attempt ? attempt : "0"),
                                     store);
}

}  // namespace

Environment Environment::read() {
  const char *of_rank = nullptr, *of_size = nullptr;
  const bool has_rank = variable(kRanks, &of_rank), has_size = variable(kSizes, &of_size);
  TAPER_CHECK_VALUE(has_rank == has_size, "init_process_group: expected ",
                    has_rank ? "WORLD_SIZE" : "RANK", " to be set, too, got ",
                    has_rank ? of_rank : of_size, " alone");
  Environment e;
  constexpr int kMostRanks = 1 << 24;
  e.rank = number(kRanks, 0, kMostRanks);
  e.world_size = number(kSizes, 1, kMostRanks);
  e.local_rank =
      number({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}, 0, kMostRanks);
  e.master_addr = master_address();
  e.master_port =
      static_cast<uint16_t>(number({"MASTER_PORT"}, TCPStoreOptions::kDefaultPort, 65535));
  TAPER_CHECK_VALUE(e.rank < e.world_size,
                    "init_process_group: expected a rank below the world size, ", e.world_size,
                    ", got ", e.rank);
  return e;
}

intrusive_ptr<ProcessGroup> init_process_group(const std::string& backend,
                                               std::chrono::milliseconds timeout) {
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(!current(),
              "init_process_group: there is a group already; destroy_process_group() it first");
  const std::string why = why_absent(backend);
  TAPER_CHECK_VALUE(why.empty(), "init_process_group: ", why);
  auto made = std::make_unique<Group>();
  made->backend = backend;
  made->timeout = timeout;
  Plan plan{{}, 0, 1, {}, timeout};
  if (backend != "mpi") {
    const Environment e = Environment::read();
    made->store = store_of(e, timeout);
    plan.store = make_intrusive<PrefixStore>("default_pg", made->store);
    plan.rank = e.rank;
    plan.size = e.world_size;
  }
  made->group = make_group(backend, plan);
  current() = std::move(made);
  return current()->group;
}

bool is_initialized() {
  const std::lock_guard<std::mutex> lock(mutex);
  return current() != nullptr;
}

intrusive_ptr<ProcessGroup> default_group() {
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(current(), "default_group: there is no group; call init_process_group first");
  return current()->group;
}

void destroy_process_group() {
  const std::lock_guard<std::mutex> lock(mutex);
  current().reset();
}

intrusive_ptr<ProcessGroup> new_group(const std::vector<int>& ranks) {
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(current(), "new_group: there is no group; call init_process_group first");
  TAPER_CHECK_VALUE(!ranks.empty(), "new_group: expected ranks, got none");
  Group& all = *current();
  int mine = -1;
  std::vector<bool> seen(static_cast<size_t>(all.group->getSize()));
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int r = ranks[i];
    TAPER_CHECK_VALUE(r >= 0 && r < all.group->getSize() && !seen[static_cast<size_t>(r)],
                      "new_group: expected different ranks below ", all.group->getSize(), ", got ",
                      r);
    seen[static_cast<size_t>(r)] = true;
    if (r == all.group->getRank()) mine = static_cast<int>(i);
  }
  const std::string name = "group" + std::to_string(++all.made);
  if (mine < 0) return {};
  Plan plan{{}, mine, static_cast<int>(ranks.size()), ranks, all.timeout};
  if (all.store.defined()) plan.store = make_intrusive<PrefixStore>(name, all.store);
  return make_group(all.backend, plan);
}

int get_rank() { return is_initialized() ? default_group()->getRank() : 0; }
int get_world_size() { return is_initialized() ? default_group()->getSize() : 1; }

}  // namespace torch::taper::distributed
