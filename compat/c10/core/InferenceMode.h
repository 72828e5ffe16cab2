// c10::InferenceMode.
#pragma once

#include <taper/framework/grad_mode.h>
#include <torch/names.h>
