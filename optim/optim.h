// All optimizers and schedules.
#pragma once

#include <taper/optim/adagrad.h>
#include <taper/optim/adam.h>
#include <taper/optim/adamw.h>
#include <taper/optim/lr_scheduler.h>
#include <taper/optim/optimizer.h>
#include <taper/optim/rmsprop.h>
#include <taper/optim/serialize.h>
#include <taper/optim/sgd.h>
