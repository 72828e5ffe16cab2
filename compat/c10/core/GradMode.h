// c10::GradMode and its guards.
#pragma once

#include <taper/framework/autograd/grad_mode.h>
#include <torch/names.h>
