// The activation functions and their slopes (derivatives), for host and device. T is float or
// double.
//
// Slopes at corners follow PyTorch. leaky_relu, elu and threshold have the slope from the left of
// the corner. hardtanh, hardsigmoid, hardshrink and softshrink have slope 0 at both corners.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/ops/nn/activation_kernels.h>

namespace torch::taper::functor {

/// The value of a function, as a functor for loops.
template <class F>
struct Value {
  F f;
  template <class T>
  TAPER_HD T operator()(T x) const {
    return f.value(x);
  }
};

/// The gradient of a function, as a functor for loops.
template <class F>
struct Slope {
  F f;
  template <class T>
  TAPER_HD T operator()(T g, T x) const {
    return g * f.slope(x);
  }
};

template <class T>
struct LeakyRelu {
  T slope_below, b, c;
  TAPER_HD T value(T x) const { return x > T(0) ? x : x * slope_below; }
  TAPER_HD T slope(T x) const { return x > T(0) ? T(1) : slope_below; }
};

template <class T>
struct Elu {
  T alpha, scale, input_scale;
  TAPER_HD T value(T x) const {
    return x <= T(0) ? scale * alpha * std::expm1(x * input_scale) : scale * x;
  }
  TAPER_HD T slope(T x) const {
    return x <= T(0) ? scale * alpha * input_scale * vector_exp(x * input_scale) : scale;
  }
};

template <class T>
struct Gelu {
  T a, b, c;
  TAPER_HD T value(T x) const { return x * normal_cdf(x); }
  TAPER_HD T slope(T x) const {
    return normal_cdf(x) + x * T(0.39894228040143267794) * vector_exp(T(-0.5) * x * x);
  }
};

template <class T>
struct GeluTanh {
  T a, b, c;
  static constexpr T kScale = T(0.79788456080286535588), kCube = T(0.044715);
  TAPER_HD T value(T x) const {
    return T(0.5) * x * (T(1) + vector_tanh(kScale * (x + kCube * x * x * x)));
  }
  TAPER_HD T slope(T x) const {
    const T t = vector_tanh(kScale * (x + kCube * x * x * x));
    return T(0.5) * (T(1) + t) +
           T(0.5) * x * (T(1) - t * t) * kScale * (T(1) + T(3) * kCube * x * x);
  }
};

template <class T>
struct Silu {
  T a, b, c;
  TAPER_HD T value(T x) const { return x * logistic(x); }
  TAPER_HD T slope(T x) const {
    const T s = logistic(x);
    return s * (T(1) + x * (T(1) - s));
  }
};

template <class T>
struct Mish {
  T a, b, c;
  // tanh(log(1 + e)) with e = exp(x) is e (e + 2) / (e (e + 2) + 2). For x above 20, the result is
  // 1.
  TAPER_HD static T gate(T x) {
    const T e = vector_exp(x > T(20) ? T(20) : x);
    const T n = e * (e + T(2));
    return n / (n + T(2));
  }
  TAPER_HD T value(T x) const { return x * gate(x); }
  TAPER_HD T slope(T x) const {
    const T t = gate(x);
    return t + x * (T(1) - t * t) * logistic(x);
  }
};

template <class T>
struct Softplus {
  T beta, threshold, c;
  TAPER_HD T value(T x) const {
    return x * beta > threshold ? x : std::log1p(vector_exp(x * beta)) / beta;
  }
  TAPER_HD T slope(T x) const { return x * beta > threshold ? T(1) : logistic(x * beta); }
};

template <class T>
struct Hardtanh {
  T low, high, c;
  // If `high` is below `low`, the result is `high`, as in clamp.
  TAPER_HD T value(T x) const {
    const T y = x < low ? low : x;
    return y > high ? high : y;
  }
  TAPER_HD T slope(T x) const { return x <= low || x >= high ? T(0) : T(1); }
};

template <class T>
struct Hardsigmoid {
  T a, b, c;
  TAPER_HD T value(T x) const { return x < T(-3) ? T(0) : x > T(3) ? T(1) : (x + T(3)) / T(6); }
  TAPER_HD T slope(T x) const { return x > T(-3) && x < T(3) ? T(1) / T(6) : T(0); }
};

// For x below -3, value() returns x * 0, so that -inf gives NaN, as in LibTorch.
template <class T>
struct Hardswish {
  T a, b, c;
  TAPER_HD T value(T x) const {
    return x < T(-3) ? x * T(0) : x > T(3) ? x : x * (x + T(3)) / T(6);
  }
  TAPER_HD T slope(T x) const { return x < T(-3) ? T(0) : x > T(3) ? T(1) : x / T(3) + T(0.5); }
};

template <class T>
struct Hardshrink {
  T lambda, b, c;
  TAPER_HD T value(T x) const { return x >= -lambda && x <= lambda ? T(0) : x; }
  TAPER_HD T slope(T x) const { return x >= -lambda && x <= lambda ? T(0) : T(1); }
};

template <class T>
struct Softshrink {
  T lambda, b, c;
  TAPER_HD T value(T x) const {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * T(0);
  }
  TAPER_HD T slope(T x) const { return x >= -lambda && x <= lambda ? T(0) : T(1); }
};

template <class T>
struct Threshold {
  T threshold, replacement, c;
  TAPER_HD T value(T x) const { return x <= threshold ? replacement : x; }
  TAPER_HD T slope(T x) const { return x <= threshold ? T(0) : T(1); }
};

template <class T>
struct LogSigmoid {
  T a, b, c;
  TAPER_HD T value(T x) const {
    return (x > T(0) ? T(0) : x) - std::log1p(vector_exp(-std::fabs(x)));
  }
  TAPER_HD T slope(T x) const { return logistic(-x); }
};

// A negative eps means that x is not limited. The result is then NaN outside [0, 1].
template <class T>
struct Logit {
  T eps, b, c;
  TAPER_HD T value(T x) const {
    const T high = T(1) - eps;
    const T z = eps < T(0) ? x : x < eps ? eps : x > high ? high : x;
    return std::log(z / (T(1) - z));
  }
  TAPER_HD T slope(T x) const {
    const T inside = T(1) / (x * (T(1) - x));
    if (eps < T(0)) return x < T(0) || x > T(1) ? T(NAN) : inside;
    return x < eps || x > T(1) - eps ? T(0) : inside;
  }
};

// Calls run(f). f is the functor of the function that `form` describes, with parameters of type C.
template <class C, class Run>
void with_activation(const ActivationForm& form, const Run& run) {
  const C a = static_cast<C>(form.a), b = static_cast<C>(form.b), c = static_cast<C>(form.c);
  switch (form.kind) {
    case Activation::kLeakyRelu:
      return run(LeakyRelu<C>{a, b, c});
    case Activation::kElu:
      return run(Elu<C>{a, b, c});
    case Activation::kGelu:
      return run(Gelu<C>{a, b, c});
    case Activation::kGeluTanh:
      return run(GeluTanh<C>{a, b, c});
    case Activation::kSilu:
      return run(Silu<C>{a, b, c});
    case Activation::kMish:
      return run(Mish<C>{a, b, c});
    case Activation::kSoftplus:
      return run(Softplus<C>{a, b, c});
    case Activation::kHardtanh:
      return run(Hardtanh<C>{a, b, c});
    case Activation::kHardsigmoid:
      return run(Hardsigmoid<C>{a, b, c});
    case Activation::kHardswish:
      return run(Hardswish<C>{a, b, c});
    case Activation::kHardshrink:
      return run(Hardshrink<C>{a, b, c});
    case Activation::kSoftshrink:
      return run(Softshrink<C>{a, b, c});
    case Activation::kThreshold:
      return run(Threshold<C>{a, b, c});
    case Activation::kLogSigmoid:
      return run(LogSigmoid<C>{a, b, c});
    case Activation::kLogit:
      return run(Logit<C>{a, b, c});
  }
}

}  // namespace torch::taper::functor
