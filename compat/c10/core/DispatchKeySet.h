// c10::DispatchKeySet.
#pragma once

#include <taper/framework/core/dispatch_key.h>
#include <torch/names.h>
