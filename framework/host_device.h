// TAPER_HD: for functions that kernels on GPUs call too.
#pragma once

#if defined(__CUDACC__)
#define TAPER_HD __host__ __device__
#else
#define TAPER_HD
#endif
