// at::TensorIterator.
#pragma once

#include <taper/extension/tensor_iterator.h>
#include <torch/names.h>
