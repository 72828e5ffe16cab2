#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/sorted_rows_cuda.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Median {
  T* values;
  int64_t* indices;
  const T* x;
  const key_of<T>* keys;
  const uint32_t* positions;
  int64_t n;
  bool skip_nan;
  // NaN has the largest key and is sorted last.
  TAPER_DEVICE int64_t numbers(const key_of<T>* sorted) const {
    if constexpr (std::is_integral_v<T>) return n;
    int64_t begin = 0, end = n;
    while (begin < end) {
      const int64_t middle = begin + (end - begin) / 2;
      if (sorted[middle] == static_cast<key_of<T>>(~key_of<T>(0)))
        end = middle;
      else
        begin = middle + 1;
    }
    return begin;
  }
  TAPER_DEVICE void operator()(int64_t row) const {
    const int64_t count = numbers(keys + row * n);
    const bool is_nan = count < n && (!skip_nan || count == 0);
    const int64_t at = positions[row * n + (is_nan ? count : (count - 1) / 2)];
    values[row] = x[row * n + at];
    indices[row] = at;
  }
};

template <class T>
struct KthValue {
  T* values;
  int64_t* indices;
  const T* x;
  const uint32_t* positions;
  int64_t n, k;
  TAPER_DEVICE void operator()(int64_t row) const {
    const int64_t at = positions[row * n + k - 1];
    values[row] = x[row * n + at];
    indices[row] = at;
  }
};

}  // namespace

void median(Out values, Out indices, In x, bool skip_nan) {
  const int64_t n = x.sizes.back(), rows = values.numel;
  switch_dtype<dtypes::Number>(x.dtype, "median", [&]<class T>() {
    const SortedRows<T> sorted(x.as<T>(), rows, n, false);
    for_each(rows, Median<T>{values.as<T>(), indices.as<int64_t>(), x.as<T>(), sorted.keys(),
                             sorted.positions(), n, skip_nan});
  });
}

void kth_value(Out values, Out indices, In x, int64_t n, int64_t k) {
  const int64_t rows = values.numel;
  switch_dtype<dtypes::Number>(x.dtype, "kthvalue", [&]<class T>() {
    const SortedRows<T> sorted(x.as<T>(), rows, n, false);
    for_each(rows, KthValue<T>{values.as<T>(), indices.as<int64_t>(), x.as<T>(), sorted.positions(),
                               n, k});
  });
}

}  // namespace torch::taper::cuda
