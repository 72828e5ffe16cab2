#include <taper/distributed/reducer.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <taper/distributed/join.h>
#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed {

namespace {

size_t nbytes_of(const Tensor& t) { return static_cast<size_t>(t.numel()) * t.element_size(); }

CommHook compress_hook(ScalarType dtype) {
  return [dtype](ProcessGroup& group, GradBucket& bucket) {
    const NoGradGuard off;
    const Tensor flat = bucket.getBuffer();
    std::vector<Tensor> small = {flat.to(dtype).div(group.getSize())};
    intrusive_ptr<Work> work = group.allreduce(small);
    auto then = make_intrusive<Work>();
    then->on_wait([work, small = small[0], flat] {
      work->wait();
      const NoGradGuard no_grad;
      flat.copy_(small);
    });
    then->finish();
    return then;
  };
}

bool same_place(const Tensor& a, const Tensor& b) {
  return a.data_ptr() == b.data_ptr() && a.is_contiguous() && a.device() == b.device();
}

}  // namespace

CommHook fp16_compress_hook() { return compress_hook(kHalf); }
CommHook bf16_compress_hook() { return compress_hook(kBFloat16); }

std::vector<Tensor> GradBucket::getGradients() const {
  std::vector<Tensor> parts;
  int64_t at = 0;
  for (const Tensor& p : parameters_) {
    parts.push_back(buffer_.narrow(0, at, p.numel()).view(p.sizes()));
    at += p.numel();
  }
  return parts;
}

// ---------------------------------------------------------------------- buckets
Reducer::Reducer(std::vector<std::pair<std::string, Tensor>> parameters,
                 intrusive_ptr<ProcessGroup> group, ReducerOptions options)
    : parameters_(std::move(parameters)), group_(std::move(group)), options_(options) {
  // Gradients arrive in the opposite order.
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
  come_early();
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

// After the first pass, all ranks take the order in which the root's gradients arrived.
void Reducer::take_order_of_arrival(int root) {
  const NoGradGuard off;
  Tensor order = zeros({static_cast<int64_t>(parameters_.size())}, kLong);
  auto* const numbers = order.data_ptr<int64_t>();
  for (size_t k = 0; k < order_.size(); ++k) numbers[k] = static_cast<int64_t>(order_[k]);
  std::vector<Tensor> tensors = {order};
  BroadcastOptions from;
  from.rootRank = root;
  group_->broadcast(tensors, from)->wait();
  make_buckets(std::vector<size_t>(numbers, numbers + parameters_.size()));
  order_.clear();
  has_order_ = true;
}

// ---------------------------------------------------------------------- before a pass
void Reducer::check_all_came() const {
  if (!expects_ || !begun_) return;
  std::string names;
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (left_[i]) names += (names.empty() ? "" : ", ") + parameters_[i].first;
  TAPER_CHECK(
      names.empty(),
      "DistributedDataParallel: expected the gradients of all parameters in the backward pass "
      "before, but none came for ",
      names,
      ". Where forward() does not use all parameters, set "
      "find_unused_parameters; where no backward pass is wanted, use no_grad");
}

void Reducer::begin_forward(int root) {
  TAPER_CHECK(!failed_,
              "DistributedDataParallel: a reduction has failed before, and ranks may differ");
  check_all_came();
  root_ = root;
  if (std::exchange(skipped_, false)) come_early();
  if (takes_order()) or_fail([&] { take_order_of_arrival(root); });
}

void Reducer::prepare(const std::vector<Tensor>& outputs) {
  reset_pass();
  if (options_.find_unused_parameters && !options_.static_graph) find_unused(outputs);
}

void Reducer::skip() {
  expects_ = false;
  skipped_ = true;
}

void Reducer::reset_pass() {
  if (!has_order_) order_.clear();
  const bool counts = options_.static_graph && has_uses_;
  left_ = counts ? uses_ : std::vector<size_t>(parameters_.size(), 1);
  if (!counts) uses_.assign(parameters_.size(), 0);
  used_here_.assign(parameters_.size(), true);
  for (Bucket& b : buckets_) {
    b.missing = static_cast<size_t>(std::count_if(b.parameters.begin(), b.parameters.end(),
                                                  [&](size_t i) { return left_[i] > 0; }));
    if (!options_.gradient_as_bucket_view) b.flat = Tensor();
    b.work.reset();
  }
  kept_.assign(parameters_.size(), Tensor());
  next_ = 0;
  expects_ = true;
  begun_ = false;
}

// Finds the parameters that the outputs do not depend on. They get no gradient to wait for.
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
    left_[i] = 0;
    note(i);
  }
}

// Gradients arrive during the pass, not at its end.
void Reducer::come_early() {
  for (const auto& node : accumulators_) autograd::early_accumulation(*node);
}

// ---------------------------------------------------------------------- during a pass
template <class F>
void Reducer::or_fail(const F& f) {
  try {
    f();
  } catch (...) {
    expects_ = false;
    failed_ = true;
    throw;
  }
}

void Reducer::arrived(size_t i) {
  if (!expects_) return;
  or_fail([&] {
    if (!std::exchange(begun_, true))
      autograd::queue_callback([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->end_of_pass();
      });
    if (options_.static_graph && !has_uses_) {  // the number of gradients is unknown
      const bool again = uses_[i]++ > 0;
      if (has_order_) return;
      if (again) order_.erase(std::find(order_.begin(), order_.end(), i));
      order_.push_back(i);
      return;
    }
    TAPER_CHECK(left_[i] > 0, "DistributedDataParallel: the gradient of ", parameters_[i].first,
                " came more often in a backward pass than was expected: it is used in several "
                "checkpoints, or was used before the pass before. Set static_graph where all "
                "passes are alike");
    if (--left_[i] > 0) return;
    note(i);
    start_ready();
  });
}

void Reducer::note(size_t i) {
  if (!has_order_) order_.push_back(i);
  --buckets_[bucket_of_[i]].missing;
}

// All ranks start buckets in one order, whichever is complete first.
void Reducer::start_ready() {
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) start(next_++);
}

void Reducer::end_of_pass() {
  if (!expects_) return;
  or_fail([&] {
    if (options_.static_graph && !has_uses_) start_unused();
    start_ready();  // also buckets without a used parameter
    if (next_ == buckets_.size()) finish();
  });
}

// Ends the first pass of a static graph. No more gradients will arrive.
void Reducer::start_unused() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    used_here_[i] = uses_[i] > 0;
    left_[i] = 0;
    if (!used_here_[i] && !has_order_) order_.push_back(i);
  }
  for (Bucket& b : buckets_) b.missing = 0;
}

/// Returns the part of the bucket that holds a parameter's gradient.
Tensor Reducer::part_of(const Bucket& bucket, int64_t at, size_t i) const {
  const Tensor& p = parameters_[i].second;
  return bucket.flat.narrow(0, at, p.numel()).view(p.sizes());
}

void Reducer::fill(Bucket& bucket) {
  std::vector<Tensor> parts;
  for (const size_t i : bucket.parameters) {
    const Tensor& p = parameters_[i].second;
    parts.push_back(p.grad().defined() ? p.grad().detach().reshape({-1})
                                       : zeros({p.numel()}, p.options().requires_grad(false)));
  }
  bucket.flat = cat(parts);
}

// Moves the gradients into the bucket, so that the next pass adds to it.
void Reducer::place_gradients(Bucket& bucket) {
  if (!bucket.flat.defined()) {
    int64_t numel = 0;
    for (const size_t i : bucket.parameters) numel += parameters_[i].second.numel();
    const Tensor& p = parameters_[bucket.parameters[0]].second;
    bucket.flat = empty({numel}, p.options().requires_grad(false));
  }
  int64_t at = 0;
  for (const size_t i : bucket.parameters) {
    const Tensor& p = parameters_[i].second;
    const Tensor place = part_of(bucket, at, i), g = p.grad();
    at += p.numel();
    if (!g.defined()) {
      place.zero_();
      continue;
    }
    if (!used_here_[i]) kept_[i] = g.detach().clone();
    if (!same_place(g, place)) place.copy_(g.detach());
    p.mutable_grad() = place;
  }
}

// If nothing runs between buckets, the first announcement covers all.
void Reducer::tell_join(size_t number) {
  if (number == 0) is_told_ = false;
  if (is_told_) return;
  const bool all = number == 0 && !join_->has_statistics();
  join_->announce({detail::Join::kBucket, static_cast<int64_t>(number), all, agrees_on_use()});
  is_told_ = all;
}

void Reducer::start(size_t number) {
  const NoGradGuard off;
  Bucket& bucket = buckets_[number];
  if (join_) tell_join(number);
  if (options_.gradient_as_bucket_view)
    place_gradients(bucket);
  else
    fill(bucket);
  bucket.work = reduce(number, bucket.flat);
}

/// Starts the reduction of a bucket.
intrusive_ptr<Work> Reducer::reduce(size_t number, Tensor& flat) {
  if (hook_) {
    std::vector<Tensor> parameters;
    for (const size_t i : buckets_[number].parameters) parameters.push_back(parameters_[i].second);
    GradBucket given(number, buckets_.size(), flat, std::move(parameters));
    return hook_(*group_, given);
  }
  std::vector<Tensor> tensors = {flat};
  AllreduceOptions how;
  how.reduceOp = divisor_ == 0 ? ReduceOp::AVG : ReduceOp::SUM;
  return group_->allreduce(tensors, how);
}

// ---------------------------------------------------------------------- after a pass
// Returns the parameters that any rank has used. A parameter that no rank has used keeps its
// gradient, or has none.
std::vector<bool> Reducer::used_anywhere(bool agree) {
  if (!agree) return options_.static_graph ? used_static_ : used_here_;
  std::vector<Tensor> used = {zeros({static_cast<int64_t>(used_here_.size())}, kByte)};
  auto* const flags = static_cast<uint8_t*>(used[0].data_ptr());
  std::copy(used_here_.begin(), used_here_.end(), flags);
  AllreduceOptions any;
  any.reduceOp = ReduceOp::MAX;
  group_->allreduce(used, any)->wait();
  used_static_.assign(flags, flags + used_here_.size());
  return used_static_;
}

void Reducer::finish() {
  const NoGradGuard off;
  if (join_ && !is_told_) join_->announce({detail::Join::kEndOfPass, agrees_on_use()});
  const bool agrees = agrees_on_use();
  const std::vector<bool> used = used_anywhere(agrees);
  if (join_ && agrees) share_unused(used, root_, false);
  for (Bucket& bucket : buckets_) {
    bucket.work->wait();
    if (divisor_ != 0 && !hook_) bucket.flat.div_(divisor_);
    give_out(bucket, used);
    bucket.work.reset();
    if (!options_.gradient_as_bucket_view) bucket.flat = Tensor();
  }
  has_order_ = true;
  if (options_.static_graph) has_uses_ = has_agreed_ = true;
  expects_ = false;
  come_early();
}

void Reducer::give_out(Bucket& bucket, const std::vector<bool>& used) {
  int64_t at = 0;
  for (const size_t i : bucket.parameters) {
    const Tensor& p = parameters_[i].second;
    const Tensor mean = part_of(bucket, at, i);
    at += p.numel();
    if (!used[i]) {
      if (kept_[i].defined()) mean.copy_(kept_[i]);
    } else if (options_.gradient_as_bucket_view) {
      p.mutable_grad() = mean;
    } else if (p.grad().defined()) {
      p.mutable_grad().detach().copy_(mean);
    } else {
      p.mutable_grad() = mean.clone();
    }
  }
}

// Works as a pass in which all gradients arrive at once. It tells nothing about later passes.
// Gradients keep their memory, because a captured graph writes them there.
void Reducer::average_all() {
  const bool had_order = has_order_, had_uses = has_uses_, had_agreed = has_agreed_;
  const bool views = std::exchange(options_.gradient_as_bucket_view, false);
  reset_pass();
  for (size_t i = 0; i < parameters_.size(); ++i)
    used_here_[i] = !agrees_on_use() || parameters_[i].second.grad().defined();
  for (Bucket& b : buckets_) b.missing = 0;
  or_fail([&] {
    start_ready();
    finish();
  });
  has_order_ = had_order;
  has_uses_ = had_uses;
  has_agreed_ = had_agreed;
  options_.gradient_as_bucket_view = views;
}

// ---------------------------------------------------------------------- for other ranks' passes
// Runs the same collectives as a pass with gradients.
void Reducer::shadow(size_t number) {
  const NoGradGuard off;
  Bucket& bucket = buckets_.at(number);
  int64_t numel = 0;
  for (const size_t i : bucket.parameters) numel += parameters_[i].second.numel();
  const Tensor& first = parameters_[bucket.parameters[0]].second;
  bucket.shadow = zeros({numel}, first.options().requires_grad(false));
  bucket.work = reduce(number, bucket.shadow);
}

void Reducer::end_shadow(bool agrees_on_use, int root) {
  const NoGradGuard off;
  used_here_.assign(parameters_.size(), false);
  std::vector<bool> used(parameters_.size(), true);
  if (agrees_on_use || options_.static_graph) used = used_anywhere(agrees_on_use);
  if (agrees_on_use) share_unused(used, root, true);
  if (options_.static_graph) has_agreed_ = true;
  for (Bucket& bucket : buckets_) {
    if (!bucket.work) continue;
    bucket.work->wait();
    if (divisor_ != 0 && !hook_) bucket.shadow.div_(divisor_);
    give_out_shadow(bucket, used);
    bucket.work.reset();
    bucket.shadow.reset();
  }
  if (std::exchange(has_order_, true)) return;  // all ranks have an order now
  order_.clear();
  for (const Bucket& bucket : buckets_)
    order_.insert(order_.end(), bucket.parameters.begin(), bucket.parameters.end());
}

// Shares the gradients of parameters that no rank has used. They depend on zero_grad(), which ranks
// without inputs do not call.
void Reducer::share_unused(const std::vector<bool>& used, int root, bool takes) {
  std::vector<size_t> unused;
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) unused.push_back(i);
  if (unused.empty()) return;
  BroadcastOptions from;
  from.rootRank = root;
  std::vector<Tensor> there = {zeros({static_cast<int64_t>(unused.size())}, kByte)};
  auto* const flags = static_cast<uint8_t*>(there[0].data_ptr());
  for (size_t k = 0; k < unused.size(); ++k)
    flags[k] = parameters_[unused[k]].second.grad().defined();
  group_->broadcast(there, from)->wait();
  for (size_t k = 0; k < unused.size(); ++k) {
    const Tensor& p = parameters_[unused[k]].second;
    if (takes) p.mutable_grad() = Tensor();
    if (!flags[k]) continue;
    std::vector<Tensor> g = {p.grad().defined() ? p.grad().detach().clone()
                                                : zeros_like(p.detach())};
    g[0] = g[0].contiguous();
    group_->broadcast(g, from)->wait();
    if (takes) p.mutable_grad() = g[0];
  }
}

void Reducer::give_out_shadow(Bucket& bucket, const std::vector<bool>& used) {
  int64_t at = 0;
  for (const size_t i : bucket.parameters) {
    const Tensor& p = parameters_[i].second;
    const Tensor mean = bucket.shadow.narrow(0, at, p.numel()).view(p.sizes());
    at += p.numel();
    if (!used[i]) continue;
    if (p.grad().defined())
      p.mutable_grad().detach().copy_(mean);
    else
      p.mutable_grad() = mean.clone();
  }
}

}  // namespace torch::taper::distributed
