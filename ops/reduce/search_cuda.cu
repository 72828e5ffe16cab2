#include <taper/framework/cuda/launch.h>
#include <taper/ops/reduce/search_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Search {
  int64_t* y;
  const T* boundaries;
  const T* values;
  int64_t n, each;
  bool right;
  TAPER_DEVICE void operator()(int64_t i) const {
    y[i] = place_of_value(boundaries + i / each * n, n, values[i], right);
  }
};

template <class T>
struct HistogramCell {
  int64_t* cells;
  const T* values;
  const T* edges;
  int64_t step, parts;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t part = part_of_value(edges, parts, values[i * step]);
    cells[i] = joined_cell(cells[i], parts, part);
  }
};

}  // namespace

void searchsorted(Out y, In boundaries, In values, bool right) {
  const int64_t n = boundaries.sizes[boundaries.dim() - 1];
  const int64_t rows = n ? boundaries.numel / n : 1, each = rows ? values.numel / rows : 1;
  switch_dtype<dtypes::Number>(values.dtype, "searchsorted", [&]<class scalar_t>() {
    for_each(values.numel, Search<scalar_t>{y.as<int64_t>(), boundaries.as<scalar_t>(),
                                            values.as<scalar_t>(), n, each, right});
  });
}

void histogram_cells(InOut cells, In values, In edges, bool) {
  switch_dtype<dtypes::Float>(values.dtype, "histogram", [&]<class scalar_t>() {
    for_each(cells.numel,
             HistogramCell<scalar_t>{cells.as<int64_t>(), values.as<scalar_t>(),
                                     edges.as<scalar_t>(), values.strides[0], edges.numel - 1});
  });
}

}  // namespace torch::taper::cuda
