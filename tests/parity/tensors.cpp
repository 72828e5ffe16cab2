// Making, indexing, combining and printing tensors; dtypes; errors.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

static void factories() {
  show("make.arange", torch::arange(5));
  show("make.arange_step", torch::arange(1, 2, 0.25));
  show("make.linspace", torch::linspace(0, 1, 5));
  show("make.eye", torch::eye(2, 3));
  show("make.full", torch::full({2}, 7));
  show("make.full_float", torch::full({2}, 1.5));
  show("make.tensor", torch::tensor({1, 2, 3}));
  show("make.tensor_2d", torch::tensor({{1.5, 2.0}, {3.0, 4.0}}));
  show("make.zeros_like", torch::zeros_like(torch::ones({2}, torch::kInt)));
  torch::manual_seed(3);
  show("make.rand", torch::rand({5}));
  show("make.randn", torch::randn({20}));
  show("make.randint", torch::randint(0, 100, {6}));
  show("make.randperm", torch::randperm(8));
}

static void indexing() {
  const Tensor t = torch::arange(24).reshape({2, 3, 4});
  show("index.int", t.index({1}));
  show("index.slice", t.index({Slice(), Slice(0, 3, 2)}));
  show("index.ellipsis", t.index({Ellipsis, -1}));
  show("index.none", t.index({None, 0, 0}));
  show("index.mask", t.index({t > 20}));
  show("index.tensor", t.index({0, torch::tensor({2, 0})}));
  show("index.mixed", t.index({Slice(), torch::tensor({0, 2}), torch::tensor({1, 3})}));
  Tensor w = t.clone();
  w.index_put_({0, Slice(), 0}, 100);
  w.index_put_({torch::tensor({1, 1}), torch::tensor({0, 0})}, torch::ones({4}, torch::kLong));
  show("index.put", w);
  error("index.range", [&] { t.index({5}); });
  error("index.many", [&] { t.index({0, 0, 0, 0}); });
  error("index.mask_shape", [&] { t.index({torch::ones({3}, torch::kBool)}); });
}

static void dtypes() {
  const Tensor i = torch::ones({2}, torch::kInt), f = torch::ones({2});
  show("dtype.int_float", i + f);
  show("dtype.int_number", i * 2.5);
  show("dtype.div", i / 2);
  show("dtype.half", (f.to(torch::kHalf) + i).to(torch::kFloat));
  show("dtype.sum", torch::ones({3}, torch::kBool).sum());
  error("dtype.inplace", [&] { i.clone().add_(f); });
  error("dtype.mean", [&] { i.mean(); });
  error("dtype.shapes", [&] { torch::ones({2}) + torch::ones({3}); });
  error("dtype.mm", [&] { torch::ones({2, 3}).mm(torch::ones({2, 3})); });
  throws("dtype.view", [&] { torch::ones({2, 3}).view({4}); });
  error("dtype.item", [&] { f.item<float>(); });
  error("dtype.cat", [&] { torch::cat({torch::ones({2, 2}), torch::ones({3, 3})}); });
}

static void reductions() {
  const Tensor t = numbers({3, 4});
  show("reduce.sum", t.sum(1, true));
  show("reduce.mean", t.mean(std::vector<int64_t>{0, 1}));
  show("reduce.std", t.std(0));
  show("reduce.max", std::get<1>(t.max(1)));
  show("reduce.sort", std::get<0>(t.sort(1, true)));
  show("reduce.topk", std::get<0>(t.topk(2, 0)));
  show("reduce.cumsum", t.cumsum(1));
  show("reduce.norm", t.norm(1, 0));
  show("reduce.argmax", t.argmax());
  show("reduce.logsumexp", t.logsumexp(1));
  show("reduce.any", (t > 0.9).any());
}

static void words() {
  const Tensor t = numbers({2, 3, 4});
  error("words.expand", [&] { t.transpose(0, 2).expand({2, 3, 4}); });
  error("words.permute_twice", [&] { t.permute({0, 0, 1}); });
  error("words.permute_short", [&] { t.permute({0}); });
  error("words.unflatten", [&] { t.unflatten(0, {5}); });
  error("words.unbind", [&] { torch::tensor(1).unbind(); });
  error("words.size", [&] { torch::tensor(1).size(0); });
  error("words.var_mean", [&] { torch::var_mean(torch::arange(3)); });
  error("words.to", [&] { torch::nn::Linear(1, 1)->to(torch::kLong); });
  show("bool.sum_to_size", (t > 0).sum_to_size({1, 4}));
  show("sort.view", std::get<0>(t.slice(2, 0, 1).sort(0)).is_view());
  show("unique.view", std::get<0>(torch::_unique2(t)).is_view());
}

static void printing() {
  print("print.half", at::Half(1.5));
  print("print.options", torch::TensorOptions().dtype(torch::kLong).requires_grad(true));
  print("print.defaults", torch::TensorOptions());
  print("print.float", torch::tensor({1.0, 2.5, -3.25}));
  print("print.int", torch::arange(6).reshape({2, 3}));
  print("print.bool", torch::tensor({true, false}));
  print("print.scalar", torch::tensor(3.5));
  print("print.empty", torch::empty({0}));
  print("print.large", torch::tensor({1e10, 1.0}));
  print("print.sizes", torch::ones({2, 3}).sizes());
  print("print.dtype", torch::ones({1}).dtype());
  print("print.device", torch::ones({1}).device());
}

int main() {
  factories();
  indexing();
  dtypes();
  reductions();
  words();
  printing();
}
