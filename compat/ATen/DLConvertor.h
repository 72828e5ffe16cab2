// at::toDLPack, at::fromDLPack and their kin.
#pragma once

#include <ATen/dlpack.h>
#include <taper/extension/dl_convertor.h>
#include <torch/torch.h>
