// c10::BFloat16.
#pragma once

#include <taper/framework/dtype.h>
#include <torch/names.h>
