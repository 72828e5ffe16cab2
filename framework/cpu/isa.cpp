#include <taper/framework/cpu/isa.h>

#include <cstdlib>
#include <string_view>

namespace taper::cpu {
namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  const char* asked = std::getenv("TAPER_CPU_ISA");
  const std::string_view limit = asked ? asked : "";
  if (limit == "base" || !avx2) return Isa::kBase;
  if (limit == "avx2" || !avx512) return Isa::kAvx2;
  return Isa::kAvx512;
#else
  return Isa::kBase;
#endif
}

}  // namespace

const Isa best_isa = detect();

}  // namespace taper::cpu
