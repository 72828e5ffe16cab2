// c10::RegisterOperators, the way of registering operators before TORCH_LIBRARY.
#pragma once

#include <torch/library.h>
