#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/nn/loss_pointwise_functors.h>
#include <taper/ops/reduce/reduce_cuda.h>

namespace taper::cuda {
namespace {

/// The loss of an element; an x that should be a probability and is none is reported.
template <class Loss, class T>
struct LossValue {
  T p;
  bool probability;
  Faults faults;
  LossValue(const LossForm& form)
      : p(static_cast<T>(form.p)), probability(form.kind == LossKind::kBce) {}
  TAPER_DEVICE T operator()(T x, T t) const {
    if (probability && !(x >= T(0) && x <= T(1))) faults.raise(FaultKind::kProbability);
    return Loss::value(x, t, p);
  }
};

/// The sum of the losses of all elements over `divisor`.
template <class Loss, class T>
struct LossSum {
  using State = double;
  const T *x, *target;
  LossValue<Loss, T> loss;
  double divisor;
  TAPER_HD double start() const { return 0; }
  TAPER_DEVICE double take(const char*, int64_t i) const { return loss(x[i], target[i]); }
  TAPER_DEVICE double join(double a, double b) const { return a + b; }
  TAPER_DEVICE void finish(char* y, double s) const {
    *reinterpret_cast<T*>(y) = static_cast<T>(s / divisor);
  }
};

template <class Loss, class T>
struct LossGradient {
  T* gx;
  const T *gy, *x, *target;
  bool each;  // gy has a number for each element
  T p;
  double divisor;
  TAPER_DEVICE void operator()(int64_t i) const {
    const T scale = each ? gy[i] : static_cast<T>(*gy / divisor);
    gx[i] = Loss::slope(x[i], target[i], p) * scale;
  }
};

}  // namespace

void pointwise_loss(Out y, In x, In target, LossForm form, double divisor) {
  switch_dtype<dtypes::Float>(x.dtype, "loss", [&]<class scalar_t>() {
    functor::with_loss(form.kind, [&](auto loss) {
      using Loss = decltype(loss);
      const LossValue<Loss, scalar_t> value(form);
      if (y.numel == x.numel) {
        map2<scalar_t, scalar_t>(y, x, target, value);
      } else {
        const DimMask all = ~DimMask{0};
        reduce(y, x, all,
               LossSum<Loss, scalar_t>{x.as<scalar_t>(), target.as<scalar_t>(), value, divisor});
      }
    });
  });
}

void pointwise_loss_backward(Out gx, In gy, In x, In target, LossForm form, double divisor) {
  switch_dtype<dtypes::Float>(x.dtype, "loss_backward", [&]<class scalar_t>() {
    functor::with_loss(form.kind, [&](auto loss) {
      for_each(x.numel,
               LossGradient<decltype(loss), scalar_t>{
                   gx.as<scalar_t>(), gy.as<scalar_t>(), x.as<scalar_t>(), target.as<scalar_t>(),
                   gy.numel == x.numel && x.numel > 1, static_cast<scalar_t>(form.p), divisor});
    });
  });
}

}  // namespace taper::cuda
