// Tensors and modules as from <torch/torch.h>, operators as from <torch/library.h>; the TorchScript
// half is absent, see <torch/jit.h>.
#pragma once

#include <torch/library.h>
#include <torch/torch.h>
