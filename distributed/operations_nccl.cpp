#include <taper/distributed/operations_nccl.h>

#include <dlfcn.h>

#include <cstring>
#include <optional>
#include <thread>

#include <taper/distributed/store.h>
#include <taper/framework/core/check.h>
#include <taper/framework/core/dtype.h>

namespace torch::taper::distributed::nccl {

using detail::nbytes_of;
using detail::Operation;
using detail::OpKind;
using taper::detail::concat;

// ---------------------------------------------------------------------- the library
namespace {

void* library() {
  static void* const loaded = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  return loaded;
}
/// Finds a function. Returns null if there is none.
void* find(const char* name) {
  if (void* const of_program = dlsym(RTLD_DEFAULT, name)) return of_program;
  return library() ? dlsym(library(), name) : nullptr;
}
void* function(const char* name) {
  void* const f = find(name);
  TAPER_CHECK_AS(distributed::DistError, f, "ProcessGroupNCCL: expected the function ", name,
                 ", and NCCL lacks it");
  return f;
}
/// Calls the function, which is found once at each place.
#define TAPER_NCCL(name)                                                        \
  ([] {                                                                         \
    static const auto f = reinterpret_cast<decltype(&::name)>(function(#name)); \
    return f;                                                                   \
  }())

void check(ncclResult_t result, const char* call) {
  TAPER_CHECK_AS(distributed::DistError, result == ncclSuccess || result == ncclInProgress,
                 "NCCL error: ", TAPER_NCCL(ncclGetErrorString)(result), " (", call, ")");
}
#define TAPER_NCCL_CALL(name, ...) check(TAPER_NCCL(name)(__VA_ARGS__), #name)

/// Returns whether the communicator has finished a call. Throws its error.
bool has_finished(ncclComm_t comm, const char* call) {
  ncclResult_t state = ncclSuccess;
  TAPER_NCCL_CALL(ncclCommGetAsyncError, comm, &state);
  check(state, call);
  return state == ncclSuccess;
}
/// Waits until the communicator has finished a call. Calls return at once, and the communicator
/// must not be called again before.
void settle(ncclComm_t comm, const char* call, Clock::time_point deadline) {
  while (!has_finished(comm, call)) {
    TAPER_CHECK_AS(distributed::DistError, Clock::now() < deadline, call,
                   " goes on when the time limit has passed");
    std::this_thread::yield();
  }
}

/// Groups the calls until end(), which then run at the same time.
class Group {
 public:
  Group() { TAPER_NCCL_CALL(ncclGroupStart, ); }
  ~Group() {
    if (!ended_) (void)TAPER_NCCL(ncclGroupEnd)();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    ended_ = true;
    TAPER_NCCL_CALL(ncclGroupEnd, );
  }

 private:
  bool ended_ = false;
};

}  // namespace

void require() {
  TAPER_CHECK_AS(distributed::DistError, find("ncclAllReduce"),
                 "ProcessGroupNCCL: expected NCCL, and libnccl.so.2 is not found; install it, or "
                 "use gloo");
  // A stand-in for NCCL that accepts streams of simulated devices exports this symbol.
  const bool takes_simulated = dlsym(RTLD_DEFAULT, "taper_nccl_takes_simulated_streams") != nullptr;
  TAPER_CHECK_AS(distributed::DistError, cuda::is_available(),
                 "ProcessGroupNCCL: expected a GPU: ", cuda::why_unavailable());
  TAPER_CHECK_AS(distributed::DistError, taper::detail::on_gpu() || takes_simulated,
                 "ProcessGroupNCCL: expected a GPU, got simulated devices; use gloo or mpi");
}

// ---------------------------------------------------------------------- communicators
Id new_id() {
  ncclUniqueId id;
  TAPER_NCCL_CALL(ncclGetUniqueId, &id);
  return Id(id.internal, id.internal + sizeof id.internal);
}

ncclComm_t begin_communicator(const Id& bytes, int rank, int size) {
  ncclUniqueId id;
  TAPER_CHECK_AS(distributed::DistError, bytes.size() == sizeof id.internal,
                 "ProcessGroupNCCL: expected an id of ", sizeof id.internal,
                 " bytes in the store, got ", bytes.size());
  std::memcpy(id.internal, bytes.data(), bytes.size());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  TAPER_NCCL_CALL(ncclCommInitRankConfig, &comm, size, id, rank, &config);
  return comm;
}
bool is_ready(ncclComm_t comm) { return has_finished(comm, "ncclCommInitRankConfig"); }

std::string error_of(ncclComm_t comm) {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = TAPER_NCCL(ncclCommGetAsyncError)(comm, &state);
  if (asked != ncclSuccess) state = asked;
  if (state == ncclSuccess || state == ncclInProgress) return "";
  return concat("NCCL error: ", TAPER_NCCL(ncclGetErrorString)(state));
}

void abort(ncclComm_t comm) noexcept { (void)TAPER_NCCL(ncclCommAbort)(comm); }
void destroy(ncclComm_t comm) noexcept {
  ncclResult_t state = ncclSuccess;
  (void)TAPER_NCCL(ncclCommGetAsyncError)(comm, &state);
  if (state == ncclInProgress) return abort(comm);
  (void)TAPER_NCCL(ncclCommDestroy)(comm);
}

// ---------------------------------------------------------------------- reductions
namespace {

/// Returns NCCL's name of a dtype that it can reduce.
std::optional<ncclDataType_t> type_of(ScalarType dtype) {
  switch (dtype) {
    case kDouble:
      return ncclFloat64;
    case kFloat:
      return ncclFloat32;
    case kHalf:
      return ncclFloat16;
    case kBFloat16:
      return ncclBfloat16;
    case kLong:
      return ncclInt64;
    case kInt:
      return ncclInt32;
    case kChar:
      return ncclInt8;
    case kByte:
    case kBool:  // of 0 and 1
      return ncclUint8;
    default:
      return std::nullopt;
  }
}

std::optional<ncclRedOp_t> op_of(ScalarType dtype, ReduceOp how) {
  const bool is_bool = dtype == kBool;
  switch (static_cast<ReduceOp::RedOpType>(how)) {
    case ReduceOp::SUM:
      return is_bool ? ncclMax : ncclSum;
    case ReduceOp::PRODUCT:
      return is_bool ? ncclMin : ncclProd;
    case ReduceOp::MIN:
      return ncclMin;
    case ReduceOp::MAX:
      return ncclMax;
    case ReduceOp::AVG:
      return is_bool ? std::nullopt : std::optional(ncclAvg);
    default:
      return std::nullopt;
  }
}

/// Holds the factor as an element.
struct Factor {
  alignas(8) unsigned char bytes[8] = {};
  template <class T>
  void set(T value) {
    std::memcpy(bytes, &value, sizeof value);
  }
  Factor(ScalarType dtype, double factor) {
    if (dtype == kDouble)
      set(factor);
    else if (dtype == kFloat)
      set(static_cast<float>(factor));
    else if (dtype == kHalf)
      set(Half(static_cast<float>(factor)));
    else
      set(BFloat16(static_cast<float>(factor)));
  }
};

/// Is a reduction as a communicator knows it.
class Reduction {
 public:
  Reduction(ScalarType dtype, ReduceOp how, ncclComm_t comm) : type(*type_of(dtype)), comm_(comm) {
    is_own_ = how == ReduceOp::PREMUL_SUM;
    if (!is_own_) {
      op = *op_of(dtype, how);
      return;
    }
    Factor factor(dtype, how.factor);
    TAPER_NCCL_CALL(ncclRedOpCreatePreMulSum, &op, factor.bytes, type, ncclScalarHostImmediate,
                    comm);
  }
  ~Reduction() {
    if (is_own_) (void)TAPER_NCCL(ncclRedOpDestroy)(op, comm_);
  }
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  ncclRedOp_t op = ncclSum;
  const ncclDataType_t type;

 private:
  ncclComm_t comm_;
  bool is_own_;
};

}  // namespace

std::string why_not(ScalarType dtype, ReduceOp how) {
  if (!type_of(dtype)) return concat("NCCL reduces no ", dtype);
  if (how == ReduceOp::PREMUL_SUM)
    return isFloatingType(dtype) ? "" : concat("NCCL multiplies floats only, no ", dtype);
  return op_of(dtype, how) ? "" : concat("NCCL has no such reduction of ", dtype);
}

// ---------------------------------------------------------------------- operations
namespace {

/// Returns CUDA's stream, or for simulated devices the pointer that a stand-in accepts.
cudaStream_t handle_of(const cuda::Stream& stream) {
  if (taper::detail::on_gpu()) return static_cast<cudaStream_t>(stream.native_handle());
  return reinterpret_cast<cudaStream_t>(stream.impl());
}

/// Is an operation together with its place.
struct Call {
  const Operation& o;
  const Place& place;
  const cudaStream_t stream = handle_of(place.stream);

  static char* bytes(const Tensor& t) {
    return t.defined() ? static_cast<char*>(t.data_ptr()) : nullptr;
  }
  static size_t count(const Tensor& t) { return static_cast<size_t>(t.numel()); }
  void send(const char* from, size_t nbytes, int to) const {
    if (nbytes) TAPER_NCCL_CALL(ncclSend, from, nbytes, ncclUint8, to, place.comm, stream);
  }
  void receive(char* to, size_t nbytes, int from) const {
    if (nbytes) TAPER_NCCL_CALL(ncclRecv, to, nbytes, ncclUint8, from, place.comm, stream);
  }

  void broadcast() const {
    const Tensor& t = o.tensor();
    TAPER_NCCL_CALL(ncclBroadcast, t.data_ptr(), t.data_ptr(), nbytes_of(t), ncclUint8, o.peer,
                    place.comm, stream);
  }
  void allreduce() const {
    const std::vector<Tensor> one = {o.in}, &all = o.parts.empty() ? one : o.parts;
    const Reduction reduction(all[0].scalar_type(), o.how, place.comm);
    Group group;
    for (const Tensor& t : all)
      TAPER_NCCL_CALL(ncclAllReduce, t.data_ptr(), t.data_ptr(), count(t), reduction.type,
                      reduction.op, place.comm, stream);
    group.end();
  }
  void reduce() const {
    const Reduction reduction(o.in.scalar_type(), o.how, place.comm);
    TAPER_NCCL_CALL(ncclReduce, o.in.data_ptr(), o.in.data_ptr(), count(o.in), reduction.type,
                    reduction.op, o.peer, place.comm, stream);
  }
  void allgather() const {
    TAPER_NCCL_CALL(ncclAllGather, o.in.data_ptr(), o.out.data_ptr(), nbytes_of(o.in), ncclUint8,
                    place.comm, stream);
  }
  void reduce_scatter() const {
    const Reduction reduction(o.in.scalar_type(), o.how, place.comm);
    TAPER_NCCL_CALL(ncclReduceScatter, o.in.data_ptr(), o.out.data_ptr(), count(o.out),
                    reduction.type, reduction.op, place.comm, stream);
  }
  void gather() const {
    const size_t n = nbytes_of(o.in);
    Group group;
    if (o.out.defined())
      for (int r = 0; r < place.size; ++r) receive(bytes(o.out) + n * static_cast<size_t>(r), n, r);
    send(bytes(o.in), n, o.peer);
    group.end();
  }
  void scatter() const {
    const size_t n = nbytes_of(o.out);
    Group group;
    if (o.in.defined())
      for (int r = 0; r < place.size; ++r) send(bytes(o.in) + n * static_cast<size_t>(r), n, r);
    receive(bytes(o.out), n, o.peer);
    group.end();
  }
  void alltoall() const {
    const auto itemsize = static_cast<size_t>(o.in.element_size());
    const char* from = bytes(o.in);
    char* to = bytes(o.out);
    Group group;
    for (int r = 0; r < place.size; ++r) {
      const size_t sent = static_cast<size_t>(o.sent[static_cast<size_t>(r)]) * itemsize,
                   received = static_cast<size_t>(o.received[static_cast<size_t>(r)]) * itemsize;
      send(from, sent, r);
      receive(to, received, r);
      from += sent;
      to += received;
    }
    group.end();
  }
  void run() const {
    switch (o.kind) {
      case OpKind::kBroadcast:
        return broadcast();
      case OpKind::kAllreduce:
      case OpKind::kBarrier:
        return allreduce();
      case OpKind::kReduce:
        return reduce();
      case OpKind::kAllgather:
        return allgather();
      case OpKind::kGather:
        return gather();
      case OpKind::kScatter:
        return scatter();
      case OpKind::kReduceScatter:
        return reduce_scatter();
      case OpKind::kAlltoall:
        return alltoall();
      case OpKind::kSend:  // on a communicator of two
        return send(bytes(o.in), nbytes_of(o.in), 1 - place.rank);
      case OpKind::kRecv:
        return receive(bytes(o.out), nbytes_of(o.out), 1 - place.rank);
      case OpKind::kRecvAnysource:
        throw NotImplementedError("recvAnysource: NCCL has none; use recv, or a group of gloo");
    }
  }
};

}  // namespace

void run(const Operation& operation, const Place& place, Clock::time_point deadline) {
  const bool empty = operation.tensor().defined() && operation.tensor().numel() == 0;
  if (empty && operation.kind != OpKind::kAlltoall) return;
  Call{operation, place}.run();
  settle(place.comm, operation.name, deadline);
}

}  // namespace torch::taper::distributed::nccl
