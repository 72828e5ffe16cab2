// All of taper::nn: modules, functional, init, utils.
#pragma once

#include <taper/nn/functional.h>
#include <taper/nn/init.h>
#include <taper/nn/modules.h>
#include <taper/nn/parallel/data_parallel.h>
#include <taper/nn/utils/clip_grad.h>
#include <taper/nn/utils/convert_parameters.h>
#include <taper/nn/utils/rnn.h>
#include <taper/nn/utils/weight_norm.h>
