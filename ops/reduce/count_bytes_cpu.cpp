#include <taper/framework/kernel/vec.h>
#include <taper/ops/reduce/count_bytes.h>

#define TAPER_ISA_FILE <taper/ops/reduce/count_bytes_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

int64_t count_bytes(const uint8_t* p, int64_t n) { return TAPER_BY_ISA(count_bytes, p, n); }

}  // namespace torch::taper::cpu
