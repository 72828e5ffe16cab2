// Batch rules of convolutions, pools, norms, losses and attention.
#include <taper/func/batch_rules.h>

#include <taper/framework/core/check.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {
namespace {

// ---------------------------------------------------------------- convolutions, pools

/// The op takes (N, C, spatial...) or (C, spatial...). The batch joins N, or is N.
template <int64_t kSpatial>
IValue images(BatchCall& c) {
  if (!c.is_batched(size_t{0}) || c.batched() != 1) return batch_loop(c);
  const Tensor batch = c.batch(0);
  const bool has_n = batch.dim() == kSpatial + 3;
  c.a.set<Tensor>(0, has_n ? folded(batch) : batch);
  const IValue value = c.a.call();
  return c.wrapped(
      mapped(value, [&](const Tensor& t) { return has_n ? unfolded(t, c.size()) : t; }));
}

/// Weights with a batch are groups: the channels of all examples lie beside each other.
Tensor grouped_convolution(BatchCall& c, bool has_n) {
  const auto groups = static_cast<size_t>(c.index("groups"));
  Tensor x = c.batch(0);
  if (!has_n) x = x.unsqueeze(1);
  c.a.set<Tensor>(0, x.transpose(0, 1).flatten(1, 2));
  c.a.set<Tensor>(1, c.batch(1).flatten(0, 1));
  c.a.set<int64_t>(groups, *c.a.get<int64_t>(groups) * c.size());
  const Tensor y = c.a.call().toTensor().unflatten(1, {c.size(), -1}).transpose(0, 1);
  return has_n ? y : y.squeeze(1);
}

/// The op takes several tensors (N, C, spatial...), or all of them without N.
template <int64_t kSpatial>
IValue all_images(BatchCall& c) {
  const bool has_n = c.tensor(0).dim() == kSpatial + 2;
  c.a.map([&](size_t, const Tensor& t) {
    const Tensor batch = batch_of(t, c.level);
    return has_n ? folded(batch) : batch;
  });
  const Tensor y = c.a.call().toTensor();
  return stand_in(has_n ? unfolded(y, c.size()) : y, c.level.id);
}
IValue pad_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  const bool is_constant = *c.a.get<std::string_view>(2) == "constant";
  const int64_t spatial = static_cast<int64_t>(c.a.get<IntArrayRef>(1)->size() / 2);
  const bool folds = !is_constant && batch.dim() == spatial + 3;
  c.a.set<Tensor>(0, folds ? folded(batch) : batch);
  const Tensor y = c.a.call().toTensor();
  return stand_in(folds ? unfolded(y, c.size()) : y, c.level.id);
}
/// Images and grids both have a dimension N.
IValue grid_rule(BatchCall& c) {
  c.a.map([&](size_t, const Tensor& t) { return folded(batch_of(t, c.level)); });
  return stand_in(unfolded(c.a.call().toTensor(), c.size()), c.level.id);
}

void clear_tensor(BatchCall& c, size_t i) {
  if (c.a.get<optional<Tensor>>(i)) return c.a.set<optional<Tensor>>(i, nullopt);
  c.a.set<Tensor>(i, Tensor());
}

IValue convolution_rule(BatchCall& c) {
  const Tensor x = c.tensor(0), w = c.tensor(1), b = c.tensor(2);
  const bool has_n = x.dim() == w.dim();
  const bool adds_bias = b.defined() && (c.is_batched(b) || c.is_batched(w));
  if (adds_bias) clear_tensor(c, 2);
  Tensor y;
  if (c.is_batched(w)) {
    y = grouped_convolution(c, has_n);
  } else {
    const Tensor batch = c.batch(0);
    c.a.set<Tensor>(0, has_n ? folded(batch) : batch);
    y = c.a.call().toTensor();
    if (has_n) y = unfolded(y, c.size());
  }
  const Tensor z = stand_in(y, c.level.id);
  if (!adds_bias) return z;
  Sizes sizes{-1};
  sizes.resize(static_cast<size_t>(w.dim() - 1), 1);
  return z.add(b.reshape(sizes));
}

// ---------------------------------------------------------------- norms, losses
/// Returns a parameter of channels with dimensions of 1 after it, as many as the channels of x
/// have.
Tensor beside_channels(const Tensor& t, const Tensor& x) {
  Sizes sizes(static_cast<size_t>(std::max<int64_t>(x.dim() - 1, 1)), 1);
  sizes[0] = -1;
  return t.reshape(sizes);
}
/// Weight and bias with a batch are applied after the norm.
IValue apart_from_weights(BatchCall& c, bool of_channels) {
  const Tensor x = c.tensor(0);
  const int w = c.index("weight"), b = c.index("bias");
  const auto take = [&](int i) {
    const Tensor t = i < 0 ? Tensor() : c.tensor(static_cast<size_t>(i));
    if (t.defined()) clear_tensor(c, static_cast<size_t>(i));
    return t.defined() && of_channels ? beside_channels(t, x) : t;
  };
  const Tensor weight = take(w), bias = take(b);
  Tensor y = c.a.call().toTensor();
  if (weight.defined()) y = y.mul(weight);
  return bias.defined() ? y.add(bias) : y;
}
bool has_batched_weights(const BatchCall& c) {
  return c.batched() != static_cast<size_t>(c.is_batched(size_t{0}));
}
/// Norms over the last dimensions.
IValue last_norm_rule(BatchCall& c) {
  if (has_batched_weights(c)) return apart_from_weights(c, false);
  c.a.set<Tensor>(0, c.batch(0));
  return c.wrapped(c.a.call());
}
IValue prelu_rule(BatchCall& c) {
  const Tensor x = c.tensor(0), w = c.tensor(1);
  const Tensor slope = w.numel() == 1 ? w.reshape({}) : beside_channels(w, x);
  return where(x.gt(0), x, x.mul(slope));
}

IValue batch_norm_rule(BatchCall& c) {
  const bool training = *c.a.get<bool>(5);
  const Tensor mean = c.tensor(3), var = c.tensor(4);
  if (training)
    TAPER_CHECK(!mean.defined() && !var.defined(),
                "vmap: batch_norm would change running statistics that all examples share. Use "
                "evaluation mode, or a norm without track_running_stats");
  if (!c.is_batched(size_t{0}) || c.tensor(0).dim() < 2) return batch_loop(c);
  if (!training) {
    const bool batched_statistics = c.is_batched(size_t{3}) || c.is_batched(size_t{4});
    if (has_batched_weights(c) && !batched_statistics) return apart_from_weights(c, true);
    if (batched_statistics) return batch_loop(c);
    c.a.set<Tensor>(0, folded(c.batch(0)));
    return stand_in(unfolded(c.a.call().toTensor(), c.size()), c.level.id);
  }
  // Channels of all examples are normalized apart.
  c.a.set<Tensor>(0, c.batch(0).transpose(0, 1).flatten(1, 2));
  for (size_t i = 1; i < 3; ++i)
    if (c.tensor(i).defined()) {
      const Tensor flat = c.batch(i).reshape({-1});
      if (c.a.get<Tensor>(i))
        c.a.set<Tensor>(i, flat);
      else
        c.a.set<optional<Tensor>>(i, flat);
    }
  return stand_in(c.a.call().toTensor().unflatten(1, {c.size(), -1}).transpose(0, 1), c.level.id);
}
IValue group_norm_rule(BatchCall& c) {
  if (has_batched_weights(c)) return apart_from_weights(c, true);
  c.a.set<Tensor>(0, folded(c.batch(0)));
  return stand_in(unfolded(c.a.call().toTensor(), c.size()), c.level.id);
}

/// Statistics belong to each image and channel, or are shared by all.
IValue instance_norm_rule(BatchCall& c) {
  const bool of_images = *c.a.get<bool>(5);
  if (of_images)
    TAPER_CHECK(!c.tensor(3).defined() && !c.tensor(4).defined(),
                "vmap: instance_norm would change running statistics that all examples share. Use "
                "evaluation mode, or a norm without track_running_stats");
  if (c.is_batched(size_t{3}) || c.is_batched(size_t{4}) || !c.is_batched(size_t{0}))
    return batch_loop(c);
  return group_norm_rule(c);
}

// ---------------------------------------------------------------- recurrent cells
/// input W^T + b, of the gates side by side.
Tensor gates(const BatchCall& c, size_t input, size_t weight, size_t bias) {
  const Tensor y = c.tensor(input).matmul(c.tensor(weight).t()), b = c.tensor(bias);
  return b.defined() ? y.add(b) : y;
}
IValue rnn_cell_rule(BatchCall& c) {
  const Tensor sum = gates(c, 0, 2, 4).add(gates(c, 1, 3, 5));
  return c.op.name == std::string_view("rnn_relu_cell") ? sum.relu() : sum.tanh();
}
/// z h + (1 - z) n, with gates in the order r, z, n.
IValue gru_cell_rule(BatchCall& c) {
  const auto x = gates(c, 0, 2, 4).chunk(3, -1), h = gates(c, 1, 3, 5).chunk(3, -1);
  const Tensor r = x[0].add(h[0]).sigmoid(), z = x[1].add(h[1]).sigmoid();
  const Tensor n = x[2].add(r.mul(h[2])).tanh();
  return n.add(z.mul(c.tensor(1).sub(n)));
}
/// c' = f c + i g and h' = o tanh(c'), with gates in the order i, f, g, o.
IValue lstm_cell_rule(BatchCall& c) {
  const TensorList hx = *c.a.get<TensorList>(1);
  TAPER_CHECK(hx.size() == 2, "lstm_cell: expected two hidden states, got ", hx.size());
  const Tensor h = hx[0], cell = hx[1], b = c.tensor(5);
  Tensor of_h = h.matmul(c.tensor(3).t());
  if (b.defined()) of_h = of_h.add(b);
  const auto all = gates(c, 0, 2, 4).add(of_h).chunk(4, -1);
  const Tensor next = all[1].sigmoid().mul(cell).add(all[0].sigmoid().mul(all[2].tanh()));
  return ivalue::Tuple::create({IValue(all[3].sigmoid().mul(next.tanh())), IValue(next)});
}

// ---------------------------------------------------------------- losses, attention
/// Reduces the elements of a loss of each example.
IValue reduced(const Tensor& loss, int64_t reduction) {
  return reduction == 0 ? loss : reduction == 1 ? loss.mean() : loss.sum();
}
IValue pointwise_loss(BatchCall& c) {
  const auto at = static_cast<size_t>(c.index("reduction"));
  const int64_t reduction = *c.a.get<int64_t>(at);
  const Tensor x = c.tensor(0), y = c.tensor(1);
  if (x.sizes() != y.sizes()) return batch_loop(c);
  c.a.set<int64_t>(at, 0);
  c.a.set<Tensor>(0, stand_in(c.batch(0), c.level.id));  // both must have one size
  c.a.set<Tensor>(1, stand_in(c.batch(1), c.level.id));
  return reduced(batch_pointwise(c).toTensor(), reduction);
}
/// The mask has the dimensions of the scores.
IValue attention_rule(BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  c.a.map([&](size_t i, const Tensor& t) {
    if (i < 3) return batch_of(t, c.level);
    return c.is_batched(t) ? padded(batch_of(t, c.level), rank) : t;
  });
  return c.wrapped(c.a.call());
}
IValue nll_rule(BatchCall& c) {
  const auto at = static_cast<size_t>(c.index("reduction"));
  const int ignored = c.index("ignore_index");
  const Tensor x = c.tensor(0), target = c.tensor(1), weight = c.tensor(2);
  const int64_t reduction = *c.a.get<int64_t>(at);
  if (target.is_floating_point() || (weight.defined() && c.is_batched(weight)) || x.dim() > 2)
    return batch_loop(c);
  const bool has_n = x.dim() == 2;
  c.a.set<Tensor>(0, has_n ? folded(c.batch(0)) : c.batch(0));
  c.a.set<Tensor>(1, has_n ? folded(c.batch(1)) : c.batch(1));
  c.a.set<int64_t>(at, 0);
  const Tensor each = c.a.call().toTensor();
  const Tensor loss = stand_in(has_n ? unfolded(each, c.size()) : each, c.level.id);
  if (reduction != 1 || !has_n) return reduction == 0 || !has_n ? loss : loss.sum();
  const int64_t none = *c.a.get<int64_t>(static_cast<size_t>(ignored));
  const Tensor counts = target.ne(none);
  const Tensor share = weight.defined() ? weight.index_select(0, target.clamp_min(0)).mul(counts)
                                        : counts.to(x.scalar_type());
  return loss.sum().div(share.sum());
}

// ---------------------------------------------------------------- the list

}  // namespace

void add_layer_rules(BatchRules& all) {
  // clang-format off
  add_rules(all, last_norm_rule, {
    "layer_norm", "rms_norm"});
  add_rules(all, prelu_rule, {"prelu"});
  add_rules(all, images<1>, {
    "max_pool1d", "max_pool1d_with_indices", "adaptive_max_pool1d", "_upsample_nearest_exact1d",
    "col2im", "avg_pool1d", "adaptive_avg_pool1d", "upsample_nearest1d", "upsample_linear1d",
    "reflection_pad1d", "replication_pad1d"});
  add_rules(all, images<2>, {
    "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "adaptive_max_pool2d",
    "max_pool2d_with_indices", "upsample_nearest2d", "upsample_bilinear2d", "upsample_bicubic2d",
    "reflection_pad2d", "replication_pad2d", "im2col", "_upsample_nearest_exact2d",
    "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"});
  add_rules(all, images<3>, {
    "max_pool3d", "avg_pool3d", "adaptive_avg_pool3d", "upsample_nearest3d",
    "upsample_trilinear3d", "reflection_pad3d", "replication_pad3d", "max_pool3d_with_indices",
    "adaptive_max_pool3d", "_upsample_nearest_exact3d"});
  add_rules(all, all_images<2>, {"max_unpool2d"});
  add_rules(all, all_images<3>, {"max_unpool3d"});
  add_rules(all, pad_rule, {"pad"});
  add_rules(all, grid_rule, {
    "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"});
  add_rules(all, convolution_rule, {
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "convolution"});
  add_rules(all, pointwise_loss, {
    "mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "l1_loss", "kl_div", "poisson_nll_loss",
    "soft_margin_loss"});
  add_rules(all, nll_rule, {
    "nll_loss", "cross_entropy_loss"});
  add_rules(all, batch_norm_rule, {"batch_norm"});
  add_rules(all, group_norm_rule, {"group_norm"});
  add_rules(all, instance_norm_rule, {"instance_norm"});
  add_rules(all, rnn_cell_rule, {
    "rnn_tanh_cell", "rnn_relu_cell"});
  add_rules(all, gru_cell_rule, {"gru_cell"});
  add_rules(all, lstm_cell_rule, {"lstm_cell"});
  add_rules(all, attention_rule, {"scaled_dot_product_attention"});
  // clang-format on
}

}  // namespace torch::taper::func::detail
