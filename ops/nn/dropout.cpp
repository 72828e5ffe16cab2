#include <taper/ops/nn/dropout.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/random/random_kernels.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

bool changes_nothing(const char* op, const Tensor& x, double p, bool train) {
  check_defined(op, x, "input");
  TAPER_CHECK(p >= 0 && p <= 1, op, ": dropout probability has to be between 0 and 1, but got ", p);
  if (p == 0 || !train || x.numel() == 0) return true;
  TAPER_CHECK(x.is_floating_point(), op,
              ": result type Float can't be cast to the desired output type ",
              toString(x.scalar_type()));
  return false;
}

// The noise is row-major, so that the numbers do not depend on x's strides.
Tensor empty_noise(const Tensor& x) { return empty(x.sizes(), x.options()); }

// Returns one number for each (n, c), followed by dimensions of size 1.
Tensor empty_feature_noise(const Tensor& x) {
  TAPER_CHECK(x.dim() >= 2,
              "feature_dropout: Feature dropout requires at least 2 dimensions in the input");
  Dims size(x.dim(), 1);
  size[0] = x.size(0);
  size[1] = x.size(1);
  return empty(size, x.options());
}

Tensor zero(const Tensor& x) { return zeros({}, x.options()); }

Tensor scaled_noise(Tensor noise, double p) { return noise.bernoulli_(1 - p).div_(1 - p); }

/// Factor and summand of the alpha forms.
struct Affine {
  Tensor noise, shift;
};

Affine alpha_noise(Tensor noise, double p) {
  constexpr double kSaturation = 1.7580993408473766;  // of SELU: alpha * scale
  NoGradGuard no_grad;
  noise.bernoulli_(1 - p);
  const double a = 1.0 / std::sqrt((kSaturation * kSaturation * p + 1) * (1 - p));
  Tensor shift = noise.add(-1).mul_(kSaturation * a).add_(kSaturation * a * p);
  return {noise.mul_(a), shift};
}

/// The differences between the forms.
struct Form {
  const char* op;
  bool by_channel, alpha, inplace;
};

Tensor drop(const Form& form, const Tensor& x, double p, bool train) {
  if (changes_nothing(form.op, x, p, train)) return x;
  const auto times = [&](const Tensor& factor) {
    return form.inplace ? x.mul_(factor) : x.mul(factor);
  };
  if (p == 1) return times(zero(x));
  const Tensor noise = form.by_channel ? empty_feature_noise(x) : empty_noise(x);
  if (!form.alpha) return times(scaled_noise(noise, p));
  const Affine f = alpha_noise(noise, p);
  return times(f.noise).add_(f.shift);
}

/// The derivative of dropout, which is linear. `kept` is the mask that was drawn.
Tensor dropout_again(const Tensor& x, const Tensor& kept, double p) {
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(y, dropout_again, y, x, kept, p);
  if (autograd::needs_grad(x))
    autograd::record("MulBackward0", y, {x}, [kept = autograd::saved(kept), p](const Tensor& gy) {
      return dropout_again(gy, kept.get(), p);
    });
  return y;
}

}  // namespace

Tensor dropout(const Tensor& x, double p, bool train) {
  if (auto done = at_door<"dropout">(x, p, train)) return done;
  if (changes_nothing("dropout", x, p, train)) return x;
  if (p == 1 || !x.is_contiguous()) return drop({"dropout", false, false, false}, x, p, train);
  const bool grad = autograd::needs_grad(x);
  // `kept` needs a byte per element, the noise itself would need four.
  Tensor y = detail::make_like(x),
         kept = grad ? empty(x.sizes(), x.options().dtype(kBool)) : Tensor();
  const GeneratorPtr g = detail::generator_for(y.device(), nullopt);
  TAPER_ON_DEVICE(y, dropout, y, kept, x, p, g);
  if (grad)
    autograd::record("MulBackward0", y, {x}, [kept = autograd::saved(kept), p](const Tensor& gy) {
      return dropout_again(gy, kept.get(), p);
    });
  return y;
}

Tensor& dropout_(Tensor& x, double p, bool train) {
  if (at_door<"dropout_">(x, p, train)) return x;
  drop({"dropout_", false, false, true}, x, p, train);
  return x;
}

#define TAPER_DEFINE_DROPOUT(name, by_channel, alpha)            \
  Tensor name(const Tensor& x, double p, bool train) {           \
    if (auto done = at_door<#name>(x, p, train)) return done;    \
    return drop({#name, by_channel, alpha, false}, x, p, train); \
  }                                                              \
  Tensor& name##_(Tensor& x, double p, bool train) {             \
    if (at_door<#name "_">(x, p, train)) return x;               \
    drop({#name "_", by_channel, alpha, true}, x, p, train);     \
    return x;                                                    \
  }
TAPER_DEFINE_DROPOUT(feature_dropout, true, false)
TAPER_DEFINE_DROPOUT(alpha_dropout, false, true)
TAPER_DEFINE_DROPOUT(feature_alpha_dropout, true, true)
#undef TAPER_DEFINE_DROPOUT

}  // namespace torch::taper
