// Cases of pointwise ops from a function of numbers.
#pragma once

#include "harness/samples.h"

namespace torch::taper::testing {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

/// A case for y = f(x) with samples of all shapes from `range`, for floating and integral dtypes.
OpCase unary_case(std::string name, std::function<Tensor(const Tensor&)> op, Unary f, Range range);
/// A case for z = f(x, y) with shapes that broadcast.
OpCase binary_case(std::string name, std::function<Tensor(const Tensor&, const Tensor&)> op,
                   Binary f, Range first = {}, Range second = {});

/// The reference of a pointwise function of one or two arrays.
Arrays map(const Array& x, Unary f);
Arrays map(const Array& x, const Array& y, Binary f);

/// Floating inputs keep their dtype, all others give kFloat.
ScalarType float_result(ScalarType t);
ScalarType bool_result(ScalarType t);

}  // namespace torch::taper::testing
