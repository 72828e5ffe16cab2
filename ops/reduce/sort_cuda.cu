#include <taper/framework/cuda/grid.h>
#include <taper/ops/reduce/selected_rows_cuda.h>
#include <taper/ops/reduce/sort_kernels.h>

namespace torch::taper::cuda {
namespace {

// Writes the first `keep` elements of each row in order. `order` has rows of `width` indices.
template <class T>
struct WriteSorted {
  T* values;
  int64_t* indices;
  const T* x;
  const uint32_t* order;
  int64_t n, keep, width;
  TAPER_DEVICE void operator()(int64_t, int64_t row, int64_t i) const {
    const int64_t from = order[row * width + i];
    values[row * keep + i] = x[row * n + from];
    indices[row * keep + i] = from;
  }
};

template <class T>
void write_sorted(const Out& values, const Out& indices, const In& x, int64_t n, int64_t keep,
                  bool descending) {
  const int64_t rows = x.numel / n;
  if (rows * keep == 0) return;
  const auto write = [&](const uint32_t* order, int64_t width) {
    for_each_in_box(
        1, rows, keep,
        WriteSorted<T>{values.as<T>(), indices.as<int64_t>(), x.as<T>(), order, n, keep, width});
  };
  // Selecting a few elements of a long row is faster than sorting it.
  if (n >= 4096 && keep <= n / 4)
    write(SelectedRows<T>(x.as<T>(), rows, n, keep, descending).positions(), keep);
  else
    write(SortedRows<T>(x.as<T>(), rows, n, descending).positions(), n);
}

}  // namespace

void sort_rows(Out values, Out indices, In x, int64_t n, bool descending) {
  switch_dtype<dtypes::Real>(x.dtype, "sort", [&]<class scalar_t>() {
    write_sorted<scalar_t>(values, indices, x, n, n, descending);
  });
}

void topk_rows(Out values, Out indices, In x, int64_t n, int64_t k, bool largest) {
  switch_dtype<dtypes::Number>(x.dtype, "topk_cpu", [&]<class scalar_t>() {
    write_sorted<scalar_t>(values, indices, x, n, k, largest);
  });
}

}  // namespace torch::taper::cuda
