// Brackets, advanced indices, gather and scatter, masks, embedding, cumulative sums: values,
// gradients, names of nodes, and the words of errors.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

static Tensor longs(std::vector<int64_t> v) { return torch::tensor(v, torch::kLong); }

/// A value, the node that made it, and the gradients of its leaves for a random cotangent.
static void with_gradients(const std::string& key, const Tensor& y, std::vector<Tensor> leaves) {
  show(key, y.detach());
  show(key + ".node", y.grad_fn()->name());
  y.backward(numbers(y.sizes().vec(), 9, y.scalar_type()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    show(key + ".grad" + std::to_string(i), leaves[i].grad() + 0);  // no negative zeros
    leaves[i].mutable_grad() = Tensor();
  }
}

static Tensor leaf(std::vector<int64_t> sizes, uint64_t seed = 1) {
  return numbers(sizes, seed, torch::kDouble).requires_grad_();
}

static void brackets() {
  const Tensor x = torch::arange(24).view({2, 3, 4});
  const Tensor mask = x.remainder(3).eq(0), rows = torch::tensor({true, false});
  show("get.negative", x.index({-1, -1, -1}));
  show("get.slices", x.index({Slice(), Slice(-2, None), Slice(None, None, 3)}));
  show("get.beyond", x.index({Slice(-9, 9), Slice(5, 9)}));
  show("get.ellipsis", x.index({"...", 1}));
  show("get.none", x.index({None, 1, Ellipsis, None}));
  show("get.true", x.index({true}));
  show("get.false", x.index({0, false}));
  show("get.mask", x.index({mask}));
  show("get.rows", x.index({rows, 1}));
  show("get.tensor", x.index({Slice(), longs({2, 0, 2})}));
  show("get.two", x.index({longs({0, 1}), longs({2, -3})}));
  show("get.apart", x.index({longs({0, 1}), Slice(), longs({3, -1})}));
  show("get.scalar_tensor", x[torch::tensor(1)]);
  show("get.view", int64_t{x.index({0, Slice(1, None)}).is_alias_of(x)});
  error("get.out", [&] { x.index({0, 7}); });
  error("get.first_out", [&] { x[2]; });
  error("get.tensor_out", [&] { x.index({longs({5})}); });
  error("get.too_many", [&] { x.index({0, 0, 0, 0}); });
  error("get.mask_shape", [&] { x.index({torch::ones({3}, torch::kBool)}); });
  error("get.no_broadcast", [&] { x.index({longs({0, 1}), longs({0, 1, 2})}); });
  error("get.zero_dim", [&] { torch::tensor(1)[0]; });
  error("get.empty", [&] { torch::zeros({0, 3}).index({longs({0})}); });
}

static void writes() {
  Tensor x = torch::arange(12).view({3, 4}).to(torch::kDouble);
  x.index_put_({0, Slice(1, 3)}, 7);
  x.index_put_({Slice(), 0}, numbers({3}, 2, torch::kDouble));
  x.index_put_({longs({1, 2}), longs({3, 2})}, numbers({2}, 3, torch::kDouble));
  x.index_put_({x.gt(9)}, -1);
  x[2][1] = 42;
  x[1] = numbers({4}, 4, torch::kDouble);
  show("put", x);
  x.index_put_({longs({0, 0, 2})}, numbers({4}, 5, torch::kDouble), true);
  show("put.accumulate", x);
  error("put.dtype", [&] { x.index_put_({longs({0})}, longs({1})); });
  error("put.shape", [&] { x.index_put_({longs({0, 1})}, torch::ones({3}, torch::kDouble)); });
  error("put.range", [&] { x.index_put_({longs({0, 9})}, 1); });
}

// One number through a mask takes the tensor's dtype; an index of one slice makes a view.
static void masks_and_slices() {
  const Tensor x = torch::arange(6).view({2, 3}), mask = x.remainder(2).eq(0);
  show("mask.float", x.clone().index_put_({mask}, torch::tensor({2.5})));
  show("mask.long", x.to(torch::kFloat).index_put_({Slice(), mask[0]}, torch::tensor(7)));
  error("mask.two", [&] {
    x.clone().index_put_({mask[0].slice(0, 0, 2), mask[0]}, torch::ones({1}));
  });
  error("mask.accumulate", [&] { x.clone().index_put_({mask}, torch::ones({1}), true); });
  Tensor y = x.to(torch::kFloat).requires_grad_();
  show("slice.whole", y.index({Slice()}).grad_fn()->name());
  Tensor z = y * 1, v = torch::ones({}).requires_grad_();
  z.index_put_({Slice()}, v);
  show("slice.written", z.grad_fn()->name());
  z.sum().backward();
  show("slice.grad", y.grad());
  error("slice.shape", [&] { x.clone().index_put_({0}, torch::ones({5, 7}, torch::kLong)); });
  error("slice.rank", [&] { x.clone().index_put_({0, 0}, torch::ones({5, 7}, torch::kLong)); });
  error("index.none", [&] { x.index(std::vector<torch::indexing::TensorIndex>()); });
  error("put.none", [&] { x.clone().index_put_(std::vector<torch::indexing::TensorIndex>(), 1); });
}

static void gradients() {
  Tensor x = leaf({3, 4}), v = leaf({2, 4}, 2), flat = leaf({5}, 3);
  with_gradients("index", x.index({longs({0, 2, 0})}), {x});
  with_gradients("index.mask", x.index({x.gt(0)}), {x});
  with_gradients("index.mixed", x.index({Slice(), None, longs({1, 1})}), {x});
  with_gradients("index_put", x.index_put({longs({2, 0})}, v), {x, v});
  with_gradients("index_put.add", x.index_put({longs({2, 2})}, v, true), {x, v});
  with_gradients("index_select", x.index_select(1, longs({3, 3, 0})), {x});
  with_gradients("index_add", x.index_add(0, longs({1, 1}), v, 2), {x, v});
  with_gradients("index_copy", x.index_copy(0, longs({2, 0}), v), {x, v});
  with_gradients("index_fill", x.index_fill(1, longs({0, -1}), 3), {x});
  const Tensor at = longs({2, 0, 1, 1, 2, 0, 0, 2}).view({2, 4});
  with_gradients("gather", x.gather(0, at), {x});
  with_gradients("scatter", x.scatter(0, longs({2, 0, 1, 1, 0, 2, 0, 2}).view({2, 4}), v), {x, v});
  with_gradients("scatter.value", x.scatter(0, at, 1.5), {x});
  with_gradients("scatter_add", x.scatter_add(0, at, v), {x, v});
  with_gradients("take", x.take(longs({0, -1, 5, 5})), {x});
  with_gradients("where", torch::where(x.gt(0), x, flat.sum()), {x, flat});
  with_gradients("masked_fill", x.masked_fill(x.gt(0), 2), {x});
  with_gradients("masked_fill.tensor", x.masked_fill(x.gt(0), flat.sum()), {x, flat});
  with_gradients("masked_select", x.masked_select(x.gt(0)), {x});
  with_gradients("masked_scatter", x.masked_scatter(x.gt(0.5), v.view(-1)), {x, v});
  with_gradients("cumsum", x.cumsum(1), {x});
  with_gradients("cumprod", x.cumprod(0), {x});
  Tensor zeros = numbers({4, 3}, 6, torch::kDouble);
  zeros.index_put_({1, Slice()}, 0);
  zeros.index_put_({3, 1}, 0);
  zeros.requires_grad_();
  with_gradients("cumprod.zeros", zeros.cumprod(0), {zeros});
  with_gradients("cummax", std::get<0>(x.cummax(1)), {x});
  with_gradients("embedding", torch::embedding(x, at, 1), {x});
  with_gradients("embedding.frequency", torch::embedding(x, at, -1, true), {x});
}

static void errors() {
  const Tensor v = torch::arange(6, torch::kFloat), two = torch::ones({2, 2});
  error("index_select.range", [&] { v.index_select(0, longs({7})); });
  error("index_select.dim", [&] { v.index_select(1, longs({0})); });
  error("index_select.rank", [&] { v.index_select(0, longs({0}).view({1, 1})); });
  error("index_select.dtype", [&] { v.index_select(0, v); });
  error("gather.range", [&] { v.gather(0, longs({7})); });
  error("gather.rank", [&] { two.gather(0, longs({0})); });
  error("gather.dtype", [&] { v.gather(0, v); });
  error("scatter.range", [&] { v.scatter(0, longs({7}), 1); });
  error("scatter.source", [&] { v.scatter(0, longs({0, 1}), torch::ones({1})); });
  error("scatter.dtype", [&] { v.scatter(0, longs({0}), longs({1})); });
  error("index_add.range", [&] { v.index_add(0, longs({9}), torch::ones({1})); });
  error("index_copy.range", [&] { v.index_copy(0, longs({9}), torch::ones({1})); });
  error("index_fill.range", [&] { v.index_fill(0, longs({9}), 1); });
  error("take.range", [&] { v.take(longs({-7})); });
  error("where.dtype", [&] { torch::where(v, v, v); });
  error("masked_fill.value", [&] { v.masked_fill(v.gt(2), torch::ones({1})); });
  error("masked_select.dtype", [&] { v.masked_select(v); });
  error("masked_scatter.short", [&] { v.masked_scatter(v.gt(2), torch::ones({1})); });
  error("index_add.count", [&] { v.index_add(0, longs({1}), torch::ones({2})); });
  error("embedding.dtype", [&] { torch::embedding(two, v); });
  error("embedding.range", [&] { torch::embedding(two, longs({2})); });
  error("embedding.rank", [&] { torch::embedding(v, longs({2})); });
  error("cumsum.dim", [&] { v.cumsum(1); });
}

static void dtypes() {
  const Tensor v = torch::arange(4, torch::kFloat), mask = v.gt(1);
  show("where.scalars", torch::where(mask, 1, 0));
  show("where.floats", torch::where(mask, 1.5, 0.0));
  show("where.mixed", torch::where(mask, v.to(torch::kLong), 1.5));
  show("where.double", torch::where(mask, v, v.to(torch::kDouble)));
  show("where.zero_dim", torch::where(mask, v, torch::tensor(0.5, torch::kDouble)));
  show("where.coordinates", torch::where(mask));
  show("cumsum.byte", v.to(torch::kByte).cumsum(0));
  show("cumprod.bool", mask.cumprod(0));
  show("nonzero", torch::nonzero(v.view({2, 2})));
  show("masked_fill.int", v.to(torch::kLong).masked_fill(mask, 1.7));
}

int main() {
  brackets();
  writes();
  masks_and_slices();
  gradients();
  errors();
  dtypes();
}
