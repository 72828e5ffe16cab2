// c10::MemoryFormat.
#pragma once

#include <taper/framework/core/options.h>
#include <torch/names.h>
