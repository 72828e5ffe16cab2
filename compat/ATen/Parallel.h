// at::parallel_for and the number of threads.
#pragma once

#include <taper/framework/cpu/parallel.h>
#include <torch/names.h>
