// The launches of a capture, and their nodes in the CUDA graph. Consecutive pointwise kernels are
// fused into one. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <thread>
#include <vector>

#include <taper/framework/capture/graph_pool.h>
#include <taper/framework/cuda/gpu/chain_source.h>

namespace torch::taper::cuda {

class CapturedLaunches {
 public:
  CapturedLaunches();
  /// Must be called before (`begin`) and after (`end`) each launch or copy of the capture. `end`
  /// returns the number of entries of the list so far: launches, copies, and work that the program
  /// itself has queued.
  ///@{
  void begin(cudaStream_t stream);
  size_t end(cudaStream_t stream);
  ///@}
  /// Describes a launch between begin and end: see cuda::tell_pointwise.
  void tell(const PointwiseKind& kind, const void* f, const Out& y, const In* const* x);
  /// Fuses each chain into one kernel after the capture has ended. If the kernel of a chain is not
  /// available, the chain's launches stay in the graph. Throws Error if CUDA refuses a change when
  /// the graph is already partly changed.
  void fuse(cudaGraph_t graph, std::vector<detail::BlockLifetime> blocks, DeviceIndex device);

 private:
  /// A launch. If its kernel was not described by tell(), it has neither call nor node.
  struct Launch {
    cudaStream_t stream = nullptr;
    std::optional<PointwiseCall> call = {};
    cudaGraphNode_t node = nullptr;
  };
  /// The state of the graph during the capture.
  struct Look {
    size_t nodes = 0;
    cudaGraphNode_t last = nullptr;  ///< what the next node of the stream depends on
  };
  bool look(cudaStream_t stream, Look& found);
  void note_others(size_t nodes);
  fusion::Member member(size_t launch) const;
  void fuse_group(cudaGraph_t graph, const fusion::Group& group, DeviceIndex device);

  const std::thread::id thread_;
  bool usable_;
  int depth_ = 0, told_ = 0;
  size_t nodes_ = 0;  // number of known nodes
  Launch next_;
  std::vector<Launch> launches_;
  std::vector<size_t> others_;  // indices in launches_ of work that the program itself has queued
};

}  // namespace torch::taper::cuda
