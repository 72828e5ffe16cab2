// at::parallel_for, at::parallel_reduce and the number of threads.
#pragma once

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/parallel_reduce.h>
#include <torch/names.h>
