#include <taper/nn/parallel/collective.h>

#include <algorithm>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/context.h>
#include <taper/framework/runtime/collectives.h>
#include <taper/nn/parallel/flat_layout.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::parallel {

// ---------------------------------------------------------------------- collective
namespace {

using Parts = std::vector<taper::detail::CollectivePart>;

Parts parts_of(const std::vector<Tensor>& tensors) {
  Parts parts;
  for (const Tensor& t : tensors)
    parts.push_back({taper::detail::current_stream_of(t.get_device()), t.impl_ptr()->data});
  return parts;
}

/// Sums with a library of collectives, which adds in another order. Returns an undefined tensor if
/// the library does not support the parts.
Tensor reduce_by_library(TensorList parts, Device destination) {
  if (autograd::needs_grad(parts) || globalContext().deterministicAlgorithms()) return {};
  std::vector<Tensor> ranks(parts.begin(), parts.end());
  const auto root = std::find_if(ranks.begin(), ranks.end(),
                                 [&](const Tensor& t) { return t.device() == destination; });
  if (root == ranks.end() || !spans_devices(ranks)) return {};
  std::rotate(ranks.begin(), root, root + 1);
  const Tensor sum = taper::detail::make_like(ranks[0]);
  const bool done = taper::detail::reduce_parts(parts_of(ranks), sum.impl_ptr()->data, sum.numel(),
                                                sum.scalar_type());
  return done ? sum : Tensor();
}

}  // namespace

bool spans_devices(const std::vector<Tensor>& tensors) {
  if (tensors.size() < 2) return false;
  const Tensor& first = tensors[0];
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (!t.is_cuda() || !t.is_contiguous() || t.numel() == 0 || t.sizes() != first.sizes() ||
        t.scalar_type() != first.scalar_type())
      return false;
    for (size_t j = 0; j < i; ++j)
      if (tensors[j].device() == t.device()) return false;
  }
  return true;
}

void broadcast_into(const Tensor& source, TensorList targets) {
  const NoGradGuard no_grad;
  std::vector<Tensor> ranks{source};
  ranks.insert(ranks.end(), targets.begin(), targets.end());
  if (spans_devices(ranks) && taper::detail::broadcast_parts(parts_of(ranks), source.nbytes())) {
    for (const Tensor& target : targets) autograd::mark_changed(target);
    return;
  }
  for (const Tensor& target : targets) target.copy_(source, /*non_blocking=*/true);
}

Tensor reduce_to(TensorList parts, Device destination) {
  if (const Tensor sum = reduce_by_library(parts, destination); sum.defined()) return sum;
  Tensor sum = parts[0].to(destination);
  if (parts.size() == 1) return sum.is_same(parts[0]) ? sum.clone() : sum;
  sum = sum.add(parts[1].to(destination));
  for (size_t i = 2; i < parts.size(); ++i) {
    const Tensor part = parts[i].to(destination);
    sum = GradMode::is_enabled() ? sum.add(part) : sum.add_(part);
  }
  return sum;
}

// ---------------------------------------------------------------------- flat_layout
namespace {

constexpr size_t kAlign = 64;

int64_t aligned(int64_t numel, ScalarType dtype) {
  const auto step = static_cast<int64_t>(kAlign / elementSize(dtype));
  return (numel + step - 1) / step * step;
}

// Returns a tensor over a part of the memory of the buffer, with a separate storage and version
// counter.
Tensor alias_of(const Tensor& buffer, int64_t offset, const Dims& sizes, int64_t numel) {
  Dims strides;
  contiguous_strides(sizes, strides);
  Tensor t = taper::detail::share_data(buffer.impl(), sizes, strides, offset);
  TensorImpl& impl = t.impl();
  const auto keep = impl.storage;
  impl.storage = wrap_storage(impl.data, static_cast<size_t>(numel) * impl.itemsize(),
                              buffer.device(), [keep](void*) {});
  impl.offset = 0;
  return t;
}

}  // namespace

FlatLayout::FlatLayout(TensorList tensors, size_t buffer_nbytes) {
  for (const Tensor& t : tensors) {
    Buffer& buffer = buffer_for(t.scalar_type(), buffer_nbytes);
    const auto index = static_cast<size_t>(&buffer - buffers_.data());
    items_.push_back({t.impl().sizes, t.numel(), t.scalar_type(), index, buffer.numel});
    buffer.numel = aligned(buffer.numel + t.numel(), t.scalar_type());
  }
}

// Returns the last buffer of the dtype, or a new one if that is full.
FlatLayout::Buffer& FlatLayout::buffer_for(ScalarType dtype, size_t buffer_nbytes) {
  for (auto it = buffers_.rbegin(); it != buffers_.rend(); ++it) {
    if (it->dtype != dtype) continue;
    if (static_cast<size_t>(it->numel) * elementSize(dtype) < buffer_nbytes) return *it;
    break;
  }
  buffers_.push_back({dtype, 0});
  return buffers_.back();
}

std::vector<Tensor> FlatLayout::join(TensorList tensors, Device device) const {
  std::vector<std::vector<Tensor>> parts(buffers_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const auto options = TensorOptions(device).dtype(item.dtype);
    auto& list = parts[item.buffer];
    list.push_back(tensors[i].defined() ? tensors[i].reshape({-1}) : zeros({item.numel}, options));
    const int64_t gap = aligned(item.numel, item.dtype) - item.numel;
    if (gap > 0) list.push_back(zeros({gap}, options));
  }
  std::vector<Tensor> buffers;
  for (const auto& list : parts) buffers.push_back(cat(list));
  return buffers;
}

std::vector<Tensor> FlatLayout::make_buffers(Device device) const {
  std::vector<Tensor> buffers;
  for (const Buffer& b : buffers_)
    buffers.push_back(taper::detail::make_tensor({b.numel}, b.dtype, device));
  return buffers;
}

std::vector<Tensor> FlatLayout::split(const std::vector<Tensor>& buffers) const {
  std::vector<Tensor> tensors;
  for (const Item& item : items_)
    tensors.push_back(buffers[item.buffer].narrow(0, item.offset, item.numel).view(item.sizes));
  return tensors;
}

std::vector<Tensor> FlatLayout::alias(const std::vector<Tensor>& buffers) const {
  std::vector<Tensor> tensors;
  for (const Item& item : items_)
    tensors.push_back(alias_of(buffers[item.buffer], item.offset, item.sizes, item.numel));
  return tensors;
}

}  // namespace torch::taper::nn::parallel
