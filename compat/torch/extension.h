// Replaces LibTorch's header for programs with custom ops, without Python. A program calls its ops
// from C++. A PYBIND11_MODULE has no effect, and the compiler warns about it.
#pragma once

#include <ATen/Functions.h>
#include <ATen/TensorUtils.h>
#include <c10/core/Allocator.h>
#include <torch/all.h>
#include <torch/library.h>

#if defined(PYBIND11_MODULE)
#error "Taper has no Python: include <torch/extension.h> in place of pybind11's headers"
#endif

namespace torch_compat {

/// Replaces pybind11::arg in the body of a PYBIND11_MODULE, which is never called.
struct Argument {
  Argument(const char*) {}
  template <class T>
  Argument& operator=(const T&) {
    return *this;
  }
};
[[deprecated(
    "Taper has no Python, so this PYBIND11_MODULE defines no module: call its functions from "
    "C++")]] inline constexpr int no_python_module = 0;

}  // namespace torch_compat

namespace pybind11 {
using arg = torch_compat::Argument;
}
namespace py = pybind11;

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME taper_extension_without_python
#endif
#define PYBIND11_MODULE(name, m, ...)                                             \
  [[maybe_unused]] static const int C10_CONCATENATE(taper_no_python_, __LINE__) = \
      ::torch_compat::no_python_module;                                           \
  template <class TaperNoModule>                                                  \
  static void C10_CONCATENATE(taper_unused_bindings_,                             \
                              __LINE__)([[maybe_unused]] TaperNoModule & m)
