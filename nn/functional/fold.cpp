#include <taper/nn/functional/fold.h>

#include <taper/ops/spatial/fold.h>

namespace torch::taper::nn::functional {

Tensor fold(const Tensor& input, const FoldFuncOptions& o) {
  TAPER_CHECK(input.dim() == 3 || input.dim() == 2,
              "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ",
              input.dim(), "D)");
  return col2im(input, o.output_size(), o.kernel_size(), o.dilation(), o.padding(), o.stride());
}

Tensor unfold(const Tensor& input, const UnfoldFuncOptions& o) {
  TAPER_CHECK(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ",
              input.dim(), "D)");
  return im2col(input, o.kernel_size(), o.dilation(), o.padding(), o.stride());
}

}  // namespace torch::taper::nn::functional
