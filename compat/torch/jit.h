// Taper has no TorchScript. This header declares TorchScript's names, so that the compiler suggests
// an alternative if a program uses one of them. A program that includes <torch/script.h> but uses
// none of them compiles.
#pragma once

#include <taper/framework/io/ivalue.h>
#include <torch/names.h>

#define TAPER_NO_TORCHSCRIPT                                                                       \
  "TorchScript is not part of Taper: define the network as a torch::nn::Module, save its weights " \
  "with torch::save, and load them with torch::load. Or export the model in Python: import "       \
  "torch; "                                                                                        \
  "program = torch.export.export(model.eval(), (x,)); torch.export.save(program, 'model.pt2'). "   \
  "taper::load_program(\"model.pt2\") runs and trains it: docs/programs.md"
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

// The types are complete, so that the compiler reports only the message TAPER_NO_TORCHSCRIPT.
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
