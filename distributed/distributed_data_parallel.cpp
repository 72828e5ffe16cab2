#include <taper/distributed/distributed_data_parallel.h>

#include <taper/distributed/broadcast_all.h>
#include <taper/distributed/fully_shard.h>
#include <taper/distributed/gather_texts.h>
#include <taper/distributed/join.h>
#include <taper/distributed/operation.h>
#include <taper/distributed/zero_redundancy_optimizer.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::parallel::detail {

namespace {

using distributed::ProcessGroup;
using distributed::detail::Join;

/// Returns a line for each parameter and buffer.
std::string description_of(const Module& module) {
  std::string text;
  const auto add = [&](const char* what, const auto& list) {
    for (const auto& item : list)
      if (const Tensor& t = item.value(); t.defined())
        text += taper::detail::concat(what, " ", item.key(), " ", t.scalar_type(), t.sizes(),
                                      t.requires_grad() ? " that requires a gradient\n" : "\n");
  };
  add("parameter", module.named_parameters());
  add("buffer", module.named_buffers());
  return text;
}

}  // namespace

DistributedModule::DistributedModule(std::shared_ptr<Module> module,
                                     const DistributedDataParallelOptions& options)
    : module_(std::move(module)),
      options_(options),
      group_(options.process_group().defined() ? options.process_group()
                                               : distributed::default_group()) {
  TAPER_CHECK_VALUE(module_, "DistributedDataParallel: expected a module, got none");
  TAPER_CHECK_VALUE(options.bucket_cap_mb() > 0,
                    "DistributedDataParallel: expected a bucket_cap_mb above 0, got ",
                    options.bucket_cap_mb());
  for (const auto& p : module_->named_parameters())
    TAPER_CHECK_VALUE(!distributed::shard_of(p.value()),
                      "DistributedDataParallel: expected whole parameters, but of ", p.key(),
                      " each rank has a part: fully_shard() averages gradients itself, so call the "
                      "module without the wrapper");
  check_alike();
  std::vector<Tensor> all = module_->parameters();
  for (const Tensor& b : module_->buffers()) all.push_back(b);
  broadcast(all, 0);
  std::vector<std::pair<std::string, Tensor>> trained;
  for (const auto& p : module_->named_parameters())
    if (p.value().requires_grad()) trained.emplace_back(p.key(), p.value());
  TAPER_CHECK(!trained.empty(),
              "DistributedDataParallel is not needed when a module doesn't have any parameter that "
              "requires a gradient.");
  distributed::ReducerOptions reducing;
  reducing.bucket_bytes = static_cast<size_t>(options.bucket_cap_mb() * (1 << 20));
  reducing.first_bucket_bytes = std::min(reducing.first_bucket_bytes, reducing.bucket_bytes);
  reducing.find_unused_parameters = options.find_unused_parameters();
  reducing.static_graph = options.static_graph();
  reducing.gradient_as_bucket_view = options.gradient_as_bucket_view();
  reducer_ = std::make_shared<distributed::Reducer>(std::move(trained), group_, reducing);
  reducer_->attach();
}

void DistributedModule::check_alike() {
  distributed::detail::check_same_texts("DistributedDataParallel", "module", *group_,
                                        description_of(*module_), module_->parameters());
}

void DistributedModule::broadcast(const std::vector<Tensor>& tensors, int root) {
  distributed::detail::broadcast_all(*group_, tensors, root);
}

bool DistributedModule::sends_buffers() const {
  return sync_ && options_.broadcast_buffers() && module_->is_training() &&
         GradMode::is_enabled() && group_->getSize() > 1;
}

// Throws in a capture, because replays would not repeat the collectives.
void DistributedModule::check_not_captured() const {
  TAPER_CHECK(
      !distributed::detail::is_capturing(),
      "DistributedDataParallel: expected no capture under way: the replays of a graph would "
      "not average gradients. Capture passes under no_sync(), and call "
      "average_gradients() after each replay");
}

void DistributedModule::before_forward() {
  const bool averages = sync_ && GradMode::is_enabled();
  if (averages || sends_buffers()) check_not_captured();
  if (join_) tell_forward(averages);
  if (sends_buffers()) broadcast(module_->buffers(), root_);
  if (averages) reducer_->begin_forward(root_);
}

void DistributedModule::after_forward(const std::vector<Tensor>& outputs) {
  if (sync_ && GradMode::is_enabled())
    reducer_->prepare(outputs);
  else
    reducer_->skip();
}

void DistributedModule::average_gradients() {
  check_not_captured();
  if (join_) tell_forward(true);
  reducer_->begin_forward(root_);
  reducer_->average_all();
}

// ---------------------------------------------------------------------- join
// Announces a step. Before each collective, ranks with inputs tell the others which one it is.
// Ranks without inputs take part in it with gradients of zero.
void DistributedModule::follow(int with_inputs, int root) {
  TAPER_CHECK(!join_options_.throw_on_early_termination() || with_inputs == group_->getSize(),
              "DistributedDataParallel::join: expected all ranks to have as many inputs, but ",
              group_->getSize() - with_inputs, " of ", group_->getSize(),
              " have no more (throw_on_early_termination)");
  root_ = root;
  reducer_->divide_by(join_options_.divide_by_initial_world_size() ? 0 : with_inputs);
}

void DistributedModule::tell_forward(bool averages) {
  const auto heard =
      join_->tell({Join::kForward, averages, sends_buffers(), averages && reducer_->takes_order()});
  follow(heard.with_inputs, heard.root);
}

void DistributedModule::begin_join(const JoinOptions& options) {
  join_ = std::make_shared<Join>(group_, options.optimizers());
  join_options_ = options;
  reducer_->set_join(join_.get());
  root_ = 0;
}

void DistributedModule::end_join() {
  reducer_->set_join(nullptr);
  join_.reset();
  root_ = 0;
  reducer_->divide_by(0);
}

void DistributedModule::shadow_forward(int64_t averages, int64_t sends_buffers,
                                       int64_t takes_order) {
  if (sends_buffers) broadcast(module_->buffers(), root_);
  if (averages && takes_order) reducer_->take_order(root_);
}

namespace {

/// Plays the part of a rank without values in functional::sync_batch_norm.
void shadow_statistics(ProcessGroup& group, int64_t numbers, int64_t dtype) {
  Tensor row = zeros({numbers}, kDouble), rows = empty({group.getSize(), numbers}, kDouble);
  row.narrow(0, 1, 1).fill_(static_cast<double>(dtype));
  group._allgather_base(rows, row)->wait();
}
void shadow_sums(ProcessGroup& group, int64_t numbers, int64_t dtype) {
  std::vector<Tensor> sums = {zeros({numbers}, static_cast<ScalarType>(dtype))};
  group.allreduce(sums)->wait();
}

}  // namespace

void DistributedModule::shadow_others() {
  const NoGradGuard off;
  for (;;) {
    const auto heard = join_->tell({});
    if (heard.with_inputs == 0) break;
    const auto& [step, a, b, c] = heard.note;
    switch (step) {
      case Join::kForward:
        follow(heard.with_inputs, heard.root);
        shadow_forward(a, b, c);
        break;
      case Join::kBucket:
        reducer_->shadow(static_cast<size_t>(a));
        if (b == 0) break;
        for (size_t i = 1; i < reducer_->bucket_count(); ++i) reducer_->shadow(i);
        reducer_->end_shadow(c != 0, heard.root);
        break;
      case Join::kEndOfPass:
        reducer_->end_shadow(a != 0, heard.root);
        break;
      case Join::kStatistics:
        shadow_statistics(*group_, a, b);
        break;
      case Join::kSums:
        shadow_sums(*group_, a, b);
        break;
      default:
        join_->optimizer(a).shadow_step(heard.root);
    }
  }
  // The rank that ended last has taken all steps.
  std::vector<Tensor> all = module_->parameters();
  for (const Tensor& b : module_->buffers()) all.push_back(b);
  broadcast(all, root_);
}

}  // namespace torch::taper::nn::parallel::detail
