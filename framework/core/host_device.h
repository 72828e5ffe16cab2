// Attributes of functions that kernels call.
#pragma once

/// Forces inlining, for a function that must be part of the loop that calls it.
#define TAPER_INLINE inline __attribute__((always_inline))

#if defined(__CUDACC__)
#define TAPER_HD __host__ __device__
/// Marks a long function that several kernels call, or one kernel in several places. nvcc compiles
/// it once instead of inlining it.
#define TAPER_OUTLINED __host__ __device__ __noinline__
/// Keeps nvcc from unrolling the next loop, which has few iterations or runs in one thread.
/// Unrolling would make kernels several times as long, but not faster.
#define TAPER_ROLLED _Pragma("unroll 1")
#else
#define TAPER_HD
#define TAPER_OUTLINED
#define TAPER_ROLLED
#endif
