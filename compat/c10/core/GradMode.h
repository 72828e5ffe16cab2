// c10::GradMode and its guards.
#pragma once

#include <taper/framework/grad_mode.h>
#include <torch/names.h>
