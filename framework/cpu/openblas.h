// OpenBLAS, loaded when it is first needed.
#pragma once

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Computes C = alpha op(A) op(B) + beta C, row-major, like cblas_dgemm with one thread. Returns
/// false, and does nothing, if the library cannot be loaded.
///
/// OpenBLAS is not linked, because its start-up code makes a thread for every core. That costs time
/// in programs that never multiply large f64 matrices. In a process with several threads, reference
/// counts must also be atomic.
bool openblas_dgemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
                    const double* a, int lda, const double* b, int ldb, double beta, double* c,
                    int ldc);

/// Returns a function of BLAS or LAPACK by its name in the library ("dgetrf_"). If it is missing,
/// throws Error that says what to install.
void* openblas_function(const char* name);
/// Returns a LAPACK function. `letter` stands for the element type ('d'), and `name` is the rest of
/// the function's name ("getrf").
void* lapack_function(char letter, const char* name);

}  // namespace torch::taper::cpu
