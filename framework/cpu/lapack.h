// LAPACK, of OpenBLAS: its functions for float, double and their complex numbers by one name. Not
// installed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <taper/framework/cpu/openblas.h>
#include <taper/framework/kernel/element_parts.h>

namespace torch::taper::cpu {

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

/// The name of a function, as an argument of a template.
struct LapackName {
  char text[8] = {};
  template <size_t N>
  consteval LapackName(const char (&name)[N]) {
    for (size_t i = 0; i + 1 < N; ++i) text[i] = name[i];
  }
};

/// The letter of a function for elements of T.
template <class T>
constexpr char lapack_letter() {
  if constexpr (is_complex_v<T>) return sizeof(T) == 8 ? 'c' : 'z';
  return sizeof(T) == 4 ? 's' : 'd';
}

/// The function of this name for T, found once; the other name is that of the one for complex
/// numbers.
template <class T, LapackName name, LapackName complex_name = name>
void* lapack() {
  static void* const f =
      lapack_function(lapack_letter<T>(), (is_complex_v<T> ? complex_name : name).text);
  return f;
}

}  // namespace torch::taper::cpu
