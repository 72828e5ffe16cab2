// c10::MemoryFormat.
#pragma once

#include <taper/framework/options.h>
#include <torch/names.h>
