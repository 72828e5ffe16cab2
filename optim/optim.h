// All optimizers and schedules.
#pragma once

#include <taper/optim/adadelta.h>
#include <taper/optim/adagrad.h>
#include <taper/optim/adam.h>
#include <taper/optim/adamax.h>
#include <taper/optim/adamw.h>
#include <taper/optim/asgd.h>
#include <taper/optim/fused.h>
#include <taper/optim/grad_scaler.h>
#include <taper/optim/lbfgs.h>
#include <taper/optim/lr_scheduler.h>
#include <taper/optim/lr_schedules.h>
#include <taper/optim/nadam.h>
#include <taper/optim/optimizer.h>
#include <taper/optim/radam.h>
#include <taper/optim/rmsprop.h>
#include <taper/optim/rprop.h>
#include <taper/optim/serialize.h>
#include <taper/optim/sgd.h>
#include <taper/optim/swa_utils.h>
