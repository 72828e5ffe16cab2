// scatter and gather: split batches over devices and join the parts. Both are differentiable.
#pragma once

#include <taper/nn/parallel/comm.h>
#include <taper/nn/parallel/nested.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace nn::parallel {

/// Returns the parts of `input` for the devices, split along `dim` as chunk() does. There may be
/// fewer parts than devices.
std::vector<Tensor> scatter(const Tensor& input, const std::vector<Device>& devices,
                            int64_t dim = 0);
/// Joins the tensors along `dim` on `destination_device`, as autograd::Gather does.
Tensor gather(const std::vector<Tensor>& outputs, Device destination_device, int64_t dim = 0);

namespace detail {
/// Scatters all tensors. result[t][p] is part p of tensor t. All tensors must give the same number
/// of parts. The parts of an undefined tensor are undefined.
std::vector<std::vector<Tensor>> scatter_all(const std::vector<Tensor>& tensors,
                                             const std::vector<Device>& devices, int64_t dim);
/// Result i joins rows[r][i] over all r. All rows must have the same length. For each i, the
/// tensors must be defined in all rows or in none.
std::vector<Tensor> gather_all(const std::vector<std::vector<Tensor>>& rows, Device destination,
                               int64_t dim);
template <class T>
std::vector<Tensor> tensors_in(T value) {
  std::vector<Tensor> tensors;
  const auto take = [&](Tensor& t) { tensors.push_back(t); };
  visit(value, take);
  return tensors;
}
}  // namespace detail

/// Splits `input` over the devices. Tensors in `input` (see nested.h) are split. Everything else is
/// copied to each part. If `input` has no tensors, every device gets a copy. Throws Error if the
/// tensors give different numbers of parts.
template <class T>
std::vector<T> scatter(const T& input, const std::vector<Device>& devices, int64_t dim = 0) {
  const auto parts = detail::scatter_all(detail::tensors_in(input), devices, dim);
  std::vector<T> values(parts.empty() ? devices.size() : parts[0].size(), input);
  for (size_t p = 0; p < values.size(); ++p) {
    size_t i = 0;
    const auto put = [&](Tensor& t) { t = parts[i++][p]; };
    detail::visit(values[p], put);
  }
  return values;
}

/// Joins `outputs`, which must have the same structure. It joins the tensors in the outputs, and
/// copies everything else from outputs[0].
template <class T>
T gather(const std::vector<T>& outputs, Device destination_device, int64_t dim = 0) {
  static_assert(detail::MayHoldTensors<T>::value,
                "gather: expected tensors, or pairs, tuples, arrays, vectors or maps of them; for "
                "a type of your own write for_each_tensor (taper/nn/parallel/nested.h)");
  std::vector<std::vector<Tensor>> rows;
  for (const T& output : outputs) rows.push_back(detail::tensors_in(output));
  const std::vector<Tensor> joined = detail::gather_all(rows, destination_device, dim);
  T value = outputs.at(0);
  size_t i = 0;
  const auto put = [&](Tensor& t) { t = joined[i++]; };
  detail::visit(value, put);
  return value;
}

}  // namespace nn::parallel
}  // namespace torch::taper

#pragma GCC visibility pop
