// Names that programs use besides those of the front end: factories with options one by one, `out`
// forms, headers of single ops, things of their own in torch's namespaces, recorded parts.
#include <torch/torch.h>

#include <ATen/ATen.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/add.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/InferenceMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/utils/tensor_flatten.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "expect.h"

// ---------------------------------------------------------------- things of the program's own
namespace torch {
namespace nn {

namespace functional {
inline Tensor swish(const Tensor& x) { return x * sigmoid(x); }
}  // namespace functional

struct SwishImpl : Cloneable<SwishImpl> {
  explicit SwishImpl(double scale = 1) : scale_(scale) { reset(); }
  void reset() override { weight = register_parameter("weight", torch::full({}, scale_)); }
  Tensor forward(const Tensor& x) { return weight * functional::swish(x); }
  Tensor weight;
  double scale_;
};
TORCH_MODULE(Swish);

namespace init {
inline void halves_(Tensor x) {
  NoGradGuard no_grad;
  x.fill_(0.5);
}
}  // namespace init
namespace utils {
inline int64_t count_parameters(const Module& module) {
  int64_t n = 0;
  for (const Tensor& p : module.parameters()) n += p.numel();
  return n;
}
}  // namespace utils

}  // namespace nn

namespace data {
namespace datasets {
struct Squares : Dataset<Squares> {
  Example<> get(size_t i) override {
    const double x = static_cast<double>(i);
    return {torch::full({1}, x), torch::full({1}, x * x)};
  }
  optional<size_t> size() const override { return 6; }
};
}  // namespace datasets
namespace transforms {
struct Twice : TensorTransform<Tensor> {
  Tensor operator()(Tensor x) override { return x * 2; }
};
}  // namespace transforms
}  // namespace data

namespace optim {
struct PlainOptions : OptimizerCloneableOptions<PlainOptions> {
  PlainOptions(double lr) : lr_(lr) {}
  TORCH_ARG(double, lr);
};
struct Plain : Optimizer {
  Plain(std::vector<Tensor> params, PlainOptions options)
      : Optimizer({OptimizerParamGroup(std::move(params))},
                  std::make_unique<PlainOptions>(options)) {}
  Tensor step(LossClosure = nullptr) override {
    NoGradGuard no_grad;
    for (OptimizerParamGroup& group : param_groups_)
      for (Tensor& p : group.params())
        p.add_(p.grad(), -static_cast<PlainOptions&>(group.options()).lr());
    return {};
  }
};
}  // namespace optim

namespace autograd {
struct Cube : Function<Cube> {
  static Variable forward(AutogradContext* ctx, const Variable& x) {
    ctx->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Variable x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * x * x};
  }
};
}  // namespace autograd
}  // namespace torch

namespace {

using at::Tensor;
using std::nullopt;

void own_things() {
  torch::nn::Swish swish(2.0);
  const Tensor x = torch::tensor({0.5, -1.0});
  EXPECT(at::allclose(swish(x), 2 * x * x.sigmoid()));
  torch::nn::Sequential net(torch::nn::Linear(2, 3), torch::nn::Swish(1.0));
  EXPECT(net->forward(x.to(torch::kFloat)).size(0) == 3);
  EXPECT(torch::nn::utils::count_parameters(*net) == 10);
  torch::nn::init::halves_(swish->weight);
  torch::nn::init::ones_(net[0]->as<torch::nn::Linear>()->weight);
  EXPECT(swish->weight.item<float>() == 0.5);
  namespace F = torch::nn::functional;
  EXPECT(at::equal(F::swish(x), x * F::softplus(x).sub(F::softplus(-x)).sigmoid()));

  auto set = torch::data::datasets::Squares()
                 .map(torch::data::transforms::Twice())
                 .map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(set), torch::data::DataLoaderOptions(3));
  double sum = 0;
  for (auto& batch : *loader) sum += batch.data.sum().item<double>();
  EXPECT(sum == 30);

  Tensor w = torch::ones({2}, torch::requires_grad());
  torch::autograd::Cube::apply(w).sum().backward();
  EXPECT(at::equal(w.grad(), torch::full({2}, 3.f)));
  torch::optim::Plain(std::vector<Tensor>{w}, 0.5).step();
  EXPECT(w[0].item<float>() == -0.5);
}

void unpacked_options() {
  using at::kCPU;
  const auto f64 = std::make_optional(at::kDouble);
  const auto strided = std::make_optional(at::kStrided);
  const auto cpu = std::make_optional(at::Device(kCPU));
  EXPECT(at::equal(at::zeros({2}, f64, strided, cpu, false), torch::zeros({2}, torch::kDouble)));
  EXPECT(at::ones({2}, nullopt, nullopt, nullopt, nullopt).scalar_type() == at::kFloat);
  EXPECT(at::full({2}, 3, nullopt, strided, cpu, nullopt).scalar_type() == at::kLong);
  EXPECT(at::arange(3, nullopt, nullopt, nullopt, nullopt).scalar_type() == at::kLong);
  EXPECT(at::arange(0, 1, 0.5, f64, nullopt, cpu, nullopt).numel() == 2);
  EXPECT(at::empty({2, 3, 4, 5}, f64, nullopt, nullopt, nullopt, at::MemoryFormat::ChannelsLast)
             .stride(1) == 1);
  const Tensor x = torch::ones({2, 2}, torch::kInt);
  EXPECT(at::empty_like(x, nullopt, nullopt, nullopt, nullopt, nullopt).scalar_type() == at::kInt);
  EXPECT(at::equal(at::zeros_like(x, f64, strided, cpu, nullopt, nullopt),
                   torch::zeros({2, 2}, torch::kDouble)));
  EXPECT(at::full_like(x, 2.5, f64, nullopt, nullopt, nullopt, nullopt)[0][0].item<double>() ==
         2.5);
  EXPECT(at::eye(2, 3, f64, nullopt, cpu, nullopt).size(1) == 3);
  EXPECT(at::linspace(0, 1, 5, f64, nullopt, nullopt, nullopt)[1].item<double>() == 0.25);
  EXPECT(at::scalar_tensor(2, f64, nullopt, nullopt, nullopt).item<double>() == 2);
  EXPECT(at::hann_window(4, f64, nullopt, nullopt, nullopt).scalar_type() == at::kDouble);
  EXPECT(at::tril_indices(3, 3, 0, at::kLong, nullopt, nullopt, nullopt).size(1) == 6);
  EXPECT(at::randperm(5, at::kLong, nullopt, nullopt, nullopt).sum().item<int64_t>() == 10);
  torch::manual_seed(3);
  const Tensor a = at::rand({4}, nullopt, nullopt, nullopt, nullopt);
  torch::manual_seed(3);
  EXPECT(at::equal(a, torch::rand({4})));
}

void generators() {
  at::Generator g = at::make_generator<at::CPUGeneratorImpl>(5);
  const Tensor x = torch::zeros({3, 4}, torch::kDouble);
  const auto again = [&]() -> at::Generator& {
    g.set_current_seed(5);
    return g;
  };
  const Tensor want = torch::rand({3, 4}, again(), torch::kDouble);
  EXPECT(at::equal(at::rand_like(x, again()), want));
  EXPECT(
      at::equal(at::rand_like(x, again(), at::kDouble, nullopt, nullopt, nullopt, nullopt), want));
  EXPECT(at::equal(at::randn_like(x, again(), torch::kFloat), torch::randn({3, 4}, again())));
  EXPECT(at::equal(at::randint_like(x, 2, 9, again()).to(at::kLong),
                   torch::randint(2, 9, {3, 4}, again())));
  EXPECT(at::randint_like(x, torch::tensor(3)).max().item<double>() < 3);
  EXPECT(at::rand_like(x, torch::kFloat).scalar_type() == at::kFloat);
}

void odds() {
  at::init();
  EXPECT(at::tensor(5).scalar_type() == at::kInt && at::tensor(5).dim() == 1);
  const Tensor x = torch::arange(4, torch::kFloat).reshape({1, 1, 2, 2});
  EXPECT(has(thrown<c10::Error>([&] { at::clamp(x); }),
             "At least one of 'min' or 'max' must not be None"));
  EXPECT(has(thrown<c10::Error>([&] { at::clip(x); }), "must not be None"));
  const std::vector<double> factors{1.5, 2.0};
  const Tensor y = at::upsample_bilinear2d(x, nullopt, false, at::ArrayRef<double>(factors));
  EXPECT(y.size(2) == 3 && y.size(3) == 4);
  EXPECT(at::allclose(y, at::upsample_bilinear2d(x, {3, 4}, false, 1.5, 2.0)));
  EXPECT(at::equal(at::upsample_nearest2d(x, nullopt, at::ArrayRef<double>(factors)),
                   at::upsample_nearest2d(x, {3, 4}, 1.5, 2.0)));
  EXPECT(has(thrown<c10::Error>([&] {
               at::upsample_nearest2d(x, nullopt, std::optional<at::ArrayRef<double>>());
             }),
             "Must specify exactly one of output_size and scale_factors"));
#ifdef TAPER_CHECK  // PyTorch has it on CUDA devices only
  const Tensor a = torch::ones({2, 600}, torch::kBFloat16),
               b = torch::ones({600, 2}, torch::kBFloat16);
  EXPECT(at::equal(at::mm(a, b * 1.0078125, at::kFloat), torch::full({2, 2}, 604.6875f)));
  EXPECT(at::mm(a, b).scalar_type() == at::kBFloat16);
  EXPECT(at::equal(at::bmm(a.unsqueeze(0), b.unsqueeze(0), at::kFloat),
                   torch::full({1, 2, 2}, 600.f)));
  EXPECT(at::equal(at::addmm(torch::ones({2}, torch::kFloat), a, b, at::kFloat, 2, 0.5),
                   torch::full({2, 2}, 302.f)));
  EXPECT(at::baddbmm(torch::ones({2}, torch::kFloat), a.unsqueeze(0), b.unsqueeze(0), at::kFloat)
             .dim() == 3);
  Tensor out = torch::empty({0}, torch::kFloat);
  EXPECT(&at::mm_out(out, a, b, at::kFloat) == &out && out[0][0].item<float>() == 600);
  EXPECT(has(thrown<c10::Error>([&] { at::mm(a, b, at::kDouble); }),
             "out_dtype that is the same as the operands' or fp32 for fp16/bf16"));
#endif
}

void out_forms() {
  const Tensor x = torch::arange(32, torch::kFloat).reshape({1, 2, 4, 4});
  Tensor out = torch::empty({0}), indices = torch::empty({0}, torch::kLong);
  EXPECT(&at::avg_pool2d_out(out, x, 2) == &out && at::equal(out, at::avg_pool2d(x, 2)));
  at::max_pool2d_with_indices_out(out, indices, x, 2);
  EXPECT(at::equal(out, std::get<0>(at::max_pool2d_with_indices(x, 2))));
  EXPECT(at::equal(indices, std::get<1>(at::max_pool2d_with_indices(x, 2))));
  out = torch::empty({0});
  at::flip_out(out, x, {3});
  EXPECT(at::equal(out, x.flip({3})));
  at::zeros_like_out(out, x);
  EXPECT(out.sum().item<float>() == 0 && out.sizes() == x.sizes());
  out = torch::empty({0});
  at::upsample_nearest2d_out(out, x, {8, 8});
  EXPECT(at::equal(out, at::upsample_nearest2d(x, {8, 8})));
  Tensor U = torch::empty({0}), S = torch::empty({0}), Vh = torch::empty({0});
  const Tensor matrix = x[0][0] + torch::eye(4);
  at::linalg_svd_out(U, S, Vh, matrix);
  EXPECT(at::allclose(U.matmul(S.diag()).matmul(Vh), matrix, 1e-4, 1e-4));
  out = torch::empty({0});
  const Tensor leaf = torch::ones({1, 2, 4, 4}, torch::requires_grad());
  EXPECT(has(thrown<c10::Error>([&] { at::avg_pool2d_out(out, leaf, 2); }),
             "don't support automatic differentiation"));
}

/// `out` forms of overloads: numbers for tensors, all elements, a generator.
void further_out_forms() {
  const Tensor x = torch::tensor({0.5, 2.5, 1.5}, torch::kDouble);
  Tensor out;
  const auto fresh = [&]() -> Tensor& { return out = torch::empty({0}, torch::kDouble); };
  EXPECT(at::equal(at::max_out(fresh(), x), x.max()) && out.dim() == 0);
  EXPECT(at::equal(at::median_out(fresh(), x), x.median()));
  EXPECT(at::equal(at::sum_out(fresh(), x, at::kDouble), x.sum()));
  EXPECT(at::equal(at::sum_out(fresh(), x, {0}, true), x.sum(0, true)));
  EXPECT(at::equal(at::xlogy_out(fresh(), 2, x), at::xlogy(2, x)));
  EXPECT(at::equal(at::special_zeta_out(fresh(), x + 1, 2), at::special_zeta(x + 1, 2)));
  EXPECT(at::equal(at::linspace_out(fresh(), x[0], 1, 3),
                   torch::tensor({0.5, 0.75, 1.}, at::kDouble)));
  const Tensor shifted = torch::tensor({1, 2, 3});
  Tensor whole = torch::empty({0}, torch::kLong);
  EXPECT(at::equal(at::bitwise_left_shift_out(whole, shifted, 2), shifted * 4));
  at::Generator g = at::make_generator<at::CPUGeneratorImpl>(5);
  whole = torch::empty({0}, torch::kLong);
  at::randint_out(whole, 2, 9, {4}, g);
  g.set_current_seed(5);
  EXPECT(at::equal(whole, torch::randint(2, 9, {4}, g)));
  at::scatter_out(fresh(), x, 0, torch::tensor({0}), torch::tensor({3.}, at::kDouble), "multiply");
  EXPECT(at::equal(out, torch::tensor({1.5, 2.5, 1.5}, at::kDouble)));
}

void results_last() {
  const Tensor x = torch::arange(32, torch::kFloat).reshape({1, 2, 4, 4});
  Tensor out, indices;
  const auto fresh = [&]() -> Tensor& {
    indices = torch::empty({0}, torch::kLong);
    return out = torch::empty({0});
  };
  EXPECT(&at::add_outf(x, x, 2, fresh()) == &out && at::equal(out, x * 3));
  EXPECT(at::equal(at::sin_outf(x, fresh()), x.sin()));
  EXPECT(at::equal(at::pow_outf(2, x, fresh()), at::pow(2, x)));
  EXPECT(at::equal(at::amax_outf(x, {1}, true, fresh()), x.amax({1}, true)));
  EXPECT(at::equal(at::zeros_outf({2, 3}, fresh()), torch::zeros({2, 3})));
  const auto best = at::max_outf(x, 3, false, fresh(), indices);
  EXPECT(&std::get<1>(best) == &indices && at::equal(out, std::get<0>(x.max(3))));
  at::max_pool2d_with_indices_outf(x, {2, 2}, {2, 2}, {0, 0}, {1, 1}, false, fresh(), indices);
  EXPECT(at::equal(indices, std::get<1>(at::max_pool2d_with_indices(x, 2))));
  EXPECT(at::equal(at::addmm_outf(x[0][0], x[0][0], x[0][1], 1, 0.5, fresh()),
                   at::addmm(x[0][0], x[0][0], x[0][1], 1, 0.5)));
  torch::manual_seed(3);
  at::rand_outf({4}, fresh());
  torch::manual_seed(3);
  EXPECT(at::equal(out, torch::rand({4})));
  const std::vector<Tensor> halves{torch::empty({0}), torch::empty({0})};
  at::unsafe_split_outf(x, 1, 1, halves);
  EXPECT(at::equal(halves[1], x.narrow(1, 1, 1)));
}

// ---------------------------------------------------------------- recorded parts
std::vector<std::string> seen;
struct Context : at::ObserverContext {
  std::string begun;
};
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& part) {
  auto context = std::make_unique<Context>();
  context->begun = part.name();
  seen.push_back("begin " + context->begun + " " + std::to_string(part.inputs().size()));
  return context;
}
void on_end(const at::RecordFunction& part, at::ObserverContext* context) {
  EXPECT(static_cast<Context*>(context)->begun == part.name());
  seen.push_back(std::string("end ") + part.name());
}
bool saw(const std::string& text) {
  for (const std::string& line : seen)
    if (line.find(text) != std::string::npos) return true;
  return false;
}

void recorded_parts() {
  const Tensor x = torch::ones({3}, torch::requires_grad());
  const at::CallbackHandle user =
      at::addGlobalCallback(at::RecordFunctionCallback(&on_start, &on_end)
                                .needsInputs(true)
                                .scopes({at::RecordScope::USER_SCOPE}));
  EXPECT(at::hasGlobalCallbacks() && at::hasCallbacks() && !at::hasThreadLocalCallbacks());
  {
    RECORD_USER_SCOPE("outer");
    { RECORD_USER_SCOPE_WITH_INPUTS("inner", std::vector<c10::IValue>({x, 1.5})); }
    { RECORD_FUNCTION("not told", std::vector<c10::IValue>({x})); }
  }
  EXPECT((seen ==
          std::vector<std::string>{"begin outer 0", "begin inner 2", "end inner", "end outer"}));
  seen.clear();
  at::disableCallback(user);
  { RECORD_USER_SCOPE("disabled"); }
  at::reenableCallback(user);
  {
    const at::DisableRecordFunctionGuard off;
    EXPECT(!at::isRecordFunctionEnabled());
    RECORD_USER_SCOPE("disabled");
  }
  EXPECT(seen.empty());
  at::removeCallback(user);
  EXPECT(!at::hasCallbacks());
  { RECORD_USER_SCOPE("removed"); }
  EXPECT(seen.empty());

  at::addThreadLocalCallback(at::RecordFunctionCallback(&on_start, &on_end));
  x.exp().sum().backward();
  at::clearThreadLocalCallbacks();
  EXPECT(saw("exp") && saw("sum") && saw("ExpBackward0"));
  size_t begins = 0;
  for (const std::string& line : seen) begins += line.rfind("begin", 0) == 0;
  EXPECT(begins >= 4 && begins * 2 == seen.size());
  EXPECT(has(thrown<c10::Error>([] { at::RecordFunctionCallback(nullptr).samplingProb(2); }),
             "Invalid sampling probability"));
}

}  // namespace

int main() {
  own_things();
  unpacked_options();
  generators();
  odds();
  out_forms();
  further_out_forms();
  results_last();
  recorded_parts();
  return 0;
}
