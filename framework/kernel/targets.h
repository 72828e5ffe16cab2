// Macros that compile functions for an instruction set. GCC and Clang have different pragmas for
// this.
//
//   TAPER_BEGIN_TARGET(TAPER_AVX2_FEATURES)
//   ...functions for CPUs with AVX2...
//   TAPER_END_TARGET
//
// Include standard headers before the first of these macros. Otherwise their functions would be
// compiled for CPUs with AVX2, too.
#pragma once

// Whether kernels are compiled for several instruction sets. The macro is written as a call, so
// that a source that does not include this header does not compile.
#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
#define TAPER_ISA_VARIANTS() 1
#else
#define TAPER_ISA_VARIANTS() 0
#endif

#define TAPER_AVX2_FEATURES "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#define TAPER_AVX512_FEATURES \
  "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd"
#define TAPER_AVX512BF16_FEATURES \
  "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512bf16"

// TAPER_IVDEP before a loop says that its iterations are independent.
#define TAPER_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TAPER_BEGIN_TARGET(features) \
  TAPER_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define TAPER_END_TARGET TAPER_PRAGMA(clang attribute pop)
#define TAPER_IVDEP TAPER_PRAGMA(clang loop vectorize(assume_safety))
#else
// By default, GCC prefers vectors of 32 bytes on CPUs with AVX-512. "prefer-vector-width" changes
// this.
#define TAPER_BEGIN_TARGET(features) \
  TAPER_PRAGMA(GCC push_options)     \
  TAPER_PRAGMA(GCC target(features, "prefer-vector-width=512"))
#define TAPER_END_TARGET TAPER_PRAGMA(GCC pop_options)
#define TAPER_IVDEP TAPER_PRAGMA(GCC ivdep)
#endif
