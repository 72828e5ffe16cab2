// Converts rows of 16-bit floats from and to floats, with the best instruction set. Not installed.
#pragma once

#include <taper/framework/core/dtype.h>

namespace torch::taper::cpu {

void widen(float* to, const Half* from, int64_t n);
void widen(float* to, const BFloat16* from, int64_t n);
void narrow(Half* to, const float* from, int64_t n);
void narrow(BFloat16* to, const float* from, int64_t n);

}  // namespace torch::taper::cpu
