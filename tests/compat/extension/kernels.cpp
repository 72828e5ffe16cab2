// Kernel bodies: arithmetic of the 16-bit floats and complex numbers, dispatch, TensorIterator.
#include <torch/extension.h>

#include <ATen/AccumulateType.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "expect.h"

namespace {

template <class T>
void arithmetic_of_16_bits() {
  static_assert(std::is_same_v<decltype(T() + T()), T> && std::is_same_v<decltype(T() * 2), T>);
  static_assert(std::is_same_v<decltype(T() + 1.0f), float>);
  static_assert(std::is_same_v<decltype(1.0 / T()), double>);
  T a = 1.5f;
  const T b = 0.25f;
  a += b;
  EXPECT(a == 1.75f && a > b && a != b && a <= 2);
  a -= 1;
  a *= T(4.0f);
  a /= 2.0;
  EXPECT(a == 1.5f && -a == -1.5f);
  EXPECT(a++ == 1.5f && --a == 1.5f);
  float f = 1;
  f += a;
  EXPECT(f == 2.5f && std::max(a, b) == a);
  EXPECT(std::exp(T(0.0f)) == 1 && std::pow(T(2.0f), T(3.0f)) == 8 && std::abs(-a) == 1.5f);
  using Limits = std::numeric_limits<T>;
  EXPECT(std::isnan(Limits::quiet_NaN()) && std::isnan(Limits::signaling_NaN()));
  EXPECT(std::isinf(Limits::infinity()) && !std::isinf(Limits::max()));
  // Each sum is rounded: half a unit in the last place goes to even.
  const T one = 1.0f;
  EXPECT(one + Limits::epsilon() > one);
  EXPECT(one + T(static_cast<float>(Limits::epsilon()) / 2) == one);
  EXPECT(std::nextafter(one, T(2.0f)) == one + Limits::epsilon());
  EXPECT(std::nextafter(T(0.0f), T(-1.0f)) == -Limits::denorm_min());
}

void arithmetic_of_complex() {
  c10::complex<double> z(1, 2);
  z += 1.0;
  z = z * 2.0 - 1.0;
  EXPECT(z == c10::complex<double>(3, 4) && std::abs(z) == 5 && std::conj(z).imag() == -4);
  z /= c10::complex<double>(0, 1);
  EXPECT(z == c10::complex<double>(4, -3) && z != 4.0);
}

int64_t itemsize_of(const torch::Tensor& x) {
  return AT_DISPATCH_V2(x.scalar_type(), "itemsize_of", AT_WRAP([&]() -> int64_t {
                          const std::pair<int64_t, int64_t> commas{sizeof(scalar_t), 0};
                          return commas.first;
                        }),
                        AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), at::kHalf, at::kBool);
}

void dispatch() {
  EXPECT(itemsize_of(torch::ones({1}, torch::kHalf)) == 2);
  EXPECT(itemsize_of(torch::ones({1}, torch::kComplexDouble)) == 16);
  EXPECT(has(thrown<c10::NotImplementedError>([] { itemsize_of(torch::ones({1}, at::kBFloat16)); }),
             "\"itemsize_of\" not implemented for 'BFloat16'"));
  int called = 0;
  const torch::Tensor x = torch::ones({1}, torch::kBFloat16);
  AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "f", [&] { called += sizeof(scalar_t); });
  AT_DISPATCH_FLOATING_TYPES_AND4(at::kHalf, at::kBFloat16, at::kLong, at::kBool, x.scalar_type(),
                                  "f", [&] { called += sizeof(scalar_t); });
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kHalf, at::kBFloat16, at::kBool, x.scalar_type(), "f",
                                         [&] { called += sizeof(scalar_t); });
  EXPECT(called == 6);
  static_assert(std::is_same_v<at::opmath_type<at::Half>, float>);
  static_assert(std::is_same_v<at::acc_type<float, false>, double>);
  static_assert(std::is_same_v<at::acc_type<float, true>, float>);
  static_assert(std::is_same_v<at::acc_type<uint8_t, false>, int64_t>);
  EXPECT(at::toAccumulateType(at::kHalf, false) == at::kFloat);
}

void iteration() {
  const torch::Tensor a = torch::arange(6, torch::kFloat).view({3, 2}).t();  // strided
  const torch::Tensor b = torch::tensor({10, 20, 30});                       // int64
  auto iter = at::TensorIteratorConfig()
                  .promote_inputs_to_common_dtype(true)
                  .add_output(at::Tensor())
                  .add_input(a)
                  .add_input(b)
                  .build();
  EXPECT(iter.common_dtype() == at::kFloat && iter.numel() == 6);
  at::native::cpu_kernel(iter, [](float x, float y) -> float { return x * y + 1; });
  EXPECT(torch::equal(iter.output(), a * b + 1));

  // A large one, on several threads, into memory of another dtype.
  const torch::Tensor u = torch::rand({300, 257}), v = torch::rand({257});
  const torch::Tensor y = torch::empty({300, 257}, torch::kDouble);
  auto large = at::TensorIterator::binary_op(y, u, v);
  at::native::cpu_kernel(large, [](float p, float q) -> float { return p - q; });
  EXPECT(torch::equal(y, (u - v).to(torch::kDouble)));

  at::Tensor sum = torch::empty({300, 257}), product = torch::empty({300, 257});
  auto two = at::TensorIteratorConfig()
                 .add_output(sum)
                 .add_output(product)
                 .add_input(u)
                 .add_input(v)
                 .build();
  at::native::cpu_kernel_multiple_outputs(two, [](float p, float q) -> std::tuple<float, float> {
    return {p + q, p * q};
  });
  EXPECT(torch::equal(sum, u + v) && torch::equal(product, u * v));

  EXPECT(has(thrown<c10::Error>([&] {
               auto wrong = at::TensorIterator::unary_op(at::Tensor(), u);
               at::native::cpu_kernel(wrong, [](double x) -> double { return x; });
             }),
             "expected Double for operand 1, got Float"));
  EXPECT(has(thrown<c10::Error>([&] {
               at::TensorIteratorConfig().add_output(u[0]).add_input(v).add_input(b).build();
             }),
             "Found dtype Long but expected Float"));
  const torch::Tensor line = torch::zeros({10});
  EXPECT(has(thrown<c10::Error>(
                 [&] { at::TensorIterator::unary_op(line.slice(0, 0, 5), line.slice(0, 2, 7)); }),
             "refer to a single memory location"));

  int64_t total = 0;
  std::mutex mutex;
  at::parallel_for(0, 100000, at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    total += end - begin;
  });
  EXPECT(total == 100000);
}

}  // namespace

int main() {
  arithmetic_of_16_bits<at::Half>();
  arithmetic_of_16_bits<at::BFloat16>();
  arithmetic_of_complex();
  dispatch();
  iteration();
}
