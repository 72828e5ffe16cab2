// LibTorch's macros for saving and loading an optimizer that a program defines.
#pragma once

#include <taper/optim/serialize.h>

#define _TORCH_OPTIM_SERIALIZE_WITH_TEMPLATE_ARG(Optimizer) \
  ::taper::optim::serialize<Optimizer##ParamState, Optimizer##Options>(archive, self)
#define _TORCH_OPTIM_SERIALIZE_TORCH_ARG(name) \
  ::taper::optim::detail::write_field(archive, #name, name())
#define _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(T, name) \
  ::taper::optim::detail::read_field_if_there(archive, #name, name())
