// c10::SmallVector.
#pragma once

#include <taper/extension/small_vector.h>
#include <torch/names.h>
