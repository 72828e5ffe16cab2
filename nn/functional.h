// All of taper::nn::functional.
#pragma once

#include <taper/nn/functional/activation.h>
#include <taper/nn/functional/attention.h>
#include <taper/nn/functional/batchnorm.h>
#include <taper/nn/functional/conv.h>
#include <taper/nn/functional/distance.h>
#include <taper/nn/functional/dropout.h>
#include <taper/nn/functional/embedding.h>
#include <taper/nn/functional/embedding_bag.h>
#include <taper/nn/functional/fold.h>
#include <taper/nn/functional/linear.h>
#include <taper/nn/functional/loss.h>
#include <taper/nn/functional/normalization.h>
#include <taper/nn/functional/padding.h>
#include <taper/nn/functional/pixelshuffle.h>
#include <taper/nn/functional/pooling.h>
#include <taper/nn/functional/upsampling.h>
#include <taper/nn/functional/vision.h>
