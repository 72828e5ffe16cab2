// In-place changes of tensors and of their views, bases and windows.
#include "program.h"

namespace fuzz {
namespace {

// Complex numbers have no order; what rounds is left to the functions that the pool's values stay
// tame under.
struct Change {
  const char* name;
  void (*run)(Tensor&);
  int bits;  // more of them; kInexact where it rounds
  bool jumps;
};

#define CHANGE(name, bits, jumps)                    \
  Change {                                           \
#name, [](Tensor & x) { x.name(); }, bits, jumps \
  }

const std::vector<Change>& plain() {
  static const std::vector<Change> list{
      CHANGE(neg_, 0, false),           CHANGE(abs_, 0, false),
      CHANGE(relu_, 0, false),          CHANGE(zero_, 0, false),
      CHANGE(tanh_, kInexact, false),   CHANGE(sigmoid_, kInexact, false),
      CHANGE(sin_, kInexact, false),    CHANGE(square_, kInexact, false),
      CHANGE(exp_, kInexact, false),    CHANGE(floor_, 0, true),
      CHANGE(round_, 0, true),          CHANGE(sign_, 0, true),
      CHANGE(tril_, 0, false),          CHANGE(triu_, 0, false),
      CHANGE(erf_, kInexact, false),    CHANGE(trunc_, 0, true),
      CHANGE(conj_physical_, 0, false), CHANGE(detach_, 0, false)};
  return list;
}

#undef CHANGE

int more(const Item& x, int bits) { return bits == kInexact ? kInexact : add_bits(x.bits, bits); }

void by_itself(Program& p) {
  const Change& f = p.random().of(plain());
  Item x = p.pick(f.jumps ? exact : any);
  p.changed(f.name, x, more(x, f.bits), [&] { f.run(x.t); });
}

void by_number(Program& p) {
  Item x = p.pick(), e = p.pick(exact);
  const at::Scalar s = p.scalar(x), t = p.scalar(e);
  switch (p.random().below(12)) {
    case 0:
      return p.changed("add_ number", x, more(x, 2), [&] { x.t.add_(s); });
    case 1:
      return p.changed("mul_ number", x, more(x, 4), [&] { x.t.mul_(s); });
    case 2:
      return p.changed("sub_ number", x, more(x, 2), [&] { x.t.sub_(s); });
    case 3:
      return p.changed("div_ number", x, more(x, 3), [&] { x.t.div_(4); });
    case 4:
      return p.changed("fill_", x, x.bits, [&] { x.t.fill_(s); });
    case 5:
      return p.changed("clamp_", x, x.bits, [&] { x.t.clamp_(-1, s); });
    case 6:
      return p.changed("pow_", x, kInexact, [&] { x.t.pow_(2); });
    case 7:
      return p.changed("fmod_", e, e.bits, [&] { e.t.fmod_(t); });
    case 8:
      return p.changed("remainder_", e, e.bits, [&] { e.t.remainder_(t); });
    case 9:
      return p.changed("lt_", e, e.bits, [&] { e.t.lt_(t); });
    case 10:
      return p.changed("eq_", e, e.bits, [&] { e.t.eq_(t); });
    default:
      return p.changed("leaky_relu_", x, kInexact, [&] { at::leaky_relu_(x.t, 0.1); });
  }
}

void by_tensor(Program& p) {
  Item x = p.pick();
  const Item y = p.partner(x), z = p.partner(x);
  const at::Scalar s = p.scalar(x);
  const int sum = add_bits(widest(x, y), 0), product = add_bits(x.bits, y.bits);
  switch (p.random().below(13)) {
    case 0:
    case 1:
      return p.changed("add_", x, sum, [&] { x.t.add_(y.t); }, {y});
    case 2:
      return p.changed("sub_", x, add_bits(sum, 3), [&] { x.t.sub_(y.t, s); }, {y});
    case 3:
    case 4:
      return p.changed("mul_", x, product, [&] { x.t.mul_(y.t); }, {y});
    case 5:
      return p.changed("div_", x, kInexact, [&] { x.t.div_(y.t.abs() + 1); });
    case 6:
    case 7:
    case 8:
      return p.changed("copy_", x, y.bits, [&] { x.t.copy_(y.t); }, {y});
    case 9:
      return p.changed("addcmul_", x, add_bits(x.bits + y.bits + 3, z.bits),
                       [&] { x.t.addcmul_(y.t, z.t, s); }, {y, z});
    case 10:
      return p.changed("addcdiv_", x, kInexact, [&] { x.t.addcdiv_(y.t, z.t.abs() + 1, s); }, {y});
    case 11:
      return p.changed("lerp_", x, kInexact, [&] { x.t.lerp_(y.t, s); }, {y});
    default: {
      Item e = p.pick(exact);
      const Item f = p.partner(e, exact);
      return p.changed("ge_", e, std::max(e.bits, f.bits), [&] { e.t.ge_(f.t); }, {f});
    }
  }
}

void by_mask(Program& p) {
  Item x = p.pick();
  const at::Scalar s = p.scalar(x);
  const Tensor mask = p.mask(x.t.sizes().vec());
  const Item value = p.fresh({}, x.t.scalar_type());
  switch (p.random().below(4)) {
    case 0:
      return p.changed("masked_fill_", x, x.bits, [&] { x.t.masked_fill_(mask, s); });
    case 1:
      return p.changed("masked_fill_ tensor", x, x.bits, [&] { x.t.masked_fill_(mask, value.t); });
    case 2:
      return p.changed("index_put_ mask", x, x.bits, [&] { x.t.index_put_({mask}, value.t); });
    default: {
      const Item source = p.fresh({x.t.numel()}, x.t.scalar_type());
      return p.changed("masked_scatter_", x, std::max(x.bits, source.bits),
                       [&] { x.t.masked_scatter_(mask, source.t); });
    }
  }
}

void by_index(Program& p) {
  Item x = p.pick_of_rank(1, 3, number);
  if (x.t.numel() == 0) return;  // LibTorch does not look at the indices then
  const int64_t d = p.valid_dim(x.t), n = x.t.size(d), count = p.random().between(1, 3);
  const at::Scalar s = p.scalar(x);
  const Tensor index = p.indices_from_zero({count}, n);
  Sizes sizes = x.t.sizes().vec();
  sizes[static_cast<size_t>(d < 0 ? d + x.t.dim() : d)] = count;
  const Item source = p.fresh(sizes, x.t.scalar_type());
  const Tensor full = p.indices_from_zero(sizes, n);
  const int sum = add_bits(widest(x, source), 2);
  const Tensor order =
      at::arange(std::min(count, n), at::TensorOptions().dtype(at::kLong));  // no index twice
  switch (p.random().below(9)) {
    case 0:
      return p.changed("index_fill_", x, x.bits, [&] { x.t.index_fill_(d, index, s); });
    case 1:
      return p.changed("index_add_", x, add_bits(sum, 3),
                       [&] { x.t.index_add_(d, index, source.t, s); });
    case 2:
      return p.changed("index_copy_", x, sum,
                       [&] { x.t.index_copy_(d, order, source.t.narrow(d, 0, order.size(0))); });
    case 3:
      return p.changed("scatter_add_", x, sum, [&] { x.t.scatter_add_(d, full, source.t); });
    case 4:
      return p.changed("scatter_ number", x, x.bits, [&] { x.t.scatter_(d, full, s); });
    case 5:
      return p.changed("index_put_", x, sum, [&] { x.t.index_put_({index.narrow(0, 0, 1)}, s); });
    case 6:
      return p.changed("index_put_ accumulate", x, sum, [&] {
        x.t.index_put_({p.indices({2}, x.t.size(0))},
                       at::ones({1}, x.t.options().requires_grad(false)), true);
      });
    case 7:
      return p.changed("put_ accumulate", x, sum, [&] {
        x.t.put_(p.indices({2}, x.t.numel()), at::ones({2}, x.t.options().requires_grad(false)),
                 true);
      });
    default:
      return p.changed("index_fill_ tensor", x, x.bits,
                       [&] { x.t.index_fill_(d, order, source.t.flatten()[0]); });
  }
}

void by_slice(Program& p) {
  using at::indexing::Slice;
  Item x = p.pick_of_rank(1, 4, any);
  const int64_t n = x.t.size(0);
  const int64_t start = p.random().between(-n, n), step = p.random().between(1, 2);
  const at::Scalar s = p.scalar(x);
  const Item row = p.fresh(x.t.sizes().vec(), p.maybe(3) ? p.dtype() : x.t.scalar_type());
  switch (p.random().below(4)) {
    case 0:
      return p.changed("index_put_ slice", x, x.bits,
                       [&] { x.t.index_put_({Slice(start, c10::nullopt, step)}, s); });
    case 1:
      return p.changed("slice add_", x, add_bits(x.bits, 2),
                       [&] { x.t.slice(0, start, INT64_MAX, step).add_(1); });
    case 2:
      return p.changed("select copy_", x, std::max(x.bits, row.bits),
                       [&] { x.t.select(0, start).copy_(row.t.select(0, 0)); });
    default:
      return p.changed("slice of itself", x, add_bits(x.bits, 1),
                       [&] { x.t.narrow(0, 0, 1).add_(x.t.narrow(0, n - 1, 1)); });
  }
}

// Views in place: the tensor itself takes another shape.
void reshaped_in_place(Program& p) {
  Item x = p.pick();
  Tensor t =
      x.t.requires_grad() && x.t.is_leaf() ? x.t : x.t.alias();  // the pool's own shapes stay
  const int64_t a = p.dim(x.t), b = p.dim(x.t);
  Item y = x;
  y.t = t;
  switch (p.random().below(4)) {
    case 0:
      return p.viewed("unsqueeze_", y, [&] { return t.unsqueeze_(a); });
    case 1:
      return p.viewed("squeeze_", y, [&] { return t.squeeze_(); });
    case 2:
      return p.viewed("transpose_", y, [&] { return t.transpose_(a, b); });
    default:
      return p.viewed("t_", y, [&] { return t.t_(); });
  }
}

void other_changes(Program& p) {
  Item x = p.pick_of_rank(1, 3, number);
  const int64_t d = p.dim(x.t);
  const at::Scalar s = p.scalar(x);
  switch (p.random().below(4)) {
    case 0:
      return p.changed("cumsum_", x, sum_bits(x), [&] { x.t.cumsum_(d); });
    case 1:
      return p.changed("fill_diagonal_", x, x.bits, [&] { x.t.fill_diagonal_(s); });
    case 2: {
      at::NoGradGuard guard;
      return p.changed("no_grad mul_", x, add_bits(x.bits, 2), [&] { x.t.mul_(2); });
    }
    default: {
      Item m = p.pick_of_rank(2, 2);
      return p.changed("addmm_", m, kInexact, [&] {
        m.t.addmm_(m.t.detach(), at::eye(m.t.size(1), m.t.options().requires_grad(false)));
      });
    }
  }
}

}  // namespace

void add_changes(Steps& steps) {
  steps.add(3, by_itself);
  steps.add(3, by_number);
  steps.add(6, by_tensor);
  steps.add(2, by_mask);
  steps.add(3, by_index);
  steps.add(3, by_slice);
  steps.add(2, reshaped_in_place);
  steps.add(2, other_changes);
}

}  // namespace fuzz
