// at::native::cpu_kernel.
#pragma once

#include <taper/extension/cpu_kernel.h>
#include <torch/names.h>
