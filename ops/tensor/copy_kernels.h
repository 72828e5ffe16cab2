#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Converts x to y's dtype. A real y gets the real part of a complex x. x and y have equal shapes
/// and any strides.
TAPER_KERNEL(copy, Out y, In x)
/// Fills y with `value`, an operand with one number of y's dtype.
TAPER_KERNEL(fill, Out y, In value)
/// Fills y with zeros.
TAPER_KERNEL(zero, Out y)

namespace cpu {
/// Copies `rows` rows of `nbytes` bytes on the calling thread. y_row and x_row are the steps
/// between rows, in bytes.
void copy_rows(char* y, int64_t y_row, const char* x, int64_t x_row, int64_t rows, int64_t nbytes);
}  // namespace cpu

}  // namespace torch::taper
