// Every module: what it prints as, its values, the gradients of its inputs and parameters. Those of
// recurrent networks, attention and transformers are in rnn.cpp and transformer.cpp.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using List = std::vector<Tensor>;
namespace nn = torch::nn;

template <class Module, class Call>
static void layer(const std::string& key, Module m, List inputs, const Call& call) {
  print(key + ".print", m);
  with_gradients(key, inputs, [&](List& x) { return call(m, x); });
  for (const auto& p : m->named_parameters()) show(key + ".grad." + p.key(), p.value().grad());
  for (const auto& b : m->named_buffers()) show(key + ".buffer." + b.key(), b.value());
}
// A module of one input, or of two that both have gradients.
template <class Module>
static void layer(const std::string& key, Module m, const Tensor& x) {
  layer(key, m, {x.clone()}, [](Module& f, List& t) { return f(t[0]); });
}
template <class Module>
static void layer(const std::string& key, Module m, const Tensor& x, const Tensor& y) {
  layer(key, m, {x.clone(), y.clone()}, [](Module& f, List& t) { return f(t[0], t[1]); });
}
// Of an input with a gradient and a target without.
template <class Module>
static void loss(const std::string& key, Module m, const Tensor& x, const Tensor& target) {
  layer(key, m, {x.clone()}, [&](Module& f, List& t) { return f(t[0], target); });
}

static Tensor images() { return numbers({2, 4, 6, 6}, 1); }
static Tensor volumes() { return numbers({1, 2, 4, 5, 4}, 2); }
static Tensor rows() { return numbers({2, 4, 9}, 3); }

static void activations() {
  torch::manual_seed(0);
  const Tensor x = numbers({3, 6}, 4) * 4;
  layer("elu", nn::ELU(nn::ELUOptions().alpha(0.7)), x);
  layer("selu", nn::SELU(), x);
  layer("celu", nn::CELU(nn::CELUOptions().alpha(0.6)), x);
  layer("gelu", nn::GELU(), x);
  layer("gelu.tanh", nn::GELU(nn::GELUOptions().approximate("tanh")), x);
  layer("glu", nn::GLU(nn::GLUOptions(1)), x);
  layer("hardshrink", nn::Hardshrink(nn::HardshrinkOptions(0.8)), x);
  layer("hardtanh", nn::Hardtanh(nn::HardtanhOptions().min_val(-1.5).max_val(0.5)), x);
  layer("leaky", nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)), x);
  layer("logsigmoid", nn::LogSigmoid(), x);
  layer("logsoftmax", nn::LogSoftmax(nn::LogSoftmaxOptions(0)), x);
  layer("mish", nn::Mish(), x);
  layer("prelu", nn::PReLU(nn::PReLUOptions().num_parameters(6).init(0.3)), x);
  layer("relu", nn::ReLU(), x);
  layer("relu6", nn::ReLU6(), x * 3);
  layer("rrelu", nn::RReLU(), x);
  layer("sigmoid", nn::Sigmoid(), x);
  layer("silu", nn::SiLU(), x);
  layer("softmax", nn::Softmax(nn::SoftmaxOptions(1)), x);
  layer("softmax2d", nn::Softmax2d(), images());
  layer("softmin", nn::Softmin(nn::SoftminOptions(1)), x);
  layer("softplus", nn::Softplus(nn::SoftplusOptions().beta(2).threshold(3)), x);
  layer("softshrink", nn::Softshrink(nn::SoftshrinkOptions(0.7)), x);
  layer("softsign", nn::Softsign(), x);
  layer("tanh", nn::Tanh(), x);
  layer("tanhshrink", nn::Tanhshrink(), x);
  layer("threshold", nn::Threshold(nn::ThresholdOptions(0.5, -2)), x);
  error("threshold.glu", [&] { nn::GLU()(numbers({2, 3}, 5)); });
}

static void convolutions() {
  torch::manual_seed(1);
  layer("conv1d", nn::Conv1d(nn::Conv1dOptions(4, 6, 3).stride(2).padding(1).groups(2)), rows());
  layer("conv2d", nn::Conv2d(nn::Conv2dOptions(4, 3, {3, 2}).padding(torch::kSame)), images());
  layer("conv3d", nn::Conv3d(nn::Conv3dOptions(2, 3, 2).dilation({1, 2, 1}).bias(false)),
        volumes());
  layer("conv_transpose1d", nn::ConvTranspose1d(nn::ConvTranspose1dOptions(4, 3, 3).stride(2)),
        rows());
  layer("conv_transpose2d",
        nn::ConvTranspose2d(
            nn::ConvTranspose2dOptions(4, 2, 3).stride(2).padding(1).output_padding(1)),
        images());
  layer("conv_transpose3d",
        nn::ConvTranspose3d(nn::ConvTranspose3dOptions(2, 4, 2).groups(2).dilation({2, 1, 1})),
        volumes());
  layer("linear", nn::Linear(6, 2), images());
  layer("bilinear", nn::Bilinear(nn::BilinearOptions(3, 4, 2)), numbers({5, 3}, 6),
        numbers({5, 4}, 7));
  layer("identity", nn::Identity(), rows());
  layer("flatten", nn::Flatten(nn::FlattenOptions().start_dim(2)), images());
  layer("unflatten", nn::Unflatten(nn::UnflattenOptions(1, {2, 2})), images());
  layer("fold", nn::Fold(nn::FoldOptions({4, 5}, {2, 2}).padding(1)), numbers({1, 8, 30}, 8));
  layer("unfold", nn::Unfold(nn::UnfoldOptions({2, 3}).dilation(2)), images());
  layer("pixel_shuffle", nn::PixelShuffle(nn::PixelShuffleOptions(2)), images());
  layer("pixel_unshuffle", nn::PixelUnshuffle(nn::PixelUnshuffleOptions(3)), images());
  layer("upsample",
        nn::Upsample(nn::UpsampleOptions()
                         .scale_factor(std::vector<double>{1.5, 2})
                         .mode(torch::kBilinear)
                         .align_corners(false)),
        images());
  error("conv.channels", [] { nn::Conv2d(3, 4, 1)(images()); });
  error("conv.groups", [] { nn::Conv2d(nn::Conv2dOptions(3, 4, 1).groups(2)); });
}

static void pools() {
  layer("max_pool1d", nn::MaxPool1d(nn::MaxPool1dOptions(3).stride(2).padding(1)), rows());
  layer("max_pool2d", nn::MaxPool2d(nn::MaxPool2dOptions(2).dilation(2).ceil_mode(true)), images());
  layer("max_pool3d", nn::MaxPool3d(nn::MaxPool3dOptions({2, 3, 2})), volumes());
  layer("avg_pool1d", nn::AvgPool1d(nn::AvgPool1dOptions(4).padding(2)), rows());
  layer("avg_pool2d",
        nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false)),
        images());
  layer("avg_pool3d", nn::AvgPool3d(nn::AvgPool3dOptions(2).divisor_override(3)), volumes());
  layer("lp_pool1d", nn::LPPool1d(nn::LPPool1dOptions(2, 3).stride(2)), rows());
  layer("lp_pool2d", nn::LPPool2d(nn::LPPool2dOptions(3, {2, 3})), images().abs());
  layer("adaptive_avg1d", nn::AdaptiveAvgPool1d(4), rows());
  layer("adaptive_avg2d", nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, 5})), images());
  layer("adaptive_avg3d", nn::AdaptiveAvgPool3d(nn::AdaptiveAvgPool3dOptions({3, 2, 4})),
        volumes());
  layer("adaptive_max1d", nn::AdaptiveMaxPool1d(4), rows());
  layer("adaptive_max2d", nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({4, 5})), images());
  layer("adaptive_max3d", nn::AdaptiveMaxPool3d(nn::AdaptiveMaxPool3dOptions({3, 2, 4})),
        volumes());
  const auto unpool = [](const char* key, auto pool, auto back, const Tensor& x) {
    const auto [y, indices] = pool->forward_with_indices(x);
    show(std::string(key) + ".indices", indices);
    loss(key, back, y, indices);
  };
  unpool("max_unpool1d", nn::MaxPool1d(3), nn::MaxUnpool1d(3), rows());
  unpool("max_unpool2d", nn::MaxPool2d(2), nn::MaxUnpool2d(2), images());
  unpool("max_unpool3d", nn::MaxPool3d(nn::MaxPool3dOptions({2, 5, 2})),
         nn::MaxUnpool3d(nn::MaxUnpool3dOptions({2, 5, 2})), volumes());
  const Tensor at2 = numbers({2, 4, 2}, 9).abs(), at3 = numbers({1, 2, 3}, 9).abs();
  layer("fractional2d",
        nn::FractionalMaxPool2d(
            nn::FractionalMaxPool2dOptions(2).output_size(3)._random_samples(at2)),
        images());
  layer("fractional3d",
        nn::FractionalMaxPool3d(
            nn::FractionalMaxPool3dOptions(2).output_ratio(0.6)._random_samples(at3)),
        volumes());
  error("pool.large", [] { nn::AvgPool2d(7)(images()); });
  error("pool.ratio",
        [] { nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_ratio(1.5)); });
}

static void paddings() {
  layer("constant1d", nn::ConstantPad1d(nn::ConstantPad1dOptions({2, -1}, 0.5)), rows());
  layer("constant2d", nn::ConstantPad2d(nn::ConstantPad2dOptions({1, 2, 0, 3}, -1)), images());
  layer("constant3d", nn::ConstantPad3d(nn::ConstantPad3dOptions({1, 0, 2, 1, 0, 1}, 3)),
        volumes());
  layer("zero2d", nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 2, 3, 0})), images());
  layer("reflection1d", nn::ReflectionPad1d(nn::ReflectionPad1dOptions({3, 2})), rows());
  layer("reflection2d", nn::ReflectionPad2d(nn::ReflectionPad2dOptions({1, 3, 2, 0})), images());
  layer("reflection3d", nn::ReflectionPad3d(nn::ReflectionPad3dOptions({1, 2, 1, 0, 3, 1})),
        volumes());
  layer("replication1d", nn::ReplicationPad1d(nn::ReplicationPad1dOptions({3, 2})), rows());
  layer("replication2d", nn::ReplicationPad2d(nn::ReplicationPad2dOptions({1, 3, 2, 0})), images());
  layer("replication3d", nn::ReplicationPad3d(nn::ReplicationPad3dOptions({1, 2, 1, 0, 3, 1})),
        volumes());
  throws("pad.reflection", [] { nn::ReflectionPad2d(6)(images()); });
}

static void norms() {
  torch::manual_seed(2);
  layer("batch_norm1d", nn::BatchNorm1d(nn::BatchNorm1dOptions(4).momentum(0.3)), rows());
  layer("batch_norm2d", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).momentum(c10::nullopt)),
        images());
  layer("batch_norm3d", nn::BatchNorm3d(nn::BatchNorm3dOptions(2).affine(false)), volumes());
  layer("instance_norm1d", nn::InstanceNorm1d(nn::InstanceNorm1dOptions(4).affine(true)), rows());
  layer("instance_norm2d",
        nn::InstanceNorm2d(nn::InstanceNorm2dOptions(4).track_running_stats(true)), images());
  layer("instance_norm3d", nn::InstanceNorm3d(2), volumes());
  layer("group_norm", nn::GroupNorm(nn::GroupNormOptions(2, 4).eps(0.1)), images());
  layer("layer_norm", nn::LayerNorm(nn::LayerNormOptions({6, 6})), images());
  layer("local_response_norm", nn::LocalResponseNorm(nn::LocalResponseNormOptions(3).k(2)),
        images());
  // LibTorch's gradient of this one is not that of its formula (central differences tell).
  show("cross_map_lrn", nn::CrossMapLRN2d(nn::CrossMapLRN2dOptions(3).alpha(0.1))(images()));
  error("norm.rank", [] { nn::BatchNorm2d(4)(rows()); });
  error("norm.groups", [] { nn::GroupNorm(3, 4)(images()); });
}

static void dropouts() {
  torch::manual_seed(3);
  const Tensor x = torch::ones({2, 6, 2, 2});
  layer("dropout", nn::Dropout(0.4), x);
  layer("dropout2d", nn::Dropout2d(0.4), x);
  layer("dropout3d", nn::Dropout3d(0.4), x.unsqueeze(-1));
  layer("alpha_dropout", nn::AlphaDropout(0.4), x);
  layer("feature_alpha_dropout", nn::FeatureAlphaDropout(0.4), x);
  error("dropout.p", [] { nn::Dropout(1.5); });
}

static void losses_of_elements() {
  const Tensor x = numbers({4, 3}, 11), t = numbers({4, 3}, 12), p = torch::sigmoid(x);
  const Tensor sign = numbers({4, 3}, 13).sign(), half = t.abs();
  loss("l1", nn::L1Loss(), x, t);
  loss("mse", nn::MSELoss(nn::MSELossOptions().reduction(torch::kSum)), x, t);
  loss("smooth_l1", nn::SmoothL1Loss(nn::SmoothL1LossOptions().beta(0.4)), x, t);
  loss("huber", nn::HuberLoss(nn::HuberLossOptions().delta(0.3).reduction(torch::kNone)), x, t);
  loss("bce", nn::BCELoss(nn::BCELossOptions().weight(half)), p, half);
  loss("bce_logits",
       nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().pos_weight(torch::arange(1, 4))), x,
       half);
  loss("kl_div", nn::KLDivLoss(nn::KLDivLossOptions().reduction(torch::kBatchMean)), p.log(), half);
  loss("kl_div.log", nn::KLDivLoss(nn::KLDivLossOptions().log_target(true)), p.log(), half.log());
  loss("hinge_embedding", nn::HingeEmbeddingLoss(nn::HingeEmbeddingLossOptions().margin(0.5)), x,
       sign);
  loss("soft_margin", nn::SoftMarginLoss(), x, sign);
  loss("poisson", nn::PoissonNLLLoss(nn::PoissonNLLLossOptions().full(true)), x, half * 9);
  loss("poisson.plain", nn::PoissonNLLLoss(nn::PoissonNLLLossOptions().log_input(false)), p, half);
  error("loss.bce", [&] { nn::BCELoss()(x * 3, half); });
}

static void losses_of_classes() {
  const Tensor x = numbers({4, 5}, 14), y = torch::tensor({0, 4, 1, 3});
  const Tensor several = torch::tensor({{0, 3, -1, 1, 2}, {1, -1, 0, 0, 0}});
  loss("cross_entropy", nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().label_smoothing(0.2)), x,
       y);
  loss("nll", nn::NLLLoss(nn::NLLLossOptions().ignore_index(4)), x.log_softmax(1), y);
  loss("multi_margin", nn::MultiMarginLoss(nn::MultiMarginLossOptions().p(2).margin(0.7)), x, y);
  loss("multilabel_margin", nn::MultiLabelMarginLoss(), x.slice(0, 0, 2), several);
  loss("multilabel_soft", nn::MultiLabelSoftMarginLoss(), x, (x > 0.2).to(torch::kFloat));
  torch::manual_seed(4);
  nn::AdaptiveLogSoftmaxWithLoss adaptive(
      nn::AdaptiveLogSoftmaxWithLossOptions(5, 9, {3, 6}).div_value(2));
  print("adaptive.print", adaptive);
  // Whether a constructor draws the two layers of a cluster in this order is its compiler's choice.
  adaptive->reset_parameters();
  with_gradients("adaptive", {x.clone()}, [&](List& t) {
    return adaptive(t[0], torch::tensor({0, 8, 4, 2})).output;
  });
  show("adaptive.predict", adaptive->predict(x));
  show("adaptive.log_prob", adaptive->log_prob(x));
  const Tensor lengths = torch::tensor({6, 5}), sizes = torch::tensor({2, 3});
  layer("ctc", nn::CTCLoss(nn::CTCLossOptions().zero_infinity(true)), {numbers({6, 2, 4}, 15)},
        [&](nn::CTCLoss& f, List& t) {
          return f(t[0].log_softmax(2), torch::tensor({{1, 2, 0}, {3, 3, 1}}), lengths, sizes);
        });
  throws("loss.class", [&] { nn::MultiMarginLoss()(x, y + 4); });
}

static void losses_of_pairs() {
  const Tensor a = numbers({4, 5}, 16), b = numbers({4, 5}, 17), c = numbers({4, 5}, 18);
  const Tensor sign = torch::tensor({1.f, -1.f, 1.f, -1.f});
  layer("cosine_similarity", nn::CosineSimilarity(nn::CosineSimilarityOptions().dim(0)), a, b);
  layer("pairwise_distance", nn::PairwiseDistance(nn::PairwiseDistanceOptions().p(1).keepdim(true)),
        a, b);
  layer("cosine_embedding", nn::CosineEmbeddingLoss(nn::CosineEmbeddingLossOptions().margin(0.1)),
        {a.clone(), b.clone()},
        [&](nn::CosineEmbeddingLoss& f, List& t) { return f(t[0], t[1], sign); });
  layer("margin_ranking", nn::MarginRankingLoss(nn::MarginRankingLossOptions().margin(0.3)),
        {a[0].clone(), b[0].clone()}, [](nn::MarginRankingLoss& f, List& t) {
          return f(t[0], t[1], torch::tensor({1.f, -1.f, 1.f, -1.f, 1.f}));
        });
  layer("triplet", nn::TripletMarginLoss(nn::TripletMarginLossOptions().swap(true)),
        {a.clone(), b.clone(), c.clone()},
        [](nn::TripletMarginLoss& f, List& t) { return f(t[0], t[1], t[2]); });
  const auto l1 = [](const Tensor& x, const Tensor& y) { return (x - y).abs().sum(1); };
  layer("triplet.distance",
        nn::TripletMarginWithDistanceLoss(
            nn::TripletMarginWithDistanceLossOptions().distance_function(l1).margin(2)),
        {a.clone(), b.clone(), c.clone()},
        [](nn::TripletMarginWithDistanceLoss& f, List& t) { return f(t[0], t[1], t[2]); });
}

static void embeddings() {
  torch::manual_seed(5);
  const Tensor at = torch::tensor({{1, 4, 1}, {0, 2, 3}});
  nn::Embedding one(nn::EmbeddingOptions(5, 3).padding_idx(1).max_norm(1.));
  nn::EmbeddingBag bag(nn::EmbeddingBagOptions(5, 3).mode(torch::kSum));
  print("embedding.print", one);
  print("bag.print", bag);
  show("embedding", one(at));
  show("bag", bag(at));
  (one(at).sum() + bag(at).pow(2).sum()).backward();
  show("embedding.grad", one->weight.grad());
  show("bag.grad", bag->weight.grad());
  throws("embedding.range", [&] { one(at + 2); });
}

static void containers() {
  torch::manual_seed(6);
  const Tensor x = numbers({2, 3}, 19);
  nn::Sequential chain(nn::Linear(3, 4), nn::Functional(torch::relu), nn::Linear(4, 2));
  layer("sequential", chain, {x.clone()},
        [](nn::Sequential& f, List& t) { return f->forward(t[0]); });
  nn::ModuleList list(nn::Linear(3, 3), nn::Tanh());
  print("list.print", list);
  show("list.size", list->size());
  nn::ModuleDict dict;
  dict->update({{"a", nn::Linear(3, 2).ptr()}, {"b", nn::Sigmoid().ptr()}});
  print("dict.print", dict);
  show("dict.contains", dict->contains("b"));
  for (const std::string& key : dict->keys()) show("dict.key." + key, true);
  nn::ParameterList parameters(x, x * 2);
  nn::ParameterDict named;
  named->insert("w", x);
  for (const auto& p : parameters->named_parameters()) show("parameters." + p.key(), p.value());
  for (const auto& p : named->named_parameters()) show("named." + p.key(), p.value());
  nn::AnyModule any(nn::Bilinear(3, 3, 2));
  show("any", any.forward(x, x));
  throws("any.arguments", [&] { any.forward(x); });
  error("dict.missing", [&] { dict["c"]; });
}

static void utilities() {
  torch::manual_seed(7);
  nn::Linear net(3, 2);
  net(numbers({4, 3}, 20)).pow(2).sum().backward();
  const Tensor flat = nn::utils::parameters_to_vector(net->parameters());
  show("vector", flat);
  nn::utils::vector_to_parameters(flat * 2, net->parameters());
  show("weight", net->weight);
  nn::utils::clip_grad_value_(net->parameters(), 0.3);
  show("clipped", net->weight.grad());
  show("norm", nn::utils::clip_grad_norm_(net->parameters(), 0.2, INFINITY));
  show("bias", net->bias.grad());
  nn::init::constant_(net->bias, 3);
  show("constant", net->bias);
  show("ones", nn::init::ones_(torch::empty({2})));
  show("zeros", nn::init::zeros_(torch::empty({2})));
  error("vector.none", [] { nn::utils::parameters_to_vector({}); });
}

int main() {
  activations();
  convolutions();
  pools();
  paddings();
  norms();
  dropouts();
  losses_of_elements();
  losses_of_classes();
  losses_of_pairs();
  embeddings();
  containers();
  utilities();
}
