#include <taper/framework/kernel/isa.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <taper/framework/cpu/gemm_pairs.h>

#if defined(__linux__) && defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace torch::taper::cpu {
namespace {

#if defined(__x86_64__)
// Returns the value of TAPER_CPU_ISA, or an empty text.
std::string_view limit() {
  const char* asked = std::getenv("TAPER_CPU_ISA");
  return asked ? asked : "";
}

// The program's main() has not begun, so that an exception would end it.
void warn_of_unknown_limit() {
  constexpr std::string_view known[] = {"", "base", "avx2", "avx512", "pairs"};
  if (std::find(std::begin(known), std::end(known), limit()) == std::end(known))
    std::fprintf(stderr,
                 "Warning: TAPER_CPU_ISA=%s is ignored: expected base, avx2, avx512 (without bf16 "
                 "products) or pairs (without AMX)\n",
                 std::getenv("TAPER_CPU_ISA"));
}
#endif

Isa detect() {
#if defined(__x86_64__)
  warn_of_unknown_limit();
#endif
#if TAPER_ISA_VARIANTS()
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (limit() == "base" || !avx2) return Isa::kBase;
  if (limit() == "avx2" || !avx512) return Isa::kAvx2;
  return Isa::kAvx512;
#else
  return Isa::kBase;
#endif
}

bool detect_pairs() {
#if defined(__x86_64__)
  return best_isa == Isa::kAvx512 && limit() != "avx512" && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

// Linux requires that a process requests the tile registers' memory before their first use.
bool detect_tiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM of asm/prctl.h
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (limit() == "pairs" || !detect_pairs() || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return false;
  const bool has_them = (d >> 22 & 1) && (d >> 24 & 1);  // AMX-BF16, AMX-TILE
  return has_them && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace

const Isa best_isa = detect();
const bool multiplies_pairs = detect_pairs();
const bool multiplies_tiles = detect_tiles();

}  // namespace torch::taper::cpu
