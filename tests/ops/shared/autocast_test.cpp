// What autocast does to each op, name by name: the dtypes of results as PyTorch 2.15 gives them
// (torch.autocast on the CPU, and on fake CUDA tensors).
#include <gtest/gtest.h>

#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Makes the operands of one call: all f32, all bf16, or f32 and bf16 in turns.
class Operands16 {
 public:
  enum Kind { kAllFloat, kAll16, kFloatFirst, k16First };
  Operands16(Device device, Kind kind) : device_(device), kind_(kind) {}
  Tensor operator()(const Tensor& x) const {
    const bool low = kind_ == kAll16 || (kind_ == kFloatFirst && count_ % 2 == 1) ||
                     (kind_ == k16First && count_ % 2 == 0);
    ++count_;
    return x.to(device_).to(low ? kBFloat16 : kFloat);
  }
  Tensor operator()(IntArrayRef sizes) const {
    return (*this)(rand(sizes, TensorOptions().device(kCPU)).mul(0.5).add(0.2));
  }
  Tensor matrix() const {  // positive definite
    const Tensor a = rand({3, 3}, TensorOptions().device(kCPU));
    return (*this)(a.matmul(a.t()).add(eye(3).mul(2)));
  }
  Tensor whole(const Tensor& x) const { return x.to(device_); }

 private:
  Device device_;
  Kind kind_;
  mutable int count_ = 0;
};

using Call = Tensor (*)(const Operands16& x);
/// `results` has four letters, for f32 and bf16 operands on the CPU, and on CUDA: f and b are f32
/// and bf16, c complex64, E an error, - not asked. `mixed` has two: what f32 and bf16 in turns
/// give.
struct Listed {
  const char* op;
  const char* results;
  const char* mixed;
  Call call;
};

Tensor whole_numbers(std::initializer_list<int64_t> v) { return tensor(std::vector<int64_t>(v)); }

const Listed kListed[] = {
    // lower precision
    {"addbmm", "bbbb", "bb", [](auto& x) { return addbmm(x({2, 3}), x({4, 2, 5}), x({4, 5, 3})); }},
    {"addmm", "bbbb", "bb", [](auto& x) { return addmm(x({2, 3}), x({2, 5}), x({5, 3})); }},
    {"baddbmm", "bbbb", "bb",
     [](auto& x) { return baddbmm(x({4, 2, 3}), x({4, 2, 5}), x({4, 5, 3})); }},
    {"bmm", "bbbb", "bb", [](auto& x) { return bmm(x({4, 2, 5}), x({4, 5, 3})); }},
    {"linalg_vecdot", "bbbb", "bb", [](auto& x) { return linalg_vecdot(x({3}), x({3})); }},
    {"linear", "bbbb", "bb", [](auto& x) { return linear(x({3, 2}), x({4, 2}), x({4})); }},
    {"matmul", "bbbb", "bb", [](auto& x) { return matmul(x({3, 2}), x({2, 2})); }},
    {"mm", "bbbb", "bb", [](auto& x) { return mm(x({3, 2}), x({2, 2})); }},
    {"prelu", "bbbb", "bb", [](auto& x) { return prelu(x({3}), x({1})); }},
    {"conv1d", "bbbb", "bb", [](auto& x) { return conv1d(x({1, 2, 5}), x({2, 2, 3})); }},
    {"conv2d", "bbbb", "bb", [](auto& x) { return conv2d(x({1, 2, 5, 5}), x({2, 2, 3, 3})); }},
    {"conv2d.padding", "bbbb", "bb",
     [](auto& x) { return conv2d(x({1, 2, 5, 5}), x({2, 2, 3, 3}), Tensor(), 1, "same"); }},
    {"conv3d", "bbbb", "bb",
     [](auto& x) { return conv3d(x({1, 2, 5, 5, 5}), x({2, 2, 3, 3, 3})); }},
    {"conv_tbc", "bbbb", "bb",
     [](auto& x) { return conv_tbc(x({5, 1, 2}), x({3, 2, 2}), x({2})); }},
    {"conv_transpose1d", "bbbb", "bb",
     [](auto& x) { return conv_transpose1d(x({1, 2, 5}), x({2, 2, 3})); }},
    {"conv_transpose2d", "bbbb", "bb",
     [](auto& x) { return conv_transpose2d(x({1, 2, 5, 5}), x({2, 2, 3, 3})); }},
    {"conv_transpose3d", "bbbb", "bb",
     [](auto& x) { return conv_transpose3d(x({1, 2, 4, 4, 4}), x({2, 2, 3, 3, 3})); }},
    {"scaled_dot_product_attention", "bbbb", "bb",
     [](auto& x) {
       return scaled_dot_product_attention(x({1, 1, 3, 4}), x({1, 1, 3, 4}), x({1, 1, 3, 4}));
     }},
    {"rnn_tanh_cell", "bbbb", "bb",
     [](auto& x) { return rnn_tanh_cell(x({2, 3}), x({2, 4}), x({4, 3}), x({4, 4})); }},
    {"rnn_relu_cell", "bbbb", "bb",
     [](auto& x) { return rnn_relu_cell(x({2, 3}), x({2, 4}), x({4, 3}), x({4, 4})); }},
    {"lstm", "bbbb", "bb",
     [](auto& x) {
       return std::get<0>(lstm(x({2, 1, 3}), std::vector<Tensor>{x({1, 1, 4}), x({1, 1, 4})},
                               std::vector<Tensor>{x({16, 3}), x({16, 4})}, false, 1, 0., false,
                               false, false));
     }},
    {"rnn_tanh", "bbbb", "bb",
     [](auto& x) {
       return std::get<0>(rnn_tanh(x({2, 1, 3}), x({1, 1, 4}),
                                   std::vector<Tensor>{x({4, 3}), x({4, 4})}, false, 1, 0., false,
                                   false, false));
     }},
    {"gru", "fbbb", "--",
     [](auto& x) {
       return std::get<0>(gru(x({2, 1, 3}), x({1, 1, 4}),
                              std::vector<Tensor>{x({12, 3}), x({12, 4})}, false, 1, 0., false,
                              false, false));
     }},
    {"lstm_cell", "fbbb", "--",
     [](auto& x) {
       return std::get<0>(lstm_cell(x({2, 3}), std::vector<Tensor>{x({2, 4}), x({2, 4})},
                                    x({16, 3}), x({16, 4})));
     }},
    {"gru_cell", "fbbb", "-b",
     [](auto& x) { return gru_cell(x({2, 3}), x({2, 4}), x({12, 3}), x({12, 4})); }},
    {"_addmm_activation", "bbfb", "b-",
     [](auto& x) { return _addmm_activation(x({3}), x({2, 4}), x({4, 3}), 1, 1, false); }},
    {"addmv", "fbbb", "-b", [](auto& x) { return addmv(x({2}), x({2, 3}), x({3})); }},
    {"addr", "fbbb", "fb", [](auto& x) { return addr(x({2, 3}), x({2}), x({3})); }},
    {"mv", "fbbb", "-b", [](auto& x) { return mv(x({2, 3}), x({3})); }},
    {"einsum", "bbbb", "bb",
     [](auto& x) { return einsum("ij,jk->ik", std::vector<Tensor>{x({2, 3}), x({3, 2})}); }},
    {"chain_matmul", "bbbb", "-b",
     [](auto& x) { return chain_matmul(std::vector<Tensor>{x({2, 3}), x({3, 2}), x({2, 2})}); }},
    {"linalg_multi_dot", "bbbb", "-b",
     [](auto& x) { return linalg_multi_dot(std::vector<Tensor>{x({2, 3}), x({3, 2}), x({2, 2})}); }},
    {"convolution", "fbbb", "-b",
     [](auto& x) {
       return convolution(x({1, 2, 5}), x({2, 2, 3}), Tensor(), 1, 0, 1, false, 0, 1);
     }},
    {"matrix_power", "bbbb", "bb", [](auto& x) { return matrix_power(x({3, 3}), 3); }},
    // losses
    {"binary_cross_entropy", "ffEE", "f-",
     [](auto& x) { return binary_cross_entropy(x({3}), x({3})); }},
    {"binary_cross_entropy_with_logits", "ffff", "ff",
     [](auto& x) { return binary_cross_entropy_with_logits(x({3}), x({3})); }},
    {"cosine_embedding_loss", "ffff", "ff",
     [](auto& x) {
       return cosine_embedding_loss(x({3, 2}), x({3, 2}), x(ones({3})));
     }},
    {"hinge_embedding_loss", "ffff", "ff",
     [](auto& x) { return hinge_embedding_loss(x({3}), x(ones({3}))); }},
    {"huber_loss", "ffff", "ff", [](auto& x) { return huber_loss(x({3}), x({3})); }},
    {"kl_div", "ffff", "ff", [](auto& x) { return kl_div(x({3}), x({3})); }},
    {"l1_loss", "ffff", "ff", [](auto& x) { return l1_loss(x({3}), x({3})); }},
    {"margin_ranking_loss", "ffff", "ff",
     [](auto& x) { return margin_ranking_loss(x({3}), x({3}), x({3})); }},
    {"mse_loss", "ffff", "ff", [](auto& x) { return mse_loss(x({3}), x({3})); }},
    {"multi_margin_loss", "ffff", "--",
     [](auto& x) { return multi_margin_loss(x({3, 3}), x.whole(whole_numbers({0, 1, 2}))); }},
    {"multilabel_margin_loss", "ffff", "--",
     [](auto& x) {
       return multilabel_margin_loss(x({1, 3}), x.whole(whole_numbers({0, 1, -1}).view({1, 3})));
     }},
    {"nll_loss", "ffff", "--",
     [](auto& x) { return nll_loss(x({3, 3}), x.whole(whole_numbers({0, 1, 2}))); }},
    {"nll_loss2d", "ffff", "--",
     [](auto& x) {
       return nll_loss2d(x({1, 3, 2, 2}), x.whole(whole_numbers({0, 1, 2, 0}).view({1, 2, 2})));
     }},
    {"poisson_nll_loss", "ffff", "ff",
     [](auto& x) { return poisson_nll_loss(x({3}), x({3}), true, false, 1e-8, 1); }},
    {"smooth_l1_loss", "ffff", "ff", [](auto& x) { return smooth_l1_loss(x({3}), x({3})); }},
    {"soft_margin_loss", "ffff", "ff", [](auto& x) { return soft_margin_loss(x({3}), x({3})); }},
    {"triplet_margin_loss", "ffff", "ff",
     [](auto& x) { return triplet_margin_loss(x({3, 2}), x({3, 2}), x({3, 2})); }},
    {"cross_entropy_loss", "ffff", "--",
     [](auto& x) { return cross_entropy_loss(x({3, 3}), x.whole(whole_numbers({0, 1, 2}))); }},
    {"cross_entropy_loss of probabilities", "ffff", "ff",
     [](auto& x) { return cross_entropy_loss(x({3, 3}), x({3, 3})); }},
    {"ctc_loss", "fff-", "--",
     [](auto& x) {
       return ctc_loss(x({5, 1, 3}), whole_numbers({1, 2}).view({1, 2}), IntArrayRef{5},
                       IntArrayRef{2});
     }},
    // f32 on CUDA
    {"acos", "fbff", "--", [](auto& x) { return acos(x({3})); }},
    {"asin", "fbff", "--", [](auto& x) { return asin(x({3})); }},
    {"cosh", "fbff", "--", [](auto& x) { return cosh(x({3})); }},
    {"erfinv", "fbff", "--", [](auto& x) { return erfinv(x({3})); }},
    {"exp", "fbff", "--", [](auto& x) { return exp(x({3})); }},
    {"expm1", "fbff", "--", [](auto& x) { return expm1(x({3})); }},
    {"log", "fbff", "--", [](auto& x) { return log(x({3})); }},
    {"log10", "fbff", "--", [](auto& x) { return log10(x({3})); }},
    {"log1p", "fbff", "--", [](auto& x) { return log1p(x({3})); }},
    {"log2", "fbff", "--", [](auto& x) { return log2(x({3})); }},
    {"reciprocal", "fbff", "--", [](auto& x) { return reciprocal(x({3})); }},
    {"rsqrt", "fbff", "--", [](auto& x) { return rsqrt(x({3})); }},
    {"sinh", "fbff", "--", [](auto& x) { return sinh(x({3})); }},
    {"tan", "fbff", "--", [](auto& x) { return tan(x({3})); }},
    {"square", "fbff", "--", [](auto& x) { return square(x({3})); }},
    {"pow.Tensor_Scalar", "fbff", "--", [](auto& x) { return pow(x({3}), 2.5); }},
    {"pow.Tensor_Tensor", "fbff", "ff", [](auto& x) { return pow(x({3}), x({3})); }},
    {"pow.Scalar", "fbff", "--", [](auto& x) { return pow(Scalar(2.), x({3})); }},
    {"softplus", "fbff", "--", [](auto& x) { return softplus(x({3})); }},
    {"layer_norm", "fbff", "--", [](auto& x) { return layer_norm(x({2, 3}), {3}); }},
    {"rms_norm", "fbff", "--", [](auto& x) { return rms_norm(x({2, 3}), {3}); }},
    {"group_norm", "fbff", "--", [](auto& x) { return group_norm(x({2, 4}), 2); }},
    {"frobenius_norm.dim", "fbff", "--",
     [](auto& x) { return frobenius_norm(x({2, 3}), IntArrayRef{1}); }},
    {"nuclear_norm", "f-ff", "--", [](auto& x) { return nuclear_norm(x({3, 3})); }},
    {"cosine_similarity", "fbff", "ff",
     [](auto& x) { return cosine_similarity(x({2, 3}), x({2, 3})); }},
    {"cdist", "ffff", "ff", [](auto& x) { return cdist(x({3, 2}), x({4, 2})); }},
    {"dist", "fbff", "ff", [](auto& x) { return dist(x({3}), x({3})); }},
    {"pdist", "f-ff", "--", [](auto& x) { return pdist(x({3, 2})); }},
    {"renorm", "fbff", "--", [](auto& x) { return renorm(x({3, 2}), 2, 0, 1); }},
    {"logsumexp", "fbff", "--", [](auto& x) { return logsumexp(x({3}), IntArrayRef{0}); }},
    {"norm.Scalar", "fbff", "--", [](auto& x) { return norm(x({3}), Scalar(2)); }},
    {"norm.ScalarOpt_dim", "fbff", "--",
     [](auto& x) { return norm(x({3, 2}), Scalar(2), IntArrayRef{0}, false); }},
    {"upsample_nearest1d", "fbff", "--",
     [](auto& x) { return upsample_nearest1d(x({1, 1, 4}), IntArrayRef{8}); }},
    {"upsample_nearest2d", "fbff", "--",
     [](auto& x) { return upsample_nearest2d(x({1, 1, 4, 4}), IntArrayRef{8, 8}); }},
    {"upsample_nearest3d", "fbff", "--",
     [](auto& x) { return upsample_nearest3d(x({1, 1, 4, 4, 4}), IntArrayRef{8, 8, 8}); }},
    {"_upsample_nearest_exact1d", "fbff", "--",
     [](auto& x) { return _upsample_nearest_exact1d(x({1, 1, 4}), IntArrayRef{8}); }},
    {"_upsample_nearest_exact2d", "fbff", "--",
     [](auto& x) { return _upsample_nearest_exact2d(x({1, 1, 4, 4}), IntArrayRef{8, 8}); }},
    {"_upsample_nearest_exact3d", "fbff", "--",
     [](auto& x) { return _upsample_nearest_exact3d(x({1, 1, 4, 4, 4}), IntArrayRef{8, 8, 8}); }},
    {"upsample_linear1d", "fbff", "--",
     [](auto& x) { return upsample_linear1d(x({1, 1, 4}), IntArrayRef{8}, true); }},
    {"upsample_bilinear2d", "fbff", "--",
     [](auto& x) { return upsample_bilinear2d(x({1, 1, 4, 4}), IntArrayRef{8, 8}, true); }},
    {"upsample_trilinear3d", "fbff", "--",
     [](auto& x) { return upsample_trilinear3d(x({1, 1, 4, 4, 4}), IntArrayRef{8, 8, 8}, true); }},
    {"upsample_bicubic2d", "fbff", "--",
     [](auto& x) { return upsample_bicubic2d(x({1, 1, 4, 4}), IntArrayRef{8, 8}, true); }},
    {"_upsample_bilinear2d_aa", "f-ff", "--",
     [](auto& x) { return _upsample_bilinear2d_aa(x({1, 1, 4, 4}), IntArrayRef{8, 8}, true); }},
    {"_upsample_bicubic2d_aa", "f-ff", "--",
     [](auto& x) { return _upsample_bicubic2d_aa(x({1, 1, 4, 4}), IntArrayRef{8, 8}, true); }},
    // sums and softmax
    {"prod", "ffff", "--", [](auto& x) { return prod(x({3})); }},
    {"prod.dim_int", "ffff", "--", [](auto& x) { return prod(x({3}), 0); }},
    {"sum", "fbff", "--", [](auto& x) { return sum(x({3})); }},
    {"sum.dim_IntList", "fbff", "--", [](auto& x) { return sum(x({3, 2}), IntArrayRef{0}); }},
    {"sum with a dtype", "bbbb", "--", [](auto& x) { return sum(x({3}), kBFloat16); }},
    {"cumprod", "fbff", "--", [](auto& x) { return cumprod(x({3}), 0); }},
    {"cumsum", "fbff", "--", [](auto& x) { return cumsum(x({3}), 0); }},
    {"softmax.int", "fbff", "--", [](auto& x) { return softmax(x({2, 3}), 0); }},
    {"log_softmax.int", "fbff", "--", [](auto& x) { return log_softmax(x({2, 3}), 0); }},
    {"linalg_vector_norm", "fbff", "--", [](auto& x) { return linalg_vector_norm(x({3})); }},
    {"linalg_matrix_norm.str_ord", "fbff", "--",
     [](auto& x) { return linalg_matrix_norm(x({3, 3})); }},
    // the widest
    {"addcdiv", "fbfb", "ff", [](auto& x) { return addcdiv(x({3}), x({3}), x({3})); }},
    {"addcmul", "fbfb", "ff", [](auto& x) { return addcmul(x({3}), x({3}), x({3})); }},
    {"atan2", "fbfb", "ff", [](auto& x) { return atan2(x({3}), x({3})); }},
    {"bilinear", "fbfb", "-f",
     [](auto& x) { return nn::functional::bilinear(x({2, 3}), x({2, 4}), x({5, 3, 4}), Tensor()); }},
    {"cross", "fbfb", "-f", [](auto& x) { return cross(x({3}), x({3}), 0); }},
    {"dot", "fbfb", "-f", [](auto& x) { return dot(x({3}), x({3})); }},
    {"vdot", "fbfb", "-f", [](auto& x) { return vdot(x({3}), x({3})); }},
    {"tensordot", "bbfb", "-f",
     [](auto& x) { return tensordot(x({2, 3}), x({3, 2}), IntArrayRef{1}, IntArrayRef{0}); }},
    {"scatter_add", "fbfb", "-f",
     [](auto& x) { return scatter_add(x({3}), 0, x.whole(whole_numbers({0})), x({1})); }},
    {"index_put", "fbfb", "-f",
     [](auto& x) {
       return index_put(x({3}), std::vector<optional<Tensor>>{x.whole(whole_numbers({0}))}, x({1}),
                        false);
     }},
    {"grid_sampler", "ff--", "ff",
     [](auto& x) { return grid_sampler(x({1, 1, 4, 4}), x({1, 2, 2, 2}), 0, 0, true); }},
    {"cat", "fbfb", "ff", [](auto& x) { return cat(std::vector<Tensor>{x({2}), x({2})}); }},
    {"stack", "fbfb", "ff", [](auto& x) { return stack(std::vector<Tensor>{x({2}), x({2})}); }},
    {"index_copy", "fbfb", "f-",
     [](auto& x) { return index_copy(x({3}), 0, x.whole(whole_numbers({1})), x({1})); }},
    // f32 on the CPU
    {"adaptive_avg_pool3d", "fffb", "--",
     [](auto& x) { return adaptive_avg_pool3d(x({1, 2, 4, 4, 4}), {2, 2, 2}); }},
    {"adaptive_max_pool3d", "fffb", "--",
     [](auto& x) { return std::get<0>(adaptive_max_pool3d(x({1, 2, 4, 4, 4}), {2, 2, 2})); }},
    {"avg_pool3d", "fffb", "--",
     [](auto& x) { return avg_pool3d(x({1, 2, 4, 4, 4}), {2, 2, 2}); }},
    {"max_pool3d", "fffb", "--",
     [](auto& x) { return max_pool3d(x({1, 2, 4, 4, 4}), {2, 2, 2}); }},
    {"fractional_max_pool2d", "fffb", "--",
     [](auto& x) {
       return std::get<0>(fractional_max_pool2d(x({1, 2, 6, 6}), {2, 2}, {3, 3}, x({1, 2, 2})));
     }},
    {"grid_sampler_2d", "fff-", "f-",
     [](auto& x) { return grid_sampler_2d(x({1, 1, 4, 4}), x({1, 2, 2, 2}), 0, 0, true); }},
    {"grid_sampler_3d", "fff-", "f-",
     [](auto& x) { return grid_sampler_3d(x({1, 1, 4, 4, 4}), x({1, 2, 2, 2, 3}), 0, 0, true); }},
    {"max_unpool2d", "fffb", "--",
     [](auto& x) {
       return max_unpool2d(x({1, 1, 2, 2}), x.whole(whole_numbers({0, 1, 2, 3}).view({1, 1, 2, 2})),
                           {4, 4});
     }},
    {"reflection_pad1d", "fffb", "--", [](auto& x) { return reflection_pad1d(x({1, 2, 5}), {1, 1}); }},
    {"reflection_pad2d", "fffb", "--",
     [](auto& x) { return reflection_pad2d(x({1, 2, 5, 5}), {1, 1, 1, 1}); }},
    {"replication_pad1d", "fffb", "--",
     [](auto& x) { return replication_pad1d(x({1, 2, 5}), {1, 1}); }},
    {"replication_pad2d", "fffb", "--",
     [](auto& x) { return replication_pad2d(x({1, 2, 5, 5}), {1, 1, 1, 1}); }},
    {"replication_pad3d", "fffb", "--",
     [](auto& x) { return replication_pad3d(x({1, 2, 5, 5, 5}), {1, 1, 1, 1, 1, 1}); }},
    {"trace", "fffb", "--", [](auto& x) { return trace(x({3, 3})); }},
    {"polar", "ccc-", "c-", [](auto& x) { return polar(x({3}), x({3})); }},
    {"view_as_complex", "ccc-", "--", [](auto& x) { return view_as_complex(x({3, 2})); }},
    {"quantile", "fff-", "--", [](auto& x) { return quantile(x({3}), 0.5); }},
    {"nanquantile", "fff-", "--", [](auto& x) { return nanquantile(x({3}), 0.5); }},
    {"fft_fft", "ccc-", "--", [](auto& x) { return fft::fft(x({8})); }},
    {"fft_fft2", "ccc-", "--", [](auto& x) { return fft::fft2(x({4, 4})); }},
    {"fft_fftn", "ccc-", "--", [](auto& x) { return fft::fftn(x({4, 4})); }},
    {"fft_ifft", "ccc-", "--", [](auto& x) { return fft::ifft(x({8})); }},
    {"fft_ifftn", "ccc-", "--", [](auto& x) { return fft::ifftn(x({4, 4})); }},
    {"fft_hfft", "fff-", "--", [](auto& x) { return fft::hfft(x({8})); }},
    {"fft_ihfft", "ccc-", "--", [](auto& x) { return fft::ihfft(x({8})); }},
    {"fft_rfft", "ccc-", "--", [](auto& x) { return fft::rfft(x({8})); }},
    {"fft_rfftn", "ccc-", "--", [](auto& x) { return fft::rfftn(x({4, 4})); }},
    {"fft_irfft", "fff-", "--", [](auto& x) { return fft::irfft(x({8})); }},
    {"fft_irfftn", "fff-", "--", [](auto& x) { return fft::irfftn(x({4, 4})); }},
    {"cholesky_inverse", "fff-", "--", [](auto& x) { return cholesky_inverse(x.matrix()); }},
    {"cholesky_solve", "fff-", "f-", [](auto& x) { return cholesky_solve(x({3, 2}), x.matrix()); }},
    {"geqrf", "fff-", "--", [](auto& x) { return std::get<0>(geqrf(x({3, 3}))); }},
    {"inverse", "fff-", "--", [](auto& x) { return inverse(x.matrix()); }},
    {"orgqr", "fff-", "f-", [](auto& x) { return orgqr(x({3, 3}), x({3})); }},
    {"ormqr", "fff-", "f-", [](auto& x) { return ormqr(x({3, 3}), x({3}), x({3, 3})); }},
    {"pinverse", "fff-", "--", [](auto& x) { return pinverse(x.matrix()); }},
    {"svd", "fff-", "--", [](auto& x) { return std::get<0>(svd(x.matrix())); }},
    {"triangular_solve", "fff-", "f-",
     [](auto& x) { return std::get<0>(triangular_solve(x({3, 2}), x.matrix())); }},
    {"linalg_cholesky", "fff-", "--", [](auto& x) { return linalg_cholesky(x.matrix()); }},
    {"linalg_cond", "fff-", "--", [](auto& x) { return linalg_cond(x.matrix()); }},
    {"linalg_eig", "ccc-", "--", [](auto& x) { return std::get<0>(linalg_eig(x.matrix())); }},
    {"linalg_eigh", "fff-", "--", [](auto& x) { return std::get<0>(linalg_eigh(x.matrix())); }},
    {"linalg_eigvals", "ccc-", "--", [](auto& x) { return linalg_eigvals(x.matrix()); }},
    {"linalg_eigvalsh", "fff-", "--", [](auto& x) { return linalg_eigvalsh(x.matrix()); }},
    {"linalg_householder_product", "fff-", "f-",
     [](auto& x) { return linalg_householder_product(x({3, 3}), x({3})); }},
    {"linalg_inv", "fff-", "--", [](auto& x) { return linalg_inv(x.matrix()); }},
    {"linalg_lstsq", "ff--", "f-",
     [](auto& x) { return std::get<0>(linalg_lstsq(x.matrix(), x({3, 2}))); }},
    {"linalg_qr", "fff-", "--", [](auto& x) { return std::get<0>(linalg_qr(x.matrix())); }},
    {"linalg_solve", "fff-", "f-", [](auto& x) { return linalg_solve(x.matrix(), x({3, 2})); }},
    {"linalg_svd", "fff-", "--", [](auto& x) { return std::get<1>(linalg_svd(x.matrix())); }},
    {"linalg_svdvals", "fff-", "--", [](auto& x) { return linalg_svdvals(x.matrix()); }},
    {"linalg_tensorinv", "fff-", "--", [](auto& x) { return linalg_tensorinv(x.matrix(), 1); }},
    {"linalg_tensorsolve", "fff-", "f-",
     [](auto& x) { return linalg_tensorsolve(x.matrix(), x({3})); }},
    // not in the lists: as they are
    {"add", "fbfb", "ff", [](auto& x) { return x({3}) + x({3}); }},
    {"mean", "fbfb", "--", [](auto& x) { return x({3}).mean(); }},
    {"var", "fbfb", "--", [](auto& x) { return x({3}).var(); }},
    {"std", "fbfb", "--", [](auto& x) { return x({3}).std(); }},
    {"sqrt", "fbfb", "--", [](auto& x) { return sqrt(x({3})); }},
    {"tanh", "fbfb", "--", [](auto& x) { return tanh(x({3})); }},
    {"gelu", "fbfb", "--", [](auto& x) { return gelu(x({3})); }},
    {"silu", "fbfb", "--", [](auto& x) { return silu(x({3})); }},
    {"log_sigmoid", "fbfb", "--", [](auto& x) { return log_sigmoid(x({3})); }},
    {"logaddexp", "fbfb", "ff", [](auto& x) { return logaddexp(x({3}), x({3})); }},
    {"nansum", "fbfb", "--", [](auto& x) { return nansum(x({3})); }},
    {"logcumsumexp", "fbfb", "--", [](auto& x) { return logcumsumexp(x({3}), 0); }},
    {"outer", "fbfb", "ff", [](auto& x) { return outer(x({3}), x({3})); }},
    {"kron", "fbfb", "ff", [](auto& x) { return kron(x({2, 2}), x({2, 2})); }},
    {"matrix_exp", "f-f-", "--", [](auto& x) { return matrix_exp(x({3, 3})); }},
    {"diff", "fbfb", "--", [](auto& x) { return diff(x({4})); }},
    {"embedding", "fbfb", "--",
     [](auto& x) { return embedding(x({3, 2}), x.whole(whole_numbers({0}))); }},
    {"max_pool2d", "fbfb", "--", [](auto& x) { return max_pool2d(x({1, 2, 4, 4}), {2, 2}); }},
    {"batch_norm", "fbfb", "--",
     [](auto& x) {
       return nn::functional::batch_norm(x({2, 3}), Tensor(), Tensor(),
                                         nn::functional::BatchNormFuncOptions().training(true));
     }},
};

ScalarType dtype_of(char letter) {
  return letter == 'f' ? kFloat : letter == 'b' ? kBFloat16 : kComplexFloat;
}

void expect_result(const Listed& listed, char expected, Device device, Operands16::Kind kind) {
  if (expected == '-') return;
  SCOPED_TRACE(::testing::Message() << listed.op << " on " << device << ", operands " << kind);
  const Operands16 operands(device, kind);
  const autocast guard(device, kBFloat16);
  if (expected == 'E') {
    EXPECT_THROW(listed.call(operands), Error);
    return;
  }
  try {
    const Tensor y = listed.call(operands);
    EXPECT_EQ(y.scalar_type(), dtype_of(expected));
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  EXPECT_TRUE(autocast::is_autocast_enabled(device.type()));
}

TEST(AutocastLists, GiveTheDtypesOfPyTorchOnTheCpu) {
  for (const Listed& listed : kListed) {
    expect_result(listed, listed.results[0], kCPU, Operands16::kAllFloat);
    expect_result(listed, listed.results[1], kCPU, Operands16::kAll16);
    expect_result(listed, listed.mixed[0], kCPU, Operands16::kFloatFirst);
    expect_result(listed, listed.mixed[0], kCPU, Operands16::k16First);
  }
}

TEST(AutocastLists, GiveTheDtypesOfPyTorchOnCuda) {
  TAPER_NEEDS_DEVICES(1);
  for (const Listed& listed : kListed) {
    expect_result(listed, listed.results[2], device_at(0), Operands16::kAllFloat);
    expect_result(listed, listed.results[3], device_at(0), Operands16::kAll16);
    expect_result(listed, listed.mixed[1], device_at(0), Operands16::kFloatFirst);
    expect_result(listed, listed.mixed[1], device_at(0), Operands16::k16First);
  }
}

TEST(AutocastLists, LeaveDoublesAlone) {
  const Tensor x = rand({3, 3}, kDouble);
  const autocast guard(kCPU);
  EXPECT_EQ(mm(x, x).scalar_type(), kDouble);
  EXPECT_EQ(l1_loss(x, x).scalar_type(), kDouble);
}

TEST(AutocastLists, LeaveOtherDevicesAlone) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor x = rand({3, 3});
  const autocast guard(kCUDA);
  EXPECT_EQ(mm(x, x).scalar_type(), kFloat);
  const Tensor y = x.to(device_at(0));
  EXPECT_EQ(mm(y, y).scalar_type(), kHalf);
}

TEST(AutocastLists, RefuseSixteenBitsOfAnotherKindAmongOperandsThatMustAgree) {
  const Tensor x = rand({3}), half = x.to(kHalf);
  const autocast guard(kCPU);
  EXPECT_NE(message_of([&] {
              cat(std::vector<Tensor>{x, half});
            }).find("Unexpected floating ScalarType in at::autocast::prioritize"),
            std::string::npos);
}

TEST(AutocastLists, SayWhatToDoInPlaceOfBinaryCrossEntropy) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor x = rand({3}).to(device_at(0));
  const autocast guard(kCUDA);
  EXPECT_NE(message_of([&] { binary_cross_entropy(x, x); }).find("unsafe to autocast"),
            std::string::npos);
}

TEST(AutocastLists, AreNotForInPlaceAndOutForms) {
  const Tensor a = rand({3, 3}), b = rand({3, 3});
  const Tensor sum = addmm(a, a, b), map = linear(a, b, Tensor()), product = mv(a, b[0]);
  Tensor x = a.clone(), out;
  const autocast guard(kCPU);
  EXPECT_TRUE(x.addmm_(a, b).equal(sum));
  EXPECT_TRUE(linear_out(out, a, b, Tensor()).equal(map));
  Tensor y = empty({3});
  EXPECT_TRUE(mv_out(y, a, b[0]).equal(product));
}

}  // namespace
}  // namespace torch::taper::testing
