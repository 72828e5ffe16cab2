// A fake of NCCL for one process: a collective runs when the streams of all its ranks have come to
// it. And the tests on it, which break each rule once that it checks.
#if __has_include(<nccl.h>)
#include <gtest/gtest.h>
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include <taper/framework/core/dtype.h>
#include <taper/framework/runtime/collectives.h>

#include "cuda_fake/state.h"
#include "cuda_fake/util.h"

using namespace fake_cuda;

struct ncclComm {
  int device, rank, size;
  const void* clique;  // the first of the communicators that were made together
};

namespace {

constexpr const char* kComm = "communicator of NCCL";

/// A rank's part in a collective.
struct Part {
  std::string name;
  const void* from;
  void* to;
  size_t count;
  ncclDataType_t type;
  int root;
  ncclComm_t comm;
  CUstream_st* stream;

  bool is_reduction() const { return name == "ncclReduce"; }
  bool goes_with(const Part& o) const {
    return name == o.name && count == o.count && type == o.type && root == o.root;
  }
};
/// What a thread has said since the start of its group.
struct Group {
  int depth = 0;
  bool has_failed = false;
  std::vector<Part> parts;
};
Group& group() {
  thread_local Group mine;
  return mine;
}

size_t size_of(ncclDataType_t type) {
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
ncclResult_t status(const LibraryCall& call) {
  return call.status(ncclInvalidArgument, ncclUnhandledCudaError);
}

// ---------------------------------------------------------------------- the work
template <class T>
void sum_as(const std::vector<Part>& parts, void* to) {
  std::vector<T> sum(parts[0].count);
  for (const Part& p : parts)
    for (size_t i = 0; i < p.count; ++i)
      sum[i] = static_cast<T>(sum[i] + static_cast<const T*>(p.from)[i]);
  std::memcpy(to, sum.data(), sum.size() * sizeof(T));
}
void sum(const std::vector<Part>& parts, void* to) {
  switch (parts[0].type) {
    case ncclFloat64:
      return sum_as<double>(parts, to);
    case ncclFloat32:
      return sum_as<float>(parts, to);
    case ncclFloat16:
      return sum_as<taper::Half>(parts, to);
    case ncclBfloat16:
      return sum_as<taper::BFloat16>(parts, to);
    case ncclInt64:
      return sum_as<int64_t>(parts, to);
    case ncclInt32:
      return sum_as<int32_t>(parts, to);
    default:
      violation("a sum of a type that the fake library does not have", cudaErrorInvalidValue);
  }
}
void compute(const std::vector<Part>& parts) {
  const Part& root = parts[static_cast<size_t>(parts[0].root)];
  if (root.is_reduction()) return sum(parts, root.to);
  const std::vector<char> bytes(
      static_cast<const char*>(root.from),
      static_cast<const char*>(root.from) + root.count * size_of(root.type));
  for (const Part& p : parts) std::memcpy(p.to, bytes.data(), bytes.size());
}
// Each stream goes on when all have come here.
void queue(const std::vector<Part>& parts) {
  CUstream_st* const first = parts[0].stream;
  const auto done = std::make_shared<EventState>();
  for (size_t i = 1; i < parts.size(); ++i) {
    const auto ready = std::make_shared<EventState>();
    ready->recorded = 1;
    enqueue(parts[i].stream, {nullptr, ready, nullptr, 1, nullptr});
    enqueue(first, {nullptr, nullptr, ready, 1, parts[i].stream});
  }
  done->recorded = 1;
  enqueue(first, {[=] { compute(parts); }, done, nullptr, 1, nullptr});
  for (size_t i = 1; i < parts.size(); ++i)
    enqueue(parts[i].stream, {nullptr, nullptr, done, 1, first});
}

/// The parts that belong together with the first one, by rank, taken from the list.
std::vector<Part> take_collective(std::vector<Part>& all) {
  std::vector<Part> mine(static_cast<size_t>(all[0].comm->size));
  const void* const clique = all[0].comm->clique;
  for (size_t i = 0; i < all.size();) {
    Part& of_rank = mine[static_cast<size_t>(all[i].comm->rank)];
    if (all[i].comm->clique != clique || of_rank.comm) {
      ++i;
      continue;
    }
    of_rank = all[i];
    all.erase(all.begin() + static_cast<ptrdiff_t>(i));
  }
  return mine;
}
ncclResult_t run_collectives(std::vector<Part> all) {
  while (!all.empty()) {
    const std::vector<Part> parts = take_collective(all);
    const bool all_there =
        std::all_of(parts.begin(), parts.end(), [](const Part& p) { return p.comm != nullptr; });
    if (!all_there) {
      violation("NCCL: a collective that waits forever, for a rank that is not there",
                cudaErrorInvalidValue);
      return ncclInvalidUsage;
    }
    if (!std::all_of(parts.begin(), parts.end(),
                     [&](const Part& p) { return p.goes_with(parts[0]); })) {
      violation("NCCL: ranks that do not do the same", cudaErrorInvalidValue);
      return ncclInvalidUsage;
    }
    queue(parts);
  }
  return ncclSuccess;
}

ncclResult_t add(const char* function, const void* from, void* to, size_t count,
                 ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream) {
  LibraryCall call(function);
  call.object(comm, kComm);
  if (call) {
    call.of_device(comm->device);
    call.demand(root >= 0 && root < comm->size, "a root that is no rank");
    call.stream(stream);
    const bool reads = std::strcmp(function, "ncclReduce") == 0 || comm->rank == root;
    const bool writes = std::strcmp(function, "ncclReduce") != 0 || comm->rank == root;
    const size_t nbytes = count * size_of(type);
    if (reads) call.memory("what is sent", from, nbytes, size_of(type));
    if (writes) call.memory("what is received", to, nbytes, size_of(type));
    const auto *const a = static_cast<const char*>(from), *const b = static_cast<const char*>(to);
    call.demand(!reads || !writes || a == b || a + nbytes <= b || b + nbytes <= a,
                "memory to receive in over a part of what is sent");
    call.demand(group().depth > 0 || comm->size == 1,
                "a collective of one thread's ranks outside of a group waits forever");
  }
  const ncclResult_t result = status(call);
  if (result != ncclSuccess) {
    group().has_failed = true;
    return result;
  }
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const int before = std::exchange(here().device, comm->device);
  CUstream_st* const s = stream_of(stream);
  here().device = before;
  const Part part{function, from, to, count, type, root, comm, s};
  if (group().depth == 0) return run_collectives({part});
  group().parts.push_back(part);
  return ncclSuccess;
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    default:
      return "unknown result code";
  }
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int n, const int* devices) {
  LibraryCall call("ncclCommInitAll");
  call.demand(n > 0 && devices, "no devices");
  if (!call) return status(call);
  call.demand(std::set<int>(devices, devices + n).size() == static_cast<size_t>(n),
              "a device that is named twice");
  for (int i = 0; i < n; ++i) {
    call.of_device(devices[i]);
    call.allocates();
  }
  if (!call) return status(call);
  for (int i = 0; i < n; ++i) {
    comms[i] = new ncclComm{devices[i], i, n, nullptr};
    comms[i]->clique = comms[0];
    call.make_object(comms[i], kComm);
  }
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  LibraryCall call("ncclCommDestroy");
  if (call.end_object(comm, kComm)) delete comm;
  return status(call);
}
ncclResult_t ncclGroupStart() {
  LibraryCall call("ncclGroupStart");
  if (call && group().depth++ == 0) {
    group().has_failed = false;
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    state().in_group = std::this_thread::get_id();
  }
  return status(call);
}
// After an error in the group nothing of it is done.
ncclResult_t ncclGroupEnd() {
  LibraryCall call("ncclGroupEnd");
  call.demand(group().depth > 0, "the end of no group");
  if (group().depth == 0 || --group().depth > 0) return status(call);
  const std::vector<Part> parts = std::exchange(group().parts, {});
  if (state().at_end_of_group) state().at_end_of_group();
  {
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    state().in_group = {};
  }
  if (!call) return status(call);
  if (group().has_failed) return ncclInvalidUsage;
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return run_collectives(parts);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return add("ncclBroadcast", from, to, count, type, root, comm, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  if (op != ncclSum) {
    violation("ncclReduce: what the fake library does not compute", cudaErrorInvalidValue);
    return ncclInvalidArgument;
  }
  return add("ncclReduce", from, to, count, type, root, comm, stream);
}

}  // extern "C"

namespace torch::taper {
namespace {

using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::in_own_process;
using testing::on_device;

using detail::CollectivePart;

/// Numbers on devices `first` and behind, and what is to be their sum.
struct Ranks {
  std::vector<Tensor> hosts, tensors;
  Ranks(int first, int n, ScalarType dtype) {
    for (int i = first; i < first + n; ++i) {
      hosts.push_back(arange(6).add(i).to(dtype));
      tensors.push_back(on_device(hosts.back(), static_cast<DeviceIndex>(i)));
    }
  }
  std::vector<CollectivePart> parts() const {
    std::vector<CollectivePart> all;
    for (const Tensor& t : tensors)
      all.push_back({detail::current_stream_of(t.get_device()), t.data_ptr()});
    return all;
  }
  Tensor sum() const {
    Tensor y = hosts[0];
    for (size_t i = 1; i < hosts.size(); ++i) y = y.add(hosts[i]);
    return y;
  }
  bool reduce_to(const Tensor& y) const {
    return detail::reduce_parts(parts(), y.data_ptr(), y.numel(), y.scalar_type());
  }
  bool broadcast() const { return detail::broadcast_parts(parts(), tensors[0].nbytes()); }
};

TEST(FakeCudaCollectives, AreThoseOfTheHost) {
  in_own_process([] {
    fake_cuda::machine().devices = 4;
    for (int n : {2, 3, 4})
      for (ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16, kLong, kInt}) {
        const Ranks ranks(0, n, dtype);
        const Tensor y = empty({6}, ranks.tensors[0].options());
        EXPECT_TRUE(ranks.reduce_to(y));
        expect_close(y.cpu(), ranks.sum(), 0);
        EXPECT_TRUE(ranks.broadcast());
        for (const Tensor& t : ranks.tensors) expect_close(t.cpu(), ranks.hosts[0], 0);
      }
    EXPECT_EQ(fake_cuda::live_objects("NCCL"), 2 + 3 + 4);
    const Ranks bytes(0, 2, kByte);  // NCCL sums them; the framework does not say so
    EXPECT_FALSE(bytes.reduce_to(bytes.tensors[0]));
  });
}

// Device 0 is the current one of a new thread.
TEST(FakeCudaCollectives, InitialiseNoOtherDevice) {
  in_own_process([] {
    const Ranks ranks(1, 2, kFloat);
    std::thread([&] { EXPECT_TRUE(ranks.broadcast()); }).join();
    EXPECT_FALSE(fake_cuda::has_context(0));
  });
}

// What is queued on each stream before comes first, and what is queued behind waits for all.
TEST(FakeCudaCollectives, AreInTheOrderOfAllStreams) {
  in_own_process([] {
    const Ranks ranks(0, 3, kFloat);
    const Tensor y = empty({6}, ranks.tensors[0].options());
    const Tensor seven = on_device(full({6}, 7.0), 2);
    std::vector<cuda::Stream> streams;
    std::vector<CollectivePart> parts;
    for (const Tensor& t : ranks.tensors) {
      streams.emplace_back(Device(kCUDA, t.get_device()));
      parts.push_back({streams.back().impl(), t.data_ptr()});
    }
    ASSERT_TRUE(detail::reduce_parts(parts, y.data_ptr(), 6, kFloat));  // communicators
    const fake_cuda::Lazy lazy;
    detail::copy_on(parts[2].stream, parts[2].data, seven.data_ptr(), seven.nbytes());
    ASSERT_TRUE(detail::reduce_parts(parts, y.data_ptr(), 6, kFloat));
    detail::copy_on(parts[0].stream, parts[0].data, y.data_ptr(), y.nbytes());
    ASSERT_TRUE(detail::broadcast_parts(parts, y.nbytes()));
    EXPECT_FALSE(streams[1].query());
    streams[1].synchronize();
    expect_close(ranks.tensors[1].cpu(), ranks.hosts[0].add(ranks.hosts[1]).add(7), 0);
  });
}

// Which would wait for kernels of the first devices, and these for those of the last.
TEST(FakeCudaCollectives, NoThreadTakesOrFreesMemoryMeanwhile) {
  in_own_process([] {
    const Ranks ranks(0, 2, kFloat);
    EXPECT_TRUE(ranks.broadcast());  // makes the communicators
    Runtime& runtime = *cuda_runtime();
    const std::function<void()> each[] = {
        [&] { runtime.release(0, runtime.allocate(0, 512), 512); },
        [&] { runtime.release_pinned(runtime.allocate_pinned(512), 512); }};
    for (const auto& take : each) {
      std::thread other;
      fake_cuda::state().at_end_of_group = [&] {
        other = std::thread(take);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      };
      EXPECT_TRUE(ranks.broadcast());
      fake_cuda::state().at_end_of_group = nullptr;
      other.join();
    }
  });
}

TEST(FakeCudaCollectives, WhatFailsIsThrownAndLeavesNothing) {
  in_own_process([] {
    const Ranks ranks(0, 3, kFloat);
    const Tensor y = empty({6}, ranks.tensors[0].options());
    const auto reduce = [&] { ranks.reduce_to(y); };
    const auto broadcast = [&] { ranks.broadcast(); };
    expect_failure("ncclCommInitAll", {"NCCL error: unhandled cuda error", "ncclCommInitAll"},
                   reduce);
    reduce();
    for (const char* function : {"ncclGroupStart", "ncclReduce", "ncclGroupEnd"})
      expect_failure(function, {"NCCL error: ", function}, reduce);
    expect_failure("ncclReduce", {"NCCL error: unhandled cuda error", "ncclReduce"}, reduce, 2);
    expect_failure("ncclBroadcast", {"NCCL error: ", "ncclBroadcast"}, broadcast, 3);
    y.copy_(zeros({6}));
    reduce();
    expect_close(y.cpu(), ranks.sum(), 0);
    EXPECT_EQ(fake_cuda::live_objects("NCCL"), 3);
  });
}

TEST(FakeCudaCollectives, AgainstTheRulesAreRefused) {
  in_own_process([] {
    const Ranks ranks(0, 2, kFloat);
    const int devices[] = {0, 1}, twice[] = {0, 0};
    ncclComm_t comms[2] = {};
    ASSERT_EQ(ncclCommInitAll(comms, 2, devices), ncclSuccess);
    float* const p[] = {ranks.tensors[0].data_ptr<float>(), ranks.tensors[1].data_ptr<float>()};
    const auto send = [&](int rank, size_t n = 6, int root = 0) {
      return ncclBroadcast(p[rank], p[rank], n, ncclFloat32, root, comms[rank], nullptr);
    };
    const auto grouped = [](const auto& calls) {
      ncclGroupStart();
      calls();
      return ncclGroupEnd();
    };
    EXPECT_EQ(grouped([&] { send(0), send(1); }), ncclSuccess);
    expect_violation("outside of a group", [&] { send(0); });
    expect_violation("waits forever", [&] { grouped([&] { send(0); }); });
    expect_violation("ranks that do not do the same",
                     [&] { grouped([&] { send(0), send(1, 5); }); });
    expect_violation("ranks that do not do the same",
                     [&] { grouped([&] { send(0), send(1, 6, 1); }); });
    expect_violation("a root that is no rank", [&] { grouped([&] { send(0, 6, 2); }); });
    expect_violation("what is received has", [&] { grouped([&] { send(1, 600); }); });
    expect_violation("memory of device 1", [&] {
      grouped([&] { ncclReduce(p[1], p[0], 6, ncclFloat32, ncclSum, 0, comms[0], nullptr); });
    });
    expect_violation("over a part of what is sent", [&] {
      grouped([&] { ncclReduce(p[0], p[0] + 1, 5, ncclFloat32, ncclSum, 0, comms[0], nullptr); });
    });
    const cuda::Stream other(Device(kCUDA, 1));
    expect_violation("a stream that is gone, or another device's", [&] {
      grouped([&] {
        ncclBroadcast(p[0], p[0], 6, ncclFloat32, 0, comms[0],
                      static_cast<cudaStream_t>(other.native_handle()));
      });
    });
    expect_violation("the end of no group", [] { ncclGroupEnd(); });
    ncclComm_t no[2] = {};
    expect_violation("no devices", [&] { ncclCommInitAll(no, 0, twice); });
    expect_violation("a device that is named twice", [&] { ncclCommInitAll(no, 2, twice); });
    for (const ncclComm_t comm : comms) EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
    expect_violation("what is no communicator", [&] { ncclCommDestroy(comms[0]); });
  });
}
}  // namespace
}  // namespace torch::taper
#endif
