#include <taper/framework/cuda/launch.h>
#include <taper/ops/reduce/count_kernels.h>

namespace taper::cuda {
namespace {

template <class T>
struct Count {
  int64_t* counts;
  const T* x;
  int64_t first;
  TAPER_DEVICE void operator()(int64_t i) const { atomic_add(counts + (x[i] - first), int64_t{1}); }
};

}  // namespace

void count_values(InOut counts, In x, int64_t first) {
  switch_dtype<dtypes::Integral>(x.dtype, "count", [&]<class scalar_t>() {
    for_each(x.numel, Count<scalar_t>{counts.as<int64_t>(), x.as<scalar_t>(), first});
  });
}

}  // namespace taper::cuda
