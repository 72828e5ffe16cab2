#include <taper/ops/tensor/repeat.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper {

namespace {

/// The shapes of a repetition. A repeated dimension is split into (copies, size).
struct Repetition {
  Dims size;    // of the result
  Dims split;   // of the result, with repeated dimensions split in two
  Dims source;  // of x to broadcast to split
  Dims copies;  // the dimensions of split that hold copies
};

Repetition plan_repeat(const Dims& x, IntArrayRef repeats) {
  Repetition r;
  const int64_t rank = static_cast<int64_t>(repeats.size()), missing = rank - x.size();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = d < missing ? 1 : x[d - missing], count = repeats[static_cast<size_t>(d)];
    TAPER_CHECK(count >= 0, "repeat: Trying to create tensor with negative dimension, got repeats ",
                repeats);
    r.size.push_back(detail::checked_mul("repeat", size, count));
    if (count != 1) {
      r.copies.push_back(r.split.size());
      r.split.push_back(count);
      r.source.push_back(1);
    }
    r.split.push_back(size);
    r.source.push_back(size);
  }
  return r;
}

}  // namespace

Tensor repeat(const Tensor& x, IntArrayRef repeats) {
  if (auto done = at_door<"repeat">(x, repeats)) return done;
  check_defined("repeat", x, "self");
  TAPER_CHECK(
      static_cast<int64_t>(repeats.size()) >= x.dim(),
      "repeat: Number of dimensions of repeat dims can not be smaller than number of dimensions of "
      "tensor");
  const Repetition r = plan_repeat(x.impl().sizes, repeats);
  Tensor y = detail::make_tensor(r.size, x.scalar_type(), x.device());
  if (y.numel() > 0) {
    NoGradGuard no_grad;
    y.view(r.split).copy_(x.detach().reshape(r.source).expand(r.split));
  }
  if (needs_grad(x))
    record("RepeatBackward0", y, {x}, [r, size = Dims(x.sizes())](const Tensor& gy) {
      const Tensor g = gy.reshape(r.split);
      return (r.copies.empty() ? g : g.sum(r.copies.ref())).reshape(size);
    });
  return y;
}

Tensor tile(const Tensor& x, IntArrayRef dims) {
  if (auto done = at_door<"tile">(x, dims)) return done;
  check_defined("tile", x, "self");
  const int64_t missing = x.dim() - static_cast<int64_t>(dims.size());
  if (missing <= 0) return repeat(x, dims);
  Dims repeats(missing, 1);
  for (int64_t d : dims) repeats.push_back(d);
  return repeat(x, repeats);
}

namespace {

Tensor select_flat(const Tensor& x, optional<int64_t> dim, const Tensor& index) {
  return dim ? x.index_select(*dim, index) : x.flatten().index_select(0, index);
}

void check_output_size(optional<int64_t> asked, int64_t total) {
  TAPER_CHECK(!asked || *asked == total, "repeat_interleave: expected output_size ", total,
              ", got ", asked.value_or(0));
}

// Returns the sum of non-negative counts. Throws for sums that a double cannot hold exactly.
int64_t checked_total(const Tensor& counts) {
  if (counts.max().item<int64_t>() > INT64_MAX / counts.numel())
    TAPER_CHECK(counts.to(kDouble).sum().item<double>() < 0x1p62,
                "repeat_interleave: integer overflow in the sum of repeats");
  return counts.sum().item<int64_t>();
}

int64_t length_along(const Tensor& x, optional<int64_t> dim) {
  return dim ? x.size(*dim) : x.numel();
}

}  // namespace

Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size) {
  if (auto done = at_door<"repeat_interleave">(repeats, output_size)) return done;
  check_defined("repeat_interleave", repeats, "repeats");
  TAPER_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TAPER_CHECK(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
              "repeat_interleave: \"repeat_interleave_cpu\" not implemented for '",
              toString(repeats.scalar_type()), "'");
  const Tensor counts = repeats.contiguous();
  int64_t total = 0;
  if (counts.numel() > 0) {
    TAPER_CHECK(counts.min().item<int64_t>() >= 0,
                "repeat_interleave: repeats can not be negative");
    total = checked_total(counts);
  }
  check_output_size(output_size, total);
  Tensor y = empty(total, counts.options().dtype(kLong));
  TAPER_ON_DEVICE(y, repeat_indices, y, counts);
  return y;
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  if (auto done = at_door<"repeat_interleave">(x, repeats, dim, output_size)) return done;
  check_defined("repeat_interleave", x, "self");
  check_defined("repeat_interleave", repeats, "repeats");
  const int64_t n = length_along(x, dim);
  Tensor counts = repeats;
  if (counts.dim() == 0 || (counts.dim() == 1 && counts.size(0) == 1))
    counts = counts.reshape({1}).expand({n});
  else
    TAPER_CHECK(counts.dim() == 1, "repeat_interleave: repeats must be 0-dim or 1-dim tensor");
  TAPER_CHECK(counts.size(0) == n,
              "repeat_interleave: repeats must have the same size as input along dim");
  return select_flat(x, dim, repeat_interleave(counts, output_size));
}

Tensor repeat_interleave(const Tensor& x, int64_t repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  if (auto done = at_door<"repeat_interleave">(x, repeats, dim, output_size)) return done;
  check_defined("repeat_interleave", x, "self");
  TAPER_CHECK(repeats >= 0, "repeat_interleave: repeats can not be negative");
  const int64_t n = length_along(x, dim);
  const int64_t total = detail::checked_mul("repeat_interleave", n, repeats);
  check_output_size(output_size, total);
  const Tensor each = arange(n, x.options().dtype(kLong)).unsqueeze(1);
  return select_flat(x, dim, each.expand({n, repeats}).reshape({total}));
}

Tensor Tensor::repeat(IntArrayRef repeats) const { return taper::repeat(*this, repeats); }
Tensor Tensor::tile(IntArrayRef dims) const { return taper::tile(*this, dims); }

Tensor Tensor::repeat_interleave(int64_t repeats, optional<int64_t> dim,
                                 optional<int64_t> output_size) const {
  return taper::repeat_interleave(*this, repeats, dim, output_size);
}

Tensor Tensor::repeat_interleave(const Tensor& repeats, optional<int64_t> dim,
                                 optional<int64_t> output_size) const {
  return taper::repeat_interleave(*this, repeats, dim, output_size);
}

}  // namespace torch::taper
