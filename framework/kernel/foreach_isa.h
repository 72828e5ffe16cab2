// Compiles TAPER_ISA_FILE once for each instruction set. See isa.h. No include guard on purpose.
// Kernels that few programs spend their time in are not compiled for AVX-512: their file defines
// TAPER_ISA_UP_TO_AVX2, and TAPER_BY_ISA takes the set before; single ones are called by
// TAPER_BY_ISA_UP_TO_AVX2.
#include <taper/framework/kernel/isa.h>

#define TAPER_ISA base
#define TAPER_ISA_IS_BASE 1
#include TAPER_ISA_FILE
#undef TAPER_ISA
#undef TAPER_ISA_IS_BASE
#define TAPER_ISA_IS_BASE 0

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#define TAPER_ISA avx2
#include TAPER_ISA_FILE
#undef TAPER_ISA
#pragma GCC pop_options

#ifndef TAPER_ISA_UP_TO_AVX2
#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,prefer-vector-width=512")
#define TAPER_ISA avx512
#include TAPER_ISA_FILE
#undef TAPER_ISA
#pragma GCC pop_options
#endif
#endif

#undef TAPER_ISA_IS_BASE
#undef TAPER_ISA_FILE
