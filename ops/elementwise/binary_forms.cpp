// The methods, in-place and out forms of the ops in the lists of framework/kernel/op_lists.h.
#include <taper/ops/elementwise/binary.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/kernel/op_lists.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/shared/in_place.h>

namespace torch::taper {

using detail::binary_inplace;
using detail::BinaryOp;
using detail::compute_binary_inplace;
using detail::compute_binary_out;

namespace {

// Computes x.op_(y) for comparisons. They are constant almost everywhere, so the gradients are
// zero.
Tensor& test_inplace(const BinaryOp& op, const char* node, const Tensor& x, const Tensor& y) {
  const bool recording = compute_binary_inplace(op, x, y);
  autograd::mark_changed(x);
  if (recording)
    autograd::record_inplace(node, x, {x, y},
                             [fx = detail::InputForm(x), fy = detail::InputForm(y)](Grads& g) {
                               std::array<Tensor, 2> out;
                               if (g.needs(0)) out[0] = fx(g[0] * 0);
                               if (g.needs(1)) out[1] = fy(g[0] * 0);
                               return out;
                             });
  return detail::as_mutable(x);
}
Tensor& test_inplace(const BinaryOp& op, const char* node, const Tensor& x, const Scalar& y) {
  const bool recording = compute_binary_inplace(op, x, y);
  autograd::mark_changed(x);
  if (recording) autograd::record_inplace(node, x, {x}, [](const Tensor& g) { return g * 0; });
  return detail::as_mutable(x);
}

// "EqBackward0" from "eq" and '0': PyTorch's name of a derivative.
template <size_t N>
struct NodeName {
  static constexpr char kTail[] = "Backward";
  char text[N + sizeof kTail] = {};
  constexpr NodeName(const char (&op)[N], char overload) {
    size_t n = 0;
    for (size_t i = 0; i + 1 < N; ++i) {
      const bool start = i == 0 || op[i - 1] == '_';
      if (op[i] != '_') text[n++] = start ? static_cast<char>(op[i] - 'a' + 'A') : op[i];
    }
    for (size_t i = 0; i + 1 < sizeof kTail; ++i) text[n++] = kTail[i];
    text[n] = overload;
  }
};

}  // namespace

#define TAPER_DEFINE_OUT(name, T)                                \
  Tensor& name##_out(Tensor& out, const Tensor& x, const T& y) { \
    if (at_door<#name "_out">(out, x, y)) return out;            \
    return compute_binary_out(binary_op::name, out, x, y);       \
  }
#define TAPER_DEFINE_METHOD(name, T) \
  Tensor Tensor::name(const T& o) const { return taper::name(*this, o); }

// ---------------------------------------------------------------- with a derivative
#define TAPER_DEFINE_FORMS(name, T)                                                       \
  TAPER_DEFINE_METHOD(name, T)                                                            \
  TAPER_DEFINE_OUT(name, T)                                                               \
  Tensor& Tensor::name##_(const T& o) const {                                             \
    if (at_door<#name "_">(*this, o)) return detail::as_mutable(*this);                   \
    return binary_inplace(binary_op::name, *this, o,                                      \
                          [](const Tensor& x, const T& y) { return taper::name(x, y); }); \
  }
#define TAPER_DEFINE_tensors(name) TAPER_DEFINE_FORMS(name, Tensor)
#define TAPER_DEFINE_with_numbers(name) \
  TAPER_DEFINE_FORMS(name, Tensor)      \
  TAPER_DEFINE_FORMS(name, Scalar)
#define TAPER_DEFINE_number_first(name)                                   \
  TAPER_DEFINE_with_numbers(name)                                         \
      Tensor& name##_out(Tensor& out, const Scalar& x, const Tensor& y) { \
    if (at_door<#name "_out">(out, x, y)) return out;                     \
    return compute_binary_out(binary_op::name, out, x, y);                \
  }
#define TAPER_DEFINE_extremum(name) \
  TAPER_DEFINE_METHOD(name, Tensor) \
  TAPER_DEFINE_OUT(name, Tensor)
Tensor Tensor::max(const Tensor& o) const {
  if (auto done = at_door<"max">(*this, o)) return done;
  return taper::maximum(*this, o);
}
Tensor Tensor::min(const Tensor& o) const {
  if (auto done = at_door<"min">(*this, o)) return done;
  return taper::minimum(*this, o);
}

// ---------------------------------------------------------------- tests
// PyTorch numbers the overload with a number first.
#define TAPER_DEFINE_TEST(name, T, overload)                            \
  Tensor name(const Tensor& x, const T& y) {                            \
    if (auto done = at_door<#name>(x, y)) return done;                  \
    return detail::compute_binary(binary_op::name, x, y);               \
  }                                                                     \
  TAPER_DEFINE_METHOD(name, T)                                          \
  TAPER_DEFINE_OUT(name, T)                                             \
  Tensor& Tensor::name##_(const T& o) const {                           \
    if (at_door<#name "_">(*this, o)) return detail::as_mutable(*this); \
    static constexpr NodeName node(#name, overload);                    \
    return test_inplace(binary_op::name, node.text, *this, o);          \
  }
#define TAPER_DEFINE_test_of_tensors(name) TAPER_DEFINE_TEST(name, Tensor, '0')
#define TAPER_DEFINE_comparison(name)  \
  TAPER_DEFINE_TEST(name, Scalar, '0') \
  TAPER_DEFINE_TEST(name, Tensor, '1')

#define TAPER_DEFINE(name, kind) TAPER_DEFINE_##kind(name)
TAPER_BINARY_OPS(TAPER_DEFINE)
#undef TAPER_DEFINE
#undef TAPER_DEFINE_tensors
#undef TAPER_DEFINE_with_numbers
#undef TAPER_DEFINE_number_first
#undef TAPER_DEFINE_extremum
#undef TAPER_DEFINE_test_of_tensors
#undef TAPER_DEFINE_comparison
#undef TAPER_DEFINE_TEST
#undef TAPER_DEFINE_FORMS

// ---------------------------------------------------------------- second names
#define TAPER_DEFINE_ALIAS(alias, name, T)                               \
  Tensor alias(const Tensor& x, const T& y) {                            \
    if (auto done = at_door<#alias>(x, y)) return done;                  \
    return name(x, y);                                                   \
  }                                                                      \
  Tensor& alias##_out(Tensor& out, const Tensor& x, const T& y) {        \
    if (at_door<#alias "_out">(out, x, y)) return out;                   \
    return name##_out(out, x, y);                                        \
  }                                                                      \
  Tensor Tensor::alias(const T& o) const {                               \
    if (auto done = at_door<#alias>(*this, o)) return done;              \
    return taper::name(*this, o);                                        \
  }                                                                      \
  Tensor& Tensor::alias##_(const T& o) const {                           \
    if (at_door<#alias "_">(*this, o)) return detail::as_mutable(*this); \
    return name##_(o);                                                   \
  }
#define TAPER_DEFINE_ALIASES(alias, name) \
  TAPER_DEFINE_ALIAS(alias, name, Tensor) \
  TAPER_DEFINE_ALIAS(alias, name, Scalar)
TAPER_BINARY_ALIASES(TAPER_DEFINE_ALIASES)
TAPER_DEFINE_ALIAS(arctan2, atan2, Tensor)
#undef TAPER_DEFINE_ALIAS
#undef TAPER_DEFINE_ALIASES
#undef TAPER_DEFINE_METHOD
#undef TAPER_DEFINE_OUT

Tensor& Tensor::operator&=(const Tensor& o) { return bitwise_and_(o); }
Tensor& Tensor::operator|=(const Tensor& o) { return bitwise_or_(o); }
Tensor& Tensor::operator^=(const Tensor& o) { return bitwise_xor_(o); }

}  // namespace torch::taper
