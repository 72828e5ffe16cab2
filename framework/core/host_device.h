// What functions that kernels call are marked with.
#pragma once

/// For a function that must be part of the loop that calls it.
#define TAPER_INLINE inline __attribute__((always_inline))

#if defined(__CUDACC__)
#define TAPER_HD __host__ __device__
/// For a long function that several kernels call, or one kernel in several places: nvcc compiles
/// it once, and not into each of them.
#define TAPER_OUTLINED __host__ __device__ __noinline__
/// Before a loop of few rounds, or of one thread only: nvcc is not to unroll it, which would make
/// kernels several times as long, and none faster.
#define TAPER_ROLLED _Pragma("unroll 1")
#else
#define TAPER_HD
#define TAPER_OUTLINED
#define TAPER_ROLLED
#endif
