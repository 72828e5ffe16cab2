#include "trainer.h"

#include <taper/utils/progress.h>
#include <algorithm>
#include <cstdio>

#include "checkpoint.h"
#include "pictures/svg.h"

namespace gpt {
namespace {

using taper::Tensor;

// Copies a batch to the device. The host does not wait: it draws the next batch while the device
// computes.
void give(const Tensor& to, const Tensor& batch) {
  if (to.is_cuda())
    to.copy_(batch.pin_memory(), /*non_blocking=*/true);
  else
    to.copy_(batch);
}

// A block whose activations are computed again in backward.
Tensor recomputed(BlockImpl& block, const Tensor& x) {
  return taper::autograd::checkpoint(
      [&block](const taper::autograd::variable_list& in) {
        return taper::autograd::variable_list{block.forward(in[0])};
      },
      {x})[0];
}

}  // namespace

Trainer::Trainer(const Options& options, Model model, Tensor tokens, taper::Device device)
    : options_(options), device_(device), model_(std::move(model)), tokens_(std::move(tokens)) {
  if (!options.curve.empty()) expect_writable(options.curve);
  model_->to(device);
  optimizer_ = make_optimizer(*model_, options.lr, options.weight_decay);
  const auto longs = taper::TensorOptions(taper::kLong);
  x_ = taper::zeros({options.batch_size, model_->config.context}, longs.device(device));
  y_ = taper::zeros_like(x_);
  loss_ = taper::zeros({}, device);
  if (options.recompute) model_->call_block = recomputed;
}

void Trainer::resume() {
  step_ = load_checkpoint(options_.checkpoint, *model_, *optimizer_);
  std::printf("going on from %s: %lld steps are done\n", options_.checkpoint.c_str(),
              static_cast<long long>(step_));
}

void Trainer::draw_batch() {
  const int64_t context = model_->config.context;
  const Tensor starts =
      taper::randint(tokens_.size(0) - context, {options_.batch_size, 1}, taper::kLong);
  const Tensor places = starts + taper::arange(context);
  give(x_, tokens_.index({places}));
  give(y_, tokens_.index({places + 1}));
}

// Runs forward and backward of one batch. Sets the gradients or adds to them, and adds to the loss.
void Trainer::accumulate() {
  Tensor loss;
  {
    const taper::autocast guard(device_.type(), taper::kBFloat16, options_.autocast == "bf16");
    loss = model_->loss(x_, y_);
  }
  loss = loss / options_.accumulate;
  loss.backward();
  taper::NoGradGuard no_grad;
  loss_.add_(loss.detach());
}

std::unique_ptr<taper::Graph> Trainer::captured() {
  auto graph = std::make_unique<taper::Graph>(device_);
  taper::GraphGuard guard(*graph, first_ ? first_->pool() : taper::MempoolId_t{0, 0});
  accumulate();
  return graph;
}

// Replays overwrite the gradients at the addresses of the capture. This costs less than to fill
// them with zeros and add. At first, these gradients get the values of the batch that ran eagerly.
std::unique_ptr<taper::Graph> Trainer::captured_first() {
  std::vector<Tensor> values;
  for (const Tensor& p : model_->parameters()) values.push_back(p.grad());
  optimizer_->zero_grad(/*set_to_none=*/true);
  auto graph = captured();
  taper::NoGradGuard no_grad;
  auto value = values.begin();
  for (Tensor& p : model_->parameters()) p.mutable_grad().copy_(*value++);
  return graph;
}

// The first batch runs eagerly, to create the state that a capture must not create.
void Trainer::run_batch(bool is_first) {
  draw_batch();
  std::unique_ptr<taper::Graph>& graph = is_first ? first_ : others_;
  if (graph) {
    graph->replay();
    return;
  }
  accumulate();
  if (!options_.eager) graph = is_first ? captured_first() : captured();
}

// Limits the norm of the gradients. On a device, the host does not wait for the norm.
void Trainer::clip() {
  const std::vector<Tensor> parameters = model_->parameters();
  if (device_.is_cpu()) {
    taper::nn::utils::clip_grad_norm_(parameters, options_.clip);
    return;
  }
  std::vector<Tensor> gradients;
  for (const Tensor& p : parameters)
    if (p.grad().defined()) gradients.push_back(p.grad());
  const Tensor norm = taper::nn::utils::get_total_norm(gradients);
  taper::nn::utils::clip_grads_with_norm_(parameters, options_.clip, norm);
}

void Trainer::step() {
  if (!first_) optimizer_->zero_grad(/*set_to_none=*/true);
  loss_.zero_();
  for (int64_t i = 0; i < options_.accumulate; ++i) run_batch(i == 0);
  const double lr = scheduled_lr(options_.lr, step_, options_.warmup, options_.steps);
  for (auto& group : optimizer_->param_groups()) group.options().set_lr(lr);
  clip();
  optimizer_->step();
  ++step_;
}

void Trainer::save() {
  save_checkpoint(options_.checkpoint, options_.settings, *model_, *optimizer_, step_);
}

bool Trainer::train(const volatile int& stop) {
  model_->train();
  const int64_t tokens = options_.accumulate * x_.numel();  // of a step
  taper::utils::Progress progress(
      "training", options_.steps * tokens,
      taper::utils::ProgressOptions().unit("tokens").first(step_ * tokens).lines(10));
  Series curve{"loss", {}, {}};
  while (step_ < options_.steps) {
    step();
    if (!options_.curve.empty() && step_ % 10 == 0)
      curve.add(static_cast<double>(step_ * tokens), loss_.item<double>());
    progress.update(step_ * tokens, [this] { return loss_.item<double>(); });
    if (stop || step_ % options_.checkpoint_every == 0 || step_ == options_.steps) save();
    if (stop) return false;
  }
  if (!options_.curve.empty()) write_svg({curve}, "tokens", options_.curve);
  return true;
}

std::vector<int64_t> write_text(ModelImpl& model, std::vector<int64_t> text, const Options& options,
                                int64_t known, taper::Device device) {
  taper::NoGradGuard no_grad;
  model.eval();
  for (int64_t i = 0; i < options.sample; ++i) {
    const auto all = static_cast<int64_t>(text.size()), seen = std::min(all, model.config.context);
    const std::vector<int64_t> last(text.end() - seen, text.end());
    const Tensor logits = model.forward(taper::tensor(last).to(device).unsqueeze(0));
    const Tensor row = logits.select(0, 0).select(0, -1).slice(0, 0, known).to(taper::kCPU);
    if (options.temperature == 0) {
      text.push_back(row.argmax().item<int64_t>());
      continue;
    }
    const int64_t k = options.top_k > 0 ? std::min(options.top_k, row.size(0)) : row.size(0);
    const auto [values, indices] = taper::topk(row / options.temperature, k);
    text.push_back(
        indices[taper::multinomial(taper::softmax(values, 0), 1).item<int64_t>()].item<int64_t>());
  }
  return text;
}

}  // namespace gpt
