// Includes the functions of layers: activations, linear maps, normalisations, softmax, losses,
// dropout and attention.
#pragma once

#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/attention.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/nn/softmax.h>
