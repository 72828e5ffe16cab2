// GPT-2. Modules have the names of Hugging Face and nanoGPT. It compiles unchanged with LibTorch.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

namespace gpt {

struct Config {
  int64_t vocabulary = 256, context = 128, layers = 4, heads = 4, width = 128;
  double dropout = 0;
  bool bias = true;  // in linear maps and normalisations
};

/// Applies layer_norm over the last dimension. The bias is optional.
struct LayerNormImpl : torch::nn::Module {
  LayerNormImpl(int64_t width, bool with_bias);
  torch::Tensor forward(const torch::Tensor& x);
  torch::Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

/// Causal self-attention: [N, L, D] to [N, L, D].
struct AttentionImpl : torch::nn::Module {
  explicit AttentionImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& x);
  torch::nn::Linear c_attn{nullptr}, c_proj{nullptr};
  torch::nn::Dropout resid_dropout{nullptr};
  int64_t heads;
  double dropout;
};
TORCH_MODULE(Attention);

struct MlpImpl : torch::nn::Module {
  explicit MlpImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& x);
  torch::nn::Linear c_fc{nullptr}, c_proj{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Mlp);

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(const Config& config);
  torch::Tensor forward(torch::Tensor x);
  LayerNorm ln_1{nullptr}, ln_2{nullptr};
  Attention attn{nullptr};
  Mlp mlp{nullptr};
};
TORCH_MODULE(Block);

struct ModelImpl : torch::nn::Module {
  explicit ModelImpl(const Config& config);
  /// Maps tokens [N, L] to logits [N, L, V]. L is at most the context.
  torch::Tensor forward(const torch::Tensor& tokens);
  /// Returns the mean cross entropy of `targets` [N, L].
  torch::Tensor loss(const torch::Tensor& tokens, const torch::Tensor& targets);

  const Config config;
  torch::nn::Embedding wte{nullptr}, wpe{nullptr};
  torch::nn::Dropout drop{nullptr};
  torch::nn::ModuleList h;
  LayerNorm ln_f{nullptr};
  /// Calls a block. A program can set a function that does not keep activations.
  std::function<torch::Tensor(BlockImpl&, const torch::Tensor&)> call_block;

 private:
  void initialise();
};
TORCH_MODULE(Model);

/// Returns an AdamW that applies weight decay to matrices only.
std::unique_ptr<torch::optim::AdamW> make_optimizer(ModelImpl& model, double lr,
                                                    double weight_decay);

/// The learning rate of a step (from 0): rises linearly for `warmup` steps, then falls as a cosine
/// to a tenth of `lr` at step `steps`.
double scheduled_lr(double lr, int64_t step, int64_t warmup, int64_t steps);

}  // namespace gpt
