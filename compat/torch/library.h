// TORCH_LIBRARY and related macros: a program's operators (taper/extension/library.h).
#pragma once

#include <taper/extension/custom_class.h>
#include <torch/custom_class_holder.h>
#include <torch/names.h>

namespace torch {
namespace jit {
using taper::jit::Function;
using taper::jit::Stack;
}  // namespace jit
}  // namespace torch

// The macros define objects at namespace scope, which need unique names. A library namespace has
// one TORCH_LIBRARY, and any number of fragments and implementations.
#define TORCH_LIBRARY_SCOPE_(kind, id, ns, key, m)                                   \
  static void TORCH_LIBRARY_fill_##id(torch::Library&);                              \
  static const taper::detail::TorchLibraryInit TORCH_LIBRARY_init_##id(              \
      torch::Library::kind, &TORCH_LIBRARY_fill_##id, #ns, key, __FILE__, __LINE__); \
  void TORCH_LIBRARY_fill_##id([[maybe_unused]] torch::Library& m)
#define TORCH_LIBRARY_SCOPE_OF_(kind, ns, count, key, m) \
  TORCH_LIBRARY_SCOPE_(kind, ns##_##kind##_##count, ns, key, m)
#define TORCH_LIBRARY_NEXT_SCOPE_(kind, ns, count, key, m) \
  TORCH_LIBRARY_SCOPE_OF_(kind, ns, count, key, m)

// <torch/torch.h> defines these macros as errors that ask for this header.
#undef TORCH_LIBRARY
#undef TORCH_LIBRARY_FRAGMENT
#undef TORCH_LIBRARY_IMPL
#define TORCH_LIBRARY(ns, m) TORCH_LIBRARY_SCOPE_(DEF, ns, ns, c10::nullopt, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  TORCH_LIBRARY_NEXT_SCOPE_(FRAGMENT, ns, __COUNTER__, c10::nullopt, m)
#define TORCH_LIBRARY_IMPL(ns, k, m) \
  TORCH_LIBRARY_NEXT_SCOPE_(IMPL, ns, __COUNTER__, c10::DispatchKey::k, m)

#define TORCH_FN(function) (&function)
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema
#define TORCH_SELECTIVE_CLASS(name) name
