// Copies of elements in another order: joins, repeats, flips, triangles, padding.
#include "program.h"

namespace fuzz {
namespace {

void joined(Program& p) {
  const Item x = p.pick(), y = p.maybe(2) ? p.fresh(x.t.sizes().vec()) : p.pick();
  const int64_t d = p.dim(x.t);
  const int bits = std::max(x.bits, y.bits);
  switch (p.random().below(7)) {
    case 0:
    case 1:
      return p.made("cat", bits, [&] { return at::cat({x.t, y.t}, d); });
    case 2:
      return p.made("stack", bits, [&] { return at::stack({x.t, y.t}, d); });
    case 3:
      return p.made("hstack", bits, [&] { return at::hstack({x.t, y.t}); });
    case 4:
      return p.made("vstack", bits, [&] { return at::vstack({x.t, y.t}); });
    case 5:
      return p.made("dstack", bits, [&] { return at::dstack({x.t, y.t}); });
    default:
      return p.made("column_stack", bits, [&] { return at::column_stack({x.t, y.t}); });
  }
}

void repeated(Program& p) {
  const Item x = p.pick();
  const int64_t d = p.dim(x.t), n = p.random().between(0, 3);
  Sizes times(static_cast<size_t>(x.t.dim() + p.random().below(2)), 1);
  for (int64_t& t : times) t = p.random().between(p.maybe(10) ? 0 : 1, 2);
  switch (p.random().below(5)) {
    case 0:
      return p.made("repeat", x.bits, [&] { return x.t.repeat(times); });
    case 1:
      return p.made("tile", x.bits, [&] { return x.t.tile({2}); });
    case 2:
      return p.made("repeat_interleave", x.bits, [&] { return x.t.repeat_interleave(n, d); });
    case 3: {
      const int64_t m = x.t.dim() ? x.t.size(p.valid_dim(x.t)) : 1;
      const Tensor counts = p.indices_from_zero({m}, 3);
      return p.made("repeat_interleave tensor", x.bits,
                    [&] { return x.t.repeat_interleave(counts, d); });
    }
    default:
      return p.made("expand clone", x.bits,
                    [&] { return x.t.unsqueeze(0).expand(Sizes{2}).clone(); });
  }
}

void moved(Program& p) {
  const Item x = p.pick();
  const int64_t d = p.dim(x.t), n = p.random().between(-4, 4);
  switch (p.random().below(7)) {
    case 0:
      return p.made("flip", x.bits, [&] { return x.t.flip({d}); });
    case 1:
      return p.made("roll", x.bits, [&] { return x.t.roll({n}, {d}); });
    case 2:
      return p.made("roll all", x.bits, [&] { return x.t.roll(n); });
    case 3:
      return p.made("rot90", x.bits, [&] { return x.t.rot90(n, {0, 1}); });
    case 4:
      return p.made("fliplr", x.bits, [&] { return at::fliplr(x.t); });
    case 5:
      return p.made("tril", x.bits, [&] { return x.t.tril(n); });
    default:
      return p.made("triu", x.bits, [&] { return x.t.triu(n); });
  }
}

void of_diagonals(Program& p) {
  const Item x = p.pick_of_rank(1, 2, any), m = p.pick_of_rank(2, 3, any);
  const int64_t n = p.random().between(-2, 2);
  switch (p.random().below(4)) {
    case 0:
      return p.made("diag", x.bits, [&] { return x.t.diag(n); });
    case 1:
      return p.made("diag_embed", x.bits, [&] { return at::diag_embed(x.t, n); });
    case 2:
      return p.made("diagflat", x.bits, [&] { return at::diagflat(x.t, n); });
    default: {
      const int64_t side =
          std::min(m.t.size(0), m.t.size(1));  // of others 1.13's gradient is wrong
      return p.made("trace", sum_bits(m),
                    [&] { return m.t.narrow(0, 0, side).narrow(1, 0, side).trace(); });
    }
  }
}

void padded(Program& p) {
  namespace F = torch::nn::functional;
  const Item x = p.pick_of_rank(2, 4, differentiable);
  Sizes pad;
  const int64_t dims = p.random().between(1, 2);
  for (int64_t i = 0; i < 2 * dims; ++i) pad.push_back(p.random().between(p.maybe(4) ? -1 : 0, 2));
  auto options = F::PadFuncOptions(pad);
  const char* name = "pad constant";
  switch (p.random().below(4)) {
    case 0:
      options.mode(torch::kReflect), name = "pad reflect";
      break;
    case 1:
      options.mode(torch::kReplicate), name = "pad replicate";
      break;
    case 2:
      options.mode(torch::kCircular), name = "pad circular";
      break;
    default:
      options.value(1.5);
  }
  p.made(name, x.bits, [&] { return F::pad(x.t, options); });
}

void grids(Program& p) {
  const Item x = p.pick_of_rank(1, 1, any), y = p.pick_of_rank(1, 1, any);
  const int bits = add_bits(x.bits, y.bits);
  switch (p.random().below(6)) {
    case 0:
      return p.made("meshgrid", std::max(x.bits, y.bits), [&] {
        return at::meshgrid({x.t, y.t}, "ij");
      });
    case 1:
      return p.made("cartesian_prod", std::max(x.bits, y.bits), [&] {
        return at::cartesian_prod({x.t, y.t});
      });
    case 2:
      return p.made("combinations", x.bits, [&] { return at::combinations(x.t, 2); });
    case 3:
      return p.made("vander", kInexact, [&] { return at::vander(x.t, 3); });
    case 4:
      return p.made("outer", bits, [&] { return at::outer(x.t, y.t); });
    default:
      return p.made("block_diag", std::max(x.bits, y.bits), [&] {
        return at::block_diag({x.t, y.t});
      });
  }
}

void made_anew(Program& p) {
  const Item x = p.pick();
  const int64_t n = p.random().between(0, 5), step = p.random().between(1, 3);
  const auto options = at::TensorOptions().dtype(p.dtype());
  switch (p.random().below(8)) {
    case 0:
      return p.made("arange", 6, [&] { return at::arange(0, n * step, step, options); });
    case 1:
      return p.made("linspace", kInexact, [&] { return at::linspace(0, 3, n, options); });
    case 2:
      return p.made("eye", 1, [&] { return at::eye(n, step, options); });
    case 3:
      return p.made("full_like", 5, [&] { return at::full_like(x.t, p.scalar(x)); });
    case 4:
      return p.made("new_full", 5, [&] { return x.t.new_full({2, step}, 2); });
    case 5:
      return p.made("tril_indices", 5, [&] { return at::tril_indices(n, step, 0); });
    case 6:
      return p.made("logspace", kInexact, [&] { return at::logspace(0, 1, n, 2, options); });
    default:
      return p.made("new_zeros", 1, [&] { return x.t.new_zeros(p.shape()); });
  }
}

}  // namespace

void add_arrangements(Steps& steps) {
  steps.add(3, joined);
  steps.add(3, repeated);
  steps.add(3, moved);
  steps.add(2, of_diagonals);
  steps.add(3, padded);
  steps.add(1, grids);
  steps.add(1, made_anew);
}

}  // namespace fuzz
