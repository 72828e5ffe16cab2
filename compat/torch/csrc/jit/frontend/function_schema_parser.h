// torch::jit::parseSchema and parseName.
#pragma once

#include <ATen/core/function_schema.h>
#include <torch/torch.h>

namespace torch {
namespace jit {
using taper::parseName;
using taper::parseSchema;
}  // namespace jit
}  // namespace torch
