#include <taper/nn/parallel/flat_layout.h>

#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::parallel {
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
