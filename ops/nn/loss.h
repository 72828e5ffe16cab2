// Losses. In all of them, `reduction` is Reduction::None (one value per element or sample), Mean
// (the default) or Sum. Mean divides by the number of elements. With class weights it divides by
// the sum of the targets' weights. The mean of no elements is NaN.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace Reduction {
/// Names how a loss joins its elements: not at all, by their mean or by their sum.
enum Reduction { None, Mean, Sum, END };
}  // namespace Reduction

}  // namespace torch::taper

#pragma GCC visibility pop
