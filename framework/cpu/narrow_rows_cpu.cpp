#include <taper/framework/cpu/narrow_rows.h>
#include <taper/framework/cpu/vec_widen.h>

#define TAPER_ISA_FILE <taper/framework/cpu/narrow_rows_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void widen(float* to, const Half* from, int64_t n) { TAPER_BY_ISA(widen, to, from, n); }
void widen(float* to, const BFloat16* from, int64_t n) { TAPER_BY_ISA(widen, to, from, n); }
void narrow(Half* to, const float* from, int64_t n) { TAPER_BY_ISA(narrow, to, from, n); }
void narrow(BFloat16* to, const float* from, int64_t n) { TAPER_BY_ISA(narrow, to, from, n); }

}  // namespace taper::cpu
