#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/cpu_tensor_lists.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/ops/shared/foreach_functors.h>
#include <taper/ops/shared/foreach_kernels.h>

namespace torch::taper::cpu {
namespace {

/// Calls f(elements, count) for each entry's only operand.
template <class T, class F>
void for_each_tensor(const TensorLists& lists, const F& f) {
  for (int i = 0; i < lists.size(); ++i) f(reinterpret_cast<T*>(lists.data(i, 0)), lists.numel(i));
}

template <class T, class F>
void change_elements(const TensorLists& lists, const F& f) {
  for_each_tensor<T>(lists, [&](T* x, int64_t n) {
    for (int64_t k = 0; k < n; ++k) x[k] = static_cast<T>(f(static_cast<opmath_t<T>>(x[k])));
  });
}

template <class T>
double norm_part(const T* x, int64_t n, double order) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double v = std::abs(static_cast<double>(static_cast<opmath_t<T>>(x[i])));
    if (std::isinf(order))
      total = v != v || v > total ? v : total;  // a NaN stays, because nothing is larger
    else
      total += order == 1 ? v : v * v;
  }
  return total;
}

/// Multiplies the elements. Returns whether all are finite.
template <class T>
bool unscale(T* x, int64_t n, opmath_t<T> factor) {
  std::atomic<bool> finite{true};
  parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) {
    opmath_t<T> zeros = 0;  // infinity or NaN minus itself is NaN
    for (int64_t i = begin; i < end; ++i) {
      const auto v = static_cast<opmath_t<T>>(x[i]);
      zeros += v - v;
      x[i] = static_cast<T>(v * factor);
    }
    if (zeros != 0) finite = false;
  });
  return finite;
}

template <int N>
void pointwise_lists(const TensorLists& lists, ForeachFormula formula, const double* number) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach", [&]<class scalar_t>() {
    for_each_in_lists<scalar_t, N, (1u << N) - 2, 1>(
        lists, functor::ForeachPointwise<opmath_t<scalar_t>, N>{formula, number, {}});
  });
}

/// Returns the larger number. A NaN stays.
double larger(double a, double b) { return a != a || a > b ? a : b; }

}  // namespace

void foreach_pointwise(TensorLists lists, ForeachFormula formula, In number) {
  const double* const shared = static_cast<const double*>(number.data);
  if (lists.operands() == 2) return pointwise_lists<2>(lists, formula, shared);
  if (lists.operands() == 3) return pointwise_lists<3>(lists, formula, shared);
  pointwise_lists<4>(lists, formula, shared);
}

void foreach_norm_join(InOut norms, In parts, TensorLists lists, double order, bool root) {
  const double* part = parts.as<double>();
  for (int i = 0; i < lists.size(); ++i) {
    double all = 0;
    for (int64_t n = lists.numel(i); n > 0; n -= TensorLists::kChunk, ++part)
      all = std::isinf(order) ? larger(*part, all) : all + *part;
    norms.as<double>()[lists.number<int64_t>(i)] = root && order == 2 ? std::sqrt(all) : all;
  }
}

namespace {

void zero_all(const TensorLists& lists) {
  const auto itemsize = static_cast<int64_t>(elementSize(lists.dtype()));
  for (int i = 0; i < lists.size(); ++i) {
    char* const to = lists.data(i, 0);
    parallel_for(0, lists.numel(i) * itemsize, 16 * kGrain, [to](int64_t b, int64_t e) {
      std::memset(to + b, 0, static_cast<size_t>(e - b));
    });
  }
}

}  // namespace

void foreach_zero(TensorLists lists) { zero_all(lists); }
constinit const KernelInfo foreach_zero_info = prepared_call<&cpu::foreach_zero, &zero_all>();

void foreach_clamp(TensorLists lists, double low, double high) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_clamp", [&]<class scalar_t>() {
    const auto least = static_cast<opmath_t<scalar_t>>(low);
    const auto most = static_cast<opmath_t<scalar_t>>(high);
    change_elements<scalar_t>(
        lists, [=](auto v) { return v != v ? v : std::min(std::max(v, least), most); });
  });
}

void foreach_norm_parts(Out parts, TensorLists lists, double order) {
  double* part = parts.as<double>();
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_norm", [&]<class scalar_t>() {
    for_each_tensor<const scalar_t>(lists, [&](const scalar_t* x, int64_t n) {
      for (int64_t first = 0; first < n; first += TensorLists::kChunk)
        *part++ = norm_part(x + first, std::min(n - first, TensorLists::kChunk), order);
    });
  });
}

void foreach_unscale(TensorLists lists, InOut found_inf, In inv_scale) {
  switch_dtype<dtypes::Floating>(lists.dtype(), "foreach_unscale", [&]<class scalar_t>() {
    const auto factor = static_cast<opmath_t<scalar_t>>(*inv_scale.as<float>());
    for_each_tensor<scalar_t>(lists, [&](scalar_t* x, int64_t n) {
      if (!unscale(x, n, factor)) *found_inf.as<float>() = 1;
    });
  });
}

void amp_update_scale(InOut scale, InOut growth_tracker, In found_inf, double growth_factor,
                      double backoff_factor, int64_t growth_interval) {
  update_scale(*scale.as<float>(), *growth_tracker.as<int32_t>(), *found_inf.as<float>(),
               growth_factor, backoff_factor, growth_interval);
}

}  // namespace torch::taper::cpu
