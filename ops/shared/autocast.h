// The effect of autocast on each op: the table, and the line with which an op's public function
// starts. Not installed.
//
//   Tensor mm(const Tensor& self, const Tensor& mat2) {
//     if (auto cast = autocast_call("mm", mm, self, mat2)) return *cast;
//
// The function calls itself with cast arguments, and autocast disabled for that kind of device. A
// name that is not in the table does not compile. An op without the line leaves the casts to the
// public functions that it calls. In-place and `out` forms are not cast.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <taper/framework/autograd/autocast.h>

namespace torch::taper {
namespace detail {

/// The cast of an op's floating inputs. f64 is never cast.
enum class CastTo : uint8_t {
  kAsIs,       // no cast, here or in the ops that it calls
  kParts,      // the ops that it calls are cast
  kLower,      // the dtype of autocast
  kFloat,      // f32
  kSumFloat,   // no cast, but the result is f32 unless the caller gives a dtype
  kWidest,     // f32 if one of them is f32, else the dtype of autocast
  kForbidden,  // Error
};

struct CastRule {
  std::string_view op;
  CastTo cpu, cuda;
};

// PyTorch 2.15's lists for CPU and CUDA, under its names of ops. linalg_x and fft_x stand for x in
// the namespace linalg or fft. Recurrent layers and cells are cast as a whole. PyTorch's CPU casts
// the products inside gru, gru_cell and lstm_cell, and leaves the states in f32.
inline constexpr auto kAsIs = CastTo::kAsIs, kParts = CastTo::kParts, kLower = CastTo::kLower,
                      kToFloat = CastTo::kFloat, kSumFloat = CastTo::kSumFloat,
                      kWidest = CastTo::kWidest;
// clang-format off
inline constexpr CastRule kCastRules[] = {
    // Products, convolutions, attention, recurrent layers.
    {"addbmm", kLower, kLower},           {"addmm", kLower, kLower},            {"baddbmm", kLower, kLower},
    {"bmm", kLower, kLower},              {"linalg_vecdot", kLower, kLower},    {"linear", kLower, kLower},
    {"matmul", kLower, kLower},           {"mm", kLower, kLower},               {"prelu", kLower, kLower},
    {"conv1d", kLower, kLower},           {"conv2d", kLower, kLower},           {"conv3d", kLower, kLower},
    {"conv_tbc", kLower, kLower},         {"conv_transpose1d", kLower, kLower}, {"conv_transpose2d", kLower, kLower},
    {"conv_transpose3d", kLower, kLower}, {"scaled_dot_product_attention", kLower, kLower},
    {"lstm", kLower, kLower},             {"rnn_tanh", kLower, kLower},         {"rnn_relu", kLower, kLower},
    {"rnn_tanh_cell", kLower, kLower},    {"rnn_relu_cell", kLower, kLower},
    {"_addmm_activation", kLower, kAsIs},
    {"addmv", kAsIs, kLower},             {"addr", kAsIs, kLower},              {"chain_matmul", kParts, kLower},
    {"convolution", kAsIs, kLower},       {"einsum", kParts, kLower},            {"linalg_multi_dot", kParts, kLower},
    {"mv", kAsIs, kLower},                {"gru", kWidest, kLower},             {"gru_cell", kWidest, kLower},
    {"lstm_cell", kWidest, kLower},
    // Losses.
    {"binary_cross_entropy", kToFloat, CastTo::kForbidden},
    {"binary_cross_entropy_with_logits", kToFloat, kToFloat},
    {"cosine_embedding_loss", kToFloat, kToFloat}, {"hinge_embedding_loss", kToFloat, kToFloat},
    {"huber_loss", kToFloat, kToFloat},            {"kl_div", kToFloat, kToFloat},
    {"l1_loss", kToFloat, kToFloat},               {"margin_ranking_loss", kToFloat, kToFloat},
    {"mse_loss", kToFloat, kToFloat},              {"multi_margin_loss", kToFloat, kToFloat},
    {"multilabel_margin_loss", kToFloat, kToFloat}, {"nll_loss", kToFloat, kToFloat},
    {"nll_loss2d", kToFloat, kToFloat},            {"poisson_nll_loss", kToFloat, kToFloat},
    {"smooth_l1_loss", kToFloat, kToFloat},        {"soft_margin_loss", kToFloat, kToFloat},
    {"triplet_margin_loss", kToFloat, kToFloat},
    {"cross_entropy_loss", kToFloat, kToFloat},       {"ctc_loss", kToFloat, kAsIs},
    // Exponentials, norms, distances, resampling.
    {"acos", kAsIs, kToFloat},       {"asin", kAsIs, kToFloat},         {"cosh", kAsIs, kToFloat},
    {"erfinv", kAsIs, kToFloat},     {"exp", kAsIs, kToFloat},          {"expm1", kAsIs, kToFloat},
    {"log", kAsIs, kToFloat},        {"log10", kAsIs, kToFloat},        {"log1p", kAsIs, kToFloat},
    {"log2", kAsIs, kToFloat},       {"pow", kAsIs, kToFloat},          {"reciprocal", kAsIs, kToFloat},
    {"rsqrt", kAsIs, kToFloat},      {"sinh", kAsIs, kToFloat},         {"softplus", kAsIs, kToFloat},
    {"square", kAsIs, kToFloat},     {"tan", kAsIs, kToFloat},
    {"group_norm", kAsIs, kToFloat},   {"layer_norm", kAsIs, kToFloat},
    {"rms_norm", kAsIs, kToFloat},   {"frobenius_norm", kAsIs, kToFloat}, {"norm", kAsIs, kToFloat},
    {"nuclear_norm", kAsIs, kToFloat}, {"renorm", kAsIs, kToFloat},     {"logsumexp", kAsIs, kToFloat},
    {"cdist", kToFloat, kToFloat},   {"dist", kAsIs, kToFloat},         {"pdist", kAsIs, kToFloat},
    {"cosine_similarity", kAsIs, kToFloat},
    {"_upsample_bicubic2d_aa", kAsIs, kToFloat},   {"_upsample_bilinear2d_aa", kAsIs, kToFloat},
    {"_upsample_nearest_exact1d", kAsIs, kToFloat}, {"_upsample_nearest_exact2d", kAsIs, kToFloat},
    {"_upsample_nearest_exact3d", kAsIs, kToFloat}, {"upsample_bicubic2d", kAsIs, kToFloat},
    {"upsample_bilinear2d", kAsIs, kToFloat},      {"upsample_linear1d", kAsIs, kToFloat},
    {"upsample_nearest1d", kAsIs, kToFloat},       {"upsample_nearest2d", kAsIs, kToFloat},
    {"upsample_nearest3d", kAsIs, kToFloat},       {"upsample_trilinear3d", kAsIs, kToFloat},
    // Sums and products of elements, softmax.
    {"prod", kToFloat, kSumFloat},   {"sum", kAsIs, kSumFloat},         {"cumprod", kAsIs, kSumFloat},
    {"cumsum", kAsIs, kSumFloat},    {"softmax", kAsIs, kSumFloat},     {"log_softmax", kAsIs, kSumFloat},
    {"linalg_matrix_norm", kAsIs, kSumFloat},      {"linalg_vector_norm", kAsIs, kSumFloat},
    // Missing in PyTorch's lists. Here these are composed of ops in the lists.
    {"linalg_matrix_exp", kAsIs, kAsIs},
    // Operands must agree.
    {"addcdiv", kAsIs, kWidest},     {"addcmul", kAsIs, kWidest},       {"atan2", kAsIs, kWidest},
    {"bilinear", kAsIs, kWidest},    {"cross", kAsIs, kWidest},         {"dot", kAsIs, kWidest},
    {"index_put", kAsIs, kWidest},   {"scatter_add", kAsIs, kWidest},   {"tensordot", kParts, kWidest},
    {"vdot", kAsIs, kWidest},        {"grid_sampler", kToFloat, kWidest},
    {"cat", kWidest, kAsIs},         {"index_copy", kWidest, kAsIs},    {"stack", kWidest, kAsIs},
    // PyTorch's CPU computes, or computed, these only in f32.
    {"adaptive_avg_pool3d", kToFloat, kAsIs},      {"adaptive_max_pool3d", kToFloat, kAsIs},
    {"avg_pool3d", kToFloat, kAsIs},               {"fractional_max_pool2d", kToFloat, kAsIs},
    {"fractional_max_pool3d", kToFloat, kAsIs},    {"grid_sampler_2d", kToFloat, kAsIs},
    {"grid_sampler_3d", kToFloat, kAsIs},          {"max_pool3d", kToFloat, kAsIs},
    {"max_unpool2d", kToFloat, kAsIs},             {"max_unpool3d", kToFloat, kAsIs},
    {"reflection_pad1d", kToFloat, kAsIs},         {"reflection_pad2d", kToFloat, kAsIs},
    {"replication_pad1d", kToFloat, kAsIs},        {"replication_pad2d", kToFloat, kAsIs},
    {"replication_pad3d", kToFloat, kAsIs},        {"polar", kToFloat, kAsIs},
    {"quantile", kToFloat, kAsIs},                 {"nanquantile", kToFloat, kAsIs},
    {"stft", kToFloat, kAsIs},                     {"trace", kToFloat, kAsIs},
    {"view_as_complex", kToFloat, kAsIs},
    {"fft_fft", kToFloat, kAsIs},    {"fft_fftn", kToFloat, kAsIs},     {"fft_hfft", kToFloat, kAsIs},
    {"fft_ifft", kToFloat, kAsIs},   {"fft_ifftn", kToFloat, kAsIs},    {"fft_ihfft", kToFloat, kAsIs},
    {"fft_irfft", kToFloat, kAsIs},  {"fft_irfftn", kToFloat, kAsIs},   {"fft_rfft", kToFloat, kAsIs},
    {"fft_rfftn", kToFloat, kAsIs},
    {"cholesky_inverse", kToFloat, kAsIs},         {"cholesky_solve", kToFloat, kAsIs},
    {"geqrf", kToFloat, kAsIs},      {"inverse", kToFloat, kAsIs},      {"lu_solve", kToFloat, kAsIs},
    {"orgqr", kToFloat, kAsIs},      {"ormqr", kToFloat, kAsIs},        {"pinverse", kToFloat, kAsIs},
    {"svd", kToFloat, kAsIs},        {"triangular_solve", kToFloat, kAsIs},
    {"linalg_cholesky", kToFloat, kAsIs},          {"linalg_cholesky_ex", kToFloat, kAsIs},
    {"linalg_cond", kToFloat, kAsIs},              {"linalg_eig", kToFloat, kAsIs},
    {"linalg_eigh", kToFloat, kAsIs},              {"linalg_eigvals", kToFloat, kAsIs},
    {"linalg_eigvalsh", kToFloat, kAsIs},          {"linalg_householder_product", kToFloat, kAsIs},
    {"linalg_inv", kToFloat, kAsIs},               {"linalg_inv_ex", kToFloat, kAsIs},
    {"linalg_lstsq", kToFloat, kAsIs},             {"linalg_matrix_rank", kToFloat, kAsIs},
    {"linalg_qr", kToFloat, kAsIs},                {"linalg_solve", kToFloat, kAsIs},
    {"linalg_svd", kToFloat, kAsIs},               {"linalg_svdvals", kToFloat, kAsIs},
    {"linalg_tensorinv", kToFloat, kAsIs},         {"linalg_tensorsolve", kToFloat, kAsIs},
};
// clang-format on

constexpr bool has_cast_rule(std::string_view op) {
  for (const CastRule& rule : kCastRules)
    if (rule.op == op) return true;
  return false;
}

/// A row of the table, found by name at compile time.
struct RuleOf {
  CastTo cpu, cuda;
  consteval RuleOf(const char* op) {
    for (const CastRule& rule : kCastRules)
      if (rule.op == op) {
        cpu = rule.cpu, cuda = rule.cuda;
        return;
      }
    throw "no op of this name is in kCastRules";
  }
};

constexpr uint8_t kOnCpu = 1, kOnCuda = 2;  // bits of AutocastState::enabled
/// Returns the kinds of devices of a call's tensors.
inline uint8_t devices_of(const Tensor& x) {
  return !x.defined() ? 0 : x.is_cuda() ? kOnCuda : kOnCpu;
}
inline uint8_t devices_of(const optional<Tensor>& x) { return x ? devices_of(*x) : 0; }
inline uint8_t devices_of(TensorList list) {
  uint8_t all = 0;
  for (const Tensor& x : list) all |= devices_of(x);
  return all;
}
template <class T>
constexpr uint8_t devices_of(const T&) {
  return 0;
}

/// The casts of the arguments of one call.
struct Casts {
  CastTo to = CastTo::kParts;
  uint8_t kind = 0;  // of the tensors that are cast
  ScalarType lower = kFloat, widest = kFloat;

  /// `devices` are the kinds of the call's tensors. Throws Error for an op that may not run here.
  static Casts find(const RuleOf& rule, uint8_t devices);
  bool takes(const Tensor& x) const {
    return x.defined() && devices_of(x) == kind && x.is_floating_point() &&
           x.scalar_type() != kDouble;
  }

  /// Sets `widest` to f32 if x is f32. Throws Error for a 16-bit dtype other than
  /// autocast's.
  void widen(const Tensor& x);
  void widen(const optional<Tensor>& x) {
    if (x) widen(*x);
  }
  void widen(TensorList list) {
    for (const Tensor& x : list) widen(x);
  }
  template <class T>
  void widen(const T&) {}

  Tensor operator()(const Tensor& x) const;
  optional<Tensor> operator()(const optional<Tensor>& x) const {
    return x ? optional<Tensor>((*this)(*x)) : x;
  }
  std::vector<Tensor> operator()(TensorList list) const {
    std::vector<Tensor> cast;
    for (const Tensor& x : list) cast.push_back((*this)(x));
    return cast;
  }
  optional<ScalarType> operator()(const optional<ScalarType>& dtype) const {
    return to == CastTo::kSumFloat && !dtype ? kFloat : dtype;
  }
  template <class T>
  const T& operator()(const T& argument) const {
    return argument;
  }
};

template <class F, class First, class... A>
[[gnu::cold, gnu::noinline]] auto cast_and_call(const RuleOf& rule, const F& f, const First& first,
                                                const A&... a)
    -> std::optional<std::invoke_result_t<const F&, const First&, const A&...>> {
  Casts casts = Casts::find(rule, static_cast<uint8_t>((devices_of(first) | ... | devices_of(a))));
  if constexpr (std::is_same_v<First, Tensor>)
    if (casts.to == CastTo::kSumFloat && !casts.takes(first)) casts.to = CastTo::kAsIs;
  if (casts.to == CastTo::kParts) return std::nullopt;
  if (casts.to == CastTo::kWidest) (casts.widen(first), ..., casts.widen(a));
  const AutocastOff inside(casts.kind);
  return f(casts(first), casts(a)...);
}

}  // namespace detail

/// Returns the result of the op `f` with cast arguments, or nothing if autocast leaves them
/// unchanged. In that case the op continues.
template <class F, class... A>
[[gnu::always_inline]] inline auto autocast_call(const detail::RuleOf& rule, const F& f,
                                                 const A&... a)
    -> std::optional<std::invoke_result_t<const F&, const A&...>> {
  if (__builtin_expect(detail::autocast_state.enabled == 0, 1)) return std::nullopt;
  return detail::cast_and_call(rule, f, a...);
}

}  // namespace torch::taper
