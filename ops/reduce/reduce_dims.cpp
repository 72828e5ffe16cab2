#include <taper/ops/reduce/reduce_dims.h>

#include <taper/ops/shared/counts.h>

namespace torch::taper {

DimMask dim_mask(const char* op, const OptionalIntArrayRef& dims, int64_t rank) {
  if (!dims.has_value() || dims->empty()) return all_dims(rank);
  DimMask mask = 0;
  for (int64_t d : wrap_dims(op, *dims, rank)) mask |= DimMask{1} << d;
  return mask & all_dims(rank);
}

Dims listed(DimMask dims, int64_t rank) {
  Dims out;
  for (int64_t d = 0; d < rank; ++d)
    if ((dims >> d) & 1) out.push_back(d);
  return out;
}

Dims reduced_sizes(IntArrayRef sizes, DimMask dims, bool keepdim) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool reduced = (dims >> d) & 1;
    if (!reduced || keepdim) out.push_back(reduced ? 1 : sizes[d]);
  }
  return out;
}

int64_t reduced_numel(const Tensor& x, DimMask dims) {
  int64_t n = 1;
  for (int64_t d = 0; d < x.dim(); ++d)
    if ((dims >> d) & 1) n *= x.sizes()[d];
  return n;
}

Tensor keep_dims(const Tensor& y, IntArrayRef sizes, DimMask dims) {
  if (y.dim() == static_cast<int64_t>(sizes.size())) return y;
  return y.reshape(reduced_sizes(sizes, dims, true));
}

namespace {

Tensor share_among(const Tensor& chosen, const Tensor& gy, DimMask dims) {
  const Tensor count = chosen.sum(OptionalIntArrayRef(listed(dims, chosen.dim()).ref()), true);
  return chosen.mul(detail::divided_by_count(keep_dims(gy, chosen.sizes(), dims), count));
}

}  // namespace

Tensor share_evenly(const Tensor& gy, const Tensor& x, const Tensor& y, DimMask dims) {
  return share_among(x.eq(keep_dims(y, x.sizes(), dims)), gy, dims);
}

Tensor share_evenly_of_all(const Tensor& gy, const Tensor& x, const Tensor& y) {
  const Tensor chosen = x.eq(y).logical_or(x.isnan().logical_and(y.isnan()));
  return share_among(chosen, gy, all_dims(x.dim()));
}

}  // namespace torch::taper
