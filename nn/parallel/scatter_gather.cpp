#include <taper/nn/parallel/scatter_gather.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/nn/parallel/scatter_functions.h>

namespace torch::taper {

namespace autograd {
namespace {

std::vector<int64_t> indices_of(const std::vector<Device>& devices) {
  std::vector<int64_t> indices;
  for (const Device& d : devices) {
    TAPER_CHECK(d.is_cuda(), "Scatter: expected CUDA devices, got ", d);
    indices.push_back(taper::detail::existing_device(d).index());
  }
  return indices;
}

void warn_of_scalars() {
  taper::detail::warn_once([] {
    return "Was asked to gather along dimension 0, but all input tensors were scalars; will "
           "instead "
           "unsqueeze and return a vector.";
  });
}

/// Holds the destination of a part of a gradient.
struct Source {
  Device device;
  ScalarType dtype;
  int64_t length;
};

variable_list gather_backward(const Grads& g, const std::vector<Source>& sources, int64_t dim,
                              bool scalars) {
  variable_list grads(sources.size());
  int64_t start = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (g.needs(i)) {
      const Tensor part =
          scalars ? g[0][static_cast<int64_t>(i)] : g[0].narrow(dim, start, s.length);
      grads[i] = part.to(s.device, s.dtype, /*non_blocking=*/false);
    }
    start += s.length;
  }
  return grads;
}

}  // namespace

Scatter::Scatter(std::vector<Device> devices, const optional<std::vector<int64_t>>& chunk_sizes,
                 int64_t dim, const optional<std::vector<optional<cuda::Stream>>>& streams,
                 bool unsqueeze_scalars)
    : devices_(std::move(devices)),
      chunk_sizes_(chunk_sizes),
      dim_(dim),
      streams_(streams),
      unsqueeze_scalars_(unsqueeze_scalars) {}

variable_list Scatter::apply(variable_list&& inputs) const {
  TAPER_CHECK(inputs.size() == 1, "Scatter: expected one tensor, got ", inputs.size());
  variable_list parts =
      cuda::scatter(inputs[0], indices_of(devices_), chunk_sizes_, dim_, streams_);
  if (unsqueeze_scalars_)
    for (Tensor& t : parts) t = t[0];
  return parts;
}

Gather::Gather(const Device& destination_device, int64_t dim)
    : destination_device_(destination_device), dim_(dim) {}

variable_list Gather::apply(variable_list&& inputs) const {
  TAPER_CHECK(!inputs.empty(), "Expected at least one tensor to gather from");
  bool scalars = dim_ == 0;
  for (const Tensor& t : inputs) {
    TAPER_CHECK(t.is_cuda(), "All inputs to Gather must be CUDA tensors, got ", t.toString());
    scalars = scalars && t.dim() == 0;
  }
  std::vector<Source> sources;
  variable_list parts;
  const int64_t dim = scalars ? 0 : wrap_dim("Gather", dim_, inputs[0].dim());
  for (const Tensor& t : inputs) {
    parts.push_back(scalars ? t.detach().view({1}) : t.detach());
    sources.push_back({t.device(), t.scalar_type(), t.dim() > dim ? t.size(dim) : 1});
  }
  if (scalars) warn_of_scalars();
  const Device where = taper::detail::existing_device(destination_device_);
  const Tensor joined = cuda::gather(parts, dim, where.is_cpu() ? -1 : where.index());
  if (needs_grad(inputs))
    record_list("GatherBackward", TensorList(joined), inputs,
                [sources = std::move(sources), dim, scalars](Grads& g) {
                  return gather_backward(g, sources, dim, scalars);
                });
  return {joined};
}

}  // namespace autograd

namespace nn::parallel {

std::vector<Tensor> scatter(const Tensor& input, const std::vector<Device>& devices, int64_t dim) {
  return autograd::Scatter(devices, nullopt, dim).apply({input});
}

Tensor gather(const std::vector<Tensor>& outputs, Device destination_device, int64_t dim) {
  return autograd::Gather(destination_device, dim).apply(std::vector<Tensor>(outputs)).front();
}

namespace detail {

std::vector<std::vector<Tensor>> scatter_all(const std::vector<Tensor>& tensors,
                                             const std::vector<Device>& devices, int64_t dim) {
  std::vector<std::vector<Tensor>> parts(tensors.size());
  size_t count = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    parts[i] = scatter(tensors[i], devices, dim);
    TAPER_CHECK(
        count == 0 || count == parts[i].size(),
        "scatter: expected inputs that split into the same number of parts along dimension ", dim,
        ", got ", count, " and ", parts[i].size());
    count = parts[i].size();
  }
  for (auto& list : parts)
    if (list.empty()) list.resize(count ? count : devices.size());
  return parts;
}

std::vector<Tensor> gather_all(const std::vector<std::vector<Tensor>>& rows, Device destination,
                               int64_t dim) {
  std::vector<Tensor> joined;
  for (size_t i = 0; i < rows.at(0).size(); ++i) {
    std::vector<Tensor> same;
    size_t defined = 0;
    for (const auto& row : rows) {
      TAPER_CHECK(row.size() == rows[0].size(),
                  "gather: expected outputs with the same number of tensors, got ", rows[0].size(),
                  " and ", row.size());
      same.push_back(row[i]);
      defined += row[i].defined();
    }
    TAPER_CHECK(defined == 0 || defined == same.size(),
                "gather: expected a tensor that is defined in all outputs or in none");
    joined.push_back(defined ? gather(same, destination, dim) : Tensor());
  }
  return joined;
}

}  // namespace detail
}  // namespace nn::parallel
}  // namespace torch::taper
