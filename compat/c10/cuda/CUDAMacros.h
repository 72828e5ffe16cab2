// C10_COMPILE_TIME_MAX_GPUS: the largest number of devices.
#pragma once

#include <c10/macros/Macros.h>

#define C10_CUDA_API C10_EXPORT
#define C10_COMPILE_TIME_MAX_GPUS 64
