// c10::FunctionSchema, Argument and OperatorName.
#pragma once

#include <taper/extension/schema.h>
#include <torch/names.h>
