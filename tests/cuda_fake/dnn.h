// What tests ask of the fake cuDNN: the engines that it has for graphs.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <vector>

namespace fake_cuda {

struct Engine {
  int64_t number;
  int64_t room = 0;  ///< bytes of working memory; all of them are written
  cudnnStatus_t finalize = CUDNN_STATUS_SUCCESS;  ///< of a plan
  cudnnStatus_t run = CUDNN_STATUS_SUCCESS;
  std::vector<cudnnBackendNumericalNote_t> notes{};
  bool fuses = true;  ///< takes graphs of several operations
};
struct Dnn {
  size_t version = CUDNN_VERSION;
  std::vector<Engine> engines{{0}};  ///< of every graph, in the order that heuristics give
  std::vector<Engine> fallback;      ///< what they give when asked for engines that always work
  cudnnStatus_t graph = CUDNN_STATUS_SUCCESS;  ///< what the end of a graph of operations says
  /// What its older interface says to a batch norm, a pool or a stack of recurrent layers.
  cudnnStatus_t layers = CUDNN_STATUS_SUCCESS;
  std::vector<int64_t> ran;        ///< the numbers of the engines that ran
  std::vector<size_t> operations;  ///< how many operations each of those graphs had
};
Dnn& dnn();
/// The kind of its descriptors, for live_objects().
constexpr const char* kDnnPart = "descriptor of cuDNN";

}  // namespace fake_cuda
