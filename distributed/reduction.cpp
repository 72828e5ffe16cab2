#include <taper/distributed/reduction.h>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/check.h>
#include <taper/ops/elementwise/binary.h>

namespace torch::taper::distributed::detail {

namespace {

struct Sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
template <>
bool Sum::of(bool a, bool b) {
  return a || b;
}
struct Product {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a * b);
  }
};
template <>
bool Product::of(bool a, bool b) {
  return a && b;
}
struct Least {
  template <class T>
  static T of(T a, T b) {
    return b < a || b != b ? b : a;
  }
};
struct Greatest {
  template <class T>
  static T of(T a, T b) {
    return a < b || b != b ? b : a;
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class T, class Op>
void combine(void* to, const void* a, const void* b, size_t n) {
  auto* y = static_cast<T*>(to);
  const auto *x1 = static_cast<const T*>(a), *x2 = static_cast<const T*>(b);
  // Only elements of equal index interact.
#pragma omp simd
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<T>(Op::of(x1[i], x2[i]));
}
template <class T, class Op>
void combine_in_float(void* to, const void* a, const void* b, size_t n) {
  auto* y = static_cast<T*>(to);
  const auto *x1 = static_cast<const T*>(a), *x2 = static_cast<const T*>(b);
  for (size_t i = 0; i < n; ++i)
    y[i] = static_cast<T>(Op::of(static_cast<float>(x1[i]), static_cast<float>(x2[i])));
}

template <class Op>
Combine of_whole_numbers(ScalarType dtype) {
  switch (dtype) {
    case kLong:
      return combine<int64_t, Op>;
    case kInt:
      return combine<int32_t, Op>;
    case kShort:
      return combine<int16_t, Op>;
    case kChar:
      return combine<int8_t, Op>;
    case kByte:
      return combine<uint8_t, Op>;
    case kBool:
      return combine<bool, Op>;
    default:
      return nullptr;
  }
}
template <class Op>
Combine of_numbers(ScalarType dtype) {
  switch (dtype) {
    case kFloat:
      return combine<float, Op>;
    case kDouble:
      return combine<double, Op>;
    case kHalf:
      return combine_in_float<Half, Op>;
    case kBFloat16:
      return combine_in_float<BFloat16, Op>;
    default:
      return of_whole_numbers<Op>(dtype);
  }
}

Combine find(ScalarType dtype, ReduceOp op) {
  switch (static_cast<ReduceOp::RedOpType>(op)) {
    case ReduceOp::SUM:
      return of_numbers<Sum>(dtype);
    case ReduceOp::AVG:
      return dtype == kBool ? nullptr : of_numbers<Sum>(dtype);
    case ReduceOp::PREMUL_SUM:  // times a factor that may be a fraction
      return isFloatingType(dtype) ? of_numbers<Sum>(dtype) : nullptr;
    case ReduceOp::PRODUCT:
      return of_numbers<Product>(dtype);
    case ReduceOp::MIN:
      return of_numbers<Least>(dtype);
    case ReduceOp::MAX:
      return of_numbers<Greatest>(dtype);
    case ReduceOp::BAND:
      return of_whole_numbers<And>(dtype);
    case ReduceOp::BOR:
      return of_whole_numbers<Or>(dtype);
    case ReduceOp::BXOR:
      return of_whole_numbers<Xor>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace

const char* name_of(ReduceOp op) {
  constexpr const char* kNames[] = {"SUM",  "AVG", "PRODUCT", "MIN",        "MAX",
                                    "BAND", "BOR", "BXOR",    "PREMUL_SUM", "UNUSED"};
  return kNames[op.op_ <= ReduceOp::UNUSED ? op.op_ : ReduceOp::UNUSED];
}

Combine combine_for(ScalarType dtype, ReduceOp op) {
  const Combine found = find(dtype, op);
  TAPER_CHECK_VALUE(found, "ReduceOp.", name_of(op),
                    ": expected a dtype that it is defined for, got ", dtype);
  return found;
}

void before_reduction(const Tensor& host, ReduceOp op) {
  const NoGradGuard off;
  if (op == ReduceOp::PREMUL_SUM) host.mul_(op.factor);
}
void after_reduction(const Tensor& host, ReduceOp op, int size) {
  const NoGradGuard off;
  if (op == ReduceOp::AVG) host.copy_(host.div(size));
}

}  // namespace torch::taper::distributed::detail
