// addcmul, addcdiv, lerp.
#include <taper/ops/binary.h>

#include "harness/pointwise.h"

namespace taper::testing {
namespace {

/// Three tensors that broadcast; the first has the result's shape often enough for in-place forms.
OpCase ternary(const char* name, Tensor (*op)(const Args&), Tensor& (*inplace)(const Args&),
               Tensor& (*out)(Tensor&, const Args&), double (*f)(double, double, double)) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType dtype) {
    const Range positive{0.3, 3};
    return std::vector<Args>{sample_of({{}, {}, {}}, dtype, positive),
                             sample_of({{3}, {2, 3}, {2, 1}}, dtype, positive),
                             sample_of({{2, 3}, {3}, {2, 1}}, dtype, positive),
                             sample_of({{0}, {1}, {1}}, dtype, positive),
                             sample_of({{33}, {33}, {33}}, dtype, positive),
                             sample_of({{1025}, {1}, {1025}}, dtype, positive)};
  };
  c.call = op;
  c.inplace = inplace;
  c.out = out;
  c.reference = [f](const ArrayArgs& a) {
    Array z(broadcast(broadcast(a.t[0].sizes, a.t[1].sizes), a.t[2].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      z.at(index) =
          f(a.t[0].broadcast_at(index), a.t[1].broadcast_at(index), a.t[2].broadcast_at(index));
    });
    return z;
  };
  return c;
}

/// lerp with a number: the third tensor is not used.
OpCase lerp_number(const char* name, double (*weight)()) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType dtype) {
    return std::vector<Args>{sample_of({{}, {}}, dtype), sample_of({{2, 3}, {3}}, dtype),
                             sample_of({{3}, {2, 3}}, dtype), sample_of({{0}, {1}}, dtype),
                             sample_of({{1025}, {1025}}, dtype)};
  };
  c.call = [weight](const Args& a) { return lerp(a.t[0], a.t[1], weight()); };
  c.inplace = [weight](const Args& a) { return a.t[0].lerp_(a.t[1], weight()); };
  c.out = [weight](Tensor& z, const Args& a) { return lerp_out(z, a.t[0], a.t[1], weight()); };
  c.reference = [weight](const ArrayArgs& a) {
    Array z(broadcast(a.t[0].sizes, a.t[1].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      const double x = a.t[0].broadcast_at(index), y = a.t[1].broadcast_at(index);
      z.at(index) = x + weight() * (y - x);
    });
    return z;
  };
  return c;
}

TAPER_OP_CASES(ternary_ops, {
  OpCase weighted = ternary(
      "lerp", [](const Args& a) { return lerp(a.t[0], a.t[1], a.t[2]); },
      [](const Args& a) -> Tensor& { return a.t[0].lerp_(a.t[1], a.t[2]); },
      [](Tensor& z, const Args& a) -> Tensor& { return lerp_out(z, a.t[0], a.t[1], a.t[2]); },
      [](double x, double y, double w) { return x + w * (y - x); });
  weighted.errors = {
      error<Error>(
          "expected dtype double for `end` but got dtype float",
          [] { lerp(to_tensor(Array({2}), kDouble), to_tensor(Array({2}), kFloat), 0.5); }),
      error<Error>("\"lerp_kernel_scalar\" not implemented for 'Long'", [] {
        const Tensor x = to_tensor(Array({2}), kLong);
        lerp(x, x, 0.5);
      })};
  OpCase quotient = ternary(
      "addcdiv", [](const Args& a) { return addcdiv(a.t[0], a.t[1], a.t[2], 0.5); },
      [](const Args& a) -> Tensor& { return a.t[0].addcdiv_(a.t[1], a.t[2], 0.5); },
      [](Tensor& z, const Args& a) -> Tensor& {
        return addcdiv_out(z, a.t[0], a.t[1], a.t[2], 0.5);
      },
      [](double x, double y, double z) { return x + 0.5 * y / z; });
  quotient.errors = {error<Error>("Integer division with addcdiv is no longer supported", [] {
    const Tensor x = to_tensor(Array({2}, 1), kLong);
    addcdiv(x, x, x);
  })};
  return std::vector<OpCase>{
      ternary(
          "addcmul", [](const Args& a) { return addcmul(a.t[0], a.t[1], a.t[2], 0.5); },
          [](const Args& a) -> Tensor& { return a.t[0].addcmul_(a.t[1], a.t[2], 0.5); },
          [](Tensor& z, const Args& a) -> Tensor& {
            return addcmul_out(z, a.t[0], a.t[1], a.t[2], 0.5);
          },
          [](double x, double y, double z) { return x + 0.5 * y * z; }),
      quotient,
      weighted,
      lerp_number("lerp_number", [] { return 0.25; }),
      lerp_number("lerp_number_near_the_end", [] { return 0.75; }),
  };
});

}  // namespace
}  // namespace taper::testing
