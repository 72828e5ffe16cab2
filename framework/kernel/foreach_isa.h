// Compiles TAPER_ISA_FILE once for each instruction set. See isa.h. This header has no include
// guard on purpose. Some kernels take time in only a few programs. They are not compiled for
// AVX-512: their file defines TAPER_ISA_UP_TO_AVX2, and TAPER_BY_ISA then uses at most AVX2. For
// single kernels of a file, use TAPER_BY_ISA_UP_TO_AVX2.
#include <taper/framework/kernel/isa.h>

#define TAPER_ISA base
#define TAPER_ISA_IS_BASE 1
#include TAPER_ISA_FILE
#undef TAPER_ISA
#undef TAPER_ISA_IS_BASE
#define TAPER_ISA_IS_BASE 0

#if TAPER_ISA_VARIANTS()
TAPER_BEGIN_TARGET(TAPER_AVX2_FEATURES)
#define TAPER_ISA avx2
#include TAPER_ISA_FILE
#undef TAPER_ISA
TAPER_END_TARGET

#ifndef TAPER_ISA_UP_TO_AVX2
TAPER_BEGIN_TARGET(TAPER_AVX512_FEATURES)
#define TAPER_ISA avx512
#include TAPER_ISA_FILE
#undef TAPER_ISA
TAPER_END_TARGET
#endif
#endif

#undef TAPER_ISA_IS_BASE
#undef TAPER_ISA_FILE
