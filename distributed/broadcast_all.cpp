#include <taper/distributed/broadcast_all.h>

#include <algorithm>
#include <utility>

#include <taper/distributed/operation.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed::detail {

namespace {

constexpr size_t kAlone = size_t{1} << 20;  // bytes

/// Tensors that are one broadcast: a large one, or small ones of one dtype and device.
using Together = std::vector<Tensor>;

std::vector<Together> groups_of(const std::vector<Tensor>& tensors) {
  std::vector<Together> groups;
  for (const Tensor& t : tensors) {
    if (!t.defined() || t.numel() == 0) continue;
    const bool is_small = nbytes_of(t) < kAlone;
    const auto it = std::find_if(groups.begin(), groups.end(), [&](const Together& g) {
      return is_small && nbytes_of(g[0]) < kAlone && g[0].scalar_type() == t.scalar_type() &&
             g[0].device() == t.device();
    });
    // Not counted as changes: a backward pass may still need what it has saved.
    (it == groups.end() ? groups.emplace_back() : *it).push_back(t.data());
  }
  return groups;
}

/// Returns the memory of a broadcast: the tensor itself if it is alone and contiguous.
Tensor memory_of(const Together& group, bool is_root) {
  if (group.size() == 1) return group[0].contiguous();
  Together parts;
  int64_t elements = 0;
  for (const Tensor& t : group) elements += t.numel(), parts.push_back(t);
  if (!is_root) return empty({elements}, group[0].options());
  for (Tensor& t : parts) t = t.reshape({-1});
  return cat(parts);
}

void copy_to(const Together& group, const Tensor& memory) {
  int64_t at = 0;
  for (const Tensor& t : group) {
    t.copy_(memory.view({-1}).narrow(0, at, t.numel()).view(t.sizes()));
    at += t.numel();
  }
}

}  // namespace

void broadcast_all(ProcessGroup& group, const std::vector<Tensor>& tensors, int root) {
  const NoGradGuard off;
  BroadcastOptions how;
  how.rootRank = root;
  const bool is_root = group.getRank() == root;
  std::vector<std::pair<ProcessGroup::WorkPtr, std::vector<Tensor>>> works;
  const std::vector<Together> groups = groups_of(tensors);
  for (const Together& g : groups) {
    std::vector<Tensor> memory = {memory_of(g, is_root)};
    ProcessGroup::WorkPtr work = group.broadcast(memory, how);
    works.emplace_back(std::move(work), std::move(memory));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    works[i].first->wait();
    const Tensor& memory = works[i].second[0];
    if (!is_root && !memory.is_same(groups[i][0])) copy_to(groups[i], memory);
  }
}

}  // namespace torch::taper::distributed::detail
