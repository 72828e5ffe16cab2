// LAPACK, of OpenBLAS: its functions for float and double by one name. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include <taper/framework/cpu/openblas.h>

namespace taper::cpu {

/// Calls a Fortran function for float or double: numbers by address, and at the end the lengths of
/// `flags` arguments that are characters.
template <class T, class... A>
void fortran(void* function, A*... arguments) {
  reinterpret_cast<void (*)(A * ..., size_t, size_t, size_t, size_t)>(function)(arguments..., 1, 1,
                                                                                1, 1);
}

/// Calls run(work, &length) twice: with length -1 LAPACK tells how much memory it wants, and then
/// it gets that.
template <class T, class Run>
void with_work(const Run& run) {
  T size = 0;
  int length = -1;
  run(&size, &length);
  std::vector<T> work(static_cast<size_t>(size) + 64);
  length = static_cast<int>(work.size());
  run(work.data(), &length);
}

}  // namespace taper::cpu

/// The function of this name for T, found once at each place.
#define TAPER_LAPACK(T, name)                                                          \
  ([] {                                                                                \
    static void* const f =                                                             \
        ::taper::cpu::openblas_function(sizeof(T) == 4 ? "s" name "_" : "d" name "_"); \
    return f;                                                                          \
  }())
