// What tests ask of the fake cuDNN: the algorithms that it has for convolutions.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <vector>

namespace fake_cuda {

struct ConvAlgorithm {
  int number;
  size_t room = 0;         ///< bytes; all of them are written
  size_t room_listed = 0;  ///< what the list says
  cudnnStatus_t listed = CUDNN_STATUS_SUCCESS;
  cudnnStatus_t asked = CUDNN_STATUS_SUCCESS;  ///< for its room
  cudnnStatus_t run = CUDNN_STATUS_SUCCESS;
  bool deterministic = true;
};
struct Dnn {
  std::vector<ConvAlgorithm> algorithms{{0}};  ///< of every direction, in the order of the list
  cudnnStatus_t list = CUDNN_STATUS_SUCCESS;   ///< what asking for the list says
  std::vector<int> ran;                        ///< the numbers of those that ran
};
Dnn& dnn();

}  // namespace fake_cuda
