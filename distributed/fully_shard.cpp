#include <taper/distributed/fully_shard.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <taper/distributed/gather_texts.h>
#include <taper/distributed/init.h>
#include <taper/distributed/join.h>
#include <taper/distributed/shard_group.h>
#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/saved_hooks.h>

namespace torch::taper::distributed {

using autograd::variable_list;
using detail::ShardedModule;
using detail::ShardedParameter;
using detail::ShardGroup;

namespace {

// ---------------------------------------------------------------------- who has what
/// Holds the groups by parameter, and the wrappers of modules.
struct Registry {
  std::mutex mutex;
  std::unordered_map<const nn::Module*, std::weak_ptr<ShardedModule>> modules;
  std::unordered_map<const TensorImpl*, std::weak_ptr<ShardGroup>> groups;
};
Registry& registry() {
  static Registry* const all = new Registry;  // outlives all groups
  return *all;
}
std::shared_ptr<ShardGroup> group_of(const Tensor& parameter) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  const auto found = registry().groups.find(parameter.unsafeGetTensorImpl());
  return found == registry().groups.end() ? nullptr : found->second.lock();
}

/// Holds the group whose gradients are being reduced. Only one reduces at a time, because a waiting
/// group holds the memory of whole gradients.
std::weak_ptr<ShardGroup>& reducing_group() {
  static thread_local std::weak_ptr<ShardGroup> group;
  return group;
}

/// Holds the groups whose modules run forward on this thread, and whose whole parameters are freed
/// afterwards.
std::vector<ShardGroup*>& active_groups() {
  static thread_local std::vector<ShardGroup*> groups;
  return groups;
}

/// Holds the module that this thread has called last in the current pass.
std::weak_ptr<ShardedModule>& last_called() {
  static thread_local std::weak_ptr<ShardedModule> module;
  return module;
}

}  // namespace

// ---------------------------------------------------------------------- rows
ShardGroup::ShardGroup(const std::vector<Tensor>& parameters, const FullyShardOptions& options,
                       intrusive_ptr<ProcessGroup> group)
    : options_(options), group_(std::move(group)) {
  const NoGradGuard off;
  lay_out(parameters);
  for (ShardedParameter& p : parameters_) {
    std::vector<Tensor> value = {p.parameter.detach().contiguous()};
    group_->broadcast(value)->wait();
    const Shard here = shard(p.parameter);
    if (here.rows > 0)
      p.shard.view({here.rows, p.row})
          .copy_(value[0].view({p.rows, p.row}).narrow(0, here.begin, here.rows));
    p.parameter.set_data(p.shard);
  }
}

void ShardGroup::lay_out(const std::vector<Tensor>& parameters) {
  int64_t at = 0;
  for (const Tensor& t : parameters) {
    ShardedParameter p;
    p.parameter = t;
    p.sizes = t.sizes().vec();
    p.rows = t.dim() ? t.size(0) : 1;
    p.row = p.rows ? t.numel() / p.rows : 0;
    p.chunk = (p.rows + group_->getSize() - 1) / group_->getSize();
    p.at = at;
    at += p.chunk * p.row;
    parameters_.push_back(std::move(p));
  }
  flat_ = zeros({at}, parameters[0].options().requires_grad(false));
  for (ShardedParameter& p : parameters_) {
    std::vector<int64_t> sizes = p.sizes.empty() ? std::vector<int64_t>{1} : p.sizes;
    sizes[0] = shard(p.parameter).rows;
    p.shard = flat_.narrow(0, p.at, sizes[0] * p.row).view(sizes);
  }
}

Shard ShardGroup::shard(const Tensor& parameter) const {
  for (const ShardedParameter& p : parameters_) {
    if (!p.parameter.is_same(parameter)) continue;
    const int64_t begin = std::min(p.chunk * group_->getRank(), p.rows);
    return {p.sizes, begin, std::min(p.chunk, p.rows - begin), group_};
  }
  throw Error("fully_shard: expected a parameter of the group");
}

void ShardGroup::attach(const std::shared_ptr<ShardedModule>& owner) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  owner_ = owner;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    ShardedParameter& p = parameters_[i];
    registry().groups[p.parameter.unsafeGetTensorImpl()] = weak_from_this();
    if (!p.parameter.requires_grad()) continue;
    p.accumulator = autograd::gradient_edge(p.parameter).function;
    p.accumulator->add_pre_hook([weak = weak_from_this(), i](const variable_list& grads) {
      const auto self = weak.lock();
      if (!self) return grads;
      self->take_gradient(i, grads[0]);
      return variable_list(1);  // adds nothing of the whole's size to the rows
    });
  }
  come_early();
}

ShardGroup::~ShardGroup() {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  for (const ShardedParameter& p : parameters_)
    registry().groups.erase(p.parameter.unsafeGetTensorImpl());
}

// Gradients arrive when all ops of the group have run, not at the end of the pass.
void ShardGroup::come_early() {
  for (const ShardedParameter& p : parameters_)
    if (p.accumulator) autograd::early_accumulation(*p.accumulator);
}

// ---------------------------------------------------------------------- the whole
// A parameter with other memory (set_data) has other values.
void ShardGroup::take_back_changes() {
  for (ShardedParameter& p : parameters_) {
    if (p.parameter.data_ptr() == p.shard.data_ptr() || p.shard.numel() == 0) continue;
    TAPER_CHECK(p.parameter.device() == p.shard.device() && p.parameter.sizes() == p.shard.sizes(),
                "fully_shard: expected a parameter of sizes ", p.shard.sizes(), " on ",
                p.shard.device(), ", as it was left, got ", p.parameter.sizes(), " on ",
                p.parameter.device(), "; move the module before fully_shard()");
    p.shard.copy_(p.parameter.detach());
    p.parameter.set_data(p.shard);
  }
}

// An unused whole from before the rows changed is useless.
void ShardGroup::prefetch() {
  if (whole_) return;
  const NoGradGuard off;
  take_back_changes();
  if (gather_.work && gather_.version == flat_._version()) return;
  gather_.own = options_.param_dtype() ? flat_.to(*options_.param_dtype()) : flat_;
  gather_.all = empty({group_->getSize() * flat_.numel()}, gather_.own.options());
  gather_.version = flat_._version();
  gather_.work = group_->_allgather_base(gather_.all, gather_.own);
}

void ShardGroup::gather() {
  if (whole_) return;
  const NoGradGuard off;
  prefetch();
  const Gather gathered = std::exchange(gather_, {});
  gathered.work->wait();
  const int64_t ranks = group_->getSize();
  const Tensor by_rank = gathered.all.view({ranks, flat_.numel()});
  for (size_t i = 0; i < parameters_.size(); ++i) {
    ShardedParameter& p = parameters_[i];
    const int64_t numel = p.rows * p.row;
    Tensor rows = by_rank.narrow(1, p.at, p.chunk * p.row).reshape({ranks * p.chunk * p.row});
    if (ranks == 1 && parameters_.size() > 1) rows = rows.clone();  // was a view of all
    p.whole = rows.narrow(0, 0, numel).view(p.sizes);
    p.parameter.set_data(p.whole);
    storages_[p.whole.storage().unsafeGetStorageImpl()] = i;
  }
  whole_ = true;
}

void ShardGroup::reshard() {
  gather_ = {};
  if (!whole_) return;
  for (ShardedParameter& p : parameters_) {
    p.parameter.set_data(p.shard);
    p.whole.reset();
  }
  storages_.clear();
  whole_ = false;
}

int64_t ShardGroup::number_of(const Tensor& t) const {
  const auto found = storages_.find(t.storage().unsafeGetStorageImpl());
  if (found == storages_.end() || parameters_[found->second].whole.scalar_type() != t.scalar_type())
    return -1;
  return static_cast<int64_t>(found->second);
}

// ---------------------------------------------------------------------- gradients
void ShardGroup::take_gradient(size_t i, const Tensor& g) {
  if (!g.defined()) return;
  const NoGradGuard off;
  finish_later();
  Tensor& sum = parameters_[i].gradient;
  sum = sum.defined() ? sum.add(g.detach()) : g.detach();
  for (const ShardedParameter& p : parameters_)
    if (p.accumulator && !p.gradient.defined()) return;
  start_reduction();
}

/// Pads the gradient with rows of zeros, if ranks have rows beyond the end.
Tensor ShardGroup::padded(const ShardedParameter& p, const Tensor& g) const {
  const int64_t numel = p.rows * p.row, of_all = p.chunk * p.row * group_->getSize();
  const Tensor flat = g.reshape({numel});
  if (numel == of_all) return flat.view({group_->getSize(), -1});
  Tensor wide = zeros({of_all}, flat.options());
  wide.narrow(0, 0, numel).copy_(flat);
  return wide.view({group_->getSize(), p.chunk * p.row});
}

ScalarType ShardGroup::dtype_of_sums() const {
  const ScalarType dtype = options_.param_dtype().value_or(flat_.scalar_type());
  return options_.reduce_dtype().value_or(dtype);
}

/// Keeps the gradients for a pass that averages.
void ShardGroup::keep_gradients() {
  for (ShardedParameter& p : parameters_) {
    if (!p.gradient.defined()) continue;
    const Tensor g = std::exchange(p.gradient, {}).to(dtype_of_sums());
    p.kept = p.kept.defined() ? p.kept.add(g) : g;
  }
}

// All ranks reduce the same gradients in the same order.
void ShardGroup::start_reduction() {
  keep_gradients();
  if (!syncs_) return reshard();
  if (const auto before = std::exchange(reducing_group(), weak_from_this()).lock())
    before->finish_reductions();
  const TensorOptions options = flat_.options().dtype(dtype_of_sums());
  Reduction r;
  r.in = zeros({group_->getSize(), flat_.numel()}, options);
  r.out = empty({flat_.numel()}, options);
  for (ShardedParameter& p : parameters_) {
    if (p.kept.defined() && p.row > 0 && p.rows > 0)
      r.in.narrow(1, p.at, p.chunk * p.row).copy_(padded(p, p.kept));
    p.kept.reset();
  }
  ReduceScatterOptions average;
  average.reduceOp = ReduceOp::AVG;
  r.work = group_->_reduce_scatter_base(r.out, r.in, average);
  reductions_.push_back(std::move(r));
  reshard();  // all uses of the parameters have run
}

void ShardGroup::finish_later() {
  if (std::exchange(finishes_, true)) return;
  autograd::queue_callback([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end_of_pass();
  });
}

void ShardGroup::end_of_pass() {
  const NoGradGuard off;
  finishes_ = false;
  last_called().reset();
  for (const ShardedParameter& p : parameters_)
    if (p.gradient.defined()) {
      start_reduction();
      break;
    }
  finish_reductions();
  reshard();
  come_early();
}

void ShardGroup::finish_reductions() {
  for (Reduction& r : std::exchange(reductions_, {})) {
    r.work->wait();
    give_out(r.out.to(flat_.scalar_type()));
  }
}

void ShardGroup::give_out(const Tensor& mean) {
  for (ShardedParameter& p : parameters_) {
    if (!p.accumulator) continue;
    const Tensor g = mean.narrow(0, p.at, p.shard.numel()).view(p.shard.sizes());
    if (p.parameter.grad().defined())
      p.parameter.mutable_grad().add_(g);
    else
      p.parameter.mutable_grad() = g;
  }
}

void ShardGroup::drop_pass() {
  finishes_ = false;
  reductions_.clear();
  for (ShardedParameter& p : parameters_) p.gradient.reset();
}

// ---------------------------------------------------------------------- saved tensors
namespace {

/// Holds a saved tensor, or its place in a whole parameter. A whole parameter is freed after
/// forward, and gathered again when backward needs it.
struct Packed {
  Tensor tensor;
  std::weak_ptr<ShardGroup> group;
  size_t number = 0;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
};

Packed pack(const Tensor& t) {
  for (ShardGroup* group : active_groups()) {
    const int64_t i = group->number_of(t);
    if (i < 0) continue;
    const auto number = static_cast<size_t>(i);
    const int64_t offset = t.storage_offset() - (*group)[number].whole.storage_offset();
    return {{}, group->weak_from_this(), number, t.sizes().vec(), t.strides().vec(), offset};
  }
  return {t, {}, 0, {}, {}, 0};
}

void gather_for_backward(ShardGroup& group);

Tensor unpack(const Packed& packed) {
  if (packed.tensor.defined()) return packed.tensor;
  const auto group = packed.group.lock();
  TAPER_CHECK(group, "fully_shard: expected the module to live as long as its graph");
  gather_for_backward(*group);
  const NoGradGuard off;
  const Tensor& whole = (*group)[packed.number].whole;
  return whole.as_strided(packed.sizes, packed.strides, whole.storage_offset() + packed.offset);
}

}  // namespace

// ---------------------------------------------------------------------- a module
/// Wraps the calls of a module.
class detail::ShardedModule : public std::enable_shared_from_this<ShardedModule> {
 public:
  using Others = std::vector<std::weak_ptr<ShardedModule>>;
  ShardedModule(const nn::Module& module, std::vector<std::shared_ptr<ShardGroup>> groups,
                const FullyShardOptions& options)
      : module_(&module), groups_(std::move(groups)), options_(options) {}
  ~ShardedModule() {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().modules.erase(module_);
  }
  ShardedModule(const ShardedModule&) = delete;
  ShardedModule& operator=(const ShardedModule&) = delete;

  void attach() {
    for (const auto& group : groups_) group->attach(shared_from_this());
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().modules[module_] = shared_from_this();
  }
  void set_sync(bool sync) {
    for (const auto& group : groups_) group->set_sync(sync);
  }
  void set_reshard_after_forward(bool reshard) { options_.reshard_after_forward(reshard); }
  void set_forward_prefetch(Others others) { next_ = std::move(others); }
  void set_backward_prefetch(Others others) { next_in_backward_ = std::move(others); }

  void before(std::vector<Tensor>& inputs) {
    TAPER_CHECK(!detail::Join::current(),
                "fully_shard: expected no join() around a call of a sharded module: a rank without "
                "inputs takes no part in its gathers. Give all ranks as many batches "
                "(DistributedSampler with drop_last)");
    for (const auto& group : groups_) {
      if (!autograd::current_node()) group->drop_pass();
      group->gather();
    }
    for (const auto& other : next_)
      if (const auto next = other.lock()) next->prefetch();
    if (options_.param_dtype())
      for (Tensor& x : inputs)
        if (x.defined() && x.is_floating_point()) x = x.to(*options_.param_dtype());
    if (packs()) watch();
  }
  void after() {
    const bool goes = packs() || !GradMode::is_enabled();
    if (packs()) unwatch();
    if (GradMode::is_enabled() && !autograd::current_node())
      before_ = std::exchange(last_called(), weak_from_this());
    if (goes)
      for (const auto& group : groups_) group->reshard();
  }
  /// Prefetches the parameters that backward needs next, when it has gathered this module's.
  void prefetch_in_backward() {
    const Others others = next_in_backward_.empty() ? Others{before_} : next_in_backward_;
    for (const auto& other : others)
      if (const auto next = other.lock()) next->prefetch();
  }

 private:
  void prefetch() {
    for (const auto& group : groups_) {
      group->prefetch();
      if (autograd::current_node()) group->finish_later();
    }
  }
  bool packs() const { return options_.reshard_after_forward() && GradMode::is_enabled(); }
  // A forward that has thrown may have left its entries.
  void watch() {
    auto& active = active_groups();
    const bool left = std::find(active.begin(), active.end(), groups_[0].get()) != active.end();
    if (left && !autograd::current_node()) unwatch();
    for (const auto& group : groups_) active.push_back(group.get());
    SavedTensorDefaultHooks::push_hooks(make_hooks());
  }
  void unwatch() {
    auto& active = active_groups();
    for (const auto& group : groups_) {
      const auto at = std::find(active.rbegin(), active.rend(), group.get());
      if (at != active.rend()) active.erase(std::next(at).base());
    }
    SavedTensorDefaultHooks::pop_hooks();
  }
  static autograd::SavedHooksFactory make_hooks() {
    using Pack = Packed (*)(const Tensor&);
    using Unpack = Tensor (*)(const Packed&);
    using Hooks = taper::detail::HooksOf<Pack, Unpack>;
    return [p = std::make_shared<Pack>(&pack), u = std::make_shared<Unpack>(&unpack)] {
      return std::make_unique<Hooks>(p, u);
    };
  }

  const nn::Module* const module_;
  std::vector<std::shared_ptr<ShardGroup>> groups_;
  FullyShardOptions options_;
  Others next_, next_in_backward_;
  std::weak_ptr<ShardedModule> before_;
};

namespace {

void gather_for_backward(ShardGroup& group) {
  const bool was_whole = group.is_whole();
  group.gather();
  if (!autograd::current_node()) return;
  group.finish_later();
  if (was_whole) return;
  if (const auto owner = group.owner()) owner->prefetch_in_backward();
}

/// Returns the wrapper of a module's calls, or null.
std::shared_ptr<ShardedModule> sharded_of(const nn::Module& module) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  const auto found = registry().modules.find(&module);
  return found == registry().modules.end() ? nullptr : found->second.lock();
}

/// Calls f for each sharded module: this module, and those below it.
template <class F>
void for_each_sharded(const char* op, nn::Module& module, bool recurse, const F& f) {
  bool any = false;
  const auto call = [&](nn::Module& m) {
    const auto sharded = sharded_of(m);
    if (sharded) f(*sharded);
    any = any || sharded;
  };
  recurse ? (void)module.apply(call) : call(module);
  TAPER_CHECK_VALUE(any, op, ": expected a module that fully_shard() has sharded, got ",
                    module.name());
}

ShardedModule::Others others_of(const char* op, const std::vector<nn::Module*>& modules) {
  ShardedModule::Others others;
  for (const nn::Module* module : modules) {
    TAPER_CHECK_VALUE(module, op, ": expected modules, got a null pointer");
    const auto sharded = sharded_of(*module);
    TAPER_CHECK_VALUE(sharded, op, ": expected modules that fully_shard() has sharded, got ",
                      module->name());
    others.push_back(sharded);
  }
  return others;
}

/// Lists the parameters that are not sharded yet, by dtype and device.
std::vector<std::vector<Tensor>> lists_to_shard(const nn::Module& module) {
  std::vector<std::vector<Tensor>> lists;
  std::unordered_set<const TensorImpl*> seen;
  for (const Tensor& p : module.parameters()) {
    if (!seen.insert(p.unsafeGetTensorImpl()).second || group_of(p)) continue;
    const auto at = std::find_if(lists.begin(), lists.end(), [&](const std::vector<Tensor>& list) {
      return list[0].scalar_type() == p.scalar_type() && list[0].device() == p.device();
    });
    if (at == lists.end())
      lists.push_back({p});
    else
      at->push_back(p);
  }
  return lists;
}

}  // namespace

void fully_shard(nn::Module& module, const FullyShardOptions& options) {
  const intrusive_ptr<ProcessGroup> group =
      options.process_group().defined() ? options.process_group() : default_group();
  const std::vector<std::vector<Tensor>> lists = lists_to_shard(module);
  std::string text;
  for (const auto& list : lists)
    for (const Tensor& p : list)
      text += taper::detail::concat("parameter ", p.scalar_type(), p.sizes(), "\n");
  detail::check_same_texts("fully_shard", "parameters", *group, text, module.parameters());
  TAPER_CHECK_VALUE(!lists.empty(),
                    "fully_shard: expected a module with parameters that are not sharded yet, got ",
                    module.name());
  std::vector<std::shared_ptr<ShardGroup>> groups;
  for (const std::vector<Tensor>& list : lists) {
    groups.push_back(std::make_shared<ShardGroup>(list, options, group));
  }
  const auto sharded = std::make_shared<ShardedModule>(module, std::move(groups), options);
  sharded->attach();
  module.register_forward_pre_hook(
      [sharded](nn::Module&, std::vector<Tensor>& inputs) { sharded->before(inputs); });
  module.register_forward_hook([sharded](nn::Module&, const std::vector<Tensor>&,
                                         std::vector<Tensor>&) { sharded->after(); });
}

void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync, bool recurse) {
  for_each_sharded("set_requires_gradient_sync", module, recurse,
                   [&](ShardedModule& m) { m.set_sync(requires_gradient_sync); });
}
void set_reshard_after_forward(nn::Module& module, bool reshard_after_forward, bool recurse) {
  for_each_sharded("set_reshard_after_forward", module, recurse,
                   [&](ShardedModule& m) { m.set_reshard_after_forward(reshard_after_forward); });
}
void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules) {
  constexpr const char* kOp = "set_modules_to_forward_prefetch";
  const auto others = others_of(kOp, modules);
  for_each_sharded(kOp, module, false, [&](ShardedModule& m) { m.set_forward_prefetch(others); });
}
void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules) {
  constexpr const char* kOp = "set_modules_to_backward_prefetch";
  const auto others = others_of(kOp, modules);
  for_each_sharded(kOp, module, false, [&](ShardedModule& m) { m.set_backward_prefetch(others); });
}

optional<Shard> shard_of(const Tensor& parameter) {
  const auto group = group_of(parameter);
  if (!group) return nullopt;
  return group->shard(parameter);
}

StateDict full_state_dict(const nn::Module& module) {
  const NoGradGuard off;
  StateDict all = module.state_dict();
  for (const auto& item : module.named_parameters()) {
    const auto group = group_of(item.value());
    if (!group) continue;
    const Shard here = group->shard(item.value());
    const int64_t ranks = here.group->getSize(), rows = here.sizes.empty() ? 1 : here.sizes[0];
    const int64_t chunk = (rows + ranks - 1) / ranks;
    int64_t numel = 1;
    for (int64_t n : here.sizes) numel *= n;
    const int64_t row = rows ? numel / rows : 0;
    const Tensor own_rows = item.value().detach();
    Tensor own = zeros({chunk * row}, own_rows.options());
    own.narrow(0, 0, own_rows.numel()).copy_(own_rows.reshape({-1}));
    Tensor whole = empty({ranks * chunk * row}, own.options());
    here.group->_allgather_base(whole, own)->wait();
    all[item.key()] = whole.narrow(0, 0, numel).view(here.sizes);
  }
  return all;
}

void load_full_state_dict(nn::Module& module, const StateDict& state_dict) {
  const NoGradGuard off;
  const OrderedDict<std::string, Tensor> parameters = module.named_parameters();
  StateDict rows;
  for (const auto& item : state_dict) {
    const Tensor* const p = parameters.find(item.key());
    const optional<Shard> here = p ? shard_of(*p) : nullopt;
    if (!here) {
      rows.insert(item.key(), item.value());
      continue;
    }
    TAPER_CHECK(item.value().sizes() == IntArrayRef(here->sizes), "load_full_state_dict: expected ",
                item.key(), " of sizes ", IntArrayRef(here->sizes), ", got ", item.value().sizes());
    const Tensor value = item.value().dim() ? item.value() : item.value().view({1});
    rows.insert(item.key(), value.narrow(0, here->begin, here->rows));
  }
  module.load_state_dict(rows);
}

}  // namespace torch::taper::distributed
