#include <taper/distributed/operations_mpi.h>

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/run_span.h>

namespace torch::taper::distributed {

using detail::Operation;
using detail::OpKind;
using taper::detail::concat;

// ---------------------------------------------------------------------- MPI
namespace mpi {

namespace {

/// Holds this process's state of MPI. It is never destroyed.
struct Process {
  std::mutex mutex;
  bool failed = false;                                 // an operation may never end
  std::atomic<int> level{-1};                          // the thread level of MPI
  std::recursive_mutex one_call;                       // held for a call if threads must take turns
  std::map<const void*, std::function<void()>> stops;  // by existing group
  static Process& get() {
    static auto& process = *new Process;
    return process;
  }
};

// Ranks that have failed must not wait here for the others, which mpirun ends.
void end_process() {
  detail::OwnThread::wait_for_all_left();
  std::map<const void*, std::function<void()>> stops;  // by existing group
  {
    const std::lock_guard<std::mutex> lock(Process::get().mutex);
    stops = Process::get().stops;
  }
  for (const auto& [group, stop] : stops) stop();
  int ended = 0;
  if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended && !Process::get().failed) MPI_Finalize();
}

const char* name_of(int level) {
  return level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
}

/// MPI's functions for reductions get no argument of their own, so each slot has a function.
constexpr size_t kSlots = 128;  // more than pairs of dtypes and operations
std::array<detail::Combine, kSlots> combines{};
std::array<MPI_Op, kSlots> ops{};

template <size_t kSlot>
void reduce(void* in, void* in_and_out, int* n, MPI_Datatype*) {
  combines[kSlot](in_and_out, in, in_and_out, static_cast<size_t>(*n));
}
template <size_t... kSlot>
constexpr std::array<MPI_User_function*, sizeof...(kSlot)> functions(
    std::index_sequence<kSlot...>) {
  return {&reduce<kSlot>...};
}

}  // namespace

void require() {
  Process& p = Process::get();
  const std::lock_guard<std::mutex> lock(p.mutex);
  if (p.level.load() >= 0) return;
  int is_there = 0, ended = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_there);
  MPI_Finalized(&ended);
  TAPER_CHECK_AS(distributed::DistError, !ended, "ProcessGroupMPI: MPI has been finalized already");
  if (is_there)
    check(MPI_Query_thread(&level), "MPI_Query_thread");
  else
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  if (!is_there) {
    std::atexit(end_process);
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  TAPER_CHECK_AS(distributed::DistError, level >= MPI_THREAD_SERIALIZED,
                 "ProcessGroupMPI: expected an MPI that other threads may call "
                 "(MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE), got ",
                 name_of(level),
                 is_there
                     ? "; the program should call MPI_Init_thread with MPI_THREAD_MULTIPLE, or "
                       "leave MPI's initialisation to the group"
                     : "; this MPI was built without threads");
  p.level = level;
}

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(status, text, &n);
  throw DistError(concat(call, ": ", std::string(text, static_cast<size_t>(n))));
}

Turn::Turn() {
  Process& p = Process::get();
  if (p.level < MPI_THREAD_MULTIPLE) p.one_call.lock();
}
Turn::~Turn() {
  Process& p = Process::get();
  if (p.level < MPI_THREAD_MULTIPLE) p.one_call.unlock();
}

bool test(MPI_Request& request, MPI_Status* status) {
  int done = 0;
  const Turn turn;
  check(MPI_Test(&request, &done, status), "MPI_Test");
  return done != 0;
}

bool finish(MPI_Request& request, Clock::time_point deadline) {
  while (!test(request)) {
    if (Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

void abandon(std::shared_ptr<void> memory) {
  static auto& kept = *new std::vector<std::shared_ptr<void>>;
  Process& p = Process::get();
  const std::lock_guard<std::mutex> lock(p.mutex);
  p.failed = true;
  kept.push_back(std::move(memory));
}

MPI_Op op_for(detail::Combine combine) {
  static constexpr auto kFunctions = functions(std::make_index_sequence<kSlots>());
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  size_t slot = 0;
  while (combines[slot] && combines[slot] != combine) ++slot;
  if (!combines[slot]) {
    const Turn turn;
    check(MPI_Op_create(kFunctions[slot], /*commute=*/1, &ops[slot]), "MPI_Op_create");
    combines[slot] = combine;
  }
  return ops[slot];
}

MPI_Datatype unit(size_t itemsize) {
  switch (itemsize) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    case 8:
      return MPI_UINT64_T;
    case 16:
      return MPI_C_DOUBLE_COMPLEX;
    default:
      throw ValueError(concat("ProcessGroupMPI: elements of ", itemsize, " bytes cannot be moved"));
  }
}

int greatest_tag() {
  static const int greatest = [] {
    void* value = nullptr;
    int is_set = 0;
    const Turn turn;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_set), "MPI_Comm_get_attr");
    return is_set ? *static_cast<int*>(value) : 32767;
  }();
  return greatest;
}

// ---------------------------------------------------------------------- words
bool give(MPI_Comm comm, int to, int tag, uint64_t word, Clock::time_point deadline) {
  const auto memory = std::make_shared<uint64_t>(word);
  MPI_Request request;
  {
    const Turn turn;
    check(MPI_Isend(memory.get(), 1, MPI_UINT64_T, to, tag, comm, &request), "MPI_Isend");
  }
  if (finish(request, deadline)) return true;
  abandon(memory);
  return false;
}

bool take(MPI_Comm comm, int from, int tag, uint64_t& word, Clock::time_point deadline) {
  MPI_Request request;
  {
    const Turn turn;
    check(MPI_Irecv(&word, 1, MPI_UINT64_T, from, tag, comm, &request), "MPI_Irecv");
  }
  if (finish(request, deadline)) return true;
  const Turn turn;
  MPI_Status status;
  int cancelled = 0;
  check(MPI_Cancel(&request), "MPI_Cancel");
  check(MPI_Wait(&request, &status), "MPI_Wait");
  check(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
  return !cancelled;
}

}  // namespace mpi

// ---------------------------------------------------------------------- the group's thread
namespace {

int count_of(const Tensor& t) { return static_cast<int>(t.numel()); }

/// Checks sizes, because MPI counts in int.
void check_counts(const Operation& o, const Tensor& t) {
  constexpr int64_t kMost = INT32_MAX;
  TAPER_CHECK_VALUE(!t.defined() || t.numel() <= kMost, o.name, ": expected at most ", kMost,
                    " elements, which MPI counts in an int, got ", t.sizes(), "; split the tensor");
}

}  // namespace

ProcessGroupMPI::Impl::Impl(MPI_Comm given) : comm(given) {
  {
    const mpi::Turn turn;
    mpi::check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  }
}

void ProcessGroupMPI::Impl::start() {
  thread = detail::OwnThread([self = shared_from_this()] { self->serve(); });
  auto& process = mpi::Process::get();
  const std::lock_guard<std::mutex> lock(process.mutex);
  process.stops[this] = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->stop();
  };
}

ProcessGroupMPI::Impl::~Impl() {
  auto& process = mpi::Process::get();
  const std::lock_guard<std::mutex> lock(process.mutex);
  process.stops.erase(this);
}

void ProcessGroupMPI::Impl::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
    changed.notify_all();
  }
  thread.end();
}

ProcessGroup::WorkPtr ProcessGroupMPI::Impl::submit(OperationPtr operation) {
  check_counts(*operation, operation->in);
  check_counts(*operation, operation->out);
  auto work = make_intrusive<Work>();
  auto job = std::make_shared<Job>();
  job->operation = operation;
  const auto host = job->staging.of(*operation);
  job->in = host.in;
  job->out = host.out;
  job->work = work;
  work->on_wait([job] {
    job->staging.bring_back();
    if (job->operation->after) job->operation->after();
  });
  const std::lock_guard<std::mutex> lock(mutex);
  if (broken || ends) {
    job->work.reset();
    work->finish(broken ? broken
                        : std::make_exception_ptr(DistError("ProcessGroupMPI: MPI has ended")));
  } else {
    arrived.push_back(std::move(job));
  }
  changed.notify_all();
  return work;
}

void ProcessGroupMPI::Impl::serve() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);  // lets rest() sleep precisely
  while (take_new()) {
    if (advance())
      last_progress = mpi::Clock::now();
    else
      rest();
  }
  int ended = 0;
  MPI_Finalized(&ended);
  const mpi::Turn turn;
  if (!ended && !broken) MPI_Comm_free(&comm);
}

// Returns false if nothing is in progress and nothing more will come.
bool ProcessGroupMPI::Impl::take_new() {
  std::unique_lock<std::mutex> lock(mutex);
  if (collectives.empty() && messages.empty()) {
    changed.wait(lock, [this] { return ends || !arrived.empty(); });
    if (arrived.empty()) return false;
    last_progress = mpi::Clock::now();
  }
  for (; !arrived.empty(); arrived.pop_front()) {
    JobPtr& job = arrived.front();
    if (detail::is_message(job->operation->kind))
      messages.push_back(std::move(job));
    else
      collectives.push_back(std::move(job));
  }
  return true;
}

// Starts collectives one after the other, in the order of all ranks. Messages meet in any order.
bool ProcessGroupMPI::Impl::advance() {
  bool moved = false;
  if (!collectives.empty() && poll(collectives.front())) {
    if (!collectives.empty()) collectives.pop_front();
    moved = true;
  }
  for (size_t i = 0; i < messages.size();) {
    if (!poll(messages[i])) {
      ++i;
      continue;
    }
    if (i < messages.size()) messages.erase(messages.begin() + static_cast<ptrdiff_t>(i));
    moved = true;
  }
  if (broken) fail_all();
  return moved;
}

// A rank that waits long must leave its core to the ranks it waits for.
void ProcessGroupMPI::Impl::rest() {
  using namespace std::chrono_literals;
  if (mpi::Clock::now() - last_progress < 2ms)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(20us);
}

bool ProcessGroupMPI::Impl::poll(const JobPtr& job) {
  try {
    if (job->step == Job::kWaits) begin(*job);
    MPI_Status status;
    while (mpi::test(job->request, &status)) {
      last_progress = mpi::Clock::now();
      if (!step(*job, status)) continue;
      job->operation->flight.completed();
      if (taper::detail::observes_run())
        taper::detail::tell_span(taper::detail::RunEvent::kScope, job->operation->what(),
                                 job->begun);
      std::exchange(job->work, {})->finish();
      return true;
    }
    const auto limit = job->operation->limit;
    TAPER_CHECK(mpi::Clock::now() < job->deadline, "it goes on after ", limit.count(), " ms");
    return false;
  } catch (const std::exception& e) {
    fail(job, e.what());
    return true;
  }
}

void ProcessGroupMPI::Impl::begin(Job& job) {
  job.operation->flight.started();
  job.begun = mpi::Clock::now();
  job.deadline = job.begun + job.operation->limit;
  job.staging.wait_for_inputs();
  if (detail::is_message(job.operation->kind)) {
    job.step = Job::kRuns;
    post_message(job);
  } else {
    job.step = Job::kCompares;
    compare(job);
  }
}

// Computes the maximum of all hashes and of their complements. All hashes are equal if both maxima
// are this rank's own.
void ProcessGroupMPI::Impl::compare(Job& job) {
  job.words[0] = job.operation->agreement;
  job.words[1] = ~job.words[0];
  const mpi::Turn turn;
  mpi::check(MPI_Iallreduce(MPI_IN_PLACE, job.words, 2, MPI_UINT64_T, MPI_MAX, comm, &job.request),
             "MPI_Iallreduce");
}

namespace {

constexpr size_t kWords = 160;  // bytes for the call of a rank

}  // namespace

// Exchanges the calls after all ranks have found that they differ.
void ProcessGroupMPI::Impl::tell(Job& job) {
  job.own = job.operation->whole();
  job.own.resize(kWords);
  job.others.resize(kWords * static_cast<size_t>(size));
  const mpi::Turn turn;
  mpi::check(MPI_Iallgather(job.own.data(), kWords, MPI_CHAR, job.others.data(), kWords, MPI_CHAR,
                            comm, &job.request),
             "MPI_Iallgather");
}

/// Names the first rank with a different call.
std::string ProcessGroupMPI::Impl::difference(const Job& job) const {
  for (int r = 0; r < size; ++r) {
    const std::string theirs = job.others.substr(kWords * static_cast<size_t>(r), kWords);
    if (theirs != job.own) return concat("rank ", r, " has called ", theirs.c_str());
  }
  return "";
}

bool ProcessGroupMPI::Impl::step(Job& job, const MPI_Status& status) {
  const Operation& o = *job.operation;
  if (job.step == Job::kCompares) {
    const bool alike = job.words[0] == o.agreement && job.words[1] == ~o.agreement;
    job.step = alike ? Job::kRuns : Job::kTells;
    alike ? post_collective(job) : tell(job);
    return false;
  }
  if (job.step == Job::kTells)
    throw DistError(
        concat("other ranks have called another operation, or one with other sizes or "
               "dtypes: ",
               difference(job)));
  if (o.kind == OpKind::kRecv || o.kind == OpKind::kRecvAnysource) check_received(job, status);
  if (o.kind == OpKind::kAllreduce || (o.kind == OpKind::kReduce && o.peer == rank) ||
      o.kind == OpKind::kReduceScatter)
    detail::after_reduction(job.out, o.how, size);
  return true;
}

void ProcessGroupMPI::Impl::fail(const JobPtr& job, const std::string& why) {
  const std::string text = concat(
      "ProcessGroupMPI: rank ", rank, " of ", size, ": ", job->operation->what(), " failed: ", why,
      ". A rank may have ended or be late; the group is of no use any more");
  job->operation->flight.failed(text);
  const auto error = std::make_exception_ptr(DistError(text));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!broken) broken = error;
  }
  std::exchange(job->work, {})->finish(error);
  mpi::abandon(job);
}

void ProcessGroupMPI::Impl::fail_all() {
  std::vector<JobPtr> left = std::move(messages);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    left.insert(left.end(), arrived.begin(), arrived.end());
    arrived.clear();
  }
  left.insert(left.end(), collectives.begin(), collectives.end());
  collectives.clear();
  messages.clear();
  for (const JobPtr& job : left) {
    if (!job->work) continue;
    std::exchange(job->work, {})->finish(broken);
    if (job->request != MPI_REQUEST_NULL) mpi::abandon(job);
  }
}

// ---------------------------------------------------------------------- what is posted
void ProcessGroupMPI::Impl::post_collective(Job& job) {
  const Operation& o = *job.operation;
  const Tensor &in = job.in, &out = job.out, &part = o.kind == OpKind::kScatter ? out : in;
  if (o.kind == OpKind::kBarrier) return;  // the comparison has synchronized the ranks
  if (o.kind == OpKind::kAlltoall) return post_alltoall(job);
  const Tensor& some = in.defined() ? in : out;
  const MPI_Datatype type = mpi::unit(static_cast<size_t>(some.element_size()));
  void* const from = in.defined() ? in.data_ptr() : nullptr;
  void* const to = out.defined() ? out.data_ptr() : nullptr;
  const int n = count_of(part.defined() ? part : some);
  const mpi::Turn turn;
  switch (o.kind) {
    case OpKind::kBroadcast:
      return mpi::check(MPI_Ibcast(some.data_ptr(), n, type, o.peer, comm, &job.request),
                        "MPI_Ibcast");
    case OpKind::kAllgather:
      return mpi::check(MPI_Iallgather(from, n, type, to, n, type, comm, &job.request),
                        "MPI_Iallgather");
    case OpKind::kGather:
      return mpi::check(MPI_Igather(from, n, type, to, n, type, o.peer, comm, &job.request),
                        "MPI_Igather");
    case OpKind::kScatter:
      return mpi::check(MPI_Iscatter(from, n, type, to, n, type, o.peer, comm, &job.request),
                        "MPI_Iscatter");
    default:
      return post_reduction(job);
  }
}

void ProcessGroupMPI::Impl::post_reduction(Job& job) {
  const Operation& o = *job.operation;
  void* const data = job.in.data_ptr();
  const MPI_Datatype type = mpi::unit(static_cast<size_t>(job.in.element_size()));
  const MPI_Op op = mpi::op_for(detail::combine_for(job.in.scalar_type(), o.how));
  Tensor scaled = job.in;
  if (o.how == ReduceOp::PREMUL_SUM && o.kind == OpKind::kReduceScatter)
    job.in = scaled = job.in.clone();  // the caller's input stays unchanged
  detail::before_reduction(scaled, o.how);
  const mpi::Turn turn;
  if (o.kind == OpKind::kAllreduce)
    return mpi::check(
        MPI_Iallreduce(MPI_IN_PLACE, data, count_of(job.in), type, op, comm, &job.request),
        "MPI_Iallreduce");
  if (o.kind == OpKind::kReduce) {
    const bool root = o.peer == rank;
    return mpi::check(MPI_Ireduce(root ? MPI_IN_PLACE : data, root ? data : nullptr,
                                  count_of(job.in), type, op, o.peer, comm, &job.request),
                      "MPI_Ireduce");
  }
  mpi::check(MPI_Ireduce_scatter_block(job.in.data_ptr(), job.out.data_ptr(), count_of(job.out),
                                       type, op, comm, &job.request),
             "MPI_Ireduce_scatter_block");
}

void ProcessGroupMPI::Impl::post_alltoall(Job& job) {
  const Operation& o = *job.operation;
  const std::vector<int64_t>* const elements[2] = {&o.sent, &o.received};
  for (int i = 0; i < 2; ++i) {
    int64_t at = 0;
    for (const int64_t n : *elements[i]) {
      job.counts[i].push_back(static_cast<int>(n));
      job.places[i].push_back(static_cast<int>(at));
      at += n;
    }
  }
  const MPI_Datatype type = mpi::unit(static_cast<size_t>(job.in.element_size()));
  const mpi::Turn turn;
  mpi::check(MPI_Ialltoallv(job.in.data_ptr(), job.counts[0].data(), job.places[0].data(), type,
                            job.out.data_ptr(), job.counts[1].data(), job.places[1].data(), type,
                            comm, &job.request),
             "MPI_Ialltoallv");
}

void ProcessGroupMPI::Impl::post_message(Job& job) {
  const Operation& o = *job.operation;
  const Tensor& t = job.in.defined() ? job.in : job.out;
  const MPI_Datatype type = mpi::unit(static_cast<size_t>(t.element_size()));
  const mpi::Turn turn;
  if (o.kind == OpKind::kSend)
    return mpi::check(MPI_Isend(t.data_ptr(), count_of(t), type, o.peer, o.tag, comm, &job.request),
                      "MPI_Isend");
  const int from = o.kind == OpKind::kRecv ? o.peer : MPI_ANY_SOURCE;
  mpi::check(MPI_Irecv(t.data_ptr(), count_of(t), type, from, o.tag, comm, &job.request),
             "MPI_Irecv");
}

void ProcessGroupMPI::Impl::check_received(Job& job, const MPI_Status& status) {
  int n = 0;
  const MPI_Datatype type = mpi::unit(static_cast<size_t>(job.out.element_size()));
  mpi::check(MPI_Get_count(&status, type, &n), "MPI_Get_count");
  TAPER_CHECK(n == count_of(job.out), "expected ", job.out.numel(), " elements, got ", n,
              " from rank ", status.MPI_SOURCE);
  job.work->set_source(status.MPI_SOURCE);
}

}  // namespace torch::taper::distributed
