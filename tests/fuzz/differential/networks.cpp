// Convolutions, pools, norms, losses, modules.
#include "program.h"

namespace fuzz {
namespace {

namespace F = torch::nn::functional;

Item image(Program& p, int64_t spatial, int64_t channels, int64_t least = 3) {
  Sizes sizes{p.random().between(1, 2), channels};
  if (p.maybe(12)) sizes.erase(sizes.begin());  // without a batch
  for (int64_t i = 0; i < spatial; ++i) sizes.push_back(p.random().between(least, 6));
  return p.fresh(sizes, p.maybe(3) ? at::kDouble : at::kFloat);
}

Sizes drawn(Program& p, int64_t count, int64_t low, int64_t high) {
  Sizes list(static_cast<size_t>(count));
  for (int64_t& n : list) n = p.random().between(low, high);
  return list;
}

void convolved(Program& p) {
  const int64_t dims = p.random().between(1, 3), groups = p.random().between(1, 3);
  const bool depthwise = p.maybe(3);
  const int64_t in = groups * (depthwise ? 1 : p.random().between(1, 2)),
                out = groups * p.random().between(1, 2);
  const Item x = image(p, dims, in);
  Sizes weight{out, in / groups};
  const Sizes kernel = drawn(p, dims, 1, 3);
  weight.insert(weight.end(), kernel.begin(), kernel.end());
  const Item w = p.fresh(weight, p.maybe(40) ? p.dtype() : x.t.scalar_type());
  const Tensor bias = p.maybe(2) ? p.fresh({out}, x.t.scalar_type()).t : Tensor{};
  const Sizes stride = drawn(p, dims, 1, 2), padding = drawn(p, dims, 0, 2),
              dilation = drawn(p, dims, 1, 2);
  const std::string name = "conv" + std::to_string(dims) + "d";
  p.made(name, kInexact, [&] {
    if (dims == 1) return at::conv1d(x.t, w.t, bias, stride, padding, dilation, groups);
    if (dims == 2) return at::conv2d(x.t, w.t, bias, stride, padding, dilation, groups);
    return at::conv3d(x.t, w.t, bias, stride, padding, dilation, groups);
  });
}

void convolved_transposed(Program& p) {
  const int64_t dims = p.random().between(1, 3), groups = p.random().between(1, 2),
                in = groups * p.random().between(1, 2);
  const Item x = image(p, dims, in, 1);
  Sizes weight{in, p.random().between(1, 2)};
  const Sizes kernel = drawn(p, dims, 1, 3);
  weight.insert(weight.end(), kernel.begin(), kernel.end());
  const Item w = p.fresh(weight, x.t.scalar_type());
  const Sizes stride = drawn(p, dims, 1, 2), padding = drawn(p, dims, 0, 1),
              dilation = drawn(p, dims, 1, 2);
  const Sizes more(static_cast<size_t>(dims), p.maybe(4) ? 1 : 0);
  p.made("conv_transpose" + std::to_string(dims) + "d", kInexact, [&] {
    if (dims == 1)
      return at::conv_transpose1d(x.t, w.t, {}, stride, padding, more, groups, dilation);
    if (dims == 2)
      return at::conv_transpose2d(x.t, w.t, {}, stride, padding, more, groups, dilation);
    return at::conv_transpose3d(x.t, w.t, {}, stride, padding, more, groups, dilation);
  });
}

void pooled(Program& p) {
  const int64_t dims = p.random().between(1, 3);
  const Item x = image(p, dims, 2);
  const Sizes kernel = drawn(p, dims, 1, 3), stride = drawn(p, dims, 1, 3),
              padding = drawn(p, dims, 0, 1);
  const bool ceil = p.maybe(2), count = p.maybe(2);
  const Sizes out = drawn(p, dims, 1, 4);
  switch (p.random().below(4)) {
    case 0:
      return p.made("max_pool" + std::to_string(dims) + "d", x.bits, [&] {
        if (dims == 1) return at::max_pool1d(x.t, kernel, stride, padding, 1, ceil);
        if (dims == 2) return at::max_pool2d(x.t, kernel, stride, padding, 1, ceil);
        return at::max_pool3d(x.t, kernel, stride, padding, 1, ceil);
      });
    case 1:
      return p.made("avg_pool" + std::to_string(dims) + "d", kInexact, [&] {
        if (dims == 1) return at::avg_pool1d(x.t, kernel, stride, padding, ceil, count);
        if (dims == 2) return at::avg_pool2d(x.t, kernel, stride, padding, ceil, count);
        return at::avg_pool3d(x.t, kernel, stride, padding, ceil, count);
      });
    case 2:
      return p.made("adaptive_avg_pool" + std::to_string(dims) + "d", kInexact, [&] {
        if (dims == 1) return at::adaptive_avg_pool1d(x.t, out);
        if (dims == 2) return at::adaptive_avg_pool2d(x.t, out);
        return at::adaptive_avg_pool3d(x.t, out);
      });
    default:
      return p.made("adaptive_max_pool2d", x.bits, [&] {
        const auto [values, indices] = at::adaptive_max_pool2d(x.t, Sizes{2, 2});
        return Tensors{values, indices};
      });
  }
}

void normalized(Program& p) {
  const int64_t channels = 2 * p.random().between(1, 2);
  const Item x = p.fresh({p.random().between(2, 3), channels, p.size() + 1},
                         p.maybe(3) ? at::kDouble : at::kFloat);
  const auto dtype = x.t.scalar_type();
  const Tensor w = p.maybe(3) ? Tensor{} : p.fresh({channels}, dtype).t,
               b = p.maybe(2) ? Tensor{} : p.fresh({channels}, dtype).t;
  Tensor mean = at::zeros({channels}, at::TensorOptions().dtype(dtype)),
         var = at::ones({channels}, at::TensorOptions().dtype(dtype));
  const bool training = p.maybe(2);
  switch (p.random().below(5)) {
    case 0:
      return p.made("batch_norm", kInexact, [&] {
        return Tensors{at::batch_norm(x.t, w, b, mean, var, training, 0.1, 1e-2, false), mean, var};
      });
    case 1:
      return p.made("layer_norm", kInexact,
                    [&] { return at::layer_norm(x.t, {x.t.size(-1)}, {}, {}, 1e-2); });
    case 2:
      return p.made("group_norm", kInexact, [&] { return at::group_norm(x.t, 2, w, b, 1e-2); });
    case 3:
      return p.made("instance_norm", kInexact,
                    [&] { return at::instance_norm(x.t, w, b, {}, {}, true, 0.1, 1e-2, false); });
    default:
      return p.made("local_response_norm", kInexact, [&] {
        return F::local_response_norm(x.t, F::LocalResponseNormFuncOptions(2));
      });
  }
}

void loss(Program& p) {
  const Item x = p.pick_of_rank(2, 3),
             y = p.fresh(x.t.sizes().vec(), x.t.scalar_type(), p.maybe(2));
  const int64_t how = p.random().between(0, 2);  // none, mean, sum
  const Tensor unit = y.t.tanh().mul(0.4).add(0.5);
  switch (p.random().below(12)) {
    case 0:
      return p.made("mse_loss", kInexact, [&] { return at::mse_loss(x.t, y.t, how); });
    case 1:
      return p.made("l1_loss", kInexact, [&] { return at::l1_loss(x.t, y.t, how); });
    case 2:
      return p.made("smooth_l1_loss", kInexact,
                    [&] { return at::smooth_l1_loss(x.t, y.t, how, 0.8); });
    case 3:
      return p.made("huber_loss", kInexact, [&] { return at::huber_loss(x.t, y.t, how, 0.8); });
    case 4:
      return p.made("binary_cross_entropy_with_logits", kInexact,
                    [&] { return at::binary_cross_entropy_with_logits(x.t, unit, {}, {}, how); });
    case 5:
      return p.made("binary_cross_entropy", kInexact, [&] {
        return at::binary_cross_entropy(x.t.sigmoid(), unit.detach(), {}, how);
      });
    case 6:
      return p.made("kl_div", kInexact, [&] { return at::kl_div(x.t, unit, how, p.maybe(3)); });
    case 7:
      return p.made("soft_margin_loss", kInexact,
                    [&] { return at::soft_margin_loss(x.t, y.t.detach().sign(), how); });
    case 8:
      return p.made("poisson_nll_loss", kInexact,
                    [&] { return at::poisson_nll_loss(x.t, y.t.abs(), true, false, 1e-8, how); });
    case 9:
      return p.made("cosine_similarity", kInexact,
                    [&] { return at::cosine_similarity(x.t, y.t, p.dim(x.t), 1e-2); });
    case 10:
      return p.made("margin_ranking_loss", kInexact,
                    [&] { return at::margin_ranking_loss(x.t, y.t, unit.detach(), 0.1, how); });
    default:
      return p.made("hinge_embedding_loss", kInexact,
                    [&] { return at::hinge_embedding_loss(x.t, y.t.detach().sign(), 0.9, how); });
  }
}

void class_loss(Program& p) {
  const int64_t classes = p.random().between(2, 4), batch = p.random().between(1, 4),
                how = p.random().between(0, 2);
  const Item x = p.fresh({batch, classes}, p.floating_dtype());
  const Tensor target = p.indices_from_zero({batch}, classes + (p.maybe(40) ? 2 : 0));
  const Tensor weight =
      p.maybe(2) ? Tensor{} : p.fresh({classes}, x.t.scalar_type(), false).t.abs() + 0.5;
  const int64_t ignored = p.maybe(2) ? -100 : 0;
  switch (p.random().below(5)) {
    case 0:
      return p.made("nll_loss", kInexact,
                    [&] { return at::nll_loss(x.t.log_softmax(1), target, weight, how, ignored); });
    case 1:
      return p.made("cross_entropy_loss", kInexact, [&] {
        return at::cross_entropy_loss(x.t, target, weight, how, ignored, p.maybe(2) ? 0.0 : 0.1);
      });
    case 2:
      return p.made("multi_margin_loss", kInexact,
                    [&] { return at::multi_margin_loss(x.t, target, 1, 0.9, {}, how); });
    case 3:
      return p.made("cross_entropy of classes' shares", kInexact, [&] {
        return at::cross_entropy_loss(
            x.t, p.fresh({batch, classes}, x.t.scalar_type(), false).t.softmax(1), weight, how);
      });
    default:
      return p.made("multilabel_margin_loss", kInexact, [&] {
        return at::multilabel_margin_loss(x.t, p.indices_from_zero({batch, classes}, classes), how);
      });
  }
}

void resampled(Program& p) {
  const Item x = image(p, 2, 2);
  const Sizes size = drawn(p, 2, 1, 7);
  switch (p.random().below(8)) {
    case 0:
      return p.made("upsample_nearest2d", x.bits,
                    [&] { return at::upsample_nearest2d(x.t, size); });
    case 1:
      return p.made("upsample_bilinear2d", kInexact,
                    [&] { return at::upsample_bilinear2d(x.t, size, p.maybe(2)); });
    case 2:
      return p.made("upsample_bicubic2d", kInexact,
                    [&] { return at::upsample_bicubic2d(x.t, size, p.maybe(2)); });
    case 3:
      return p.made("grid_sample", kInexact, [&] {
        return at::grid_sampler(x.t, p.fresh({x.t.size(0), 2, 3, 2}, x.t.scalar_type()).t * 0.41, 0,
                                p.random().between(0, 2), p.maybe(2));
      });
    case 4:
      return p.made("im2col", x.bits, [&] {
        return at::im2col(x.t, {2, 2}, {1, 1}, {1, 0}, {1, 2});
      });
    case 5:
      return p.made("pixel_unshuffle", x.bits,
                    [&] { return at::pixel_unshuffle(x.t, p.random().between(1, 3)); });
    case 6:
      return p.made("channel_shuffle", x.bits, [&] { return at::channel_shuffle(x.t, 2); });
    default:
      return p.made("affine_grid", kInexact, [&] {
        return at::affine_grid_generator(p.fresh({2, 2, 3}, at::kFloat).t, {2, 1, size[0], size[1]},
                                         p.maybe(2));
      });
  }
}

// Parameters are the same in both libraries: their generators differ, so they are written over.
void fill(Program& p, torch::nn::Module& module, at::ScalarType dtype) {
  module.to(dtype);
  torch::NoGradGuard guard;
  for (Tensor& parameter : module.parameters())
    parameter.copy_(p.fresh(parameter.sizes().vec(), dtype, false).t * 0.25);
}

void module(Program& p) {
  const auto dtype = p.maybe(2) ? at::kDouble : at::kFloat;
  const int64_t steps = p.random().between(1, 3), batch = p.random().between(1, 2),
                in = p.random().between(1, 3);
  const Item x = p.fresh({steps, batch, in}, dtype);
  const bool two_ways = p.maybe(3), first = p.maybe(3);
  const auto run = [&](auto m, auto forward) {
    return [&p, m, forward, dtype, &x]() mutable {
      fill(p, *m, dtype);
      Tensors results = forward(m);
      Tensor sum;
      for (const Tensor& t : results) sum = sum.defined() ? sum + t.sum() : t.sum();
      for (const Tensor& g : torch::autograd::grad({sum}, m->parameters(), {}, true, false, true))
        results.push_back(g.defined() ? g.clone() : g);
      return results;
    };
  };
  const auto recurrent = [&](auto m) {
    auto [y, h] = m->forward(x.t);
    return Tensors{y, h};
  };
  switch (p.random().below(7)) {
    case 0:
      return p.made(
          "LSTM", kInexact,
          run(torch::nn::LSTM(
                  torch::nn::LSTMOptions(in, 2).bidirectional(two_ways).batch_first(first)),
              [&](auto m) {
                auto [y, state] = m->forward(x.t);
                return Tensors{y, std::get<0>(state), std::get<1>(state)};
              }));
    case 1:
      return p.made(
          "GRU", kInexact,
          run(torch::nn::GRU(
                  torch::nn::GRUOptions(in, 2).bidirectional(two_ways).batch_first(first)),
              recurrent));
    case 2:
      return p.made("RNN", kInexact,
                    run(torch::nn::RNN(torch::nn::RNNOptions(in, 2).num_layers(2)), recurrent));
    case 3:
      return p.made("Linear", kInexact, run(torch::nn::Linear(in, 3), [&](auto m) {
                      return Tensors{m->forward(x.t)};
                    }));
    case 4:
      return p.made(
          "MultiheadAttention", kInexact,
          run(torch::nn::MultiheadAttention(torch::nn::MultiheadAttentionOptions(2 * in, 2)),
              [&](auto m) {
                const Tensor wide = at::cat({x.t, x.t}, 2);
                auto [y, weights] = m->forward(wide, wide, wide);
                return Tensors{y, weights};
              }));
    case 5:
      return p.made("LSTMCell", kInexact, run(torch::nn::LSTMCell(in, 2), [&](auto m) {
                      auto [h, c] = m->forward(x.t.select(0, 0));
                      return Tensors{h, c};
                    }));
    default:
      return p.made(
          "TransformerEncoderLayer", kInexact,
          run(torch::nn::TransformerEncoderLayer(
                  torch::nn::TransformerEncoderLayerOptions(2 * in, 2).dim_feedforward(4).dropout(
                      0)),
              [&](auto m) {
                return Tensors{m->forward(at::cat({x.t, x.t}, 2))};
              }));
  }
}

}  // namespace

void add_networks(Steps& steps) {
  steps.add(4, convolved);
  steps.add(2, convolved_transposed);
  steps.add(3, pooled);
  steps.add(3, normalized);
  steps.add(3, loss);
  steps.add(2, class_loss);
  steps.add(2, resampled);
  steps.add(2, module);
}

}  // namespace fuzz
