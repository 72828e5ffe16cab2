// c10::Half.
#pragma once

#include <taper/framework/dtype.h>
#include <torch/names.h>
