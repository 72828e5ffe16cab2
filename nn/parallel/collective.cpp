#include <taper/nn/parallel/collective.h>

#include <algorithm>
#include <numeric>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/context.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/runtime/collectives.h>
#include <taper/nn/parallel/comm.h>
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

namespace torch::taper::cuda {

using nn::parallel::FlatLayout;

namespace {

Device cuda_device(int64_t index) { return Device(kCUDA, detail::existing_index(index)); }

}  // namespace

std::vector<Tensor> broadcast(const Tensor& tensor, IntArrayRef devices) {
  TAPER_CHECK(!devices.empty(), "broadcast: expected at least one device");
  TAPER_CHECK(!tensor.is_cuda() || tensor.get_device() == devices[0],
              "device of broadcasted tensor must appear as the first on devices list");
  std::vector<Tensor> copies;
  if (tensor.is_cuda()) copies.push_back(tensor);
  while (copies.size() < devices.size())
    copies.push_back(tensor.to(cuda_device(devices[copies.size()]), tensor.scalar_type(),
                               /*non_blocking=*/true, /*copy=*/true));
  return copies;
}

tensor_list2d broadcast_coalesced(TensorList tensors, IntArrayRef devices, size_t buffer_size) {
  TAPER_CHECK(!devices.empty(), "broadcast_coalesced: expected at least one device");
  for (const Tensor& t : tensors)
    TAPER_CHECK(t.get_device() == devices[0], "all tensors must be on devices[0]");
  tensor_list2d rows(devices.size());
  rows[0].assign(tensors.begin(), tensors.end());
  if (tensors.empty()) return rows;
  const NoGradGuard no_grad;
  const FlatLayout layout(tensors, buffer_size);
  const std::vector<Tensor> source = layout.join(tensors, cuda_device(devices[0]));
  tensor_list2d buffers;
  for (size_t d = 1; d < devices.size(); ++d)
    buffers.push_back(layout.make_buffers(cuda_device(devices[d])));
  for (size_t b = 0; b < source.size(); ++b) {
    std::vector<Tensor> targets;
    for (const auto& row : buffers) targets.push_back(row[b]);
    nn::parallel::broadcast_into(source[b], targets);
  }
  for (size_t d = 1; d < devices.size(); ++d) rows[d] = layout.alias(buffers[d - 1]);
  return rows;
}

Tensor reduce_add(TensorList inputs, DeviceIndex destination) {
  TAPER_CHECK(!inputs.empty(), "reduce_add: expected at least one tensor");
  for (const Tensor& t : inputs) {
    TAPER_CHECK(t.is_cuda(), "reduce_add expects all inputs to be on GPUs");
    TAPER_CHECK(t.sizes() == inputs[0].sizes(), "input has invalid size: got ", t.sizes(),
                ", but expected ", inputs[0].sizes());
  }
  return nn::parallel::reduce_to(inputs, cuda_device(destination));
}

std::vector<Tensor> reduce_add_coalesced(const tensor_list2d& inputs, DeviceIndex destination,
                                         size_t buffer_size) {
  TAPER_CHECK(!inputs.empty(), "reduce_add_coalesced: expected at least one list of tensors");
  if (inputs[0].empty()) return {};
  const FlatLayout layout(inputs[0], buffer_size);
  tensor_list2d parts;
  for (const auto& list : inputs) {
    TAPER_CHECK(FlatLayout(list, buffer_size) == layout,
                "reduce_add_coalesced: expected lists of tensors of the same sizes and dtypes");
    parts.push_back(layout.join(list, list[0].device()));
  }
  std::vector<Tensor> sums;
  for (size_t b = 0; b < parts[0].size(); ++b) {
    std::vector<Tensor> same;
    for (const auto& row : parts) same.push_back(row[b]);
    sums.push_back(reduce_add(same, destination));
  }
  return layout.split(sums);
}

// ---------------------------------------------------------------------- scatter
namespace {

std::vector<Tensor> parts_of(const Tensor& x, size_t devices,
                             const optional<std::vector<int64_t>>& sizes, int64_t dim) {
  if (!sizes) return x.chunk(static_cast<int64_t>(devices), dim);
  TAPER_CHECK(sizes->size() <= devices, "scatter: expected at most ", devices,
              " chunk sizes, one for each device, got ", sizes->size());
  const int64_t sum = std::accumulate(sizes->begin(), sizes->end(), int64_t{0});
  TAPER_CHECK(sum == x.size(dim), "given chunk sizes don't sum up to the tensor's size ",
              "(sum(chunk_sizes) == ", sum, ", but expected ", x.size(dim), ")");
  for (int64_t n : *sizes) TAPER_CHECK(n > 0, "Chunk size must be positive");
  return x.split_with_sizes(*sizes, dim);
}

}  // namespace

std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes, int64_t dim,
                            const optional<std::vector<optional<cuda::Stream>>>& streams) {
  TAPER_CHECK(!devices.empty(), "scatter: expected at least one device");
  TAPER_CHECK(!streams || streams->size() == devices.size(), "scatter: expected ", devices.size(),
              " streams, one for each device, got ", streams ? streams->size() : 0);
  std::vector<Tensor> parts = parts_of(tensor, devices.size(), chunk_sizes, dim);
  for (size_t i = 0; i < parts.size(); ++i) {
    optional<StreamGuard> guard;
    if (streams && (*streams)[i]) {
      TAPER_CHECK((*streams)[i]->device_index() == devices[i],
                  "Expected the device associated with the stream at index ", i, " (was ",
                  static_cast<int>((*streams)[i]->device_index()),
                  ") to match the device supplied at that index (expected ", devices[i], ")");
      guard.emplace(*(*streams)[i]);
    }
    parts[i] = parts[i].to(cuda_device(devices[i]), /*non_blocking=*/true);
  }
  return parts;
}

// ---------------------------------------------------------------------- gather
namespace {

Dims gathered_sizes(TensorList tensors, int64_t dim) {
  Dims sizes = tensors[0].impl().sizes;
  int64_t length = 0;
  for (const Tensor& t : tensors) {
    TAPER_CHECK(t.is_cuda(), "Gather expects all inputs to have CUDA type");
    Dims expected = sizes;
    if (t.dim() == tensors[0].dim()) expected[dim] = t.size(dim);
    TAPER_CHECK(t.sizes() == expected.ref(), "Gather got an input of invalid size: got ", t.sizes(),
                ", but expected ", expected);
    length += t.size(dim);
  }
  sizes[dim] = length;
  return sizes;
}

}  // namespace

std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes, int64_t dim) {
  return scatter(tensor, devices, chunk_sizes, dim, nullopt);
}

Tensor gather(TensorList tensors, int64_t dim) { return gather(tensors, dim, nullopt); }
Tensor gather(TensorList tensors, int64_t dim, optional<int32_t> destination_index) {
  TAPER_CHECK(!tensors.empty(), "Expected at least one tensor to gather from");
  dim = wrap_dim("gather", dim, tensors[0].dim());
  const Dims sizes = gathered_sizes(tensors, dim);
  const int64_t index = destination_index.value_or(-1);
  const Device device = destination_index && index == -1 ? Device() : cuda_device(index);
  const NoGradGuard no_grad;
  Tensor joined = detail::make_tensor(sizes, tensors[0].scalar_type(), device);
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    joined.narrow(dim, start, t.size(dim)).copy_(t);
    start += t.size(dim);
  }
  return detail::share_data(joined.impl());
}

}  // namespace torch::taper::cuda
