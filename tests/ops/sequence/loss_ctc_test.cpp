#include <taper/ops/sequence/loss_ctc.h>

#include <cmath>

#include "ops/nn/loss_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// -log of the sum over all paths of T labels that, without repetitions and blanks (0), are
/// `target`.
double all_paths(const Array& x, int64_t n, int64_t length, const Numbers& target) {
  const int64_t batch = x.size(1), classes = x.size(2);
  double total = 0;
  std::vector<int64_t> sizes(static_cast<size_t>(length), classes);
  for_each_index(sizes, [&](const std::vector<int64_t>& path) {
    Numbers said;
    double log_probability = 0;
    for (int64_t t = 0; t < length; ++t) {
      const auto label = path[static_cast<size_t>(t)];
      log_probability += x.v[(t * batch + n) * classes + label];
      if (label != 0 && (t == 0 || path[static_cast<size_t>(t - 1)] != label))
        said.push_back(static_cast<double>(label));
    }
    if (said == target) total += std::exp(log_probability);
  });
  return -std::log(total);
}

TAPER_OP_CASES(sequences, {
  OpCase c;
  c.name = "ctc_loss";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      list.push_back(sample_of({{5, 2, 3}}, t, {-2, 0}, {reduction}));
    return list;
  };
  c.call = [](const Args& a) {
    const Tensor targets = tensor_of({2, 2}, {1, 2, 2, 2}, kLong).to(a.t[0].device());
    return ctc_loss(a.t[0], targets, {5, 4}, {2, 2}, 0, a.i[0]);
  };
  c.reference = [](const ArrayArgs& a) {
    Numbers losses = {all_paths(a.t[0], 0, 5, {1, 2}), all_paths(a.t[0], 1, 4, {2, 2})};
    if (a.i[0] == Reduction::Mean)
      for (double& v : losses) v /= 2;  // by the targets' lengths
    return reduced(a, {2}, losses);
  };
  c.errors = {error<Error>("ctc_loss: expected labels from 0 to 2", [] {
    ctc_loss(numbers({5, 1, 3}), tensor_of({1, 1}, {3}, kLong), {5}, {1});
  })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace torch::taper::testing
