// LibTorch's <torch/csrc/WindowsTorchApiMacro.h>: what of it programs use comes with
// <c10/macros/Export.h>.
#pragma once

#include <c10/macros/Export.h>
