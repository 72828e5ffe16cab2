// c10::cuda's functions of devices.
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {
inline void device_synchronize() { synchronize(); }
}  // namespace c10::cuda
