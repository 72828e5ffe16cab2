// The defaults of all options, and what modules and functions do and say at the edges of their
// arguments.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;
namespace optim = torch::optim;

// One option as text.
template <class T>
static std::string text(const T& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}
static std::string text(const Tensor& v) { return v.defined() ? "defined" : "undefined"; }
static std::string text(const std::tuple<double, double>& v) {
  return text(std::get<0>(v)) + " " + text(std::get<1>(v));
}
template <class T>
static std::string text(const c10::optional<T>& v) {
  return v ? text(*v) : "none";
}
static std::string text(const std::vector<int64_t>& v) { return text(torch::IntArrayRef(v)); }
template <size_t D>
static std::string text(const nn::detail::conv_padding_t<D>& v) {
  return "number " + std::to_string(v.index());
}
template <class T>
static std::string choice(const T& v) {
  return torch::enumtype::get_enum_name(v);
}

static std::string prefix;
#define OF(...)                \
  {                            \
    prefix = #__VA_ARGS__ "."; \
    const auto o = __VA_ARGS__;
#define END }
#define ARG(name) show(prefix + #name, text(o.name()));
#define CHOICE(name) show(prefix + #name, choice(o.name()));
#define LOSS(Options, ...) OF(nn::Options) CHOICE(reduction) __VA_ARGS__ END

// clang-format off
static void activations() {
  OF(nn::ELUOptions()) ARG(alpha) ARG(inplace) END
  OF(nn::SELUOptions()) ARG(inplace) END
  OF(nn::GLUOptions()) ARG(dim) END
  OF(nn::GELUOptions()) ARG(approximate) END
  OF(nn::HardshrinkOptions()) ARG(lambda) END
  OF(nn::HardtanhOptions()) ARG(min_val) ARG(max_val) ARG(inplace) END
  OF(nn::LeakyReLUOptions()) ARG(negative_slope) ARG(inplace) END
  OF(nn::PReLUOptions()) ARG(num_parameters) ARG(init) END
  OF(nn::ReLUOptions()) ARG(inplace) END
  OF(nn::ReLU6Options()) ARG(inplace) END
  OF(nn::RReLUOptions()) ARG(lower) ARG(upper) ARG(inplace) END
  OF(nn::CELUOptions()) ARG(alpha) ARG(inplace) END
  OF(nn::SoftplusOptions()) ARG(beta) ARG(threshold) END
  OF(nn::SoftshrinkOptions()) ARG(lambda) END
  OF(nn::ThresholdOptions(1, 2)) ARG(threshold) ARG(value) ARG(inplace) END
  OF(nn::SoftmaxOptions(1)) ARG(dim) END
  OF(F::SoftmaxFuncOptions(1)) ARG(dim) ARG(dtype) END
  OF(F::SoftminFuncOptions(1)) ARG(dtype) END
  OF(F::LogSoftmaxFuncOptions(1)) ARG(dtype) END
  OF(F::RReLUFuncOptions()) ARG(lower) ARG(upper) ARG(training) ARG(inplace) END
  OF(F::GumbelSoftmaxFuncOptions()) ARG(tau) ARG(hard) ARG(dim) END
}

static void layers() {
  OF(nn::LinearOptions(2, 3)) ARG(bias) END
  OF(nn::BilinearOptions(2, 3, 4)) ARG(bias) END
  OF(nn::FlattenOptions()) ARG(start_dim) ARG(end_dim) END
  OF(nn::DropoutOptions()) ARG(p) ARG(inplace) END
  OF(F::DropoutFuncOptions()) ARG(p) ARG(training) ARG(inplace) END
  OF(F::Dropout2dFuncOptions()) ARG(p) ARG(training) ARG(inplace) END
  OF(F::AlphaDropoutFuncOptions()) ARG(p) ARG(training) ARG(inplace) END
  OF(F::FeatureAlphaDropoutFuncOptions()) ARG(p) ARG(training) ARG(inplace) END
  OF(nn::EmbeddingOptions(2, 3)) ARG(padding_idx) ARG(max_norm) ARG(norm_type)
    ARG(scale_grad_by_freq) ARG(sparse) ARG(_weight) END
  OF(nn::EmbeddingFromPretrainedOptions()) ARG(freeze) ARG(padding_idx) ARG(max_norm) ARG(norm_type)
    ARG(scale_grad_by_freq) ARG(sparse) END
  OF(F::EmbeddingFuncOptions()) ARG(padding_idx) ARG(max_norm) ARG(norm_type)
    ARG(scale_grad_by_freq) ARG(sparse) END
  OF(nn::CosineSimilarityOptions()) ARG(dim) ARG(eps) END
  OF(nn::PairwiseDistanceOptions()) ARG(p) ARG(eps) ARG(keepdim) END
}

static void norms() {
  OF(nn::BatchNorm2dOptions(4)) ARG(num_features) ARG(eps) ARG(momentum) ARG(affine)
    ARG(track_running_stats) END
  OF(F::BatchNormFuncOptions()) ARG(weight) ARG(bias) ARG(training) ARG(momentum) ARG(eps) END
  OF(nn::InstanceNorm2dOptions(4)) ARG(num_features) ARG(eps) ARG(momentum) ARG(affine)
    ARG(track_running_stats) END
  OF(F::InstanceNormFuncOptions()) ARG(running_mean) ARG(running_var) ARG(weight) ARG(bias)
    ARG(use_input_stats) ARG(momentum) ARG(eps) END
  OF(nn::LayerNormOptions({4})) ARG(normalized_shape) ARG(eps) ARG(elementwise_affine) END
  OF(F::LayerNormFuncOptions({4})) ARG(weight) ARG(bias) ARG(eps) END
  OF(nn::GroupNormOptions(2, 4)) ARG(eps) ARG(affine) END
  OF(F::GroupNormFuncOptions(2)) ARG(weight) ARG(bias) ARG(eps) END
  OF(F::NormalizeFuncOptions()) ARG(p) ARG(dim) ARG(eps) ARG(out) END
}

static void windows() {
  OF(nn::Conv2dOptions(2, 3, 4)) ARG(kernel_size) ARG(stride) ARG(dilation) ARG(groups) ARG(bias)
    CHOICE(padding_mode) END
  OF(nn::ConvTranspose2dOptions(2, 3, 4)) ARG(kernel_size) ARG(stride) ARG(padding)
    ARG(output_padding) ARG(dilation) ARG(groups) ARG(bias) CHOICE(padding_mode) END
  OF(F::Conv1dFuncOptions()) ARG(bias) ARG(stride) ARG(dilation) ARG(groups) END
  OF(F::ConvTranspose3dFuncOptions()) ARG(bias) ARG(stride) ARG(padding) ARG(output_padding)
    ARG(groups) ARG(dilation) END
  OF(nn::AvgPool2dOptions(3)) ARG(kernel_size) ARG(stride) ARG(padding) ARG(ceil_mode)
    ARG(count_include_pad) ARG(divisor_override) END
  OF(nn::MaxPool2dOptions({3, 2})) ARG(kernel_size) ARG(stride) ARG(padding) ARG(dilation)
    ARG(ceil_mode) END
  OF(F::PadFuncOptions({1, 2})) ARG(pad) CHOICE(mode) ARG(value) END
}

static void losses() {
  LOSS(L1LossOptions())
  LOSS(MSELossOptions())
  LOSS(KLDivLossOptions(), ARG(log_target))
  LOSS(BCELossOptions(), ARG(weight))
  LOSS(BCEWithLogitsLossOptions(), ARG(weight) ARG(pos_weight))
  LOSS(NLLLossOptions(), ARG(weight) ARG(ignore_index))
  LOSS(CrossEntropyLossOptions(), ARG(weight) ARG(ignore_index) ARG(label_smoothing))
  LOSS(SmoothL1LossOptions(), ARG(beta))
  LOSS(HuberLossOptions(), ARG(delta))
  LOSS(SoftMarginLossOptions())
  LOSS(MultiLabelSoftMarginLossOptions(), ARG(weight))
  LOSS(HingeEmbeddingLossOptions(), ARG(margin))
  LOSS(MarginRankingLossOptions(), ARG(margin))
  LOSS(CosineEmbeddingLossOptions(), ARG(margin))
  LOSS(TripletMarginLossOptions(), ARG(margin) ARG(p) ARG(eps) ARG(swap))
  LOSS(PoissonNLLLossOptions(), ARG(log_input) ARG(full) ARG(eps))
}

static void optimizers() {
  OF(optim::SGDOptions(1)) ARG(momentum) ARG(dampening) ARG(weight_decay) ARG(nesterov) END
  OF(optim::AdamOptions()) ARG(lr) ARG(betas) ARG(eps) ARG(weight_decay) ARG(amsgrad) END
  OF(optim::AdamWOptions()) ARG(lr) ARG(betas) ARG(eps) ARG(weight_decay) ARG(amsgrad) END
  OF(optim::AdagradOptions()) ARG(lr) ARG(lr_decay) ARG(weight_decay)
    ARG(initial_accumulator_value) ARG(eps) END
  OF(optim::RMSpropOptions()) ARG(lr) ARG(alpha) ARG(eps) ARG(weight_decay) ARG(momentum)
    ARG(centered) END
}
// clang-format on

// Which channels, rows or elements a dropout takes together, by the input's rank.
static void dropouts() {
  for (int64_t rank = 1; rank <= 5; ++rank) {
    const std::vector<int64_t> sizes(static_cast<size_t>(rank), 3);
    const std::string of = "dropout.rank" + std::to_string(rank);
    torch::manual_seed(rank);
    show(of + ".1d", nn::Dropout()(torch::ones(sizes)));
    torch::manual_seed(rank);
    show(of + ".2d", nn::Dropout2d()(torch::ones(sizes)));
    torch::manual_seed(rank);
    show(of + ".3d", nn::Dropout3d()(torch::ones(sizes)));
    torch::manual_seed(rank);
    Tensor x = torch::ones(sizes);
    const Tensor y = nn::Dropout2d(nn::Dropout2dOptions().inplace(true))(x);
    show(of + ".inplace", x);
    show(of + ".same", torch::equal(x, y) && x.sizes() == y.sizes());
    torch::manual_seed(rank);
    error(of + ".feature_alpha", [&] { nn::FeatureAlphaDropout()(torch::ones(sizes)); });
  }
  const Tensor x = torch::ones({2, 2});
  error("dropout.p", [&] { F::dropout(x, F::DropoutFuncOptions().p(1.5)); });
  error("dropout.p2d", [&] { F::dropout2d(x, F::Dropout2dFuncOptions().p(-0.5)); });
  error("dropout.module", [] { nn::Dropout2d(-1.0); });
}

static void batch_norms() {
  nn::BatchNorm1d norm(2);
  error("norm.one_value", [&] { norm(torch::ones({1, 2})); });
  error("norm.rank", [&] { norm(torch::ones({2})); });
  error("norm.channels", [&] { norm(torch::ones({3, 4})); });
  show("norm.mean", norm->running_mean);
  nn::BatchNorm1d cumulative(nn::BatchNorm1dOptions(2).momentum(c10::nullopt));
  for (uint64_t i = 0; i < 3; ++i)
    show("norm.out" + std::to_string(i), cumulative(numbers({4, 2}, i)));
  show("norm.cumulative", cumulative->running_mean);
  show("norm.var", cumulative->running_var);
  show("norm.count", cumulative->num_batches_tracked);
  error("norm.instance", [] { nn::InstanceNorm2d(3)(torch::ones({2, 3})); });
  show("norm.unbatched", nn::InstanceNorm1d(2)(numbers({2, 5}, 4)));
}

static void normalised() {
  Tensor out = torch::empty({2, 3});
  const Tensor x = numbers({2, 3}, 6);
  show("normalize", F::normalize(x));
  show("normalize.p", F::normalize(x, F::NormalizeFuncOptions().p(1).dim(0).eps(1e-3)));
  F::normalize(x, F::NormalizeFuncOptions().out(out));
  show("normalize.out", out);
}

static void accumulators() {
  Tensor a = numbers({2}, 1).requires_grad_(), b = numbers({2}, 2).requires_grad_();
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{a});
  groups.emplace_back(std::vector<Tensor>{b},
                      std::make_unique<optim::AdagradOptions>(
                          optim::AdagradOptions(0.5).initial_accumulator_value(4)));
  optim::Adagrad opt(groups, optim::AdagradOptions(0.1).initial_accumulator_value(1));
  (a * b).sum().backward();
  opt.step();
  show("adagrad.a", a);
  show("adagrad.b", b);
}

// What is refused, and in which words.
static void refusals() {
  const Tensor x = numbers({2, 4, 6, 6}, 3), v = numbers({2, 4}, 4);
  throws("refused.conv.channels", [] { nn::Conv2d(0, 2, 3); });
  error("refused.conv.groups_in", [] { nn::Conv2d(nn::Conv2dOptions(3, 4, 3).groups(2)); });
  error("refused.conv.groups_out", [] { nn::Conv2d(nn::Conv2dOptions(4, 3, 3).groups(2)); });
  error("refused.conv.same",
        [] { nn::Conv1d(nn::Conv1dOptions(1, 1, 3).stride(2).padding(torch::kSame)); });
  error("refused.conv.rank", [&] { nn::Conv2d(4, 2, 3)(v); });
  error("refused.conv.input", [&] { nn::Conv2d(3, 2, 3)(x); });
  error("refused.conv.small", [&] { nn::Conv2d(4, 2, 7)(x); });
  error("refused.transposed.mode", [&] {
    nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 2, 3).padding_mode(torch::kCircular))(x);
  });
  error("refused.transposed.size", [&] {
    const std::vector<int64_t> size{8, 8, 8};
    nn::ConvTranspose2d(4, 2, 3)->forward(x, torch::IntArrayRef(size));
  });
  error("refused.embedding.above",
        [] { nn::Embedding(nn::EmbeddingOptions(3, 2).padding_idx(3)); });
  error("refused.embedding.below",
        [] { nn::Embedding(nn::EmbeddingOptions(3, 2).padding_idx(-4)); });
  error("refused.embedding.weight", [] {
    nn::Embedding(nn::EmbeddingOptions(3, 2)._weight(torch::ones({2, 3})));
  });
  error("refused.embedding.pretrained", [] { nn::Embedding::from_pretrained(torch::ones({3})); });
  error("refused.embedding.index", [] { nn::Embedding(3, 2)(torch::tensor({3})); });
  error("refused.hardtanh", [] { nn::Hardtanh(nn::HardtanhOptions().min_val(1).max_val(0)); });
  error("refused.softmax2d", [&] { nn::Softmax2d()(v); });
  error("refused.glu.odd", [] { nn::GLU()(torch::ones({3})); });
  error("refused.gelu", [] { nn::GELU(nn::GELUOptions().approximate("no"))(torch::ones({3})); });
  error("refused.rrelu",
        [] { nn::RReLU(nn::RReLUOptions().lower(1).upper(0))->forward(torch::ones({3})); });
  error("refused.prelu", [&] { nn::PReLU(nn::PReLUOptions().num_parameters(3))(x); });
  error("refused.celu", [] { nn::CELU(nn::CELUOptions().alpha(0))(torch::ones({3})); });
  error("refused.softshrink", [] { nn::Softshrink(-1.0)(torch::ones({3})); });
  error("refused.softmax", [&] { nn::Softmax(2)(v); });
  error("refused.layer_norm", [&] { nn::LayerNorm(nn::LayerNormOptions({5}))(v); });
  error("refused.layer_norm.none",
        [&] { nn::LayerNorm(nn::LayerNormOptions(std::vector<int64_t>{}))(v); });
  error("refused.group_norm", [&] { nn::GroupNorm(nn::GroupNormOptions(3, 4))(v); });
  error("refused.group_norm.channels", [&] { nn::GroupNorm(nn::GroupNormOptions(2, 6))(v); });
  error("refused.linear", [&] { nn::Linear(3, 2)(v); });
  const Tensor w = numbers({2, 3, 4}, 8);
  error("refused.bilinear.first", [&] { nn::Bilinear(3, 4, 2)(v, v); });
  error("refused.bilinear.second", [&] { nn::Bilinear(4, 3, 2)(v, v); });
  error("refused.bilinear.rank", [&] { F::bilinear(numbers({5, 3}), numbers({4}), w); });
  error("refused.bilinear.batch", [&] { F::bilinear(numbers({2, 3, 3}), numbers({3, 2, 4}), w); });
  error("refused.bilinear.bias", [&] {
    F::bilinear(numbers({5, 3}), numbers({5, 4}), w, torch::ones({1}));
  });
  show("bilinear.vector", F::bilinear(numbers({3}), numbers({4}), w));
  show("bilinear.batch", F::bilinear(numbers({2, 5, 3}), numbers({2, 5, 4}), w, torch::ones({2})));
  throws("refused.linear.no_inputs", [] { nn::Linear(0, 2); });
  throws("refused.linear.no_outputs", [] { nn::Linear(2, 0); });
  throws("refused.linear.negative", [] { nn::Linear(-2, 2); });
  throws("refused.conv.no_kernel", [] { nn::Conv2d(1, 1, 0); });
  throws("refused.init.sparsity", [] { nn::init::sparse_(torch::ones({3, 2}), 2.0); });
  throws("refused.init.negative", [] { nn::init::sparse_(torch::ones({3, 2}), -0.5); });
  error("refused.flatten", [&] { nn::Flatten(nn::FlattenOptions().start_dim(3))(v); });
  error("refused.flatten.order",
        [&] { nn::Flatten(nn::FlattenOptions().start_dim(1).end_dim(0))(v); });
  error("refused.unflatten", [&] { nn::Unflatten(nn::UnflattenOptions(1, {3, 2}))(v); });
  throws("refused.max_pool", [&] { nn::MaxPool2d(3)(v); });
  error("refused.unflatten.twice", [&] { nn::Unflatten(nn::UnflattenOptions(1, {0, -1}))(v); });
  error("refused.unflatten.none", [&] { nn::Unflatten(nn::UnflattenOptions(1, {}))(v); });
  error("refused.max_pool.padding", [&] { nn::MaxPool2d(nn::MaxPool2dOptions(2).padding(2))(x); });
  error("refused.avg_pool", [&] { nn::AvgPool2d(7)(x); });
  throws("refused.adaptive", [&] { nn::AdaptiveAvgPool2d(2)(v); });
  error("refused.expand", [] { nn::MaxPool2dOptions({1, 2, 3}); });
  error("refused.reflect", [&] { nn::ReflectionPad1d(7)(v); });
  throws("refused.reflect.rank", [&] { nn::ReflectionPad2d(1)(v); });
  error("refused.pad.odd", [&] { F::pad(v, F::PadFuncOptions({1})); });
  error("refused.pad.many", [&] { F::pad(v, F::PadFuncOptions({1, 1, 1, 1, 1, 1})); });
  error("refused.bce", [&] { F::binary_cross_entropy(v.sigmoid(), x); });
  error("refused.bce_logits", [&] { F::binary_cross_entropy_with_logits(v, x); });
  error("refused.bce.range", [&] { F::binary_cross_entropy(v * 2, v.sigmoid()); });
  error("refused.nll.rank", [&] { F::nll_loss(v[0], torch::tensor({1, 2})); });
  error("refused.nll.weight", [&] {
    F::nll_loss(v, torch::tensor({0, 1}), F::NLLLossFuncOptions().weight(torch::ones({3})));
  });
  error("refused.cross_entropy.smooth", [&] {
    F::cross_entropy(v, torch::tensor({0, 1}), F::CrossEntropyFuncOptions().label_smoothing(2));
  });
  error("refused.mse", [&] { F::mse_loss(v, numbers({3, 4})); });
  error("refused.huber", [&] { F::huber_loss(v, v, F::HuberLossFuncOptions().delta(0)); });
  error("refused.smooth", [&] { nn::SmoothL1Loss(nn::SmoothL1LossOptions().beta(-1))(v, v); });
  error("refused.margin", [&] { F::margin_ranking_loss(v, v[0], v); });
  error("refused.cosine", [&] { F::cosine_embedding_loss(v, v, torch::ones({2, 2})); });
  error("refused.init.fan", [] { nn::init::xavier_uniform_(torch::ones({3})); });
  error("refused.init.eye", [] { nn::init::eye_(torch::ones({3})); });
  error("refused.init.dirac", [] { nn::init::dirac_(torch::ones({3, 3})); });
  error("refused.init.orthogonal", [] { nn::init::orthogonal_(torch::ones({3})); });
  error("refused.init.sparse", [] { nn::init::sparse_(torch::ones({3}), 0.5); });
  Tensor g = numbers({2}, 5).requires_grad_();
  (g * INFINITY).sum().backward();
  error("refused.clip", [&] { nn::utils::clip_grad_norm_(g, 1.0, 2.0, true); });
  show("refused.clip.grad", g.grad());
}

int main() {
  refusals();
  activations();
  layers();
  norms();
  windows();
  losses();
  optimizers();
  dropouts();
  batch_norms();
  normalised();
  accumulators();
}
