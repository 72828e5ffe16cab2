// Ops of complex tensors in the harness: values against complex128 by the definition, devices,
// gradients, layouts.
#include <taper/ops/binary.h>
#include <taper/ops/fft.h>
#include <taper/ops/matmul.h>
#include <taper/ops/reduce.h>
#include <taper/ops/shape.h>
#include <taper/ops/unary.h>

#include "complex_util.h"
#include "harness/samples.h"

namespace taper::testing {
namespace {

using Z = std::complex<double>;

/// A case of complex numbers with the name of the op and "_complex".
OpCase complex_case(const std::string& op, std::function<std::vector<Args>(ScalarType)> samples,
                    std::function<Results(const Args&)> call,
                    std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = op + "_complex";
  c.dtypes = {kComplexFloat, kComplexDouble};
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  return c;
}

// ---------------------------------------------------------------------- pointwise
using ZUnary = Z (*)(Z);
using ZBinary = Z (*)(Z, Z);

OpCase unary(const std::string& name, Tensor (*op)(const Tensor&), ZUnary f) {
  return complex_case(
      name,
      [](ScalarType t) {
        return samples_of_one(t, {-1.3, 1.3});
      },
      [op](const Args& a) { return op(a.t[0]); },
      [f](const ArrayArgs& a) {
        Array y(a.t[0].sizes);
        for (int64_t i = 0; i < y.numel(); ++i) y.set_z(i, f(a.t[0].z(i)));
        return y;
      });
}

Z broadcast_z(const Array& a, const std::vector<int64_t>& index) {
  std::vector<int64_t> own(a.sizes.size());
  const size_t extra = index.size() - own.size();
  for (size_t d = 0; d < own.size(); ++d) own[d] = a.sizes[d] == 1 ? 0 : index[d + extra];
  return a.z(a.position(own));
}

OpCase binary(const std::string& name, Tensor (*op)(const Tensor&, const Tensor&), ZBinary f) {
  return complex_case(
      name,
      [](ScalarType t) {
        return samples_of_two(t, {-2, 2}, {0.3, 2});
      },
      [op](const Args& a) { return op(a.t[0], a.t[1]); },
      [f](const ArrayArgs& a) {
        Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
        for_each_index(y.sizes, [&](const std::vector<int64_t>& index) {
          y.set_z(y.position(index), f(broadcast_z(a.t[0], index), broadcast_z(a.t[1], index)));
        });
        return y;
      });
}

#define UNARY(f) \
  unary(         \
      #f, [](const Tensor& x) { return x.f(); }, [](Z z) { return std::f(z); })
#define BINARY(f, o) \
  binary(            \
      #f, [](const Tensor& x, const Tensor& y) { return x o y; }, [](Z x, Z y) { return x o y; })
TAPER_OP_CASES(complex_pointwise, {
  std::vector<OpCase> list = {UNARY(exp),     UNARY(sin),     UNARY(cos),    UNARY(sinh),
                              UNARY(cosh),    UNARY(tanh),    UNARY(conj),   BINARY(add, +),
                              BINARY(sub, -), BINARY(mul, *), BINARY(div, /)};
  list[list.size() - 2].inplace = [](const Args& a) { return a.t[0].mul_(a.t[1]); };
  list[list.size() - 2].out = [](Tensor& y, const Args& a) { return mul_out(y, a.t[0], a.t[1]); };
  list[0].inplace = [](const Args& a) { return a.t[0].exp_(); };
  return list;
});
#undef UNARY
#undef BINARY

// ---------------------------------------------------------------------- products and sums
Arrays naive_matmul(const ArrayArgs& a) {
  const Array &x = a.t[0], &y = a.t[1];
  const int64_t rows = x.sizes[0], inner = x.sizes[1], columns = y.sizes[1];
  Array z({rows, columns});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      Z sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += x.z(r * inner + k) * y.z(k * columns + c);
      z.set_z(r * columns + c, sum);
    }
  return z;
}

Arrays naive_fft(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = x.size(-1);
  Array y(x.sizes);
  for (int64_t i = 0; i < y.numel(); ++i) {
    Z sum = 0;
    for (int64_t k = 0; k < n; ++k)
      sum +=
          x.z(i / n * n + k) * std::polar(1.0, -2 * M_PI * double(i % n) * double(k) / double(n));
    y.set_z(i, sum);
  }
  return y;
}

Arrays naive_sum(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = x.size(-1);
  Array y({x.sizes[0]});
  for (int64_t i = 0; i < x.numel(); ++i) y.set_z(i / n, y.z(i / n) + x.z(i));
  return y;
}

TAPER_OP_CASES(complex_sums, {
  const auto pairs = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{2, 3}, {3, 4}}, t, {-2, 2}), sample_of({{1, 1}, {1, 1}}, t, {-2, 2}),
        sample_of({{0, 3}, {3, 2}}, t, {-2, 2}), sample_of({{7, 33}, {33, 5}}, t, {-2, 2})};
  };
  const auto rows = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t, {-2, 2}), sample_of({{3, 1}}, t, {-2, 2}),
                             sample_of({{2, 33}}, t, {-2, 2})};
  };
  OpCase product = complex_case(
      "mm", pairs, [](const Args& a) { return a.t[0].mm(a.t[1]); }, naive_matmul);
  OpCase transform = complex_case(
      "fft", rows, [](const Args& a) { return fft::fft(a.t[0]); }, naive_fft);
  OpCase sum = complex_case(
      "sum", rows, [](const Args& a) { return a.t[0].sum(-1); }, naive_sum);
  product.tolerance = transform.tolerance = 10;
  return std::vector<OpCase>{product, transform, sum};
});

}  // namespace
}  // namespace taper::testing
