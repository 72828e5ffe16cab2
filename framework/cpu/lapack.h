// LAPACK, of OpenBLAS: its functions for float, double and their complex numbers by one name. Not
// installed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <taper/framework/cpu/openblas.h>
#include <taper/framework/element_parts.h>

namespace taper::cpu {

using numbers::is_complex_v;
using numbers::part_t;

/// Calls a Fortran function for elements of T: numbers by address, and at the end the lengths of
/// `flags` arguments that are characters.
template <class T, class... A>
void fortran(void* function, A*... arguments) {
  reinterpret_cast<void (*)(A * ..., size_t, size_t, size_t, size_t)>(function)(arguments..., 1, 1,
                                                                                1, 1);
}

/// The amount of memory that LAPACK has put into the first element.
template <class T>
size_t work_size(const T& first) {
  if constexpr (is_complex_v<T>)
    return static_cast<size_t>(first.real());
  else
    return static_cast<size_t>(first);
}

/// Calls run(work, &length) twice: with length -1 LAPACK tells how much memory it wants, and then
/// it gets that.
template <class T, class Run>
void with_work(const Run& run) {
  T size = 0;
  int length = -1;
  run(&size, &length);
  std::vector<T> work(work_size(size) + 64);
  length = static_cast<int>(work.size());
  run(work.data(), &length);
}

/// One of these names of T's function.
template <class T>
constexpr const char* lapack_name(const char* s, const char* d, const char* c, const char* z) {
  if constexpr (is_complex_v<T>) return sizeof(T) == 8 ? c : z;
  return sizeof(T) == 4 ? s : d;
}

}  // namespace taper::cpu

/// The function of this name for T, found once at each place; the other name is that of the one for
/// complex numbers.
#define TAPER_LAPACK_OF(T, name, complex_name)                                           \
  ([] {                                                                                  \
    static void* const f = ::taper::cpu::openblas_function(::taper::cpu::lapack_name<T>( \
        "s" name "_", "d" name "_", "c" complex_name "_", "z" complex_name "_"));        \
    return f;                                                                            \
  }())
#define TAPER_LAPACK(T, name) TAPER_LAPACK_OF(T, name, name)
