#include "harness/samples.h"

#include <cmath>

namespace torch::taper::testing {
namespace {

double away_from_kinks(double v) {
  const double whole = std::floor(2 * v), rest = 2 * v - whole;
  return (whole + 0.1 + 0.8 * rest) / 2;
}

}  // namespace

Tensor random_tensor(const std::vector<int64_t>& sizes, ScalarType dtype, Range range,
                     Random& random) {
  Array a(sizes);
  if (isComplexType(dtype)) a.im.resize(a.v.size());
  for (double& v : a.im) v = random.uniform(range.low, range.high);
  for (double& v : a.v) {
    if (isComplexType(dtype))
      v = random.uniform(range.low, range.high);
    else if (isFloatingType(dtype))
      v = away_from_kinks(random.uniform(range.low, range.high));
    else if (dtype == kBool)
      v = static_cast<double>(random.bits() % 2);
    else
      v = static_cast<double>(random.integer(
          static_cast<int64_t>(std::ceil(dtype == kByte ? std::max(range.low, 0.0) : range.low)),
          static_cast<int64_t>(std::floor(range.high)) + 1));
  }
  return to_tensor(a, dtype);
}

Tensor random_index(const std::vector<int64_t>& sizes, int64_t low, int64_t high, Random& random) {
  Array a(sizes);
  for (double& v : a.v) v = static_cast<double>(random.integer(low, high));
  return to_tensor(a, kLong);
}

std::vector<std::vector<int64_t>> shapes_of_one(ScalarType dtype) {
  std::vector<std::vector<int64_t>> shapes = {{},        {0},    {1},    {5},    {31},
                                              {32},      {33},   {2, 3}, {0, 3}, {7, 1},
                                              {3, 1, 4}, {1023}, {1024}, {1025}, {5, 33}};
  if (dtype == kFloat) shapes.push_back({70001});
  return shapes;
}

std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> shapes_of_two() {
  return {{{}, {}},      {{3}, {}},          {{}, {2, 3}},      {{0}, {1}},       {{0, 3}, {3}},
          {{5}, {5}},    {{3, 4}, {3, 4}},   {{3, 1}, {1, 4}},  {{2, 3, 4}, {4}}, {{4}, {2, 1, 4}},
          {{33}, {33}},  {{5, 33}, {33}},    {{5, 33}, {5, 1}}, {{1}, {31}},      {{1025}, {1025}},
          {{1024}, {1}}, {{2, 1023}, {1023}}};
}

std::vector<Args> samples_of_one(ScalarType dtype, Range range) {
  Random random(5);
  std::vector<Args> list;
  for (const auto& shape : shapes_of_one(dtype))
    list.push_back({{random_tensor(shape, dtype, range, random)}});
  return list;
}

std::vector<Args> samples_of_two(ScalarType dtype, Range first, Range second) {
  Random random(6);
  std::vector<Args> list;
  for (const auto& [a, b] : shapes_of_two())
    list.push_back(
        {{random_tensor(a, dtype, first, random), random_tensor(b, dtype, second, random)}});
  return list;
}

Args sample_of(const std::vector<std::vector<int64_t>>& sizes, ScalarType dtype, Range range,
               std::vector<int64_t> ints, std::vector<double> numbers) {
  Random random(7);
  Args a{{}, std::move(ints), std::move(numbers)};
  for (const auto& s : sizes) a.t.push_back(random_tensor(s, dtype, range, random));
  return a;
}

}  // namespace torch::taper::testing
