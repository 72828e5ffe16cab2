// Modules of several kinds, for tests of export_program and of its files.
#pragma once

#include <taper/taper.h>

namespace torch::taper::testing {

inline nn::Sequential make_mlp() {
  return nn::Sequential(nn::Linear(6, 16), nn::ReLU(), nn::Linear(16, 16), nn::GELU(),
                        nn::Dropout(0.5), nn::Linear(16, 3), nn::Softmax(1));
}

/// Convolutions with batch norms, pools and a head.
struct CnnImpl : nn::Module {
  CnnImpl() {
    features = register_module(
        "features",
        nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1).bias(false)),
                       nn::BatchNorm2d(8), nn::ReLU(nn::ReLUOptions(true)), nn::MaxPool2d(2),
                       nn::Conv2d(nn::Conv2dOptions(8, 16, 3).stride(2).groups(2)),
                       nn::BatchNorm2d(16), nn::LeakyReLU(), nn::AvgPool2d(2),
                       nn::AdaptiveAvgPool2d(1)));
    head = register_module("head", nn::Linear(16, 5));
  }
  Tensor forward(const Tensor& x) { return log_softmax(head(features->forward(x).flatten(1)), 1); }
  nn::Sequential features{nullptr};
  nn::Linear head{nullptr};
};
TAPER_MODULE(Cnn);

/// Two residual blocks, which add in place.
struct ResNetImpl : nn::Module {
  ResNetImpl() {
    stem = register_module("stem", conv(3, 8, 1));
    for (int i = 0; i < 2; ++i) {
      first->push_back(conv(8, 8, 1));
      second->push_back(conv(8, 8, 1));
    }
    register_module("first", first);
    register_module("second", second);
    head = register_module("head", nn::Linear(8, 4));
  }
  static nn::Sequential conv(int64_t in, int64_t out, int64_t stride) {
    return nn::Sequential(
        nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)),
        nn::BatchNorm2d(out));
  }
  Tensor forward(Tensor x) {
    x = stem->forward(x).relu_();
    for (size_t i = 0; i < first->size(); ++i) {
      Tensor y = first[i]->as<nn::Sequential>()->forward(x).relu_();
      y = second[i]->as<nn::Sequential>()->forward(y);
      y += x;
      x = y.relu_();
    }
    return head(x.mean({2, 3}));
  }
  nn::Sequential stem{nullptr};
  nn::ModuleList first, second;
  nn::Linear head{nullptr};
};
TAPER_MODULE(ResNet);

/// A recurrent layer that returns nested results.
struct RecurrentImpl : nn::Module {
  explicit RecurrentImpl(bool both = true) {
    lstm = register_module(
        "lstm",
        nn::LSTM(nn::LSTMOptions(5, 6).num_layers(2).batch_first(true).bidirectional(both)));
    head = register_module("head", nn::Linear(both ? 12 : 6, 2));
  }
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(const Tensor& x) {
    auto [y, state] = lstm->forward(x);
    return {head(y), state};
  }
  nn::LSTM lstm{nullptr};
  nn::Linear head{nullptr};
};
TAPER_MODULE(Recurrent);

/// A GRU without batch_first.
struct GruImpl : nn::Module {
  GruImpl() { gru = register_module("gru", nn::GRU(nn::GRUOptions(4, 5).num_layers(2))); }
  std::vector<Tensor> forward(const Tensor& x) {
    auto [y, h] = gru->forward(x);
    return {y, h};
  }
  nn::GRU gru{nullptr};
};
TAPER_MODULE(Gru);

struct EncoderImpl : nn::Module {
  EncoderImpl() {
    embedding = register_module("embedding", nn::Embedding(20, 16));
    encoder = register_module(
        "encoder",
        nn::TransformerEncoder(nn::TransformerEncoderOptions(
            nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(24).activation(kGELU), 2)));
    head = register_module("head", nn::Linear(16, 3));
  }
  /// Takes tokens (L, N).
  Tensor forward(const Tensor& tokens) { return head(encoder(embedding(tokens)).mean(0)); }
  nn::Embedding embedding{nullptr};
  nn::TransformerEncoder encoder{nullptr};
  nn::Linear head{nullptr};
};
TAPER_MODULE(Encoder);

/// A block of a GPT: causal attention written out with views.
struct GptBlockImpl : nn::Module {
  GptBlockImpl(int64_t width, int64_t heads) : heads(heads) {
    norm1 = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({width})));
    norm2 = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({width})));
    qkv = register_module("qkv", nn::Linear(width, 3 * width));
    out = register_module("out", nn::Linear(width, width));
    up = register_module("up", nn::Linear(width, 4 * width));
    down = register_module("down", nn::Linear(4 * width, width));
  }
  Tensor forward(Tensor x) {
    const int64_t N = x.size(0), L = x.size(1), E = x.size(2);
    const auto parts =
        qkv(norm1(x)).view({N, L, 3, heads, E / heads}).permute({2, 0, 3, 1, 4}).unbind(0);
    const Tensor y = scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
    x = x + out(y.transpose(1, 2).reshape({N, L, E}));
    return x + down(gelu(up(norm2(x)), "tanh"));
  }
  int64_t heads;
  nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  nn::Linear qkv{nullptr}, out{nullptr}, up{nullptr}, down{nullptr};
};
TAPER_MODULE(GptBlock);

struct GptImpl : nn::Module {
  GptImpl() {
    token = register_module("token", nn::Embedding(30, 16));
    place = register_module("place", nn::Embedding(12, 16));
    for (int i = 0; i < 2; ++i) blocks->push_back(GptBlock(16, 2));
    register_module("blocks", blocks);
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({16})));
  }
  /// Takes tokens (N, L). The output weight is the embedding.
  Tensor forward(const Tensor& tokens) {
    Tensor x = token(tokens) + place(arange(tokens.size(1), TensorOptions(kLong)));
    for (size_t i = 0; i < blocks->size(); ++i) x = blocks[i]->as<GptBlockImpl>()->forward(x);
    return matmul(norm(x), token->weight.t());
  }
  nn::Embedding token{nullptr}, place{nullptr};
  nn::ModuleList blocks;
  nn::LayerNorm norm{nullptr};
};
TAPER_MODULE(Gpt);

}  // namespace torch::taper::testing
