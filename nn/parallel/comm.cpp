#include <taper/nn/parallel/comm.h>

#include <numeric>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/nn/parallel/collective.h>
#include <taper/nn/parallel/flat_layout.h>

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
