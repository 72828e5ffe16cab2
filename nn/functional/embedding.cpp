#include <taper/nn/functional/embedding.h>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/index/embedding.h>
#include <taper/ops/index/one_hot.h>

namespace torch::taper::nn::functional {

namespace {

/// Returns the index of the padding row from the start, or -1 for none.
int64_t padding_row(const optional<int64_t>& padding_idx, int64_t rows) {
  if (!padding_idx) return -1;
  TAPER_CHECK(*padding_idx < rows, "Padding_idx must be within num_embeddings");
  TAPER_CHECK(*padding_idx >= -rows, "Padding_idx must be within num_embedding");
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  const int64_t padding = padding_row(options.padding_idx(), weight.size(0));
  if (options.max_norm()) {
    NoGradGuard no_grad;
    Tensor table = weight;
    taper::embedding_renorm_(table, input.contiguous(), *options.max_norm(), options.norm_type());
  }
  return taper::embedding(weight, input, padding, options.scale_grad_by_freq(), options.sparse());
}

Tensor one_hot(const Tensor& tensor, int64_t num_classes) {
  return taper::one_hot(tensor, num_classes);
}

}  // namespace torch::taper::nn::functional
