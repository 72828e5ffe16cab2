#include <taper/data/byte_images.h>

namespace torch::taper::data {

Example<> ByteImages::gather(const char* name, ArrayRef<size_t> indices,
                             ImageNumbers numbers) const {
  taper::detail::check_not_capturing(name, Device());
  const auto count = static_cast<size_t>(images.size(0));
  for (size_t i : indices)
    TAPER_CHECK_INDEX(i < count, name, ": expected an index below ", count, ", got ", i);
  Dims sizes = images.sizes();
  sizes[0] = static_cast<int64_t>(indices.size());
  Tensor data = taper::detail::make_tensor(sizes, kFloat, Device(kCPU));
  Tensor target = taper::detail::make_tensor({sizes[0]}, kLong, Device(kCPU));
  TAPER_ON_DEVICE(data, gather_images, data, images, indices.data(), numbers);
  const int64_t* from = targets.data_ptr<int64_t>();
  int64_t* to = target.data_ptr<int64_t>();
  for (size_t i = 0; i < indices.size(); ++i) to[i] = from[indices[i]];
  return {std::move(data), std::move(target)};
}

}  // namespace torch::taper::data
