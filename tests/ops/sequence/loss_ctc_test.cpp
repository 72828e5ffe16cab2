#include <taper/ops/sequence/loss_ctc.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <taper/nn/utils/rnn.h>
#include <taper/ops/sequence/pack_sequence.h>

#include "ops/nn/loss_cases.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

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

Tensor longs(const std::vector<int64_t>& v) {
  Array a(Shape{static_cast<int64_t>(v.size())});
  for (size_t i = 0; i < v.size(); ++i) a.v[i] = static_cast<double>(v[i]);
  return to_tensor(a, kLong);
}

// i: batch_first, then the lengths. `at` is called for every row (time, sequence) in packed order.
template <class F>
void for_each_row(const std::vector<int64_t>& i, const F& at) {
  for (int64_t t = 0; t < i[1]; ++t)
    for (size_t n = 1; n < i.size(); ++n)
      if (i[n] > t) at(t, static_cast<int64_t>(n) - 1);
}
Shape place(bool batch_first, int64_t t, int64_t n, int64_t k) {
  return batch_first ? Shape{n, t, k} : Shape{t, n, k};
}

TAPER_OP_CASES(pack_cases, {
  OpCase pack;
  pack.name = "_pack_padded_sequence";
  pack.dtypes = {kFloat, kDouble, kLong, kBFloat16};
  pack.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{4, 3, 2}}, t, {}, {0, 4, 2, 1}),
                             sample_of({{3, 5, 2}}, t, {}, {1, 3, 3, 2}),
                             sample_of({{1, 1, 1}}, t, {}, {0, 1}),
                             sample_of({{33, 5, 65}}, t, {}, {0, 33, 31, 31, 2, 1})};
  };
  pack.call = [](const Args& a) {
    return std::get<0>(_pack_padded_sequence(
        a.t[0], longs(std::vector<int64_t>(a.i.begin() + 1, a.i.end())), a.i[0] != 0));
  };
  pack.reference = [](const ArrayArgs& a) {
    const int64_t D = a.t[0].size(2);
    Array y(Shape{0, D});
    for_each_row(a.i, [&](int64_t t, int64_t n) {
      for (int64_t k = 0; k < D; ++k) y.v.push_back(a.t[0].at(place(a.i[0] != 0, t, n, k)));
      ++y.sizes[0];
    });
    return y;
  };
  const Tensor x = to_tensor(Array({3, 2, 1}), kFloat);
  pack.errors = {
      error<Error>("Cannot pack empty tensors.",
                   [] {
                     _pack_padded_sequence(to_tensor(Array({0, 2}), kFloat), longs({}), false);
                   }),
      error<Error>("Expected `len(lengths)` to be equal to batch_size, but got 1 (batch_size=2)",
                   [x] { _pack_padded_sequence(x, longs({3}), false); }),
      error<Error>("Length of all samples has to be greater than 0",
                   [x] {
                     _pack_padded_sequence(x, longs({3, 0}), false);
                   }),
      error<Error>("must be sorted in decreasing order",
                   [x] {
                     _pack_padded_sequence(x, longs({2, 3}), false);
                   }),
      error<Error>("expected lengths of at most 3, got 4", [x] {
        _pack_padded_sequence(x, longs({4, 3}), false);
      })};

  OpCase pad;
  pad.name = "_pad_packed_sequence";
  pad.dtypes = pack.dtypes;
  pad.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{7, 2}}, t, {}, {0, 4, 2, 1}),
                             sample_of({{8, 2}}, t, {}, {1, 3, 3, 2}),
                             sample_of({{1, 1}}, t, {}, {0, 1})};
  };
  const auto sizes_of = [](const std::vector<int64_t>& i) {
    std::vector<int64_t> sizes(static_cast<size_t>(i[1]));
    for_each_row(i, [&](int64_t t, int64_t) { ++sizes[static_cast<size_t>(t)]; });
    return sizes;
  };
  pad.call = [sizes_of](const Args& a) {
    return std::get<0>(
        _pad_packed_sequence(a.t[0], longs(sizes_of(a.i)), a.i[0] != 0, -2, a.i[1] + 1));
  };
  pad.reference = [](const ArrayArgs& a) {
    const int64_t T = a.i[1] + 1, N = static_cast<int64_t>(a.i.size()) - 1, D = a.t[0].size(1);
    Array y(a.i[0] != 0 ? Shape{N, T, D} : Shape{T, N, D}, -2);
    size_t from = 0;
    for_each_row(a.i, [&](int64_t t, int64_t n) {
      for (int64_t k = 0; k < D; ++k) y.at(place(a.i[0] != 0, t, n, k)) = a.t[0].v[from++];
    });
    return y;
  };
  pad.errors = {error<Error>("Expected total_length to be at least the length", [x] {
    _pad_packed_sequence(x, longs({2, 1}), false, 0, 1);
  })};
  return std::vector<OpCase>{pack, pad};
});

TEST(PackSequence, LengthsComeBack) {
  const Tensor x = to_tensor(Array({4, 3, 1}, 1), kFloat);
  const auto [rows, sizes] = _pack_padded_sequence(x, longs({4, 2, 2}), false);
  EXPECT_EQ(to_array(sizes).v, (std::vector<double>{3, 3, 1, 1}));
  EXPECT_EQ(to_array(std::get<1>(_pad_packed_sequence(rows, sizes, false, 0, 0))).v,
            (std::vector<double>{4, 2, 2}));
}

TEST(PackSequence, PadsToTheLongest) {
  Tensor a = to_tensor(Array({2, 2}, 1), kDouble).requires_grad_();
  const Tensor b = to_tensor(Array({3, 2}, 2), kDouble);
  const Tensor y = pad_sequence(std::vector<Tensor>{a, b}, true, -1);
  EXPECT_EQ(to_array(y).v, (std::vector<double>{1, 1, 1, 1, -1, -1, 2, 2, 2, 2, 2, 2}));
  y.sum().backward();
  EXPECT_EQ(to_array(a.grad()).v, (std::vector<double>{1, 1, 1, 1}));
  EXPECT_THROW(pad_sequence(std::vector<Tensor>{a, to_tensor(Array({3, 1}), kDouble)}), Error);
}

// Numbers: whether the sequences come first; d: what fills the rest.
TAPER_OP_CASES(padded_sequences, {
  OpCase c;
  c.name = "pad_sequence";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}, {1}, {4}}, t, {}, {1}, {0}),
                             sample_of({{2, 3}, {4, 3}}, t, {}, {0}, {2}),
                             sample_of({{1, 2, 2}, {0, 2, 2}, {3, 2, 2}}, t, {}, {1}, {-1}),
                             sample_of({{2, 2}, {2, 2}}, t, {}, {0}, {0})};
  };
  c.call = [](const Args& a) { return pad_sequence(a.t, a.i[0] != 0, a.d[0]); };
  c.reference = [](const ArrayArgs& a) {
    const int64_t count = static_cast<int64_t>(a.t.size());
    Sizes sizes = a.t[0].sizes;
    for (const Array& x : a.t) sizes[0] = std::max(sizes[0], x.sizes[0]);
    sizes.insert(sizes.begin() + (a.i[0] ? 0 : 1), count);
    Array y(sizes, a.d[0]);
    for (int64_t s = 0; s < count; ++s)
      for_each_index(a.t[static_cast<size_t>(s)].sizes, [&](const Sizes& index) {
        Sizes to = index;
        to.insert(to.begin() + (a.i[0] ? 0 : 1), s);
        y.at(to) = a.t[static_cast<size_t>(s)].at(index);
      });
    return y;
  };
  c.errors = {error<Error>("received an empty list of sequences", [] { pad_sequence({}); }),
              error<Error>("The size of tensor a ([2, 3]) must match the size of tensor b ([2, 2]) "
                           "behind the first dimension",
                           [] {
                             pad_sequence({numbers({2, 3}), numbers({2, 2})});
                           })};
  return std::vector<OpCase>{c};
});

TEST(PackSequence, SequencesArePaddedOnEitherSide) {
  const std::vector<Tensor> list = {values({1, 2}), values({3})};
  expect_values(pad_sequence(list, true, 9, "left"), {2, 2}, {1, 2, 9, 3});
  expect_values(nn::utils::rnn::pad_sequence(list, true, 9, "left"), {2, 2}, {1, 2, 9, 3});
  expect_values(pad_sequence(list, true, 9), {2, 2}, {1, 2, 3, 9});
  expect_error("expected padding_side \"left\" or \"right\", got \"top\"",
               [&] { pad_sequence(list, true, 9, "top"); });
}

}  // namespace
}  // namespace torch::taper::testing
