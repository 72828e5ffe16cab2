// The inside of the fake runtime: what its entry points share.
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "cuda_fake/fake_cuda.h"

namespace fake_cuda {

struct Capture;
/// How many pieces of each stream's work in a capture come before a point of it.
using Clock = std::map<const CUstream_st*, int>;

/// What is behind an event. Queued work may need it longer than its handle lives.
struct EventState {
  int device = 0;
  bool timing = false;
  uint64_t recorded = 0, reached = 0;
  CUstream_st* stream = nullptr;  // of the last record
  const Capture* capture = nullptr;
  Clock clock;
  std::vector<CUgraphNode_st*> nodes;  // of that capture, that come before
};

struct Work {
  std::function<void()> run;
  std::shared_ptr<EventState> records, awaits;
  uint64_t turn = 0;              // of the event
  CUstream_st* behind = nullptr;  // where the event that is awaited was recorded then
  bool is_kernel = false;
};

struct Capture {
  cudaStreamCaptureMode mode;
  CUstream_st* origin;
  std::thread::id thread;
  bool is_valid = true;
  std::map<CUstream_st*, Clock> streams;
  std::unique_ptr<CUgraph_st> graph;
  std::map<CUstream_st*, std::vector<CUgraphNode_st*>> last;  // what its next node depends on
};

struct Block {
  size_t nbytes;
  int device;  // -1: the host's
};

struct Device {
  bool has_context = false;
  cudaError_t sticky = cudaSuccess;
  size_t used = 0;
  std::set<int> peers;
  CUstream_st* legacy = nullptr;
};

/// What a library has made for the program.
struct LibraryObject {
  std::string kind;  // "handle of cuBLAS"
  int device;        // -1: of none
};

struct State {
  std::recursive_mutex mutex;
  Machine machine;
  std::map<int, Device> devices;
  std::map<std::string, uint64_t> calls;
  std::map<std::string, std::pair<uint64_t, cudaError_t>> failures;  // the number of the call
  std::vector<std::string> violations;
  std::map<char*, Block> blocks;
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::set<CUgraph_st*> graphs;
  std::set<CUgraphExec_st*> execs;
  std::set<Capture*> captures;
  std::map<const void*, LibraryObject> objects;
  bool is_lazy = false, is_unloaded = false;
  int kernel_architecture = 90;
  std::thread::id in_group{};             // the thread that is in a group of NCCL's calls
  std::function<void()> at_end_of_group;  // what else happens meanwhile
};
State& state();

/// Of the calling thread.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};
ThreadState& here();

/// Notes the error for cudaGetLastError.
cudaError_t note(cudaError_t status);
/// What the call is to return in place of doing anything; success where it may go on.
cudaError_t begin(const char* function);
/// One call at a time, counted; planned failures come in place of `body`.
template <class Body>
cudaError_t entry(const char* function, const Body& body) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const cudaError_t refused = begin(function);
  return note(refused == cudaSuccess ? body() : refused);
}
/// A rule was broken.
cudaError_t violation(const std::string& what, cudaError_t status);

/// Makes the device's context where it is missing; what is wrong with the device.
cudaError_t use(int device);
/// The stream of a handle: null is the current device's legacy stream. Null where there is none.
CUstream_st* stream_of(cudaStream_t handle);
/// Whether the calling thread may do now what a capture forbids; invalidates the captures that
/// forbid it.
cudaError_t check_safe(const char* function);

/// What is wrong with nbytes at p as memory of the device; empty where nothing is.
std::string fault_of(const void* p, size_t nbytes, int device);

/// Memory is taken or given back, which may wait for kernels: those of a group whose others have
/// not been launched would wait forever.
void check_no_group(const char* function);

/// Queues work on the stream, or adds it to the stream's capture.
void enqueue(CUstream_st* stream, Work work);
/// Runs what the stream has.
void run(CUstream_st* stream);
void run_device(int device);

// ---------------------------------------------------------------------- libraries
/// A call of a library: counted, refused where a test has planned that, and checked. After the
/// first check that fails, which is a violation, the others are left out and nothing is done.
class LibraryCall {
 public:
  explicit LibraryCall(const char* function);
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  /// Whether all is well so far.
  explicit operator bool() const { return !is_refused_ && !is_wrong_; }
  /// The device that memory and streams have to be of: CUDA's current one, or the one said.
  int device() const { return device_; }
  void of_device(int device) { device_ = device; }

  void demand(bool holds, const std::string& what);
  /// p is such an object, and of the device where it is of one.
  void object(const void* p, const std::string& kind);
  /// The stream that the call queues its work on.
  void stream(cudaStream_t handle);
  /// nbytes at p, aligned, are memory of the device that the program has at the moment.
  void memory(const std::string& name, const void* p, size_t nbytes, size_t align);
  /// The library takes or frees memory of the device.
  void allocates();
  /// The library waits for the stream.
  void waits();

  /// Such an object is there from now on; of no device: -1.
  void make_object(const void* p, const std::string& kind, int device = -1);
  /// It ends; false where it is none.
  bool end_object(const void* p, const std::string& kind);
  /// Queues the work, where all is well.
  void run(std::function<void()> work);
  /// `wrong` after a violation, `refused` where a test has planned that; else success.
  template <class Status>
  Status status(Status wrong, Status refused) const {
    return is_refused_ ? refused : is_wrong_ ? wrong : Status{};
  }

 private:
  const std::string function_;
  int device_;
  CUstream_st* stream_ = nullptr;
  bool is_refused_, is_wrong_ = false;
};

/// What computations of cuBLAS check: the handle, its stream and its working memory.
void check_cublas_handle(LibraryCall& call, const void* handle);

/// Memory that the caller has to have written anew before anybody reads it.
void spoil(void* p, size_t nbytes);

/// Makes a handle of the current device.
template <class Handle>
void make_handle(LibraryCall& call, Handle* handle, const std::string& kind) {
  call.allocates();
  if (!call) return;
  auto* const made = new char;
  *handle = reinterpret_cast<Handle>(made);
  call.make_object(made, kind, call.device());
}

}  // namespace fake_cuda

struct CUstream_st {
  int device;
  bool is_legacy;
  std::deque<fake_cuda::Work> work;
  fake_cuda::Capture* capture = nullptr;
};
struct CUevent_st {
  std::shared_ptr<fake_cuda::EventState> state;
};
struct CUgraphNode_st {
  std::function<void()> run;
  bool is_kernel;
  std::vector<CUgraphNode_st*> before;  // dependencies
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> nodes;
  std::shared_ptr<fake_cuda::EventState> last;  // of its launches
};
