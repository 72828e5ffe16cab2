// c10::Layout.
#pragma once

#include <taper/framework/options.h>
#include <torch/names.h>
