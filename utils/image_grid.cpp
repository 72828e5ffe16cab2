#include <algorithm>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/check.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/image_grid.h>

namespace torch::taper::utils {

namespace {

Tensor as_batch(const Tensor& images) {
  const int64_t dims = images.dim();
  TAPER_CHECK_VALUE(dims >= 2 && dims <= 4 && images.numel() > 0,
                    "make_grid: expected images [N, C, H, W], [C, H, W] or [H, W], got ",
                    images.sizes());
  Tensor batch = dims == 2 ? images.unsqueeze(0) : images;
  if (batch.dim() == 3) batch = batch.unsqueeze(0);
  return batch.size(1) == 1 ? batch.expand({-1, 3, -1, -1}) : batch;
}

// Scales values to [0, 1] as torchvision does. A range below 1e-5 counts as 1e-5.
Tensor scaled(const Tensor& x, const optional<ImageGridOptions::Range>& range) {
  const double low = range ? range->first : x.min().item<double>();
  const double high = range ? range->second : x.max().item<double>();
  return x.clamp(low, high).sub(low).div(std::max(high - low, 1e-5));
}

Tensor normalized(const Tensor& batch, const ImageGridOptions& options) {
  const auto& range = options.value_range();
  TAPER_CHECK_VALUE(!range || range->first < range->second,
                    "make_grid: expected value_range (low, high) with low < high, got (",
                    range->first, ", ", range->second, ")");
  if (!options.normalize()) return batch;
  if (!options.scale_each()) return scaled(batch, range);
  std::vector<Tensor> images;
  for (const Tensor& image : batch.unbind(0)) images.push_back(scaled(image, range));
  return stack(images);
}

}  // namespace

Tensor make_grid(const Tensor& images, const ImageGridOptions& options) {
  const NoGradGuard no_grad;
  const int64_t gap = options.padding();
  TAPER_CHECK_VALUE(options.nrow() >= 1 && gap >= 0,
                    "make_grid: expected nrow of at least 1 and padding of at least 0, got ",
                    options.nrow(), " and ", gap);
  const Tensor batch = normalized(as_batch(images), options);
  const int64_t N = batch.size(0), H = batch.size(2), W = batch.size(3);
  if (N == 1) return batch.squeeze(0).clone();
  const int64_t columns = std::min(options.nrow(), N), rows = (N + columns - 1) / columns;
  Tensor grid = full({batch.size(1), rows * (H + gap) + gap, columns * (W + gap) + gap},
                     options.pad_value(), batch.options());
  for (int64_t i = 0; i < N; ++i)
    grid.narrow(1, i / columns * (H + gap) + gap, H)
        .narrow(2, i % columns * (W + gap) + gap, W)
        .copy_(batch.select(0, i));
  return grid;
}

}  // namespace torch::taper::utils
