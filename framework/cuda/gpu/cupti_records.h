// The types of CUPTI's records, which depend on its version.
#pragma once

#include <cupti.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

// Each version of CUPTI writes its newest record type. This type begins with the members of the
// older types.
#if CUPTI_API_VERSION >= 130000
using KernelActivity = CUpti_ActivityKernel10;
using CopyActivity = CUpti_ActivityMemcpy6;
#else
using KernelActivity = CUpti_ActivityKernel9;
using CopyActivity = CUpti_ActivityMemcpy5;
#endif

}  // namespace torch::taper::detail
