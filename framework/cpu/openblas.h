// OpenBLAS, loaded when it is first needed.
#pragma once

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// C = alpha op(A) op(B) + beta C, row-major, as cblas_dgemm with one thread. Returns false, and
/// does nothing, when the library cannot be loaded.
///
/// It is not linked: its start-up code makes a thread for every core, which costs time in programs
/// that never multiply large f64 matrices and makes every reference count atomic.
bool openblas_dgemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
                    const double* a, int lda, const double* b, int ldb, double beta, double* c,
                    int ldc);

/// A function of BLAS or LAPACK by its name in the library ("dgetrf_"). Throws Error, which says
/// what to install, where there is none.
void* openblas_function(const char* name);
/// The same for the letter of a type of elements ('d') and the rest of the name ("getrf").
void* lapack_function(char letter, const char* name);

}  // namespace torch::taper::cpu
