// NCCL over memory of the host, with its names, for streams of simulated devices: ranks are threads
// of this process. A collective blocks the streams of all its ranks until the last one has come, as
// the kernels of NCCL do; groups of calls are one piece of a stream's work; aborted communicators
// let their streams go. What breaks NCCL's rules is kept in violations().
//
// To be included once in a program.
#pragma once

#include <nccl.h>
#include <taper/framework/core/dtype.h>
#include <taper/framework/runtime/runtime.h>
#include <taper/framework/runtime/stream.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake_nccl {

enum class Kind { kReduce, kBroadcast, kAllReduce, kReduceScatter, kAllGather, kSend, kRecv };

/// One call, by one rank.
struct Call {
  Kind kind;
  const void* from;
  void* to;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  // or root
};

struct Meeting {
  std::map<int, Call> calls;  // by rank
  bool done = false;
};
/// A message that waits for its receiver.
struct Letter {
  const void* from;
  size_t nbytes;
  bool taken = false;
};

/// What the communicators of one id share.
struct Team {
  int size = 0;
  std::map<int, ncclComm*> members;
  std::map<uint64_t, Meeting> meetings;
  std::map<std::pair<int, int>, std::vector<std::shared_ptr<Letter>>> letters;
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Team>> teams;
  std::vector<std::unique_ptr<ncclComm>> comms;  // kept, to notice their use afterwards
  std::map<int, double> factors;
  std::vector<std::string> violations;
  std::map<std::string, int> calls;
  int ids = 0, next_op = ncclNumOps;
  int live = 0;
};
inline State& state() {
  static auto& s = *new State;
  return s;
}
inline std::vector<std::string> violations() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().violations;
}
inline int calls(const std::string& name) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().calls[name];
}
/// Communicators that were made and neither destroyed nor aborted.
inline int live() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().live;
}

}  // namespace fake_nccl

struct ncclComm {
  std::shared_ptr<fake_nccl::Team> team;
  int rank = 0;
  bool aborted = false, ended = false;
  ncclResult_t error = ncclSuccess;
  uint64_t met = 0;  // meetings of this rank
  int running = 0;   // pieces of work on streams
};

namespace fake_nccl {

/// The next communicator of this rank reports an error of its own from now on.
inline void break_communicators(int rank) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  for (auto& comm : state().comms)
    if (comm->rank == rank && !comm->ended) comm->error = ncclRemoteError;
}

// ---------------------------------------------------------------------- arithmetic
inline size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}
template <class F>
auto with_type(ncclDataType_t type, F f) {
  switch (type) {
    case ncclInt8:
      return f(int8_t{});
    case ncclUint8:
      return f(uint8_t{});
    case ncclInt32:
      return f(int32_t{});
    case ncclInt64:
      return f(int64_t{});
    case ncclFloat16:
      return f(taper::Half{});
    case ncclBfloat16:
      return f(taper::BFloat16{});
    case ncclFloat32:
      return f(float{});
    default:
      return f(double{});
  }
}
inline double get(const void* p, size_t i, ncclDataType_t type) {
  return with_type(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (sizeof(T) == 2)
      return static_cast<double>(static_cast<float>(static_cast<const T*>(p)[i]));
    else
      return static_cast<double>(static_cast<const T*>(p)[i]);
  });
}
inline void set(void* p, size_t i, ncclDataType_t type, double value) {
  with_type(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (sizeof(T) == 2)
      static_cast<T*>(p)[i] = T(static_cast<float>(value));
    else
      static_cast<T*>(p)[i] = static_cast<T>(value);
    return 0;
  });
}
/// Element i over all ranks.
inline double reduced(const std::map<int, Call>& calls, size_t i) {
  const Call& first = calls.begin()->second;
  const auto factor = state().factors.find(first.op);
  double sum = get(first.from, i, first.type);
  for (const auto& [rank, call] : calls) {
    if (&call == &first) continue;
    const double x = get(call.from, i, first.type);
    sum = first.op == ncclProd  ? sum * x
          : first.op == ncclMax ? std::max(sum, x)
          : first.op == ncclMin ? std::min(sum, x)
                                : sum + x;
  }
  if (factor != state().factors.end()) return sum * factor->second;
  return first.op == ncclAvg ? sum / static_cast<double>(calls.size()) : sum;
}

/// What the last rank to come does for all of them.
inline void carry_out(Meeting& meeting) {
  auto& calls = meeting.calls;
  const Call& first = calls.begin()->second;
  const size_t n = first.count, bytes = n * size_of(first.type), ranks = calls.size();
  switch (first.kind) {
    case Kind::kBroadcast:
      for (auto& [rank, call] : calls)
        if (rank != first.peer) std::memcpy(call.to, calls.at(first.peer).from, bytes);
      break;
    case Kind::kAllGather:
      for (auto& [rank, call] : calls)
        for (auto& [other, theirs] : calls)
          std::memcpy(static_cast<char*>(call.to) + bytes * static_cast<size_t>(other), theirs.from,
                      bytes);
      break;
    default: {
      std::vector<double> all(first.kind == Kind::kReduceScatter ? n * ranks : n);
      for (size_t i = 0; i < all.size(); ++i) all[i] = reduced(calls, i);
      for (auto& [rank, call] : calls)
        for (size_t i = 0; i < n; ++i) {
          if (first.kind == Kind::kReduce && rank != first.peer) continue;
          const size_t at = first.kind == Kind::kReduceScatter ? n * static_cast<size_t>(rank) : 0;
          set(call.to, i, first.type, all[at + i]);
        }
    }
  }
}

// ---------------------------------------------------------------------- streams
/// Waits, with the lock, until `done` or the communicator has been aborted.
template <class Done>
bool wait_for(std::unique_lock<std::mutex>& lock, ncclComm& comm, Done done) {
  state().changed.wait(lock, [&] { return comm.aborted || done(); });
  return !comm.aborted;
}
inline void meet(std::unique_lock<std::mutex>& lock, ncclComm& comm, const Call& call) {
  const uint64_t number = comm.met++;
  Meeting& meeting = comm.team->meetings[number];
  for (const auto& [rank, other] : meeting.calls)
    if (other.kind != call.kind || other.count != call.count || other.type != call.type) {
      state().violations.push_back("ranks with different collectives");
      comm.error = ncclInvalidUsage;
    }
  meeting.calls[comm.rank] = call;
  if (meeting.calls.size() == static_cast<size_t>(comm.team->size)) {
    carry_out(meeting);
    meeting.done = true;
    state().changed.notify_all();
  }
  wait_for(lock, comm, [&] { return meeting.done; });
}
inline void run(ncclComm& comm, const std::vector<Call>& calls) {
  std::unique_lock<std::mutex> lock(state().mutex);
  std::vector<std::shared_ptr<Letter>> sent;
  for (const Call& call : calls) {
    if (comm.aborted) break;
    if (call.kind != Kind::kSend) continue;
    sent.push_back(std::make_shared<Letter>(Letter{call.from, call.count * size_of(call.type)}));
    comm.team->letters[{comm.rank, call.peer}].push_back(sent.back());
    state().changed.notify_all();
  }
  for (const Call& call : calls) {
    if (comm.aborted) break;
    if (call.kind == Kind::kSend) continue;
    if (call.kind != Kind::kRecv) {
      meet(lock, comm, call);
      continue;
    }
    auto& letters = comm.team->letters[{call.peer, comm.rank}];
    if (!wait_for(lock, comm, [&] { return !letters.empty(); })) break;
    if (letters[0]->nbytes != call.count * size_of(call.type))
      state().violations.push_back("a message of another size than its receiver's");
    else
      std::memcpy(call.to, letters[0]->from, letters[0]->nbytes);
    letters[0]->taken = true;
    letters.erase(letters.begin());
    state().changed.notify_all();
  }
  for (const auto& letter : sent) wait_for(lock, comm, [&] { return letter->taken; });
  --comm.running;
  state().changed.notify_all();
}

/// What a thread has called since ncclGroupStart.
struct Pending {
  int depth = 0;
  std::vector<std::pair<std::pair<ncclComm*, cudaStream_t>, std::vector<Call>>> work;
};
inline Pending& pending() {
  thread_local Pending p;
  return p;
}
inline void launch(ncclComm* comm, cudaStream_t stream, std::vector<Call> calls) {
  {
    const std::lock_guard<std::mutex> lock(state().mutex);
    ++comm->running;
  }
  taper::cuda_runtime()->launch(reinterpret_cast<taper::detail::StreamImpl*>(stream), "nccl",
                                [comm, calls = std::move(calls)] { run(*comm, calls); });
}
inline ncclResult_t call(const char* name, ncclComm* comm, cudaStream_t stream, const Call& c) {
  {
    const std::lock_guard<std::mutex> lock(state().mutex);
    ++state().calls[name];
    if (comm->ended) {
      state().violations.push_back(std::string(name) + " on a communicator that is gone");
      return ncclInvalidArgument;
    }
  }
  Pending& p = pending();
  if (p.depth == 0) {
    launch(comm, stream, {c});
    return ncclSuccess;
  }
  for (auto& [place, calls] : p.work)
    if (place == std::pair(comm, stream)) {
      calls.push_back(c);
      return ncclSuccess;
    }
  p.work.push_back({{comm, stream}, {c}});
  return ncclSuccess;
}

}  // namespace fake_nccl

// ---------------------------------------------------------------------- NCCL's names
#pragma GCC visibility push(default)
extern "C" {

using fake_nccl::Kind;
using fake_nccl::state;

void taper_nccl_takes_simulated_streams() {}

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "remote error" : "an error of NCCL";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, &++state().ids, sizeof(int));
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  ++state().calls["ncclCommInitRankConfig"];
  if (config->blocking != 0) state().violations.push_back("a communicator that blocks the host");
  auto& team = state().teams[std::string(id.internal, sizeof id.internal)];
  if (!team) team = std::make_shared<fake_nccl::Team>();
  team->size = size;
  state().comms.push_back(std::make_unique<ncclComm>());
  *comm = state().comms.back().get();
  (*comm)->team = team;
  (*comm)->rank = rank;
  if (!team->members.emplace(rank, *comm).second)
    state().violations.push_back("two communicators of one rank");
  ++state().live;
  return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (comm->ended) state().violations.push_back("a question to a communicator that is gone");
  const bool complete = comm->team->members.size() == static_cast<size_t>(comm->team->size);
  *error = comm->error != ncclSuccess ? comm->error : complete ? ncclSuccess : ncclInProgress;
  return ncclSuccess;
}
/// Both wait for the communicator's kernels; an abort ends them.
static ncclResult_t end_communicator(const char* name, ncclComm_t comm, bool abort) {
  std::unique_lock<std::mutex> lock(state().mutex);
  ++state().calls[name];
  if (comm->ended) state().violations.push_back(std::string(name) + " of one that is gone");
  comm->aborted = comm->aborted || abort;
  state().changed.notify_all();
  state().changed.wait(lock, [&] { return comm->running == 0; });
  comm->ended = true;
  --state().live;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return end_communicator("ncclCommAbort", comm, true);
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return end_communicator("ncclCommDestroy", comm, false);
}
ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* factor, ncclDataType_t type,
                                      ncclScalarResidence_t, ncclComm_t) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  *op = static_cast<ncclRedOp_t>(state().next_op++);
  state().factors[*op] = fake_nccl::get(factor, 0, type);
  return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t, ncclComm_t) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  ++state().calls["ncclRedOpDestroy"];
  return ncclSuccess;
}
ncclResult_t ncclReduce(const void* from, void* to, size_t n, ncclDataType_t type, ncclRedOp_t op,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return fake_nccl::call("ncclReduce", comm, stream, {Kind::kReduce, from, to, n, type, op, root});
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t n, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return fake_nccl::call("ncclBroadcast", comm, stream,
                         {Kind::kBroadcast, from, to, n, type, ncclSum, root});
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t n, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return fake_nccl::call("ncclAllReduce", comm, stream, {Kind::kAllReduce, from, to, n, type, op});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t n, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return fake_nccl::call("ncclReduceScatter", comm, stream,
                         {Kind::kReduceScatter, from, to, n, type, op});
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t n, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return fake_nccl::call("ncclAllGather", comm, stream, {Kind::kAllGather, from, to, n, type});
}
ncclResult_t ncclSend(const void* from, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return fake_nccl::call("ncclSend", comm, stream,
                         {Kind::kSend, from, nullptr, n, type, ncclSum, peer});
}
ncclResult_t ncclRecv(void* to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return fake_nccl::call("ncclRecv", comm, stream,
                         {Kind::kRecv, nullptr, to, n, type, ncclSum, peer});
}
ncclResult_t ncclGroupStart() {
  ++fake_nccl::pending().depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  auto& p = fake_nccl::pending();
  if (--p.depth > 0) return ncclSuccess;
  for (auto& [place, calls] : p.work)
    fake_nccl::launch(place.first, place.second, std::move(calls));
  p.work.clear();
  return ncclSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
