#include <gtest/gtest.h>

#include <taper/data/data.h>

namespace torch::taper {
namespace {

using namespace data;

Tensor row(double a, double b) {
  Tensor t = taper::detail::make_tensor({2}, kFloat, Device(kCPU));
  t.data_ptr<float>()[0] = static_cast<float>(a);
  t.data_ptr<float>()[1] = static_cast<float>(b);
  return t;
}
Tensor whole(int64_t v) {
  Tensor t = taper::detail::make_tensor({}, kLong, Device(kCPU));
  *t.data_ptr<int64_t>() = v;
  return t;
}
float at(const Tensor& t, int64_t i, int64_t j) {
  return t.select(0, i).select(0, j).item<float>();
}

// get(i) = {[i, i * i], i % 3}; it counts how it is used.
struct Squares : datasets::Dataset<Squares> {
  Example<> get(size_t i) override {
    const auto v = static_cast<double>(i);
    return {row(v, v * v), whole(static_cast<int64_t>(i) % 3)};
  }
  optional<size_t> size() const override { return 9; }
};

TEST(Transforms, Chain) {
  auto set = Squares()
                 .map(transforms::Lambda<Example<>>([](Example<> e) {
                   e.data = e.data.add(1);
                   return e;
                 }))
                 .map(transforms::TensorLambda<>([](Tensor t) { return t.mul(2); }))
                 .map(transforms::Stack<>());
  EXPECT_EQ(*set.size(), 9u);
  const Example<> batch = set.get_batch({0, 3});
  EXPECT_EQ(batch.data.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(at(batch.data, 0, 0), 2);
  EXPECT_EQ(at(batch.data, 1, 1), 20);
  EXPECT_EQ(batch.target.sizes(), (std::vector<int64_t>{2}));
  EXPECT_EQ(batch.target.select(0, 1).item<int64_t>(), 0);
}

TEST(Transforms, TypesMayChange) {
  auto names = Squares().map(transforms::Lambda<Example<>, std::string>(
      [](Example<> e) { return std::to_string(e.target.item<int64_t>()); }));
  EXPECT_EQ(names.get_batch({1, 2}), (std::vector<std::string>{"1", "2"}));
  auto counts = Squares().map(transforms::BatchLambda<std::vector<Example<>>, size_t>(
      [](std::vector<Example<>> v) { return v.size(); }));
  EXPECT_EQ(counts.get_batch({0, 1, 2}), 3u);
}

TEST(Transforms, NormalizePerChannel) {
  transforms::Normalize<> normalize({0.5, 1.0}, {0.25, 2.0});
  Tensor x = taper::detail::make_tensor({2, 1, 1}, kFloat, Device(kCPU));
  x.fill_(3.0);
  const Tensor y = normalize(x);
  EXPECT_EQ(y.sizes(), x.sizes());
  EXPECT_FLOAT_EQ(y.data_ptr<float>()[0], 10.0f);
  EXPECT_FLOAT_EQ(y.data_ptr<float>()[1], 1.0f);
}

TEST(Transforms, StackRefusesDifferentShapes) {
  transforms::Stack<> stack;
  EXPECT_THROW(stack.apply_batch({{row(1, 2), whole(0)}, {whole(3), whole(0)}}), Error);
}

TEST(TensorDataset, SlicesAndBatches) {
  Tensor t = taper::detail::make_tensor({3, 2}, kFloat, Device(kCPU));
  for (int i = 0; i < 6; ++i) t.data_ptr<float>()[i] = static_cast<float>(i);
  datasets::TensorDataset set(t);
  EXPECT_EQ(*set.size(), 3u);
  EXPECT_EQ(set.get(1).data.select(0, 0).item<float>(), 2);
  auto stacked =
      set.map(transforms::Normalize<void>(1.0, 2.0)).map(transforms::Stack<TensorExample>());
  // Normalize makes [1, 1, 2] of a row of two values.
  const Tensor batch = stacked.get_batch({2, 0});
  EXPECT_EQ(batch.sizes(), (std::vector<int64_t>{2, 1, 1, 2}));
  EXPECT_EQ(batch.reshape({-1}).select(0, 0).item<float>(), 1.5f);
  EXPECT_EQ(set.map(transforms::Stack<TensorExample>()).get_batch({2, 0}).data.sizes(),
            (std::vector<int64_t>{2, 2}));
  datasets::TensorDataset of_list(std::vector<Tensor>{row(0, 0), row(1, 1)});
  EXPECT_EQ(of_list.get(1).data.select(0, 1).item<float>(), 1);
  EXPECT_THROW(datasets::TensorDataset(whole(1)), Error);
  EXPECT_THROW(set.get(3), Error);
  EXPECT_THROW(set.get_stacked({3}), Error);
}

// A data set of the user's that can stack: the short way must be taken, and only for its own type.
struct Fast : datasets::Dataset<Fast> {
  Example<> get(size_t) override { return {row(1, 1), whole(1)}; }
  Example<> get_stacked(ArrayRef<size_t> indices) {
    return {row(7, 7).expand({static_cast<int64_t>(indices.size()), 2}), whole(7)};
  }
  optional<size_t> size() const override { return 3; }
};
struct Changed : Fast {
  using SelfType = Fast;
};

TEST(Transforms, StackUsesAStackedSource) {
  EXPECT_EQ(at(Fast().map(transforms::Stack<>()).get_batch({0, 1}).data, 1, 0), 7);
  auto set = datasets::make_shared_dataset<Fast>();
  EXPECT_EQ(at(set.map(transforms::Stack<>()).get_batch({0, 1}).data, 1, 0), 7);
  EXPECT_FALSE(datasets::detail::is_stacked<Changed>::value);
  EXPECT_FALSE(datasets::detail::is_stacked<Squares>::value);
}

TEST(Stack, OfExamplesWithoutATarget) {
  const TensorExample batch =
      transforms::Stack<TensorExample>().apply_batch({{row(1, 2)}, {row(3, 4)}});
  EXPECT_EQ(batch.data.sizes().vec(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(at(batch.data, 1, 0), 3);
}

TEST(LabeledTensorDataset, SlicesAndBatches) {
  const Tensor x = row(1, 2).unsqueeze(0).expand({3, 2}), y = row(5, 6);
  EXPECT_THROW(datasets::LabeledTensorDataset(x, y), Error);
  EXPECT_THROW(datasets::LabeledTensorDataset(whole(1), whole(1)), Error);
  datasets::LabeledTensorDataset set(x.narrow(0, 0, 2), y);
  EXPECT_EQ(*set.size(), 2u);
  EXPECT_TRUE(set.get(1).target.is_alias_of(y));
  EXPECT_EQ(set.get(1).data[1].item<float>(), 2);
  const Example<> batch = set.map(transforms::Stack<>()).get_batch({1, 0});
  EXPECT_EQ(batch.data.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(batch.target[0].item<float>(), 6);
  EXPECT_EQ(batch.target[1].item<float>(), 5);
  EXPECT_THROW(set.get_stacked({2}), Error);
}

}  // namespace
}  // namespace torch::taper
