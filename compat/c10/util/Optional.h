// c10::optional: the standard one.
#pragma once

#include <taper/framework/core/array_ref.h>
#include <torch/names.h>
