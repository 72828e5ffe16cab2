#include <taper/nn/functional/linear.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/shared/autocast.h>

namespace torch::taper::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return taper::linear(input, weight, bias);
}

namespace {

void check_features(const char* of, int64_t got, int64_t expected) {
  TAPER_CHECK(got == expected, "bilinear(): ", of, " size does not match weight size: got ", got,
              " but expected ", expected);
}

}  // namespace

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias) {
  if (auto cast = autocast_call("bilinear", bilinear, input1, input2, weight, bias)) return *cast;
  TAPER_CHECK(weight.dim() == 3, "bilinear: expected a weight of 3 dimensions, got ",
              weight.sizes());
  TAPER_CHECK(input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got ",
              input1.dim(), " and ", input2.dim());
  for (int64_t d = 0; d < input1.dim() - 1; ++d)
    TAPER_CHECK(input1.size(d) == input2.size(d),
                "bilinear(): input batch dimensions do not match at dim ", d, ": got ",
                input1.size(d), " and ", input2.size(d));
  check_features("input1", input1.size(-1), weight.size(1));
  check_features("input2", input2.size(-1), weight.size(2));
  if (bias.defined()) check_features("bias", bias.size(0), weight.size(0));
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  // One product with the weight as (in1, out * in2), then one with the second vector of each
  // sample.
  int64_t samples = 1;
  for (int64_t d = 0; d < input1.dim() - 1; ++d) samples *= input1.size(d);
  const Tensor x1 = input1.reshape({samples, in1}), x2 = input2.reshape({samples, in2, 1});
  const Tensor w = weight.permute({1, 0, 2}).reshape({in1, out * in2});
  Tensor y = x1.mm(w).view({samples, out, in2}).bmm(x2).squeeze(2);
  if (bias.defined()) y = y + bias;
  std::vector<int64_t> sizes = input1.sizes().vec();
  sizes.back() = out;
  return y.view(sizes);
}

}  // namespace torch::taper::nn::functional
