// Reading and writing by index.
#include "program.h"

namespace fuzz {
namespace {

void by_one_index(Program& p) {
  const Item x = p.pick_of_rank(1, 4, any);
  const int64_t d = p.dim(x.t), n = d >= -x.t.dim() && d < x.t.dim() ? x.t.size(d) : 1;
  const Tensor index = p.indices_from_zero({p.random().between(0, 4)}, n);
  Sizes sizes = x.t.sizes().vec();
  for (int64_t& m : sizes)
    if (p.maybe(3)) m = p.random().between(0, m);
  const Tensor full = p.indices_from_zero(sizes, n);
  switch (p.random().below(5)) {
    case 0:
      return p.made("index_select", x.bits, [&] { return x.t.index_select(d, index); });
    case 1:
      return p.made("gather", x.bits, [&] { return x.t.gather(d, full); });
    case 2:
      return p.made("take", x.bits,
                    [&] { return x.t.take(p.indices(p.shape(0, 2), x.t.numel())); });
    case 3:
      return p.made("take_along_dim", x.bits, [&] { return at::take_along_dim(x.t, full, d); });
    default:
      return p.made("masked_select", x.bits,
                    [&] { return x.t.contiguous().masked_select(p.mask(x.t.sizes().vec())); });
  }
}

void by_many_indices(Program& p) {
  using at::indexing::Ellipsis;
  using at::indexing::None;
  using at::indexing::Slice;
  const Item x = p.pick_of_rank(2, 4, any);
  if (x.t.numel() == 0) return;  // LibTorch does not look at the indices then
  const Sizes sizes = p.shape(1, 2);
  const Tensor rows = p.indices(sizes, x.t.size(0)),
               columns = p.indices(p.maybe(3) ? Sizes{1} : sizes, x.t.size(1));
  const Tensor last = p.indices({2}, x.t.size(-1));
  const Tensor mask = p.mask({x.t.size(0)}), both = p.mask({x.t.size(0), x.t.size(1)});
  switch (p.random().below(9)) {
    case 0:
      return p.made("index", x.bits, [&] { return x.t.index({rows}); });
    case 1:
      return p.made("index two", x.bits, [&] { return x.t.index({rows, columns}); });
    case 2:
      return p.made("index second", x.bits, [&] { return x.t.index({Slice(), columns}); });
    case 3:
      return p.made("index last", x.bits, [&] { return x.t.index({Ellipsis, last}); });
    case 4:
      return p.made("index mask", x.bits, [&] { return x.t.index({mask}); });
    case 5:
      return p.made("index masks", x.bits, [&] { return x.t.index({both}); });
    case 6:
      return p.made("index mixed", x.bits, [&] { return x.t.index({rows, Slice(0, 1), None}); });
    case 7:
      return p.made("index number and list", x.bits, [&] {
        return x.t.index({0, last.remainder(std::max<int64_t>(1, x.t.size(1)))});
      });
    default:
      return p.made("index none", x.bits, [&] { return x.t.index({None, rows, Ellipsis}); });
  }
}

void written(Program& p) {
  const Item x = p.pick_of_rank(1, 3, number);
  if (x.t.numel() == 0) return;  // LibTorch does not look at the indices then
  const int64_t d = p.valid_dim(x.t), n = x.t.size(d), count = p.random().between(1, 3);
  Sizes sizes = x.t.sizes().vec();
  sizes[static_cast<size_t>(d < 0 ? d + x.t.dim() : d)] = count;
  const Item source = p.fresh(sizes, p.maybe(20) ? p.dtype() : x.t.scalar_type());
  const Tensor full = p.indices_from_zero(sizes, n), index = p.indices_from_zero({count}, n);
  const int sum = add_bits(widest(x, source), 3);
  switch (p.random().below(9)) {
    case 0:
      return p.made("scatter_add", sum, [&] { return x.t.scatter_add(d, full, source.t); });
    case 1:
      return p.made("scatter number", x.bits, [&] { return x.t.scatter(d, full, 1.5); });
    case 2:
      return p.made("index_add", sum, [&] { return x.t.index_add(d, index, source.t); });
    case 3:
      return p.made("scatter_reduce", kInexact, [&] {
        return x.t.scatter_reduce(d, full, source.t, p.maybe(2) ? "sum" : "mean");
      });
    case 4:
      return p.made("index_put", sum, [&] {
        return x.t.index_put({p.indices({2}, x.t.size(0))},
                             at::ones({}, x.t.options().requires_grad(false)), true);
      });
    case 5:
      return p.made("masked_fill", x.bits,
                    [&] { return x.t.masked_fill(p.mask(x.t.sizes().vec()), 1); });
    case 6:
      return p.made(name_over(x.t, "select_scatter"), sum,
                    [&] { return at::select_scatter(x.t, source.t.select(d, 0), d, 0); });
    case 7:
      return p.made(name_over(x.t, "slice_scatter"), sum,
                    [&] { return at::slice_scatter(x.t, source.t.narrow(d, 0, 1), d, 0, 1); });
    default:
      return p.made("index_fill", x.bits, [&] { return x.t.index_fill(d, index, p.scalar(x)); });
  }
}

void looked_up(Program& p) {
  const Item w = p.pick_of_rank(2, 2);
  const Tensor index = p.indices_from_zero(p.shape(1, 2), w.t.size(0));
  const int64_t padding = p.maybe(2) ? -1 : 0;
  const Item e = p.pick(exact);
  switch (p.random().below(5)) {
    case 0:
      return p.made("embedding", w.bits, [&] { return at::embedding(w.t, index, padding); });
    case 1:
      return p.made("one_hot", 1,
                    [&] { return at::one_hot(index, p.maybe(2) ? -1 : w.t.size(0)); });
    case 2:
      return p.made("nonzero", 5, [&] { return e.t.nonzero().contiguous(); });
    case 3:
      return p.made("argwhere", 5, [&] { return at::argwhere(e.t).contiguous(); });
    default:
      return p.made("where indices", 5, [&] {
        Tensors indices = at::where(e.t);
        for (Tensor& t : indices) t = t.contiguous();
        return indices;
      });
  }
}

}  // namespace

void add_indexing(Steps& steps) {
  steps.add(4, by_one_index);
  steps.add(4, by_many_indices);
  steps.add(4, written);
  steps.add(2, looked_up);
}

}  // namespace fuzz
