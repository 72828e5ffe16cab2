// c10::Layout.
#pragma once

#include <taper/framework/core/options.h>
#include <torch/names.h>
