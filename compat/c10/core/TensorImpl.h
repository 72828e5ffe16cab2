// c10::TensorImpl.
#pragma once

#include <taper/framework/tensor_impl.h>
#include <torch/names.h>
