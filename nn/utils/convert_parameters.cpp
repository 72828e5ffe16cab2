#include <taper/nn/utils/convert_parameters.h>

#include <taper/ops/tensor/cat.h>

namespace torch::taper::nn::utils {

namespace {

void check_devices(const std::vector<Tensor>& parameters) {
  for (const Tensor& p : parameters)
    TAPER_CHECK(p.device() == parameters[0].device(),
                "Found two parameters on different devices, this is currently not supported.");
}

}  // namespace

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  std::vector<Tensor> flat;
  flat.reserve(parameters.size());
  for (const Tensor& p : parameters) flat.push_back(p.reshape({-1}));
  return cat(flat);
}

void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  int64_t total = 0;
  for (const Tensor& p : parameters) total += p.numel();
  TAPER_CHECK(vec.dim() == 1 && vec.numel() == total, "vector_to_parameters: expected a vector of ",
              total, " elements, got sizes ", vec.sizes());
  int64_t start = 0;
  for (const Tensor& p : parameters) {
    p.set_data(vec.slice(0, start, start + p.numel()).view_as(p).data());
    start += p.numel();
  }
}

}  // namespace torch::taper::nn::utils
