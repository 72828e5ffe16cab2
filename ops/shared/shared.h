// Includes declarations for several families of ops: optional arguments, modes, and the ops of a
// gradient scaler.
#pragma once

#include <taper/ops/shared/amp.h>
#include <taper/ops/shared/op_mode.h>
#include <taper/ops/shared/optional_tensors.h>
