// Includes reductions, scans, sorting, search, statistics and histograms.
#pragma once

#include <taper/ops/reduce/covariance.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/reduce/segment_reduce.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/reduce/trapezoid.h>
#include <taper/ops/reduce/unique.h>
