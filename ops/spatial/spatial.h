// Includes convolutions, pooling, padding, folding and resampling.
#pragma once

#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/grid_sample.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/spatial/pool_unpool.h>
#include <taper/ops/spatial/upsample.h>
