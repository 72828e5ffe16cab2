#include <taper/data/datasets/parts.h>
#include <taper/ops/random/rand.h>

#include <cmath>
#include <numeric>

namespace torch::taper::data::datasets::detail {

std::vector<std::vector<size_t>> random_parts(size_t count, const std::vector<size_t>& lengths,
                                              const optional<Generator>& generator) {
  const size_t sum = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  TAPER_CHECK_VALUE(sum == count,
                    "random_split: Sum of input lengths does not equal the length of the input "
                    "dataset! Got ",
                    sum, " for ", count, " examples");
  const Tensor order = randperm(static_cast<int64_t>(count), generator);
  const int64_t* at = order.data_ptr<int64_t>();
  std::vector<std::vector<size_t>> parts;
  for (size_t n : lengths) {
    parts.emplace_back(at, at + n);
    at += n;
  }
  return parts;
}

std::vector<size_t> lengths_of(size_t count, const std::vector<double>& fractions) {
  double sum = 0;
  for (double f : fractions) {
    TAPER_CHECK_VALUE(f >= 0 && f <= 1, "random_split: expected fractions between 0 and 1, got ",
                      f);
    sum += f;
  }
  TAPER_CHECK_VALUE(std::fabs(sum - 1) <= 1e-9,
                    "random_split: expected fractions that add up to 1, got ", sum);
  std::vector<size_t> lengths;
  size_t given = 0;
  for (double f : fractions) {
    lengths.push_back(static_cast<size_t>(std::floor(static_cast<double>(count) * f)));
    given += lengths.back();
  }
  for (size_t i = 0; given < count; ++i, ++given) ++lengths[i % lengths.size()];
  return lengths;
}

}  // namespace torch::taper::data::datasets::detail
