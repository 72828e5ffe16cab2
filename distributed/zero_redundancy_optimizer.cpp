#include <taper/distributed/zero_redundancy_optimizer.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <sstream>

#include <taper/distributed/fully_shard.h>
#include <taper/distributed/gather_texts.h>
#include <taper/distributed/init.h>
#include <taper/distributed/join.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/cat.h>
#include <taper/optim/serialize.h>

namespace torch::taper::optim {

namespace {

using distributed::ProcessGroup;
using distributed::detail::Join;

/// Returns the bytes that an optimizer saves.
std::string bytes_of(const Optimizer& optimizer) {
  serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream out;
  archive.save_to(out);
  return out.str();
}

// ---------------------------------------------------------------------- texts as tensors
Tensor length_of(const std::string& text) {
  return full({1}, static_cast<int64_t>(text.size()), kLong);
}
Tensor bytes_of(const std::string& text) {
  const Tensor bytes = empty({static_cast<int64_t>(text.size())}, kByte);
  std::memcpy(bytes.data_ptr(), text.data(), text.size());
  return bytes;
}
std::string text_of(const Tensor& bytes) {
  return std::string(static_cast<const char*>(bytes.data_ptr()),
                     static_cast<size_t>(bytes.numel()));
}

void send_text(ProcessGroup& group, const std::string& text, int to) {
  std::vector<Tensor> length = {length_of(text)}, bytes = {bytes_of(text)};
  group.send(length, to, 0)->wait();
  group.send(bytes, to, 1)->wait();
}
std::string receive_text(ProcessGroup& group, int from) {
  std::vector<Tensor> length = {empty({1}, kLong)};
  group.recv(length, from, 0)->wait();
  std::vector<Tensor> bytes = {empty({length[0].item<int64_t>()}, kByte)};
  group.recv(bytes, from, 1)->wait();
  return text_of(bytes[0]);
}

/// Returns the root's text, and ignores those of other ranks.
std::string broadcast_text(ProcessGroup& group, const std::string& text, int root) {
  distributed::BroadcastOptions from;
  from.rootRank = root;
  std::vector<Tensor> length = {length_of(text)};
  group.broadcast(length, from)->wait();
  std::vector<Tensor> bytes = {group.getRank() == root ? bytes_of(text)
                                                       : empty({length[0].item<int64_t>()}, kByte)};
  group.broadcast(bytes, from)->wait();
  return text_of(bytes[0]);
}

/// Holds tensors that are sent together.
struct Parcel {
  std::vector<Tensor> parts;
  std::vector<Tensor> flat;  // of one element: for broadcast
  distributed::ProcessGroup::WorkPtr work;
};

}  // namespace

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(std::vector<OptimizerParamGroup> param_groups,
                                                 std::unique_ptr<OptimizerOptions> defaults,
                                                 Factory factory, Group group)
    : Optimizer(std::move(param_groups), std::move(defaults)),
      factory_(std::move(factory)),
      group_(group.defined() ? std::move(group) : distributed::default_group()),
      load_(static_cast<size_t>(group_->getSize()), 0) {
  TAPER_CHECK_VALUE(factory_,
                    "ZeroRedundancyOptimizer: expected a factory of optimizers, got none");
  take_over(0);
}

void ZeroRedundancyOptimizer::check_alike(size_t from_group) {
  std::string text;
  std::vector<Tensor> all;
  for (size_t i = from_group; i < param_groups_.size(); ++i)
    for (const Tensor& p : param_groups_[i].params()) {
      TAPER_CHECK_VALUE(!distributed::shard_of(p),
                        "ZeroRedundancyOptimizer: expected whole parameters, got one that "
                        "fully_shard() has sharded: any optimizer then has its part of the state");
      all.push_back(p);
      text +=
          taper::detail::concat("parameter ", p.scalar_type(), p.sizes(), " of group ", i, "\n");
    }
  distributed::detail::check_same_texts("ZeroRedundancyOptimizer", "parameters", *group_, text,
                                        all);
}

// Assigns the largest parameters first, each to the rank that has the fewest elements.
void ZeroRedundancyOptimizer::take_over(size_t from_group) {
  check_alike(from_group);
  for (size_t g = from_group; g < param_groups_.size(); ++g) {
    const std::vector<Tensor>& params = param_groups_[g].params();
    std::vector<size_t> order(params.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return params[a].numel() > params[b].numel(); });
    const size_t first = owners_.size();
    owners_.resize(first + params.size());
    for (const size_t i : order) {
      const auto least = std::min_element(load_.begin(), load_.end());
      owners_[first + i] = static_cast<int>(least - load_.begin());
      *least += params[i].numel();
    }
  }
  groups_ = param_groups_.size();
  std::vector<OptimizerParamGroup> part = part_of(group_->getRank());
  if (!local_)
    local_ = factory_(std::move(part));
  else
    for (size_t g = from_group; g < part.size(); ++g) local_->add_param_group(part[g]);
}

/// Returns the groups with a rank's parameters, and copies of their options.
std::vector<OptimizerParamGroup> ZeroRedundancyOptimizer::part_of(int rank) const {
  std::vector<OptimizerParamGroup> part;
  size_t number = 0;
  for (const OptimizerParamGroup& group : param_groups_) {
    std::vector<Tensor> some;
    for (const Tensor& p : group.params())
      if (owners_[number++] == rank) some.push_back(p);
    part.emplace_back(std::move(some), group.options().clone());
  }
  return part;
}

void ZeroRedundancyOptimizer::add_param_group(const OptimizerParamGroup& group) {
  Optimizer::add_param_group(group);
  take_over(groups_);
}

// Copies the options, because schedules and programs change those of all groups here.
void ZeroRedundancyOptimizer::update_options() {
  for (size_t g = 0; g < groups_; ++g)
    local_->param_groups()[g].set_options(param_groups_[g].options().clone());
}

Tensor ZeroRedundancyOptimizer::step(LossClosure closure) {
  const StepScope recorded("ZeroRedundancyOptimizer.step");
  Tensor loss = evaluate(closure);
  if (groups_ < param_groups_.size()) take_over(groups_);  // added to the base
  if (Join* const join = Join::current_for("ZeroRedundancyOptimizer", group_))
    take_options(join->tell({Join::kOptimizerStep, join->number_of(this)}).root);
  step_all();
  return loss;
}

void ZeroRedundancyOptimizer::shadow_step(int root) {
  const StepScope recorded("ZeroRedundancyOptimizer.step");
  take_options(root);
  step_all();
}

void ZeroRedundancyOptimizer::step_all() {
  update_options();
  local_->step();
  send_parameters();
  consolidated_ = false;
  state_.clear();
}

// Takes the root's options, because schedules run on ranks with inputs only.
void ZeroRedundancyOptimizer::take_options(int root) {
  serialize::OutputArchive all;
  for (size_t g = 0; g < groups_; ++g) {
    serialize::OutputArchive one;
    param_groups_[g].options().serialize(one);
    all.write(std::to_string(g), one);
  }
  std::ostringstream out;
  all.save_to(out);
  const std::string text = broadcast_text(*group_, out.str(), root);
  if (group_->getRank() == root) return;
  serialize::InputArchive theirs;
  theirs.load_from(text.data(), text.size());
  for (size_t g = 0; g < groups_; ++g) {
    serialize::InputArchive one;
    theirs.read(std::to_string(g), one);
    param_groups_[g].options().serialize(one);
  }
}

// Sends parameters from each owner to all others. Those of one dtype and device go together.
void ZeroRedundancyOptimizer::send_parameters() {
  const NoGradGuard off;
  std::vector<Parcel> parcels;
  for (int owner = 0; owner < group_->getSize(); ++owner) {
    const size_t first = parcels.size();
    for (const OptimizerParamGroup& group : part_of(owner))
      for (const Tensor& p : group.params()) {
        const auto of_kind = [&](const Parcel& parcel) {
          return parcel.parts[0].scalar_type() == p.scalar_type() &&
                 parcel.parts[0].device() == p.device();
        };
        auto at = std::find_if(parcels.begin() + static_cast<std::ptrdiff_t>(first), parcels.end(),
                               of_kind);
        if (at == parcels.end()) at = parcels.emplace(parcels.end());
        at->parts.push_back(p.detach());
      }
    for (size_t i = first; i < parcels.size(); ++i) {
      std::vector<Tensor> flat;
      for (const Tensor& t : parcels[i].parts) flat.push_back(t.reshape({-1}));
      parcels[i].flat = {cat(flat)};
      distributed::BroadcastOptions from;
      from.rootRank = owner;
      parcels[i].work = group_->broadcast(parcels[i].flat, from);
    }
  }
  for (Parcel& parcel : parcels) {
    parcel.work->wait();
    int64_t at = 0;
    for (const Tensor& t : parcel.parts) {
      t.copy_(parcel.flat[0].narrow(0, at, t.numel()).view(t.sizes()));
      at += t.numel();
    }
  }
}

// ---------------------------------------------------------------------- state
/// Takes the states of a rank's part from the optimizer that holds them.
void ZeroRedundancyOptimizer::take_states(int rank, Optimizer& from) {
  for (const OptimizerParamGroup& group : part_of(rank))
    for (const Tensor& p : group.params()) {
      const auto found = from.state().find(key(p));
      if (found != from.state().end() && found->second) state_[key(p)] = found->second->clone();
    }
}

void ZeroRedundancyOptimizer::consolidate_state_dict(int to) {
  TAPER_CHECK_VALUE(to >= 0 && to < group_->getSize(),
                    "consolidate_state_dict: expected a rank below ", group_->getSize(), ", got ",
                    to);
  update_options();
  state_.clear();
  if (group_->getRank() != to) {
    send_text(*group_, bytes_of(*local_), to);
    consolidated_ = false;
    return;
  }
  for (int r = 0; r < group_->getSize(); ++r) {
    if (r == to) {
      take_states(r, *local_);
      continue;
    }
    const std::string bytes = receive_text(*group_, r);
    const std::unique_ptr<Optimizer> theirs = factory_(part_of(r));
    serialize::InputArchive archive;
    archive.load_from(bytes.data(), bytes.size());
    theirs->load(archive);
    take_states(r, *theirs);
  }
  consolidated_ = true;
}

void ZeroRedundancyOptimizer::save(serialize::OutputArchive& archive) const {
  TAPER_CHECK(consolidated_,
              "ZeroRedundancyOptimizer::save: expected the state of all ranks on this one, but "
              "it has not been consolidated since the last step: all ranks call "
              "consolidate_state_dict(",
              group_->getRank(), ") first");
  std::vector<const OptimizerParamState*> states;
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& p : group.params()) {
      const auto found = state_.find(key(p));
      states.push_back(found == state_.end() ? nullptr : found->second.get());
    }
  detail::save_optimizer(archive, *this, states);
}

void ZeroRedundancyOptimizer::load(serialize::InputArchive& archive) {
  std::vector<OptimizerParamGroup> all = param_groups_;
  const std::unique_ptr<Optimizer> whole = factory_(std::move(all));
  whole->load(archive);
  for (size_t g = 0; g < param_groups_.size(); ++g)
    param_groups_[g].set_options(whole->param_groups()[g].options().clone());
  update_options();
  for (const OptimizerParamGroup& group : local_->param_groups())
    for (const Tensor& p : group.params()) {
      const auto found = whole->state().find(key(p));
      if (found != whole->state().end() && found->second)
        local_->state()[key(p)] = std::move(found->second);
      else
        local_->state().erase(key(p));
    }
  state_.clear();
  consolidated_ = false;
}

}  // namespace torch::taper::optim

namespace torch::taper::distributed {

void agree_on_found_inf(amp::GradScaler& scaler, intrusive_ptr<ProcessGroup> group) {
  if (!group.defined()) group = default_group();
  scaler.set_found_inf_agreement([group](Tensor& found_inf) {
    const NoGradGuard off;
    std::vector<Tensor> any = {found_inf.view({1})};
    AllreduceOptions most;
    most.reduceOp = ReduceOp::MAX;
    group->allreduce(any, most)->wait();
  });
}

}  // namespace torch::taper::distributed
