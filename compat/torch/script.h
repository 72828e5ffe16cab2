// Tensors and modules as from <torch/torch.h>; the TorchScript half is absent, see <torch/jit.h>.
#pragma once

#include <torch/torch.h>
