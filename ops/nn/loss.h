// Losses. Common to all: `reduction` is one of Reduction::None (one value per element or sample),
// Mean (the default) or Sum. Mean divides by the number of elements; where there are class weights,
// by the sum of the weights of the targets. The mean of nothing is NaN.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}  // namespace Reduction

}  // namespace torch::taper

#pragma GCC visibility pop
