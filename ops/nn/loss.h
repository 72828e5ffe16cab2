// The common rules of losses. In all functions, `reduction` is Reduction::None (one value per
// element or sample), Mean (the default) or Sum. Mean divides the sum by the number of elements.
// With class weights, Mean divides the sum by the sum of the targets' weights. If there are no
// elements, Mean returns NaN.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace Reduction {
/// Selects how a loss is reduced: not at all, to the mean or to the sum of its elements.
enum Reduction { None, Mean, Sum, END };
}  // namespace Reduction

}  // namespace torch::taper

#pragma GCC visibility pop
