// Views, and what is a view or a copy as the layout allows.
#include "program.h"

namespace fuzz {
namespace {

// A way to split n into two factors.
Sizes factors(Random& random, int64_t n) {
  Sizes list;
  for (int64_t a = 1; a <= n; ++a)
    if (n % a == 0) list.push_back(a);
  if (list.empty()) return {0, random.between(1, 3)};
  const int64_t a = random.of(list);
  return {a, n / a};
}

Sizes new_shape(Program& p, const Tensor& t) {
  if (p.maybe(3)) return {-1};
  Sizes sizes = factors(p.random(), t.numel());
  if (p.maybe(2)) sizes.insert(sizes.begin() + p.random().between(0, 2), 1);
  if (p.maybe(4)) sizes[0] = -1;
  if (p.maybe(40)) sizes.push_back(2);
  return sizes;
}

Sizes permutation(Random& random, int64_t n) {
  Sizes list(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) list[static_cast<size_t>(i)] = i;
  for (int64_t i = n; i > 1; --i)
    std::swap(list[static_cast<size_t>(i - 1)], list[static_cast<size_t>(random.below(i))]);
  return list;
}

void reshaped(Program& p) {
  const Item x = p.pick();
  const Sizes sizes = new_shape(p, x.t);
  const auto outcome = [&](const std::string& name, const std::function<Tensor()>& op) {
    // In a layout that an op chose it is the layout that decides whether memory is shared.
    if (x.known_layout) return p.viewed(name, x, op);
    p.made(name, x.bits, [&] { return op().clone(); });
  };
  switch (p.random().below(3)) {
    case 0:
      return outcome("view", [&] { return (x.known_layout ? x.t : x.t.contiguous()).view(sizes); });
    case 1:
      return outcome("reshape", [&] { return x.t.reshape(sizes); });
    default:
      return outcome("contiguous view", [&] { return x.t.contiguous().view(sizes); });
  }
}

void permuted(Program& p) {
  const Item x = p.pick();
  const int64_t a = p.dim(x.t), b = p.dim(x.t);
  switch (p.random().below(6)) {
    case 0:
      return p.viewed("transpose", x, [&] { return x.t.transpose(a, b); });
    case 1:
      return p.viewed("swapdims", x, [&] { return at::swapdims(x.t, a, b); });
    case 2:
      return p.viewed("movedim", x, [&] { return x.t.movedim(a, b); });
    case 3:
      return p.viewed("t", x, [&] { return x.t.t(); });
    case 4:
      return p.viewed("mT", x, [&] { return x.t.mT(); });
    default: {
      const Sizes order = permutation(p.random(), x.t.dim());
      return p.viewed("permute", x, [&] { return x.t.permute(order); });
    }
  }
}

void squeezed(Program& p) {
  const Item x = p.pick();
  const int64_t d = p.dim(x.t);
  switch (p.random().below(5)) {
    case 0:
      return p.viewed("squeeze", x, [&] { return x.t.squeeze(); });
    case 1:
      return p.viewed("squeeze dim", x, [&] { return x.t.squeeze(d); });
    case 2:
      return p.viewed("flatten", x, [&] { return x.t.flatten(std::min(d, p.dim(x.t)), -1); });
    case 3: {
      const int64_t n = x.t.dim() ? x.t.size(p.valid_dim(x.t)) : 1;
      const Sizes sizes = factors(p.random(), n);
      return p.viewed("unflatten", x, [&] { return x.t.unflatten(d, sizes); });
    }
    default:
      return p.viewed("unsqueeze", x, [&] { return x.t.unsqueeze(d); });
  }
}

void cut(Program& p) {
  const Item x = p.pick_of_rank(1, 5, any);
  const int64_t d = p.dim(x.t), n = x.t.size(p.valid_dim(x.t));
  const int64_t start = p.random().between(-n, n), length = p.random().between(0, n),
                step = p.random().between(1, 3);
  switch (p.random().below(4)) {
    case 0:
      return p.viewed("select", x, [&] { return x.t.select(d, start); });
    case 1:
      return p.viewed("narrow", x, [&] { return x.t.narrow(d, start, length); });
    case 2:
      return p.viewed("slice", x, [&] { return x.t.slice(d, start, start + length, step); });
    default:
      return p.viewed("index slice", x, [&] {
        using at::indexing::Slice;
        return x.t.index(
            {Slice(start, c10::nullopt, step), at::indexing::None, at::indexing::Ellipsis});
      });
  }
}

void parted(Program& p) {
  const Item x = p.pick_of_rank(1, 5, any);
  const int64_t d = p.dim(x.t), n = p.random().between(1, 3);
  const uint64_t which = p.random().next();
  const auto one = [&](const Tensors& parts) {
    return parts.at(static_cast<size_t>(which % std::max<size_t>(1, parts.size())));
  };
  switch (p.random().below(4)) {
    case 0:
      return p.viewed("split", x, [&] { return one(x.t.split(n, d)); });
    case 1:
      return p.viewed("chunk", x, [&] { return one(x.t.chunk(n, d)); });
    case 2:
      return p.viewed("tensor_split", x, [&] { return one(x.t.tensor_split(n, d)); });
    default:
      if (x.t.size(p.valid_dim(x.t)) == 0) return;
      return p.viewed("unbind", x, [&] { return one(x.t.unbind(d)); });
  }
}

void expanded(Program& p) {
  const Item x = p.pick();
  Sizes sizes = x.t.sizes().vec();
  for (int64_t& n : sizes)
    if (n == 1 && p.maybe(2)) n = p.random().between(1, 4);
  if (p.maybe(2)) sizes.insert(sizes.begin(), p.random().between(1, 3));
  if (p.maybe(30) && !sizes.empty()) sizes.back() = 7;
  if (p.maybe(3)) return p.viewed("broadcast_to", x, [&] { return at::broadcast_to(x.t, sizes); });
  p.viewed("expand", x, [&] { return x.t.expand(sizes); });
}

void diagonal(Program& p) {
  const Item x = p.pick_of_rank(2, 5, any);
  const int64_t a = p.dim(x.t), b = p.dim(x.t), offset = p.random().between(-2, 2);
  p.viewed("diagonal", x, [&] { return x.t.diagonal(offset, a, b); });
}

void unfolded(Program& p) {
  const Item x = p.pick_of_rank(1, 4, any);
  const int64_t d = p.dim(x.t), size = p.random().between(0, 3), step = p.random().between(1, 3);
  p.viewed("unfold", x, [&] { return x.t.unfold(d, size, step); });
}

// A window of the storage that lies within it, and may overlap itself.
void strided(Program& p) {
  const Item x = p.pick();
  if (x.t.numel() == 0 || !x.known_layout || !x.t.is_contiguous()) return;
  const int64_t room = x.t.numel() - 1;
  Sizes sizes, strides;
  int64_t last = 0;
  for (int64_t i = p.random().between(1, 3); i > 0; --i) {
    const int64_t n = p.random().between(1, 3), stride = p.random().between(0, 3);
    if (last + (n - 1) * stride > room) continue;
    last += (n - 1) * stride;
    sizes.push_back(n);
    strides.push_back(stride);
  }
  const int64_t offset = x.t.storage_offset() + p.random().between(0, room - last);
  p.viewed("as_strided", x, [&] { return x.t.as_strided(sizes, strides, offset); });
}

void complex_parts(Program& p) {
  const Item x = p.pick([](const Item& i) { return i.t.is_complex(); });
  switch (p.random().below(5)) {
    // Copies: Taper refuses views of another dtype once their base has got a new history.
    case 0:
      return p.made("real", x.bits, [&] { return at::real(x.t).clone(); });
    case 1:
      return p.made("imag", x.bits, [&] { return at::imag(x.t).clone(); });
    case 2:
      return p.made("view_as_real", x.bits, [&] { return at::view_as_real(x.t).clone(); });
    case 3:
      return p.made("conj", x.bits,
                    [&] { return at::conj_physical(x.t).clone(); });  // a view in LibTorch alone
    default: {
      const Item y = p.pick_of_rank(1, 4, floating);
      return p.made("view_as_complex", y.bits, [&] { return at::view_as_complex(y.t).clone(); });
    }
  }
}

void same(Program& p) {
  const Item x = p.pick();
  switch (p.random().below(4)) {
    case 0:
      return p.viewed("detach", x, [&] { return x.t.detach(); });
    case 1:
      return p.viewed("alias", x, [&] { return at::alias(x.t); });
    case 2:
      return p.viewed("view_as", x, [&] { return x.t.view_as(x.t); });
    default:
      return p.viewed("contiguous", x, [&] { return x.t.contiguous(); });
  }
}

}  // namespace

void add_views(Steps& steps) {
  steps.add(4, reshaped);
  steps.add(4, permuted);
  steps.add(3, squeezed);
  steps.add(4, cut);
  steps.add(3, parted);
  steps.add(3, expanded);
  steps.add(2, diagonal);
  steps.add(2, unfolded);
  steps.add(2, strided);
  steps.add(2, complex_parts);
  steps.add(2, same);
}

}  // namespace fuzz
