// c10::Backend.
#pragma once

#include <taper/framework/options.h>
#include <torch/names.h>
