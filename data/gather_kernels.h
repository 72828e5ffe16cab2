// Kernels of the data sets in memory. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {
namespace data {

/// Converts a byte x to x / 255, then to (x - mean) / stddev if `normalize`. Each step rounds to
/// float, like separate ops.
struct ImageNumbers {
  float mean, stddev;
  bool normalize;
};

}  // namespace data

/// Writes image rows[b] of `images` as floats to y[b], for each b. `images` and y are contiguous.
/// `rows` has y.size(0) elements, and must be kept until the kernel has run.
TAPER_KERNEL(gather_images, Out y, In images, const size_t* rows, data::ImageNumbers n)
/// Writes images / 255 to y.
TAPER_KERNEL(images_to_float, Out y, In images)

}  // namespace torch::taper
