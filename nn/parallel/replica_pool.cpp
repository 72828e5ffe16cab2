#include <taper/nn/parallel/replica_pool.h>

#include <algorithm>

#include <taper/framework/autograd/record.h>
#include <taper/framework/random/local_generators.h>
#include <taper/nn/parallel/collective.h>

namespace torch::taper::nn::parallel {
namespace {

std::vector<std::string> state_names(const Module& module) {
  std::vector<std::string> names;
  for (const auto& item : module.named_parameters()) names.push_back(item.key());
  for (const auto& item : module.named_buffers()) names.push_back(item.key());
  return names;
}

void check_same_state(const Module& original, const Module& copy, TensorList wanted) {
  const std::vector<Tensor> got = state_tensors(copy);
  TAPER_CHECK(state_names(original) == state_names(copy), "replicate: expected a replica of ",
              original.name(),
              " to have the parameters and buffers of the original under the same names; does "
              "reset() register all of them?");
  for (size_t i = 0; i < got.size(); ++i)
    TAPER_CHECK(got[i].sizes() == wanted[i].sizes(), "replicate: expected '", state_names(copy)[i],
                "' of a replica of ", original.name(), " to have sizes ", wanted[i].sizes(),
                ", the original's, got ", got[i].sizes());
}

void copy_modes(const Module& from, Module& to) {
  const auto sources = from.named_modules("", /*include_self=*/false).values();
  const auto targets = to.named_modules("", /*include_self=*/false).values();
  const auto copy = [](const Module& source, Module& target) {
    // Parents come first, so the mode that train() sets in children is corrected afterwards.
    if (source.is_training() != target.is_training()) target.train(source.is_training());
  };
  copy(from, to);
  for (size_t i = 0; i < std::min(sources.size(), targets.size()); ++i)
    copy(*sources[i], *targets[i]);
}

// ---------------------------------------------------------------------- gradients
/// Sums the gradients of the parameters of the replicas, given as one list: [replica][parameter].
std::vector<Tensor> add_gradients(const autograd::Grads& g, const FlatLayout& layout,
                                  Device destination) {
  const size_t count = layout.size();
  std::vector<std::vector<Tensor>> joined;  // [replica][buffer]
  std::vector<bool> has_gradient(count, false);
  for (size_t first = 0; first < g.size(); first += count) {
    std::vector<Tensor> grads;
    optional<Device> device;
    for (size_t i = 0; i < count; ++i) {
      grads.push_back(g[first + i]);
      if (!grads[i].defined()) continue;
      device = grads[i].device();
      has_gradient[i] = true;
    }
    if (device) joined.push_back(layout.join(grads, *device));
  }
  std::vector<Tensor> sums;
  for (size_t b = 0; b < joined[0].size(); ++b) {
    std::vector<Tensor> parts;
    for (const auto& row : joined) parts.push_back(row[b]);
    sums.push_back(reduce_to(parts, destination));
  }
  std::vector<Tensor> grads = layout.split(sums);
  for (size_t i = 0; i < count; ++i)
    if (!has_gradient[i]) grads[i] = Tensor();
  return grads;
}

// Makes the tensors of the replicas functions of those of the original.
void connect(TensorList tensors, const std::vector<const std::vector<Tensor>*>& replicas) {
  std::vector<size_t> wanted;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].requires_grad()) wanted.push_back(i);
  if (!GradMode::is_enabled() || wanted.empty() || replicas.empty()) return;
  std::vector<Tensor> inputs, outputs;
  for (size_t i : wanted) inputs.push_back(tensors[i]);
  for (const auto* replica : replicas)
    for (size_t i : wanted) outputs.push_back((*replica)[i]);
  autograd::record_list("BroadcastBackward", outputs, inputs,
                        [layout = FlatLayout(inputs), where = inputs[0].device()](
                            autograd::Grads& g) { return add_gradients(g, layout, where); });
}

}  // namespace

std::vector<Tensor> state_tensors(const Module& module) {
  std::vector<Tensor> tensors = module.parameters();
  for (Tensor& buffer : module.buffers()) tensors.push_back(std::move(buffer));
  return tensors;
}

// ---------------------------------------------------------------------- the pool
bool ReplicaPool::Replica::is_free() const {
  if (module.use_count() > 1) return false;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].use_count() > use_counts[i]) return false;
  // use_count() does not order memory. lock() orders this after all actions of the last other
  // holder.
  (void)std::weak_ptr<Module>(module).lock();
  return true;
}

std::vector<std::shared_ptr<Module>> ReplicaPool::take(const Module& original,
                                                       const std::vector<Device>& devices,
                                                       const ModuleFactory& factory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Tensor> tensors = state_tensors(original);
  FlatLayout layout(tensors);
  std::string bytes = all_member_bytes(original);
  // Replicas in use live on with their users.
  if (!(layout == layout_) || bytes != member_bytes_) replicas_.clear();
  layout_ = std::move(layout);
  member_bytes_ = std::move(bytes);
  std::vector<Replica*> taken;
  for (const Device& device : devices)
    taken.push_back(&free_replica(original, tensors, device, factory, taken));
  send_values(tensors, taken);
  std::vector<std::shared_ptr<Module>> modules;
  std::vector<const std::vector<Tensor>*> lists;
  for (Replica* replica : taken) {
    copy_modes(original, *replica->module);
    modules.push_back(replica->module);
    lists.push_back(&replica->tensors);
  }
  connect(tensors, lists);
  return modules;
}

std::string ReplicaPool::all_member_bytes(const Module& original) {
  std::string bytes = original.member_bytes();
  for (const auto& module : original.modules(/*include_self=*/false))
    bytes += module->member_bytes();
  return bytes;
}

void ReplicaPool::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  replicas_.clear();
}

ReplicaPool::Replica& ReplicaPool::free_replica(const Module& original, TensorList tensors,
                                                Device device, const ModuleFactory& factory,
                                                const std::vector<Replica*>& taken) {
  for (auto& r : replicas_)
    if (r->device == device && std::count(taken.begin(), taken.end(), r.get()) == 0 && r->is_free())
      return *r;
  replicas_.push_back(make_replica(original, tensors, device, factory));
  return *replicas_.back();
}

std::unique_ptr<ReplicaPool::Replica> ReplicaPool::make_replica(
    const Module& original, TensorList tensors, Device device, const ModuleFactory& factory) const {
  std::shared_ptr<Module> module;
  {
    // A new replica draws initial values that are overwritten.
    const taper::detail::LocalGenerators others(0);
    module = factory ? factory() : original.clone(device);
  }
  TAPER_CHECK(module, "replicate: expected a module from the function that makes replicas");
  check_same_state(original, *module, tensors);
  const cuda::Stream stream = cuda::current_stream(device.index());
  auto replica = std::unique_ptr<Replica>(
      new Replica{device, std::move(module), {}, {}, layout_.make_buffers(device), stream});
  replica->tensors = state_tensors(*replica->module);
  const std::vector<Tensor> places = layout_.alias(replica->buffers);
  for (size_t i = 0; i < places.size(); ++i) {
    replica->tensors[i].set_requires_grad(false);
    replica->tensors[i].set_data(places[i]);
  }
  for (const Tensor& t : replica->tensors) replica->use_counts.push_back(t.use_count());
  return replica;
}

void ReplicaPool::send_values(TensorList tensors, const std::vector<Replica*>& replicas) const {
  if (tensors.empty() || replicas.empty()) return;
  for (Replica* r : replicas) {
    const cuda::Stream now = cuda::current_stream(r->device.index());
    if (now != r->stream) {
      // The last use of the replica must come first.
      now.wait_stream(r->stream);
      for (const Tensor& b : r->buffers)
        if (b.numel() > 0) b.record_stream(now);
      r->stream = now;
    }
    for (const Tensor& t : r->tensors) {
      t.detach_();
      autograd::mark_changed(t);
    }
  }
  const NoGradGuard no_grad;
  const std::vector<Tensor> values = layout_.join(tensors, tensors[0].device());
  for (size_t b = 0; b < values.size(); ++b) {
    std::vector<Tensor> targets;
    for (Replica* r : replicas) targets.push_back(r->buffers[b]);
    broadcast_into(values[b], targets);
  }
}

}  // namespace torch::taper::nn::parallel
