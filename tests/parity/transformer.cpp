// Attention and transformers: initial values, forward and backward, masks, errors, training.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

template <class M>
static void show_gradients(const std::string& key, const M& module) {
  for (const auto& p : module->named_parameters()) {
    show(key + ".grad." + p.key(), p.value().grad());
    p.value().mutable_grad() = Tensor();
  }
}
template <class M>
static void show_state(const std::string& key, const M& module) {
  for (const auto& p : module->named_parameters()) show(key + ".init." + p.key(), p.value());
}

static void attend(const std::string& key, const nn::MultiheadAttentionOptions& options) {
  torch::manual_seed(3);
  nn::MultiheadAttention net(options);
  show_state(key, net);
  Tensor q = numbers({3, 2, options.embed_dim()}, 1).requires_grad_();
  const Tensor k = numbers({5, 2, options.kdim()}, 2), v = numbers({5, 2, options.vdim()}, 3);
  const auto [y, weights] = net->forward(q, k, v);
  show(key + ".y", y);
  show(key + ".weights", weights);
  ((y * y).sum() + (weights * numbers({3, 2, 1}, 4).view({2, 3, 1})).sum()).backward();
  show_gradients(key, net);
  show(key + ".grad.q", q.grad());
}

static void attention() {
  using Options = nn::MultiheadAttentionOptions;
  attend("mha", Options(6, 2));
  attend("mha.bias_kv", Options(6, 3).add_bias_kv(true));
  attend("mha.zero", Options(6, 2).add_zero_attn(true).bias(false));
  torch::manual_seed(4);
  nn::MultiheadAttention net(Options(6, 2)),
      full(Options(6, 2).add_bias_kv(true).add_zero_attn(true));
  print("mha.print", net);
  show("mha.names", net->named_parameters().size());
  const Tensor x = numbers({4, 2, 6}, 5), memory = numbers({3, 2, 6}, 6);
  show("mha.self", std::get<0>(net->forward(x, x, x)));
  show("mha.cross", std::get<0>(net->forward(x, memory, memory)));
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(4);
  show("mha.square_mask", mask);
  show("mha.masked", std::get<0>(net->forward(x, x, x, {}, true, mask)));
  const Tensor padding = torch::tensor({0, 0, 1, 1, 0, 0, 0, 1}).view({2, 4}).to(torch::kBool);
  show("mha.padded", std::get<0>(net->forward(x, x, x, padding)));
  show("mha.both", std::get<1>(net->forward(x, x, x, padding, true, mask)));
  show("mha.full", std::get<0>(full->forward(x, x, x, padding, true, mask)));
  show("mha.each", std::get<1>(net->forward(x, x, x, {}, true, {}, false)));
  const auto none = net->forward(x, x, x, {}, false);
  show("mha.none", std::get<0>(none));
  show("mha.none.weights", std::get<1>(none));
  nn::MultiheadAttention dropping(Options(6, 2).dropout(0.4));
  torch::manual_seed(5);
  show("mha.dropout", std::get<0>(dropping->forward(x, x, x)));
  show("mha.dropout.weights", std::get<1>(dropping->forward(x, x, x)));
  show("mha.dropout.after", torch::rand({2}));
  dropping->eval();
  show("mha.dropout.eval", std::get<0>(dropping->forward(x, x, x)));
  error("mha.error.heads", [] { nn::MultiheadAttention(Options(6, 4)); });
  throws("mha.error.width", [&] { net->forward(numbers({4, 2, 5}), x, x); });
  throws("mha.error.mask", [&] { net->forward(x, x, x, {}, true, numbers({3, 4})); });
  throws("mha.error.padding", [&] { net->forward(x, x, x, padding.t()); });
}

static void separate() {
  torch::manual_seed(6);
  nn::MultiheadAttention net(nn::MultiheadAttentionOptions(6, 2).kdim(4).vdim(4));
  show_state("separate", net);
  const Tensor q = numbers({3, 2, 6}, 7), k = numbers({5, 2, 4}, 8), v = numbers({5, 2, 4}, 9);
  const auto [y, weights] = net->forward(q, k, v);
  show("separate.y", y);
  show("separate.weights", weights);
  y.sum().backward();
  show_gradients("separate", net);
  const auto options =
      F::MultiheadAttentionForwardFuncOptions(6, 2, {}, net->in_proj_bias, {}, {}, false, 0,
                                              net->out_proj->weight, net->out_proj->bias)
          .use_separate_proj_weight(true)
          .q_proj_weight(net->q_proj_weight)
          .k_proj_weight(net->k_proj_weight)
          .v_proj_weight(net->v_proj_weight)
          .static_k(numbers({4, 7, 3}, 10))
          .static_v(numbers({4, 7, 3}, 11));
  show("function.static", std::get<0>(F::multi_head_attention_forward(q, k, v, options)));
}

static void layers() {
  torch::manual_seed(7);
  nn::TransformerEncoderLayer encoder(
      nn::TransformerEncoderLayerOptions(6, 2).dim_feedforward(5).dropout(0.2));
  nn::TransformerDecoderLayer decoder(
      nn::TransformerDecoderLayerOptions(6, 2).dim_feedforward(5).dropout(0.1).activation(
          torch::kGELU));
  show_state("encoder_layer", encoder);
  show_state("decoder_layer", decoder);
  print("encoder_layer.print", encoder);
  print("decoder_layer.print", decoder);
  Tensor src = numbers({4, 2, 6}, 12).requires_grad_();
  const Tensor tgt = numbers({3, 2, 6}, 13);
  const Tensor memory = encoder->forward(src);
  show("encoder_layer", memory);
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(3);
  const Tensor y = decoder->forward(tgt, memory, mask);
  show("decoder_layer", y);
  (y * numbers({3, 2, 6}, 14)).sum().backward();
  show_gradients("encoder_layer", encoder);
  show_gradients("decoder_layer", decoder);
  show("layers.grad.src", src.grad());
  encoder->eval();
  show("encoder_layer.eval", encoder->forward(src));
  encoder->reset_parameters();
  show("encoder_layer.reset", encoder->linear1->weight);
}

static void stacks() {
  torch::manual_seed(8);
  nn::TransformerEncoderLayer layer(
      nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(6).dropout(0));
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(layer, 2).norm(
      nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({4})))));
  nn::TransformerDecoder decoder(nn::TransformerDecoderOptions(
      nn::TransformerDecoderLayerOptions(4, 1).dim_feedforward(3).dropout(0), 2));
  show_state("encoder", encoder);
  show_state("decoder", decoder);
  print("encoder.print", encoder);
  const Tensor src = numbers({5, 2, 4}, 15), tgt = numbers({3, 2, 4}, 16);
  const Tensor memory = encoder->forward(src);
  show("encoder", memory);
  show("decoder", decoder->forward(tgt, memory));
  const auto copy = std::dynamic_pointer_cast<nn::TransformerEncoderImpl>(encoder->clone());
  show("encoder.clone", copy->forward(src));
  std::stringstream stream;
  torch::save(encoder, stream);
  nn::TransformerEncoder other(nn::TransformerEncoderOptions(layer, 2).norm(
      nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({4})))));
  torch::load(other, stream);
  show("encoder.loaded", other->forward(src));
}

static void whole() {
  torch::manual_seed(9);
  nn::Transformer net(nn::TransformerOptions(4, 2, 1, 2).dim_feedforward(6).dropout(0.1));
  show_state("transformer", net);
  print("transformer.print", net);
  const Tensor src = numbers({5, 2, 4}, 17), tgt = numbers({3, 2, 4}, 18);
  const Tensor y = net->forward(src, tgt);
  show("transformer", y);
  (y * numbers({3, 2, 4}, 19)).sum().backward();
  show_gradients("transformer", net);
  const Tensor mask = net->generate_square_subsequent_mask(3);
  const Tensor padding =
      torch::tensor({0, 0, 0, 1, 1, 0, 0, 0, 0, 1}).view({2, 5}).to(torch::kBool);
  net->eval();
  show("transformer.masked", net->forward(src, tgt, {}, mask, {}, padding, {}, padding));
  error("transformer.error.rank", [&] { net->forward(src[0], tgt); });
  error("transformer.error.batch", [&] { net->forward(src, numbers({3, 1, 4})); });
  error("transformer.error.width", [&] { net->forward(src, numbers({3, 2, 5})); });
  throws("transformer.error.mask",
         [] { nn::TransformerImpl::generate_square_subsequent_mask(-1); });
  nn::Transformer custom(
      nn::TransformerOptions(4, 2, 1, 1)
          .custom_encoder(nn::AnyModule(nn::TransformerEncoder(nn::TransformerEncoderOptions(
              nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(3), 1)))));
  custom->eval();
  show("transformer.custom", custom->forward(src, tgt));
}

/// Learns to repeat a sequence backwards, next symbol by next symbol.
struct ReverserImpl : nn::Module {
  ReverserImpl() {
    table = register_module("table", nn::Embedding(12, 16));
    places = register_parameter("places", torch::randn({16, 1, 16}) * 0.1);
    net = register_module(
        "net",
        nn::Transformer(nn::TransformerOptions(16, 4, 2, 2).dim_feedforward(32).dropout(0.1)));
    head = register_module("head", nn::Linear(16, 12));
  }
  Tensor embed(const Tensor& x) { return table(x) + places.slice(0, 0, x.size(0)); }
  Tensor forward(const Tensor& src, const Tensor& tgt) {
    const Tensor mask = net->generate_square_subsequent_mask(tgt.size(0));
    return head(net(embed(src), embed(tgt), Tensor(), mask));
  }
  nn::Embedding table{nullptr};
  Tensor places;
  nn::Transformer net{nullptr};
  nn::Linear head{nullptr};
};
TORCH_MODULE(Reverser);

static void training() {
  torch::manual_seed(10);
  Reverser model;
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(3e-3));
  for (int step = 0; step < 25; ++step) {
    const Tensor src = torch::randint(1, 12, {6, 8}, torch::kLong);
    const Tensor want = torch::flip(src, {0});
    const Tensor tgt = torch::cat({torch::zeros({1, 8}, torch::kLong), want.slice(0, 0, 5)});
    const Tensor loss =
        F::cross_entropy(model->forward(src, tgt).reshape({-1, 12}), want.reshape({-1}));
    adam.zero_grad();
    loss.backward();
    adam.step();
    if (step % 4 == 0) show("train." + std::to_string(step), loss);
  }
}

int main() {
  attention();
  separate();
  layers();
  stacks();
  whole();
  training();
}
