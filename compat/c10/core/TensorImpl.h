// c10::TensorImpl.
#pragma once

#include <taper/framework/core/tensor_impl.h>
#include <torch/names.h>
