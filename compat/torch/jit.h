// TorchScript is absent. Its names are declared, so that a program that uses one gets an error with
// an alternative. A program that only includes <torch/script.h> builds.
#pragma once

#include <taper/framework/io/ivalue.h>
#include <torch/names.h>

#define TAPER_NO_TORCHSCRIPT                                                                       \
  "TorchScript is not part of Taper: define the network as a torch::nn::Module, save its weights " \
  "with torch::save, and load them with torch::load"
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define TAPER_ABSENT __attribute__((unavailable(TAPER_NO_TORCHSCRIPT)))
#endif
#endif
#ifndef TAPER_ABSENT
#define TAPER_ABSENT __attribute__((deprecated(TAPER_NO_TORCHSCRIPT)))
#endif

namespace torch {
namespace jit {

using taper::IValue;

// Complete types, so that the compiler reports only the sentence above.
struct TAPER_ABSENT Module {};
struct TAPER_ABSENT Graph {};
template <class... A>
TAPER_ABSENT int load(A&&...);
template <class... A>
TAPER_ABSENT int compile(A&&...);
template <class... A>
TAPER_ABSENT int freeze(A&&...);
template <class... A>
TAPER_ABSENT int optimize_for_inference(A&&...);
template <class... A>
TAPER_ABSENT int getAllOperators(A&&...);

namespace script {
struct TAPER_ABSENT Module {};
}  // namespace script

}  // namespace jit
}  // namespace torch

#undef TAPER_ABSENT
