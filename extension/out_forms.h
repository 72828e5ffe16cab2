// `out` forms of ops whose own headers have none: the result is made, checked, and copied into the
// tensor that the caller gives, by the rules of ops/shared/out.h.
#pragma once

#include <taper/extension/out_forms_nn.h>
#include <taper/extension/out_forms_numbers.h>
#include <taper/extension/out_forms_overloads.h>
#include <taper/extension/out_forms_random.h>
#include <taper/extension/out_forms_tensors.h>
