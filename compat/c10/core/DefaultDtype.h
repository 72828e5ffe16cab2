// The default dtype.
#pragma once

#include <taper/framework/dtype.h>
#include <torch/names.h>
