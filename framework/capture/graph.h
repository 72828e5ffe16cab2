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

/// Names a memory pool that graphs share. {0, 0} means none.
using MempoolId_t = std::pair<unsigned long long, unsigned long long>;

/// Memory of tensors that a captured step of the CPU makes, in bytes. Known when the capture has
/// ended, before anything has run.
struct GraphMemory {
  size_t planned = 0;   ///< bytes that replays take: the whole pool, even if it is shared
  size_t needed = 0;    ///< the peak of bytes in use at one step: no plan takes less
  size_t unshared = 0;  ///< bytes if no two blocks shared memory
  size_t blocks = 0;    ///< number of blocks
};

/// Options of Graph::capture.
struct GraphOptions {
  /// Largest number of bytes for replays on the CPU, 0 for no limit. If replays would take more,
  /// backward recomputes results of pointwise functions, conversions and layer norms instead of
  /// keeping them, as many as needed. The results have equal bits. memory() returns the actual
  /// bytes, which may exceed the budget. A negative budget throws ValueError, and so does any
  /// budget for a CUDA device.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// The recorded work of one device, or of the CPU. A graph keeps the memory that was allocated
/// during its capture: tensors made there keep their addresses, and replays write to them. The
/// program must keep all other tensors alive that the step uses (inputs, parameters).
class Graph {
 public:
  /// A CUDA device without an index means the current one at the capture.
  explicit Graph(Device device);
  /// Ends a running capture and drops its recording.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Returns the device given to the constructor, perhaps without an index.
  Device device() const { return device_; }
  /// Starts to record the calling thread's work on the CPU, or work queued on the device's current
  /// stream and on streams that wait for it. That stream must not be the default stream. Memory
  /// comes from `pool`, by default a new one. Graphs may share a pool if their replays run one
  /// after the other, in the order of the captures. Throws Error if this graph is not empty, and
  /// while the thread captures.
  void capture_begin(MempoolId_t pool = {0, 0});
  /// Ends the capture. Throws Error if the capture did not wait for a stream that joined, or if no
  /// capture was begun. The capture has ended then too, and the graph is empty.
  void capture_end();
  /// Captures the work of `step`, like the scope of a GraphGuard. With a memory_budget, `step` is
  /// called repeatedly to find what to recompute. Nothing runs in these calls, and the last capture
  /// is kept. Before each call except the first, and if a call throws, the function restores
  /// leaves' grad(), the step counts of the library's optimizers and the CPU's default generator.
  /// Each call changes the other objects of the program. Throws the errors of `step` and of
  /// capture_begin. With a budget it throws Error if `step` differs between calls, or uses a tensor
  /// that an earlier call has made. The graph is empty then.
  void capture(const std::function<void()>& step, const GraphOptions& options = {});
  /// Runs all recorded work, on the device's current stream or on the host. Throws Error without a
  /// capture.
  void replay();
  /// Drops the recording. Its memory is freed when no graph and no tensor uses it any more.
  void reset();
  /// Returns the pool of its memory. Throws Error without a capture.
  MempoolId_t pool() const;
  /// Returns the memory of replays. Throws Error without a capture, and NotImplementedError for a
  /// device's capture (cuda::memory_stats has its allocator's figures).
  GraphMemory memory() const;
  /// Returns the bytes of results that backward recomputes for a memory_budget. Throws Error
  /// without a capture.
  size_t recomputed() const;

 private:
  friend class GraphGuard;
  struct Made;
  void abandon() noexcept;
  Device device_;
  detail::Owned<detail::Capture> capture_;  // during a capture
  detail::Owned<Made> made_;                // result of the last capture
};

/// Captures until the end of the scope. On a CUDA device it makes a side stream, or `stream`,
/// current, and synchronizes it with the previous stream on entry and on exit. On entry it empties
/// the device's cache, because a capture cannot use cached memory. If an exception ends the scope,
/// it drops the capture, and restores leaves' grad() and the step counts of the library's
/// optimizers. The destructor throws the errors of capture_end.
class GraphGuard {
 public:
  /// Begins the capture, with the `pool` of Graph::capture_begin. A graph of the CPU ignores
  /// `stream`. Throws Error for a stream of another device, and the errors of capture_begin.
  explicit GraphGuard(Graph& graph, MempoolId_t pool = {0, 0},
                      std::optional<cuda::Stream> stream = std::nullopt);
  ~GraphGuard() noexcept(false);
  GraphGuard(const GraphGuard&) = delete;
  GraphGuard& operator=(const GraphGuard&) = delete;

 private:
  Graph& graph_;
  std::optional<cuda::Stream> before_;
  std::optional<cuda::StreamGuard> side_;
  detail::Owned<detail::StepState> state_;  // null: an outer object notes what the step changes
  int exceptions_;
};

namespace cuda {

/// A Graph of the CUDA device that is current at the capture, under PyTorch's name.
class CUDAGraph : public Graph {
 public:
  CUDAGraph() : Graph(Device(kCUDA)) {}
};

/// Returns a new name of a pool, for capture_begin of several graphs.
MempoolId_t graph_pool_handle();
/// Returns whether the current stream is captured. False without devices.
bool is_current_stream_capturing();

}  // namespace cuda
}  // namespace torch::taper

#pragma GCC visibility pop
