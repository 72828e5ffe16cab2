// All of Taper's modules.
#pragma once

#include <taper/nn/modules/activation.h>
#include <taper/nn/modules/adaptive.h>
#include <taper/nn/modules/attention.h>
#include <taper/nn/modules/batchnorm.h>
#include <taper/nn/modules/container/functional.h>
#include <taper/nn/modules/container/moduledict.h>
#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/container/parameters.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/nn/modules/conv.h>
#include <taper/nn/modules/distance.h>
#include <taper/nn/modules/dropout.h>
#include <taper/nn/modules/embedding.h>
#include <taper/nn/modules/embedding_bag.h>
#include <taper/nn/modules/fold.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/modules/loss.h>
#include <taper/nn/modules/normalization.h>
#include <taper/nn/modules/padding.h>
#include <taper/nn/modules/pixelshuffle.h>
#include <taper/nn/modules/pooling.h>
#include <taper/nn/modules/rnn.h>
#include <taper/nn/modules/transformer.h>
#include <taper/nn/modules/upsampling.h>
