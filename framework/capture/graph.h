// Captured steps: what ops do is recorded once and replayed, with no tape, no shape checks and no
// allocation.
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
// graph.capture([&] { ... }, GraphOptions().memory_budget(bytes)) records a step that takes less.
// See docs/devices.md for what a captured step may do.
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

/// Names a pool of memory that graphs share; {0, 0}: none.
using MempoolId_t = std::pair<unsigned long long, unsigned long long>;

/// The memory that a captured step of the CPU makes tensors in, in bytes. Known when the capture
/// has ended, before anything has run.
struct GraphMemory {
  size_t planned = 0;   ///< what replays take: all of the pool, other graphs' that share it too
  size_t needed = 0;    ///< the most that is in use at any one step: no plan takes less
  size_t unshared = 0;  ///< what a place of its own for each block would take
  size_t blocks = 0;    ///< how many there are
};

/// Options of Graph::capture.
struct GraphOptions {
  /// Bytes that replays on the CPU should take at most, 0 for no limit. Where they would take more,
  /// backward makes results of pointwise functions, conversions and layer norms again in place of
  /// keeping them, as many as it must; the bits are the same. memory() tells what that came to:
  /// perhaps more. Less than 0, and any for a device, is a ValueError.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// The work of one device, or of the CPU, as it was recorded. A graph keeps the memory that was
/// allocated during its capture: tensors made there stay where they are, and replays write to them.
/// Everything else that was used (inputs, parameters) must be kept alive by the program.
class Graph {
 public:
  /// A CUDA device without an index is the current one at the capture.
  explicit Graph(Device device);
  /// Ends a capture that is going on; what it recorded is dropped.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// The device that the graph was made for, as it was given: perhaps without an index.
  Device device() const { return device_; }
  /// Starts to record what the calling thread does on the CPU, or what is queued on the device's
  /// current stream, which is not the default one, and on streams that wait for it. Memory comes
  /// from `pool`, which graphs may share whose replays come one behind the other, in the order of
  /// the captures; by default from one of its own. Throws Error when this graph holds something
  /// already, and while the thread captures.
  void capture_begin(MempoolId_t pool = {0, 0});
  /// Throws Error when streams that joined were not waited for, and where the capture did not
  /// begin; the capture has ended then too, and the graph is empty.
  void capture_end();
  /// Captures what `step` does, as in the scope of a GraphGuard. With a memory_budget `step` is
  /// called as often as it takes to find what to make again, while nothing runs, and the last
  /// capture is kept. Leaves' grad(), the step counts of the library's optimizers and the CPU's
  /// default generator are put back before each call but the first, and where one throws; what else
  /// `step` changes of the program's own objects it changes in each call. Throws what `step`
  /// throws, Error where capture_begin does and, with a budget, for a step that is another one when
  /// it is called again, or that goes on with a tensor which an earlier call has made. The graph is
  /// empty then.
  void capture(const std::function<void()>& step, const GraphOptions& options = {});
  /// Runs all of it again, on the device's current stream (any) or on the host. Throws Error
  /// without a capture.
  void replay();
  /// Drops what was recorded. Its memory goes back when no graph and no tensor uses it any more.
  void reset();
  /// The pool that its memory is from. Throws Error without a capture.
  MempoolId_t pool() const;
  /// The memory of replays. Throws Error without a capture, NotImplementedError for one of a device
  /// (cuda::memory_stats has its allocator's figures).
  GraphMemory memory() const;
  /// Bytes of results that backward makes again, for a memory_budget. Throws Error without a
  /// capture.
  size_t recomputed() const;

 private:
  friend class GraphGuard;
  struct Made;
  void abandon() noexcept;
  Device device_;
  detail::Owned<detail::Capture> capture_;  // while one goes on
  detail::Owned<Made> made_;                // what one has left
};

/// Captures until the end of the scope. On a CUDA device a side stream, or `stream`, is the current
/// one meanwhile; it waits for the stream that was current, and that one for it at the end. When an
/// exception ends the scope, the capture is dropped, and leaves' grad() and the step counts of the
/// library's optimizers are put back. The end itself throws what capture_end throws.
class GraphGuard {
 public:
  /// Begins the capture; `pool` is that of Graph::capture_begin. A graph of the CPU does not look
  /// at `stream`. Throws Error for a stream of another device, and where capture_begin does.
  explicit GraphGuard(Graph& graph, MempoolId_t pool = {0, 0},
                      std::optional<cuda::Stream> stream = std::nullopt);
  ~GraphGuard() noexcept(false);
  GraphGuard(const GraphGuard&) = delete;
  GraphGuard& operator=(const GraphGuard&) = delete;

 private:
  Graph& graph_;
  std::optional<cuda::Stream> before_;
  std::optional<cuda::StreamGuard> side_;
  detail::Owned<detail::StepState> state_;  // null: an outer one notes what the step changes
  int exceptions_;
};

namespace cuda {

/// A Graph of the CUDA device that is current at the capture, under PyTorch's name.
class CUDAGraph : public Graph {
 public:
  CUDAGraph() : Graph(Device(kCUDA)) {}
};

/// A new name for a pool, for capture_begin of several graphs.
MempoolId_t graph_pool_handle();
/// Whether what is queued on the current stream is captured; false without devices.
bool is_current_stream_capturing();

}  // namespace cuda
}  // namespace torch::taper

#pragma GCC visibility pop
