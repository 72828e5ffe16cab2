// c10::InferenceMode.
#pragma once

#include <taper/framework/autograd/grad_mode.h>
#include <torch/names.h>
