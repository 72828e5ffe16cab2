// Captured steps: ops are recorded once and replayed, without tape, shape checks and allocation.
//
//   Graph graph(device);
//   {
//     GraphGuard guard(graph);     // nothing runs in this scope: it is recorded
//     loss = criterion(model->forward(x), y);
//     loss.backward();
//     optimizer.step();
//   }
//   for (...) {
//     x.copy_(...), y.copy_(...);  // new values in the old memory
//     graph.replay();              // loss and the gradients are where they were
//   }
//
// graph.capture([&] { ... }, GraphOptions().memory_budget(bytes)) records a step that takes less
// memory. docs/compiled_steps.md lists the rules for captured steps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/owned.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {
class StepState;
}

/// Identifies a memory pool that graphs share. {0, 0} means no pool.
using MempoolId_t = std::pair<unsigned long long, unsigned long long>;

/// Memory for the tensors that a captured step of the CPU makes, in bytes. It is known when the
/// capture has ended, before the first replay.
struct GraphMemory {
  size_t planned = 0;   ///< bytes that replays use: the whole pool, even if it is shared
  size_t needed = 0;    ///< most bytes in use at one step, a lower bound of `planned`
  size_t unshared = 0;  ///< bytes that would be used if no two blocks shared memory
  size_t blocks = 0;    ///< number of blocks
};

/// Options of Graph::capture.
struct GraphOptions {
  /// Largest number of bytes for replays on the CPU. 0 means no limit. If replays would use more,
  /// backward recomputes some results of pointwise functions, conversions and layer norms instead
  /// of keeping them. It recomputes as many as needed. Recomputed results have equal bits. memory()
  /// returns the actual bytes, which may exceed the budget. A negative budget throws ValueError. On
  /// a CUDA device, every budget except 0 throws ValueError.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// The recorded work of one device, or of the CPU. A graph keeps the memory that was allocated
/// during its capture: tensors made there keep their addresses, and replays write to them. The
/// program must keep all other tensors that the step uses (inputs, parameters) alive.
class Graph {
 public:
  /// A CUDA device without an index means the device that is current when the capture begins.
  explicit Graph(Device device);
  /// Ends a running capture and drops its recording.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Returns the device that was given to the constructor, with or without an index.
  Device device() const { return device_; }
  /// Starts to record. A graph of the CPU records the calling thread's work on the CPU. A graph of
  /// a device records work that is queued on the device's current stream, and on streams that wait
  /// for it. The current stream must not be the default stream. Memory comes from `pool`, by
  /// default a new pool. Graphs may share a pool if their replays run one after the other, in the
  /// order of the captures. Throws Error if this graph is not empty, or if the thread is already
  /// capturing.
  void capture_begin(MempoolId_t pool = {0, 0});
  /// Ends the capture. Throws Error if a stream joined the capture and the first stream did not
  /// wait for it, or if no capture was begun. After an error the capture has ended, too, and the
  /// graph is empty.
  void capture_end();
  /// Captures the work of `step`, like the scope of a GraphGuard. With a memory_budget, calls
  /// `step` several times to find which results to recompute. No kernel runs in these calls, and
  /// the last capture is kept. This function restores leaves' grad(), the step counts of the
  /// library's optimizers and the CPU's default generator. It does so before each call except the
  /// first, and if a call throws. Changes of other objects of the program are not restored. Throws
  /// the errors of `step` and of capture_begin. With a budget, throws Error if `step` differs
  /// between calls, or uses a tensor that an earlier call has made. After an error the graph is
  /// empty.
  void capture(const std::function<void()>& step, const GraphOptions& options = {});
  /// Runs all recorded work, on the device's current stream or on the host. Throws Error if the
  /// graph is empty.
  void replay();
  /// Drops the recording. The memory of its pool is freed when no other graph and no tensor uses
  /// it.
  void reset();
  /// Returns the pool of the graph's memory. Throws Error if the graph is empty.
  MempoolId_t pool() const;
  /// Returns the memory of replays on the CPU. Throws Error if the graph is empty. Throws
  /// NotImplementedError for a CUDA device. (cuda::memory_stats returns the figures of the device's
  /// allocator.)
  GraphMemory memory() const;
  /// Returns the bytes of results that backward recomputes for a memory_budget. Throws Error if the
  /// graph is empty.
  size_t recomputed() const;

 private:
  friend class GraphGuard;
  struct Made;
  void abandon() noexcept;
  Device device_;
  detail::Owned<detail::Capture> capture_;  // during a capture
  detail::Owned<Made> made_;                // result of the last capture
};

/// Captures until the end of the scope. On a CUDA device, makes `stream`, or else a side stream,
/// current. On entry and on exit, synchronizes this stream with the previous current stream. On
/// entry, empties the device's cache, because a capture cannot use cached memory. If an exception
/// ends the scope, drops the capture, and restores leaves' grad() and the step counts of the
/// library's optimizers. Otherwise the destructor throws the errors of capture_end.
class GraphGuard {
 public:
  /// Begins the capture. `pool` has the meaning that it has in Graph::capture_begin. A graph of the
  /// CPU ignores `stream`. Throws Error for a stream of another device, and the errors of
  /// capture_begin.
  explicit GraphGuard(Graph& graph, MempoolId_t pool = {0, 0},
                      std::optional<cuda::Stream> stream = std::nullopt);
  ~GraphGuard() noexcept(false);
  GraphGuard(const GraphGuard&) = delete;
  GraphGuard& operator=(const GraphGuard&) = delete;

 private:
  Graph& graph_;
  std::optional<cuda::Stream> before_;
  std::optional<cuda::StreamGuard> side_;
  detail::Owned<detail::StepState> state_;  // null if an outer object notes changes of the step
  int exceptions_;
};

namespace cuda {

/// A Graph of the CUDA device that is current when the capture begins. The class has PyTorch's
/// name.
class CUDAGraph : public Graph {
 public:
  CUDAGraph() : Graph(Device(kCUDA)) {}
};

/// Returns a new pool id. Pass it to capture_begin of several graphs to let them share a pool.
MempoolId_t graph_pool_handle();
/// Returns whether the current stream is captured. Returns false without CUDA devices.
bool is_current_stream_capturing();

}  // namespace cuda
}  // namespace torch::taper

#pragma GCC visibility pop
