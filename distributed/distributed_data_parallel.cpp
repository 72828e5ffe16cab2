#include <taper/distributed/distributed_data_parallel.h>

#include <cstring>

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

/// Each rank's text, for all.
std::vector<std::string> gather_texts(ProcessGroup& group, const std::string& own) {
  const int size = group.getSize();
  Tensor length = full({1}, static_cast<int64_t>(own.size()), kLong),
         lengths = zeros({size}, kLong);
  group._allgather_base(lengths, length)->wait();
  const int64_t most = lengths.max().item<int64_t>();
  Tensor text = zeros({most}, kByte), texts = zeros({size, most}, kByte);
  std::memcpy(text.data_ptr(), own.data(), own.size());
  group._allgather_base(texts, text)->wait();
  std::vector<std::string> all;
  for (int r = 0; r < size; ++r) {
    const auto* begin = static_cast<const char*>(texts.data_ptr()) + r * most;
    all.emplace_back(begin, begin + lengths[r].item<int64_t>());
  }
  return all;
}

std::string first_line_that_differs(const std::string& a, const std::string& b) {
  size_t begin = 0;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
    if (a[i] == '\n') begin = i + 1;
  const std::string line = a.substr(begin, a.find('\n', begin) - begin);
  return line.empty() ? "nothing" : line;
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
  broadcast(all);
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
  reducer_ = std::make_shared<distributed::Reducer>(std::move(trained), group_, reducing);
  reducer_->attach();
}

void DistributedModule::check_alike() {
  const std::string own = description_of(*module_);
  const std::vector<std::string> all = gather_texts(*group_, own);
  for (size_t r = 1; r < all.size(); ++r)
    TAPER_CHECK(all[r] == all[0],
                "DistributedDataParallel: expected all ranks to have the same module, "
                "but rank ",
                r, " has ", first_line_that_differs(all[r], all[0]), " where rank 0 has ",
                first_line_that_differs(all[0], all[r]));
}

void DistributedModule::broadcast(std::vector<Tensor> tensors) {
  const NoGradGuard off;
  std::vector<intrusive_ptr<distributed::Work>> works;
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    std::vector<Tensor> one = {t.detach().contiguous()};
    if (!t.is_contiguous()) copies.emplace_back(t, one[0]);
    works.push_back(group_->broadcast(one));
  }
  for (auto& work : works) work->wait();
  for (auto& [to, from] : copies) to.detach().copy_(from);
}

void DistributedModule::before_forward() {
  if (sync_ && options_.broadcast_buffers() && module_->is_training() && GradMode::is_enabled() &&
      group_->getSize() > 1)
    broadcast(module_->buffers());
}

void DistributedModule::after_forward(const std::vector<Tensor>& outputs) {
  if (sync_ && GradMode::is_enabled())
    reducer_->prepare(outputs);
  else
    reducer_->skip();
}

}  // namespace taper::nn::parallel::detail
