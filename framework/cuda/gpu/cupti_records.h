// The forms of CUPTI's records that depend on its version.
#pragma once

#include <cupti.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

// Each version of CUPTI writes the newest form that it knows, whose first part is the older forms'.
#if CUPTI_API_VERSION >= 130000
using KernelActivity = CUpti_ActivityKernel10;
using CopyActivity = CUpti_ActivityMemcpy6;
#else
using KernelActivity = CUpti_ActivityKernel9;
using CopyActivity = CUpti_ActivityMemcpy5;
#endif

}  // namespace torch::taper::detail
