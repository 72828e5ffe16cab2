#include <taper/distributed/distributed_data_parallel.h>

#include <taper/distributed/gather_texts.h>
#include <taper/framework/grad_mode.h>
#include <taper/ops/tensor/factory.h>

namespace taper::nn::parallel::detail {

namespace {

using distributed::ProcessGroup;

/// A line for each parameter and buffer.
std::string description_of(const Module& module) {
  std::string text;
  const auto add = [&](const char* what, const auto& list) {
    for (const auto& item : list)
      if (item.value().defined())
        text += taper::detail::concat(what, " ", item.key(), " ", item.value().scalar_type(),
                                      item.value().sizes(), "\n");
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
  const NoGradGuard off;
  distributed::BroadcastOptions how;
  how.rootRank = root;
  std::vector<intrusive_ptr<distributed::Work>> works;
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    std::vector<Tensor> one = {t.detach().contiguous()};
    if (!t.is_contiguous()) copies.emplace_back(t, one[0]);
    works.push_back(group_->broadcast(one, how));
  }
  for (auto& work : works) work->wait();
  for (auto& [to, from] : copies) to.detach().copy_(from);
}

bool DistributedModule::sends_buffers() const {
  return sync_ && options_.broadcast_buffers() && module_->is_training() &&
         GradMode::is_enabled() && group_->getSize() > 1;
}

void DistributedModule::before_forward() {
  const bool averages = sync_ && GradMode::is_enabled();
  if (join_) {
    const Round round = tell({1, averages, sends_buffers(), averages && reducer_->takes_order(),
                              averages && reducer_->agrees_on_use()});
    check_none_ended(round);
  }
  if (sends_buffers()) broadcast(module_->buffers(), root_);
  if (averages) reducer_->begin_forward(root_);
}

void DistributedModule::after_forward(const std::vector<Tensor>& outputs) {
  if (sync_ && GradMode::is_enabled())
    reducer_->prepare(outputs);
  else
    reducer_->skip();
}

// ---------------------------------------------------------------------- join
// In each round, which begins where a rank that has inputs calls the module, all ranks tell what
// they are about to do; those without inputs do the same with gradients of zero.
DistributedModule::Round DistributedModule::tell(const Round& own) {
  constexpr int64_t kCount = std::tuple_size<Round>::value;
  Tensor row = empty({kCount}, kLong), rows = empty({group_->getSize(), kCount}, kLong);
  std::copy(own.begin(), own.end(), row.data_ptr<int64_t>());
  group_->_allgather_base(rows, row)->wait();
  Round sums{};
  const int64_t* p = rows.data_ptr<int64_t>();
  int root = -1;
  for (int r = 0; r < group_->getSize(); ++r) {
    if (root < 0 && p[r * kCount] != 0) root = r;
    for (int64_t k = 0; k < kCount; ++k) sums[static_cast<size_t>(k)] += p[r * kCount + k];
  }
  if (root >= 0) root_ = root;  // else who had inputs in the round before
  reducer_->divide_by(join_->divide_by_initial_world_size() ? 0 : static_cast<int>(sums[0]));
  return sums;
}

void DistributedModule::check_none_ended(const Round& round) const {
  TAPER_CHECK(!join_->throw_on_early_termination() || round[0] == group_->getSize(),
              "DistributedDataParallel::join: expected all ranks to have as many inputs, but ",
              group_->getSize() - round[0], " of ", group_->getSize(),
              " have no more (throw_on_early_termination)");
}

void DistributedModule::begin_join(const JoinOptions& options) {
  TAPER_CHECK(!join_, "DistributedDataParallel::join: expected no join within a join");
  join_ = options;
  root_ = 0;
}

void DistributedModule::end_join() {
  join_.reset();
  root_ = 0;
  reducer_->divide_by(0);
}

void DistributedModule::shadow_others() {
  for (;;) {
    const Round round = tell({});
    if (round[0] == 0) break;
    check_none_ended(round);
    if (round[2]) broadcast(module_->buffers(), root_);
    if (round[1]) reducer_->shadow(round[3] != 0, round[4] != 0, root_);
  }
  // Who ended last has taken all steps.
  std::vector<Tensor> all = module_->parameters();
  for (const Tensor& b : module_->buffers()) all.push_back(b);
  broadcast(all, root_);
}

}  // namespace taper::nn::parallel::detail
