#include <taper/nn/functional/pooling.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/spatial/pool_unpool.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::functional {

namespace {

/// Returns the sizes of the output. A missing size is that of the input.
template <size_t D>
std::array<int64_t, D> resolve(const Tensor& input, const ExpandingArrayWithOptionalElem<D>& size) {
  TAPER_CHECK(input.dim() >= static_cast<int64_t>(D), "adaptive pooling: expected an input of ",
              D + 1, " or ", D + 2, " dimensions, got ", input.sizes());
  std::array<int64_t, D> sizes;
  for (size_t d = 0; d < D; ++d) {
    const auto from_end = static_cast<int64_t>(d) - static_cast<int64_t>(D);
    sizes[d] = (*size)[d].value_or(input.size(from_end));
  }
  return sizes;
}

}  // namespace

Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& o) {
  return taper::avg_pool1d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                           o.count_include_pad());
}
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& o) {
  return taper::avg_pool2d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                           o.count_include_pad(), o.divisor_override());
}
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& o) {
  return taper::avg_pool3d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                           o.count_include_pad(), o.divisor_override());
}
Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& o) {
  return taper::max_pool1d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(),
                           o.ceil_mode());
}
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& o) {
  return taper::max_pool2d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(),
                           o.ceil_mode());
}
Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& o) {
  return taper::max_pool3d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(),
                           o.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                   const MaxPool1dFuncOptions& o) {
  return taper::max_pool1d_with_indices(input, o.kernel_size(), o.stride(), o.padding(),
                                        o.dilation(), o.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                   const MaxPool2dFuncOptions& o) {
  return taper::max_pool2d_with_indices(input, o.kernel_size(), o.stride(), o.padding(),
                                        o.dilation(), o.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                   const MaxPool3dFuncOptions& o) {
  return taper::max_pool3d_with_indices(input, o.kernel_size(), o.stride(), o.padding(),
                                        o.dilation(), o.ceil_mode());
}
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveAvgPool1dFuncOptions& options) {
  return taper::adaptive_avg_pool1d(input, options.output_size());
}
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return taper::adaptive_avg_pool2d(input, resolve(input, options.output_size()));
}
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveAvgPool3dFuncOptions& options) {
  return taper::adaptive_avg_pool3d(input, resolve(input, options.output_size()));
}
Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return std::get<0>(adaptive_max_pool1d_with_indices(input, options));
}
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return std::get<0>(adaptive_max_pool2d_with_indices(input, options));
}
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return std::get<0>(adaptive_max_pool3d_with_indices(input, options));
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return taper::adaptive_max_pool1d(input, options.output_size());
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return taper::adaptive_max_pool2d(input, resolve(input, options.output_size()));
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return taper::adaptive_max_pool3d(input, resolve(input, options.output_size()));
}

// ---------------------------------------------------------------------- unpooling
namespace {

template <size_t D>
std::vector<int64_t> unpooled_size(const Tensor& input, const MaxUnpoolFuncOptions<D>& o) {
  TAPER_CHECK(input.dim() >= static_cast<int64_t>(D) + 1, "max_unpool", D,
              "d: expected an input of ", D + 1, " or ", D + 2, " dimensions, got ", input.sizes());
  std::vector<int64_t> standard;
  for (size_t d = 0; d < D; ++d)
    standard.push_back((input.size(static_cast<int64_t>(d) - static_cast<int64_t>(D)) - 1) *
                           (*o.stride())[d] +
                       (*o.kernel_size())[d] - 2 * (*o.padding())[d]);
  if (!o.output_size()) return standard;
  std::vector<int64_t> size = *o.output_size();
  if (size.size() == D + 2) size.erase(size.begin(), size.begin() + 2);
  TAPER_CHECK(size.size() == D, "output_size should be a sequence containing ", D, " or ", D + 2,
              " elements, but it has a length of '", size.size(), "'");
  for (size_t d = 0; d < D; ++d) {
    const int64_t low = standard[d] - (*o.stride())[d], high = standard[d] + (*o.stride())[d];
    TAPER_CHECK(low <= size[d] && size[d] <= high, "invalid output_size ", IntArrayRef(size),
                " (dim ", d, " must be between ", low, " and ", high, ")");
  }
  return size;
}

}  // namespace

Tensor max_unpool1d(const Tensor& input, const Tensor& indices, const MaxUnpool1dFuncOptions& o) {
  const int64_t size = unpooled_size(input, o)[0];
  return taper::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), {size, 1}).squeeze(-1);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const MaxUnpool2dFuncOptions& o) {
  return taper::max_unpool2d(input, indices, unpooled_size(input, o));
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const MaxUnpool3dFuncOptions& o) {
  return taper::max_unpool3d(input, indices, unpooled_size(input, o), o.stride(), o.padding());
}

// ---------------------------------------------------------------------- random windows
namespace {

template <size_t D>
std::vector<int64_t> fractional_size(const Tensor& input, const FractionalMaxPoolOptions<D>& o) {
  TAPER_CHECK(o.output_size() || o.output_ratio(), "fractional_max_pool", D,
              "d requires specifying either an output_size or an output_ratio");
  std::vector<int64_t> size;
  for (size_t d = 0; d < D; ++d) {
    const auto from_end = static_cast<int64_t>(d) - static_cast<int64_t>(D);
    size.push_back(o.output_size()
                       ? (**o.output_size())[d]
                       : static_cast<int64_t>(static_cast<double>(input.size(from_end)) *
                                              (**o.output_ratio())[d]));
  }
  return size;
}
template <size_t D>
Tensor samples_for(const Tensor& input, const FractionalMaxPoolOptions<D>& o) {
  if (o._random_samples().defined()) return o._random_samples();
  constexpr int64_t dims = static_cast<int64_t>(D);
  const int64_t batch = input.dim() == dims + 1 ? 1 : input.size(0);
  return rand({batch, input.size(-dims - 1), dims}, input.options().requires_grad(false));
}

}  // namespace

std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& o) {
  return taper::fractional_max_pool2d(input, o.kernel_size(), fractional_size(input, o),
                                      samples_for(input, o));
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& o) {
  return taper::fractional_max_pool3d(input, o.kernel_size(), fractional_size(input, o),
                                      samples_for(input, o));
}
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& o) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, o));
}
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& o) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, o));
}

// ---------------------------------------------------------------------- power means
namespace {

// Computes the root of the sum from the mean of powers, in the steps of LibTorch. For a negative
// sum the result is NaN, unless 1 / p is an integer.
Tensor power_root(const Tensor& means, int64_t count, double p) {
  return (means.sign() * means.abs().relu() * count).pow(1 / p);
}

}  // namespace

Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& o) {
  const Tensor means =
      taper::avg_pool1d(input.pow(o.norm_type()), o.kernel_size(), o.stride(), 0, o.ceil_mode());
  return power_root(means, (*o.kernel_size())[0], o.norm_type());
}
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& o) {
  const Tensor means =
      taper::avg_pool2d(input.pow(o.norm_type()), o.kernel_size(), o.stride(), 0, o.ceil_mode());
  return power_root(means, (*o.kernel_size())[0] * (*o.kernel_size())[1], o.norm_type());
}
Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& o) {
  const Tensor means =
      taper::avg_pool3d(input.pow(o.norm_type()), o.kernel_size(), o.stride(), 0, o.ceil_mode());
  const auto& size = *o.kernel_size();
  return power_root(means, size[0] * size[1] * size[2], o.norm_type());
}

}  // namespace torch::taper::nn::functional
