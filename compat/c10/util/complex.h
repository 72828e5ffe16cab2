// c10::complex.
#pragma once

#include <taper/framework/complex.h>
#include <torch/names.h>
