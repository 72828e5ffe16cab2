// What several families declare for users: optional arguments, the shared part of `out` forms.
#pragma once

#include <taper/ops/shared/amp.h>
#include <taper/ops/shared/optional_tensors.h>
