// c10::GetCPUAllocator.
#pragma once

#include <taper/extension/allocator.h>
#include <torch/names.h>
