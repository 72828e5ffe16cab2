// c10::ArrayRef.
#pragma once

#include <taper/framework/array_ref.h>
#include <torch/names.h>
