#include <taper/framework/cpu/openblas.h>

#include <dlfcn.h>

#include <string>

#include <taper/framework/core/check.h>

namespace torch::taper::cpu {
namespace {

// The values of CBLAS's enumerations.
constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;
using Dgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       double alpha, const double* a, int lda, const double* b, int ldb,
                       double beta, double* c, int ldc);

void* load() {
  void* library = nullptr;
  for (const char* name : {"libopenblas.so.0", "libopenblas.so.3", "libopenblas.so"})
    if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // systems number it differently
  if (!library) return nullptr;
  // Its own threads would compete with OpenMP's, and the caller splits the work.
  if (auto set_threads =
          reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
    set_threads(1);
  return library;
}
void* library() {
  static void* const loaded = load();
  return loaded;
}

int flag(bool transpose) { return transpose ? kTranspose : kNoTranspose; }

}  // namespace

bool openblas_dgemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
                    const double* a, int lda, const double* b, int ldb, double beta, double* c,
                    int ldc) {
  static const Dgemm dgemm =
      library() ? reinterpret_cast<Dgemm>(dlsym(library(), "cblas_dgemm")) : nullptr;
  if (!dgemm) return false;
  dgemm(kRowMajor, flag(transpose_a), flag(transpose_b), m, n, k, alpha, a, lda, b, ldb, beta, c,
        ldc);
  return true;
}

void* openblas_function(const char* name) {
  TAPER_CHECK(
      library(),
      "expected libopenblas.so.0, which linear algebra on the CPU needs, and could not load "
      "it: install OpenBLAS (Debian: libopenblas0)");
  void* f = dlsym(library(), name);
  TAPER_CHECK(f, "expected the function ", name, " in libopenblas.so.0, which lacks it");
  return f;
}

void* lapack_function(char letter, const char* name) {
  return openblas_function((letter + std::string(name) + "_").c_str());
}

}  // namespace torch::taper::cpu
