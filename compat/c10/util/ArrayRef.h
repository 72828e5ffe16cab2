// c10::ArrayRef.
#pragma once

#include <taper/framework/core/array_ref.h>
#include <torch/names.h>
