// Linear algebra is LAPACK's, on the CPU: there is no cuSOLVER yet. Simulated devices run it.
#include <taper/framework/cuda/launch.h>
#include <taper/ops/linalg_kernels.h>

namespace taper::cuda {
namespace {

#ifdef __CUDACC__
template <class... A>
void run(const char* name, void (*)(A...), A...) {
  throw NotImplementedError(std::string(name) +
                            ": expected a tensor on the CPU; there is no kernel for GPUs yet: move "
                            "it with x.to(torch::kCPU)");
}
#else
template <class... A>
void run(const char*, void (*kernel)(A...), A... arguments) {
  kernel(arguments...);
}
#endif

}  // namespace

void linalg_inverse(InOut a, Out info) { run("linalg.inv", &cpu::linalg_inverse, a, info); }
void linalg_lu(InOut a, Out pivots, Out info) {
  run("linalg.lu_factor", &cpu::linalg_lu, a, pivots, info);
}
void linalg_solve(InOut a, InOut b, Out info) {
  run("linalg.solve", &cpu::linalg_solve, a, b, info);
}
void linalg_cholesky(InOut a, Out info) { run("linalg.cholesky", &cpu::linalg_cholesky, a, info); }
void linalg_triangular(In a, InOut b, bool upper, bool unit) {
  run("linalg.solve_triangular", &cpu::linalg_triangular, a, b, upper, unit);
}
void linalg_qr(InOut a, InOut q) { run("linalg.qr", &cpu::linalg_qr, a, q); }
void linalg_svd(InOut a, Out u, Out s, Out vh, bool full, Out info) {
  run("linalg.svd", &cpu::linalg_svd, a, u, s, vh, full, info);
}
void linalg_eigh(InOut a, Out w, bool upper, bool vectors, Out info) {
  run("linalg.eigh", &cpu::linalg_eigh, a, w, upper, vectors, info);
}

}  // namespace taper::cuda
