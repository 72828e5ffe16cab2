// What a capture queues, launch by launch, and the nodes of the CUDA graph that come of it:
// pointwise kernels that follow each other are replaced by one. Not installed.
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
  /// Before and behind a launch or copy of the capture; `end` tells how many there are so far.
  ///@{
  void begin(cudaStream_t stream);
  size_t end(cudaStream_t stream);
  ///@}
  /// See cuda::tell_pointwise; between the two.
  void tell(const PointwiseKind& kind, const void* f, const Out& y, const In* const* x);
  /// Makes one kernel of each chain, when the capture has ended; where one cannot be had the
  /// launches stay. Throws Error where CUDA refuses to change the graph half-way.
  void fuse(cudaGraph_t graph, std::vector<detail::BlockLifetime> blocks, DeviceIndex device);

 private:
  /// A kernel that was told of, or anything else, which has no node here.
  struct Launch {
    cudaStream_t stream = nullptr;
    std::optional<PointwiseCall> call = {};
    cudaGraphNode_t node = nullptr;
  };
  /// The graph in the making.
  struct Look {
    size_t nodes = 0;
    cudaGraphNode_t last = nullptr;  ///< what the stream's next node depends on, where that is one
  };
  bool look(cudaStream_t stream, Look& found);
  void note_others(size_t nodes);
  fusion::Member member(size_t launch) const;
  void fuse_group(cudaGraph_t graph, const fusion::Group& group, DeviceIndex device);

  const std::thread::id thread_;
  bool usable_;
  int depth_ = 0, told_ = 0;
  size_t nodes_ = 0;  // that are known
  Launch next_;
  std::vector<Launch> launches_;
  std::vector<size_t> others_;  // places of work that the program itself has queued
};

}  // namespace torch::taper::cuda
