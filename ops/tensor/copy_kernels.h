#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// y = x converted to y's dtype (the real part of a complex x where y is real); equal shapes, any
/// strides.
TAPER_KERNEL(copy, Out y, In x)
/// y = value, an In of y's dtype that holds one number.
TAPER_KERNEL(fill, Out y, In value)
/// y = 0.
TAPER_KERNEL(zero, Out y)

namespace cpu {
/// `rows` rows of nbytes; steps between rows in bytes. On the calling thread.
void copy_rows(char* y, int64_t y_row, const char* x, int64_t x_row, int64_t rows, int64_t nbytes);
}  // namespace cpu

}  // namespace torch::taper
