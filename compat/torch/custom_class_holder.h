// torch::CustomClassHolder.
#pragma once

#include <taper/framework/core/intrusive.h>
#include <torch/names.h>

namespace torch {
/// The base of classes whose objects LibTorch programs hold in a c10::intrusive_ptr.
struct CustomClassHolder : c10::intrusive_ptr_target {};
}  // namespace torch
