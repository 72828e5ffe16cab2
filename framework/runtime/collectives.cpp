#include <taper/framework/runtime/collectives.h>

#if !defined(TAPER_CUDA_KERNELS) || TAPER_CUDA_KERNELS != 1
namespace taper::detail {

bool broadcast_parts(const std::vector<CollectivePart>&, size_t) { return false; }
bool reduce_parts(const std::vector<CollectivePart>&, void*, int64_t, ScalarType) { return false; }

}  // namespace taper::detail
#endif
