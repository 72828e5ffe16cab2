#include <taper/ops/fft/window.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

// Returns formula(n / (N - 1)) at N points, or at the first N - 1 of them.
template <class Formula>
Tensor window(const char* op, int64_t length, bool periodic, const TensorOptions& options,
              const Formula& formula) {
  TAPER_CHECK(length >= 0, op, " requires non-negative window_length, got window_length=", length);
  const ScalarType dtype = typeMetaToScalarType(options.dtype());
  TAPER_CHECK(isFloatingType(dtype), op, " expects floating point dtypes, got: ", toString(dtype));
  NoGradGuard no_grad;
  if (length <= 1) return ones({length}, options);
  const int64_t last = length - !periodic;
  const Tensor at = arange(length, options.dtype(kDouble).requires_grad(false)).div(last);
  const Tensor y = formula(at).to(dtype);
  return options.requires_grad() ? y.set_requires_grad(true) : y;
}

Tensor cosine(const Tensor& at, double turns) { return cos(at * (2 * M_PI * turns)); }

}  // namespace

Tensor bartlett_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"bartlett_window">(length, periodic, options)) return done;
  return window("bartlett_window", length, periodic, options,
                [](const Tensor& at) { return 1 - (at * 2 - 1).abs(); });
}

Tensor hann_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"hann_window">(length, periodic, options)) return done;
  return window("hann_window", length, periodic, options,
                [](const Tensor& at) { return 0.5 - cosine(at, 1) * 0.5; });
}

Tensor hamming_window(int64_t length, bool periodic, double alpha, double beta,
                      TensorOptions options) {
  if (auto done = at_door<"hamming_window">(length, periodic, alpha, beta, options)) return done;
  return window("hamming_window", length, periodic, options,
                [=](const Tensor& at) { return alpha - cosine(at, 1) * beta; });
}

Tensor blackman_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"blackman_window">(length, periodic, options)) return done;
  return window("blackman_window", length, periodic, options,
                [](const Tensor& at) { return 0.42 - cosine(at, 1) * 0.5 + cosine(at, 2) * 0.08; });
}

Tensor kaiser_window(int64_t length, bool periodic, double beta, TensorOptions options) {
  if (auto done = at_door<"kaiser_window">(length, periodic, beta, options)) return done;
  return window("kaiser_window", length, periodic, options, [beta](const Tensor& at) {
    const Tensor x = at * 2 - 1;
    const Tensor under = (1 - x * x).clamp_min(0).sqrt() * beta;
    return i0(under) / i0(scalar_tensor(beta, TensorOptions(kDouble).device(at.device())));
  });
}

}  // namespace torch::taper
