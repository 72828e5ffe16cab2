// Calls of OpenBLAS's LAPACK. One name selects the functions for float, double and complex numbers.
// Not installed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <taper/framework/cpu/openblas.h>
#include <taper/framework/kernel/element_parts.h>

namespace torch::taper::cpu {

using numbers::is_complex_v;
using numbers::part_t;

/// Calls a Fortran function for elements of T. All arguments are addresses. Adds four lengths of
/// character arguments, each 1, at the end.
template <class T, class... A>
void fortran(void* function, A*... arguments) {
  reinterpret_cast<void (*)(A * ..., size_t, size_t, size_t, size_t)>(function)(arguments..., 1, 1,
                                                                                1, 1);
}

/// Returns the workspace size that LAPACK has stored in `first`, the first element of a workspace.
template <class T>
size_t work_size(const T& first) {
  if constexpr (is_complex_v<T>)
    return static_cast<size_t>(first.real());
  else
    return static_cast<size_t>(first);
}

/// Calls run(work, &length) twice. In the first call, `length` is -1, and LAPACK returns the
/// workspace size. In the second call, `work` is a workspace of this size.
template <class T, class Run>
void with_work(const Run& run) {
  T size = 0;
  int length = -1;
  run(&size, &length);
  std::vector<T> work(work_size(size) + 64);
  length = static_cast<int>(work.size());
  run(work.data(), &length);
}

/// The name of a LAPACK function, such as "getrf", as a template argument.
struct LapackName {
  char text[8] = {};
  template <size_t N>
  consteval LapackName(const char (&name)[N]) {
    for (size_t i = 0; i + 1 < N; ++i) text[i] = name[i];
  }
};

/// Returns LAPACK's letter for elements of T: s, d, c or z.
template <class T>
constexpr char lapack_letter() {
  if constexpr (is_complex_v<T>) return sizeof(T) == 8 ? 'c' : 'z';
  return sizeof(T) == 4 ? 's' : 'd';
}

/// Returns the LAPACK function `name` for T. If T is complex, returns `complex_name`. The function
/// is looked up only in the first call.
template <class T, LapackName name, LapackName complex_name = name>
void* lapack() {
  static void* const f =
      lapack_function(lapack_letter<T>(), (is_complex_v<T> ? complex_name : name).text);
  return f;
}

}  // namespace torch::taper::cpu
