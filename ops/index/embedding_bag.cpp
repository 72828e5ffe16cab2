#include <taper/ops/index/embedding_bag.h>

#include <array>
#include <utility>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/index/embedding_bag_kernels.h>
#include <taper/ops/index/embedding_kernels.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_kernels.h>

namespace torch::taper {

namespace {

constexpr const char* kName = "embedding_bag";

/// The rows of each bag. All are int64 and contiguous.
template <class T>
struct BagsOf {
  T indices, offsets, bag_of, bag_size;
  int64_t padding_idx;
};
using Bags = BagsOf<Tensor>;
using SavedBags = BagsOf<Saved>;

SavedBags saved_bags(const Bags& b) {
  return {saved(b.indices), saved(b.offsets), saved(b.bag_of), saved(b.bag_size), b.padding_idx};
}
Bags bags_of(const SavedBags& b) {
  return {b.indices.get(), b.offsets.get(), b.bag_of.get(), b.bag_size.get(), b.padding_idx};
}

// The result is linear in the table and in the factors of the rows. Its two gradients are linear
// too, so the three functions are each other's derivatives.

/// Computes y[b] = sum over i in bag b of factors[i] * table[indices[i]], or the mean.
Tensor sum_of_rows(const Tensor& table, const Tensor& factors, const Bags& bags, BagMode mode,
                   bool by_frequency);
/// Returns for each of `rows` rows of a table the sum of factors[i] * gy[bag_of[i]] over the i that
/// name it. With `by_frequency` the sum is divided by their number.
Tensor sum_by_row(const Tensor& gy, const Tensor& factors, const Bags& bags, int64_t rows,
                  bool by_frequency);
/// Computes g[i], the product of gy[bag_of[i]] and table[indices[i]].
Tensor products(const Tensor& gy, const Tensor& table, const Bags& bags);

Tensor sum_of_rows(const Tensor& table, const Tensor& factors, const Bags& bags, BagMode mode,
                   bool by_frequency) {
  const Tensor y = detail::make_tensor({bags.bag_size.size(0), table.size(1)}, table.scalar_type(),
                                       table.device());
  {
    const NoGradGuard no_grad;
    const Tensor f = factors.defined() ? factors.contiguous() : factors;
    TAPER_ON_DEVICE(table, embedding_bag_sum, y, table.contiguous(), bags.indices, bags.offsets, f,
                    bags.padding_idx, mode);
  }
  if (needs_grad(table, factors))
    record("EmbeddingBagBackward0", y, {table, factors},
           [bags = saved_bags(bags), f = saved_if(factors.defined(), factors),
            table = saved_if(needs_grad(factors), table), rows = table.size(0), mode,
            by_frequency](Grads& g) {
             const Bags b = bags_of(bags);
             Tensor gy = g[0];
             if (mode == BagMode::kMean) gy = gy.div(b.bag_size.clamp_min(1).unsqueeze(1));
             std::array<Tensor, 2> out;
             const Tensor factors = f.defined() ? f.get() : Tensor();
             if (g.needs(0)) out[0] = sum_by_row(gy, factors, b, rows, by_frequency);
             if (g.needs(1)) out[1] = products(gy, table.get(), b);
             return out;
           });
  return y;
}

Tensor sum_by_row(const Tensor& gy, const Tensor& factors, const Bags& bags, int64_t rows,
                  bool by_frequency) {
  const Tensor y = detail::make_tensor({rows, gy.size(1)}, gy.scalar_type(), gy.device());
  {
    const NoGradGuard no_grad;
    const Tensor f = factors.defined() ? factors.to(gy.scalar_type()).contiguous() : factors;
    TAPER_ON_DEVICE(gy, embedding_gradient, y, gy.contiguous(), bags.indices, bags.bag_of, f,
                    bags.padding_idx, by_frequency);
  }
  if (needs_grad(gy, factors))
    record("EmbeddingBagDenseBackwardBackward0", y, {gy, factors},
           [bags = saved_bags(bags), f = saved_if(factors.defined(), factors),
            gy = saved_if(needs_grad(factors), gy), by_frequency](Grads& g) {
             const Bags b = bags_of(bags);
             const Tensor gg = by_frequency ? detail::divided_by_uses(g[0], b.indices) : g[0];
             std::array<Tensor, 2> out;
             const Tensor factors = f.defined() ? f.get() : Tensor();
             if (g.needs(0)) out[0] = sum_of_rows(gg, factors, b, BagMode::kSum, false);
             if (g.needs(1)) out[1] = products(gy.get(), gg, b);
             return out;
           });
  return y;
}

Tensor products(const Tensor& gy, const Tensor& table, const Bags& bags) {
  const Tensor y = detail::make_tensor(bags.indices.sizes(), table.scalar_type(), table.device());
  {
    const NoGradGuard no_grad;
    TAPER_ON_DEVICE(table, embedding_bag_dot, y, gy.contiguous(), table.contiguous(), bags.indices,
                    bags.bag_of, bags.padding_idx);
  }
  if (needs_grad(gy, table))
    record("EmbeddingBagPerSampleWeightsBackwardBackward0", y, {gy, table},
           [bags = saved_bags(bags), gy = saved(gy), table = saved(table)](Grads& g) {
             const Bags b = bags_of(bags);
             const Tensor t = table.get();
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = sum_of_rows(t, g[0], b, BagMode::kSum, false);
             if (g.needs(1)) out[1] = sum_by_row(gy.get(), g[0], b, t.size(0), false);
             return out;
           });
  return y;
}

/// Returns the maxima and their rows.
std::pair<Tensor, Tensor> max_of_rows(const Tensor& table, const Bags& bags) {
  const int64_t count = bags.bag_size.size(0), rows = table.size(0), width = table.size(1);
  const Tensor y = detail::make_tensor({count, width}, table.scalar_type(), table.device());
  const Tensor largest = detail::make_tensor({count, width}, kLong, table.device());
  {
    const NoGradGuard no_grad;
    TAPER_ON_DEVICE(table, embedding_bag_max, y, largest, table.contiguous(), bags.indices,
                    bags.offsets, bags.padding_idx);
  }
  if (needs_grad(table))
    record("EmbeddingBagBackward0", y, {table},
           [largest = saved(largest), size = saved(bags.bag_size), rows](const Tensor& gy) {
             const Tensor used = gy.masked_fill(size.get().eq(0).unsqueeze(1), 0);
             return gy.new_zeros({rows, gy.size(1)}).scatter_add(0, largest.get(), used);
           });
  return {y, largest};
}

void check_factors(const Tensor& weight, const Tensor& indices, const Tensor& factors,
                   int64_t mode) {
  if (!factors.defined()) return;
  TAPER_CHECK(mode == 0, "embedding_bag: per_sample_weights only supported with mode='sum'");
  TAPER_CHECK(
      factors.scalar_type() == weight.scalar_type(),
      "embedding_bag: Expected tensor for argument #1 'weight' to have the same type as tensor for "
      "argument #1 'per_sample_weights'; but type ",
      weight.toString(), " does not equal ", factors.toString(),
      " (while checking arguments for embedding_bag)");
  TAPER_CHECK(factors.dim() == 1 && factors.numel() == indices.numel(),
              "embedding_bag: expected per_sample_weights of the shape of indices, ",
              indices.sizes(), ", got ", factors.sizes());
  check_same_device(kName, weight, factors);
}

void check_arguments(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                     int64_t mode, bool include_last_offset) {
  check_defined(kName, weight, "weight");
  detail::check_index_dtype(kName, "indices", weight, indices);
  detail::check_index_dtype(kName, "offsets", weight, offsets);
  TAPER_CHECK(isFloatingType(weight.scalar_type()),
              "embedding_bag: Expected tensor for argument #1 'weight' to have one of the "
              "following scalar types: "
              "Half, BFloat16, Float, Double; but got ",
              weight.toString(), " instead (while checking arguments for embedding_bag)");
  TAPER_CHECK(weight.dim() == 2,
              "embedding_bag: weight has to be a 2D Tensor, but got Tensor of dimension ",
              weight.dim());
  TAPER_CHECK(indices.dim() == 1,
              "embedding_bag: input has to be a 1D Tensor, but got Tensor of dimension ",
              indices.dim());
  TAPER_CHECK(offsets.dim() == 1,
              "embedding_bag: offsets has to be a 1D Tensor, but got Tensor of dimension ",
              offsets.dim());
  TAPER_CHECK(mode >= 0 && mode <= 2, "embedding_bag: expected mode 0, 1 or 2, got ", mode);
  TAPER_CHECK(!include_last_offset || offsets.size(0) > 0,
              "include_last_offset: number of offset should be at least 1");
}

/// Returns the padding row counted from the start, or -1 for none.
int64_t padding_row(optional<int64_t> padding_idx, int64_t rows) {
  if (!padding_idx) return -1;
  TAPER_CHECK(*padding_idx >= -rows && *padding_idx < rows,
              "embedding_bag: padding_idx must be within the number of embeddings, ", -rows,
              " through ", rows - 1, ", but got ", *padding_idx);
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

Bags make_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t count,
               int64_t padding_idx) {
  const Tensor at = indices.to(kLong).contiguous(), from = offsets.to(kLong).contiguous();
  const int64_t length = at.numel();
  detail::check_bags(weight, at, from);
  Bags b{at, from, detail::make_tensor({length}, kLong, at.device()),
         detail::make_tensor({count}, kLong, at.device()), padding_idx};
  TAPER_ON_DEVICE(weight, fill_bags, b.bag_of, b.bag_size, at, from, padding_idx);
  return b;
}

}  // namespace

void detail::check_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets) {
  const Tensor at = indices.contiguous(), from = offsets.to(kLong).contiguous();
  TAPER_ON_DEVICE(weight, check_bag_offsets, from, at.numel());
  TAPER_ON_DEVICE(weight, check_index, "embedding_bag", at, 0, weight.size(0), 0,
                  IndexWording::kInSelf);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const optional<Tensor>& per_sample_weights, bool include_last_offset,
    optional<int64_t> padding_idx) {
  if (auto done =
          at_door<"embedding_bag">(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                                   per_sample_weights, include_last_offset, padding_idx))
    return done;
  check_arguments(weight, indices, offsets, mode, include_last_offset);
  const Tensor factors = per_sample_weights.value_or(Tensor());
  check_factors(weight, indices, factors, mode);
  const int64_t padding = padding_row(padding_idx, weight.size(0));
  const Bags bags =
      make_bags(weight, indices, offsets, offsets.size(0) - (include_last_offset ? 1 : 0), padding);
  const auto how = static_cast<BagMode>(mode);
  Tensor y, largest;
  if (how == BagMode::kMax) {
    std::tie(y, largest) = max_of_rows(weight, bags);
  } else {
    y = sum_of_rows(weight, factors, bags, how, scale_grad_by_freq);
    largest = detail::make_tensor({0}, kLong, weight.device());
  }
  const ScalarType t =
      indices.scalar_type() == offsets.scalar_type() ? indices.scalar_type() : kLong;
  return {y, bags.bag_of.to(t), bags.bag_size.to(t), largest.to(t)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const optional<Tensor>& per_sample_weights,
    bool include_last_offset) {
  if (auto done = at_door<"embedding_bag">(weight, indices, offsets, scale_grad_by_freq, mode,
                                           sparse, per_sample_weights, include_last_offset))
    return done;
  return embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                       per_sample_weights, include_last_offset, nullopt);
}

}  // namespace torch::taper
