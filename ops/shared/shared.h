// Includes the declarations that several families share: optional arguments and parts of `out`
// forms.
#pragma once

#include <taper/ops/shared/amp.h>
#include <taper/ops/shared/op_mode.h>
#include <taper/ops/shared/optional_tensors.h>
