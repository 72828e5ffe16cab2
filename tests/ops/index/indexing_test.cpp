// t.index({...}), t.index_put_({...}, v), t[i], assignment to temporaries.
// Expected values are PyTorch's.
#include <gtest/gtest.h>

#include <functional>

#include <taper/framework/autograd/node.h>
#include <taper/framework/core/indexing.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/embedding.h>
#include <taper/ops/index/index_advanced.h>

#include "harness/devices.h"
#include "harness/samples.h"

namespace torch::taper::testing {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;
using Shape = std::vector<int64_t>;

Tensor tensor_of(Shape shape, std::vector<double> v, ScalarType dtype = kLong) {
  Array a(std::move(shape));
  a.v = std::move(v);
  return to_tensor(a, dtype);
}
/// 0, 1, 2, ... of a shape.
Tensor counting(Shape shape, ScalarType dtype = kLong) {
  Array a(std::move(shape));
  for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = static_cast<double>(i);
  return to_tensor(a, dtype);
}
std::vector<double> values(const Tensor& t) { return to_array(t).v; }

struct Read {
  std::vector<TensorIndex> indices;
  Shape shape;
  std::vector<double> values;
  bool is_view;
};

// On counting({2, 3, 4}).
std::vector<Read> reads() {
  const Tensor i = tensor_of({3}, {1, 0, 1}), j = tensor_of({2, 1}, {0, 2}),
               n = tensor_of({2}, {-1, -2});
  const Tensor m = tensor_of({2, 3}, {1, 0, 1, 0, 1, 0}, kBool), m2 = tensor_of({2}, {1, 0}, kBool),
               m4 = tensor_of({4}, {0, 1, 1, 0}, kBool);
  Array thirds(Shape{2, 3, 4});
  for (size_t k = 0; k < 24; ++k) thirds.v[k] = k % 3 == 0;
  const Tensor full = to_tensor(thirds, kBool);
  return {
      {{1}, {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}, true},
      {{-1}, {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}, true},
      {{1, 2}, {4}, {20, 21, 22, 23}, true},
      {{1, -1, 3}, {}, {23}, true},
      {{Slice()},
       {2, 3, 4},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       true},
      {{Slice(1)}, {1, 3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}, true},
      {{Slice(None, 1)}, {1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true},
      {{Slice(), Slice(None, None, 2)},
       {2, 2, 4},
       {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23},
       true},
      {{Slice(), Slice(-2, None)},
       {2, 2, 4},
       {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23},
       true},
      {{Slice(), Slice(-9, 9), Slice(1, -1)},
       {2, 3, 2},
       {1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22},
       true},
      {{Slice(), Slice(2, 1)}, {2, 0, 4}, {}, true},
      {{Slice(), Slice(5, 7)}, {2, 0, 4}, {}, true},
      {{"..."},
       {2, 3, 4},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       true},
      {{Ellipsis, 1}, {2, 3}, {1, 5, 9, 13, 17, 21}, true},
      {{"...", 0, Slice(1, 3)}, {2, 2}, {1, 2, 13, 14}, true},
      {{0, "...", 1}, {3}, {1, 5, 9}, true},
      {{0, 1, 2, Ellipsis}, {}, {6}, true},
      {{None},
       {1, 2, 3, 4},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       true},
      {{None, 1, None}, {1, 1, 3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}, true},
      {{Ellipsis, None},
       {2, 3, 4, 1},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       true},
      {{1, Slice(), None, 2}, {3, 1}, {14, 18, 22}, true},
      {{true},
       {1, 2, 3, 4},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       false},
      {{false}, {0, 2, 3, 4}, {}, false},
      {{0, true}, {1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, false},
      {{i},
       {3, 3, 4},
       {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0,  1,  2,  3,  4,  5,
        6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       false},
      {{Slice(), i},
       {2, 3, 4},
       {4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 12, 13, 14, 15, 16, 17, 18, 19},
       false},
      {{Slice(), Slice(), n}, {2, 3, 2}, {3, 2, 7, 6, 11, 10, 15, 14, 19, 18, 23, 22}, false},
      {{i, i}, {3, 4}, {16, 17, 18, 19, 0, 1, 2, 3, 16, 17, 18, 19}, false},
      {{i, j},
       {2, 3, 4},
       {12, 13, 14, 15, 0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 8, 9, 10, 11, 20, 21, 22, 23},
       false},
      {{i, Slice(), j},
       {2, 3, 3},
       {12, 16, 20, 0, 4, 8, 12, 16, 20, 14, 18, 22, 2, 6, 10, 14, 18, 22},
       false},
      {{i, 1}, {3, 4}, {16, 17, 18, 19, 4, 5, 6, 7, 16, 17, 18, 19}, false},
      {{Slice(), i, 2}, {2, 3}, {6, 2, 6, 18, 14, 18}, false},
      {{1, i}, {3, 4}, {16, 17, 18, 19, 12, 13, 14, 15, 16, 17, 18, 19}, false},
      {{i, None, Slice()},
       {3, 1, 3, 4},
       {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0,  1,  2,  3,  4,  5,
        6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       false},
      {{"...", i},
       {2, 3, 3},
       {1, 0, 1, 5, 4, 5, 9, 8, 9, 13, 12, 13, 17, 16, 17, 21, 20, 21},
       false},
      {{i, "...", j},
       {2, 3, 3},
       {12, 16, 20, 0, 4, 8, 12, 16, 20, 14, 18, 22, 2, 6, 10, 14, 18, 22},
       false},
      {{None, i, Slice(), n.view({2, 1})},
       {2, 3, 1, 3},
       {15, 19, 23, 3, 7, 11, 15, 19, 23, 14, 18, 22, 2, 6, 10, 14, 18, 22},
       false},
      {{m}, {3, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19}, false},
      {{m2}, {1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, false},
      {{m2, 1}, {1, 4}, {4, 5, 6, 7}, false},
      {{Slice(), Slice(), m4}, {2, 3, 2}, {1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22}, false},
      {{full}, {8}, {0, 3, 6, 9, 12, 15, 18, 21}, false},
      {{1, Slice(), m4}, {3, 2}, {13, 14, 17, 18, 21, 22}, false},
      {{Slice(1, None), i.slice(0, 0, 2)}, {1, 2, 4}, {16, 17, 18, 19, 12, 13, 14, 15}, false},
      {{Slice(None, None, 2), Slice(1, None), n}, {1, 2, 2}, {7, 6, 11, 10}, false},
  };
}

std::string text(const Read& r) {
  std::ostringstream out;
  for (const TensorIndex& i : r.indices) out << i << ", ";
  return out.str();
}

TEST(IndexingTest, ReadsLikePyTorch) {
  for (const Read& r : reads()) {
    const Tensor x = counting({2, 3, 4});
    const Tensor y = x.index(ArrayRef<TensorIndex>(r.indices));
    EXPECT_EQ(y.sizes().vec(), r.shape) << text(r);
    EXPECT_EQ(values(y), r.values) << text(r);
    EXPECT_EQ(y.is_alias_of(x), r.is_view) << text(r);
  }
}

TEST(IndexingTest, ReadsStridedTensors) {
  // The same values through a transposed base.
  for (const Read& r : reads()) {
    const Tensor base = counting({2, 3, 4}).permute({2, 0, 1}).contiguous();
    const Tensor y = base.permute({1, 2, 0}).index(ArrayRef<TensorIndex>(r.indices));
    EXPECT_EQ(values(y), r.values) << text(r);
  }
}

TEST(IndexingTest, WritesWhatReadsRead) {
  for (const Read& r : reads())
    for (const bool strided : {false, true}) {
      const Tensor base = counting({2, 3, 4}).permute({2, 0, 1}).contiguous();
      const Tensor x = strided ? base.permute({1, 2, 0}) : counting({2, 3, 4});
      x.index_put_(ArrayRef<TensorIndex>(r.indices), -7);
      Array want = to_array(counting({2, 3, 4}));
      for (const double v : r.values) want.v[static_cast<size_t>(v)] = -7;
      EXPECT_EQ(values(x), want.v) << text(r);
    }
}

TEST(IndexingTest, WritesTensors) {
  const Tensor i = tensor_of({2}, {1, 0});
  for (const Read& r : reads()) {
    const Tensor x = counting({2, 3, 4});
    Array source(r.shape);
    for (size_t k = 0; k < source.v.size(); ++k) source.v[k] = 100 + r.values[k];
    x.index_put_(ArrayRef<TensorIndex>(r.indices), to_tensor(source, kLong));
    Array want = to_array(counting({2, 3, 4}));
    for (const double v : r.values) want.v[static_cast<size_t>(v)] = 100 + v;
    EXPECT_EQ(values(x), want.v) << text(r);
  }
}

TEST(IndexingTest, ValuesBroadcastAndDropLeadingOnes) {
  const Tensor x = counting({2, 3});
  x.index_put_({Slice(), 1}, tensor_of({1, 1, 2}, {7, 8}));
  EXPECT_EQ(values(x), (std::vector<double>{0, 7, 2, 3, 8, 5}));
  x.index_put_({tensor_of({2}, {0, 1})}, tensor_of({1, 1, 3}, {1, 2, 3}));
  EXPECT_EQ(values(x), (std::vector<double>{1, 2, 3, 1, 2, 3}));
  x.index_put_({x.eq(2)}, 9);
  EXPECT_EQ(values(x), (std::vector<double>{1, 9, 3, 1, 9, 3}));
}

TEST(IndexingTest, AssignmentToTemporariesWrites) {
  const Tensor x = counting({2, 3});
  x[0] = tensor_of({3}, {7, 8, 9});
  x[1][2] = 5;
  EXPECT_EQ(values(x), (std::vector<double>{7, 8, 9, 3, 4, 5}));
  x[tensor_of({}, {1})] = x[0];
  EXPECT_EQ(values(x), (std::vector<double>{7, 8, 9, 7, 8, 9}));
  x.index({Slice(), 0}) = 1;
  EXPECT_EQ(values(x), (std::vector<double>{1, 8, 9, 1, 8, 9}));
  // Assigning to a name binds it to another tensor.
  Tensor row = x[0];
  row = tensor_of({3}, {0, 0, 0});
  EXPECT_EQ(values(x[0]), (std::vector<double>{1, 8, 9}));
}

TEST(IndexingTest, BracketsErrors) {
  const Tensor x = counting({2, 3}), scalar = tensor_of({}, {1});
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const IndexError& e) {
      return e.what();
    }
    return "no IndexError";
  };
  EXPECT_EQ(message([&] { x[5]; }),
            "select(): index 5 out of range for tensor of size [2, 3] at dimension 0");
  EXPECT_EQ(message([&] { scalar[0]; }), "select() cannot be applied to a 0-dim tensor.");
  EXPECT_EQ(message([&] {
              x.index({0, -4});
            }),
            "index: index -4 is out of bounds for dimension 1 with size 3");
  EXPECT_EQ(message([&] {
              x.index({0, 0, 0});
            }),
            "index: too many indices for tensor of dimension 2");
  EXPECT_NE(message([&] { scalar.index({0}); }).find("invalid index of a 0-dim tensor"),
            std::string::npos);
  EXPECT_EQ(message([&] {
              x.index({tensor_of({2}, {0, -3})});
            }),
            "index: index -3 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(message([&] { x.index({tensor_of({1}, {1.5}, kFloat)}); }),
            "index: tensors used as indices must be long, int, byte or bool tensors");
  EXPECT_EQ(
      message([&] {
        x.index({tensor_of({3}, {1, 0, 1}, kBool)});
      }),
      "index: The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
      "[2, 3] at index 0");
  EXPECT_EQ(message([&] {
              x.index({tensor_of({2}, {0, 1}), tensor_of({3}, {0, 1, 2})});
            }),
            "index: shape mismatch: indexing tensors could not be broadcast together with shapes "
            "[2], [3]");
  EXPECT_EQ(message([&] {
              counting({0, 3}).index({tensor_of({1}, {0})});
            }),
            "index: index is out of bounds for dimension with size 0");
  EXPECT_NE(message([&] { x[tensor_of({1}, {0})]; }).find("scalars (zero-dim)"), std::string::npos);
  EXPECT_THROW(Slice(0, 3, 0), ValueError);
  EXPECT_THROW(Slice(0, 3, -1), ValueError);
  EXPECT_THROW(x.index({"abc"}), ValueError);
}

TEST(IndexPutTest, RefusesBeforeWriting) {
  const Tensor x = counting({6}, kFloat);
  const Tensor good_then_bad = tensor_of({2}, {0, 9});
  EXPECT_THROW(x.index_put_({good_then_bad}, tensor_of({2}, {-1, -1}, kFloat)), IndexError);
  EXPECT_THROW(x.index_put_({tensor_of({2}, {0, 1})}, tensor_of({3}, {1, 2, 3}, kFloat)), Error);
  EXPECT_THROW(x.index_put_({tensor_of({2}, {0, 1})}, tensor_of({2}, {1, 2})), Error);
  EXPECT_EQ(values(x), values(counting({6}, kFloat)));
}

TEST(IndexPutTest, RepeatedIndicesKeepTheLastOrAdd) {
  const Tensor x = counting({3});
  const Tensor at = tensor_of({4}, {1, 1, 2, 1}), v = tensor_of({4}, {10, 20, 30, 40});
  EXPECT_EQ(values(x.index_put({at}, v)), (std::vector<double>{0, 40, 30}));
  EXPECT_EQ(values(x.index_put({at}, v, true)), (std::vector<double>{0, 71, 32}));
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 2}));
}

TEST(IndexPutTest, SourceMayBeTheTarget) {
  const Tensor x = counting({4});
  x.index_put_({tensor_of({3}, {1, 2, 3})}, x.slice(0, 0, 3));
  EXPECT_EQ(values(x), (std::vector<double>{0, 0, 1, 2}));
}

// The index is read while the tensor is written: a copy is used.
TEST(IndexPutTest, IndexMayBeTheTarget) {
  const Tensor one = tensor_of({3}, {1000000, 1000000, 1000000});
  Tensor x = tensor_of({3}, {1, 2, 0});
  x.scatter_(0, x, one);
  EXPECT_EQ(values(x), values(one));
  x = tensor_of({3}, {1, 2, 0});
  x.index_add_(0, x, one);
  EXPECT_EQ(values(x), (std::vector<double>{1000001, 1000002, 1000000}));
  x = tensor_of({3}, {1, 2, 0});
  x.index_copy_(0, x, one);
  EXPECT_EQ(values(x), values(one));
}

TEST(IndexPutTest, NamesAndHistoryOfViews) {
  Tensor x = counting({3}, kDouble).requires_grad_();
  const Tensor y = x.mul(2);
  y.index_put_({tensor_of({2}, {0, 2})}, tensor_of({2}, {5, 6}, kDouble));
  EXPECT_EQ(y.grad_fn()->name(), "IndexPutBackward0");
  y[1] = 7;
  y.backward(tensor_of({3}, {1, 1, 1}, kDouble));
  EXPECT_EQ(values(x.grad()), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(x.index({tensor_of({1}, {0})}).grad_fn()->name(), "IndexBackward0");
}

// Repeated targets: the order of the additions must not depend on the number of threads.
TEST(IndexThreadsTest, SumsAreTheSameForAnyNumberOfThreads) {
  Random random(8);
  const Tensor source = random_tensor({3000, 70}, kFloat, {}, random);
  const Tensor rows = random_index({3000}, 0, 40, random);
  const Tensor wide = rows.unsqueeze(1).expand({3000, 70});
  const Tensor zeros = to_tensor(Array({40, 70}), kFloat);
  const auto sums = [&] {
    return std::vector<Tensor>{zeros.index_add(0, rows, source),
                               zeros.scatter_add(0, wide, source),
                               zeros.index_put({rows}, source, true),
                               zeros.t().scatter_add(1, wide.t(), source.t()),
                               embedding_dense_backward(source, rows, 40, -1, false),
                               source.cumsum(0)};
  };
  const int before = get_num_threads();
  set_num_threads(1);
  const std::vector<Tensor> alone = sums();
  set_num_threads(4);
  const std::vector<Tensor> together = sums();
  set_num_threads(before);
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(values(alone[i]), values(together[i])) << i;
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(IndexingTest, OneNumberThroughAMaskTakesTheTensorsDtype) {
  Tensor x = counting({4}, kLong);
  const Tensor mask = tensor_of({4}, {0, 1, 0, 1}, kBool);
  x.index_put_({mask}, tensor_of({1}, {7.5}, kFloat));
  EXPECT_EQ(values(x), (std::vector<double>{0, 7, 2, 7}));
  EXPECT_EQ(
      message([&] {
        x.index_put_({mask}, tensor_of({2}, {1, 2}, kFloat));
      }),
      "index_put_: Index put requires the source and destination dtypes match, got Long for the "
      "destination and Float for the source.");
}

TEST(IndexingTest, WordsOfWrongAssignments) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(message([&] {
              x.index_put_({0}, counting({5, 7}));
            }),
            "expand(CPULongType{[5, 7]}, size=[3]): the number of sizes provided (1) must be "
            "greater or equal to the number of dimensions in the tensor (2)");
  EXPECT_EQ(message([&] { x.index_put_({"..."}, counting({5})); }),
            "expand: The expanded size of the tensor (3) must match the existing size (5) at "
            "non-singleton "
            "dimension 1.  Target sizes: [2, 3].  Tensor sizes: [5]");
  EXPECT_EQ(message([&] { x.index(std::vector<indexing::TensorIndex>()); }),
            "index: Passing an empty index list to Tensor::index() is not valid syntax");
}

TEST(IndexingTest, OneBadIndexAmongManyIsNamed) {
  for (const int64_t place : {0, 4990, 4999}) {
    Array a(Shape{5000});
    a.v[static_cast<size_t>(place)] = 9;
    const Tensor x = counting({9}), good = to_tensor(a, kLong).clamp_max(8);
    const Tensor bad = to_tensor(a, kLong);
    EXPECT_EQ(x.take(good).numel(), 5000);
    for (const Tensor& index : {bad, -bad - 1}) {
      const std::string number = std::to_string(index[place].item<int64_t>());
      EXPECT_NE(message([&] { x.take(index); }).find(number), std::string::npos);
      EXPECT_NE(message([&] { x.index({index}); }).find(number), std::string::npos);
      EXPECT_THROW(x.index_select(0, index.to(kInt)), std::exception);
    }
    EXPECT_NE(message([&] { x.gather(0, bad); }).find(" 9 "), std::string::npos);
  }
}

// As in LibTorch an index may lie on the host.
TEST(DevicesIndex, HostIndicesNameElementsOfADevicesTensor) {
  TAPER_NEEDS_DEVICES(2);
  const Tensor x = counting({3, 4}, kFloat), there = x.to(device_at(0)).requires_grad_(true);
  const Tensor rows = tensor_of({2}, {2, 0}), mask = tensor_of({3}, {1, 0, 1}).to(kBool);
  for (const Tensor& index : {rows, mask}) {
    const Tensor y = there.index({index});
    EXPECT_EQ(y.device(), there.device());
    EXPECT_EQ(values(y.detach().cpu()), values(x.index({index})));
    const Tensor written = x.to(device_at(0)), expected = x.clone();
    written.index_put_({index}, -1);
    expected.index_put_({index}, -1);
    EXPECT_EQ(values(written.cpu()), values(expected));
  }
  there.index({rows}).sum().backward();
  EXPECT_EQ(values(there.grad().cpu()), (std::vector<double>{1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_THROW(there.index({rows.to(device_at(1))}), Error);
  EXPECT_THROW(x.index({rows.to(device_at(0))}), Error);
}

TEST(TensorIndex, Prints) {
  const auto text = [](const TensorIndex& i) {
    std::ostringstream out;
    out << i;
    return out.str();
  };
  EXPECT_EQ(text(None), "None");
  EXPECT_EQ(text(Ellipsis), "...");
  EXPECT_EQ(text("..."), "...");
  EXPECT_EQ(text(-3), "-3");
  EXPECT_EQ(text(true), "true");
  EXPECT_EQ(text(false), "false");
  EXPECT_EQ(text(Slice(1, 7, 2)), "1:7:2");
  EXPECT_EQ(text(Slice()), "0:9223372036854775807:1");
  EXPECT_EQ(text(to_tensor(Array({1}, 1), kFloat)), " 1\n[ CPUFloatType{1} ]");
}

TEST(Slices, HaveTheBoundsThatLibTorchsHave) {
  const indexing::Slice all, some(2, 5, 3);
  EXPECT_EQ(all.start(), 0);
  EXPECT_EQ(all.stop(), indexing::INDEX_MAX);
  EXPECT_EQ(all.step(), 1);
  EXPECT_EQ(some.start(), 2);
  EXPECT_EQ(some.stop(), 5);
  EXPECT_LT(indexing::INDEX_MIN, 0);
}

}  // namespace
}  // namespace torch::taper::testing
