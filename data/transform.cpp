#include <taper/data/transform.h>

#include <taper/ops/tensor/cat.h>

namespace torch::taper::data::transforms {
namespace detail {

Tensor per_channel(ArrayRef<double> values) {
  const auto channels = static_cast<int64_t>(values.size());
  Tensor t = taper::detail::make_tensor({channels, 1, 1}, kFloat, Device(kCPU));
  float* out = t.data_ptr<float>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]);
  return t;
}

Tensor stack(const std::vector<Tensor>& tensors) { return taper::stack(tensors); }

}  // namespace detail

Example<> Stack<Example<>>::apply_batch(std::vector<Example<>> examples) {
  std::vector<Tensor> data, targets;
  data.reserve(examples.size());
  targets.reserve(examples.size());
  for (Example<>& example : examples) {
    data.push_back(std::move(example.data));
    targets.push_back(std::move(example.target));
  }
  return {detail::stack(data), detail::stack(targets)};
}

TensorExample Stack<TensorExample>::apply_batch(std::vector<TensorExample> examples) {
  std::vector<Tensor> data;
  data.reserve(examples.size());
  for (TensorExample& example : examples) data.push_back(std::move(example.data));
  return detail::stack(data);
}

}  // namespace torch::taper::data::transforms
