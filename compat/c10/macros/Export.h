// Symbol visibility. By default, all names for programs are exported.
#pragma once

#define C10_EXPORT __attribute__((visibility("default")))
#define C10_IMPORT C10_EXPORT
#define C10_HIDDEN __attribute__((visibility("hidden")))
#define C10_API C10_EXPORT
#define TORCH_API C10_EXPORT
#define TORCH_CUDA_API C10_EXPORT
#define TORCH_CUDA_CPP_API C10_EXPORT
#define TORCH_CUDA_CU_API C10_EXPORT
#define AT_API C10_EXPORT
#define CAFFE2_API C10_EXPORT
