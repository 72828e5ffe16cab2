#include <taper/framework/cuda/grid.h>
#include <taper/ops/sort_kernels.h>
#include <taper/ops/sorted_rows_cuda.h>

namespace taper::cuda {
namespace {

// The first `keep` of each sorted row.
template <class T>
struct WriteSorted {
  T* values;
  int64_t* indices;
  const T* x;
  const uint32_t* order;
  int64_t n, keep;
  TAPER_DEVICE void operator()(int64_t, int64_t row, int64_t i) const {
    const int64_t from = order[row * n + i];
    values[row * keep + i] = x[row * n + from];
    indices[row * keep + i] = from;
  }
};

template <class T>
void write_sorted(const Out& values, const Out& indices, const In& x, int64_t n, int64_t keep,
                  bool descending) {
  const int64_t rows = x.numel / n;
  const SortedRows<T> sorted(x.as<T>(), rows, n, descending);
  for_each_in_box(1, rows, keep,
                  WriteSorted<T>{values.as<T>(), indices.as<int64_t>(), x.as<T>(),
                                 sorted.positions(), n, keep});
}

}  // namespace

void sort_rows(Out values, Out indices, In x, int64_t n, bool descending) {
  TAPER_SWITCH(x.dtype, "sort", TAPER_ALL_DTYPES,
               [&] { write_sorted<scalar_t>(values, indices, x, n, n, descending); });
}

void topk_rows(Out values, Out indices, In x, int64_t n, int64_t k, bool largest) {
  TAPER_SWITCH(x.dtype, "topk_cpu", TAPER_NUMBER_DTYPES,
               [&] { write_sorted<scalar_t>(values, indices, x, n, k, largest); });
}

}  // namespace taper::cuda
