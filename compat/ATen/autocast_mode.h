// at::autocast::set_autocast_enabled and the like: static functions of taper::autocast.
#pragma once

#include <taper/framework/autograd/autocast.h>
#include <torch/names.h>
