#include <taper/framework/cpu/parallel.h>
#include <taper/ops/search_kernels.h>

namespace taper::cpu {

void searchsorted(Out y, In boundaries, In values, bool right) {
  const int64_t n = boundaries.sizes[boundaries.dim() - 1];
  const int64_t rows = n ? boundaries.numel / n : 1, each = rows ? values.numel / rows : 0;
  TAPER_SWITCH(values.dtype, "searchsorted", TAPER_NUMBER_DTYPES, [&] {
    parallel_for(0, values.numel, kGrain / 8, [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        y.as<int64_t>()[i] =
            place_of_value(boundaries.as<scalar_t>() + (rows > 1 ? i / each * n : 0), n,
                           values.as<scalar_t>()[i], right);
    });
  });
}

}  // namespace taper::cpu
