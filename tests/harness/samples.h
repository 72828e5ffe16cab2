// Inputs for the cases: shapes that kernels get wrong, values that keep clear of kinks.
#pragma once

#include "harness/op_case.h"

namespace torch::taper::testing {

/// A range of input values. Floating values keep at least 0.05 away from multiples of 0.5, where
/// rounding and comparing functions jump; integral ones are the whole numbers of the range. Both
/// parts of a complex number are of the range.
struct Range {
  double low = -3;
  double high = 3;
};

/// A tensor of random values of the range.
Tensor random_tensor(const std::vector<int64_t>& sizes, ScalarType dtype, Range range,
                     Random& random);
/// A tensor of random whole numbers in [low, high).
Tensor random_index(const std::vector<int64_t>& sizes, int64_t low, int64_t high, Random& random);

/// 0-dim, empty, of size 1, odd sizes around 32 and 1024, several dimensions, and (for kFloat)
/// enough elements for several threads.
std::vector<std::vector<int64_t>> shapes_of_one(ScalarType dtype);
/// Pairs of shapes that broadcast to each other in every way.
std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> shapes_of_two();

/// One sample for each shape of shapes_of_one.
std::vector<Args> samples_of_one(ScalarType dtype, Range range);
/// One sample for each pair of shapes_of_two.
std::vector<Args> samples_of_two(ScalarType dtype, Range first, Range second);
/// One sample with tensors of these sizes, all of the same range.
Args sample_of(const std::vector<std::vector<int64_t>>& sizes, ScalarType dtype, Range range = {},
               std::vector<int64_t> ints = {}, std::vector<double> numbers = {});

}  // namespace torch::taper::testing
