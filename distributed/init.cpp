#include <taper/distributed/init.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include <taper/distributed/tcp_store.h>
#ifdef TAPER_WITH_GLOO
#include <taper/distributed/process_group_gloo.h>
#endif

namespace taper::distributed {

namespace {

/// The first of the variables that is set.
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

intrusive_ptr<ProcessGroup> make_group(const std::string& backend,
                                       const intrusive_ptr<Store>& store, int rank, int size,
                                       std::chrono::milliseconds timeout) {
#ifdef TAPER_WITH_GLOO
  if (backend == "gloo")
    return make_intrusive<ProcessGroupGloo>(store, rank, size,
                                            ProcessGroupGloo::Options::create(timeout));
#else
  TAPER_CHECK_VALUE(backend != "gloo",
                    "init_process_group: this build has no gloo; install Debian's libgloo-dev and "
                    "configure again");
#endif
  throw ValueError(
      taper::detail::concat("init_process_group: expected the backend gloo, got '", backend, "'"));
}

// torchrun's agent serves the store itself; after a restart keys are others.
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
  Environment e;
  constexpr int kMostRanks = 1 << 24;
  e.rank = number({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0, kMostRanks);
  e.world_size =
      number({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 1, kMostRanks);
  e.local_rank =
      number({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}, 0, kMostRanks);
  if (const char* address = variable({"MASTER_ADDR"})) e.master_addr = address;
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
  TAPER_CHECK_VALUE(backend == "gloo", "init_process_group: expected the backend gloo, got '",
                    backend, "'");
  const Environment e = Environment::read();
  auto made = std::make_unique<Group>();
  made->store = store_of(e, timeout);
  made->backend = backend;
  made->timeout = timeout;
  made->group = make_group(backend, make_intrusive<PrefixStore>("default_pg", made->store), e.rank,
                           e.world_size, timeout);
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
  return make_group(all.backend, make_intrusive<PrefixStore>(name, all.store), mine,
                    static_cast<int>(ranks.size()), all.timeout);
}

int get_rank() { return is_initialized() ? default_group()->getRank() : 0; }
int get_world_size() { return is_initialized() ? default_group()->getSize() : 1; }

}  // namespace taper::distributed
