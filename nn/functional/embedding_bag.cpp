#include <taper/nn/functional/embedding_bag.h>

#include <algorithm>
#include <limits>

#include <taper/framework/runtime/access.h>
#include <taper/framework/shape.h>
#include <taper/nn/functional/embedding.h>
#include <taper/ops/factory.h>
#include <taper/ops/index.h>
#include <taper/ops/shape.h>
#include <taper/ops/where.h>

namespace taper::nn::functional {
namespace {

constexpr size_t kSumMode = 0, kMeanMode = 1;

std::vector<int64_t> numbers_of(const Tensor& t) {
  taper::detail::check_not_capturing("embedding_bag", t.device());
  const Tensor on_host = t.to(kCPU, kLong).contiguous();
  const int64_t* p = on_host.data_ptr<int64_t>();
  return {p, p + on_host.numel()};
}

Tensor index_tensor(const std::vector<int64_t>& values, Device device) {
  return tensor(values, TensorOptions(kLong).device(device));
}

void check_arguments(const Tensor& input, const EmbeddingBagFuncOptions& o) {
  const Tensor &weights = o.per_sample_weights(), &offsets = o.offsets();
  TAPER_CHECK(!weights.defined() || weights.sizes() == input.sizes(),
              "embedding_bag: If per_sample_weights (",
              weights.defined() ? weights.sizes() : IntArrayRef(),
              ") is not null, then it must have the same shape as the input (", input.sizes(), ")");
  TAPER_CHECK(!weights.defined() || o.mode().index() == kSumMode,
              "embedding_bag: per_sample_weights was not null. per_sample_weights is only "
              "supported for mode='kSum' (got mode='",
              enumtype::get_enum_name(o.mode()), "').");
  TAPER_CHECK(input.dim() == 1 || input.dim() == 2,
              "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
  if (input.dim() == 2) {
    TAPER_CHECK(!offsets.defined(),
                "If input is 2D, then offsets has to be null, as input is treated is a mini-batch "
                "of fixed length sequences. However, found offsets of type Tensor");
    return;
  }
  TAPER_CHECK(offsets.defined(), "offsets has to be a 1D Tensor but got null");
  TAPER_CHECK(offsets.dim() == 1, "offsets has to be a 1D Tensor");
  TAPER_CHECK(isIntegralType(offsets.scalar_type(), false),
              "embedding_bag: expected offsets of an integer dtype, got ", offsets.scalar_type());
}

/// Where the bags begin, and at the end the number of indices.
std::vector<int64_t> bounds_of(const Tensor& input, const EmbeddingBagFuncOptions& o) {
  std::vector<int64_t> bounds;
  if (input.dim() == 2) {
    for (int64_t i = 0; i <= input.size(0); ++i) bounds.push_back(i * input.size(1));
    return bounds;
  }
  bounds = numbers_of(o.offsets());
  TAPER_CHECK(!o.include_last_offset() || !bounds.empty(),
              "include_last_offset: number of offsets should be at least 1");
  TAPER_CHECK(
      bounds.empty() || bounds[0] == 0,
      "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
      "position 0. However, got ",
      bounds.empty() ? 0 : bounds[0]);
  TAPER_CHECK(bounds.empty() || bounds.back() <= input.numel(),
              "offsets[-1] can not be greater than input's length(", input.numel(),
              "), but got offsets[-1] of ", bounds.empty() ? 0 : bounds.back());
  TAPER_CHECK(std::is_sorted(bounds.begin(), bounds.end()),
              "embedding_bag: expected offsets that do not fall");
  if (o.include_last_offset())
    bounds.back() = input.numel();
  else
    bounds.push_back(input.numel());
  return bounds;
}

/// The indices that count, in order, and the bag of each.
struct Bags {
  std::vector<int64_t> places, bag;
  int64_t count = 0;

  Bags(const std::vector<int64_t>& bounds, const Tensor& input, const optional<int64_t>& padding)
      : count(static_cast<int64_t>(bounds.size()) - 1) {
    std::vector<int64_t> indices;
    if (padding) indices = numbers_of(input);
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = bounds[static_cast<size_t>(b)]; i < bounds[static_cast<size_t>(b) + 1]; ++i)
        if (!padding || indices[static_cast<size_t>(i)] != *padding) {
          places.push_back(i);
          bag.push_back(b);
        }
  }
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> n(static_cast<size_t>(count));
    for (int64_t b : bag) ++n[static_cast<size_t>(b)];
    return n;
  }
};

Tensor add_up(const Tensor& rows, const Bags& bags) {
  const Tensor start = rows.new_zeros({bags.count, rows.size(1)});
  return start.index_add(0, index_tensor(bags.bag, rows.device()), rows);
}

Tensor divided(const Tensor& sums, const Bags& bags) {
  std::vector<int64_t> sizes = bags.sizes();
  for (int64_t& n : sizes) n = std::max<int64_t>(n, 1);
  return sums.div(index_tensor(sizes, sums.device()).to(sums.scalar_type()).unsqueeze(1));
}

/// The rows of each bag side by side, with a row of minus infinity where a bag is shorter.
Tensor maximum(const Tensor& rows, const Bags& bags) {
  const std::vector<int64_t> sizes = bags.sizes();
  const int64_t longest =
      sizes.empty() ? 1 : std::max<int64_t>(1, *std::max_element(sizes.begin(), sizes.end()));
  std::vector<int64_t> table(static_cast<size_t>(bags.count * longest), rows.size(0));
  std::vector<int64_t> used(sizes.size());
  for (size_t i = 0; i < bags.bag.size(); ++i) {
    const auto b = static_cast<size_t>(bags.bag[i]);
    table[b * static_cast<size_t>(longest) + static_cast<size_t>(used[b]++)] =
        static_cast<int64_t>(i);
  }
  const Tensor none = rows.new_full({1, rows.size(1)}, -std::numeric_limits<double>::infinity());
  const Tensor all = cat({rows, none}).index_select(0, index_tensor(table, rows.device()));
  const Tensor most = std::get<0>(all.view({bags.count, longest, rows.size(1)}).max(1));
  const Tensor is_empty = index_tensor(sizes, rows.device()).eq(0).unsqueeze(1);
  return most.masked_fill(is_empty, 0);
}

}  // namespace

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
  check_arguments(input, o);
  optional<int64_t> padding = o.padding_idx();
  if (padding) padding = wrap_dim(*padding, weight.size(0));
  const Bags bags(bounds_of(input, o), input, padding);
  const Tensor places = index_tensor(bags.places, input.device());
  const auto options = EmbeddingFuncOptions()
                           .max_norm(o.max_norm())
                           .norm_type(o.norm_type())
                           .scale_grad_by_freq(o.scale_grad_by_freq());
  Tensor rows = embedding(input.reshape({-1}).index_select(0, places), weight, options);
  if (o.per_sample_weights().defined()) {
    const Tensor& factors = o.per_sample_weights();
    rows = rows.mul(factors.reshape({-1}).index_select(0, places).unsqueeze(1));
  }
  if (o.mode().index() == kSumMode) return add_up(rows, bags);
  if (o.mode().index() == kMeanMode) return divided(add_up(rows, bags), bags);
  TAPER_CHECK(!o.scale_grad_by_freq(),
              "embedding_bag: max mode does not support scaling the "
              "gradient by the frequency");
  return maximum(rows, bags);
}

}  // namespace taper::nn::functional
