// Kernels of the data sets in memory. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {
namespace data {

/// What is done with a byte x: x / 255, then (x - mean) / stddev if asked for, each step rounded to
/// float as separate ops would.
struct ImageNumbers {
  float mean, stddev;
  bool normalize;
};

}  // namespace data

/// y[b] = image number rows[b] of `images` as floats. Both are contiguous; `rows` has y's first
/// size and must live until the kernel has run.
TAPER_KERNEL(gather_images, Out y, In images, const size_t* rows, data::ImageNumbers n)
/// y = images / 255
TAPER_KERNEL(images_to_float, Out y, In images)

}  // namespace torch::taper
