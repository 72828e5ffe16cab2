#include <taper/ops/index/one_hot.h>

#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

Tensor one_hot(const Tensor& x, int64_t num_classes) {
  check_defined("one_hot", x, "self");
  TAPER_CHECK(x.scalar_type() == kLong, "one_hot is only applicable to index tensor.");
  Dims size = x.sizes();
  if (x.numel() == 0) {
    TAPER_CHECK(num_classes > 0,
                "one_hot: Can not infer total number of classes from empty tensor.");
    size.push_back(num_classes);
    return empty(size, x.options());
  }
  TAPER_CHECK(x.min().item<int64_t>() >= 0, "one_hot: Class values must be non-negative.");
  const int64_t largest = x.max().item<int64_t>();
  if (num_classes == -1) num_classes = detail::checked_add("one_hot", largest, 1);
  TAPER_CHECK(num_classes > largest, "one_hot: Class values must be smaller than num_classes.");
  size.push_back(num_classes);
  return zeros(size, x.options()).scatter_(-1, x.unsqueeze(-1), 1);
}

}  // namespace torch::taper
