#include <taper/nn/functional/linear.h>

#include <taper/ops/binary.h>
#include <taper/ops/linear.h>

namespace taper::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return taper::linear(input, weight, bias);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias) {
  TAPER_CHECK(weight.dim() == 3, "bilinear: expected a weight of 3 dimensions, got ",
              weight.sizes());
  TAPER_CHECK(input1.dim() > 0 && input1.dim() == input2.dim(),
              "bilinear: expected inputs of the same number of dimensions, got ", input1.sizes(),
              " and ", input2.sizes());
  TAPER_CHECK(input1.size(-1) == weight.size(1) && input2.size(-1) == weight.size(2),
              "bilinear: expected inputs of ", weight.size(1), " and ", weight.size(2),
              " features, got ", input1.sizes(), " and ", input2.sizes());
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  // One product with the weight as (in1, out * in2), then one with every sample's own vector.
  const Tensor x1 = input1.reshape({-1, in1}), x2 = input2.reshape({-1, in2, 1});
  const Tensor w = weight.permute({1, 0, 2}).reshape({in1, out * in2});
  Tensor y = x1.mm(w).view({-1, out, in2}).bmm(x2).squeeze(2);
  if (bias.defined()) y = y + bias;
  std::vector<int64_t> sizes = input1.sizes().vec();
  sizes.back() = out;
  return y.view(sizes);
}

}  // namespace taper::nn::functional
