#include "model.h"

#include <cmath>

namespace gpt {

namespace nn = torch::nn;
using torch::Tensor;

namespace {

nn::Linear linear(int64_t in, int64_t out, const Config& config) {
  return nn::Linear(nn::LinearOptions(in, out).bias(config.bias));
}

}  // namespace

LayerNormImpl::LayerNormImpl(int64_t width, bool with_bias) {
  weight = register_parameter("weight", torch::ones({width}));
  if (with_bias) bias = register_parameter("bias", torch::zeros({width}));
}
Tensor LayerNormImpl::forward(const Tensor& x) {
  return torch::layer_norm(x, {weight.size(0)}, weight, bias, 1e-5);
}

AttentionImpl::AttentionImpl(const Config& config) : heads(config.heads), dropout(config.dropout) {
  c_attn = register_module("c_attn", linear(config.width, 3 * config.width, config));
  c_proj = register_module("c_proj", linear(config.width, config.width, config));
  resid_dropout = register_module("resid_dropout", nn::Dropout(config.dropout));
}
Tensor AttentionImpl::forward(const Tensor& x) {
  const int64_t n = x.size(0), length = x.size(1), width = x.size(2);
  const auto parts = c_attn->forward(x).split(width, 2);
  const auto head = [&](size_t i) {
    return parts[i].view({n, length, heads, width / heads}).transpose(1, 2);
  };
  const Tensor y = torch::scaled_dot_product_attention(head(0), head(1), head(2), {},
                                                       is_training() ? dropout : 0.0, true);
  return resid_dropout->forward(c_proj->forward(y.transpose(1, 2).reshape({n, length, width})));
}

MlpImpl::MlpImpl(const Config& config) {
  c_fc = register_module("c_fc", linear(config.width, 4 * config.width, config));
  c_proj = register_module("c_proj", linear(4 * config.width, config.width, config));
  dropout = register_module("dropout", nn::Dropout(config.dropout));
}
Tensor MlpImpl::forward(const Tensor& x) {
  return dropout->forward(c_proj->forward(torch::gelu(c_fc->forward(x), "tanh")));
}

BlockImpl::BlockImpl(const Config& config) {
  ln_1 = register_module("ln_1", LayerNorm(config.width, config.bias));
  attn = register_module("attn", Attention(config));
  ln_2 = register_module("ln_2", LayerNorm(config.width, config.bias));
  mlp = register_module("mlp", Mlp(config));
}
Tensor BlockImpl::forward(Tensor x) {
  x = x + attn->forward(ln_1->forward(x));
  return x + mlp->forward(ln_2->forward(x));
}

ModelImpl::ModelImpl(const Config& c) : config(c) {
  wte = register_module("wte", nn::Embedding(c.vocabulary, c.width));
  wpe = register_module("wpe", nn::Embedding(c.context, c.width));
  drop = register_module("drop", nn::Dropout(c.dropout));
  h = register_module("h", nn::ModuleList());
  for (int64_t i = 0; i < c.layers; ++i) h->push_back(Block(c));
  ln_f = register_module("ln_f", LayerNorm(c.width, c.bias));
  call_block = [](BlockImpl& block, const Tensor& x) { return block.forward(x); };
  initialise();
}

// Radford et al. 2019: the initial weights of a block's outputs shrink with the number of blocks.
void ModelImpl::initialise() {
  torch::NoGradGuard no_grad;
  const double last = 0.02 / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (auto& entry : named_parameters()) {
    const std::string& name = entry.key();
    const auto ends_with = [&](const std::string& end) {
      return name.size() >= end.size() &&
             name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (entry.value().dim() == 2)
      nn::init::normal_(entry.value(), 0, ends_with("c_proj.weight") ? last : 0.02);
    if (ends_with(".bias")) nn::init::zeros_(entry.value());
  }
}

Tensor ModelImpl::forward(const Tensor& tokens) {
  const int64_t length = tokens.size(1);
  TORCH_CHECK(length <= config.context, "gpt: expected at most ", config.context, " tokens, got ",
              length);
  Tensor x = drop->forward(wte->forward(tokens) + wpe->weight.slice(0, 0, length));
  for (size_t i = 0; i < h->size(); ++i) x = call_block(h->at<BlockImpl>(i), x);
  return torch::linear(ln_f->forward(x), wte->weight);
}

Tensor ModelImpl::loss(const Tensor& tokens, const Tensor& targets) {
  const Tensor logits = forward(tokens);
  return nn::functional::cross_entropy(logits.view({-1, logits.size(-1)}), targets.reshape({-1}));
}

std::unique_ptr<torch::optim::AdamW> make_optimizer(ModelImpl& model, double lr,
                                                    double weight_decay) {
  std::vector<Tensor> decayed, others;
  for (const Tensor& p : model.parameters()) (p.dim() >= 2 ? decayed : others).push_back(p);
  const auto group = [&](const std::vector<Tensor>& parameters, double decay) {
    const auto options = torch::optim::AdamWOptions(lr).betas({0.9, 0.95}).weight_decay(decay);
    return torch::optim::OptimizerParamGroup(parameters,
                                             std::make_unique<torch::optim::AdamWOptions>(options));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.push_back(group(decayed, weight_decay));
  groups.push_back(group(others, 0));
  return std::make_unique<torch::optim::AdamW>(groups, torch::optim::AdamWOptions(lr));
}

double scheduled_lr(double lr, int64_t step, int64_t warmup, int64_t steps) {
  if (step < warmup) return lr * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  if (step >= steps) return lr / 10;
  const double part = static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
  return lr * (0.1 + 0.45 * (1 + std::cos(std::acos(-1.0) * part)));
}

}  // namespace gpt
