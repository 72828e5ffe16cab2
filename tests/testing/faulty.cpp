#include "testing/faulty.h"

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::testing {
namespace {

Tensor raw_times(const Tensor& g, const Tensor& factor) {
  const Array f = to_array(factor.detach());
  Array result(f.sizes);
  const auto* memory = static_cast<const double*>(g.data_ptr());
  const auto stored = static_cast<int64_t>(g.storage().nbytes() / 8) - g.storage_offset();
  for (int64_t i = 0; i < f.numel(); ++i) result.v[i] = f.v[i] * (i < stored ? memory[i] : 0);
  return to_tensor(result, kDouble);
}

Tensor with_element(const Tensor& g, int64_t i, double value) {
  const Tensor changed = g.clone();
  if (changed.numel() > 0) changed.flatten()[i < 0 ? i + changed.numel() : i].fill_(value);
  return changed;
}

Tensor buffer_again(const Tensor& g) {
  static Tensor buffer;
  if (!buffer.defined() || buffer.sizes() != g.sizes()) buffer = g.detach().clone();
  buffer.data().copy_(g.detach());
  return buffer;
}

}  // namespace

variable_list FaultySine::backward(AutogradContext* ctx, variable_list grads) {
  const auto fault = static_cast<Planted>(ctx->saved_data["fault"].toInt());
  const Tensor x = ctx->get_saved_variables()[0], slope = x.cos();
  TAPER_CHECK(grads[0].defined(), "no gradient");
  static int calls = 0;
  const Tensor right = grads[0] * slope;
  const auto wrong = [&]() -> Tensor {
    switch (fault) {
      case Planted::kZero:
        return right * 0;
      case Planted::kTwice:
        return right * 2;
      case Planted::kSign:
        return -right;
      case Planted::kNaN:
        return with_element(right, 1, std::nan(""));
      case Planted::kLastMissed:
        return with_element(right, -1, 0);
      case Planted::kReversed:
        return right.flatten().flip({0}).reshape(right.sizes());
      case Planted::kNoCotangent:
        return slope;
      case Planted::kSlightlyOff:
        return right * 1.01;
      case Planted::kDetached:
        return right.detach();
      case Planted::kLayout:
        return raw_times(grads[0], slope);
      case Planted::kChangesGiven:
        return grads[0].mul_(slope);
      case Planted::kBufferAgain:
        return buffer_again(right);
      case Planted::kOtherCall:
        return grads[0] * latest().cos();
      case Planted::kReplaced:
        x.mutable_grad() = Tensor();
        return right;
      case Planted::kRandom:
        return right * (1 + 1e-7 * ++calls);
      default:
        return right;
    }
  };
  return {wrong(), Tensor()};
}

}  // namespace torch::taper::testing
