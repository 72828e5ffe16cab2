#include <taper/distributed/reducer.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include <taper/framework/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace taper::distributed {

namespace {

size_t nbytes_of(const Tensor& t) { return static_cast<size_t>(t.numel()) * t.element_size(); }

CommHook compress_hook(ScalarType dtype) {
  return [dtype](ProcessGroup& group, Tensor& bucket) {
    const NoGradGuard off;
    std::vector<Tensor> small = {bucket.to(dtype).div(group.getSize())};
    intrusive_ptr<Work> work = group.allreduce(small);
    auto then = make_intrusive<Work>();
    then->on_wait([work, small = small[0], bucket] {
      work->wait();
      const NoGradGuard no_grad;
      bucket.copy_(small);
    });
    then->finish();
    return then;
  };
}

}  // namespace

CommHook fp16_compress_hook() { return compress_hook(kHalf); }
CommHook bf16_compress_hook() { return compress_hook(kBFloat16); }

Reducer::Reducer(std::vector<std::pair<std::string, Tensor>> parameters,
                 intrusive_ptr<ProcessGroup> group, ReducerOptions options)
    : parameters_(std::move(parameters)), group_(std::move(group)), options_(options) {
  // Gradients come about in the opposite order.
  std::vector<size_t> order(parameters_.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  make_buckets(order);
}

void Reducer::attach() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    accumulators_.push_back(autograd::gradient_edge(parameters_[i].second).function);
    accumulators_.back()->add_post_hook(
        [weak = weak_from_this(), i](const autograd::variable_list& grads,
                                     const autograd::variable_list&) {
          if (const auto self = weak.lock()) self->arrived(i);
          return grads;
        });
  }
}

// Buckets hold parameters of one dtype and device.
void Reducer::make_buckets(const std::vector<size_t>& order) {
  buckets_.clear();
  bucket_of_.assign(parameters_.size(), 0);
  size_t bytes = 0, limit = options_.first_bucket_bytes;
  for (const size_t i : order) {
    const Tensor& p = parameters_[i].second;
    const bool fits = !buckets_.empty() && bytes < limit && [&] {
      const Tensor& first = parameters_[buckets_.back().parameters[0]].second;
      return first.scalar_type() == p.scalar_type() && first.device() == p.device();
    }();
    if (!fits) {
      if (!buckets_.empty()) limit = options_.bucket_bytes;
      buckets_.emplace_back();
      bytes = 0;
    }
    buckets_.back().parameters.push_back(i);
    bucket_of_[i] = buckets_.size() - 1;
    bytes += nbytes_of(p);
  }
}

std::vector<std::vector<size_t>> Reducer::buckets() const {
  std::vector<std::vector<size_t>> all;
  for (const Bucket& b : buckets_) all.push_back(b.parameters);
  return all;
}

void Reducer::prepare(const std::vector<Tensor>& outputs) {
  TAPER_CHECK(!failed_,
              "DistributedDataParallel: a reduction has failed before, and ranks may differ");
  if (expects_ && begun_) {
    std::string names;
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (!arrived_[i]) names += (names.empty() ? "" : ", ") + parameters_[i].first;
    TAPER_CHECK(
        names.empty(),
        "DistributedDataParallel: expected the gradients of all parameters in the backward pass "
        "before, but none came for ",
        names,
        ". Where forward() does not use all parameters, set "
        "find_unused_parameters; where no backward pass is wanted, use no_grad");
  }
  if (has_order_ && !order_.empty()) take_order_of_arrival();
  if (!has_order_) order_.clear();
  for (Bucket& b : buckets_) {
    b.missing = b.parameters.size();
    b.flat = Tensor();
    b.work.reset();
  }
  next_ = 0;
  arrived_.assign(parameters_.size(), false);
  used_here_.assign(parameters_.size(), true);
  expects_ = true;
  begun_ = false;
  if (options_.find_unused_parameters) find_unused(outputs);
}

// What the outputs do not lead to has no gradient to wait for.
void Reducer::find_unused(const std::vector<Tensor>& outputs) {
  std::unordered_set<autograd::Node*> seen;
  std::vector<autograd::Node*> open;
  const auto visit = [&](autograd::Node* n) {
    if (n && seen.insert(n).second) open.push_back(n);
  };
  for (const Tensor& y : outputs)
    if (y.defined() && y.requires_grad()) visit(autograd::gradient_edge(y).function.get());
  while (!open.empty()) {
    autograd::Node* const n = open.back();
    open.pop_back();
    for (const autograd::Edge& e : n->next_edges()) visit(e.function.get());
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (seen.count(accumulators_[i].get())) continue;
    used_here_[i] = false;
    note(i);
  }
}

void Reducer::note(size_t i) {
  arrived_[i] = true;
  if (!has_order_) order_.push_back(i);
  --buckets_[bucket_of_[i]].missing;
}

void Reducer::arrived(size_t i) {
  if (!expects_ || arrived_[i]) return;
  begun_ = true;
  note(i);
  // All ranks start buckets in one order, whatever comes first.
  try {
    while (next_ < buckets_.size() && buckets_[next_].missing == 0) start(buckets_[next_++]);
    if (next_ == buckets_.size()) finish();
  } catch (...) {
    expects_ = false;
    failed_ = true;
    throw;
  }
}

void Reducer::start(Bucket& bucket) {
  const NoGradGuard off;
  std::vector<Tensor> parts;
  for (const size_t i : bucket.parameters) {
    const Tensor& p = parameters_[i].second;
    parts.push_back(p.grad().defined() ? p.grad().detach().reshape({-1})
                                       : zeros({p.numel()}, p.options().requires_grad(false)));
  }
  bucket.flat = cat(parts);
  if (hook_) {
    bucket.work = hook_(*group_, bucket.flat);
    return;
  }
  std::vector<Tensor> tensors = {bucket.flat};
  AllreduceOptions average;
  average.reduceOp = ReduceOp::AVG;
  bucket.work = group_->allreduce(tensors, average);
}

// Which parameters any rank has used: one that none has keeps the gradient that it has, or none.
std::vector<bool> Reducer::used_anywhere() {
  if (!options_.find_unused_parameters) return used_here_;
  std::vector<Tensor> used = {zeros({static_cast<int64_t>(used_here_.size())}, kByte)};
  auto* const flags = static_cast<uint8_t*>(used[0].data_ptr());
  std::copy(used_here_.begin(), used_here_.end(), flags);
  AllreduceOptions any;
  any.reduceOp = ReduceOp::MAX;
  group_->allreduce(used, any)->wait();
  return std::vector<bool>(flags, flags + used_here_.size());
}

void Reducer::finish() {
  const NoGradGuard off;
  const std::vector<bool> used = used_anywhere();
  for (Bucket& bucket : buckets_) {
    bucket.work->wait();
    int64_t at = 0;
    for (const size_t i : bucket.parameters) {
      Tensor p = parameters_[i].second;
      const Tensor mean = bucket.flat.narrow(0, at, p.numel()).view(p.sizes());
      at += p.numel();
      if (!used[i]) continue;
      if (p.grad().defined())
        p.mutable_grad().detach().copy_(mean);
      else
        p.mutable_grad() = mean.clone();
    }
    bucket.work.reset();
    bucket.flat = Tensor();
  }
  has_order_ = true;
  expects_ = false;
}

// After the first pass: the order in which rank 0's gradients came.
void Reducer::take_order_of_arrival() {
  const NoGradGuard off;
  Tensor order = zeros({static_cast<int64_t>(order_.size())}, kLong);
  for (size_t k = 0; k < order_.size(); ++k)
    order[static_cast<int64_t>(k)] = static_cast<int64_t>(order_[k]);
  std::vector<Tensor> tensors = {order};
  group_->broadcast(tensors)->wait();
  std::vector<size_t> agreed;
  for (size_t k = 0; k < order_.size(); ++k)
    agreed.push_back(static_cast<size_t>(order[static_cast<int64_t>(k)].item<int64_t>()));
  order_.clear();
  make_buckets(agreed);
}

}  // namespace taper::distributed
