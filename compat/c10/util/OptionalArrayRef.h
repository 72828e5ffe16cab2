// c10::OptionalArrayRef and OptionalIntArrayRef.
#pragma once

#include <taper/framework/core/array_ref.h>
#include <torch/names.h>
