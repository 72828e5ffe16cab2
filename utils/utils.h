// Tools to observe a run: TensorBoard's files, summaries of networks, grids of images, progress.
#pragma once

#include <taper/utils/flop_counter.h>
#include <taper/utils/image_grid.h>
#include <taper/utils/metrics.h>
#include <taper/utils/profiler/profiler.h>
#include <taper/utils/progress.h>
#include <taper/utils/summary.h>
#include <taper/utils/tensorboard/summary_writer.h>
